"""Texts with the result at their end, and their writer."""

from __future__ import annotations

from typing import Any

from ...json_text import dump_loosely
from ...models import Completion, StreamEvent, TextDelta, ToolCallDelta
from ...paths import ROOT
from ...streams import BaseStream, BaseStreamWriter, OpenCall

__all__ = ["ModularPromptStream", "ModularPromptStreamWriter"]

_RESULT = frozenset(["content", "finishReason", "toolCalls", "usage"])
"""Keys of which an object must have one to be the answer; another object is an event that nobody knows."""


class ModularPromptStream(BaseStream):
    """Joins texts until the answer comes. What the answer says wins; its text stands for theirs where it has none."""

    def __init__(self, turn: int = 0, *, tools: Any = ()) -> None:
        super().__init__(turn, tools=tools)
        self._texts: list[str] = []
        self._whole: dict[str, Any] | None = None

    def feed(self, event: Any) -> list[StreamEvent]:
        """Read one event, in constant time.

        Args:
            event: An event of the stream: a dict, or the client's object.

        Returns:
            The events of the neutral format that it gives; often none.

        Raises:
            ConversionError: The event is neither of them.
        """
        if type(event) is not str:
            return super().feed(event)
        if self._whole is not None:
            return []
        self._texts.append(event)
        return [TextDelta(event)] if event else []

    def _take(self, event: dict[str, Any]) -> list[StreamEvent]:
        if self._whole is not None or event.keys().isdisjoint(_RESULT):
            return []
        self._whole = event
        if event.get("finishReason") == "error":
            self._failure = "the response ended with an error"
        events: list[StreamEvent] = []
        said, content = "".join(self._texts), event.get("content")
        if type(content) is str and len(content) > len(said) and content.startswith(said):
            events.append(TextDelta(content[len(said) :]))
        calls = event.get("toolCalls")
        for call in calls if type(calls) is list else ():
            function = call.get("function") if type(call) is dict else None
            if type(function) is dict:
                events.append(self._called(call, function))
        return events

    def _called(self, call: dict[str, Any], function: dict[str, Any]) -> ToolCallDelta:
        """Tell a call, which is whole."""
        known = OpenCall(len(self._calls), call)
        self._calls.append(known)
        identifier, _ = self._names.call_id(call.get("id"), ((ROOT, "toolCalls"), known.index))
        known.told = type(function.get("name")) is str
        arguments = function.get("arguments")
        known.add(arguments if type(arguments) is str else dump_loosely(arguments or {}))
        name = self._names.tool_name(function["name"]) if known.told else None
        return ToolCallDelta(known.index, identifier, name, "".join(known.pieces))

    def _body(self) -> dict[str, Any]:
        said = "".join(self._texts)
        if self._whole is None:
            return {"content": said}
        return {**self._whole, "content": said} if said and self._whole.get("content") is None else self._whole

    def _ended(self) -> bool:
        """Whether the answer has come."""
        return self._whole is not None


class ModularPromptStreamWriter(BaseStreamWriter):
    """Writes each piece of text as it is. Calls, and what went wrong, stand in the answer, which is not written if it breaks."""

    def _text(self, text: str) -> list[Any]:
        return [text]

    def _call(self, event: ToolCallDelta) -> list[Any]:
        return []

    def _error(self, message: str) -> list[Any]:
        return []

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[Any]:
        if not str(body.get("content") or "").startswith("".join(self.text)):
            self.writer.report_loss((ROOT, "message"), "content", "dropped", "warning", "other text was already sent")
        return [body]
