"""A call's arguments as JSON text, on a wire whose servers parse those of the history and fail where that fails."""

from __future__ import annotations

from typing import Any

from ...models import InvalidCall
from ..conversion.writer import Writer
from ..json_texts.json_text import compact
from ..json_texts.strict_json import loads
from ..paths import Path
from . import json_arguments
from .arguments_text import read
from .object_arguments import INVALID

__all__ = ["read", "write"]


def write(arguments: dict[str, Any], invalid: InvalidCall | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the arguments; text that is no object is wrapped into one, and reported.

    Raises:
        ConversionError: the arguments hold what JSON cannot.
    """
    text = json_arguments.write(arguments, invalid, kept, at, writer)
    if type(text) is str and not text.strip():
        return "{}"
    try:
        if type(loads(text)) is dict:
            return text
    except ValueError:
        pass  # no JSON, which is told below
    writer.lost(at, "text of an invalid call", "rewritten", "note", f"{writer.wire.title} parses it")
    return compact({INVALID: text})
