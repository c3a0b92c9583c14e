"""What the assistant said as one text, with a fence for each call.

The text reads back as what it was made of. Where words of the assistant would be read as calls, or would hide those that
follow, their lines are indented, which makes quotes of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...models import ToolCall
from ..conversion.residue import within
from .blocks import blocks_of, lines_of, opens_fence, whole_of
from .json_line import json_line
from .spoken import spoken_calls

__all__ = ["PROVIDER", "call_text", "reply_text"]

PROVIDER = "prompt"
"""The key in `metadata` under which it stands how a text was spelled."""

BETWEEN = "\n\n"
"""What stands between a call and what is before or behind it."""


def call_text(call: ToolCall, reasoning: str | None = None, *, with_id: bool | None = None) -> str:
    """Write a call as a ` ```tool ` fence, with its id unless that was made here.

    A call that cannot be run keeps the text that came in place of its arguments.

    Raises:
        ConversionError: its arguments hold what JSON cannot.
    """
    if with_id is None:
        with_id = within(call.metadata or {}, PROVIDER).get("$synthetic") != call.id
    entry: dict[str, Any] = {"id": call.id} if with_id else {}
    entry["name"] = call.name
    if reasoning is not None:
        entry["reasoning"] = reasoning
    entry["arguments"] = call.arguments if call.invalid is None or call.arguments else call.invalid.text
    return f"```tool\n{json_line(entry, 'arguments')}\n```"


def reply_text(pieces: Sequence[tuple[str, bool]]) -> tuple[str, bool]:
    """Join texts and calls, each with whether it is a call, and say whether texts had to be indented."""
    text, places = _joined(pieces)
    if _reads_as(text, places):
        return text, False
    return _joined([(piece if is_call else _indented(piece), is_call) for piece, is_call in pieces])[0], True


def _joined(pieces: Sequence[tuple[str, bool]]) -> tuple[str, list[int]]:
    """The pieces with what stands between them, and where the calls are."""
    parts: list[str] = []
    places: list[int] = []
    length, before = 0, None
    for piece, is_call in pieces:
        between = BETWEEN if before is not None and (is_call or before) else ""
        if is_call:
            places.append(length + len(between))
        parts += (between, piece)
        length += len(between) + len(piece)
        before = is_call
    return "".join(parts), places


def _reads_as(text: str, places: list[int]) -> bool:
    """Whether a text has calls just there, whatever tools there are."""
    blocks = blocks_of(text)
    found = [b.start for b in blocks if b.kind == "tool" and spoken_calls(b.body, None, explicit=True)]
    if found or places:
        return found == places
    whole = whole_of(text)
    blocks += [whole] if whole is not None else []
    return not any(spoken_calls(block.body, None, explicit=False) for block in blocks)


def _indented(text: str) -> str:
    """A text without a line that could begin or end a block."""
    lines = ["    " + line if opens_fence(line) else line for line, _ in lines_of(text)]
    found = "\n".join(lines)
    whole = whole_of(found)
    return found if whole is None else f"{found[: whole.start]}    {found[whole.start :]}"
