"""What Mistral's client returns, as plain JSON data.

Its events hold the chunk under `data`, and its types put a chunk of content that they do not know under `raw`.
"""

from __future__ import annotations

from typing import Any

from ..conversion.plain import plain
from ..paths import Path

__all__ = ["unwrapped"]


def unwrapped(value: Any, at: Path) -> dict[str, Any]:
    """The object itself where it is one, else what the client's object dumps, as the API sent it.

    Raises:
        ConversionError: it is neither.
    """
    if type(value) is dict:
        return value
    found = plain(value, at)
    if found.keys() == {"data"} and type(found["data"]) is dict:
        found = found["data"]
    choices = found.get("choices")
    for choice in choices if type(choices) is list else ():
        for key in ("delta", "message"):
            message = choice.get(key)
            content = message.get("content") if type(message) is dict else None
            if type(content) is list:
                message["content"] = [_known(chunk) for chunk in content]
    return found


def _known(chunk: Any) -> Any:
    return chunk["raw"] if type(chunk) is dict and "type" not in chunk and "raw" in chunk else chunk
