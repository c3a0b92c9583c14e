"""GitHub Copilot: what the official package's generated types say of tools, requests, responses and events of a session.

They leave out unknown keys in silence, so what they make of a value is held against it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from copilot.generated.rpc import (
    ExternalToolTextResultForLlm,
    HandlePendingToolCallRequest,
    PendingExternalToolRequest,
    ProtocolExternalToolDefinition,
)
from copilot.generated.session_events import (
    AssistantMessageToolRequest,
    ExternalToolRequestedData,
    SessionEvent,
    session_event_from_dict,
)

from tests.support.wires import ToolWire


def faults(read: Callable[[Any], Any], value: Any) -> list[str]:
    """What a type says against a value: that it refuses it, or loses something of it. A null is as good as nothing."""
    try:
        back = read(value).to_dict()
    except (AssertionError, KeyError, TypeError, ValueError) as error:
        return [f"{type(error).__name__}: {error}"[:200]]
    return [] if without_nulls(back) == without_nulls(value) else [f"{value} is read as {back}"]


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def tool_faults(tool: Any) -> list[str]:
    return faults(ProtocolExternalToolDefinition.from_dict, tool)


def call_faults(call: Any) -> list[str]:
    if "data" in call:
        return event_faults(call)
    kind: Any = AssistantMessageToolRequest if "name" in call else ExternalToolRequestedData
    return faults(kind.from_dict, call) and faults(PendingExternalToolRequest.from_dict, call)


def result_faults(result: Any) -> list[str]:
    kind: Any = ExternalToolTextResultForLlm if "textResultForLlm" in result else HandlePendingToolCallRequest
    return faults(kind.from_dict, result)


def event_faults(event: Any) -> list[str]:
    """The client has its own spelling of times, and makes `unknown` of types that it does not know."""
    if event_of(event).raw_type is not None:
        return []
    return faults(session_event_from_dict, {**event, "timestamp": event_of(event).to_dict()["timestamp"]})


def event_of(event: Any) -> SessionEvent:
    """The client's object."""
    return session_event_from_dict(event)


TOOL_WIRE = ToolWire(
    tool_faults,
    call_faults,
    result_faults,
    frozenset(["parameters", "arguments", "metadata", "contents", "toolTelemetry", "toolReferences"]),
    "xUnknown",
)
