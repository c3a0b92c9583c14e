"""What a shell completes: commands, options, and the names that a project has."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.commands import toolgen
from tests.support.repository import ROOT


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    toolgen("init", folder)
    assert toolgen("build", "schemas", cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sh"], ["show"]),
        (["build", "--prov"], ["--provider"]),
        (["build", "--provider", "openai_c"], ["openai_chat", "openai_compatible"]),
        (["show", "get_"], ["get_weather"]),
        (["stub", "get_"], ["get_weather"]),
        (["explain", "reference-d"], ["reference-dangling", "reference-dynamic"]),
        (["lint", "--format", "s"], ["sarif"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
    ],
)
def test_bash_completes(project: Path, words: list[str], expected: list[str]) -> None:
    """With the script that is printed, in a real bash."""
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    folder = project / "bin"
    folder.mkdir(exist_ok=True)
    command = folder / "toolgen"
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}/generator" exec "{sys.executable}" -m toolgen "$@"\n')
    command.chmod(0o755)
    (project / "completion.bash").write_text(toolgen("completion", "bash").stdout)
    line = " ".join(f"'{word}'" for word in ["toolgen", *words])
    script = (
        f"source completion.bash; COMP_WORDS=({line}); COMP_CWORD={len(words)}; "
        '_toolgen_completion toolgen; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script], cwd=project, env=environment, capture_output=True, text=True, check=True
    )
    assert (done.stdout.split(), done.stderr) == (expected, "")


START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source completion.bash"),
    "zsh": (["zsh", "-f", "-i"], "autoload -Uz compinit; compinit -u -d zcompdump; source completion.zsh"),
    "fish": (["fish", "--no-config", "-i"], "source completion.fish"),
}
"""How a shell is started without anybody's settings, and what makes it complete."""

TYPED = [
    ("toolgen sho", "toolgen show"),
    ("toolgen build --prov", "toolgen build --provider"),
    ("toolgen build --provider openai_ch", "toolgen build --provider openai_chat"),
    ("toolgen show get_", "toolgen show get_weather"),
    ("toolgen explain array-without-it", "toolgen explain array-without-items"),
    ("toolgen lint --format sar", "toolgen lint --format sarif"),
    ("toolgen completion fi", "toolgen completion fish"),
]
"""What is typed before the Tab key, and what the shell runs then."""


@pytest.mark.parametrize("shell", START)
def test_a_shell_completes_at_the_tab_key(project: Path, shell: str) -> None:
    """With the script that is printed, on a terminal; the program writes down how it is called."""
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}; `make programs` installs it where that is possible")
    folder = project / f"bin-{shell}"
    folder.mkdir()
    called = folder / "called"
    command = folder / "toolgen"
    command.write_text(
        f'#!/bin/sh\n[ -n "$_TOOLGEN_COMPLETE" ] || {{ echo toolgen "$@" >> "{called}"; exit; }}\n'
        f'PYTHONPATH="{ROOT}/generator" exec "{sys.executable}" -m toolgen "$@"\n'
    )
    command.chmod(0o755)
    (project / f"completion.{shell}").write_text(toolgen("completion", shell).stdout)
    words, source = START[shell]
    screen, end = pty.openpty()
    environment = {
        **os.environ,
        **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), str(folder)),
        "PATH": f"{folder}:{os.environ['PATH']}",
        "TERM": "xterm",
    }
    with subprocess.Popen(
        words,
        cwd=project,
        stdin=end,
        stdout=end,
        stderr=end,
        env=environment,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as process:
        os.close(end)
        shown = Shown(screen)
        try:
            os.write(screen, f"{source}; echo rea''dy\n".encode())
            shown.wait_for("ready")
            for typed, completed in TYPED:
                os.write(screen, f"{typed}\t".encode())
                shown.wait_for(completed.split()[-1])
                os.write(screen, b"\n")
                shown.wait_until(lambda wanted=completed: called.exists() and wanted in called.read_text().splitlines())
        finally:
            process.kill()
            os.close(screen)
    assert called.read_text().splitlines() == [completed for _, completed in TYPED]


class Shown:
    """What a terminal shows. A shell may ask it what it is, and goes on without a reply."""

    def __init__(self, screen: int) -> None:
        self._screen = screen
        self._text = ""

    def wait_for(self, text: str) -> None:
        """Wait until a text is shown after what was waited for before."""
        self.wait_until(lambda: text in self._text)
        self._text = self._text.rpartition(text)[2]

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Read on until a condition holds."""
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, self._text
            if select.select([self._screen], [], [], 0.05)[0]:
                self._text += os.read(self._screen, 4096).decode("utf-8", "replace")


def test_without_a_package_no_tool_is_known(tmp_path: Path) -> None:
    environment = {"COMP_WORDS": "toolgen show x", "COMP_CWORD": "2", "_TOOLGEN_COMPLETE": "bash_complete"}
    done = subprocess.run(
        [sys.executable, "-c", "from toolgen.cli.group import main_group; main_group.main(prog_name='toolgen')"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "generator"), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout.strip(), done.stderr) == ("", "")
