"""Errors inside of answers, chunks of the official client, and the places of system messages."""

from __future__ import annotations

from typing import Any

from ...conversion.values import plain
from ...conversion.writer import Writer
from ...message_order import Placed
from ...models import Message, SystemMessage, UserMessage
from ...paths import Path

__all__ = ["error_in", "systems_in_place", "unwrapped"]


def error_in(wire: dict[str, Any]) -> Any:
    """The error that a body holds, or is; None where there is none."""
    if wire.get("error"):
        return wire["error"]
    if wire.get("object") == "error":
        return wire
    if "choices" in wire:
        return None
    return wire if "detail" in wire or "message" in wire else None


def unwrapped(value: Any, at: Path) -> dict[str, Any]:
    """The object itself where it is one, else what the client's object dumps, as the API sent it.

    Raises:
        ConversionError: The value is neither of them.
    """
    if type(value) is dict:
        return value
    found = plain(value, at)
    if found.keys() == {"data"} and type(found["data"]) is dict:
        found = found["data"]
    choices = found.get("choices")
    for choice in choices if type(choices) is list else ():
        for key in ("delta", "message"):
            message = choice.get(key)
            content = message.get("content") if type(message) is dict else None
            if type(content) is list:
                message["content"] = [_known(chunk) for chunk in content]
    return found


def _known(chunk: Any) -> Any:
    return chunk["raw"] if type(chunk) is dict and "type" not in chunk and "raw" in chunk else chunk


def systems_in_place(placed: list[Placed], writer: Writer) -> list[Placed]:
    """The messages with those of the system first, or after another one of the system or one of the user.

    One that stands elsewhere moves up to the nearest such place, and is reported.
    """
    ordered: list[Placed] = []
    spoken = max((i for i, entry in enumerate(placed) if type(entry[0]) is not SystemMessage), default=len(placed))
    for i, entry in enumerate(placed):
        if type(entry[0]) is not SystemMessage:
            ordered.append(entry)
            continue
        at = len(ordered)
        if i > spoken:
            while at and type(ordered[at - 1][0]) is UserMessage:
                at -= 1
        while at and not _goes_before_a_system(ordered[at - 1][0]):
            at -= 1
        if at < len(ordered):
            reason = f"{writer.wire.title} accepts it only before a message of the model, not at the end"
            writer.report_loss(entry[1], "a message", "moved", "note", reason)
        ordered.insert(at, entry)
    return ordered


def _goes_before_a_system(message: Message) -> bool:
    return type(message) is SystemMessage or type(message) is UserMessage
