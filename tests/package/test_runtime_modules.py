"""A copied runtime is the runtime as it is, without the folders of APIs and the modules of frameworks that nothing imports."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.support.generated import Package, compiled, write_project
from tests.support.repository import PROFILES
from toolgen.render.copied_runtime import with_copied_runtime
from toolgen.resources import GENERATED, runtime_folder

RUNTIME = {
    path.relative_to(runtime_folder()).as_posix(): path.read_text("utf-8") for path in runtime_folder().rglob("*.py")
}


def dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("__init__").rstrip("/").replace("/", ".")


@functools.cache
def imports(path: str, text: str) -> frozenset[str]:
    """What a module imports by relative imports: modules, or names in them, from the root of the package."""
    holder = path.split("/")[:-1]
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*holder[: len(holder) + 1 - node.level], *(node.module.split(".") if node.module else [])]
            names |= {".".join(base), *(".".join([*base, alias.name]) for alias in node.names)}
    return frozenset(names)


def missing(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Modules that a module of the package imports names of, and that it does not have."""
    present = {dotted(path) for path in files if path.endswith(".py")}
    for path, text in files.items():
        for name in imports(path, text) if path.endswith(".py") else ():
            if name and name not in present and name.rpartition(".")[0] not in present:
                yield path, name


def part(path: str) -> str:
    """The API or framework of a module below `apis` and `frameworks`; an empty string for any other."""
    names = path.removesuffix(".py").split("/")
    return ".".join(names[:2]) if names[0] in ("apis", "frameworks") and names[1] != "__init__" else ""


PARTS = {part(path) for path in RUNTIME} - {""}


def copied_runtime(files: Mapping[str, str]) -> dict[str, str]:
    return {path.removeprefix("runtime/"): text for path, text in files.items() if path.startswith("runtime/")}


def assert_is_the_runtime(files: Mapping[str, str]) -> set[str]:
    """The copy has the text of the runtime, with a header, and all of it but some parts. Return the parts that it has."""
    runtime = copied_runtime(files)
    for path, text in runtime.items():
        assert text.startswith(GENERATED), path
        assert text.endswith(RUNTIME[path]) or path == "__init__.py", path
    assert "version" not in runtime["__init__.py"], "a new version alone changes no package"
    assert [path for path in RUNTIME.keys() - runtime.keys() if not part(path)] == ["version.py"]
    parts = {part(path) for path in runtime} - {""}
    assert {path for path in RUNTIME if part(path) in parts} == {path for path in runtime if part(path)}, (
        "whole folders"
    )
    return parts


@pytest.mark.parametrize("provider", PROFILES)
def test_a_package_of_one_provider_has_what_it_imports_and_no_other_api(
    copied: Package, tmp_path: Path, provider: str
) -> None:
    files = compiled(write_project(tmp_path, runtime="copied"), [provider])
    assert files[f"providers/{provider}.py"] == copied.files[f"providers/{provider}.py"], "whatever else is built"
    assert list(missing(files)) == []
    parts = assert_is_the_runtime(files)
    imported = {name for path, text in files.items() if path.endswith(".py") for name in imports(path, text)}
    assert {each for each in PARTS if any(f"{name}.".startswith(f"runtime.{each}.") for name in imported)} == parts
    assert 1 <= len(parts) <= 4


def test_a_package_of_all_providers_has_every_api_and_no_framework(copied: Package) -> None:
    assert list(missing(copied.files)) == []
    assert assert_is_the_runtime(copied.files) == {each for each in PARTS if each.startswith("apis.")}


def test_a_framework_is_copied_where_it_is_asked_for(tmp_path: Path) -> None:
    files = compiled(write_project(tmp_path, runtime="copied", frameworks=["langchain"]))
    parts = assert_is_the_runtime(files)
    assert {each for each in parts if each.startswith("frameworks.")} == {"frameworks.langchain", "frameworks.calls"}


@pytest.mark.parametrize(
    "parts", [["tools"], ["converters"], ["tools", "running"], ["tools", "sessions", "converters"]]
)
def test_parts_that_are_left_out_leave_no_import_open(tmp_path: Path, parts: list[str]) -> None:
    files = compiled(write_project(tmp_path, runtime="copied", parts=parts))
    assert list(missing(files)) == []
    assert any(each.startswith("apis.") for each in assert_is_the_runtime(files)) == ("converters" in parts)


ALONE = """
import importlib, sys
sys.path.insert(0, ".")
sys.modules.update(toolgen=None, toolgen_runtime=None)
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def test_a_copy_needs_neither_the_compiler_nor_the_installed_runtime(copied: Package) -> None:
    texts = {path: text for path, text in copied.files.items() if path.endswith(".py")}
    assert [path for path, text in texts.items() if "import toolgen" in text or "from toolgen" in text] == []
    names = [f"{copied.name}.{dotted(path)}".rstrip(".") for path in texts]
    done = subprocess.run(
        [sys.executable, "-I", "-W", "error", "-c", ALONE, *names],
        cwd=copied.folder.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_imports_of_the_runtime_become_relative_wherever_they_stand() -> None:
    files = {
        "models.py": "from toolgen_runtime.models import dump, load\n\n__all__ = ['dump', 'load']\n",
        "providers/a.py": (
            "from typing import Any\n\nfrom toolgen_runtime import errors\n\nfrom ._a_wire import A\n\n\n"
            "def f() -> Any:\n    from toolgen_runtime.apis.mcp import fields\n\n    return A, errors, fields\n"
        ),
        "PORTABILITY.md": "from toolgen_runtime import x\n",
    }
    copied = with_copied_runtime(files)
    assert copied["models.py"].startswith("from .runtime.models import dump, load\n")
    assert copied["providers/a.py"] == (
        "from typing import Any\n\nfrom ..runtime import errors\n\nfrom ._a_wire import A\n\n\n"
        "def f() -> Any:\n    from ..runtime.apis.mcp import fields\n\n    return A, errors, fields\n"
    )
    assert copied["PORTABILITY.md"] == files["PORTABILITY.md"]
    assert {part(path) for path in copied_runtime(copied)} - {""} >= {"apis.mcp"}
