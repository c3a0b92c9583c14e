"""The short way: taken where nothing changed, and said in the same words; left for every change there is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import chdir
from hashlib import sha256
from pathlib import Path

import pytest

from tests.support.commands import toolgen
from tests.support.generated import write_project
from toolgen import build_record
from toolgen.build_record import cached_output, save_record
from toolgen.cli.terminal import escape_controls

SAID = {"build_output": "generated: 3 unchanged\n", "check_output": "generated: up to date with schemas\n"}
FILES = {
    "schemas": ("tools/a.yaml", "tools/deep/b.json", "toolgen.yaml"),
    "generated": ("models.py", "tools/a.py", "toolgen.lock"),
}


def digests(folder: Path) -> dict[str, str]:
    return {
        p.relative_to(folder).as_posix(): sha256(p.read_bytes()).hexdigest() for p in folder.rglob("*") if p.is_file()
    }


def record(project: Path) -> str:
    with chdir(project):
        return save_record(
            "schemas", None, "generated", sources=digests(Path("schemas")), files=digests(Path("generated")), **SAID
        )


def _let_the_clock_tick(file: Path) -> None:
    """Wait until what is written has a later stamp than what was written before."""
    file.touch()
    before = file.stat().st_mtime_ns
    while file.stat().st_mtime_ns == before:
        file.touch()


@pytest.fixture(params=["old", "fresh"])
def project(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that was built: long ago, or just now, where stamps alone prove nothing."""
    for folder, names in FILES.items():
        for name in names:
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"the text of {name}\n")
    if request.param == "old":
        monkeypatch.setattr(build_record, "FINE_TIMESTAMP_NS", -1)
        _let_the_clock_tick(tmp_path.parent / "clock")
    record(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_nothing_changed(project: Path) -> None:
    assert (cached_output(["build"]), cached_output(["check"])) == tuple(SAID.values())
    assert cached_output(["build", "schemas/"]) == SAID["build_output"]
    assert cached_output(["check", str(project / "schemas")]) is None  # findings would name it otherwise


def test_another_place_and_a_named_output_have_records_of_their_own(project: Path) -> None:
    assert cached_output(["build", "schemas", "--out", "generated"]) is None
    schemas, out = project / "schemas", project / "generated"
    save_record("schemas", "generated", str(out), sources=digests(schemas), files=digests(out), **SAID)
    assert cached_output(["build", "schemas", "--out", "generated"]) == SAID["build_output"]
    assert cached_output(["build", "--out", "./generated"]) == SAID["build_output"]
    shutil.copytree(project, project / "copy")
    os.chdir(project / "copy")
    assert cached_output(["build"]) is None


@pytest.mark.parametrize(
    "words",
    [
        [], ["build", "-q"], ["build", "--force"], ["build", "--provider", "x"], ["check", "--format", "json"],
        ["build", "schemas", "more"], ["build", "--out"], ["build", "--out", ""], ["build", "--out", "-q"], ["build", ""],
        ["show", "schemas"], ["--version"], ["build", "--out=generated"], ["build", "--help"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_other_words_go_the_long_way(project: Path, words: list[str]) -> None:
    assert cached_output(words) is None


def rewritten(path: Path) -> None:
    """Other content of the same size, with the times of the former."""
    before = path.stat()
    path.write_text(path.read_text().swapcase())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replaced(path: Path) -> None:
    """The same by another file in its place."""
    before = path.stat()
    path.with_suffix(".new").write_text(path.read_text().swapcase())
    os.utime(path.with_suffix(".new"), ns=(before.st_atime_ns, before.st_mtime_ns))
    path.with_suffix(".new").replace(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "a source": lambda p: rewritten(p / "schemas/tools/a.yaml"),
    "a source in a folder": lambda p: rewritten(p / "schemas/tools/deep/b.json"),
    "another source in its place": lambda p: replaced(p / "schemas/tools/a.yaml"),
    "a source more": lambda p: (p / "schemas/tools/c.yaml").write_text("name: c\n"),
    "a source less": lambda p: (p / "schemas/tools/a.yaml").unlink(),
    "a source elsewhere": lambda p: (p / "schemas/tools/a.yaml").rename(p / "schemas/tools/deep/a.yaml"),
    "a source as a link": lambda p: (
        (p / "schemas/tools/a.yaml").rename(p / "a.yaml"),
        (p / "schemas/tools/a.yaml").symlink_to(p / "a.yaml"),
    ),
    "a line of the output": lambda p: rewritten(p / "generated/models.py"),
    "the lock": lambda p: rewritten(p / "generated/toolgen.lock"),
    "a module more": lambda p: (p / "generated/more.py").write_text(""),
    "a module less": lambda p: (p / "generated/tools/a.py").unlink(),
    "an emptied module": lambda p: (p / "generated/models.py").write_text(""),
    "no output": lambda p: shutil.rmtree(p / "generated"),
    "the output as a link": lambda p: (
        (p / "generated").rename(p / "elsewhere"),
        (p / "generated").symlink_to("elsewhere"),
    ),
    "no sources": lambda p: shutil.rmtree(p / "schemas"),
    "litter of a build that was killed": lambda p: (p / ".toolgen-new").mkdir(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_seen(project: Path, change: str) -> None:
    CHANGES[change](project)
    assert (cached_output(["build"]), cached_output(["check"])) == (None, None)


def test_what_python_compiles_changes_nothing(project: Path) -> None:
    (project / "generated" / "__pycache__").mkdir()
    (project / "generated" / "__pycache__" / "models.cpython-311.pyc").write_bytes(b"x")
    assert cached_output(["build"]) == SAID["build_output"]


def test_check_reads_what_stamps_cannot_tell(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stamps = {str(p): build_record._stamp(str(p)) for p in project.rglob("*") if p.is_file()}
    rewritten(project / "schemas/tools/a.yaml")
    monkeypatch.setattr(build_record, "_stamp", stamps.__getitem__)
    monkeypatch.setattr(build_record, "_tool", lambda: (project.parent / "tool").name)
    assert cached_output(["check"]) is None


@pytest.mark.parametrize("change", ["Python", "a file of the tool", "what is installed"])
def test_another_tool_is_seen(project: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    if change == "Python":
        monkeypatch.setattr("sys.version", "3.99")
    elif change == "a file of the tool":
        whole = build_record._stamp
        monkeypatch.setattr(
            build_record, "_stamp", lambda p: (*whole(p)[:3], 0) if p.endswith("build_record.py") else whole(p)
        )
    else:
        (project / "site-packages").mkdir()
        monkeypatch.syspath_prepend(str(project / "site-packages"))
    assert cached_output(["build"]) is None


def test_a_spoiled_record_is_none(project: Path, cache: Path) -> None:
    (place,) = [p for p in (cache / "toolgen").iterdir() if p == Path(build_record._record_path("schemas", None))]
    text = place.read_text()
    for spoiled in (
        "",
        "x",
        text[: len(text) // 2],
        text.replace(" ", ""),
        "\n" * 9,
        text.replace("record 1", "record 0"),
        text + "\nz",
    ):
        place.write_text(spoiled)
        assert cached_output(["build"]) is None
    place.unlink()
    place.mkdir()
    assert cached_output(["build"]) is None


def test_what_changed_while_it_was_built_is_not_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in FILES:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a").write_text("a")
    monkeypatch.chdir(tmp_path)
    sources, files = digests(tmp_path / "schemas"), digests(tmp_path / "generated")
    for wrong in ({"a": sha256(b"b").hexdigest()}, {**sources, "gone": sources["a"]}):
        save_record("schemas", None, "generated", sources=wrong, files=files, **SAID)
        assert cached_output(["build"]) is None
        save_record("schemas", None, "generated", sources=sources, files=wrong, **SAID)
        assert cached_output(["build"]) is None
    (tmp_path / "generated" / "foreign.py").write_text("")
    save_record("schemas", None, "generated", sources=sources, files=files, **SAID)
    assert cached_output(["build"]) is None
    (tmp_path / "generated" / "foreign.py").unlink()
    save_record("schemas", None, "generated", sources=sources, files=files, **SAID)
    assert cached_output(["build"]) == SAID["build_output"]


def test_where_no_record_can_be_written_there_is_none(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(project / "file"))
    record(project)
    assert cached_output(["build"]) is None


def test_no_cache_folder_in_the_project_is_used_and_none_is_made_where_there_is_no_home(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".cache").mkdir()
    before = sorted(project.rglob("*"))
    missing = project.parent / f"{project.name} has none"
    for cache, why in (
        (str(project / ".cache"), "is next to the sources"),
        (str(missing / "cache"), "there is no cache folder"),
        ("cache", "there is no cache folder"),
    ):
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        assert why in record(project)
        assert cached_output(["build"]) is None
        assert sorted(project.rglob("*")) == before
        assert not missing.exists()


def test_a_home_without_a_cache_folder_gets_one(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the XDG base directory specification has it: a new machine's second check is short."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(home))
    assert record(project) == ""
    assert cached_output(["check"]) == SAID["check_output"]
    assert (home / ".cache").stat().st_mode & 0o777 == 0o700


def test_the_command_line_says_the_same_either_way(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    caches = tmp_path_factory.mktemp("caches")
    for word in ("build", "check"):
        (caches / word).mkdir()
    write_project(tmp_path)
    (tmp_path / "schemas/tools/odd.json").write_text(
        '{"name": "odd", "description": "O.", "parameters": {"type": "object", "properties": {"a": {"type": "string", "default": null}}}}'
    )
    first = toolgen("build", cwd=tmp_path)
    assert first.returncode == 0
    long = [toolgen(word, cwd=tmp_path, env={"XDG_CACHE_HOME": str(caches / word)}) for word in ("build", "check")]
    assert "default-null" in long[0].stderr
    with chdir(tmp_path):
        short = [cached_output([word]) for word in ("build", "check")]
    assert [escape_controls(text or "", colors=False) for text in short] == [r.stderr for r in long]
    short = [toolgen(*words, cwd=tmp_path) for words in (["build"], ["check"])]
    assert [(r.returncode, r.stdout, r.stderr) for r in short] == [(r.returncode, r.stdout, r.stderr) for r in long]
    assert [len(list((caches / word).iterdir())) for word in ("build", "check")] == [1, 1]


def test_a_check_says_why_it_keeps_no_record(tmp_path: Path) -> None:
    write_project(tmp_path)
    assert toolgen("build", cwd=tmp_path).returncode == 0
    result = toolgen("check", cwd=tmp_path, env={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert result.returncode == 0
    assert (
        "the result of this check cannot be cached, so the next check is as slow: the cache folder is next to"
        in result.stderr
    )
    assert "no record" not in toolgen("check", "-q", cwd=tmp_path, env={"XDG_CACHE_HOME": str(tmp_path)}).stderr


def test_a_command_that_shows_less_or_more_leaves_no_record(tmp_path: Path) -> None:
    write_project(tmp_path)
    for options in (["-q"], ["--force"], ["--format", "github"]):
        assert toolgen("build", *options, cwd=tmp_path).returncode == 0
        assert cached_output(["build", str(tmp_path / "schemas")]) is None
    assert toolgen("check", "-q", cwd=tmp_path).returncode == 0
    assert cached_output(["build", str(tmp_path / "schemas")]) is None


def test_files_with_other_line_ends_and_files_of_others_are_recorded(project: Path) -> None:
    """A check passes with both, so that the next one may be as fast."""
    recorded = {"sources": digests(project / "schemas"), "files": digests(project / "generated")}
    for file in (project / "schemas/tools/a.yaml", project / "generated/models.py"):
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    (project / "generated/notes.txt").write_text("mine")
    assert save_record("schemas", None, "generated", **recorded, **SAID) == ""
    assert cached_output(["check"]) == SAID["check_output"]
    (project / "generated/more.py").write_text("")
    assert save_record("schemas", None, "generated", **recorded, **SAID) == "more.py was not written by toolgen"
