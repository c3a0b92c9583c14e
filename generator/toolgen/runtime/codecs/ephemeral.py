"""A cache mark as a block's `cache_control`."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..paths import Path

__all__ = ["read", "write"]

_PLAIN = {"type": "ephemeral"}


def read(value: Any, at: Path, reader: Reader) -> tuple[bool | None, Any]:
    """Read the mark; its further members are kept."""
    if type(value) is not dict:
        return None, value if value is not None else ABSENT
    return True, ABSENT if value == _PLAIN else value


def write(cache: bool | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the mark, as it came."""
    if not cache:
        return ABSENT
    return kept if type(kept) is dict else dict(_PLAIN)
