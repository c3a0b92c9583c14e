"""Where a condition stands: the names that are taken, and the functions that it may call."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol


class Functions(Protocol):
    """The functions of a module that conditions call."""

    uses: set[str]

    def judge(self, schema: Any, scope: Scope) -> str:
        """The name of the function that judges values by a schema."""
        ...

    def target(self, ref: str, scope: Scope) -> str:
        """The name of the function that judges values by what a reference leads to."""
        ...

    def seen(self, schema: Any, scope: Scope, kind: str) -> str:
        """The name of the function that collects the properties or items that a schema has looked at."""
        ...


@dataclass(frozen=True, slots=True)
class Scope:
    """A place in a schema: its root, the way to it in names, and how many variables are bound around it."""

    root: Any
    functions: Functions = field(compare=False)
    way: tuple[str, ...]
    bound: int = 0

    def inside(self, *steps: str) -> Scope:
        """The place of a schema inside this one."""
        return replace(self, way=(*self.way, *steps))

    def variable(self, name: str) -> tuple[str, Scope]:
        """A variable that no expression around this one binds, and the scope in which it is bound."""
        number = self.bound + 1
        return name if number == 1 else f"{name}_{number}", replace(self, bound=number)

    def using(self, name: str) -> str:
        """A name of the runtime's, which is imported then."""
        self.functions.uses.add(name)
        return name
