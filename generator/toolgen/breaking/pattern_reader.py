"""Reads patterns: literals, classes, groups, alternatives, repetitions and anchors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

_MAX_DEPTH = 20


class UnreadablePatternError(Exception):
    """A pattern has a construct that is not read here, or is too large."""


class Node(NamedTuple):
    """A part of a pattern: an `atom` (one character), a `row`, a `choice`, a `repetition`, an anchor (`^`, `$`), or `\\b`.

    `text` is that of an atom as the pattern has it, such as `a`, `\\d` or `[a-f]`. `most` is None for any number.
    """

    kind: str
    text: str = ""
    parts: tuple[Node, ...] = ()
    least: int = 1
    most: int | None = 1


@dataclass
class _Reader:
    """Reads a pattern from left to right."""

    pattern: str
    position: int = 0

    def read(self) -> Node:
        """Return the whole pattern as a node."""
        try:
            node = self._choice(0)
        except (IndexError, ValueError) as error:
            raise UnreadablePatternError from error
        if self.position < len(self.pattern):
            raise UnreadablePatternError
        return node

    def _next(self) -> str:
        return self.pattern[self.position : self.position + 1]

    def _take(self) -> str:
        character = self.pattern[self.position]
        self.position += 1
        return character

    def _choice(self, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise UnreadablePatternError
        rows = [self._row(depth)]
        while self._next() == "|":
            self._take()
            rows.append(self._row(depth))
        return rows[0] if len(rows) == 1 else Node("choice", parts=tuple(rows))

    def _row(self, depth: int) -> Node:
        parts: list[Node] = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._repeated(self._part(depth)))
        return Node("row", parts=tuple(parts))

    def _repeated(self, node: Node) -> Node:
        symbol = self._next()
        if not symbol or symbol not in "*+?{":
            return node
        self._take()
        if symbol == "{":
            end = self.pattern.index("}", self.position)
            least, comma, most = self.pattern[self.position : end].partition(",")
            self.position = end + 1
            limits = int(least), int(most) if most else None if comma else int(least)
        else:
            limits = (int(symbol == "+"), 1 if symbol == "?" else None)
        if self._next() == "?":  # not greedy
            self._take()
        if self._next() and self._next() in "*+?{":
            raise UnreadablePatternError
        return Node("repetition", parts=(node,), least=limits[0], most=limits[1])

    def _part(self, depth: int) -> Node:
        character = self._take()
        if character in "^$":
            return Node(character)
        if character == "(":
            return self._group(depth)
        if character == "[":
            return Node("atom", self._class())
        if character == "\\":
            return self._escaped()
        if character in "*+?{":
            raise UnreadablePatternError
        return Node("atom", character if character not in "]}" else f"\\{character}")

    def _group(self, depth: int) -> Node:
        if self._next() == "?":
            self._take()
            kind = self._take()
            if kind in "P<" and self._next() not in ("=", "!"):  # its name says nothing about texts
                self.position = self.pattern.index(">", self.position) + 1
            elif kind != ":":
                raise UnreadablePatternError
        node = self._choice(depth + 1)
        if self._take() != ")":
            raise UnreadablePatternError
        return node

    def _escaped(self) -> Node:
        character = self._take()
        if character in "Az":
            return Node("^" if character == "A" else "$")
        if character in "bB":
            return Node("\\b")
        if character.isalnum() and character not in "dDwWsSntr":
            raise UnreadablePatternError
        return Node("atom", f"\\{character}")

    def _class(self) -> str:
        """Return the text of a class, in brackets. A class inside a class is not read."""
        start = self.position - 1
        if self._next() == "^":
            self._take()
        first = self.position
        while self._next() != "]" or self.position == first:
            character = self._take()
            if character == "[" or (character in "&-~" and self._next() == character):
                raise UnreadablePatternError
            if character == "\\" and (self._take().isalnum() and self.pattern[self.position - 1] not in "dDwWsSntr"):
                raise UnreadablePatternError
        self._take()
        return self.pattern[start : self.position]


def read_pattern(pattern: str) -> Node:
    """Return a pattern as a node.

    Raises:
        UnreadablePatternError: It has a construct that is not read here, or groups that are too deep.
    """
    return _Reader(pattern).read()
