"""An answer that is a text, or an object that holds one."""

from __future__ import annotations

from typing import Any

from ..conversion.plain import plain
from ..paths import Path

__all__ = ["TextAnswer", "answer_object"]


class TextAnswer(dict[str, Any]):
    """The object that stands for an answer which is a text alone."""


def answer_object(value: Any, at: Path) -> dict[str, Any]:
    """The object with the answer's `content`.

    Raises:
        ConversionError: it is neither a text nor an object.
    """
    return TextAnswer(content=value) if type(value) is str else plain(value, at)
