"""The parts of a stream: calls that are incomplete, and what was sent so far.

The arguments of a call are read as far as their JSON text has arrived.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from .conversion.writer import Writer
from .errors import wrong_type
from .json_text import is_object_text
from .models import (
    Completion,
    ReasoningDelta,
    ReasoningPart,
    StreamEvent,
    TextDelta,
    TextPart,
    ToolCallDelta,
    ToolCallPart,
)
from .paths import ROOT, Path
from .responses import is_completion_read_from_wire

__all__ = [
    "IndexedBlocks",
    "OpenBlocks",
    "OpenCall",
    "PartialObject",
    "SentCall",
    "SentOrder",
    "order_by_index",
    "partial_object",
    "read_hashable_index",
]


_STRING = r'(?s:"(?:[^"\\]|\\.)*("?))'
_BARE = r"[^\s,\]}:\"]+"


class PartialObject:
    """An object read from growing text. It is parsed again after growing by a quarter, so the total cost is linear."""

    __slots__ = ("_counted", "_length", "_parsed", "_value")

    def __init__(self) -> None:
        self._counted = self._length = self._parsed = 0
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
    try:
        value = json.loads(_closed(text) or "")
    except (ValueError, RecursionError):
        return {}
    return value if type(value) is dict else {}


def _closed(text: str) -> str | None:
    """Cut a text after its last complete value, and add the missing closing brackets."""
    string_at, token_at = re.compile(_STRING).match, re.compile(_BARE).match  # cached by `re`: few streams need them
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
            found = string_at(text, i)
            end = found.end() if found else n
            if not (found and found.group(1)):
                if expects_key:
                    break
                return _open_string(text[i:end], text[:i], stack)
            i = end
            if not expects_key:
                keep.append((i, tuple(stack)))
        else:
            token = token_at(text, i)
            i = token.end() if token else i + 1
            if i < n:
                keep.append((i, tuple(stack)))
        del keep[:-1]
    if not keep:
        return None
    end, open_ = keep[-1]
    return text[:end] + "".join(reversed(open_))


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
        self.was_announced = self.malformed = False
        self.wire_index: int | None = None
        self.partial: PartialObject | None = None

    def add(self, piece: str) -> None:
        """Add more text of the arguments."""
        self.pieces.append(piece)


def order_by_index(calls: Sequence[OpenCall]) -> Sequence[OpenCall]:
    """Sort calls by their index if each has its own; otherwise keep the order of arrival."""
    indexes = {call.wire_index for call in calls}
    if None in indexes or len(indexes) < len(calls):
        return calls
    return sorted(calls, key=lambda call: call.wire_index or 0)


def read_hashable_index(index: Any, at: Path) -> Any:
    """Return the index of an event, after a check of its type.

    Raises:
        ConversionError: The index is an array or an object.
    """
    if type(index) in (dict, list):
        raise wrong_type(at, "a number", index)
    return index


class IndexedBlocks(dict[Any, Any]):
    """The blocks of a stream by their index. A block whose index is used again is kept, and is no longer found."""

    def __init__(self) -> None:
        self.all: list[tuple[Any, Any]] = []

    def add(self, index: Any, block: Any, *, replaces: bool = False) -> Any:
        """Add a block, and return it. It is another one than that of its index before, unless it replaces that."""
        if replaces and index in self:
            self.all.remove((index, self[index]))
        self.all.append((index, block))
        self[index] = block
        return block

    def in_order(self) -> list[Any]:
        """Return all blocks by their index, numbers first; in the order of arrival if an index was used again."""
        entries = self.all
        if len(entries) == len(self):
            entries = sorted(entries, key=lambda e: (False, e[0]) if type(e[0]) is int else (True, str(e[0])))
        return [block for _, block in entries]


_CONTENT: Path = ((ROOT, "message"), "content")
_TEXTS = (TextPart, ReasoningPart)

_Run = tuple[Any, list[str]]
"""A type of part, with the pieces of consecutive text of this type, or with the id of a call."""


class SentCall:
    """The part of a call that was sent: its arguments so far.

    `first` has its id and name as far as they are known. Until both are, nothing is sent, and `waiting` has the pieces
    of its arguments; then it is None.
    """

    __slots__ = ("arguments", "first", "waiting")

    def __init__(self) -> None:
        self.arguments = ""
        self.first: tuple[str | None, str | None] = (None, None)
        self.waiting: list[str] | None = []

    @property
    def is_begun(self) -> bool:
        """Whether the delta with the id and the name was sent."""
        return self.waiting is None

    def hold_until_named(self, event: ToolCallDelta) -> ToolCallDelta | None:
        """Return a delta, or None until the id and the name are known.

        The first one has both and all pieces until then; later ones have neither.
        """
        if self.waiting is None:
            if event.id is None and event.name is None:
                return event
            return ToolCallDelta(event.index, None, None, event.arguments_delta)
        identifier, name = self.first
        self.first = event.id if identifier is None else identifier, event.name if name is None else name
        if event.arguments_delta:
            self.waiting.append(event.arguments_delta)
        if None in self.first:
            return None
        pieces, self.waiting = self.waiting, None
        return ToolCallDelta(event.index, *self.first, "".join(pieces) or event.arguments_delta)


class OpenBlocks:
    """The blocks of a stream that started and did not stop, by their index. Those of calls have what was sent of them."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: dict[int, SentCall | None] = {}

    def __contains__(self, index: int) -> bool:
        return index in self._open

    def start(self, index: int, call: SentCall | None = None) -> list[int]:
        """Record that a block starts. Return those that stop before: texts, and calls with a whole object.

        A call with nothing does not stop, because its arguments may follow, and clients run a call when it stops.
        """
        self._open.pop(index, None)
        stopped = self.stop(i for i, c in self._open.items() if c is None or is_object_text(c.arguments))
        self._open[index] = call
        return stopped

    def stop(self, indices: Iterable[int]) -> list[int]:
        """Record that blocks stop. Return those of them that were open, in order."""
        stopped = sorted(self._open.keys() & set(indices))
        for index in stopped:
            del self._open[index]
        return stopped


