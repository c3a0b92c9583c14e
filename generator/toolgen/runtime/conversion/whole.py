"""Messages that the format has no role for: kept whole, and sent back whole."""

from __future__ import annotations

from typing import Any

from ...models import OpaquePart, UserMessage
from .reader import Reader
from .residue import ABSENT, within
from .writer import Writer

__all__ = ["opaque_message", "opaque_value"]


def opaque_message(wire: Any, reader: Reader) -> UserMessage:
    """A message that holds the wire's message as its one part."""
    return UserMessage([OpaquePart(reader.wire.name, wire)], metadata=reader.metadata({"$whole": True}))


def opaque_value(message: UserMessage, writer: Writer) -> Any:
    """The wire's message that such a message holds; ABSENT for every other message."""
    if not within(message.metadata or {}, writer.wire.name).get("$whole") or type(message.content) is not list:
        return ABSENT
    if len(message.content) != 1 or type(message.content[0]) is not OpaquePart:
        return ABSENT
    return message.content[0].value
