"""Call ids: made where a wire has none, renamed where another wire would refuse them."""

from __future__ import annotations

import hashlib

__all__ = ["renamed", "synthetic_id"]


def synthetic_id(turn: int, position: int) -> str:
    """The id of a call that came without one: its turn (assistant messages before) and place in the message."""
    return f"call_{turn}_{position}"


_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def renamed(text: str, prefix: str, length: int) -> str:
    """Another spelling of an id or name: `prefix` and letters and digits of its SHA-256, `length` in all.

    The same each time, so that a call and its result stay paired without a table; with twenty characters and more
    two texts do not fall together.
    """
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    letters = []
    for _ in range(length - len(prefix)):
        number, rest = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[rest])
    return prefix + "".join(letters)
