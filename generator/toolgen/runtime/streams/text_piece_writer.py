"""Events as pieces of a text: words as they come, and calls, with what is behind the first one, at the end."""

from __future__ import annotations

from typing import Any

from ...models import Completion, ToolCallDelta
from ..paths import ROOT
from .writing import BaseStreamWriter

__all__ = ["TextPieceWriter"]


class TextPieceWriter(BaseStreamWriter):
    """Writes texts; what they say together is what `to_response` writes."""

    def _text(self, text: str) -> list[Any]:
        if self.calls:
            self.text.pop()  # it stands behind a call, and goes with it
            return []
        return [text] if text else []

    def _reasoning(self, text: str) -> list[Any]:
        return []  # it goes with its call, or is told as lost at the end

    def _call(self, event: ToolCallDelta) -> list[Any]:
        self.sent(event.index)
        return []

    def _error(self, message: str) -> list[Any]:
        self.writer.no_place(ROOT, "an error", "warning")
        return []

    def _completed(self, body: dict[str, Any] | str, completion: Completion) -> list[Any]:
        whole = body if isinstance(body, str) else body.get("content") or ""
        sent = "".join(self.text)
        if not whole.startswith(sent):
            self.writer.lost((ROOT, "message"), "text", "rewritten", "warning", "what was sent cannot be taken back")
            sent = ""
        rest = whole[len(sent) :]
        if not isinstance(body, str):
            return [{**body, "content": rest}]
        return [rest] if rest else []
