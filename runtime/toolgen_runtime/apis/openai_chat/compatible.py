"""Stream and stream writer for servers that are compatible with Chat Completions, where they differ from it."""

from __future__ import annotations

from typing import Any, ClassVar

from ...json_text import dump_allowing_nan
from ...models import ReasoningDelta, StreamEvent
from .host_extensions import HostChatConverter, detail_text, reasoning_text_of, value_at
from .stream import GROWING_KEYS, ChatStream, ChatStreamWriter

__all__ = [
    "CompatibleStream",
    "CompatibleStreamWriter",
]


class CompatibleStream(ChatStream):
    """Joins chunks into a `chat.completion`, with reasoning and its details.

    The text of the reasoning is that of the first key with a text. A server that uses several keys repeats the same
    text under each.
    """

    converter: ClassVar[HostChatConverter]

    def __init__(self, turn: int = 0, *, tools: Any = ()) -> None:
        super().__init__(turn, tools=tools)
        self._source: str | None = None
        self._thoughts: dict[str, list[str]] = {}
        self._details: list[_Detail] | None = None
        self._last_details: dict[tuple[Any, Any], _Detail] = {}

    def _read_event(self, event: dict[str, Any]) -> list[StreamEvent]:
        events = super()._read_event(event)
        if self._failure is None:
            error = value_at(event, self.converter.BODY_PATHS["error"])
            if error:
                self._record_error(error)
        return events

    def _take_delta(self, delta: dict[str, Any], events: list[StreamEvent]) -> None:
        known = self.converter.REASONING.known
        if delta.keys().isdisjoint(known):
            super()._take_delta(delta, events)
            return
        self._message.setdefault("role", "assistant")
        for key in known:
            value = delta.get(key)
            if type(value) is str and key != self.converter.REASONING.details:
                self._thoughts.setdefault(key, []).append(value)
                self._tell(key, value, events)
            elif type(value) is list and key == self.converter.REASONING.details:
                self._details = self._details or []
                for detail in value:
                    self._tell(key, self._take_detail(detail), events)
            elif key in delta:
                self._message.setdefault(key, value)
        super()._take_delta({key: value for key, value in delta.items() if key not in known}, events)

    def _tell(self, key: str, text: str, events: list[StreamEvent]) -> None:
        if text and self._source in (None, key):
            self._source = key
            events.append(ReasoningDelta(text))

    def _take_detail(self, fragment: Any) -> str:
        """Read a fragment of a detail, and return its text.

        Fragments with the same index and type are joined, unless their ids differ. Those without an index stay
        separate.
        """
        details = self._details if self._details is not None else []
        slot = (fragment.get("index"), fragment.get("type")) if type(fragment) is dict else (None, None)
        if type(slot[0]) is not int or type(slot[1]) is not str:
            details.append(_Detail(fragment))
            return detail_text(fragment)
        known = self._last_details.get(slot)
        if known is None or not known.take(fragment):
            known = self._last_details[slot] = _Detail(fragment)
            details.append(known)
        return detail_text(fragment)

    def _take_call(self, piece: dict[str, Any], position: int, events: list[StreamEvent]) -> None:
        function = piece.get("function")
        if type(function) is dict and type(function.get("arguments")) is dict:
            piece = {**piece, "function": {**function, "arguments": dump_allowing_nan(function["arguments"])}}
        super()._take_call(piece, position, events)

    def _joined_choice(self, index: Any) -> dict[str, Any]:
        choice = super()._joined_choice(index)
        found: dict[str, Any] = {key: "".join(pieces) for key, pieces in self._thoughts.items()}
        if self._details is not None and self.converter.REASONING.details is not None:
            found[self.converter.REASONING.details] = [detail.assemble() for detail in self._details]
        if self._source is not None:  # the first key of the message with a text is the one that was streamed
            found = {self._source: found[self._source], **found}
        choice["message"] = {**choice["message"], **found}
        return choice


class _Detail:
    """A detail of the stream. `head` is its first fragment, and `pieces` are the texts that grow."""

    __slots__ = ("head", "pieces")

    def __init__(self, fragment: Any) -> None:
        self.head = fragment
        self.pieces: dict[str, list[str]] = {}
        if type(fragment) is dict:
            self.head = dict(fragment)
            self.pieces = {key: [fragment[key]] for key in GROWING_KEYS if type(fragment.get(key)) is str}

    def take(self, fragment: dict[str, Any]) -> bool:
        """Add another fragment. Return false if it belongs to another detail."""
        old, new = self.head.get("id"), fragment.get("id")
        if old and new and old != new:
            return False
        for key, value in fragment.items():
            if key in GROWING_KEYS and type(value) is str:
                self.pieces.setdefault(key, []).append(value)
            if value not in (None, "") or key not in self.head:
                self.head[key] = value
        return True

    def assemble(self) -> Any:
        """Return the detail so far."""
        return (
            {**self.head, **{key: "".join(pieces) for key, pieces in self.pieces.items()}} if self.pieces else self.head
        )


class CompatibleStreamWriter(ChatStreamWriter):
    """Writes `chat.completion.chunk` objects. Reasoning is under one key, with its details at the end."""

    ENDS_WITH_USAGE = True

    converter: ClassVar[HostChatConverter]

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        return [self._chunk({self._key(): text})]

    def _key(self) -> str:
        return self.converter.REASONING.default_key or self.converter.REASONING.keys[0]

    def _rest(self, message: dict[str, Any]) -> dict[str, Any]:
        sent = "".join(self.reasoning)
        if not sent:
            return super()._rest(message)
        known = self.converter.REASONING.known
        text = next((found for key in known if (found := reasoning_text_of(message.get(key) or ""))), "")
        thoughts = {key: value for key, value in message.items() if key in known and value != text}
        if text != sent and text.startswith(sent):
            thoughts = {self._key(): text[len(sent) :], **thoughts}
        return super()._rest({**{k: v for k, v in message.items() if k not in known}, **thoughts})
