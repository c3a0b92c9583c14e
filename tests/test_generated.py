"""The generated package on its own: what it imports, and what checkers say of it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.generated import Package
from tests.support.repository import OWN_CODE, PROFILES

LIGHT = ["", "models", "providers", "tools", *(f"providers.{name}" for name in PROFILES)]


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def python(package: Package, code: str) -> str:
    result = run("-W", "error", "-I", "-c", f"import sys; sys.path.insert(0, '.'); {code}", cwd=package.folder.parent)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.mark.parametrize("module", LIGHT)
def test_importing_is_light_and_silent(sample: Package, module: str) -> None:
    name = f"{sample.name}.{module}".rstrip(".")
    seen = python(sample, f"import {name}; print(*sorted(m for m in sys.modules))").split()
    assert [m for m in seen if m.split(".")[0] in ("pydantic", "pydantic_core", "toolgen", "jinja2", "yaml")] == []


def test_importing_the_package_loads_no_provider_and_no_tool(sample: Package) -> None:
    seen = python(sample, f"import {sample.name}; print(*sorted(m for m in sys.modules))").split()
    assert [m for m in seen if m.startswith(f"{sample.name}.")] == []


def test_every_module_imports_without_a_warning(sample: Package) -> None:
    names = [
        p.removesuffix(".py").replace("/", ".").removesuffix(".__init__") for p in sample.files if p.endswith(".py")
    ]
    code = "".join(f"import {sample.name}.{name}\n" for name in names if name != "__init__")
    (sample.folder.parent / "all_modules.py").write_text(code, "utf-8")
    result = run("-W", "error", "all_modules.py", cwd=sample.folder.parent)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.row("A01")
def test_nothing_but_pydantic_and_the_standard_library_is_imported(sample: Package) -> None:
    found = set()
    for path, text in sample.files.items():
        for node in ast.walk(ast.parse(text)) if path.endswith(".py") else ():
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(str(node.module).split(".")[0])
    assert found - set(sys.stdlib_module_names) <= {"pydantic", "pydantic_core", "typing_extensions"}
    assert "toolgen" not in found


@pytest.mark.row("I04")
def test_the_format_makes_no_json_text(sample: Package) -> None:
    """Values stay as they are: what makes text of them is not reached from the format's module."""
    names = python(sample, f"import {sample.name}.models; print(*sys.modules)").split()
    paths = {m.removeprefix(f"{sample.name}.").replace(".", "/") + ".py" for m in names if f"{sample.name}." in m}
    assert {"models.py", "runtime/format/values.py"} <= paths
    users = [
        path
        for path in paths & set(sample.files)
        for node in ast.walk(ast.parse(sample.files[path]))
        if (isinstance(node, ast.Import) and "json" in [alias.name for alias in node.names])
        or (isinstance(node, ast.ImportFrom) and "json" in str(node.module))
    ]
    assert users == []


@pytest.mark.row("T57")
@pytest.mark.parametrize("provider", OWN_CODE)
def test_converters_reach_nothing_that_runs_tools(sample: Package, provider: str) -> None:
    code = f"import {sample.name}.providers.{provider}, {sample.name}.messages; print(*sys.modules)"
    own = [m.removeprefix(f"{sample.name}.") for m in python(sample, code).split() if m.startswith(f"{sample.name}.")]
    assert f"providers.{provider}" in own
    assert [m for m in own if m.split(".")[0] not in ("models", "messages", "providers", "runtime")] == []
    assert [m for m in own if m.split(".")[-1] in ("loop", "dispatch", "handlers", "sessions")] == []


def test_models_import_no_provider(sample: Package) -> None:
    seen = python(sample, f"import {sample.name}.models; print(*sys.modules)").split()
    assert [m for m in seen if ".providers" in m or ".tools" in m] == []


