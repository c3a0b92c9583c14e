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
from toolgen.resources import runtime_folder

LIGHT = ["", "models", "messages", "providers", "tools", *(f"providers.{name}" for name in PROFILES)]


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


IMPORTING = """
import importlib, os, sys
sys.path.insert(0, ".")
package, *modules = sys.argv[1:]
for module in modules:
    child = os.fork()
    if child == 0:
        importlib.import_module(f"{package}.{module}".rstrip("."))
        print(module, *sorted(sys.modules), sep="\\t", flush=True)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit(f"{module} is not imported")
"""
"""Imports each module in an interpreter that has imported nothing else: a copy of one that has just begun."""


@pytest.fixture(scope="module")
def loaded(sample: Package) -> dict[str, list[str]]:
    """All modules that are loaded once a module of the package is imported, by its name in the package."""
    result = run("-W", "error", "-I", "-c", IMPORTING, sample.name, *LIGHT, cwd=sample.folder.parent)
    assert (result.returncode, result.stderr) == (0, "")
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert [name for name, *_ in rows] == LIGHT
    return {name: names for name, *names in rows}


@pytest.mark.slow
@pytest.mark.parametrize("module", LIGHT)
def test_importing_is_light_and_silent(loaded: dict[str, list[str]], module: str) -> None:
    heavy = ("pydantic", "pydantic_core", "toolgen", "jinja2", "yaml")
    assert [m for m in loaded[module] if m.split(".")[0] in heavy] == []


@pytest.mark.parametrize("provider", PROFILES)
def test_a_provider_imports_what_its_conversions_need(loaded: dict[str, list[str]], provider: str) -> None:
    """What takes long and is seldom needed is imported by the functions that need it."""
    late = ("urllib", "datetime", "base64", "toolgen_runtime.lowering")
    imported = loaded[f"providers.{provider}"]
    assert [name for name in imported for late_one in late if f"{name}.".startswith(f"{late_one}.")] == []
    assert "toolgen_runtime.models" in imported


def test_importing_the_package_loads_no_provider_and_no_tool(sample: Package, loaded: dict[str, list[str]]) -> None:
    assert sample.name in loaded[""]
    assert [m for m in loaded[""] if m.startswith(f"{sample.name}.")] == []


def test_every_module_imports_without_a_warning(sample: Package) -> None:
    names = [
        p.removesuffix(".py").replace("/", ".").removesuffix(".__init__") for p in sample.files if p.endswith(".py")
    ]
    code = "".join(f"import {sample.name}.{name}\n" for name in names if name != "__init__")
    (sample.folder.parent / "all_modules.py").write_text(code, "utf-8")
    result = run("-W", "error", "all_modules.py", cwd=sample.folder.parent)
    assert (result.returncode, result.stderr) == (0, "")


def test_nothing_but_the_runtime_pydantic_and_the_standard_library_is_imported(sample: Package) -> None:
    imported = set()
    for path, text in sample.files.items():
        for node in ast.walk(ast.parse(text)) if path.endswith(".py") else ():
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(str(node.module).split(".")[0])
    assert imported - set(sys.stdlib_module_names) == {"pydantic", "toolgen_runtime"}


def test_the_format_makes_no_json_text(sample: Package, loaded: dict[str, list[str]]) -> None:
    """Values stay as they are: what makes text of them is not reached from the format's module."""
    own = [m for m in loaded["models"] if m.split(".")[0] in (sample.name, "toolgen_runtime")]
    assert {f"{sample.name}.models", "toolgen_runtime.models", "toolgen_runtime.serialization"} <= {*own}
    folders = {sample.name: sample.folder, "toolgen_runtime": runtime_folder()}
    files = [folders[name].joinpath(*inner).with_suffix(".py") for name, *inner in (m.split(".") for m in own) if inner]
    users = [
        path
        for path in files
        if path.is_file()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.Import) and "json" in [alias.name for alias in node.names])
        or (isinstance(node, ast.ImportFrom) and "json" in str(node.module))
    ]
    assert users == []


@pytest.mark.parametrize("provider", OWN_CODE)
def test_converters_reach_nothing_that_runs_tools(sample: Package, loaded: dict[str, list[str]], provider: str) -> None:
    imported = {*loaded[f"providers.{provider}"], *loaded["messages"]}
    own = [m.removeprefix(f"{sample.name}.") for m in imported if m.startswith(f"{sample.name}.")]
    assert f"providers.{provider}" in own
    assert [m for m in own if m.split(".")[0] not in ("models", "messages", "providers")] == []
    assert [m for m in imported if re.match(r"toolgen_runtime\.(running|sessions)\b", m)] == []


def test_models_import_no_provider(loaded: dict[str, list[str]]) -> None:
    assert [m for m in loaded["models"] if ".providers" in m or ".tools" in m] == []


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
    """A module of an app that reads a message's fields after the guards, where checkers must know its type."""
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


@pytest.mark.slow
def test_mypy_strict_has_nothing_to_say(sample: Package, mypy_cache: Path) -> None:
    command = ("-m", "mypy", "--strict", "--cache-dir", mypy_cache, "--config-file=", guarded(sample), sample.name)
    result = run(*command, cwd=sample.folder.parent)
    assert result.returncode == 0, result.stdout[-3000:]


@pytest.mark.slow
def test_pyright_has_nothing_to_say(sample: Package) -> None:
    command = ("-m", "pyright", "--pythonpath", sys.executable, guarded(sample), sample.name)
    result = run(*command, cwd=sample.folder.parent)
    assert result.returncode == 0, result.stdout[-3000:]
