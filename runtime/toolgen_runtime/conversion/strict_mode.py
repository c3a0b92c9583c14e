"""The decision whether a tool is in strict mode."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["StrictDecision"]


class StrictDecision(NamedTuple):
    """Whether a tool is strict, and the schema changes that prevent it.

    `strict` is None if the definition says nothing, or if it makes no difference.
    """

    strict: bool | None
    why: tuple[Any, ...] = ()
