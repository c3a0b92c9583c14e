"""Python as data: methods whose bodies are trees of statements, and the few expressions that several of them need.

Text of a source becomes an expression only through `render/literals.py`; everything else is a name from the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from toolgen.render.literals import python_string


@dataclass(frozen=True, slots=True)
class Block:
    """Statements below a line that ends in a colon; `head` is that line without the colon."""

    head: str
    body: tuple[Statement, ...]


Statement = str | Block
"""A statement on one line of any length (the formatter breaks it), or an empty string for a blank line."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method to print; `parameters` are those after `self`, with their types."""

    name: str
    parameters: tuple[str, ...]
    returns: str
    doc: str
    body: tuple[Statement, ...]

    @property
    def body_lines(self) -> list[str]:
        """Return the lines of the body, indented by their blocks."""
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
    """Return a call that the formatter prints with one argument per line, because of its trailing comma."""
    return f"{function}({''.join(f'{argument}, ' for argument in arguments)})"


def get(holder: str, key: str, *default: str) -> str:
    """Return the value of a key that may be missing."""
    return call(f"{holder}.get", python_string(key), *default)
