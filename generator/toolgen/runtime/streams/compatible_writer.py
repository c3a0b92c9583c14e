"""Events as chunks of Chat Completions with reasoning."""

from __future__ import annotations

from typing import Any, ClassVar

from ...models import ToolCallDelta
from ..messages.message_reasoning import ReasoningKeys, said_in
from .chat_writer import ChatWriter

__all__ = ["CompatibleWriter"]


class CompatibleWriter(ChatWriter):
    """Writes `chat.completion.chunk` objects; reasoning comes under one key, its details at the end."""

    REASONING: ClassVar[ReasoningKeys]

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        return [self._chunk({self._key(): text})]

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        if event.id is not None:
            self.writer.keep_id(event.id, event.id)  # which ids are taken is a rule for requests
        return super()._call(event)

    def _key(self) -> str:
        return self.REASONING.writes or self.REASONING.keys[0]

    def _rest(self, message: dict[str, Any]) -> dict[str, Any]:
        sent = "".join(self.reasoning)
        if not sent:
            return super()._rest(message)
        known = self.REASONING.known
        text = next((said for key in known if (said := said_in(message.get(key) or ""))), "")
        thoughts = {key: value for key, value in message.items() if key in known and value != text}
        if text != sent and text.startswith(sent):
            thoughts = {self._key(): text[len(sent) :], **thoughts}
        return super()._rest({**{k: v for k, v in message.items() if k not in known}, **thoughts})
