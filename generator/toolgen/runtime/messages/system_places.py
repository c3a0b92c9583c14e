"""Messages of the system, on a wire that takes them before what the model says only, and never last."""

from __future__ import annotations

from ...models import Message, SystemMessage, UserMessage
from ..conversion.writer import Writer
from .arrange import Placed

__all__ = ["systems_in_place"]


def systems_in_place(placed: list[Placed], writer: Writer) -> list[Placed]:
    """The messages with those of the system first, or behind another one of the system or one of the user.

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
            reason = f"{writer.wire.title} takes it before what the model says only, and not at the end"
            writer.lost(entry[1], "a message", "moved", "note", reason)
        ordered.insert(at, entry)
    return ordered


def _goes_before_a_system(message: Message) -> bool:
    return type(message) is SystemMessage or type(message) is UserMessage
