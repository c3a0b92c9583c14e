"""What the project is made of: its folders, and the packages that it stands on."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.support.repository import ROOT

USERS = {
    "datamodel-code-generator": ("datamodel_code_generator", "generator"),
    "jinja2": ("jinja2", "generator"),
    "jsonschema": ("jsonschema", "generator"),
    "pydantic": ("pydantic", "generated"),
    "toolgen-runtime": ("toolgen_runtime", "generator"),
    "click": ("click", "generator"),
    "pyyaml": ("yaml", "generator"),
    "pytest": ("pytest", "tests"),
    "syrupy": ("syrupy", "tests"),
}
"""A package, the module that it brings, and the folder that imports it."""


@cache
def imported(folder: Path) -> set[str]:
    """The packages that the modules of a folder import."""
    names: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(str(node.module).split(".")[0])
    return names


@pytest.mark.parametrize("package", USERS)
def test_a_package_is_required_and_used(package: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    required = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    assert package in {re.split(r"[\[<>=!~ ;]", requirement)[0] for requirement in required}
    module, folder = USERS[package]
    assert module in imported(ROOT / folder)


def test_the_folders_are_there() -> None:
    names = {path.name for path in ROOT.iterdir()}
    assert {"pyproject.toml", "schemas", "templates", "generator", "runtime", "generated", "tests", "Makefile"} <= names


def test_the_runtime_stands_on_pydantic_alone() -> None:
    project = tomllib.loads((ROOT / "runtime" / "pyproject.toml").read_text("utf-8"))["project"]
    assert [re.split(r"[<>=!~ ;]", requirement)[0] for requirement in project["dependencies"]] == ["pydantic"]
