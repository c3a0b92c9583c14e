"""Characters that nobody sees and a model reads: marks of direction, tags, blanks without width."""

from __future__ import annotations

import unicodedata

__all__ = ["is_hidden", "without_hidden"]

_JOINERS = "\u200c\u200d"
"""Needed inside of words in some scripts, and in emoji."""


def is_hidden(char: str) -> bool:
    """Whether a character is one of them."""
    return unicodedata.category(char) == "Cf" and char not in _JOINERS


def without_hidden(text: str) -> str:
    """The text without them."""
    return "".join(char for char in text if not is_hidden(char))
