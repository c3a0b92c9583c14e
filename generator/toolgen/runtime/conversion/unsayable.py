"""What a codec raises where its wire has no way to say a value."""

from __future__ import annotations

__all__ = ["UnsayableError"]


class UnsayableError(Exception):
    """The wire cannot say this; the converter reports the loss with this reason."""
