"""Prepare the requests of the gateway: read them, and refuse what the provider cannot do."""

from __future__ import annotations

from typing import Any

from generated.errors import ConversionError
from generated.models import Loss, Request
from generated.providers import openai_chat

DEFAULTS = {"temperature": 1, "top_p": 1, "frequency_penalty": 0, "presence_penalty": 0}
"""Settings that say nothing. Some clients always send them, and some providers reject them."""
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


def read_request(body: dict[str, Any]) -> Request:
    """Read a request. Raises a ConversionError, with the client's path, for one that the API itself would refuse."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not any(map(says_something, messages)):
        raise ConversionError("messages", "must be an array with a message that says something")
    for key in ("max_completion_tokens", "max_tokens"):
        if body.get(key) is not None and not (type(body[key]) is int and body[key] > 0):
            raise ConversionError(key, "must be a positive integer")
    if body.get("reasoning_effort") not in (None, *EFFORTS):
        raise ConversionError("reasoning_effort", f"must be one of {', '.join(EFFORTS)}")
    without_defaults = {key: value for key, value in body.items() if key not in DEFAULTS or value != DEFAULTS[key]}
    request = openai_chat.from_request(without_defaults)
    request.model = None  # the session's
    return request


def says_something(message: Any) -> bool:
    """Return whether a message has content or calls. What is no message is refused later, with a better reason."""
    if not isinstance(message, dict):
        return True
    content = message.get("content")
    return bool(content.strip() if isinstance(content, str) else content) or bool(message.get("tool_calls"))


def refuse(loss: Loss) -> None:
    """Refuse a request if something in it would be lost that may change the response."""
    if loss.severity != "note":
        raise ConversionError(loss.path, loss.reason, loss)
