"""Read and write tool definitions as text, and write texts so that none of them is read as a call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..conversion.extras import inner_extras
from ..json_text import JSONError, loads
from ..models import OpaquePart, ToolCall, ToolDefinition
from .text_calls import find_text_calls
from .tool_blocks import find_blocks, find_whole_text_block, is_block_delimiter, json_line, split_lines_with_positions

__all__ = [
    "PROVIDER",
    "TOOLS_SEPARATOR",
    "call_text",
    "join_response_text",
    "read_tool_entries",
    "read_tools_text",
    "split_leading_tool_entries",
    "tool_entries_text",
    "tools_text",
]

_BEGIN = "# Tools\n\nYou can call these tools. Each line is one of them, as JSON:\n\n"
_END = """
To call a tool, write a block of this form, with nothing before it on its lines:

```tool
{"name":"the_tool","arguments":{"parameter":"value"}}
```

The block holds one JSON object: "name" is one of the names above, "arguments" fits its parameters, and "reasoning" may say \
why you call it. Write one block for each call, and end your message after the last one. The results come in the next \
message; never write them yourself.
"""
TOOLS_SEPARATOR = "\n"
"""Separator between the tools and the rest of the system message."""


def tool_entries_text(entries: Sequence[dict[str, Any]]) -> str:
    """Write the entries of tools as the start of a system message. Empty if there are none.

    Raises:
        ConversionError: An entry cannot be written as JSON.
    """
    if not entries:
        return ""
    return _BEGIN + "".join(json_line(entry, f"[{i}]") + "\n" for i, entry in enumerate(entries)) + _END


def split_leading_tool_entries(text: str) -> tuple[list[dict[str, Any]], str] | None:
    """Return the entries of tools at the start of a text, and the text after them. None if there are none."""
    end = text.find("\n" + _END, len(_BEGIN)) + 1
    if not text.startswith(_BEGIN) or not end:
        return None
    try:
        entries = [loads(line) for line in text[len(_BEGIN) : end - 1].split("\n")]
    except JSONError:
        return None
    if not all(map(_is_entry, entries)):
        return None
    end += len(_END)
    return (entries, text[end:]) if tool_entries_text(entries) == text[:end] else None


def read_tool_entries(text: str) -> list[dict[str, Any]]:
    """Return the entries of tools at the start of a text. Empty if there are none."""
    found = split_leading_tool_entries(text)
    return [] if found is None else found[0]


def tools_text(definitions: Iterable[ToolDefinition | OpaquePart]) -> str:
    """Write tool definitions as text. Tools of other providers are omitted.

    Raises:
        ConversionError: A schema cannot be written as JSON.
    """
    return tool_entries_text(
        [
            {key: value for key in _TYPES if (value := getattr(tool, key)) is not None}
            for tool in definitions
            if type(tool) is ToolDefinition
        ]
    )


def read_tools_text(text: str) -> list[ToolDefinition] | None:
    """Read the definitions that `tools_text` wrote. None for any other text."""
    found = split_leading_tool_entries(text)
    if found is None or found[1] or any(entry.keys() - _TYPES.keys() for entry in found[0]):
        return None
    return [ToolDefinition(**entry) for entry in found[0]]


_TYPES = {"name": str, "description": str, "parameters": dict}


def _is_entry(entry: Any) -> bool:
    """Return whether a value is an entry with its keys in our order. Other keys may follow."""
    if type(entry) is not dict or not str(entry.get("name", "")).strip():
        return False
    known = [key for key in _TYPES if key in entry]
    return list(entry)[: len(known)] == known and all(type(entry[key]) is _TYPES[key] for key in known)


PROVIDER = "prompt"
"""The key in `metadata` for the original text."""

CALL_SEPARATOR = "\n\n"
"""Separator between a call and the text around it."""


def call_text(call: ToolCall, reasoning: str | None = None, *, with_id: bool | None = None) -> str:
    """Write a call as a ` ```tool ` fence. A synthetic id is omitted.

    An invalid call is written with its original text instead of arguments, if no arguments could be read.

    Raises:
        ConversionError: The arguments cannot be written as JSON.
    """
    if with_id is None:
        with_id = inner_extras(call.metadata or {}, PROVIDER).get("$synthetic") != call.id
    entry: dict[str, Any] = {"id": call.id} if with_id else {}
    entry["name"] = call.name
    if reasoning is not None:
        entry["reasoning"] = reasoning
    entry["arguments"] = call.arguments if call.invalid is None or call.arguments else call.invalid.text
    return f"```tool\n{json_line(entry, 'arguments')}\n```"


def join_response_text(pieces: Sequence[tuple[str, bool]]) -> tuple[str, bool]:
    """Join texts and calls, and return whether texts had to be indented. The flag of a piece is true for calls."""
    text, positions = _joined(pieces)
    if _reads_as(text, positions):
        return text, False
    return _joined([(piece if is_call else _indented(piece), is_call) for piece, is_call in pieces])[0], True


def _joined(pieces: Sequence[tuple[str, bool]]) -> tuple[str, list[int]]:
    """Join the pieces, and return the positions of the calls."""
    parts: list[str] = []
    positions: list[int] = []
    length, before = 0, None
    for piece, is_call in pieces:
        between = CALL_SEPARATOR if before is not None and (is_call or before) else ""
        if is_call:
            positions.append(length + len(between))
        parts += (between, piece)
        length += len(between) + len(piece)
        before = is_call
    return "".join(parts), positions


def _reads_as(text: str, positions: list[int]) -> bool:
    """Return whether a text has calls at exactly these positions, whichever tools are offered."""
    blocks = find_blocks(text)
    found = [b.start for b in blocks if b.kind == "tool" and find_text_calls(b.body, None, explicit=True)]
    if found or positions:
        return found == positions
    whole = find_whole_text_block(text)
    blocks += [whole] if whole is not None else []
    return not any(find_text_calls(block.body, None, explicit=False) for block in blocks)


def _indented(text: str) -> str:
    """Indent lines of a text that could start or end a block."""
    lines = ["    " + line if is_block_delimiter(line) else line for line, _ in split_lines_with_positions(text)]
    found = "\n".join(lines)
    whole = find_whole_text_block(found)
    return found if whole is None else f"{found[: whole.start]}    {found[whole.start :]}"
