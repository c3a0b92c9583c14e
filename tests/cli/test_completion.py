"""What a shell completes: commands, options, and the names that a project has."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_a_script_that_they_can_read(project: Path, shell: str) -> None:
    script = toolgen("completion", shell).stdout
    assert f"_TOOLGEN_COMPLETE={shell}_complete" in script
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    assert subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, check=False).returncode == 0


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
