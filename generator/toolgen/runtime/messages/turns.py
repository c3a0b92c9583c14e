"""Messages on a wire where the user and the model take turns: neighbours of one role become one message."""

from __future__ import annotations

from typing import Any

from ...models import Message
from ..conversion.residue import restore
from ..conversion.writer import Writer
from ..paths import Path
from .blocks import block_kind

__all__ = ["Turns", "lacks_text"]


def lacks_text(blocks: list[Any]) -> bool:
    """Whether there are documents without any text beside them, which the API refuses."""
    kinds = {block_kind(block) for block in blocks if type(block) is dict}
    return "document" in kinds and "text" not in kinds


class Turns:
    """The messages written so far.

    `text` stands beside documents that come without any, `first` before an answer that nobody asked for.
    """

    __slots__ = ("_before", "_first", "_open", "_text", "_writer", "wires")

    def __init__(self, writer: Writer, text: str, first: str) -> None:
        self.wires: list[Any] = []
        self._writer = writer
        self._text = text
        self._first = first
        self._open: dict[str, Any] | None = None
        self._before: tuple[type[Message], Path] | None = None

    def add(self, role: str, blocks: list[Any], message: Message, at: Path) -> None:
        """Add what a message says; to the message before where that has the same role, unless the two came apart."""
        own = self._writer.own(message.metadata, at)
        last = self.wires[-1] if self.wires and self.wires[-1] is self._open else None
        if not blocks and not own:
            self._writer.lost(at, "a message", "dropped", "note", "it has nothing that can be said here")
            return
        joins = last is not None and last["role"] == role and "$apart" not in own
        beside = [*(last.get("content") or ()), *blocks] if last is not None and joins else blocks
        if role == "user" and lacks_text(blocks) and lacks_text(beside) and "text" not in own.get("$absent", ()):
            holder = (at, "content")
            self._writer.lost(holder, "a text", "defaulted", "note", "documents need one beside them")
            blocks = [*blocks, {"text": self._text}]
        if role == "assistant" and self._before is None and "$apart" not in own:
            self._writer.lost(at[0], "a message", "defaulted", "note", "the user speaks first")
            self.wires.append({"role": "user", "content": [{"text": self._first}]})
        if last is not None and last["role"] == role and "$apart" not in own:
            self._report(message, at)
            last["content"] = [*(last.get("content") or ()), *blocks]
            restore(last, own)
        else:
            self._open = {"role": role}
            if blocks or ("content" not in own and "content" not in own.get("$absent", ())):
                self._open["content"] = blocks
            restore(self._open, own)
            self.wires.append(self._open)
        self._before = type(message), at

    def add_whole(self, wire: Any) -> None:
        """Add a message that stands outside of the turns."""
        self.wires.append(wire)

    def _report(self, message: Message, at: Path) -> None:
        """Report two messages that read back as one."""
        if self._before is not None and self._before[0] is type(message):
            self._writer.lost((self._before[1], "content"), "a message", "rewritten", "note", "the next one joins it")
            self._writer.lost(at, "a message", "moved", "note", "neighbours of one role become one message")
