"""Events as texts, and the whole answer behind them."""

from __future__ import annotations

from typing import Any

from ...models import Completion, ToolCallDelta
from ..paths import ROOT
from .writing import BaseStreamWriter

__all__ = ["TextsThenResultWriter"]


class TextsThenResultWriter(BaseStreamWriter):
    """Writes each piece of text as it is. Calls, and what went wrong, stand in the answer, which is not written if it breaks."""

    def _text(self, text: str) -> list[Any]:
        return [text]

    def _call(self, event: ToolCallDelta) -> list[Any]:
        return []

    def _error(self, message: str) -> list[Any]:
        return []

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[Any]:
        if not str(body.get("content") or "").startswith("".join(self.text)):
            self.writer.lost((ROOT, "message"), "content", "dropped", "warning", "other text was sent before")
        return [body]
