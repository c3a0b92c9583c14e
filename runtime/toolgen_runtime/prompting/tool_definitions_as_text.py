"""Tool definitions as text: read and write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..json_text import JSONError, loads
from ..models import OpaquePart, ToolDefinition
from .tool_blocks import json_line

__all__ = [
    "TOOLS_SEPARATOR",
    "LeadingTools",
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

_TYPES = {"name": str, "description": str, "parameters": dict}
"""The keys of an entry that we write, in our order, with the types of their values."""


class LeadingTools(NamedTuple):
    """The entries of tools at the start of a text, and the text after them."""

    entries: list[dict[str, Any]]
    text: str


def tool_entries_text(entries: Sequence[dict[str, Any]]) -> str:
    """Write the entries of tools as the start of a system message. Empty if there are none.

    Raises:
        ConversionError: An entry cannot be written as JSON.
    """
    if not entries:
        return ""
    return _BEGIN + "".join(json_line(entry, f"[{i}]") + "\n" for i, entry in enumerate(entries)) + _END


def split_leading_tool_entries(text: str) -> LeadingTools | None:
    """Split the entries of tools from the text after them. None if the text does not start with any."""
    end_of_entries = text.find("\n" + _END, len(_BEGIN))
    if not text.startswith(_BEGIN) or end_of_entries < 0:
        return None
    try:
        entries = [loads(line) for line in text[len(_BEGIN) : end_of_entries].split("\n")]
    except JSONError:
        return None
    if not all(map(_is_entry, entries)):
        return None
    end = end_of_entries + 1 + len(_END)
    if tool_entries_text(entries) != text[:end]:
        return None
    return LeadingTools(entries, text[end:])


def read_tool_entries(text: str) -> list[dict[str, Any]]:
    """Return the entries of tools at the start of a text. Empty if there are none."""
    leading = split_leading_tool_entries(text)
    return [] if leading is None else leading.entries


def tools_text(definitions: Iterable[ToolDefinition | OpaquePart]) -> str:
    """Write tool definitions as text. Tools of other providers are omitted.

    Raises:
        ConversionError: A schema cannot be written as JSON.
    """
    return tool_entries_text(
        [
            {key: value for key in _TYPES if (value := getattr(tool, key)) is not None}
            for tool in definitions
            if isinstance(tool, ToolDefinition)
        ]
    )


def read_tools_text(text: str) -> list[ToolDefinition] | None:
    """Read the definitions that `tools_text` wrote. None for any other text."""
    leading = split_leading_tool_entries(text)
    if leading is None or leading.text or any(entry.keys() - _TYPES.keys() for entry in leading.entries):
        return None
    return [ToolDefinition(**entry) for entry in leading.entries]


def _is_entry(entry: Any) -> bool:
    """Return whether a value is an entry with its keys in our order. Other keys may follow."""
    if not isinstance(entry, dict) or not str(entry.get("name", "")).strip():
        return False
    our_keys = [key for key in _TYPES if key in entry]
    return list(entry)[: len(our_keys)] == our_keys and all(isinstance(entry[key], _TYPES[key]) for key in our_keys)
