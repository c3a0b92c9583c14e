"""The only code that turns text and data from a source into Python.

Everything a declaration, a profile or a format says reaches generated code through `python_literal`, `docstring`
or a name made by `toolgen.plan.names`; templates print nothing else. The formatter breaks long lines afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from jinja2 import Undefined


def python_string(text: str) -> str:
    """Return a Python string literal of `text`, in double quotes, printable and UTF-8 safe.

    Control, format, private-use, unassigned and surrogate characters, separators other than the blank, and letters
    and marks that show nothing become escapes, so that none stands raw in the output (Trojan Source, CVE-2021-42574).
    """
    if text.isprintable() and (text.isascii() or UNSEEN.isdisjoint(text)):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    body = "".join(_ESCAPES.get(c) or (c if c.isprintable() and c not in UNSEEN else _escaped(c)) for c in text)
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
"""Letters and marks that show nothing: Unicode's default ignorable ones that are not format characters, and a blank."""

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def is_visible(char: str) -> bool:
    """Whether a character shows where it stands."""
    return char.isprintable() and char not in UNSEEN


def _escaped(char: str) -> str:
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def python_literal(value: Any) -> str:
    """Return a Python expression of JSON data: None, bool, int, float, str, list and dict with text keys.

    Raises:
        TypeError: the value is not one of these, or a number that is not finite; sources hold neither.
        UndefinedError: the template speaks of a fact that is not there.
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
    if isinstance(value, Undefined):
        str(value)  # raises what it stands for
    if isinstance(value, Mapping) and all(type(k) is str for k in value):
        return "{" + ", ".join(f"{python_string(k)}: {python_literal(v)}" for k, v in value.items()) + "}"
    raise TypeError(f"no literal for {kind.__name__}")


class PythonLiteral(str):
    """The literal of a JSON value that was rendered before."""

    __slots__ = ()


def python_members(value: Mapping[str, Any]) -> str:
    """Render an object as `python_literal` does; its members may already be literals."""
    literal = {name: each if type(each) is PythonLiteral else python_literal(each) for name, each in value.items()}
    return f"{{{', '.join(f'{python_string(name)}: {each}' for name, each in literal.items())}}}"


def docstring(text: str, indent: int = 0) -> str:
    """A docstring of `text`, indented for a body at `indent` blanks; it evaluates to the cleaned text.

    Lines are stripped at their end and blank lines at both ends dropped, as `inspect.cleandoc` does. A text
    whose escapes would change how it reads on the page is still one literal.
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
    if lines[-1].endswith('"'):
        safe[-1] = _in_triple_quotes(lines[-1][:-1]) + '\\"'
    body = "\n".join((pad + line if line and i else line) for i, line in enumerate(safe))
    return f'"""{body}\n{pad}"""' if len(safe) > 1 else f'"""{body}"""'


def _in_triple_quotes(line: str) -> str:
    return python_string(line)[1:-1].replace('\\"', '"').replace('"""', '\\"\\"\\"')
