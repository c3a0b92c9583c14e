"""The bar: on a screen, for many tools, and gone before anything else is said."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.repository import ROOT
from toolgen.cli.process import MANY


def on_a_screen(project: Path, *words: str) -> str:
    """What a command shows on a terminal."""
    screen, end = pty.openpty()
    command = [sys.executable, "-m", "toolgen", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "generator")}
    with subprocess.Popen(command, cwd=project, stderr=end, stdout=subprocess.DEVNULL, env=environment) as process:
        os.close(end)
        shown = b""
        try:
            while piece := os.read(screen, 4096):
                shown += piece
        except OSError:  # Linux reports the other end's close so
            pass
        os.close(screen)
    assert process.returncode == 0
    return shown.decode()


def project_of(folder: Path, tools: int) -> Path:
    (folder / "schemas" / "tools").mkdir(parents=True)
    for i in range(tools):
        (folder / "schemas" / "tools" / f"t{i}.yaml").write_text(f"name: t{i}\ndescription: A tool.\n")
    (folder / "schemas" / "toolgen.yaml").write_text("providers: [openai_chat]\n")
    return folder


@pytest.mark.parametrize(
    ("tools", "words", "bar"), [(MANY, ["build"], True), (MANY, ["build", "-q"], False), (MANY - 1, ["build"], False)]
)
def test_a_bar_for_many_tools(tmp_path: Path, tools: int, words: list[str], bar: bool) -> None:
    shown = on_a_screen(project_of(tmp_path, tools), *words)
    steps = [int(n) for n in re.findall(r"(\d+)%", shown)]
    assert steps == (sorted(set(steps)) if bar else [])
    assert bool(steps and steps[-1] == 100) == bar
    *_, last = shown.split("\r\x1b[K")
    assert "%" not in last
    assert ("created" in last) == ("-q" not in words)
