"""Which edits of generated files the record of the last build, or git, shows."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from toolgen import build_record
from toolgen.build_record import read_written, save_written
from toolgen.hand_edits import find_edited_files

LOCK = "toolgen.lock"
BUILT = {"a.py": b"a = 1\n", "tools/b.py": b"b = 1\n", LOCK: b"one\n"}


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


def record(folder: Path, files: Mapping[str, bytes]) -> None:
    save_written(str(folder), {path: sha256(data).hexdigest() for path, data in files.items()})


def edited(folder: Path, *paths: str) -> set[str]:
    """The edited files among those that a build would change: by default all but the lock file."""
    names = paths or tuple(path for path in BUILT if path != LOCK)
    return find_edited_files(
        folder, (folder / LOCK).read_bytes(), {path: (folder / path).read_bytes() for path in names}
    )


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """An output folder in a repository, not yet committed and not recorded."""
    git(tmp_path, "init", "-q")
    write(tmp_path / "out", BUILT)
    return tmp_path / "out"


def commit(out: Path) -> None:
    git(out, "add", "-A")
    git(out, "commit", "-qm", "built")


def test_the_record_shows_an_edit(out: Path) -> None:
    record(out, BUILT)
    assert edited(out) == set()
    write(out, {"a.py": b"a = 2\n"})
    assert edited(out) == {"a.py"}


def test_git_shows_an_edit_of_what_was_never_built_here(out: Path) -> None:
    commit(out)
    assert edited(out) == set()
    write(out, {"a.py": b"a = 2\n"})
    assert edited(out) == {"a.py"}


def test_without_evidence_nothing_was_edited(out: Path) -> None:
    write(out, {"a.py": b"a = 2\n"})
    assert edited(out) == set()


def test_what_is_committed_or_staged_was_not_edited(out: Path) -> None:
    """Somebody else built it, or a merge made it."""
    commit(out)
    record(out, BUILT)
    write(out, {"a.py": b"a = 2\n", "tools/b.py": b"b = 2\n"})
    git(out, "add", "out/a.py" if (out / "out").exists() else "a.py")
    assert edited(out) == {"tools/b.py"}
    commit(out)
    assert edited(out) == set()


@pytest.mark.parametrize("evidence", ["record", "commit"])
def test_evidence_of_another_build_shows_nothing(out: Path, evidence: str) -> None:
    """The lock file says which build the output is from."""
    if evidence == "record":
        record(out, BUILT)
    else:
        commit(out)
    write(out, {"a.py": b"a = 2\n", LOCK: b"two\n"})
    assert edited(out) == set()


def test_a_build_that_changed_no_payload_is_recorded_so_that_git_does_not_take_it_for_an_edit(out: Path) -> None:
    commit(out)
    built = {**BUILT, "a.py": b"a = 2\n"}
    write(out, built)
    record(out, built)
    assert edited(out) == set()


def test_an_edit_after_a_pull_is_shown_by_git_beside_an_old_record(out: Path) -> None:
    record(out, BUILT)
    write(out, {"a.py": b"a = 2\n", LOCK: b"two\n"})
    commit(out)
    write(out, {"tools/b.py": b"b = 'mine'\n"})
    assert edited(out) == {"tools/b.py"}


@pytest.mark.parametrize("evidence", ["record", "commit"])
def test_line_ends_are_no_edit(out: Path, evidence: str) -> None:
    if evidence == "record":
        record(out, BUILT)
    else:
        commit(out)
    write(out, {path: data.replace(b"\n", b"\r\n") for path, data in BUILT.items()})
    assert edited(out) == set()
    write(out, {"a.py": b"a = 2\r\n"})
    assert edited(out) == {"a.py"}


def test_a_repository_with_sha256_ids(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    write(tmp_path / "out", BUILT)
    commit(tmp_path / "out")
    assert edited(tmp_path / "out") == set()
    write(tmp_path / "out", {"a.py": b"a = 2\n"})
    assert edited(tmp_path / "out") == {"a.py"}


def test_without_git_the_record_alone_decides(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(out)
    write(out, {"a.py": b"a = 2\n"})
    monkeypatch.setenv("PATH", "")
    assert edited(out) == set()
    record(out, BUILT)
    assert edited(out) == {"a.py"}


def test_git_is_asked_only_for_what_the_record_does_not_explain(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("git was asked")

    commit(out)
    record(out, BUILT)
    monkeypatch.setattr(subprocess, "run", refuse)
    assert edited(out) == set()


def test_a_repository_runs_nothing(out: Path, tmp_path: Path) -> None:
    """A filter of the repository would run when git compares files itself."""
    commit(out)
    (tmp_path / ".gitattributes").write_text("* filter=evil\n")
    for name in ("clean", "process", "smudge"):
        git(out, "config", f"filter.evil.{name}", f"touch {tmp_path / 'ran'}")
    git(out, "config", "core.fsmonitor", f"touch {tmp_path / 'ran'}")
    write(out, {"a.py": b"a = 2\n"})
    assert edited(out) == {"a.py"}
    assert not (tmp_path / "ran").exists()


def test_where_no_record_can_be_kept_git_alone_shows_nothing(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last build may have changed the file without a trace."""
    commit(out)
    write(out, {"a.py": b"a = 2\n"})
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert read_written(str(out)) is None
    record(out, BUILT)
    assert edited(out) == set()


def test_only_a_record_of_this_user_is_trusted(out: Path) -> None:
    record(out, BUILT)
    path = build_record._written_path(str(out))
    assert read_written(str(out)) == {name: sha256(data).hexdigest() for name, data in BUILT.items()}
    os.chmod(path, 0o666)
    write(out, {"a.py": b"a = 2\n"})
    assert (read_written(str(out)), edited(out)) == ({}, set())
    os.chmod(path, 0o600)
    Path(path).write_bytes(b"\xff garbage")
    assert (read_written(str(out)), edited(out)) == ({}, set())
