"""The schema of a tool's parameters, on a wire where every tool must have one and `strict` is said beside the tools."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..paths import Path
from . import dialect
from .dialect_or_empty import write

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any] | None, Any]:
    """Read the schema as it is; it is kept where lowering by the narrowest dialect would change it.

    Raises:
        ConversionError: it is neither an object nor null.
    """
    return dialect.read(value, at, reader, True)
