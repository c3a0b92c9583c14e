"""Conditions: boolean Python expressions with as few parentheses as possible, and the scope of such an expression."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from toolgen.render.checks.functions import CheckFunctionCollector


class Precedence(IntEnum):
    """How strongly the outermost operator of an expression binds."""

    OR = 0
    AND = 1
    NOT = 2
    COMPARED = 3
    ATOM = 4


@dataclass(frozen=True, slots=True)
class Condition:
    """A boolean expression as text, and its opposite if that is more than the expression after `not`."""

    text: str
    precedence: Precedence = Precedence.ATOM
    opposite: Condition | None = field(default=None, compare=False)

    def as_operand(self, precedence: Precedence) -> str:
        """Return the text as an operand of an operator that binds this strongly."""
        return self.text if self.precedence >= precedence else f"({self.text})"


TRUE = Condition("True")
FALSE = Condition("False")


_OPPOSITES = {"in": "not in", "not in": "in", "is": "is not", "is not": "is", "==": "!=", "!=": "=="}
_ORDER = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def comparison(left: str, operator: str, right: str) -> Condition:
    """Return a comparison."""
    opposite = _OPPOSITES.get(operator)
    inverse = None if opposite is None else Condition(f"{left} {opposite} {right}", Precedence.COMPARED)
    return Condition(f"{left} {operator} {right}", Precedence.COMPARED, inverse)


def invertible_comparison(left: str, operator: str, right: str) -> Condition:
    """Return a comparison of lengths, which can be negated by the inverse operator."""
    inverse = Condition(f"{left} {_ORDER[operator]} {right}", Precedence.COMPARED)
    return Condition(f"{left} {operator} {right}", Precedence.COMPARED, inverse)


def empty_condition(values: str) -> Condition:
    """Return the condition that a collection is empty. Arithmetic needs no parentheses."""
    return Condition(f"not {values}", Precedence.NOT, Condition(f"bool({values})"))


def conjunction(parts: Iterable[Condition]) -> Condition:
    """Return the condition that all of the conditions hold; duplicates appear once."""
    distinct = [part for part in dict.fromkeys(parts) if part != TRUE]
    if FALSE in distinct:
        return FALSE
    if len(distinct) < 2:
        return distinct[0] if distinct else TRUE
    return Condition(" and ".join(part.as_operand(Precedence.AND) for part in distinct), Precedence.AND)


def disjunction(parts: Iterable[Condition]) -> Condition:
    """Return the condition that at least one of the conditions holds; duplicates appear once."""
    distinct = [part for part in dict.fromkeys(parts) if part != FALSE]
    if TRUE in distinct:
        return TRUE
    if len(distinct) < 2:
        return distinct[0] if distinct else FALSE
    return Condition(" or ".join(part.as_operand(Precedence.OR) for part in distinct), Precedence.OR)


def negation(part: Condition) -> Condition:
    """Return the opposite of a condition."""
    if part in (TRUE, FALSE):
        return FALSE if part == TRUE else TRUE
    if part.opposite is not None:
        return replace(part.opposite, opposite=part)
    return Condition(f"not {part.as_operand(Precedence.COMPARED)}", Precedence.NOT, part)


@dataclass(frozen=True, slots=True)
class Scope:
    """A location in a schema: its root, the names that lead to it, and the number of variables bound around it.

    `functions` are those of the module, which conditions call.
    """

    root: Any
    functions: CheckFunctionCollector = field(compare=False)
    names: tuple[str, ...]
    bound: int = 0

    def inner(self, *steps: str) -> Scope:
        """Return the scope of a schema inside this one."""
        return replace(self, names=(*self.names, *steps))

    def condition(self, schema: Any, value: str) -> Condition:
        """Return the condition that a value satisfies the schema at this location."""
        return self.functions.condition(schema, value, self)

    def bind(self, name: str) -> Binding:
        """Bind a variable of this name, with a number if an enclosing expression binds one already."""
        number = self.bound + 1
        return Binding(name if number == 1 else f"{name}_{number}", replace(self, bound=number))

    def use_runtime_name(self, name: str) -> str:
        """Return a name of the runtime, and record that it must be imported."""
        self.functions.uses.add(name)
        return name


class Binding(NamedTuple):
    """A variable that an expression binds, and the scope in which it is bound."""

    variable: str
    scope: Scope
