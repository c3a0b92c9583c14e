"""Stream and stream writer for Mistral, whose content is a string or a list of parts, thoughts among them.

The writer sends complete calls, and usage in the last chunk.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from ...conversion.streams import OpenCall
from ...models import Completion, StreamEvent, ToolCallDelta
from ...paths import ROOT
from ..openai_chat.stream import ChatCall, ChatStream, ChatStreamWriter
from .fields import find_body_error, unwrap_sdk_object

__all__ = ["MistralStream", "MistralStreamWriter"]


class MistralStream(ChatStream):
    """Joins chunks into a `chat.completion`, with the parts of its content in the order of their arrival."""

    _plain = staticmethod(unwrap_sdk_object)
    _has_thoughts = True

    def _read_event(self, event: dict[str, Any]) -> list[StreamEvent]:
        """Take one chunk. An error that the server sends as a whole body is recorded."""
        error = find_body_error(event)
        if error is event:
            self._record_error(error)
            return []
        return super()._read_event(event)

    def _read_delta(self, delta: dict[str, Any]) -> list[StreamEvent]:
        if "tool_calls" in delta and not delta["tool_calls"]:
            self._message.setdefault("tool_calls", delta["tool_calls"])
        return super()._read_delta(delta)

    def _read_call_piece(self, piece: dict[str, Any], slot: Any) -> list[StreamEvent]:
        """Add a piece to its call. Later pieces have a placeholder as id, and a call without an id has no other."""
        placeholder = piece.get("id")
        if placeholder in self.converter.TOOL_CALL_ID:
            return super()._read_call_piece({**piece, "id": None, "$id": placeholder}, slot)
        return super()._read_call_piece(piece, slot)

    def _find_or_begin_call(self, piece: dict[str, Any], slot: Any) -> ChatCall:
        """Return the call that a piece belongs to. Its index, which calls of a response have, becomes a key of the call."""
        call = super()._find_or_begin_call(piece, slot)
        if type(piece.get("index")) is int:
            call.head["index"] = piece["index"]
        return call

    def _body(self) -> dict[str, Any]:
        body = super()._body()
        return {key: value for key, value in body.items() if value != "" or key not in ("id", "model")}

    def _joined_call(self, call: OpenCall) -> dict[str, Any]:
        """Return a call with a type only if the stream had one, and with the placeholder if it never had an id."""
        whole = super()._joined_call(call)
        if "type" not in call.head:
            whole.pop("type", None)
        if "$id" in whole:
            placeholder = whole.pop("$id")
            whole.setdefault("id", placeholder)
        return whole


class MistralStreamWriter(ChatStreamWriter):
    """Writes `chat.completion.chunk` objects, with thoughts in lists and calls in the last one."""

    def _set_up(self) -> None:
        self._sent: list[tuple[str, list[str]]] = []

    def _chunk(self, delta: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"id": "", "model": "", **super()._chunk(delta, **more)}  # the client requires both

    def _text(self, text: str) -> list[dict[str, Any]]:
        self._record_sent("text", text)
        return super()._text(text)

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        self._record_sent("thinking", text)
        thought = {"type": "thinking", "thinking": [{"type": "text", "text": text}]}
        return [self._chunk({"content": [thought]})]

    def _record_sent(self, kind: str, text: str) -> None:
        """Record text that is sent. Consecutive texts of one kind are one."""
        if not self._sent or self._sent[-1][0] != kind:
            self._sent.append((kind, []))
        self._sent[-1][1].append(text)

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        """Return nothing: the last chunk has the calls."""
        return []

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        """Return the last chunks. The usage is in the one with the stop reason, as the API sends it."""
        *chunks, last = super()._completed(body, completion)
        if chunks and "usage" in last:
            chunks[-1]["usage"] = last["usage"]
        return chunks or [last]

    def _unsent_delta(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the part of the message that was not sent yet."""
        delta = {key: value for key, value in message.items() if key != "content"}
        content = message.get("content")
        if type(content) is str:
            sent = "".join(self.text)
            if content[len(sent) :] or not content:
                delta["content"] = content[len(sent) :]
        elif type(content) is list:
            delta["content"] = self._unsent_parts(content)
        elif "content" in message and not self._sent:
            delta["content"] = None
        return delta

    def _unsent_parts(self, content: list[Any]) -> list[Any]:
        """Return the parts that were not sent yet. A thought whose text was sent keeps only its other keys.

        Sent text is removed in order. A part that should have come before sent text comes late.
        """
        sent_texts = deque(_StreamedText(kind, "".join(pieces)) for kind, pieces in self._sent)
        unsent: list[Any] = []
        at = ((ROOT, "message"), "content")
        for i, part in enumerate(content):
            streamed = _streamed_text(part)
            if not sent_texts or streamed is None or sent_texts[0].kind != streamed.kind:
                unsent.append(part)
                if sent_texts:
                    self.writer.report_loss((at, i), "a part", "moved", "a later part was already sent")
                continue
            sent = sent_texts.popleft()
            sent_length = min(len(streamed.text), len(sent.text))
            if len(sent.text) > sent_length:
                sent_texts.appendleft(_StreamedText(sent.kind, sent.text[sent_length:]))
            unsent_text = streamed.text[sent_length:]
            unsent_part = _with_text(part, streamed.kind, unsent_text)
            if unsent_part is None:
                continue
            unsent.append(unsent_part)
            if not unsent_text and any(map(_is_thought, content[i + 1 :])):
                self.writer.report_loss((at, i), "metadata of reasoning", "moved", "its text was already sent")
        return unsent


class _StreamedText(NamedTuple):
    """A text that is streamed. `kind` is `text` or `thinking`."""

    kind: str
    text: str


def _streamed_text(part: Any) -> _StreamedText | None:
    """Return the text of a part that is streamed, or None for any other part."""
    if type(part) is not dict:
        return None
    if part.get("type") == "text" and type(part.get("text")) is str:
        return _StreamedText("text", part["text"])
    if _is_thought(part):
        return _StreamedText("thinking", "".join(item["text"] for item in part["thinking"] if _has_text(item)))
    return None


def _is_thought(part: Any) -> bool:
    """Return whether a part is a thought with a list of texts."""
    return type(part) is dict and part.get("type") == "thinking" and type(part.get("thinking")) is list


def _with_text(part: dict[str, Any], kind: str, text: str) -> dict[str, Any] | None:
    """Return a part with only this text of its kind, or None if the part then has nothing."""
    if kind == "text":
        return {**part, "text": text} if text or len(part) > 2 else None
    items = [item for item in part["thinking"] if not _has_text(item)]
    if text:
        items.append({"type": "text", "text": text})
    return {**part, "thinking": items} if items or len(part) > 2 else None


def _has_text(item: Any) -> bool:
    """Return whether an item of a thought is text."""
    return type(item) is dict and item.get("type") == "text" and type(item.get("text")) is str
