"""What a provider's API returns, in one piece or in a stream."""

from __future__ import annotations

import importlib
from typing import Any

from generated.models import AssistantMessage, Completion, TextPart, ToolCall, ToolCallPart, Usage
from tests.support.exchanges import every_condition, whole
from tests.support.loopback import Reply
from toolgen_runtime.sessions.text_protocol import stream_events

Said = str | tuple[str, dict[str, Any]]


def completion(*outputs: Said, name: str = "call") -> Completion:
    """A completion of texts, and of calls as pairs of name and arguments."""
    parts = [
        TextPart(part) if isinstance(part, str) else ToolCallPart(ToolCall(f"{name}_{i}", *part))
        for i, part in enumerate(outputs)
    ]
    called = any(isinstance(part, ToolCallPart) for part in parts)
    return Completion(AssistantMessage(parts), "tool_calls" if called else "stop", usage=Usage(10, 5, 15))


def reply(provider: str, *outputs: Said, name: str = "call") -> Reply:
    """A response in one piece."""
    module = importlib.import_module(f"generated.providers.{provider}")
    return whole(module.to_response(completion(*outputs, name=name), id="response_1", created=1))


def ended(text: str, stop_reason: str) -> Reply:
    """A response of Anthropic's API that ends for a reason."""
    body = {"id": "response_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": stop_reason}
    usage = {"input_tokens": 10, "output_tokens": 5}
    return whole({**body, "content": [{"type": "text", "text": text}], "usage": usage})


def stream(provider: str, *outputs: Said, name: str = "call") -> Reply:
    """A response in a stream."""
    writer = importlib.import_module(f"generated.providers.{provider}").StreamWriter(id="response_1", created=1)
    events = [wire for event in stream_events(completion(*outputs, name=name)) for wire in writer.write(event)]
    return every_condition(provider, [*events, *writer.finish()])


REFUSED = whole({"type": "error", "error": {"type": "invalid_request_error", "message": "no such model"}}, 400)
"""What Anthropic's API says to a request that it does not take."""
