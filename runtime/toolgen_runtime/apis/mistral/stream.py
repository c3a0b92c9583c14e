"""Stream and stream writer for Mistral, whose content is a string or a list of parts, thoughts among them.

The writer sends complete calls, and usage in the last chunk.
"""

from __future__ import annotations

from typing import Any

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
        error = find_body_error(event)
        if error is event:
            self._record_error(error)
            return []
        return super()._read_event(event)

    def _take_delta(self, delta: dict[str, Any], events: list[StreamEvent]) -> None:
        if "tool_calls" in delta and not delta["tool_calls"]:
            self._message.setdefault("tool_calls", delta["tool_calls"])
        super()._take_delta(delta, events)

    def _take_call(self, piece: dict[str, Any], position: int, events: list[StreamEvent]) -> None:
        placeholder = piece.get("id")  # later pieces have it instead of the id, and a call without an id has no other
        nameless = placeholder in self.converter.TOOL_CALL_ID
        super()._take_call({**piece, "id": None, "$id": placeholder} if nameless else piece, position, events)

    def _call_of(self, piece: dict[str, Any], function: dict[str, Any], slot: Any) -> ChatCall:
        call = super()._call_of(piece, function, slot)
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
        self._note("text", text)
        return super()._text(text)

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        self._note("thinking", text)
        thought = {"type": "thinking", "thinking": [{"type": "text", "text": text}]}
        return [self._chunk({"content": [thought]})]

    def _note(self, kind: str, text: str) -> None:
        if not self._sent or self._sent[-1][0] != kind:
            self._sent.append((kind, []))
        self._sent[-1][1].append(text)

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        return []

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        *chunks, last = super()._completed(body, completion)
        if chunks and "usage" in last:
            chunks[-1]["usage"] = last["usage"]
        return chunks or [last]

    def _rest(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the part of the message that was not sent yet."""
        delta = {key: value for key, value in message.items() if key != "content"}
        content = message.get("content")
        if type(content) is str:
            sent = "".join(self.text)
            if content[len(sent) :] or not content:
                delta["content"] = content[len(sent) :]
        elif type(content) is list:
            delta["content"] = self._unsent(content)
        elif "content" in message and not self._sent:
            delta["content"] = None
        return delta

    def _unsent(self, content: list[Any]) -> list[Any]:
        """Return the parts that were not sent yet. A thought whose text was sent keeps only its other keys.

        Sent text is removed in order. A part that should have come before sent text comes late.
        """
        sent = [(kind, "".join(pieces)) for kind, pieces in self._sent]
        unsent: list[Any] = []
        at = ((ROOT, "message"), "content")
        for i, part in enumerate(content):
            kind, text = _streamed_text(part)
            if not sent or sent[0][0] != kind:
                unsent.append(part)
                if sent:
                    self.writer.report_loss((at, i), "a part", "moved", "a later part was already sent")
                continue
            gone = sent.pop(0)[1]
            sent_length = min(len(text), len(gone))
            if gone[sent_length:]:
                sent.insert(0, (kind, gone[sent_length:]))
            remainder = _without(part, kind, text[sent_length:])
            if remainder is not None:
                unsent.append(remainder)
                if not text[sent_length:] and any(_streamed_text(later)[0] == "thinking" for later in content[i + 1 :]):
                    self.writer.report_loss((at, i), "metadata of reasoning", "moved", "its text was already sent")
        return unsent


def _streamed_text(part: Any) -> tuple[str, str]:
    """Return the kind and text of a part that is streamed, or empty strings for any other part."""
    if type(part) is not dict:
        return "", ""
    if part.get("type") == "text" and type(part.get("text")) is str:
        return "text", part["text"]
    if part.get("type") == "thinking" and type(part.get("thinking")) is list:
        return "thinking", "".join(item["text"] for item in part["thinking"] if _holds_text(item))
    return "", ""


def _without(part: dict[str, Any], kind: str, text: str) -> dict[str, Any] | None:
    """Return what a part has besides the text that was sent, or None if that was all."""
    if kind == "text":
        return {**part, "text": text} if text or len(part) > 2 else None
    items = [item for item in part["thinking"] if not _holds_text(item)]
    if text:
        items.append({"type": "text", "text": text})
    return {**part, "thinking": items} if items or len(part) > 2 else None


def _holds_text(item: Any) -> bool:
    return type(item) is dict and item.get("type") == "text" and type(item.get("text")) is str
