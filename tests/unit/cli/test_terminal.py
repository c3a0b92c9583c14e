"""Output in poor terminals and on broken pipes."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from toolgen.cli.terminal import emit


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
    emit(text, stream)
    assert raw.getvalue() == printed


def test_no_stream() -> None:
    stream = io.StringIO()
    emit("x", stream)
    assert stream.getvalue() == "x"
    stream.close()
    emit("y", stream)


def _program(stdout: int) -> subprocess.CompletedProcess[bytes]:
    code = "import sys; from toolgen.cli.terminal import emit\nfor _ in range(5): emit('x' * 100000)\nsys.exit(1)"
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
