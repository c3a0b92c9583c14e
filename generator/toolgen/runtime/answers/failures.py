"""Failures that stand where an answer was expected, or come in the middle of one."""

from __future__ import annotations

from typing import Any

__all__ = ["failure_of", "is_api_error"]


def failure_of(wire: dict[str, Any]) -> tuple[str, Any] | None:
    """The member that says what failed, and its value: such members are called `…Exception`."""
    for key, value in wire.items():
        if key[-9:] == "Exception":
            return key, value
    return None


def is_api_error(wire: dict[str, Any]) -> bool:
    """Whether an object without an answer is an error, as the API or its client gives them."""
    spoken = type(wire.get("message")) is str or type(wire.get("Message")) is str
    return spoken or "__type" in wire or "Error" in wire or failure_of(wire) is not None
