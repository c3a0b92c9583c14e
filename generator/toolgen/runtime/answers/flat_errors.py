"""Errors that stand in the body itself, where another wire has them under `error`."""

from __future__ import annotations

from typing import Any

__all__ = ["error_in"]


def error_in(wire: dict[str, Any]) -> Any:
    """The error that a body holds, or is; None where there is none."""
    if wire.get("error"):
        return wire["error"]
    if wire.get("object") == "error":
        return wire
    if "choices" in wire:
        return None
    return wire if "detail" in wire or "message" in wire else None
