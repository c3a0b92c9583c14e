"""The session of all examples. The provider, the model and the key come from the environment, never from a file.

LLM_INTERFACE  the API: anthropic, openai, openai_responses, genai, mistral, cohere, ollama, ...; anthropic if not set
LLM_MODEL      the model
LLM_API_KEY    the key; not needed for an API without keys, or for a server of your own without keys
LLM_BASE_URL   the address, if it is not that of the API
"""

from __future__ import annotations

import re
import sys
from os import environ
from typing import Any

from generated.models import Loss
from generated.sessions import AsyncSession, connect_async

VARIABLES = {
    "interface": "LLM_INTERFACE",
    "models": "LLM_MODEL",
    "api_keys": "LLM_API_KEY",
    "base_url": "LLM_BASE_URL",
}
"""The variables of the environment, by the keys of a configuration."""


def session() -> AsyncSession:
    """Connect to the model that the environment names. The official client of the API must be installed."""
    for variable in VARIABLES.values():
        if environ.get(variable, "-").strip() == "":
            sys.exit(f"{variable} is empty; set it to a value, or unset it")
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
        sys.exit(re.sub("|".join(VARIABLES), lambda key: VARIABLES[key[0]], str(error)))
    connected.on_loss = report
    return connected


def report(loss: Loss) -> None:
    """Print what a provider does not support, except notes. A loss of behaviour raises an exception instead."""
    if loss.severity != "note":
        print(f"{loss.path}: {loss.what} {loss.action}: {loss.reason}", file=sys.stderr)
