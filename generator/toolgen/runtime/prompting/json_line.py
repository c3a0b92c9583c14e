"""JSON that stays on one line whatever is in it, so that no text inside can begin a line of its own."""

from __future__ import annotations

from typing import Any

from ..errors import ConversionError
from ..json_texts.json_text import compact

__all__ = ["json_line"]

_BREAKS = {ord(char): f"\\u{ord(char):04x}" for char in "\x7f\x85\u2028\u2029"}
"""What some readers take for a line's end and JSON leaves as it is; it stands in strings alone."""


def json_line(value: Any, path: str) -> str:
    """Write a value as compact JSON; `path` says where it stands.

    Raises:
        ConversionError: JSON cannot hold it.
    """
    try:
        return compact(value).translate(_BREAKS)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversionError(path, f"cannot be written as JSON: {type(error).__name__}") from error
