"""A cache of what was made of values. It is keyed by a value's own bytes, so a value that was changed since is another one."""

from __future__ import annotations

import marshal
from typing import Any, Generic, TypeVar

__all__ = ["Cache", "from_bytes", "to_bytes"]

_MOST = 2048
"""Values that are kept."""
_LARGEST = 16_000_000
"""Bytes that they have together; what comes from outside shall not fill the memory."""

V = TypeVar("V")


def to_bytes(value: Any) -> bytes | None:
    """A value as bytes that tell 1, 1.0 and true apart, and keys in another order; None where it has no such form."""
    try:
        return marshal.dumps(value, 2)  # the last version whose bytes depend on the value alone
    except (ValueError, RecursionError):
        return None


def from_bytes(found: bytes) -> Any:
    """The value of bytes that `to_bytes` made, anew; bytes of any other making are not safe here."""
    return marshal.loads(found)


class Cache(Generic[V]):
    """Values by bytes. It is emptied once it has grown too large."""

    __slots__ = ("_found", "_size")

    def __init__(self) -> None:
        """Begin with nothing."""
        self._found: dict[bytes, V] = {}
        self._size = 0

    def get(self, key: bytes | None) -> V | None:
        """What was put here for a key; None where nothing was, or there is no key."""
        return None if key is None else self._found.get(key)

    def put(self, key: bytes | None, value: V, size: int) -> None:
        """Keep a value that takes some bytes of its own, beside those of its key."""
        if key is None or len(key) + size > _LARGEST:
            return
        self._size += len(key) + size
        if len(self._found) >= _MOST or self._size > _LARGEST:
            self._found.clear()
            self._size = len(key) + size
        self._found[key] = value
