"""The schema of a tool's parameters, on a wire where every tool must have one."""

from __future__ import annotations

from typing import Any

from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..paths import Path
from . import dialect
from .dialect import read

__all__ = ["read", "write"]


def write(
    parameters: dict[str, Any] | None,
    kept: Any,
    at: Path,
    writer: Writer,
    strict: bool | None,
) -> Any:
    """Write the schema; that of a tool without parameters is an object without properties."""
    written = dialect.write(parameters, kept, at, writer, strict)
    return {"type": "object", "properties": {}} if written is ABSENT else written
