"""The order of the stages, as data; imports keep to it."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.support.repository import PROFILES, ROOT
from toolgen.load import folder
from toolgen.resolve.resolution import DEFAULT_PROVIDERS
from toolgen.write import output_path

PACKAGE = ROOT / "generator" / "toolgen"

COMMON = {"diagnostics", "incremental"}
"""What every stage but the last may use: findings, and the results that a build keeps for the next one."""

STAGES = ("load", "parse", "resolve", "rules", "plan", "render", "write")
"""In their order: a stage imports earlier ones and itself."""

BESIDE = {
    "load": COMMON,
    "parse": COMMON | {"document_validation"},
    "resolve": COMMON | {"document_validation", "runtime"},  # formats are read as the package reads them
    "rules": COMMON | {"token_counts"},
    "plan": COMMON | {"resources", "runtime"},
    "render": COMMON | {"resources", "runtime"},
    "write": {"diagnostics"},
    "diagnostics": {"__init__"},  # the version, for documents
    "resources": set(),
    "document_validation": {"diagnostics", "load", "resources"},
    "pipeline": {"diagnostics", "resources", *STAGES[:-1]},
    "incremental": {"build_cache", "diagnostics"},
    "token_counts": set(),
    "compilation": {"__init__", "diagnostics", "pipeline", "token_counts", *STAGES},
    "committed_modules": {"diagnostics", "resources", *STAGES[:-1]},
    "build_cache": {"__init__"},
    "new_project": {"__init__", "diagnostics", "load", "resolve", "render", "resources", "document_validation"},
    "importing": {"diagnostics", "document_validation", "resources", "runtime", *STAGES} - {"render"},
    "breaking": {"diagnostics", "load", "parse", "resolve", "render", "write", "pipeline", "token_counts"},
    "cli": {
        "__init__",
        "breaking",
        "diagnostics",
        "document_validation",
        "pipeline",
        "compilation",
        "incremental",
        "build_cache",
        "importing",
        "new_project",
    }
    | {"resources", "load", "resolve", "render", "write", "runtime"},
    "__main__": {"cli"},
    "__init__": {"runtime"},  # its version, which is that of the tool
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

GENERATOR = "render/model_code.py"
"""The only module that imports datamodel_code_generator."""


COPIED = ("runtime", "wires")
"""What a build copies into its output."""


def modules(folder: Path = PACKAGE) -> list[Path]:
    return sorted(p for p in folder.rglob("*.py") if p.relative_to(PACKAGE).parts[0] not in COPIED)


def retain_definition(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def imports(path: Path) -> list[tuple[str, int]]:
    """The absolute names that a module imports, relative ones too, with their lines."""
    package, found = ["toolgen", *path.relative_to(PACKAGE).parts[:-1]], []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found.append((module, node.lineno))
            if module == "toolgen":
                found += [(f"toolgen.{alias.name}", node.lineno) for alias in node.names]
    return found


def allowed(part: str) -> set[str]:
    if part == "write":
        return {part} | WRITE_STANDS_ALONE
    earlier = set(STAGES[: STAGES.index(part)]) if part in STAGES else set()
    return {part} | earlier | BESIDE[part]


def test_every_part_has_its_place() -> None:
    assert {part_of(p) for p in modules()} == set(BESIDE)


def test_imports_keep_to_the_order_of_the_stages() -> None:
    wrong = []
    for path in modules():
        for name, line in imports(path):
            target = name.split(".")[1:2] or ["__init__"]
            if name.split(".")[0] == "toolgen" and target[0] not in {"__version__", *allowed(part_of(path))}:
                wrong.append(f"{retain_definition(path)}:{line} imports {name}")
    assert wrong == []


def test_what_follows_parse_knows_its_types_and_calls_none_of_it() -> None:
    later = [path for path in modules() if part_of(path) in STAGES[2:5]]
    assert {part_of(path) for path in later} == {"resolve", "rules", "plan"}
    names = [
        (retain_definition(path), alias.name)
        for path in later
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("toolgen.parse")
        for alias in node.names
    ]
    assert [(path, name) for path, name in names if not name[0].isupper()] == []


def test_between_load_and_write_nothing_sees_the_machine() -> None:
    between = [path for path in modules() if part_of(path) in STAGES[1:-1]]
    assert {part_of(path) for path in between} == {"parse", "resolve", "rules", "plan", "render"}
    seen = [
        (retain_definition(path), name) for path in between for name, _ in imports(path) if name.split(".")[0] in IMPURE
    ]
    assert seen == []


def test_the_code_generator_is_behind_one_module() -> None:
    users = {
        retain_definition(p)
        for p in modules()
        for name, _ in imports(p)
        if name.split(".")[0] == "datamodel_code_generator"
    }
    assert users == {GENERATOR}


def test_nothing_but_the_command_line_prints() -> None:
    calls = {
        retain_definition(p)
        for p in modules()
        for node in ast.walk(ast.parse(p.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "input", "open")
    }
    assert {c for c in calls if not c.startswith("cli/")} == {"build_cache.py"}  # which opens its record


DEFAULTS = {"resolve/resolution.py": {*DEFAULT_PROVIDERS, "mcp"}}
"""The only names of providers in code: those of a project that names none, and of a framework that needs the provider."""

NAMES_WIRES = "importing/formats/"
"""A foreign format's file says which wires its tools keep their own names and members for."""


