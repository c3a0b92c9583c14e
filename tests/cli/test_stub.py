"""`toolgen stub` as users have it."""

from __future__ import annotations

import json
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


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("out", "files", "package"),
    [
        ("generated", (), "generated"),
        ("app/generated", (), "app.generated"),
        ("app/generated", ("app/__init__.py",), "app.generated"),
        ("src/my_app/tools", ("src/my_app/__init__.py",), "my_app.tools"),
        ("src/my_app/tools", (), "my_app.tools"),
        ("src/my_app/tools", ("src/__init__.py", "src/my_app/__init__.py"), "src.my_app.tools"),
        ("backend/app/tools", ("backend/pyproject.toml",), "app.tools"),
        ("backend/app/tools", ("backend/app/__init__.py",), "app.tools"),
        ("back-end/app/tools", (), "app.tools"),
        ("app/tools", ("__init__.py", "app/__init__.py"), "{project}.app.tools"),
    ],
)
def test_imports_are_those_of_the_app(project: Path, out: str, files: tuple[str, ...], package: str) -> None:
    """Also before the package is built, and from another folder."""
    for file in files:
        (project / file).parent.mkdir(parents=True, exist_ok=True)
        (project / file).write_text("")
    (project / "schemas" / "toolgen.yaml").write_text(f"out: {out}\nproviders: [mcp]\n", "utf-8")
    schemas, package, folder = project / "schemas", package.format(project=project.name), project / "pages"
    printed = toolgen("stub", "bare", "--schemas", schemas).stdout
    assert f"from {package}.tools.bare import" in printed
    assert toolgen("docs", schemas, "--out", folder, "--only", "json").returncode == 0
    tools = {tool["name"]: tool for tool in json.loads((folder / "catalogue.json").read_text("utf-8"))["tools"]}
    assert tools["bare"]["handler"].startswith(
        f"from {package}.tools.bare import BareArguments, BareResult\n\ndef bare("
    )


def test_a_handler_in_a_source_layout_imports_the_package(project: Path) -> None:
    (project / "schemas" / "toolgen.yaml").write_text("out: src/my_app/tools\nproviders: [mcp]\n", "utf-8")
    assert toolgen("build", cwd=project).returncode == 0
    (project / "src/my_app/__init__.py").write_text("")
    (project / "src/my_app/handlers.py").write_text(toolgen("stub", cwd=project).stdout, "utf-8")
    command = [sys.executable, "-c", "import my_app.handlers"]
    done = subprocess.run(command, cwd=project / "src", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_is_not_there(project: Path) -> None:
    result = toolgen("stub", "get_ordr", cwd=project)
    assert (result.returncode, result.stdout) == (2, "")
    assert "unknown tool 'get_ordr'\n  hint: did you mean 'get-order'?" in result.stderr
    assert "  hint: known tools: " in toolgen("stub", "xyzzy", cwd=project).stderr
    assert "  hint: known tools: " in toolgen("show", "xyzzy", cwd=project).stderr
    for name in ("a b", "class"):
        assert toolgen("stub", "--class", name, cwd=project).returncode == 2
