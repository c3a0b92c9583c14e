"""The name of the tool whose call a result answers, as the wire spells it."""

from __future__ import annotations

from typing import Any

from ..conversion.writer import Writer
from ..paths import Path
from . import tool_name
from .tool_name import read

__all__ = ["read", "write"]


def write(name: str, kept: Any, at: Path, writer: Writer) -> str:
    """Write the name; what stood there goes back while the result is that of the call which it was taken for."""
    if type(kept) is dict and kept.get("$synthetic") == name and type(kept.get("$wire")) is str:
        return str(kept["$wire"])
    return tool_name.write(name, kept, at, writer)
