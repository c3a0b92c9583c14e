"""Reader for JSON: one value, read strictly by RFC 8259, as a tree with locations.

The standard library's reader keeps no locations, takes the last of two equal keys, and accepts NaN. Strings are found
by a pattern and passed to it, so it decodes the escapes.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import NoReturn

from toolgen.diagnostics.finding import RawText
from toolgen.load import limits
from toolgen.load.sources import DocumentContent, Json, Pointer
from toolgen.load.text_decoding import FaultReporter, Location, parse_float, parse_integer

_BLANK = re.compile(r"[ \t\n]*+")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"')
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?(?![0-9A-Za-z_.+-])")
_NAME = re.compile(r"[-+]?[A-Za-z_0-9.+-]+")
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_NOT_FINITE = frozenset({"NaN", "Infinity", "-Infinity"})


def read_json(text: str, reporter: FaultReporter) -> DocumentContent:
    """Return the tree of a JSON text.

    Raises:
        Unreadable: it is not valid JSON, or exceeds a budget; the finding is reported.
    """
    return _Reader(text, reporter).document()


class _Reader:
    """Reads one JSON text from front to back, and notes where each value and key is. `depth` counts from 1."""

    def __init__(self, text: str, reporter: FaultReporter) -> None:
        self._text = text
        self._report = reporter
        self._at = 0
        self._count = 0
        self._tree = DocumentContent()
        self._lines = [0, *(m.end() for m in re.finditer("\n", text))]

    def document(self) -> DocumentContent:
        """Return the value of the text, with the locations of its parts."""
        self._skip()
        self._tree.value = self._value((), 1)
        self._skip()
        if self._at < len(self._text):
            self._abort("there is text after the value")
        return self._tree

    def _value(self, pointer: Pointer, depth: int) -> Json:
        """Read the value at the current position, and note its location."""
        start = self._at
        self._count += 1
        if self._count > limits.VALUES:
            self._report.abort("too-many-values", self._location(start), limit=limits.VALUES)
        value: Json
        match self._text[start : start + 1]:
            case "{" | "[" if depth > limits.DEPTH:
                self._report.abort("too-deep", self._location(start), limit=limits.DEPTH)
            case "{":
                value = self._object(pointer, depth)
            case "[":
                value = self._array(pointer, depth)
            case '"':
                value = self._string()
            case _:
                value = self._constant_or_number()
        self._tree.values[pointer] = self._location(start)
        return value

    def _object(self, pointer: Pointer, depth: int) -> Json:
        """Read an object after its brace. Of members with one key the first counts; the others are reported."""
        members: dict[str, Json] = {}
        self._at += 1
        self._skip()
        if self._take("}"):
            return members
        while True:
            start = self._at
            if not self._text.startswith('"', start):
                self._abort("expected a key in double quotes")
            self._count += 1
            key = self._string()
            location = self._location(start)
            self._skip()
            if not self._take(":"):
                self._abort("expected a colon")
            self._skip()
            here = (*pointer, key)
            if key in members:
                first = ((self._tree.keys[here], "first defined here"),)
                self._report.add("duplicate-key", location, key=key, related=first)
                self._value(here, depth + 1)
            else:
                self._tree.keys[here] = location
                members[key] = None  # a value that cannot be read has a key before it
                members[key] = self._value(here, depth + 1)
            self._skip()
            if self._take("}"):
                return members
            if not self._take(","):
                self._abort("expected a comma or }")
            self._skip()

    def _array(self, pointer: Pointer, depth: int) -> Json:
        """Read an array after its bracket."""
        items: list[Json] = []
        self._at += 1
        self._skip()
        if self._take("]"):
            return items
        while True:
            items.append(self._value((*pointer, len(items)), depth + 1))
            self._skip()
            if self._take("]"):
                return items
            if not self._take(","):
                self._abort("expected a comma or ]")
            self._skip()

    def _string(self) -> str:
        """Read a string. Lone surrogates are reported and replaced."""
        start = self._at
        match = _STRING.match(self._text, start)
        if match is None:
            self._abort("a string is not closed, or contains an invalid escape or a raw line break")
        self._at = match.end()
        body = match[0]
        if "\\" not in body:
            return body[1:-1]
        return self._report.without_surrogates(str(json.loads(body)), self._location(start))

    def _constant_or_number(self) -> Json:
        """Read what is neither a string nor a collection. A number that is not finite is reported, and read as None."""
        start = self._at
        number = _NUMBER.match(self._text, start)
        if number is not None:
            self._at = number.end()
            location = self._location(start)
            if number[2] is None and number[3] is None:
                return parse_integer(number[0], 10, location, self._report)
            return parse_float(number[0], location, self._report)
        word = _NAME.match(self._text, start)
        if word is not None and word[0] in _CONSTANTS:
            self._at = word.end()
            return _CONSTANTS[word[0]]
        if word is None or word[0] not in _NOT_FINITE:
            self._abort("expected a value")
        self._at = word.end()
        problem = RawText("is not a finite number")
        self._report.add("number-out-of-range", self._location(start), text=word[0], problem=problem)
        return None

    def _skip(self) -> None:
        match = _BLANK.match(self._text, self._at)
        self._at = match.end() if match else self._at

    def _take(self, char: str) -> bool:
        if self._text.startswith(char, self._at):
            self._at += 1
            return True
        return False

    def _location(self, start: int) -> Location:
        end = max(self._at, start + 1)
        return (*self._position(start), *self._position(end))

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def _abort(self, problem: str) -> NoReturn:
        if self._at >= len(self._text):
            problem = "the text ends too early"
        self._report.abort("not-json", self._location(self._at), problem=RawText(problem))
