"""Prepare the requests of the gateway: remove keys that have no effect, and refuse what the provider cannot do."""

from __future__ import annotations

from typing import Any

from generated.errors import ConversionError
from generated.models import Loss

IGNORED = frozenset(
    ["metadata", "prompt_cache_key", "safety_identifier", "service_tier", "store", "stream_options", "user"]
)
"""Keys that concern the account or the gateway instead of the response."""
DEFAULTS = {"n": 1, "logprobs": False, "frequency_penalty": 0, "presence_penalty": 0}


def without_unused_keys(body: dict[str, Any]) -> dict[str, Any]:
    """Remove keys that have no effect from a body. Clients send them when they repeat a response as history."""
    used = {
        k: v
        for k, v in body.items()
        if v not in (None, []) and k not in IGNORED and (k not in DEFAULTS or v != DEFAULTS[k])
    }
    if isinstance(used.get("messages"), list):
        used["messages"] = [
            {k: v for k, v in message.items() if v not in (None, [])} if isinstance(message, dict) else message
            for message in used["messages"]
        ]
    return used


def refuse(loss: Loss) -> None:
    """Refuse a request if something in it would be lost. This includes keys that only OpenAI knows."""
    if loss.severity != "note" or loss.what == "metadata of openai_chat":
        raise ConversionError(loss.path, f"{loss.what}: {loss.reason}")