def test_the_folder_may_be_renamed_and_moved(sample: Package, tmp_path: Path) -> None:
    moved = Package(sample.files, tmp_path / "deep" / "er")
    target = moved.folder.parent / "other_name"
    moved.folder.rename(target)
    code = (
        "import other_name.providers.openai_chat as p, other_name.tools as t; print(len(p.TOOLS), len(t.DEFINITIONS))"
    )
    result = run("-W", "error", "-c", code, cwd=target.parent)
    assert (result.returncode, result.stdout.split()) == (0, ["3", "4"]), result.stderr


def test_all_names_what_a_module_defines(sample: Package) -> None:
    wrong = []
    for path, text in sample.files.items():
        if not path.endswith(".py"):
            continue
        module: Any = sample.module(path.removesuffix(".py").replace("/", ".").removesuffix("__init__").rstrip("."))
        exported = getattr(module, "__all__", [])
        wrong += [f"{path}: {name}" for name in exported if not hasattr(module, name)]
        wrong += [f"{path}: {name} twice" for name in exported if exported.count(name) > 1]
        for node in ast.parse(text).body:
            public = isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")
            if public and path.startswith(("providers/", "tools/")) and exported and node.name not in exported:
                wrong.append(f"{path}: {node.name} is not in __all__")
    assert wrong == []


@pytest.mark.parametrize("provider", PROFILES)
def test_a_provider_says_what_it_exports(sample: Package, provider: str) -> None:
    assert "TOOLS" in getattr(sample.provider(provider), "__all__", [])


def test_files_begin_with_the_mark_and_hold_no_version(sample: Package) -> None:
    texts = {p: t for p, t in sample.files.items() if p.endswith(".py")}
    assert [p for p, t in texts.items() if not t.startswith("# Code generated by toolgen. DO NOT EDIT.\n")] == []
    assert [p for p, t in texts.items() if "\r" in t or not t.endswith("\n") or t.endswith("\n\n")] == []


def test_ruff_has_nothing_to_say(sample: Package) -> None:
    result = run("-m", "ruff", "check", "--isolated", "--no-cache", sample.folder, cwd=sample.folder.parent)
    assert result.returncode == 0, result.stdout


def test_ruff_would_format_nothing(sample: Package) -> None:
    result = run("-m", "ruff", "format", "--check", "--isolated", "--no-cache", sample.folder, cwd=sample.folder.parent)
    assert result.returncode == 0, result.stdout[-2000:]


def guarded(package: Package) -> str:
    """A module of an app that reads a message's fields behind the guards, where checkers must know its type."""
    file = package.folder.parent / f"{package.name}_app.py"
    file.write_text(
        f"from {package.name}.messages import has_tool_calls, is_tool_result\n"
        f"from {package.name}.models import Message, ToolResult\n\n\n"
        "def results(message: Message) -> list[ToolResult]:\n"
        "    return message.results if is_tool_result(message) else []\n\n\n"
        "def role(message: Message) -> str | None:\n"
        "    return message.role if has_tool_calls(message) and message.content else None\n",
        "utf-8",
    )
    return file.name


@pytest.mark.row("I51", "T20")
@pytest.mark.slow
def test_mypy_strict_has_nothing_to_say(sample: Package, tmp_path: Path) -> None:
    command = ("-m", "mypy", "--strict", "--no-incremental", "--config-file=", guarded(sample), sample.name)
    result = run(*command, cwd=sample.folder.parent)
    assert result.returncode == 0, result.stdout[-3000:]


@pytest.mark.row("I51", "T20")
@pytest.mark.slow
def test_pyright_has_nothing_to_say(sample: Package) -> None:
    command = ("-m", "pyright", "--pythonpath", sys.executable, guarded(sample), sample.name)
    result = run(*command, cwd=sample.folder.parent)
    assert result.returncode == 0, result.stdout[-3000:]


@pytest.mark.parametrize("provider", PROFILES)
def test_no_constant_of_a_provider_is_left_unread(package: Package, provider: str) -> None:
    text = package.files[f"providers/{provider}.py"]
    constants = set(re.findall(r"^_[A-Z][A-Z_]*(?=[ :])", text, re.MULTILINE))
    assert constants
    assert {name for name in constants if len(re.findall(rf"\b{name}\b", text)) == 1} == set()
