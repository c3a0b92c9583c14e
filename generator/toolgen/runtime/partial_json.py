"""Incomplete calls of a stream: read the part of their arguments' JSON text that has arrived."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["OpenCall", "PartialObject", "order_by_index", "partial_object"]


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)


_WORD = re.compile(r"[^\s,\]}:\"]+")


class PartialObject:
    """An object read from growing text. It is parsed again after growing by a quarter, so the total cost is linear."""

    __slots__ = ("_counted", "_length", "_parsed", "_value")

    def __init__(self) -> None:
        self._counted = 0
        self._length = 0
        self._parsed = 0
        self._value: dict[str, Any] = {}

    def view(self, pieces: list[str]) -> dict[str, Any]:
        """Return the object that the pieces contain so far. The list may only grow between calls."""
        self._length += sum(map(len, pieces[self._counted :]))
        self._counted = len(pieces)
        if self._length >= self._parsed + max(1, self._parsed // 4):
            self._value = partial_object("".join(pieces))
            self._parsed = self._length
        return self._value


def partial_object(text: str) -> dict[str, Any]:
    """Return the members of an incomplete object that are complete enough, or `{}` if the text is not an object.

    An incomplete string is returned as it is so far. A number or literal is returned only if something follows it.
    """
    closed = _closed(text)
    if closed is None:
        return {}
    try:
        value = json.loads(closed)
    except (ValueError, RecursionError):
        return {}
    return value if type(value) is dict else {}


def _closed(text: str) -> str | None:
    """Cut a text after its last complete value, and add the missing closing brackets."""
    stack: list[str] = []
    keep: list[tuple[int, tuple[str, ...]]] = []
    expects_key = False
    i, n = 0, len(text)
    while i < n:
        char = text[i]
        if char in " \t\r\n":
            i += 1
        elif char in "{[":
            stack.append("}" if char == "{" else "]")
            expects_key = char == "{"
            i += 1
            keep.append((i, tuple(stack)))
        elif char in "}]":
            if not stack or stack.pop() != char:
                return None
            i += 1
            keep.append((i, tuple(stack)))
            expects_key = False
            if not stack:
                break
        elif char == ",":
            expects_key = bool(stack) and stack[-1] == "}"
            i += 1
        elif char == ":":
            expects_key = False
            i += 1
        elif char == '"':
            found = _STRING.match(text, i)
            end = found.end() if found else n
            whole = end - i > 1 and text[end - 1] == '"' and not _escaped_end(text, i, end)
            if not whole:
                if expects_key:
                    break
                return _open_string(text[i:end], text[:i], stack)
            i = end
            if not expects_key:
                keep.append((i, tuple(stack)))
        else:
            word = _WORD.match(text, i)
            i = word.end() if word else i + 1
            if i < n:
                keep.append((i, tuple(stack)))
        del keep[:-1]
    if not keep:
        return None
    end, open_ = keep[-1]
    return text[:end] + "".join(reversed(open_))


def _escaped_end(text: str, start: int, end: int) -> bool:
    slashes = 0
    while end - 2 - slashes > start and text[end - 2 - slashes] == "\\":
        slashes += 1
    return slashes % 2 == 1


def _open_string(string: str, before: str, stack: list[str]) -> str:
    string = re.sub(r"\\(?:u[0-9a-fA-F]{0,3})?$", "", string) if not re.search(r"(?<!\\)(?:\\\\)+$", string) else string
    string = re.sub(r"\\u[dD][89abAB][0-9a-fA-F]{2}$", "", string)
    return before + string + '"' + "".join(reversed(stack))


class OpenCall:
    """An incomplete call. `head` is the wire's object without the arguments, `pieces` is their text so far.

    `wire_index` is its index on the wire. The call is `malformed` if a piece was not a string, or if its name changed.
    """

    __slots__ = ("head", "index", "malformed", "name", "partial", "pieces", "was_announced", "wire_id", "wire_index")

    def __init__(self, index: int, head: dict[str, Any]) -> None:
        self.index = index
        self.head = head
        self.wire_id: str | None = None
        self.name: str | None = None
        self.pieces: list[str] = []
        self.was_announced = False
        self.malformed = False
        self.wire_index: int | None = None
        self.partial: PartialObject | None = None

    def add(self, piece: str) -> None:
        """Add more text of the arguments."""
        self.pieces.append(piece)


def order_by_index(calls: list[OpenCall]) -> list[OpenCall]:
    """Sort calls by their index if each has its own; otherwise keep the order of arrival."""
    places = {call.wire_index for call in calls}
    if None in places or len(places) < len(calls):
        return calls
    return sorted(calls, key=lambda call: call.wire_index or 0)
