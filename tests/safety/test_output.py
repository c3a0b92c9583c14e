"""The output tree as a user meets it: by the command line, its exit codes and what it prints."""

from __future__ import annotations

import dataclasses
import errno
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.commands import environment, heeding_interrupts, toolgen_process
from tests.support.generated import write_project
from toolgen.compilation import Compilation, compile_project
from toolgen.diagnostics import Findings
from toolgen.write import LOCK, disk

TOOLS = (
    {"name": "now", "description": "The time."},
    {"name": "naïve", "description": "x"} | {"name": "naive", "description": "Café ☃ 😀."},
    {"name": "zz_last", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}},
)
LINE = re.compile(r"generated(/[\w./]+)?(:1:1)?: error\[([a-z-]+)\]: [^\n]+")


class Ended(NamedTuple):
    """A command that has ended: its exit code, and what it printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


def tree(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def sources(folder: Path, *, newer: bool = False) -> Path:
    tools = (TOOLS[0] | {"description": "The hour."}, TOOLS[1]) if newer else TOOLS
    return write_project(folder, tools, {})


def litter(folder: Path) -> list[Path]:
    return list(folder.rglob(".toolgen*"))


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Compilation]:
    """Two versions of one project, compiled once."""
    compilations = {}
    for name in ("old", "new"):
        schemas = sources(tmp_path_factory.mktemp(name), newer=name == "new")
        built = compile_project(schemas, Findings())
        assert built is not None
        compilations[name] = built
    return compilations


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    sources(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process."""

    def call(*arguments: str) -> Ended:
        from toolgen.cli.group import main_group

        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main_group.main(list(arguments), prog_name="toolgen")
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, out, err)

    return call


@pytest.fixture
def quick(project: Path, run: Run, versions: dict[str, Compilation], monkeypatch: pytest.MonkeyPatch) -> Run:
    """The same with the sources compiled before: `quick("new", "build")`."""

    def call(version: str, *arguments: str) -> Ended:
        built = dataclasses.replace(versions[version], schemas=Path("schemas"))
        monkeypatch.setattr("toolgen.compilation.compile_project", lambda *_, **__: built)
        return run(*arguments)

    return call


def same(built: Compilation, *_: object, **__: object) -> Compilation:
    return built


# A source that goes takes its module with it


def test_a_source_that_is_deleted_or_renamed_takes_its_module_with_it(project: Path, run: Run) -> None:
    assert run("build").code == 0
    tools = project / "schemas" / "tools"
    (tools / "now.json").unlink()
    (tools / "zz_last.json").unlink()
    (tools / "other.json").write_text('{"name": "other"}\n')
    code, out, _ = run("check")
    assert code == 1
    for gone in ("now", "zz_last"):
        assert f"generated/tools/{gone}.py: no longer generated from any source\n" in out
        assert f"--- generated/tools/{gone}.py (on disk)\n" in out
    assert "generated/tools/other.py: missing\n" in out
    assert run("build").code == 0
    assert {p.stem for p in (project / "generated" / "tools").glob("[a-z]*.py")} == {
        "naive",
        "other",
    }
    assert run("check").code == 0


# Checks


