"""The order of the stages, as data; imports keep to it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.repository import PROFILES, ROOT
from toolgen.resolve.linking import PROVIDERS

PACKAGE = ROOT / "generator" / "toolgen"

STAGES = ("load", "parse", "resolve", "rules", "plan", "render", "write")
"""In their order: a stage imports earlier ones and itself."""

BESIDE = {
    "load": {"diagnostics"},
    "parse": {"diagnostics", "resources"},
    "resolve": {"diagnostics", "resources", "config"},
    "rules": {"diagnostics"},
    "plan": set(),
    "render": {"resources", "diagnostics"},
    "write": {"diagnostics"},
    "diagnostics": set(),
    "resources": set(),
    "config": {"diagnostics", "load", "parse"},
    "pipeline": {"diagnostics", "config", "resources", *STAGES[:-1]},
    "compiling": {"__init__", "diagnostics", "config", "resources", "pipeline", *STAGES},
    "linting": {"diagnostics", "pipeline", "compiling", "rules", "render"},
    "active_rules": {"diagnostics", "parse", "pipeline", "resolve", "runtime"},
    "remembered": {"__init__"},
    "importing": {"diagnostics", "config", "resources", "runtime", *STAGES} - {"render"},
    "cli": {"__init__", "diagnostics", "parse", "pipeline", "compiling", "linting", "active_rules", "importing"}
    | {"remembered", "write"},
    "__main__": {"cli"},
    "__init__": set(),
}
"""What a part imports besides itself and, for a stage, the stages before it."""

WRITE_STANDS_ALONE = {"diagnostics"}
"""The last stage takes texts by path: it knows nothing of the stages before it."""

IMPURE = {
    "os",
    "time",
    "locale",
    "socket",
    "subprocess",
    "datetime",
    "random",
    "tempfile",
    "shutil",
    "platform",
    "uuid",
}

GENERATORS = {"render/model_code.py": "the models of tools", "render/format_code.py": "the types of the format"}
"""The only modules that import datamodel_code_generator."""


def modules(folder: Path = PACKAGE) -> list[Path]:
    return sorted(p for p in folder.rglob("*.py") if "runtime" not in p.relative_to(PACKAGE).parts)


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """The absolute names that a module imports, relative ones too, with their lines."""
    package = ["toolgen", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module, node.lineno
            if module == "toolgen":
                yield from ((f"toolgen.{alias.name}", node.lineno) for alias in node.names)


def allowed(part: str) -> set[str]:
    if part == "write":
        return {part} | WRITE_STANDS_ALONE
    earlier = set(STAGES[: STAGES.index(part)]) if part in STAGES else set()
    return {part} | earlier | BESIDE[part]


def test_every_part_has_its_place() -> None:
    assert {part_of(p) for p in modules()} == set(BESIDE)


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_imports_keep_to_the_order_of_the_stages(path: Path) -> None:
    part, wrong = part_of(path), []
    for name, line in imports(path):
        target = name.split(".")[1:2] or ["__init__"]
        if name.split(".")[0] == "toolgen" and target[0] != "__version__" and target[0] not in allowed(part):
            wrong.append(f"line {line}: {part} imports {name}")
    assert wrong == []


@pytest.mark.parametrize("path", [p for p in modules() if part_of(p) in STAGES[1:-1]], ids=name_of)
def test_between_load_and_write_nothing_sees_the_machine(path: Path) -> None:
    assert [name for name, _ in imports(path) if name.split(".")[0] in IMPURE] == []


def test_the_code_generator_is_behind_two_modules() -> None:
    users = {
        name_of(p) for p in modules() for name, _ in imports(p) if name.split(".")[0] == "datamodel_code_generator"
    }
    assert users == set(GENERATORS)


def test_nothing_but_the_command_line_prints() -> None:
    calls = {
        name_of(p)
        for p in modules()
        for node in ast.walk(ast.parse(p.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "input", "open")
    }
    assert {c for c in calls if not c.startswith("cli/")} == {"remembered.py"}  # which opens its record


DEFAULTS = {"resolve/linking.py": set(PROVIDERS)}
"""The only names of providers in code: those that a declaration may speak of, whether a release has them or not."""

NAMES_WIRES = "importing/formats/"
"""A foreign format's file says which wires its tools keep their own names and members for."""


@pytest.mark.row("U05")
@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_the_generator_knows_no_provider(path: Path) -> None:
    """What is said of one is in its profile, its template and the functions of the runtime that it picks."""
    constants = {n.value for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Constant)}
    named = {value for value in constants if isinstance(value, str) and value in PROFILES}
    assert named <= DEFAULTS.get(name_of(path), set()) or name_of(path).startswith(NAMES_WIRES)


RUNS_TOOLS = {"runtime/loop.py"}
"""The modules of the runtime that also know the declared tools, for they run them."""


@pytest.mark.row("A01")
@pytest.mark.parametrize("path", sorted((PACKAGE / "runtime").rglob("*.py")), ids=name_of)
def test_the_runtime_knows_the_standard_library_pydantic_and_the_format(path: Path) -> None:
    wrong = []
    for name, line in imports(path):
        parts = name.split(".")
        own = parts[:2] == ["toolgen", "runtime"] or parts[:2] == ["toolgen", "models"]
        own = own or (parts[:2] == ["toolgen", "tools"] and name_of(path) in RUNS_TOOLS)
        if not own and parts[0] not in {*sys.stdlib_module_names, "pydantic", "pydantic_core"}:
            wrong.append(f"line {line}: {name}")
    assert wrong == []
