"""`toolgen watch` as a process, and `toolgen completion`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.commands import toolgen


def waited(condition: Callable[[], bool], seconds: float = 30) -> bool:
    """Whether a condition comes true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


def test_sources_are_built_when_they_change_until_it_is_interrupted(tmp_path: Path) -> None:
    toolgen("init", tmp_path)
    (tmp_path / "schemas" / "toolgen.yaml").write_text("providers: [mcp]\nparts: [tools]\n")
    tool, log = tmp_path / "schemas" / "tools" / "get_weather.yaml", tmp_path / "log"
    module = tmp_path / "generated" / "tools" / "get_weather.py"
    then = f"{sys.executable} -c \"open('ran', 'a').write('x')\""
    with log.open("w") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "toolgen", "watch", "schemas", "--then", then],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        )
    try:
        assert waited(lambda: log.read_text().count("watching schemas; Ctrl-C") == 1), log.read_text()
        good = tool.read_text()
        tool.write_text(good.replace("Get the current", "Fetch the current"))
        assert waited(lambda: log.read_text().count("watching schemas; Ctrl-C") == 2), log.read_text()
        assert "Fetch the current" in module.read_text()
        tool.write_text(good + ": bad\n")
        assert waited(lambda: "the package stays as it was" in log.read_text()), log.read_text()
        assert "error[not-yaml]" in log.read_text()
        assert "Fetch the current" in module.read_text()
        tool.write_text(good)
        assert waited(lambda: log.read_text().count("watching schemas; Ctrl-C") == 3), log.read_text()
        assert "Get the current" in module.read_text()
        assert (tmp_path / "ran").read_text() == "xxx"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert "Traceback" not in log.read_text()
    finally:
        process.kill()
        process.wait()


def test_a_command_that_cannot_be_split_is_refused(tmp_path: Path) -> None:
    done = toolgen("watch", "--then", "'", cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_script(shell: str) -> None:
    done = toolgen("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert "_TOOLGEN_COMPLETE" in done.stdout


def test_commands_are_completed() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "toolgen"],
        env={**os.environ, "COMP_WORDS": "toolgen wa", "COMP_CWORD": "1", "_TOOLGEN_COMPLETE": "bash_complete"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "plain,watch\n"
