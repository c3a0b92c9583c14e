"""The two source trees, and the order of the compiler's stages, as data; imports keep to it."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.support.repository import PROFILES, ROOT
from toolgen.committed_modules import shipped_catalog
from toolgen.load import folder
from toolgen.render.wires import runtime_wire_module
from toolgen.resolve import Profile
from toolgen.resolve.resolution import DEFAULT_PROVIDERS
from toolgen.resources import GENERATED, exported_by_runtime
from toolgen.write import output_path

PACKAGE = ROOT / "generator" / "toolgen"
RUNTIME = ROOT / "runtime" / "toolgen_runtime"

STAGES = ("load", "parse", "resolve", "rules", "plan", "render", "write")
"""In their order: a stage imports earlier ones and itself."""

BESIDE = {
    "load": {"diagnostics"},
    "parse": {"diagnostics", "document_validation"},
    "resolve": {"diagnostics", "document_validation", "toolgen_runtime"},  # formats are read as the package reads them
    "rules": {"diagnostics", "token_counts"},
    "plan": {"diagnostics", "resources", "toolgen_runtime"},
    "render": {"diagnostics", "__init__", "resources", "toolgen_runtime"},  # the version, which the runtime has too
    "write": {"diagnostics"},
    "diagnostics": {"__init__"},  # the version, for documents
    "resources": {"toolgen_runtime"},  # where it is, and what it exports
    "document_validation": {"diagnostics", "load", "resources"},
    "pipeline": {"diagnostics", "resources", "toolgen_runtime", *STAGES[:-1]},
    "remembered_steps": {"pipeline", "load", "render", "toolgen_runtime"},
    "token_counts": set(),
    "compilation": {"__init__", "diagnostics", "hand_edits", "pipeline", "token_counts", *STAGES},
    "hand_edits": {"breaking", "build_record"},
    "committed_modules": {"diagnostics", "resources", *STAGES[:-1]},
    "build_record": {"__init__"},
    "installed_from": {"__init__"},
    "new_project": {
        "__init__",
        "installed_from",
        "diagnostics",
        "load",
        "resolve",
        "render",
        "write",
        "resources",
        "document_validation",
    },
    "importing": {"diagnostics", "document_validation", "resources", "toolgen_runtime", *STAGES} - {"render"},
    "breaking": {"diagnostics", "pipeline", "remembered_steps", "token_counts", "toolgen_runtime", *STAGES}
    - {"rules", "plan"},
    "cli": {
        "__init__",
        "breaking",
        "diagnostics",
        "document_validation",
        "pipeline",
        "compilation",
        "remembered_steps",
        "build_record",
        "importing",
        "new_project",
        "installed_from",
    }
    | {"resources", "load", "resolve", "render", "write", "toolgen_runtime"},
    "__main__": {"cli"},
    "__init__": set(),
}
"""What a part imports besides itself and, for a stage, the stages before it. `toolgen_runtime` is the other source tree."""

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


def modules(folder: Path = PACKAGE) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def name_of(path: Path) -> str:
    """The path of a module in its source tree."""
    return path.relative_to(tree_of(path)).as_posix()


def tree_of(path: Path) -> Path:
    return RUNTIME if path.is_relative_to(RUNTIME) else PACKAGE


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def imports(path: Path) -> list[tuple[str, int]]:
    """The absolute names that a module imports, relative ones too, with their lines."""
    tree = tree_of(path)
    package, names = [tree.name, *path.relative_to(tree).parts[:-1]], []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names.append((module, node.lineno))
            if module == "toolgen":
                names += [(f"toolgen.{alias.name}", node.lineno) for alias in node.names]
    return names


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
            root, *inner = name.split(".")
            target = root if root == "toolgen_runtime" else next(iter(inner), "__init__")
            allowed_names = {"__version__", "INTERFACE", *allowed(part_of(path))}
            if root in ("toolgen", "toolgen_runtime") and target not in allowed_names:
                wrong.append(f"{name_of(path)}:{line} imports {name}")
    assert wrong == []


def test_what_follows_parse_knows_its_types_and_calls_none_of_it() -> None:
    later = [path for path in modules() if part_of(path) in STAGES[2:5]]
    assert {part_of(path) for path in later} == {"resolve", "rules", "plan"}
    names = [
        (name_of(path), alias.name)
        for path in later
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("toolgen.parse")
        for alias in node.names
    ]
    assert [(path, name) for path, name in names if not name[0].isupper()] == []


def test_between_load_and_write_nothing_sees_the_machine() -> None:
    between = [path for path in modules() if part_of(path) in STAGES[1:-1]]
    assert {part_of(path) for path in between} == {"parse", "resolve", "rules", "plan", "render"}
    impure = [(name_of(path), name) for path in between for name, _ in imports(path) if name.split(".")[0] in IMPURE]
    assert impure == []


def test_the_code_generator_is_behind_one_module() -> None:
    users = {
        name_of(p) for p in modules() for name, _ in imports(p) if name.split(".")[0] == "datamodel_code_generator"
    }
    assert users == {GENERATOR}


def test_nothing_but_the_command_line_prints() -> None:
    calls = {
        name_of(p)
        for p in modules()
        for node in ast.walk(ast.parse(p.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "input", "open")
    }
    assert {c for c in calls if not c.startswith("cli/")} == {"build_record.py"}  # which opens its record


DEFAULTS = {"resolve/resolution.py": {*DEFAULT_PROVIDERS, "mcp"}}
"""The only names of providers in code: those of a project that names none, and of a framework that needs the provider."""

NAMES_WIRES = "importing/formats/"
"""A foreign format's file says which wires its tools keep their own names and members for."""


