"""Python as data: methods whose bodies are trees of statements, and the few expressions that several of them need.

Text of a source becomes an expression only through `render/literals.py`; everything else is a name from the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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


def object_literal(entries: Iterable[tuple[str, str]]) -> str:
    """Return a dict literal of keys and expressions."""
    return "{" + ", ".join(f"{python_string(key)}: {value}" for key, value in entries) + "}"


def get(holder: str, key: str, *default: str) -> str:
    """Return the value of a key that may be missing."""
    return call(f"{holder}.get", python_string(key), *default)


def item(holder: str, key: str) -> str:
    """Return the expression for an existing key of an object, as a value or as the target of an assignment."""
    return f"{holder}[{python_string(key)}]"


def path_expression(*keys: str) -> str:
    """Return the path to which keys lead from the object of the method, for reports."""
    found = "at"
    for key in keys:
        found = f"({found}, {python_string(key)})"
    return found


OPTIONAL_READERS: Mapping[str, tuple[str, ...]] = {
    "a string": ("optional_text",),
    "a number": ("optional_number",),
    "an integer": ("optional_value", "int"),
    "a boolean": ("optional_value", "bool"),
    "an object": ("optional_value", "dict"),
    "an array": ("optional_value", "list"),
}
"""By the expected type: the function that reads a value or null, and its last argument."""


def optional_value(expected: str, holder: str, key_path: Sequence[str]) -> str:
    """Return the value of a key that may be missing or null, if it has the expected type."""
    function, *kind = OPTIONAL_READERS[expected]
    return call(function, holder, python_string(key_path[-1]), path_expression(*key_path[:-1]), *kind)


def nested_extras_expression(*keys: str) -> str:
    """Return the extras of the inner object to which keys lead."""
    found = "extras"
    for key in keys:
        found = call("inner_extras", found, python_string(key))
    return found