class SentOrder:
    """The texts, the reasoning and the calls of a stream, in the order in which they were sent.

    Many APIs join the texts of a response. Text that was sent after a call is then before it in the completion. A
    writer that compares the completion with what it sent, part by part, would send this text again. Calls among each
    other are in the order of their index, or of their start on a wire that has them as blocks (`by_start`).
    """

    __slots__ = ("_by_start", "_calls", "_runs")

    def __init__(self, by_start: bool) -> None:
        self._by_start = by_start
        self._runs: list[_Run] = []
        self._calls: set[str] = set()

    def add(self, event: StreamEvent) -> None:
        """Record an event. The place of a call is where its id and name are known, because writers start it there."""
        if type(event) is TextDelta:
            _extend(self._runs, TextPart, event.text)
        elif type(event) is ReasoningDelta:
            _extend(self._runs, ReasoningPart, event.text)
        elif (
            type(event) is ToolCallDelta
            and event.id is not None
            and event.name is not None
            and event.id not in self._calls
        ):
            self._runs.append((ToolCallPart, [event.id]))
            self._calls.add(event.id)

    def arrange(self, completion: Completion, writer: Writer) -> Completion:
        """Return a completion with its parts in the order of the stream. What was not sent comes last.

        The completion is returned as it is if it has this order, if its text is not that of the stream, or if it was
        read from this wire, because then its parts are restored exactly.
        """
        parts = completion.message.content
        if (
            type(parts) is not list
            or is_completion_read_from_wire(completion, parts, writer)
            or self._is_order_of(parts)
        ):
            return completion
        sent = {kind: _joined(self._runs, kind) for kind in _TEXTS}
        if not all(_joined(_runs_of(parts), kind).startswith(text) for kind, text in sent.items()):
            return completion
        called = [part for part in parts if type(part) is ToolCallPart]
        calls = {part.call.id: part for part in called if part.call.id in self._calls}
        begun = [pieces[0] for kind, pieces in self._runs if kind is ToolCallPart and pieces[0] in calls]
        placed = [calls[key] for key in begun] if self._by_start else called[: len(begun)]
        left = iter(placed)
        arranged: list[Any] = []
        for kind, pieces in self._runs:
            if kind is not ToolCallPart:
                arranged.append(kind("".join(pieces)))
            elif pieces[0] in calls:
                arranged.append(next(left))
        arranged += _unsent(parts, set(map(id, placed)), {kind: len(text) for kind, text in sent.items()}, writer)
        return replace(completion, message=replace(completion.message, content=arranged))

    def _is_order_of(self, parts: list[Any]) -> bool:
        """Return whether the parts begin with what was sent."""
        runs = _runs_of(parts)
        if len(runs) < len(self._runs):
            return False
        for i, ((sent_as, sent), (kind, pieces)) in enumerate(zip(self._runs, runs, strict=False), 1):
            text, whole = "".join(sent), "".join(pieces)
            if sent_as is kind is ToolCallPart and not self._by_start:
                continue
            if sent_as is not kind or not (text == whole or (i == len(self._runs) and whole.startswith(text))):
                return False
        return True


def _unsent(parts: list[Any], placed: set[int], sent: dict[Any, int], writer: Writer) -> list[Any]:
    """Return the parts that were not sent, and the rest of texts that were sent in part.

    Metadata of texts that were sent is reported here, because the parts that are written in their place have none.

    Args:
        parts: The parts of the completion.
        placed: The calls that have a place, by their identity.
        sent: The length of the text that was sent, by the type of its parts.
        writer: Gets the reports.
    """
    unsent: list[tuple[int, Any]] = []
    last = -1
    for i, part in enumerate(parts):
        kind = type(part)
        if id(part) in placed:
            last = i
        elif sent.get(kind) and part.text:
            last = i
            taken = min(sent[kind], len(part.text))
            sent[kind] -= taken
            writer.own_extras(part.metadata, (_CONTENT, i))
            if part.text[taken:]:
                unsent.append((i, kind(part.text[taken:])))
        else:
            unsent.append((i, part))
    for i, _ in unsent:
        if i < last:
            writer.report_loss((_CONTENT, i), "a part", "moved", "a later part was already sent")
    return [part for _, part in unsent]


def _extend(runs: list[_Run], kind: Any, text: str) -> None:
    """Add text to the last run, or begin a run of its kind."""
    if not runs or runs[-1][0] is not kind:
        runs.append((kind, []))
    runs[-1][1].append(text)


def _runs_of(parts: Iterable[Any]) -> list[_Run]:
    """Return the parts as runs. A part that no event sends separates texts."""
    runs: list[_Run] = []
    for part in parts:
        kind = type(part)
        if kind not in _TEXTS:
            runs.append((kind, [part.call.id if kind is ToolCallPart else ""]))
        elif part.text:
            _extend(runs, kind, part.text)
    return runs


def _joined(runs: Iterable[_Run], kind: Any) -> str:
    return "".join(piece for found, pieces in runs if found is kind for piece in pieces)
