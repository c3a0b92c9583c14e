"""The bar: on a screen, for many tools, and gone before anything else is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.commands import toolgen
from tests.support.screens import on_a_screen
from toolgen.cli.command_support import PROGRESS_MIN_TOOLS


def project_of(folder: Path, tools: int) -> Path:
    (folder / "schemas" / "tools").mkdir(parents=True)
    for i in range(tools):
        (folder / "schemas" / "tools" / f"t{i}.yaml").write_text(f"name: t{i}\ndescription: A tool.\n")
    (folder / "schemas" / "toolgen.yaml").write_text("providers: [openai_chat]\n")
    return folder


@pytest.mark.parametrize(
    ("tools", "words", "bar"),
    [
        (PROGRESS_MIN_TOOLS, ["build"], True),
        (PROGRESS_MIN_TOOLS, ["build", "-q"], False),
        (PROGRESS_MIN_TOOLS - 1, ["build"], False),
    ],
)
def test_a_bar_for_many_tools(tmp_path: Path, tools: int, words: list[str], bar: bool) -> None:
    done = toolgen(*words, cwd=project_of(tmp_path, tools), env={"TERM": "xterm"}, screen=True)
    assert done.returncode == 0
    shown = done.stderr
    steps = [int(n) for n in re.findall(r"(\d+)%", shown)]
    assert steps == (sorted(set(steps)) if bar else [])
    assert bool(steps and steps[-1] == 100) == bar
    *_, last = shown.split("\r\x1b[K")
    assert "%" not in last
    assert ("created" in last) == ("-q" not in words)


def test_a_dumb_screen_has_no_bar(tmp_path: Path) -> None:
    done = toolgen("build", cwd=project_of(tmp_path, PROGRESS_MIN_TOOLS), env={"TERM": "dumb"}, screen=True)
    assert (done.returncode, "%" in done.stderr, "\x1b" in done.stderr) == (0, False, False)
    assert done.stderr.startswith("generated: ")


def test_a_bar_on_a_real_screen(tmp_path: Path) -> None:
    shown, code = on_a_screen(project_of(tmp_path, PROGRESS_MIN_TOOLS), "build")
    assert (code, "100%" in shown) == (0, True)
