"""Imports of generated modules: the lines that name them, and which modules of the runtime a package needs for them."""

from __future__ import annotations

import builtins
import re
import symtable
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from types import MappingProxyType

from toolgen.incremental import reuse_or_make
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
    **dict.fromkeys(("Exact", "Integer", "Number"), "fields"),
    **dict.fromkeys(("StrictDate", "StrictDateTime", "StrictTime", "StrictUuid"), "formats"),
}
"""The modules of the runtime's tools that have a name of a type."""


@lru_cache(maxsize=8192)
def natural_key(name: str) -> tuple[int, list[tuple[int, str]]]:
    """What names are sorted by where linters look at the order: constants, classes, others; numbers by their value."""
    parts = re.split(r"(\d+)", name)
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, [(int(part), "") if i % 2 else (0, part) for i, part in enumerate(parts)]


@dataclass(slots=True)
class Imports:
    """Collects names by module and returns the import lines."""

    names: dict[str, set[tuple[str, str]]] = field(default_factory=dict)

    def add(self, module: str, name: str, local: str | None = None) -> None:
        """Import a name, under another one where `local` says so."""
        self.names.setdefault(module, set()).add((name, local or name))

    def use(self, names: Iterable[str], runtime: str) -> None:
        """Import what a type expression uses, as far as it is not of the module itself."""
        for name in names:
            if name in _HOMES:
                self.add(_HOMES[name], name)
            elif name in _MODULES:
                self.add(f"{runtime}.{_MODULES[name]}", name)

    def lines(self) -> list[list[str]]:
        """The import lines: the standard library, other packages, the package itself; each group sorted."""
        groups: list[list[str]] = [[], [], []]
        for module in sorted(self.names, key=lambda m: (-_dots(m), m)):
            names = ", ".join(
                name if name == local else f"{name} as {local}"
                for name, local in sorted(self.names[module], key=_by_name)
            )
            group = 2 if module.startswith(".") else 0 if module == "typing" else 1
            groups[group].append(f"from {module} import {names}")
        return [group for group in groups if group]


def _by_name(pair: tuple[str, str]) -> tuple[tuple[int, list[tuple[int, str]]], str]:
    return natural_key(pair[0]), pair[1]


def _dots(module: str) -> int:
    return len(module) - len(module.lstrip("."))


MARK = "# imports\n"
"""The line of a template that the imports replace."""

_FUTURE = "from __future__ import annotations\n"
"""Taken out before names are collected: with it, annotations are not code."""

_BUILTINS = frozenset(dir(builtins))


class UnknownNameError(ValueError):
    """A text uses a name that nothing defines: a profile names a field, a block or a class that is not there."""

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


def resolve_imports(
    text: str,
    package: str,
    models: Iterable[str],
    others: Mapping[str, str] = MappingProxyType({}),
    names_from: str | None = None,
) -> str:
    """Replace the mark by the imports that the text needs.

    `package` is the way from the module to the root of the output, as dots; `models` are the names in
    `models.py`, `others` further names by their modules. `names_from` is a shorter text with the same names.

    Raises:
        UnknownNameError: a name is defined neither in the text, nor in the format, nor in the runtime.
    """
    wanted = _globals(symtable.symtable((names_from or text).replace(_FUTURE, "", 1), "<module>", "exec"))
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
            groups.setdefault(f"{package}runtime.models", []).append(name)
        elif name in modules_by_exported_name():
            groups.setdefault(f"{package}runtime.{modules_by_exported_name()[name]}", []).append(name)
    ordered = sorted(groups, key=lambda m: (m.startswith("."), m))
    lines = [f"from {module} import {', '.join(sorted(groups[module], key=_order))}\n" for module in ordered]
    standard = [line for line in lines if not line.startswith("from .")]
    own = [line for line in lines if line.startswith("from .")]
    return text.replace(MARK, "".join(standard) + ("\n" if standard and own else "") + "".join(own), 1)


def _order(name: str) -> tuple[bool, bool, str, str]:
    """Constants, then classes, then functions, as import sorters have it."""
    return not name.isupper(), not name[:1].isupper(), name.lower(), name


def _globals(module: symtable.SymbolTable) -> set[str]:
    """Names that the module's code reads and does not define."""
    defined = {s.get_name() for s in module.get_symbols() if s.is_assigned() or s.is_imported()}
    read = {s.get_name() for s in module.get_symbols() if s.is_referenced()}

    def walk(scope: symtable.SymbolTable) -> None:
        for inner in scope.get_children():
            read.update(s.get_name() for s in inner.get_symbols() if s.is_global())
            walk(inner)

    walk(module)
    return read - defined


IMPORTED_BY_APPS = ("runtime/loop.py",)
"""Modules that apps import, whatever the package does."""

_IMPORT = re.compile(r"from (\.+)([\w.]*) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
"""Begins with letters, which are found fast in long modules; what stands in front of them is looked at afterwards."""


def reachable_modules(files: Mapping[str, str]) -> dict[str, str]:
    """Leave out the modules of the runtime, and the wires of other providers, that nothing imports.

    Modules are found by their relative imports, which are all that generated modules and the runtime have of their own.
    """
    found: set[str] = set()
    waiting = [path for path in files if not path.startswith(("runtime/", "wires/"))]
    waiting += [path for path in IMPORTED_BY_APPS if path in files]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        if path.endswith(".py"):
            ways = reuse_or_make(partial(_imported, path, files[path]), "imported", path, files[path])
            waiting += [way for way in ways if way in files and way not in found]
    return {path: text for path, text in files.items() if path in found}


def _imported(path: str, text: str) -> tuple[str, ...]:
    """The files that a module may import, packages on the way to them among them: a name may be one of something else."""
    holder = path.rpartition("/")[0]
    at, files = 0, dict[str, None]()
    while found := _IMPORT.search(text, at):
        at = found.start() + 1
        if not text[text.rfind("\n", 0, found.start()) + 1 : found.start()].strip(" "):
            at = found.end()
            files |= dict.fromkeys(_files_of(holder, *found.groups()))
    return tuple(files)


@cache
def _files_of(holder: str, dots: str, way: str, several: str | None, one: str | None) -> tuple[str, ...]:
    """Return the files that one import of a module in a folder may refer to."""
    folders = holder.split("/") if holder else []
    base = [*folders[: len(folders) + 1 - len(dots)], *filter(None, way.split("."))]
    names = [name.split(" as ")[0].strip() for name in (several or one or "").split(",")]
    ways: dict[str, None] = {}
    for steps in (base, *([*base, name] for name in names)):
        ways |= dict.fromkeys("/".join(steps[:end]) for end in range(1, len(steps) + 1))
    return tuple(file for found in ways for file in (f"{found}/__init__.py", f"{found}.py"))