@pytest.mark.row("U05")
def test_the_generator_knows_no_provider() -> None:
    """What is said of one is in its profile, its template and the functions of the runtime that it picks."""
    named = {
        (retain_definition(path), node.value)
        for path in modules()
        if not retain_definition(path).startswith(NAMES_WIRES)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in PROFILES
    }
    assert {(path, name) for path, name in named if name not in DEFAULTS.get(path, set())} == set()


@pytest.mark.row("A01")
def test_the_runtime_knows_the_standard_library_pydantic_and_the_format() -> None:
    runtime, wrong = sorted((PACKAGE / "runtime").rglob("*.py")), []
    assert len(runtime) > 100
    for path in runtime:
        for name, line in imports(path):
            parts = name.split(".")
            own = parts[:2] == ["toolgen", "runtime"]
            known = {*sys.stdlib_module_names, "pydantic", "pydantic_core"}
            if path.parent.name == "frameworks":
                known.add({"langchain": "langchain_core", "openai_agents": "agents"}.get(path.stem, path.stem))
            elif parts[:3] == ["toolgen", "runtime", "frameworks"]:
                wrong.append(f"{retain_definition(path)}:{line} imports {name}, which needs more than pydantic")
            if not own and parts[0] not in known:
                wrong.append(f"{retain_definition(path)}:{line} imports {name}")
    assert wrong == []


def files_imported_by(path: Path) -> set[Path]:
    """The modules of the runtime that one imports, wherever in it, for type checkers too; not the packages that they are in."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module.split(".") if node.module else []))
            names = [module(folder / alias.name) for alias in node.names]
            found |= {one for one in names if one} or {one for one in (module(folder),) if one}
    return found


def module(place: Path) -> Path | None:
    """The file of a module or a package; None where there is none."""
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)


def cycles(imported: dict[Path, set[Path]]) -> set[Path]:
    """What is left once every module that imports nothing of the rest is taken out: cycles, and what imports them."""
    left = set(imported)
    while leaves := {path for path in left if not imported[path] & left}:
        left -= leaves
    return left


def test_no_modules_of_the_runtime_import_each_other() -> None:
    runtime = sorted((PACKAGE / "runtime").rglob("*.py"))
    imported = {path: files_imported_by(path) for path in runtime}
    assert sum(map(len, imported.values())) > 500
    assert PACKAGE / "runtime/models.py" in imported[PACKAGE / "runtime/conversion/wire.py"], "under TYPE_CHECKING"
    assert {retain_definition(path) for path in cycles(imported)} == set()


def test_a_cycle_is_found() -> None:
    a, b, c, d = (Path(name) for name in "abcd")
    assert cycles({a: {b}, b: {c}, c: {b}, d: set()}) == {a, b, c}
    assert cycles({a: {b, c}, b: {c}, c: {d}, d: set()}) == set()


def test_two_modules_of_the_runtime_know_how_schemas_are_lowered() -> None:
    """A package that lowers nothing when it runs needs none of it but for them."""
    lowering = PACKAGE / "runtime" / "lowering"
    users = {
        retain_definition(path)
        for path in (PACKAGE / "runtime").rglob("*.py")
        if lowering not in path.parents and any(lowering in other.parents for other in files_imported_by(path))
    }
    assert users == {"runtime/conversion/lowered_arguments.py", "runtime/conversion/wire.py"}


@pytest.mark.row("A01")
def test_what_all_providers_share_knows_none_of_them() -> None:
    runtime, special = PACKAGE / "runtime", {PACKAGE / "runtime" / "apis", PACKAGE / "wires"}
    shared = [path for path in runtime.rglob("*.py") if special.isdisjoint(path.parents)]
    users = [p for p in shared if any(not special.isdisjoint(other.parents) for other in files_imported_by(p))]
    assert [retain_definition(path) for path in users] == []


def test_sessions_of_an_api_run_no_tools_themselves() -> None:
    """A client that runs the model's loop is an adapter too: there is one loop and one dispatcher, and they know no API."""
    runtime = PACKAGE / "runtime"
    apis, running = runtime / "apis", runtime / "running"
    of_apis = {other for path in apis.rglob("*.py") for other in files_imported_by(path)}
    of_running = {other for path in running.rglob("*.py") for other in files_imported_by(path)}
    assert apis / "copilot/session.py" in set(apis.rglob("*.py"))
    assert {retain_definition(path) for path in of_apis if running in path.parents} == set()
    assert {retain_definition(path) for path in of_running if apis in path.parents} == set()


def test_writing_protects_the_folders_that_are_read() -> None:
    assert output_path.READ_FOLDERS == folder.READ_FOLDERS