AUDITED = """
import os, runpy, sys
def hook(event, arguments):
    if event == "open":
        path, _, flags = arguments
        if isinstance(path, str) and isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            os.write(2, f"AUDIT {event} {path}\\n".encode())
    elif event.split(".")[0] in ("subprocess", "socket", "tempfile", "shutil") or event in (
        "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.chmod", "os.chown", "os.utime",
        "os.truncate", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.setxattr", "os.mkfifo", "os.mknod",
    ):
        os.write(2, f"AUDIT {event} {arguments}\\n".encode())
sys.addaudithook(hook)
sys.argv = ["toolgen", *sys.argv[1:]]
runpy.run_module("toolgen", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("step", ["up to date", "out of date"])
def test_check_opens_nothing_for_writing_but_its_record_in_the_cache_folder(
    project: Path, quick: Run, step: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert quick("old" if step == "up to date" else "new", "build").code == 0
    before = tree(project)
    cache = tmp_path_factory.mktemp("cache")
    done = subprocess.run(
        [sys.executable, "-B", "-c", AUDITED, "check"],
        capture_output=True,
        text=True,
        env={**environment(), "XDG_CACHE_HOME": str(cache)},
        check=False,
    )
    written = [line for line in done.stderr.splitlines() if line.startswith("AUDIT")]
    assert [line for line in written if str(cache) not in line] == [], done.stderr
    records = [line for line in written if line.startswith("AUDIT open")]
    assert bool(records) == (step == "up to date")
    assert done.returncode == (0 if step == "up to date" else 1)
    assert tree(project) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p.write_bytes(p.read_bytes() + b"# mine\n"), "edited by hand"),
        (lambda p: p.write_bytes(p.read_bytes().replace(b"\n", b" \n", 1)), "edited by hand"),
        (lambda p: p.write_bytes(b""), "not written by toolgen, but a generated file must go there"),
        (lambda p: p.unlink(), "missing"),
    ],
    ids=["a line", "a blank at a line's end", "emptied", "missing"],
)
@pytest.mark.parametrize("path", ["models.py", "tools/now.py", "providers/openai_chat.py", LOCK])
def test_a_changed_file_is_named_with_a_diff(
    project: Path, quick: Run, path: str, change: Callable[[Path], object], message: str
) -> None:
    quick("old", "build")
    change(project / "generated" / path)
    code, out, _ = quick("old", "check")
    assert code == 1
    assert f"generated/{path}: {message if path != LOCK or message == 'missing' else ''}" in out
    is_ours = path == LOCK or not message.startswith("not written")
    named = (
        f"+++ generated/{path} (as built)" if is_ours else f"Only on disk: generated/{path} (not written by toolgen)"
    )
    assert f"{named}\n" in out


def test_an_additional_module_is_named(project: Path, quick: Run) -> None:
    quick("old", "build")
    (project / "generated" / "tools" / "extra.py").write_text("x = 1\n")
    code, out, _ = quick("old", "check")
    assert code == 1
    assert "generated/tools/extra.py" in out


def test_another_version_of_toolgen(project: Path, quick: Run) -> None:
    quick("old", "build")
    lock = project / "generated" / LOCK
    written = lock.read_text()

    def state(version: str) -> None:
        lock.write_text(re.sub('version = ".*"', f'version = "{version}\\\\u001b[31m"', written, count=1))

    state("0.0.9")
    code, out, err = quick("old", "check")
    assert code == 0
    assert "note: written by toolgen 0.0.9" in err
    assert "\x1b" not in out + err
    state("9.9.9")
    for command in ("check", "build"):
        code, out, err = quick("old", command)
        assert code == 2
        assert "error[package-newer]" in err
        assert "\x1b" not in out + err
    assert quick("old", "build", "--force").code == 0
    assert quick("old", "check").code == 0
    lock.write_text(written.replace("format = 1", "format = 99"))
    code, out, _ = quick("old", "check")
    assert code == 1
    assert "version" in out


def test_a_checkout_with_other_line_ends(project: Path, quick: Run, run: Run) -> None:
    quick("old", "build")
    for path in [p for p in project.rglob("*") if p.is_file()]:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    monkey = pytest.MonkeyPatch()
    monkey.setattr("toolgen.compilation.compile_project", compile_project)
    try:
        code, out, err = run("check")
    finally:
        monkey.undo()
    assert code == 0 or "CRLF" in out + err
    assert code == 0, out


# Files that are not ours


def test_an_edit_is_not_overwritten_without_saying_so(project: Path, quick: Run) -> None:
    quick("old", "build")
    edited = project / "generated" / "models.py"
    edited.write_text(edited.read_text() + "MINE = 1\n")
    (project / "generated" / "mine.txt").write_text("mine")
    before = tree(project)
    code, _, err = quick("new", "build")
    assert code == 2
    assert LINE.match(err)
    assert "error[edited-by-hand]" in err
    assert "--force" in err
    assert tree(project) == before
    assert quick("new", "build", "--force").code == 0
    assert "MINE" not in edited.read_text()
    assert (project / "generated" / "mine.txt").read_text() == "mine"


def test_force_does_not_touch_what_toolgen_did_not_write(project: Path, quick: Run) -> None:
    (project / "generated" / "models.py").mkdir(parents=True)
    (project / "generated" / "tools").write_text("mine")
    before = tree(project)
    code, _, err = quick("old", "build", "--force")
    assert code == 2
    assert err.count("error[foreign-in-the-way]") == 2
    assert tree(project) == before


@pytest.mark.parametrize(
    ("out", "code"),
    [
        ("schemas", "output-holds-sources"),
        (".", "output-holds-sources"),
        ("schemas/tools/generated", "output-in-sources"),
        ("file", "output-is-file"),
        ("link", "output-is-link"),
        ("file/generated", "output-failed"),
    ],
)
@pytest.mark.parametrize("command", ["build", "check"])
def test_places_that_are_no_output(project: Path, quick: Run, command: str, out: str, code: str) -> None:
    (project / "file").write_text("x")
    (project / "elsewhere").mkdir()
    (project / "link").symlink_to("elsewhere")
    before = tree(project)
    ended, _, err = quick("old", command, "--out", out)
    if command == "check" and out == "file/generated":
        assert ended in (1, 2)
    else:
        assert ended == 2
        assert f"error[{code}]" in err
    assert tree(project) == before


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"<<<<<<< HEAD\n",
        b"{}",
        b"\x00" * 100,
        b"[" * 200_000,
        b'format = 1\nversion = "0"\nedition = "2026"\n[files]\n"../../outside" = "' + b"0" * 64 + b'"\n',
    ],
    ids=["empty", "conflict", "foreign", "zeros", "deep", "hostile"],
)
def test_a_lock_that_cannot_be_used(project: Path, quick: Run, text: bytes) -> None:
    quick("old", "build")
    (project.parent / "outside").write_text("outside")
    (project / "generated" / LOCK).write_bytes(text)
    before = tree(project)
    code, out, _ = quick("new", "check")
    assert code == 1
    assert f"generated/{LOCK}: cannot be used: it" in out
    code, _, err = quick("new", "build")
    assert code == 2
    assert err.startswith(f"generated/{LOCK}")
    assert "error[lock-unreadable]" in err
    assert tree(project) == before
    assert quick("new", "build", "--force").code == 0
    assert (project.parent / "outside").read_text() == "outside"


def test_a_huge_lock_is_not_read(project: Path, quick: Run) -> None:
    quick("old", "build")
    with (project / "generated" / LOCK).open("r+b") as file:
        file.truncate(1 << 33)
    code, out, _ = quick("old", "check")
    assert code == 1
    assert "too large" in out
    assert quick("old", "build").code == 2


def test_a_lock_names_files_behind_a_link(project: Path, quick: Run) -> None:
    """What stands there is the lock's by name and by digest, and is not in the output."""
    quick("old", "build")
    outside = project / "outside"
    (project / "generated" / "tools").rename(outside)
    (project / "generated" / "tools").symlink_to(outside)
    before = tree(outside)
    for arguments in (("build",), ("build", "--force"), ("check",)):
        assert quick("new", *arguments).code in (1, 2)
        assert tree(outside) == before


