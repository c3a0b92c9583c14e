"""The values of chunks in streams of Chat Completions and related APIs: how they are joined, and the calls among them."""

from __future__ import annotations

import re
from typing import Any

from ...conversion.extras import inner_extras
from ...conversion.reader import NO_IDS
from ...errors import wrong_type
from ...json_text import is_object_text
from ...models import ReasoningDelta, StreamEvent, TextDelta
from ...paths import ROOT
from ...stream_parts import OpenCall

__all__ = [
    "GROWING_KEYS",
    "ChatCall",
    "StreamedPartList",
    "begins_another_call",
    "join_custom_call",
    "join_values",
    "joined_call",
    "merge_with_name_sent_before",
    "piece_id",
    "repeats_call",
]


def join_values(old: Any, new: Any) -> Any:
    """Join the values of two chunks under an unknown key: texts and lists grow, other values replace."""
    if type(old) is str and type(new) is str:
        return old + new
    if type(old) is list and type(new) is list:
        joined = [*old]
        for item in new:
            indexed = type(item) is dict and type(item.get("index")) is int
            same = (i for i, found in enumerate(joined) if _is_same_item(found, item))
            place = next(same, None) if indexed else None
            if place is None:
                joined.append(item)
            else:
                joined[place] = _joined_item(joined[place], item)
        return joined
    if type(old) is dict and type(new) is dict:
        return {**old, **{key: join_values(old.get(key), value) for key, value in new.items()}}
    return old if new is None else new


GROWING_KEYS = ("text", "summary", "data")
"""Keys of an item of a list whose values arrive in pieces."""


def _is_same_item(found: Any, item: dict[str, Any]) -> bool:
    """Return whether an item of a list continues or repeats one: both have the same index and type, and no other id."""
    is_same = type(found) is dict and all(found.get(key) == item.get(key) for key in ("index", "type"))
    return is_same and found.get("id") in (None, item.get("id", found.get("id")))


def _joined_item(found: dict[str, Any], item: dict[str, Any]) -> dict[str, Any]:
    given = {key: value for key, value in item.items() if value is not None or key not in found}
    pieces = {key: join_values(found.get(key), value) for key, value in given.items() if key in GROWING_KEYS}
    return {**found, **given, **pieces}


def piece_id(piece: dict[str, Any]) -> Any:
    """Return the id of a piece of a call, or None if it has none."""
    identifier = piece.get("id")
    return None if identifier in ("", *NO_IDS) else identifier


def merge_with_name_sent_before(named: dict[Any, dict[str, Any]], slot: Any, piece: dict[str, Any]) -> dict[str, Any]:
    """Return a piece of a call with the name that came alone before it: with its arguments, it may begin another call.

    `named` has the pieces with a name and no arguments, by their place.
    """
    function = inner_extras(piece, "function")
    if not function.get("arguments"):
        if function.get("name"):
            named[slot] = piece
        return piece
    head = named.pop(slot, None)
    if head is None or piece_id(piece) not in (None, piece_id(head)):
        return piece
    return {**head, **piece, "function": {**head["function"], **function}}


class ChatCall(OpenCall):
    """An incomplete call of a stream, which knows whether its arguments are one whole object."""

    __slots__ = ("_depth", "_escape", "_is_quoted", "_is_whole", "_seen")

    def __init__(self, index: int, head: dict[str, Any]) -> None:
        super().__init__(index, head)
        self._depth = self._seen = 0
        self._escape = ""
        self._is_quoted = False
        self._is_whole: bool | None = None

    def is_whole(self) -> bool:
        """Return whether the pieces are one whole object. Each piece is examined once, so that a stream is linear."""
        new = self.pieces[self._seen :]
        closes = bool(new and self._is_whole)
        for piece in new:
            text, self._escape = self._escape + piece, ""
            for mark in re.findall(_STRUCTURE, text):
                if mark == "\\":
                    self._escape = mark  # the next piece has the rest
                elif mark == '"':
                    self._is_quoted = not self._is_quoted
                elif mark[0] != "\\" and not self._is_quoted:
                    self._depth += 1 if mark in "{[" else -1
                    closes = closes or self._depth <= 0
        self._seen += len(new)
        if closes and self._is_whole is not False:
            self._is_whole = is_object_text("".join(self.pieces))
        return self._is_whole is True


_STRUCTURE = r'(?s:\\.)|\\|["{}\[\]]'


def begins_another_call(call: ChatCall, piece: dict[str, Any]) -> bool:
    """Return whether a piece has a name, and arguments or another name, although its call is already complete."""
    function = inner_extras(piece, "function")
    name, text = function.get("name"), function.get("arguments")
    more = (text and not (type(text) is str and text.isspace())) or call.name not in (None, name)
    return bool(name and more) and call.is_whole() and not repeats_call(call, piece)


