"""Python as data: methods, whose bodies are trees of statements, and the few expressions that several of them need.

Text of a source becomes an expression through `render/literals.py` alone; all else is a name that the plan made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from toolgen.render.literals import python_string


@dataclass(frozen=True, slots=True)
class Block:
    """Statements below a line that ends in a colon; `head` is that line without it."""

    head: str
    body: tuple[Statement, ...]


Statement = str | Block
"""A statement on one line, however long, for the formatter breaks it; an empty one is a blank line."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method as it is printed; `parameters` are those after `self`, with their types."""

    name: str
    parameters: tuple[str, ...]
    returns: str
    doc: str
    body: tuple[Statement, ...]

    @property
    def lines(self) -> list[str]:
        """The body line by line, each indented as far as it stands inside of blocks."""
        return list(_lines(self.body, ""))


def _lines(body: Iterable[Statement], indent: str) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, Block):
            yield f"{indent}{statement.head}:"
            yield from _lines(statement.body, indent + "    ")
        else:
            yield indent + statement


def block(head: str, *body: Statement) -> Block:
    """Return a block of statements below a line."""
    return Block(head, body)


def call(function: str, *arguments: str) -> str:
    """Return a call expression."""
    return f"{function}({', '.join(arguments)})"


def call_by_line(function: str, *arguments: str) -> str:
    """A call that the formatter prints with one argument a line, for the comma after the last one."""
    return f"{function}({''.join(f'{argument}, ' for argument in arguments)})"


def object_literal(entries: Iterable[tuple[str, str]]) -> str:
    """A dict of keys and expressions, one a line."""
    return "{" + "".join(f"{python_string(key)}: {value}, " for key, value in entries) + "}"


def get(holder: str, key: str, *default: str) -> str:
    """The value of a key that may not be there."""
    return call(f"{holder}.get", python_string(key), *default)


def item(holder: str, key: str) -> str:
    """The value of a key that is there, or the place where it is put."""
    return f"{holder}[{python_string(key)}]"


def path_expression(*keys: str) -> str:
    """The place to which keys lead from where the method's object is, for reports."""
    found = "at"
    for key in keys:
        found = f"({found}, {python_string(key)})"
    return found


def nested_extras_expression(*keys: str) -> str:
    """What was kept of the object to which keys lead."""
    found = "extras"
    for key in keys:
        found = call("inner_extras", found, python_string(key))
    return found
