"""Imports of a generated module: exactly the names that its text uses, from where they are defined."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from toolgen.resources import runtime_folder

MARK = "# imports\n"
"""The line of a template that the imports replace."""

_LATE = "from __future__ import annotations\n"
"""Taken out before names are collected: with it, annotations are no code."""

_BUILTINS = frozenset(dir(builtins))


class UnknownNameError(ValueError):
    """A text uses a name that nothing defines: a profile names a codec, a block or a class that is not there."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no {name}")
        self.name = name


STANDARD: Mapping[str, str] = {
    "Any": "typing",
    "AsyncIterable": "collections.abc",
    "AsyncIterator": "collections.abc",
    "Callable": "collections.abc",
    "Iterable": "collections.abc",
    "Iterator": "collections.abc",
    "Literal": "typing",
    "Mapping": "collections.abc",
    "Sequence": "collections.abc",
    "TypeAlias": "typing",
}


@cache
def runtime_names() -> Mapping[str, str]:
    """Module below `runtime` by the names that it exports; a codec, and a module that is used as one, is a name of its package."""
    found: dict[str, str] = {}
    root = runtime_folder()
    for path in sorted(root.rglob("*.py")):
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        if module.startswith("codecs."):
            found[module.removeprefix("codecs.")] = "codecs"
            continue
        for name in exported(path):
            if name in found:
                raise ValueError(f"runtime.{found[name]} and runtime.{module} both export {name}")
            found[name] = module
    return found | {"choices": "offering", "results": "tool_results"}


def exported(path: Path) -> tuple[str, ...]:
    """The names in a module's `__all__`."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return tuple(ast.literal_eval(node.value))
    return ()


def with_imports(text: str, package: str, models: Iterable[str]) -> str:
    """Replace the mark by the imports that the text needs.

    `package` is the way from the module to the root of the output, as dots; `models` are the names in `models.py`.

    Raises:
        UnknownNameError: a name is defined neither in the text, nor in the format, nor in the runtime.
    """
    wanted = _globals(symtable.symtable(text.replace(_LATE, "", 1), "<module>", "exec"))
    groups: dict[str, list[str]] = {}
    models = set(models)
    unknown = sorted(wanted - models - STANDARD.keys() - runtime_names().keys() - _BUILTINS)
    if unknown:
        raise UnknownNameError(unknown[0])
    for name in sorted(wanted):
        if name in STANDARD:
            groups.setdefault(STANDARD[name], []).append(name)
        elif name in models:
            groups.setdefault(f"{package}models", []).append(name)
        elif name in runtime_names():
            groups.setdefault(f"{package}runtime.{runtime_names()[name]}", []).append(name)
    ordered = sorted(groups, key=lambda m: (m.startswith("."), m))
    lines = [f"from {module} import {', '.join(sorted(groups[module], key=_order))}\n" for module in ordered]
    standard = [line for line in lines if not line.startswith("from .")]
    own = [line for line in lines if line.startswith("from .")]
    return text.replace(MARK, "".join(standard) + ("\n" if standard and own else "") + "".join(own), 1)


def _order(name: str) -> tuple[bool, bool, str]:
    """Constants, then classes, then functions, as import sorters have it."""
    return not name.isupper(), not name[:1].isupper(), name


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
