"""Imports of generated modules: the import lines, and the modules of the runtime that a package needs."""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from types import MappingProxyType

from toolgen.incremental import IN_MEMORY
from toolgen.plan.names import natural_key
from toolgen.resolve.references import reachable
from toolgen.resources import modules_by_exported_name

_HOMES = {
    "Annotated": "typing",
    "Any": "typing",
    "Literal": "typing",
    "Field": "pydantic",
    "StrictBool": "pydantic",
    "StrictStr": "pydantic",
}
_MODULES = {
    **dict.fromkeys(("Exact", "Integer", "Number"), "field_types"),
    **dict.fromkeys(("StrictDate", "StrictDateTime", "StrictTime", "StrictUuid"), "formats"),
}
"""The modules of the runtime's tools that define names of types, by name."""


@dataclass(slots=True)
class Imports:
    """Collects names by module and returns the import lines. `runtime` is the package of the runtime's tools."""

    runtime: str
    names: dict[str, set[tuple[str, str]]] = field(default_factory=dict)

    def add(self, module: str, *names: str) -> None:
        """Import names of a module."""
        self.names.setdefault(module, set()).update((name, name) for name in names)

    def add_as(self, module: str, name: str, local: str) -> None:
        """Import a name of a module under the name `local`, which may be the same."""
        self.names.setdefault(module, set()).add((name, local))

    def add_runtime(self, module: str, *names: str) -> None:
        """Import names of a module of the runtime's tools."""
        self.add(f"{self.runtime}.{module}", *names)

    def use(self, names: Iterable[str]) -> None:
        """Import the names that a type expression uses, except those of its own module."""
        for name in names:
            if name in _HOMES:
                self.add(_HOMES[name], name)
            elif name in _MODULES:
                self.add_runtime(_MODULES[name], name)

    def lines(self) -> list[list[str]]:
        """Return the import lines in sorted groups: the standard library, other packages, the package itself."""
        groups: list[list[str]] = [[], [], []]
        for module in sorted(self.names, key=lambda m: (-_dots(m), m)):
            group = 2 if module.startswith(".") else 0 if module == "typing" else 1
            groups[group] += [f"from {module} import {names}" for names in _statements(self.names[module])]
        return [group for group in groups if group]


def _statements(names: set[tuple[str, str]]) -> list[str]:
    """Return what each import statement of a module imports. Import sorters give each name with `as` its own."""
    plain = sorted((pair for pair in names if pair[0] == pair[1]), key=_by_name)
    parts = [[pair] for pair in names if pair[0] != pair[1]] + ([plain] if plain else [])
    return [
        ", ".join(name if name == local else f"{name} as {local}" for name, local in part)
        for part in sorted(parts, key=lambda part: _by_name(part[0]))
    ]


def _by_name(pair: tuple[str, str]) -> tuple[tuple[int, list[tuple[int, str]]], str]:
    return natural_key(pair[0]), pair[1]


def _dots(module: str) -> int:
    return len(module) - len(module.lstrip("."))


MARK = "# imports\n"
"""The line of a template that the imports replace."""

_BUILTINS = frozenset(dir(builtins))