# Faults


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (errno.ENOSPC, "no space left on device"),
        (errno.EIO, "input/output error"),
        (errno.EACCES, "permission denied"),
        (errno.EROFS, "read-only file system"),
        (errno.EXDEV, "invalid cross-device link"),
    ],
    ids=["full", "I/O", "denied", "read-only", "another disk"],
)
@pytest.mark.parametrize("call", ["mkdir", "write", "fsync", "rename", "link", "open"])
def test_a_fault_is_one_line(
    project: Path, quick: Run, monkeypatch: pytest.MonkeyPatch, call: str, number: int, word: str
) -> None:
    quick("old", "build")
    before = tree(project)

    class Failing:
        def __getattr__(self, name: str) -> object:
            if name == call:
                return self.fail
            return getattr(os, name)

        def fail(self, *_: object, **__: object) -> object:
            raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(disk, "os", Failing())
        code, out, err = quick("new", "build")
    if call == "link" and number == errno.EACCES:
        assert code == 0, "files are copied then"
        return
    assert (code, out) == (2, "")
    first, *details = err.splitlines()
    match = LINE.fullmatch(first)
    assert match
    assert match[3] == "output-failed"
    assert word in first
    assert all(line.startswith("  ") for line in details), err
    assert tree(project) == before
    assert not litter(project)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSPC, errno.EIO], ids=errno.errorcode.get)
