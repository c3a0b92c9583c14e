"""Signatures that a wire demands of calls, for calls that were made elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...models import Message, UserMessage
from ..conversion.writer import Writer
from ..paths import Path

__all__ = ["current_turn", "sign_first_call"]


def current_turn(messages: Sequence[Message]) -> int:
    """Place of the first message behind the last one of the user: what comes from there on is held to its signatures."""
    return max((i + 1 for i, message in enumerate(messages) if type(message) is UserMessage), default=0)


def sign_first_call(wire: dict[str, Any], sentinel: str, at: Path, writer: Writer) -> None:
    """Give the first call of an answer the documented stand-in, where none of its calls is signed."""
    calls = [part for part in wire.get("parts") or () if type(part) is dict and "functionCall" in part]
    if calls and not any("thoughtSignature" in call for call in calls):
        calls[0]["thoughtSignature"] = sentinel
        writer.lost(at, "a signature", "defaulted", "note", "the calls come from elsewhere")