class UnknownNameError(ValueError):
    """A text uses an undefined name: a profile refers to a field, mapping or class that does not exist."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no {name}")
        self.name = name


STANDARD: Mapping[str, str] = {
    "Any": "typing",
    "AsyncIterable": "collections.abc",
    "AsyncIterator": "collections.abc",
    "Callable": "collections.abc",
    "ClassVar": "typing",
    "Collection": "collections.abc",
    "Iterable": "collections.abc",
    "Iterator": "collections.abc",
    "Literal": "typing",
    "Mapping": "collections.abc",
    "Sequence": "collections.abc",
    "TYPE_CHECKING": "typing",
    "TypeAlias": "typing",
    "get_args": "typing",
}


def insert_imports(
    text: str,
    models: Iterable[str],
    others: Mapping[str, str] = MappingProxyType({}),
    names_from: str | None = None,
) -> str:
    """Replace the mark by the imports that a module one folder below the root of the package needs.

    `models` are the names in `models.py`, and `others` further names with their modules. `names_from` is a shorter text
    that uses the same names.

    Raises:
        UnknownNameError: a name is not defined in the text, the format or the runtime.
    """
    wanted = _globals(names_from or text)
    groups: dict[str, list[str]] = {}
    models = set(models)
    unknown = sorted(wanted - models - others.keys() - STANDARD.keys() - modules_by_exported_name().keys() - _BUILTINS)
    if unknown:
        raise UnknownNameError(unknown[0])
    for name in sorted(wanted):
        if name in STANDARD:
            groups.setdefault(STANDARD[name], []).append(name)
        elif name in others:
            groups.setdefault(others[name], []).append(name)
        elif name in models:
            groups.setdefault("..runtime.models", []).append(name)
        elif name in modules_by_exported_name():
            groups.setdefault(f"..runtime.{modules_by_exported_name()[name]}", []).append(name)
    ordered = sorted(groups, key=lambda m: (m.startswith("."), m))
    lines = [f"from {module} import {', '.join(sorted(groups[module], key=natural_key))}\n" for module in ordered]
    standard = [line for line in lines if not line.startswith("from .")]
    own = [line for line in lines if line.startswith("from .")]
    return text.replace(MARK, "".join(standard) + ("\n" if standard and own else "") + "".join(own), 1)


def _globals(text: str) -> set[str]:
    """Return the names that a module reads but does not define.

    The module has the future import of annotations, so a symbol table has no names of annotations. Without it, they
    would be in scopes that differ between versions of Python.
    """
    module = symtable.symtable(text, "<module>", "exec")
    defined = {s.get_name() for s in module.get_symbols() if s.is_assigned() or s.is_imported()}
    read = {s.get_name() for s in module.get_symbols() if s.is_referenced()}

    def walk(scope: symtable.SymbolTable) -> None:
        for inner in scope.get_children():
            read.update(s.get_name() for s in inner.get_symbols() if s.is_global())
            walk(inner)

    walk(module)
    read.update(_annotation_names(text))
    return {name for name in read - defined if not name.startswith("__")}  # such as `__conditional_annotations__`


def _annotation_names(text: str) -> Iterator[str]:
    """Yield the names in the annotations of a module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.arg | ast.AnnAssign):
            annotation = node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            annotation = node.returns
        else:
            continue
        if annotation is not None:
            yield from (name.id for name in ast.walk(annotation) if isinstance(name, ast.Name))


IMPORTED_BY_APPS = ("runtime/loop.py",)
"""Modules that apps import, whatever the package does."""

_IMPORT = re.compile(r"from (\.+)([\w.]*) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
"""Begins with letters, because these are found fast in long modules; the text before a match is checked afterwards."""


def reachable_modules(files: Mapping[str, str]) -> dict[str, str]:
    """Leave out the modules of the runtime, and the wires of other providers, that nothing imports.

    Modules are found by relative imports, because a package imports its own modules in no other way.
    """

    def imported(path: str) -> list[str]:
        if not path.endswith(".py"):
            return []
        candidates = IN_MEMORY.reuse_or_make(partial(_imported, path, files[path]), "imported", path, files[path])
        return [file for file in candidates if file in files]

    starts = [path for path in files if not path.startswith(("runtime/", "wires/"))]
    found = reachable([*starts, *(path for path in IMPORTED_BY_APPS if path in files)], imported)
    return {path: text for path, text in files.items() if path in found}


def _imported(path: str, text: str) -> tuple[str, ...]:
    """Return the files that a module may import, including parent packages; an imported name may not be a file."""
    holder = path.rpartition("/")[0]
    at, files = 0, dict[str, None]()
    while found := _IMPORT.search(text, at):
        at = found.start() + 1
        if not text[text.rfind("\n", 0, found.start()) + 1 : found.start()].strip(" "):
            at = found.end()
            files |= dict.fromkeys(_files_of(holder, *found.groups()))
    return tuple(files)


@cache
def _files_of(holder: str, dots: str, module: str, several: str | None, one: str | None) -> tuple[str, ...]:
    """Return the files that one import of a module in a folder may refer to."""
    folders = holder.split("/") if holder else []
    base = [*folders[: len(folders) + 1 - len(dots)], *filter(None, module.split("."))]
    names = [name.split(" as ")[0].strip() for name in (several or one or "").split(",")]
    paths: dict[str, None] = {}
    for steps in (base, *([*base, name] for name in names)):
        paths |= dict.fromkeys("/".join(steps[:end]) for end in range(1, len(steps) + 1))
    return tuple(file for found in paths for file in (f"{found}/__init__.py", f"{found}.py"))
