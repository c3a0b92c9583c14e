"""What the client of an agent's session hands to the app, as plain JSON data: events, pending requests, invocations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...models import ToolCall
from ..conversion.plain import plain
from ..conversion.residue import within
from ..paths import Path
from ..tool_results.result_blocks import media_kind

__all__ = ["binary_kind", "not_waiting", "plain_session", "requested_kind"]

_INVOCATION = {
    "tool_call_id": "toolCallId",
    "tool_name": "toolName",
    "arguments": "arguments",
    "request_id": "requestId",
    "session_id": "sessionId",
    "agent_id": "agentId",
}
"""What an app's handler is given, by its name on the wire: an object that cannot say itself as JSON."""

_WAITING = frozenset(
    ["$as", "$event", "agentId", "providerId", "requestId", "sessionId", "traceparent", "tracestate", "workingDirectory"]
)
"""What a request that waits for its answer has beside the call; that of a message has none of it."""


def plain_session(value: Any, at: Path) -> dict[str, Any]:
    """The object itself where it is one, else what a client's object says; an invocation in the keys of a request.

    Raises:
        ConversionError: it is neither.
    """
    if type(value) is dict or hasattr(value, "to_dict") or not hasattr(value, "tool_call_id"):
        return plain(value, at)
    found = {key: getattr(value, name, None) for name, key in _INVOCATION.items()}
    return {key: item for key, item in found.items() if item is not None}


def binary_kind(block: dict[str, Any]) -> str | None:
    """What a binary result is: `image`, `audio`, `video` or `document`; None for one of an unknown type."""
    kind = block.get("type")
    if kind == "image":
        return "image"
    return media_kind(block.get("mimeType")) if kind == "resource" else None


def requested_kind(request: dict[str, Any]) -> str | None:
    """What a request of a message is: `call`; None for one that the app has no part in: free text, a server's tool."""
    return None if request.get("type") == "custom" or request.get("mcpServerName") is not None else "call"


def not_waiting(call: ToolCall, provider: str) -> ToolCall:
    """A call as a message has it: without what it had while it waited for its answer."""
    kept = within(call.metadata or {}, provider)
    if _WAITING.isdisjoint(kept):
        return call
    rest = {key: value for key, value in kept.items() if key not in _WAITING}
    return replace(call, metadata={**(call.metadata or {}), provider: rest})
