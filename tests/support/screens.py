"""Commands in a terminal of their own, as users run them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.repository import ROOT

RULES = ("NO_COLOR", "FORCE_COLOR", "TERM")
"""Variables that affect colors."""


def on_a_screen(project: Path, *words: str, variables: Mapping[str, str] | None = None) -> tuple[str, int]:
    """Return what a command prints on stderr in a terminal, and its exit code. Stdout is discarded."""
    screen, end = pty.openpty()
    command = [sys.executable, "-m", "toolgen", *words]
    environment = environment_with({"TERM": "xterm-256color", **(variables or {})})
    with subprocess.Popen(command, cwd=project, stderr=end, stdout=subprocess.DEVNULL, env=environment) as process:
        os.close(end)
        shown = b""
        try:
            while piece := os.read(screen, 4096):
                shown += piece
        except OSError:  # Linux reports in this way that the other end was closed
            pass
        os.close(screen)
    return shown.decode(), process.returncode


def environment_with(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a command, in which only these variables affect colors."""
    unrelated = {name: value for name, value in os.environ.items() if name not in RULES}
    return {**unrelated, "PYTHONPATH": str(ROOT / "generator"), **variables}
