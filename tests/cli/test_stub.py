"""`toolgen stub` as users have it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import toolgen
from tests.support.generated import write_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    tools = (
        {"name": "get-order", "description": "Reads an order.", "risk": "low"},
        {"name": "class", "description": 'Evil: """ and \\.'},
        {"name": "bare"},
    )
    write_project(tmp_path, tools, {})
    return tmp_path


def test_a_class_with_all_methods_is_what_the_package_takes(project: Path) -> None:
    assert toolgen("build", cwd=project).returncode == 0
    result = toolgen("stub", "--class", "Mine", cwd=project)
    assert (result.returncode, result.stderr) == (0, "")
    (project / "handlers.py").write_text(result.stdout, "utf-8")
    code = "from generated.tools import Handlers, check_handlers\nfrom handlers import Mine\nmine: Handlers = Mine()\ncheck_handlers(mine)\n"
    (project / "use.py").write_text(code, "utf-8")
    for words in (
        ["use.py"],
        ["-m", "ruff", "check", "handlers.py"],
        ["-m", "ruff", "format", "--check", "handlers.py"],
        ["-m", "mypy", "--strict", "use.py"],
    ):
        done = subprocess.run([sys.executable, *words], cwd=project, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_some_tools_and_another_package(project: Path) -> None:
    (project / "schemas" / "toolgen.yaml").write_text("out: app/tools\n", "utf-8")
    result = toolgen("stub", "get-order", cwd=project)
    assert "from app.tools.tools.get_order import GetOrderArguments, GetOrderResult\n" in result.stdout
    assert result.stdout.count("raise NotImplementedError") == 1


def test_what_is_not_there(project: Path) -> None:
    result = toolgen("stub", "get_ordr", cwd=project)
    assert (result.returncode, result.stdout) == (2, "")
    assert "unknown tool 'get_ordr'\n  hint: did you mean 'get-order'?" in result.stderr
    assert "  hint: known tools: " in toolgen("stub", "xyzzy", cwd=project).stderr
    assert "  hint: known tools: " in toolgen("show", "xyzzy", cwd=project).stderr
    for name in ("a b", "class"):
        assert toolgen("stub", "--class", name, cwd=project).returncode == 2
