"""Stream writer for Gemini."""

from __future__ import annotations

from typing import Any

from ...conversion.stream_writers import BaseStreamWriter
from ...models import Completion, ToolCallDelta
from ...paths import ROOT, Path

__all__ = ["GeminiStreamWriter"]


class GeminiStreamWriter(BaseStreamWriter):
    """Writes chunks with text as it arrives. Complete calls come at the end, when their signatures are known."""

    def _set_up(self) -> None:
        self._sent: list[tuple[bool, list[str]]] = []
        self._waiting: dict[str, Any] | None = None
        self._calls_begun = False

    def _text(self, text: str) -> list[dict[str, Any]]:
        return self._next({"text": text})

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        return self._next({"text": text, "thought": True})

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        self._calls_begun = True
        return []

    def _next(self, part: dict[str, Any]) -> list[dict[str, Any]]:
        """Send the text that was held back, and hold back the new one, which may turn out to be signed."""
        if self._calls_begun:
            return []
        ready = self._release()
        self._waiting = part
        return ready

    def _release(self) -> list[dict[str, Any]]:
        """Return the chunk for the text that waits, and record it as sent. Empty if none waits."""
        ready, self._waiting = self._waiting, None
        if ready is None:
            return []
        thought = "thought" in ready
        if not self._sent or self._sent[-1][0] != thought:
            self._sent.append((thought, []))
        self._sent[-1][1].append(ready["text"])
        return [self._chunk([ready])]

    def _chunk(self, parts: list[Any]) -> dict[str, Any]:
        """Return a chunk with these parts, and with the id and the model of the response if they are known."""
        chunk: dict[str, Any] = {"candidates": [{"content": {"role": "model", "parts": parts}}]}
        if self.id is not None:
            chunk["responseId"] = self.id
        if self.model is not None:
            chunk["modelVersion"] = self.model
        return chunk

    def _error(self, message: str) -> list[dict[str, Any]]:
        return [*self._release(), {"error": {"code": 500, "message": message, "status": "INTERNAL"}}]

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        """Return the last chunk, in which the first candidate has only parts that were not sent."""
        candidates = body.get("candidates")
        if not candidates:
            return [body]
        first = candidates[0]
        content = first.get("content")
        if type(content) is dict and type(content.get("parts")) is list:
            first = {**first, "content": {**content, "parts": self._unsent(content["parts"])}}
        return [{**body, "candidates": [first, *candidates[1:]]}]

    def _unsent(self, parts: list[Any]) -> list[Any]:
        """Return the parts that were not sent yet.

        Sent text is removed in order. A part that should have come before sent text comes late, and a signature of sent
        text comes with an empty text.
        """
        sent = [(thought, "".join(pieces)) for thought, pieces in self._sent]
        unsent: list[Any] = []
        at: Path = ((ROOT, "message"), "content")
        for i, part in enumerate(parts):
            if not sent or not _is_text(part, sent[0][0]):
                unsent.append(part)
                if sent:
                    self.writer.report_loss((at, i), "a part", "moved", "later text was already sent")
                continue
            text = part["text"]
            thought, sent_text = sent.pop(0)
            length = min(len(text), len(sent_text))
            if sent_text[length:]:
                sent.insert(0, (thought, sent_text[length:]))
            if text[length:] or not part.keys() <= _TEXT:
                unsent.append({**part, "text": text[length:]})
                if not part.keys() <= _TEXT:
                    self.writer.report_loss((at, i), "a signature", "moved", "its text was already sent")
        return unsent


def _is_text(part: Any, thought: bool) -> bool:
    """Return whether a part is text of the given kind."""
    return type(part) is dict and type(part.get("text")) is str and bool(part.get("thought")) == thought


_TEXT = frozenset(["text", "thought"])
