"""Commands on a terminal of their own, as a person has them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.repository import ROOT

RULES = ("NO_COLOR", "FORCE_COLOR", "TERM")
"""Variables that decide about colours."""


def on_a_screen(project: Path, *words: str, variables: Mapping[str, str] | None = None) -> tuple[str, int]:
    """What a command shows of stderr on a terminal, and its exit code. Stdout goes nowhere."""
    screen, end = pty.openpty()
    command = [sys.executable, "-m", "toolgen", *words]
    environment = environment_with({"TERM": "xterm-256color", **(variables or {})})
    with subprocess.Popen(command, cwd=project, stderr=end, stdout=subprocess.DEVNULL, env=environment) as process:
        os.close(end)
        shown = b""
        try:
            while piece := os.read(screen, 4096):
                shown += piece
        except OSError:  # Linux reports the other end's close so
            pass
        os.close(screen)
    return shown.decode(), process.returncode


def environment_with(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command, in which nothing decides about colours but these variables."""
    kept = {name: value for name, value in os.environ.items() if name not in RULES}
    return {**kept, "PYTHONPATH": str(ROOT / "generator"), **variables}
