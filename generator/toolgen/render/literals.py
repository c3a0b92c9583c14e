"""The only code that turns text and data from a source into Python.

All content of a declaration, profile or format reaches generated code through `python_literal`, `docstring` or a name
made by `toolgen.plan.names`; templates print nothing else. The formatter breaks long lines afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from jinja2 import Undefined


def python_string(text: str) -> str:
    """Return a Python string literal of `text`, in double quotes, printable and UTF-8 safe.

    Control, format, private-use, unassigned and surrogate characters, separators other than the space, and invisible
    letters and marks are escaped, so that none is printed raw (Trojan Source, CVE-2021-42574).
    """
    if text.isprintable() and (text.isascii() or UNSEEN.isdisjoint(text)):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    body = "".join(_ESCAPES.get(c) or (c if is_visible(c) else _escaped(c)) for c in text)
    return f'"{body}"'


UNSEEN = frozenset(
    chr(code)
    for first, last in (
        (0x034F, 0x034F),  # joins graphemes
        (0x115F, 0x1160),  # fillers
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x2800, 0x2800),  # the blank of Braille
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),  # variants of the character before, which can spell bytes
        (0xFFA0, 0xFFA0),
        (0xE0100, 0xE01EF),
    )
    for code in range(first, last + 1)
)
"""Invisible letters and marks: Unicode's default ignorable ones that are not format characters, and a blank."""

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def is_visible(char: str) -> bool:
    """Return whether a character is visible."""
    return char.isprintable() and char not in UNSEEN


def _escaped(char: str) -> str:
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def python_literal(value: Any) -> str:
    """Return a Python expression of JSON data: None, bool, int, float, str, list and dict with string keys.

    Members that are literals already stay as they are.

    Raises:
        TypeError: the value has another type, or is a number that is not finite; sources contain neither.
        UndefinedError: the template uses a missing fact.
    """
    if value is None or value is True or value is False:
        return repr(value)
    kind = type(value)
    if kind is str:
        return python_string(value)
    if kind is int or (kind is float and math.isfinite(value)):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(python_literal, value))}]"
    if kind is PythonLiteral:
        return str(value)
    if isinstance(value, Undefined):
        str(value)  # raises its UndefinedError
    if isinstance(value, Mapping) and all(type(k) is str for k in value):
        return "{" + ", ".join(f"{python_string(k)}: {python_literal(v)}" for k, v in value.items()) + "}"
    raise TypeError(f"no literal for {kind.__name__}")


_NAMED = frozenset(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])
"""Keywords whose value has a schema for each name. Two names never share a line."""

_SHORT = 100
"""Maximum length of a nested value on one line, in characters."""


def laid_out_literal(value: Any, indent: int = 0) -> str:
    """Return the literal of JSON data, such as tools, over several lines, so that a person can review a change of it.

    A value without nested objects takes one line, however long, so that a changed word is a changed line. So does a short
    value without named properties. Of any other value, each member has its own line. The text is for a place that is
    indented by `indent` spaces, and is not to be formatted again.
    """
    if type(value) is not PythonLiteral and isinstance(value, Mapping | list | tuple) and value and not _is_line(value):
        return _over_lines(value, indent)
    return python_literal(value)


def laid_out_payload(payload: Any) -> str:
    """Return the literal of the value of a wire's `tools` as `laid_out_literal` does, with a line or more for each tool.

    Then version control merges the tools of two branches, also where there were few before.
    """
    return _over_lines(payload, 0) if isinstance(payload, list) and payload else python_literal(payload)


def _over_lines(value: Any, indent: int) -> str:
    """Return a literal with one member on each line."""
    margin = "\n" + " " * (indent + 4)
    if isinstance(value, Mapping):
        members = [
            f"{python_string(key)}: "
            + (_over_lines(item, indent + 4) if _has_names(key, item) else laid_out_literal(item, indent + 4))
            for key, item in value.items()
        ]
        opening, closing = "{", "}"
    else:
        members = [laid_out_literal(item, indent + 4) for item in value]
        opening, closing = "[", "]"
    return f"{opening}{margin}{f',{margin}'.join(members)},\n{' ' * indent}{closing}"


def _has_names(key: str, value: Any) -> bool:
    """Return whether a value has schemas by name, and not only names of constants."""
    return (
        key in _NAMED and isinstance(value, Mapping) and any(type(each) is not PythonLiteral for each in value.values())
    )


def _is_line(value: Any) -> bool:
    """Return whether a value takes one line: it has no nested objects, or is short and has no named properties."""
    members = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, Mapping) and not any(map(_contains_object, members)):
        return not any(_has_names(key, item) for key, item in value.items())
    return not _contains_names(value) and len(python_literal(value)) <= _SHORT


def _contains_object(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_contains_object, value))
    return isinstance(value, Mapping) and bool(value)


def _contains_names(value: Any) -> bool:
    """Return whether a value contains a schema with named properties, or a list of tools."""
    if isinstance(value, Mapping):
        return any(_has_names(key, item) or _contains_names(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return any(isinstance(item, Mapping) and "name" in item or _contains_names(item) for item in value)
    return False


class PythonLiteral(str):
    """The literal of a JSON value that is already rendered."""

    __slots__ = ()


def docstring(text: str, indent: int = 0) -> str:
    """Return a docstring of `text` for a body indented by `indent` spaces; it evaluates to the cleaned text.

    The ends of lines are stripped, and blank lines at both ends are dropped, as `inspect.cleandoc` does. The result is
    one literal even if the text has characters that must be escaped.
    """
    pad = " " * indent
    lines = [line.rstrip() for line in text.expandtabs().splitlines()]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        return '""""""'
    safe = [_in_triple_quotes(line) for line in lines]
    if len(safe) == 1:
        return f'"""{_before_quotes(lines[0])}"""'
    body = "\n".join((pad + line if line and i else line) for i, line in enumerate(safe))
    return f'"""{body}\n{pad}"""'


def _before_quotes(line: str) -> str:
    """Return the only line of a docstring. After a quote there is a space, as every version of ruff prints it."""
    without_quotes = line.rstrip('"')
    quotes = len(line) - len(without_quotes)
    return _in_triple_quotes(without_quotes) + '\\"' * (quotes - 1) + '" ' * (quotes > 0)


def _in_triple_quotes(line: str) -> str:
    return python_string(line)[1:-1].replace('\\"', '"').replace('"""', '\\"\\"\\"')