def test_no_room_for_the_lock(project: Path, quick: Run, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def flock(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(disk.fcntl, "flock", flock)
    code, _, err = quick("old", "build")
    assert code == 2
    assert "error[output-failed]" in err
    assert not (project / "generated").exists()


# Many at once


def test_eight_builds_and_checks_at_once(
    project: Path, quick: Run, versions: dict[str, Compilation], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    quick("old", "build")
    children, both = {}, [versions["old"], versions["new"]]
    gate, opener = os.pipe()
    for number in range(12):
        command = "check" if number >= 8 else "build"
        log = tmp_path / f"log{number}"
        child = os.fork()
        if child == 0:
            code = 99
            try:
                with log.open("w") as stderr:
                    sys.stderr, sys.stdout = stderr, open(os.devnull, "w")  # noqa: SIM115
                    built = dataclasses.replace(both[number % 2], schemas=project / "schemas")
                    monkeypatch.setattr("toolgen.compilation.compile_project", partial(same, built))
                    os.close(opener)
                    os.read(gate, 1)  # until all are there
                    from toolgen.cli.group import main_group

                    main_group.main([command], prog_name="toolgen")
            except SystemExit as ended:
                code = int(ended.code or 0)
            finally:
                os._exit(code)
        children[child] = command, log
    os.close(opener)
    os.close(gate)
    ends: dict[str, list[tuple[int, str]]] = {"build": [], "check": []}
    for child, (command, log) in children.items():
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        ends[command].append((code, log.read_text()))
    assert 0 in {code for code, _ in ends["build"]}
    for code, output in ends["build"]:
        assert code == 0 or (code == 2 and "another build" in output), output
    for code, output in ends["check"]:
        assert code in (0, 1, 2), output
        assert "Traceback" not in output
    assert 0 in (quick("old", "check").code, quick("new", "check").code)
    assert not litter(project)


@pytest.mark.slow
def test_several_programs_at_once(project: Path, quick: Run, tmp_path: Path) -> None:
    newer = sources(tmp_path / "newer", newer=True)
    programs = [
        subprocess.Popen(
            [sys.executable, "-m", "toolgen", "build", str(newer if n % 2 else "schemas"), "--out", "generated"],
            env=environment(),
            stderr=subprocess.PIPE,
            text=True,
        )
        for n in range(4)
    ]
    ends = [(p.communicate()[1], p.returncode) for p in programs]
    assert 0 in {code for _, code in ends}
    for output, code in ends:
        assert code == 0 or (code == 2 and "another build" in output), output
    assert 0 in (quick("old", "check").code, quick("new", "check").code)
    assert not litter(project)


# Terminals and signals


@pytest.mark.slow
def test_a_diff_in_an_ascii_terminal(project: Path, quick: Run) -> None:
    quick("old", "build")
    module = project / "generated" / "tools" / "naive.py"
    module.write_text(module.read_text().replace("Café", "Cafè"))
    ascii_alone = {
        "LC_ALL": "C",
        "LANG": "C",
        "PYTHONIOENCODING": "ascii",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    checked = toolgen_process("check", cwd=project, env=ascii_alone)
    assert checked.returncode == 1
    assert checked.stdout.isascii()
    assert "Caf\\xe8 \\u2603 \\U0001f600" in checked.stdout
    built = toolgen_process("build", "schemas", "--out", "généré", cwd=project, env=ascii_alone)
    assert built.returncode == 0
    assert built.stderr.isascii()
    assert "Traceback" not in checked.stderr + built.stderr


@pytest.mark.slow
def test_a_diff_into_a_closed_pipe(project: Path, quick: Run) -> None:
    quick("new", "build")
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "toolgen", "check"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=environment(), text=True, check=False)
    both = subprocess.run(command, stdout=writer, stderr=writer, env=environment(), check=False)
    os.close(writer)
    assert (done.returncode, both.returncode) == (1, 1)
    assert done.stderr == "generated: out of date with schemas; run `toolgen build`\n"


SIGNALLED = """
import os, runpy, sys
event, number, kind = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
seen = 0
def hook(name, arguments):
    global seen
    if "toolgen.cli.command_support" in sys.modules and name == event:
        seen += 1
        if seen == number:
            os.kill(os.getpid(), kind)
sys.addaudithook(hook)
sys.argv = ["toolgen", "build"]
runpy.run_module("toolgen", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(
    ("event", "number", "kind"),
    [
        ("import", 3, signal.SIGINT),
        ("import", 200, signal.SIGINT),
        ("compile", 40, signal.SIGINT),
        ("os.link", 5, signal.SIGINT),
        ("os.rename", 1, signal.SIGTERM),
        ("os.rmdir", 1, signal.SIGINT),
    ],
    ids=str,
)
def test_an_interrupt_is_one_line(project: Path, quick: Run, event: str, number: int, kind: int) -> None:
    quick("new", "build")
    old = tree(project / "generated")
    done = subprocess.run(
        [sys.executable, "-c", SIGNALLED, event, str(number), str(int(kind))],
        env=environment({"PYTHONDONTWRITEBYTECODE": "1"}),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=heeding_interrupts,
    )
    assert (done.returncode, done.stdout, done.stderr) == (128 + kind, "", "toolgen: interrupted\n")
    assert not litter(project)
    if event in ("import", "compile", "os.link"):
        assert tree(project / "generated") == old
    else:
        assert tree(project / "generated") == old or quick("old", "check").code == 0


def test_a_folder_whose_name_no_terminal_should_see(project: Path, quick: Run) -> None:
    for command in ("build", "check"):
        code, out, err = quick("old", command, "--out", "a\nb\x1b[31m")
        assert (code, out) == (2, "")
        assert err.startswith("a\\nb\\x1b[31m:1:1: error[output-name]: ")
        assert err.count("\n") == 2