def test_the_generator_knows_no_provider() -> None:
    """What is said of one is in its profile, its template and the functions of the runtime that it picks."""
    named = {
        (name_of(path), node.value)
        for path in modules()
        if not name_of(path).startswith(NAMES_WIRES)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in PROFILES
    }
    assert {(path, name) for path, name in named if name not in DEFAULTS.get(path, set())} == set()


def test_the_runtime_knows_the_standard_library_and_pydantic_and_itself_relatively() -> None:
    """So it works wherever it is: installed, or copied into a package."""
    runtime, wrong = modules(RUNTIME), []
    assert len(runtime) > 130
    for path in runtime:
        allowed_names = {*sys.stdlib_module_names, "pydantic", "pydantic_core"}
        if path.parent.name == "frameworks":
            allowed_names.add({"langchain": "langchain_core", "openai_agents": "agents"}.get(path.stem, path.stem))
        for name, line in imports(path):
            parts = name.split(".")
            if parts[:2] == ["toolgen_runtime", "frameworks"] and path.parent.name != "frameworks":
                wrong.append(f"{name_of(path)}:{line} imports {name}, which needs more than pydantic")
            if parts[0] not in allowed_names | {"toolgen_runtime"}:
                wrong.append(f"{name_of(path)}:{line} imports {name}")
        wrong += [f"{name_of(path)} names its own package" for name in absolute_imports(path) if "toolgen" in name]
    assert wrong == []


def absolute_imports(path: Path) -> list[str]:
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    named = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return [*named, *(str(node.module) for node in nodes if isinstance(node, ast.ImportFrom) and not node.level)]


def files_imported_by(path: Path) -> set[Path]:
    """The modules of the runtime that one imports, wherever in it, for type checkers too; not the packages that they are in."""
    files = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module.split(".") if node.module else []))
            names = [module(folder / alias.name) for alias in node.names]
            files |= {path for path in names if path} or {path for path in (module(folder),) if path}
    return files


def module(place: Path) -> Path | None:
    """The file of a module or a package; None where there is none."""
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)


def cycles(imported: dict[Path, set[Path]]) -> set[Path]:
    """What is left once every module that imports nothing of the rest is taken out: cycles, and what imports them."""
    remaining = set(imported)
    while leaves := {path for path in remaining if not imported[path] & remaining}:
        remaining -= leaves
    return remaining


def test_no_modules_of_the_runtime_import_each_other() -> None:
    imported = {path: files_imported_by(path) for path in modules(RUNTIME)}
    assert sum(map(len, imported.values())) > 500
    assert RUNTIME / "models.py" in imported[RUNTIME / "conversion/wire.py"], "under TYPE_CHECKING"
    assert {name_of(path) for path in cycles(imported)} == set()


