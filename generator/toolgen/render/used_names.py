"""Imports of a generated module: exactly the names that its text uses, from where they are defined."""

from __future__ import annotations

import builtins
import symtable
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from toolgen.resources import runtime_names

MARK = "# imports\n"
"""The line of a template that the imports replace."""

_LATE = "from __future__ import annotations\n"
"""Taken out before names are collected: with it, annotations are no code."""

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
    "TypeAlias": "typing",
    "get_args": "typing",
}


def with_imports(
    text: str, package: str, models: Iterable[str], others: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Replace the mark by the imports that the text needs.

    `package` is the way from the module to the root of the output, as dots; `models` are the names in
    `models.py`, `others` further names by their modules.

    Raises:
        UnknownNameError: a name is defined neither in the text, nor in the format, nor in the runtime.
    """
    wanted = _globals(symtable.symtable(text.replace(_LATE, "", 1), "<module>", "exec"))
    groups: dict[str, list[str]] = {}
    models = set(models)
    unknown = sorted(wanted - models - others.keys() - STANDARD.keys() - runtime_names().keys() - _BUILTINS)
    if unknown:
        raise UnknownNameError(unknown[0])
    for name in sorted(wanted):
        if name in STANDARD:
            groups.setdefault(STANDARD[name], []).append(name)
        elif name in others:
            groups.setdefault(others[name], []).append(name)
        elif name in models:
            groups.setdefault(f"{package}runtime.models", []).append(name)
        elif name in runtime_names():
            groups.setdefault(f"{package}runtime.{runtime_names()[name]}", []).append(name)
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
