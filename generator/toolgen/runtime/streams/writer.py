"""What every stream writer does: the format's events in, a wire's events out."""

from __future__ import annotations

from typing import Any, ClassVar

from ..conversion.writer import OnLoss, Writer
from ..models import (
    CompletedEvent,
    Completion,
    ErrorEvent,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallEvent,
)
from ..paths import ROOT

__all__ = ["BaseStreamWriter", "SentCall"]


class SentCall:
    """What of a call was sent: how much of its arguments, and whether its id and name."""

    __slots__ = ("arguments", "named")

    def __init__(self) -> None:
        self.arguments = ""
        self.named = False


class BaseStreamWriter:
    """Writes the events of one answer, for an app that offers this wire to others.

    What the format knows only at the end (the id of the answer, residue, usage) goes with the last events. `id` and
    `created` (seconds since 1970) stand in every event where the wire has them; there is no clock here.
    """

    converter: ClassVar[Any]
    """The converter of the provider, which writes the whole answer; set by the provider's module."""

    def __init__(self, *, id: str | None = None, created: int | None = None, on_loss: OnLoss | None = None) -> None:
        self.id = id
        self.created = created
        self.writer = Writer(self.converter.wire, on_loss, "weaken", answer=True)
        self.calls: dict[int, SentCall] = {}
        self.text: list[str] = []
        self.reasoning: list[str] = []
        self.ended = False

    def write(self, event: StreamEvent) -> list[dict[str, Any]]:
        """Write one event; what comes after `completed` gives nothing."""
        if self.ended:
            return []
        if type(event) is TextDelta:
            self.text.append(event.text)
            return self._text(event.text)
        if type(event) is ToolCallDelta:
            return self._call(event)
        if type(event) is ReasoningDelta:
            self.reasoning.append(event.text)
            return self._reasoning(event.text)
        if type(event) is ErrorEvent:
            return self._error(event.message)
        if type(event) is CompletedEvent:
            self.ended = True
            body = self.converter.write_response(event.completion, self.id, self.created, self.writer)
            return self._completed(body, event.completion)
        if type(event) is ToolCallEvent:
            return []
        raise TypeError("not an event of a stream")

    def finish(self) -> list[dict[str, Any]]:
        """End the stream; without `completed` before, it ends as one that broke off."""
        if self.ended:
            return []
        self.ended = True
        return self._error("the stream broke off")

    def sent(self, index: int) -> SentCall:
        """What of a call was sent so far."""
        return self.calls.setdefault(index, SentCall())

    def _text(self, text: str) -> list[dict[str, Any]]:
        raise NotImplementedError

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        self.writer.no_place(ROOT, "reasoning")
        return []

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        raise NotImplementedError

    def _error(self, message: str) -> list[dict[str, Any]]:
        raise NotImplementedError

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        raise NotImplementedError