def test_a_cycle_is_found() -> None:
    a, b, c, d = (Path(name) for name in "abcd")
    assert cycles({a: {b}, b: {c}, c: {b}, d: set()}) == {a, b, c}
    assert cycles({a: {b, c}, b: {c}, c: {d}, d: set()}) == set()


def test_two_modules_of_the_runtime_know_how_schemas_are_lowered() -> None:
    """A package that lowers nothing when it runs needs none of it but for them."""
    lowering = RUNTIME / "lowering"
    users = {
        name_of(path)
        for path in modules(RUNTIME)
        if lowering not in path.parents and any(lowering in target.parents for target in files_imported_by(path))
    }
    assert users == {"conversion/lowered_arguments.py", "conversion/wire.py"}


def test_what_all_providers_share_knows_none_of_them() -> None:
    apis = RUNTIME / "apis"
    shared = [path for path in modules(RUNTIME) if apis not in path.parents]
    users = [path for path in shared if any(apis in target.parents for target in files_imported_by(path))]
    assert [name_of(path) for path in users] == []


@cache
def shipped_profiles() -> dict[str, Profile]:
    return {profile.name: profile for profile in shipped_catalog().profiles}


@cache
def wire_module(provider: str) -> Path:
    """The file of the class of a shipped profile."""
    return RUNTIME.parent.joinpath(*runtime_wire_module(shipped_profiles()[provider]).split(".")).with_suffix(".py")


@pytest.mark.parametrize("provider", PROFILES)
def test_everything_of_a_provider_stands_in_one_folder(provider: str) -> None:
    """That of its API: its class and its converter are there, and the class imports no other API's code."""
    profile, file = shipped_profiles()[provider], wire_module(provider)
    folder = RUNTIME / "apis" / file.relative_to(RUNTIME).parts[1]
    assert file == folder / "wire.py" or file == folder / "hosts" / f"{provider}.py"
    assert (folder / "hosts" in file.parents) == (folder.name != provider)
    assert exported_by_runtime(str(profile.facts["converter"])).__module__.startswith(
        f"toolgen_runtime.apis.{folder.name}."
    )
    of_apis = {target for target in files_imported_by(file) if RUNTIME / "apis" in target.parents}
    assert [target for target in of_apis if folder not in target.parents and target.parent != RUNTIME / "apis"] == []


def test_generated_modules_of_the_runtime_are_the_classes_of_profiles_and_the_format() -> None:
    generated = {path for path in modules(RUNTIME) if path.read_text("utf-8").startswith(GENERATED)}
    hosts = set((RUNTIME / "apis").glob("*/hosts/__init__.py"))
    assert generated == {RUNTIME / "models.py", RUNTIME / "shipped_providers.py", *map(wire_module, PROFILES), *hosts}


def test_every_folder_of_the_runtime_is_a_package() -> None:
    assert [path for path in modules(RUNTIME) if not (path.parent / "__init__.py").is_file()] == []


def test_no_constant_of_a_class_is_left_unread() -> None:
    texts = [path.read_text("utf-8") for path in modules(RUNTIME)]
    read = {name for text in texts for name in re.findall(r"\b(?:self|cls|converter)\.([A-Z][A-Z_]*)\b", text)}
    for provider in PROFILES:
        constants = re.findall(r"^    ([A-Z][A-Z_]*)(?=[ :])", wire_module(provider).read_text("utf-8"), re.MULTILINE)
        assert constants != []
        assert set(constants) - read == set(), provider


def test_sessions_of_an_api_run_no_tools_themselves() -> None:
    """A client that runs the model's loop is an adapter too: there is one loop and one dispatcher, and they know no API."""
    apis, running = RUNTIME / "apis", RUNTIME / "running"
    of_apis = {target for path in apis.rglob("*.py") for target in files_imported_by(path)}
    of_running = {target for path in running.rglob("*.py") for target in files_imported_by(path)}
    assert apis / "copilot/session.py" in set(apis.rglob("*.py"))
    assert {name_of(path) for path in of_apis if running in path.parents} == set()
    assert {name_of(path) for path in of_running if apis in path.parents} == set()


def test_writing_protects_the_folders_that_are_read() -> None:
    assert output_path.READ_FOLDERS == folder.READ_FOLDERS
