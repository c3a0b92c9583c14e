"""Output with colours and without, in poor terminals and on broken pipes."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import toolgen
from tests.support.screens import RULES, environment_with, on_a_screen
from toolgen.cli import terminal
from toolgen.cli.terminal import paint, paint_diff, write_output
from toolgen.diagnostics.formatters import DOCUMENT_FORMATS, FORMATTERS


@pytest.mark.parametrize(
    ("text", "encoding", "printed"),
    [
        ("é ☃ 😀\n", "utf-8", "é ☃ 😀\n".encode()),
        ("é ☃ 😀\n", "ascii", b"\\xe9 \\u2603 \\U0001f600\n"),
        ("é ☃\n", "latin-1", b"\xe9 \\u2603\n"),
        ("\udc80\n", "utf-8", b"\\udc80\n"),
        ("\x1b[31m\t\x9b\r\x00\n", "utf-8", b"\\u001b[31m\t\\u009b\\u000d\\u0000\n"),
    ],
)
def test_any_encoding(text: str, encoding: str, printed: bytes) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    write_output(text, stream)
    assert raw.getvalue() == printed


def test_no_stream() -> None:
    stream = io.StringIO()
    write_output("x", stream)
    assert stream.getvalue() == "x"
    stream.close()
    write_output("y", stream)


def _program(stdout: int) -> subprocess.CompletedProcess[bytes]:
    code = "import sys; from toolgen.cli.terminal import write_output\nfor _ in range(5): write_output('x' * 100000)\nsys.exit(1)"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
    )


def test_a_closed_pipe_is_quiet_and_keeps_the_exit_code() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = _program(writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_a_full_disk_is_one_line() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    done = _program(full)
    os.close(full)
    assert done.returncode == 2
    assert done.stderr == b"toolgen: cannot write the output: No space left on device\n"


COLOR = re.compile(r"\x1b\[[0-9;]+m")
HOSTILE = 'name: "a\\e[31mb"\ndescription: "\\e]0;title\\a \\e[2J é 😀"\nparameters: {type: "\\e[1;31mred"}\n'


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with errors in it, and with controls of a terminal in its texts."""
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "schemas/tools").mkdir(parents=True)
    (folder / "schemas/tools/a.yaml").write_text(HOSTILE, "utf-8")
    return folder


@pytest.mark.parametrize(
    ("variables", "words", "screen", "colors"),
    [
        ({}, (), True, True),
        ({}, (), False, False),
        ({"NO_COLOR": "1"}, (), True, False),
        ({"NO_COLOR": ""}, (), True, True),
        ({"FORCE_COLOR": "1"}, (), False, True),
        ({"FORCE_COLOR": ""}, (), False, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, (), True, False),
        ({"TERM": "dumb"}, (), True, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, (), True, True),
        ({"FORCE_COLOR": "1"}, ("--color", "never"), True, False),
        ({"NO_COLOR": "1"}, ("--color", "always"), False, True),
        ({"NO_COLOR": "1"}, ("--color", "auto"), True, False),
    ],
)
def test_colors(
    wrong: Path,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    words: tuple[str, ...],
    screen: bool,
    colors: bool,
) -> None:
    monkeypatch.setattr(terminal, "_wanted", "auto")
    for name in RULES:
        monkeypatch.delenv(name, raising=False)
    done = toolgen("build", *words, cwd=wrong, env={"TERM": "xterm-256color", **variables}, screen=screen)
    assert (done.returncode, bool(COLOR.search(done.stderr))) == (2, colors)
    assert "\x1b" not in COLOR.sub("", done.stderr)
    assert r"\x1b[1;31mred" in done.stderr
    assert COLOR.sub("", done.stderr) == toolgen("build", "--color", "never", cwd=wrong).stderr


@pytest.mark.parametrize("form", FORMATTERS)
def test_any_format_goes_to_a_poor_terminal(wrong: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.setattr(terminal, "_wanted", "auto")
    words = ("lint", "--format", form, "--color", "always")
    done = toolgen(*words, cwd=wrong, env={"PYTHONIOENCODING": "ascii"})
    output, empty = (done.stdout, done.stderr) if form in DOCUMENT_FORMATS else (done.stderr, done.stdout)
    assert (done.returncode, empty, output.isascii()) == (2, "", True)
    assert "type-unknown" in output
    assert ("\x1b" in output) == (form == "text")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_closed_pipe_keeps_the_exit_code_of_findings(wrong: Path, form: str) -> None:
    """On stderr, and on stdout."""
    command = [sys.executable, "-m", "toolgen", "lint", "--format", form, "--color", "always"]
    environment = environment_with({"PYTHONIOENCODING": "ascii"})
    reader, writer = os.pipe()
    os.close(reader)
    closed = subprocess.run(command, cwd=wrong, env=environment, stdout=writer, stderr=writer, check=False)
    os.close(writer)
    assert closed.returncode == 2


def test_what_a_build_remembers_of_warnings_has_the_colors_of_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in RULES:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "schemas/tools").mkdir(parents=True)
    (tmp_path / "schemas/toolgen.yaml").write_text("providers: [mcp]\n")
    (tmp_path / "schemas/tools/a.yaml").write_text(
        "name: a\ndescription: A tool.\nparameters: {type: object, properties: {a: {type: string, default: null}}}\n"
    )
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    first, again = (toolgen("build", cwd=tmp_path, env=cache) for _ in range(2))
    shown, _ = on_a_screen(tmp_path, "build", variables=cache)
    assert ("warning[default-null]" in first.stderr, again.returncode, "unchanged" in again.stderr) == (True, 0, True)
    assert again.stderr.splitlines()[:-1] == first.stderr.splitlines()[:-1]
    assert COLOR.sub("", shown).replace("\r\n", "\n") == again.stderr != shown


def test_diffs_have_colors_by_line() -> None:
    diff = "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same\n"
    painted = paint_diff(diff)
    assert COLOR.sub("", painted) == diff
    assert paint("removed", "-old") in painted
    assert painted.endswith("\n same\n")
