"""Events as lines of a native chat."""

from __future__ import annotations

from typing import Any

from ...models import Completion, ToolCallDelta
from ..answers.timestamps import rfc3339
from ..paths import ROOT
from .writing import BaseStreamWriter

__all__ = ["MessageLineWriter"]


class MessageLineWriter(BaseStreamWriter):
    """Writes a line for each piece of text; calls go out whole, in the last line, which alone says what it cost."""

    def _line(self, key: str, text: str) -> list[dict[str, Any]]:
        line: dict[str, Any] = {} if self.created is None else {"created_at": rfc3339(self.created)}
        message = {"role": "assistant", "content": "", key: text}
        return [{**line, "message": message, "done": False}]

    def _text(self, text: str) -> list[dict[str, Any]]:
        return self._line("content", text)

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        return self._line("thinking", text)

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        return []

    def _error(self, message: str) -> list[dict[str, Any]]:
        return [{"error": message}]

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        message = dict(body.get("message") or {})
        for key, sent in (("content", "".join(self.text)), ("thinking", "".join(self.reasoning))):
            text = message.get(key)
            if type(text) is not str:
                continue
            if not text.startswith(sent):
                self.writer.lost((ROOT, "message"), key, "dropped", "warning", "other text was sent before")
            rest = text[len(sent) :] if text.startswith(sent) else ""
            if rest or key == "content":
                message[key] = rest
            else:
                del message[key]
        return [{**body, "message": message}]
