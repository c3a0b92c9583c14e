"""What the gateway makes of a request before it is sent: what asks for nothing is left out, what nobody can do is refused."""

from __future__ import annotations

from typing import Any

from generated.models import Loss
from generated.runtime.errors import ConversionError

ASIDE = frozenset(
    ["metadata", "prompt_cache_key", "safety_identifier", "service_tier", "store", "stream_options", "user"]
)
"""What a request says of the account, not of the answer, and what is done here."""
USUAL = {"n": 1, "logprobs": False, "frequency_penalty": 0, "presence_penalty": 0}


def meant(body: dict[str, Any]) -> dict[str, Any]:
    """Leave out of a body what asks for nothing: such members come along where clients repeat answers."""
    said = {
        k: v for k, v in body.items() if v not in (None, []) and k not in ASIDE and (k not in USUAL or v != USUAL[k])
    }
    if isinstance(said.get("messages"), list):
        said["messages"] = [
            {k: v for k, v in message.items() if v not in (None, [])} if isinstance(message, dict) else message
            for message in said["messages"]
        ]
    return said


def refuse(loss: Loss) -> None:
    """Refuse a request of which something would be lost, before it is sent: also what this API alone knows, which is kept as it is."""
    if loss.severity != "note" or loss.what.startswith("what openai_chat kept"):
        raise ConversionError(loss.path, f"{loss.what}: {loss.reason}")
