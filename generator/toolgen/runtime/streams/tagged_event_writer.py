"""Events as variants of an enum."""

from __future__ import annotations

from typing import Any

from ...models import Completion, ToolCallDelta
from ..paths import ROOT
from .writing import BaseStreamWriter

__all__ = ["TaggedEventWriter"]


class TaggedEventWriter(BaseStreamWriter):
    """Writes pieces as they come, and the whole answer at the end; after an error that has no reason of its own."""

    failed = False

    def _text(self, text: str) -> list[dict[str, Any]]:
        return [{"Delta": text}]

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        piece = {
            "index": event.index,
            "id": None if event.id is None else self.writer.call_id(event.id),
            "name": None if event.name is None else self.writer.tool_name(event.name, ROOT),
            "arguments_delta": event.arguments_delta,
        }
        return [{"ToolCallDelta": piece}]

    def _error(self, message: str) -> list[dict[str, Any]]:
        self.failed = True
        return [{"Error": message}]

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        if self.failed and completion.stop_reason is None:
            body = {**body, "stop_reason": None}
        return [{"CompletedResponse": body}]
