"""Pieces of a text, in which calls stand as text; the end of the source is the end of the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...models import OpaquePart, StreamEvent, ToolDefinition
from ..answers.text_answers import TextAnswer, answer_object
from ..conversion.plain import optional_text
from ..prompting.following import ReplyReader
from .base import BaseStream

__all__ = ["TextPieces"]


class TextPieces(BaseStream):
    """Joins pieces, texts or objects with a `content`, into the text of an answer."""

    _plain = staticmethod(answer_object)

    @staticmethod
    def names_for(tools: Iterable[ToolDefinition | OpaquePart]) -> Mapping[str, str]:
        """The names that tools go by; set by the provider's module."""
        raise NotImplementedError

    def __init__(self, turn: int = 0, *, tools: Iterable[ToolDefinition | OpaquePart] = ()) -> None:
        super().__init__(turn, tools=tools)
        self._text: list[str] = []
        self._reply = ReplyReader(turn=turn, names=self.names_for(self._tools))
        self._rest: dict[str, Any] = TextAnswer()

    def finish(self, error: BaseException | None = None) -> list[StreamEvent]:
        """End the stream, once its source ends or breaks; the last event is `completed`. A second call gives nothing."""
        held = [] if self._finished else self._reply.finish()
        return [*held, *super().finish(error)]

    def _take(self, event: dict[str, Any]) -> list[StreamEvent]:
        if self._finished:
            return []
        piece = optional_text(event, "content", ()) or ""
        self._text.append(piece)
        if type(event) is dict:
            self._rest = {**self._rest, **event}
        return self._reply.feed(piece)

    def _body(self) -> dict[str, Any]:
        body = TextAnswer() if type(self._rest) is TextAnswer else dict(self._rest)
        body["content"] = "".join(self._text)
        return body

    def _ended(self) -> bool:
        return self._finished
