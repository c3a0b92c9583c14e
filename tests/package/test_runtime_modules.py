"""A package gets the modules of the runtime that its providers need: none is missing, and none is there for nothing."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.support.generated import Package, compiled, write_project
from tests.support.repository import PROFILES
from toolgen.render.imports import IMPORTED_BY_APPS, reachable_modules
from toolgen.resources import runtime_folder


def dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("__init__").rstrip("/").replace("/", ".")


@functools.cache
def imports(path: str, text: str) -> frozenset[str]:
    """What a module imports by relative imports: modules, or names in them, from the root of the package."""
    holder = path.split("/")[:-1]
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*holder[: len(holder) + 1 - node.level], *(node.module.split(".") if node.module else [])]
            found |= {".".join(base), *(".".join([*base, alias.name]) for alias in node.names)}
    return frozenset(found)


def missing(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Modules that a module of the package takes names of, and that are not there."""
    there = {dotted(path) for path in files if path.endswith(".py")}
    for path, text in files.items():
        for name in imports(path, text) if path.endswith(".py") else ():
            if name and name not in there and name.rpartition(".")[0] not in there:
                yield path, name


@pytest.mark.parametrize("provider", PROFILES)
def test_a_package_of_one_provider_has_what_it_imports_and_no_more(
    sample: Package, tmp_path: Path, provider: str
) -> None:
    files = compiled(write_project(tmp_path), [provider])
    assert files[f"providers/{provider}.py"] == sample.files[f"providers/{provider}.py"], "whatever else is built"
    assert list(missing(files)) == []
    used = {name for path, text in files.items() if path.endswith(".py") for name in imports(path, text)}
    late = {dotted(path) for path in files if path.startswith("runtime/running/")}
    modules = {dotted(path) for path in files if path.startswith("runtime/") and not path.endswith("__init__.py")}
    assert modules - used - late == {dotted(path) for path in IMPORTED_BY_APPS}


def test_a_provider_leaves_out_what_only_others_need(tmp_path: Path) -> None:
    files = compiled(write_project(tmp_path), ["anthropic"])
    assert "runtime/apis/anthropic/stream.py" in files
    assert "runtime/apis/openai_chat/stream.py" not in files
    assert (
        len([path for path in files if path.startswith("runtime/")]) < len(list(runtime_folder().rglob("*.py"))) / 1.5
    )


def test_modules_are_followed_through_the_runtime() -> None:
    files = {
        "tools/__init__.py": "def f() -> None:\n    from ..runtime.late import one, two as other\n",
        "providers/a.py": "from ..runtime.first import (\n    One,\n    two as other,\n)\nfrom ..runtime import third\n",
        "runtime/__init__.py": "",
        "runtime/first.py": "def f() -> None:\n    from .inner.deep import g\n",
        "runtime/inner/__init__.py": "",
        "runtime/inner/deep.py": "from ...models import h\n",
        "runtime/inner/beside.py": "",
        "runtime/third.py": "",
        "runtime/fourth.py": "from .first import One\n",
        "runtime/late/__init__.py": "",
        "runtime/late/one.py": "",
        "runtime/late/two.py": "",
        "runtime/loop.py": "",
        "models.py": "",
    }
    assert files.keys() - reachable_modules(files).keys() == {"runtime/inner/beside.py", "runtime/fourth.py"}
