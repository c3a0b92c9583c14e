"""A message of an agent's session while it comes in pieces, and as the event that it would have been."""

from __future__ import annotations

from typing import Any

from ...json_text import loads
from ...streams import OpenCall

__all__ = ["SessionMessage"]


class SessionMessage:
    """A message that is coming; `done` is the event that has the whole of it."""

    __slots__ = ("calls", "done", "identifier", "pieces", "thoughts")

    def __init__(self, identifier: str | None) -> None:
        self.identifier = identifier
        self.pieces: list[str] = []
        self.thoughts: dict[Any, list[str]] = {}
        self.calls: list[OpenCall] = []
        self.done: dict[str, Any] | None = None

    def thought(self) -> str:
        """What it thought so far; one thought a paragraph."""
        return "\n\n".join("".join(pieces) for pieces in self.thoughts.values())

    def assemble(self) -> dict[str, Any]:
        """The event of the message, made of what came where it did not come whole."""
        listed: list[Any] = []
        if self.done is not None:
            listed = self.done["data"].get("toolRequests") or []
            known = {request.get("toolCallId") for request in listed if type(request) is dict}
            if all(call.wire_id in known for call in self.calls):
                return self.done
        else:
            known = set()
        requests = [*listed, *(_request(call) for call in self.calls if call.wire_id not in known)]
        if self.done is not None:
            return {**self.done, "data": {**self.done["data"], "toolRequests": requests}}
        data: dict[str, Any] = {"content": "".join(self.pieces)}
        if self.identifier is not None:
            data["messageId"] = self.identifier
        if self.thoughts:
            data["reasoningText"] = self.thought()
        if requests:
            data["toolRequests"] = requests
        return {"type": "assistant.message", "data": data}


def _request(call: OpenCall) -> dict[str, Any]:
    """The request for a call whose message did not come whole; text that is not valid JSON stays text."""
    text = "".join(call.pieces)
    request: dict[str, Any] = {"toolCallId": call.wire_id, "name": call.name or ""}
    if text:
        try:
            request["arguments"] = loads(text)
        except ValueError:
            request["arguments"] = text
    return request
