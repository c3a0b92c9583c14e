"""The session of all examples. The provider, the model and the key come from the environment, never from a file.

LLM_INTERFACE  the API: anthropic, openai, openai_responses, genai, mistral, cohere, ollama, ...; anthropic if not set
LLM_MODEL      the model
LLM_API_KEY    the key; not needed for an API without keys
LLM_BASE_URL   the address, if it is not that of the API
"""

from __future__ import annotations

import sys
from os import environ
from typing import Any

from generated.models import Loss
from generated.sessions import AsyncSession, connect_async


def session() -> AsyncSession:
    """Connect to the model that the environment names. The official client of the API must be installed."""
    if "LLM_MODEL" not in environ:
        sys.exit("LLM_MODEL is not set; examples/README.md describes what the examples need")
    config: dict[str, Any] = {
        "interface": environ.get("LLM_INTERFACE", "anthropic"),
        "models": [environ["LLM_MODEL"]],
        "api_keys": [environ["LLM_API_KEY"]] if "LLM_API_KEY" in environ else [],
    }
    if "LLM_BASE_URL" in environ:
        config["base_url"] = environ["LLM_BASE_URL"]
    try:
        connected = connect_async(config)
    except (ValueError, ImportError) as error:
        sys.exit(f"LLM_INTERFACE, LLM_API_KEY and LLM_BASE_URL make no session: {error}")
    connected.on_loss = report
    return connected


def report(loss: Loss) -> None:
    """Print what a provider does not support, except notes. A loss of behaviour raises an exception instead."""
    if loss.severity != "note":
        print(f"{loss.path}: {loss.what} {loss.action}: {loss.reason}", file=sys.stderr)