def repeats_call(call: ChatCall, piece: dict[str, Any]) -> bool:
    """Return whether a piece says all of a call again, as in a chunk that a server sends twice."""
    function = inner_extras(piece, "function")
    if not call.wire_id or piece.get("id") != call.wire_id or function.get("name") != call.name:
        return False
    text = function.get("arguments")
    if type(text) is not str or len(text) < len(call.pieces):
        return False
    return text == "".join(call.pieces) and is_object_text(text)


def join_custom_call(old: Any, new: Any) -> Any:
    """Join two pieces of a custom call. Only its input grows.

    Raises:
        ConversionError: Both have input, and one of them is not a string.
    """
    if type(old) is not dict or type(new) is not dict:
        return new
    merged = {**old, **{key: value for key, value in new.items() if value not in (None, "")}}
    before, piece = old.get("input") or "", new.get("input") or ""
    for text in (before, piece):
        if before and piece and type(text) is not str:
            raise wrong_type(((ROOT, "custom"), "input"), "a string", text)
    merged["input"] = before + piece if before and piece else before or piece
    return merged


class StreamedPartList:
    """Content whose deltas are lists of parts, in the order of their arrival.

    Consecutive pieces of text are one text, also inside a thought. The last text stays open in `text`, the list to which
    the stream adds text that is in no part.
    """

    __slots__ = ("parts", "text", "thought")

    def __init__(self, text: list[str]) -> None:
        self.text = text
        self.parts: list[Any] = []
        self.thought: _Thought | None = None

    def add(self, part: Any, with_thoughts: bool) -> list[StreamEvent]:
        """Add a part of a delta, and return events for its text, and for its thoughts if the API has them as parts."""
        if _is_text(part):
            if not part["text"]:
                return []
            self.text.append(part["text"])
            return [TextDelta(part["text"])]
        kind = part.get("type") if type(part) is dict else None
        if kind == "thinking" and type(part.get("thinking")) in (list, str):
            texts = self._add_thought(part)
            return [ReasoningDelta(text) for text in texts if text] if with_thoughts else []
        self._close_text()
        self.parts.append(part)
        return [TextDelta(part["text"])] if kind == "text" and type(part.get("text")) is str and part["text"] else []

    def _add_thought(self, part: dict[str, Any]) -> list[str]:
        """Add a piece of a thought. One without text extends the last thought, even if other parts came after it."""
        pieces = part["thinking"]
        thought = self.thought
        is_last = thought is not None and not self.text and self.parts[-1] is thought
        if thought is None or thought.kind is not type(pieces) or (pieces and not is_last):
            self._close_text()
            thought = self.thought = _Thought(type(pieces))
            self.parts.append(thought)
        thought.head.update({key: value for key, value in part.items() if key != "thinking"})
        return [thought.take(piece) for piece in ([pieces] if type(pieces) is str else pieces)]

    def _close_text(self) -> None:
        """Close the open text, because another part follows it."""
        if self.text:
            self.parts.append(_text_of(self.text))
            self.text.clear()

    def assemble(self) -> list[Any]:
        """Return the content so far."""
        parts = [part.assemble() if type(part) is _Thought else part for part in self.parts]
        return [*parts, _text_of(self.text)] if self.text else parts


class _Thought:
    """A thought of a stream: its object without texts, and its items. `runs` are those of them that are joined pieces.

    `kind` is the type of its texts: a list of parts, or a string.
    """

    __slots__ = ("head", "items", "kind", "runs")

    def __init__(self, kind: type) -> None:
        self.kind = kind
        self.head: dict[str, Any] = {}
        self.items: list[Any] = []
        self.runs: dict[int, list[str]] = {}

    def take(self, piece: Any) -> str:
        """Add a piece of a delta, and return its text."""
        text = piece if self.kind is str else piece["text"] if _is_text(piece) else None
        if text is None:
            self.items.append(piece)
            return ""
        last = len(self.items) - 1
        if last not in self.runs:
            last += 1
            self.items.append(None)
            self.runs[last] = []
        self.runs[last].append(text)
        return str(text)

    def assemble(self) -> dict[str, Any]:
        """Return the thought so far."""
        if self.kind is str:
            return {"type": "thinking", **self.head, "thinking": "".join(self.runs[0])}
        items = [_text_of(self.runs[i]) if i in self.runs else item for i, item in enumerate(self.items)]
        return {"type": "thinking", **self.head, "thinking": items}


def _is_text(part: Any) -> bool:
    """Return whether a part is text and nothing else."""
    return type(part) is dict and len(part) == 2 and part.get("type") == "text" and type(part.get("text")) is str


def _text_of(pieces: list[str]) -> dict[str, str]:
    return {"type": "text", "text": "".join(pieces)}


def joined_call(call: OpenCall) -> dict[str, Any]:
    """Return a call as a response in one piece has it."""
    whole: dict[str, Any] = {"type": "function", **call.head} if "function" in call.head else {**call.head}
    if type(whole.get("function")) is dict:
        whole["function"] = {"name": "", "arguments": "".join(call.pieces), **whole["function"]}
    return whole
