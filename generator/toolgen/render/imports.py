"""The imports of a generated module: each is asked for where its name is printed, so none is unused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_HOMES = {
    "Annotated": "typing",
    "Any": "typing",
    "Literal": "typing",
    "Field": "pydantic",
    "StrictBool": "pydantic",
    "StrictStr": "pydantic",
}
_FIELDS = frozenset({"Exact", "Integer", "Number"})


def natural(name: str) -> tuple[int, list[tuple[int, str]]]:
    """What names are sorted by where linters look at the order: constants, classes, others; numbers by their value."""
    parts = re.split(r"(\d+)", name)
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, [(int(part), "") if i % 2 else (0, part) for i, part in enumerate(parts)]


@dataclass(slots=True)
class Imports:
    """Collects names by module and prints the import lines."""

    names: dict[str, set[tuple[str, str]]] = field(default_factory=dict)

    def add(self, module: str, name: str, local: str | None = None) -> None:
        """Import a name, under another one where `local` says so."""
        self.names.setdefault(module, set()).add((name, local or name))

    def use(self, names: Iterable[str], fields_module: str) -> None:
        """Import what a type expression uses, as far as it is not of the module itself."""
        for name in names:
            if name in _HOMES:
                self.add(_HOMES[name], name)
            elif name in _FIELDS:
                self.add(fields_module, name)

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
    return natural(pair[0]), pair[1]


def _dots(module: str) -> int:
    return len(module) - len(module.lstrip("."))
