"""Stream and stream writer for the text protocol."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from ...conversion.stream_writers import BaseStreamWriter
from ...conversion.streams import BaseStream
from ...conversion.values import optional_text
from ...models import Completion, OpaquePart, StreamEvent, ToolCallDelta, ToolDefinition
from ...paths import ROOT
from ...prompting.stream_parser import ResponseReader
from .assistant_text import PlainStringResponse, to_response_object

if TYPE_CHECKING:
    from .converter import PromptConverter

__all__ = ["PromptStream", "PromptStreamWriter"]


class PromptStream(BaseStream):
    """Joins pieces, strings or objects with `content`, into the text of a response."""

    converter: ClassVar[PromptConverter]

    _plain = staticmethod(to_response_object)

    def __init__(self, turn: int = 0, *, tools: Iterable[ToolDefinition | OpaquePart] = ()) -> None:
        super().__init__(turn, tools=tools)
        self._text: list[str] = []
        self._reply = ResponseReader(turn=turn, names=self.converter.accepted_names(self._tools))
        self._top: dict[str, Any] = PlainStringResponse()

    def finish(self, error: BaseException | None = None) -> list[StreamEvent]:
        """End the stream after its source has ended or failed.

        Args:
            error: The exception that ended the source, if there was one.

        Returns:
            The remaining events; the last one is `completed`. A second call returns an empty list.
        """
        held = [] if self._finished else self._reply.finish()
        return [*held, *super().finish(error)]

    def _read_event(self, event: dict[str, Any]) -> list[StreamEvent]:
        """Take a piece of the text. Pieces after the last one are ignored."""
        if self._finished:
            return []
        piece = optional_text(event, "content", ()) or ""
        self._text.append(piece)
        if type(event) is dict:
            self._top = {**self._top, **event}
        return self._reply.feed(piece)

    def _body(self) -> dict[str, Any]:
        body = PlainStringResponse() if type(self._top) is PlainStringResponse else dict(self._top)
        body["content"] = "".join(self._text)
        return body

    def _ended(self) -> bool:
        return self._finished


class PromptStreamWriter(BaseStreamWriter):
    """Writes texts that together are the text of `to_response`."""

    def _text(self, text: str) -> list[Any]:
        """Return the text as a piece. Text after a call is sent with the calls at the end."""
        if self.calls:
            self.text.pop()  # it follows a call, and is sent with it
            return []
        return [text] if text else []

    def _reasoning(self, text: str) -> list[Any]:
        return []  # it is sent with its call, or reported as a loss at the end

    def _call(self, event: ToolCallDelta) -> list[Any]:
        self.sent_call(event.index)
        return []

    def _error(self, message: str) -> list[Any]:
        self.writer.report_unsupported(ROOT, "an error", "warning")
        return []

    def _completed(self, body: dict[str, Any] | str, completion: Completion) -> list[Any]:
        """Return the rest of the text. All of it if what was sent is no part of it, which is reported."""
        whole = body if isinstance(body, str) else body.get("content") or ""
        sent = "".join(self.text)
        if not whole.startswith(sent):
            reason = "text that was already sent cannot be taken back"
            self.writer.report_loss((ROOT, "message"), "text", "rewritten", reason, "warning")
            sent = ""
        unsent = whole[len(sent) :]
        if not isinstance(body, str):
            return [{**body, "content": unsent}]
        return [unsent] if unsent else []
