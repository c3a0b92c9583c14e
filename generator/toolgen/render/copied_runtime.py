"""A package with a copy of the runtime (`runtime: copied`): its folder `runtime`, and imports that lead there.

The copy is the runtime as it is, without its version, and without the folders of APIs and the modules of frameworks that
nothing of the package imports. Modules of the runtime import each other relatively, so they work wherever they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from toolgen.render.imports import RUNTIME
from toolgen.render.templates import UNFORMATTED_HEADER
from toolgen.resolve.references import reachable
from toolgen.resources import GENERATED, runtime_folder

OPTIONAL = ("apis", "frameworks")
"""The folders of the runtime whose members are copied only if something imports them."""

MODELS = "models.py"
"""The module of the format's classes."""


VERSION = "version.py"
"""The module with the version and the interface of an installed runtime. A copy needs neither, and a new version alone
changes no file of a package.
"""

_PACKAGE = '"""The code that no declaration changes."""\n'
"""The module of the copied package, which has no version to export."""


def with_copied_runtime(files: Mapping[str, str], models: str | None = None) -> dict[str, str]:
    """Return a package with the runtime in its folder `runtime`, which its modules import instead of the installed one.

    `models` is the module of the format's classes if the project has a format of its own. The classes of the shipped
    profiles, which were made for the shipped format, are left out then.
    """
    shipped = {path: text for path, text in runtime_files().items() if path != VERSION} | {"__init__.py": _PACKAGE}
    if models is not None:
        for_shipped_format = {path for path in shipped if path.startswith("apis/") and _is_generated(shipped[path])}
        shipped = {path: text for path, text in shipped.items() if path not in for_shipped_format} | {MODELS: models}
    copied = {path: text if _is_generated(text) else UNFORMATTED_HEADER + text for path, text in shipped.items()}
    needed = _needed_parts(files)
    runtime = {f"runtime/{path}": text for path, text in copied.items() if _part(path) is None or _part(path) in needed}
    own = {path: _with_relative_imports(path, text) if path.endswith(".py") else text for path, text in files.items()}
    return own | runtime


@cache
def runtime_files() -> Mapping[str, str]:
    """Return the text of each module of the installed runtime, by path."""
    root = runtime_folder()
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.py"))}


def _is_generated(text: str) -> bool:
    return text.startswith(GENERATED)


def _part(path: str) -> str | None:
    """Return the optional part that a module belongs to: a folder or module in `OPTIONAL`. None for any other module."""
    names = path.removesuffix(".py").split("/")
    return "/".join(names[:2]) if names[0] in OPTIONAL and names[1] != "__init__" else None


def _needed_parts(files: Mapping[str, str]) -> set[str]:
    """Return the optional parts of the runtime that a package imports, directly or through other parts."""
    modules: dict[str, list[str]] = {}
    for path in runtime_files():
        if (part := _part(path)) is not None:
            modules.setdefault(part, []).append(path)

    def parts_imported_by(part: str) -> set[str]:
        paths = modules.get(part, ())
        return {imported for path in paths for imported in _imported_parts(f"{RUNTIME}/{path}", runtime_files()[path])}

    starts = {part for path, text in files.items() if path.endswith(".py") for part in _imported_parts(path, text)}
    return set(reachable(sorted(starts), lambda part: sorted(parts_imported_by(part))))


def _imported_parts(path: str, text: str) -> Iterable[str]:
    """Return the optional parts of the runtime that a module imports."""
    parts = (_part(f"{name.removeprefix(f'{RUNTIME}.').replace('.', '/')}.py") for _, name in _imports(path, text))
    return dict.fromkeys(part for part in parts if part is not None)


def _imports(path: str, text: str) -> Iterator[tuple[ast.ImportFrom, str]]:
    """Yield the imports of names from modules of the runtime, each with the absolute name of the module."""
    holder = path.split("/")[:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            base = holder[: len(holder) + 1 - node.level] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            if name.split(".")[0] == RUNTIME:
                yield node, name


def _with_relative_imports(path: str, text: str) -> str:
    """Return a module of the package with its imports of the installed runtime replaced by imports of the copy."""
    lines = text.splitlines(keepends=True)
    dots = "." * (path.count("/") + 1)
    for node, _ in _imports(path, text):
        line = lines[node.lineno - 1]
        indentation, statement = line[: node.col_offset], line[node.col_offset :]
        lines[node.lineno - 1] = indentation + statement.replace(f"from {RUNTIME}", f"from {dots}runtime", 1)
    return "".join(lines)
