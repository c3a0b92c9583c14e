"""Imports of generated modules: the lines, and the names that each module needs."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from toolgen.plan.names import import_key
from toolgen.render.templates import WIDTH, wrapped_items
from toolgen.resources import modules_by_exported_name

_TYPING_MODULES = {
    "Annotated": "typing",
    "Any": "typing",
    "Literal": "typing",
    "Field": "pydantic",
    "StrictBool": "pydantic",
    "StrictStr": "pydantic",
}
"""The modules outside of the runtime that define names of types, by name."""

_RUNTIME_MODULES = {
    **dict.fromkeys(("Exact", "Integer", "Number"), "field_types"),
    **dict.fromkeys(("StrictDate", "StrictDateTime", "StrictTime", "StrictUuid"), "formats"),
}
"""The modules of the runtime's tools that define names of types, by name."""


class ImportedName(NamedTuple):
    """A name of a module, and the name that it has where it is imported."""

    name: str
    local: str


@dataclass(slots=True)
class Imports:
    """Collects names by module and returns the import lines."""

    names: dict[str, set[ImportedName]] = field(default_factory=dict)

    def add(self, module: str, *names: str) -> None:
        """Import names of a module."""
        self.names.setdefault(module, set()).update(ImportedName(name, name) for name in names)

    def add_as(self, module: str, name: str, local: str) -> None:
        """Import a name of a module under the name `local`, which may be the same."""
        self.names.setdefault(module, set()).add(ImportedName(name, local))

    def add_runtime(self, module: str, *names: str) -> None:
        """Import names of a module of the runtime's tools."""
        self.add(f"{RUNTIME}.tools.{module}", *names)

    def use(self, names: Iterable[str]) -> None:
        """Import the names that a type expression uses, except those of its own module."""
        for name in names:
            if name in _TYPING_MODULES:
                self.add(_TYPING_MODULES[name], name)
            elif name in _RUNTIME_MODULES:
                self.add_runtime(_RUNTIME_MODULES[name], name)

    def lines(self) -> list[list[str]]:
        """Return the import lines in sorted groups: the standard library, other packages, the package itself."""
        groups: list[list[str]] = [[], [], []]
        for module in sorted(self.names, key=lambda m: (-_dots(m), m)):
            if module.startswith("."):
                group = groups[2]
            else:
                group = groups[0] if module == "typing" else groups[1]
            group += [import_statement(module, names) for names in _statements(self.names[module])]
        return [group for group in groups if group]


def _statements(names: set[ImportedName]) -> list[list[str]]:
    """Return what each import statement of a module imports. Import sorters give each name with `as` its own."""
    plain = sorted((imported for imported in names if imported.name == imported.local), key=_by_name)
    statements = [[imported] for imported in names if imported.name != imported.local]
    if plain:
        statements.append(plain)
    return [
        [name if name == local else f"{name} as {local}" for name, local in statement]
        for statement in sorted(statements, key=lambda statement: _by_name(statement[0]))
    ]


def import_statement(module: str, names: Sequence[str]) -> str:
    """Return the statement that imports names of a module, over several lines if it is too long for one."""
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return line
    return "\n    ".join([f"from {module} import (", *wrapped_items(names)]) + "\n)"


def _by_name(imported: ImportedName) -> Any:
    """Return the sort key of a name in an import statement."""
    return import_key(imported.name), imported.local


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
    importer: str,
    models: Iterable[str],
    homes: Mapping[str, str] = MappingProxyType({}),
    names_from: str | None = None,
) -> str:
    """Replace the mark by the imports that a module needs.

    `importer` is the name of the module, `models` are the names that the format's module exports, and `homes` further
    names with their modules. Modules are named as in `import_path`. `names_from` is a shorter text that uses the same
    names.

    Raises:
        UnknownNameError: a name is not defined in the text, the format or the runtime.
    """
    modules = {name: f"{RUNTIME}.{module}" for name, module in modules_by_exported_name().items()}
    modules |= dict.fromkeys(models, f"{RUNTIME}.models")
    modules |= homes
    modules |= STANDARD
    names_by_module: dict[str, list[str]] = {}
    for name in sorted(_globals(names_from or text)):
        if name in modules:
            names_by_module.setdefault(import_path(modules[name], importer), []).append(name)
        elif name not in _BUILTINS:
            raise UnknownNameError(name)
    return text.replace(MARK, _import_sections(names_by_module), 1)


def _import_sections(names_by_module: Mapping[str, Iterable[str]]) -> str:
    """Return the imports of a module in three sections: the standard library, the installed runtime, and its own package."""
    standard = [module for module in names_by_module if module in STANDARD.values()]
    installed = [module for module in names_by_module if module.startswith(f"{RUNTIME}.")]
    relative = [module for module in names_by_module if module.startswith(".")]
    sections = [
        "".join(
            f"{import_statement(module, sorted(names_by_module[module], key=import_key))}\n" for module in sorted(group)
        )
        for group in (standard, installed, relative)
    ]
    return "\n".join(filter(None, sections))


RUNTIME = "toolgen_runtime"
"""The package of the runtime."""


def import_path(module: str, importer: str) -> str:
    """Return how a module is named in the imports of another: relatively if they are in one package.

    The names of modules of a generated package begin with a dot, such as `.providers.anthropic`.
    """
    holder, target = importer.split(".")[:-1], module.split(".")
    if holder[0] != target[0]:
        return module
    common = next((i for i, (a, b) in enumerate(zip(holder, target, strict=False)) if a != b), len(holder))
    return "." * (len(holder) - common + 1) + ".".join(target[common:])


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
