"""A cache whose keys are made from values. A value that has changed since then has another key, so it is not found."""

from __future__ import annotations

import marshal
from typing import Any, Generic, TypeVar

__all__ = ["Cache", "from_bytes", "to_bytes", "to_key"]

_MOST = 2048
"""Maximum number of values."""
_LARGEST = 16_000_000
"""Maximum size of all keys and values in bytes. Input from outside must not fill the memory."""

V = TypeVar("V")


def to_bytes(value: Any) -> bytes | None:
    """Serialize a value. 1, 1.0 and true differ, as do other orders of keys. None if it cannot be serialized."""
    try:
        return marshal.dumps(value, 2)  # the last version whose bytes depend only on the value
    except (ValueError, RecursionError):
        return None


def to_key(value: Any) -> bytes | None:
    """Return a key that only this value has. None if it cannot be serialized.

    Faster than `to_bytes`, but an equal value may have another key, because objects that occur twice are marked.
    """
    try:
        return marshal.dumps(value)
    except (ValueError, RecursionError):
        return None


def from_bytes(encoded: bytes) -> Any:
    """Return a new copy of the value from bytes of `to_bytes`. Bytes from any other source are not safe."""
    return marshal.loads(encoded)


class Cache(Generic[V]):
    """A cache of values by bytes. It is emptied when it is full."""

    __slots__ = ("_size", "_values")

    def __init__(self) -> None:
        """Create an empty cache."""
        self._values: dict[bytes, V] = {}
        self._size = 0

    def get(self, key: bytes | None) -> V | None:
        """Return the value of a key. None if there is no value, or no key."""
        return None if key is None else self._values.get(key)

    def put(self, key: bytes | None, value: V, size: int) -> None:
        """Store a value. `size` is its size in bytes without the key."""
        if key is None or len(key) + size > _LARGEST:
            return
        self._size += len(key) + size
        if len(self._values) >= _MOST or self._size > _LARGEST:
            self._values.clear()
            self._size = len(key) + size
        self._values[key] = value
