"""Tools as text for the front of a system text: what each one is, as JSON on one line, and how it is called.

A description stays inside of its JSON string, so nothing in it can end the list or begin an instruction of ours. What is
written here is read back; a text that differs from our own in a single character is no list of tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...models import OpaquePart, ToolDefinition
from ..json_texts.strict_json import JSONError, loads
from .json_line import json_line

__all__ = ["BEHIND_TOOLS", "entries_in", "entries_text", "read_tools_text", "split_entries", "tools_text"]

_BEGIN = "# Tools\n\nYou can call these tools. Each line is one of them, as JSON:\n\n"
_END = """
To call a tool, write a block of this form, with nothing before it on its lines:

```tool
{"name":"the_tool","arguments":{"parameter":"value"}}
```

The block holds one JSON object: "name" is one of the names above, "arguments" fits its parameters, and "reasoning" may say \
why you call it. Write one block for each call, and end your message behind the last one. The results come in the next \
message; never write them yourself.
"""
BEHIND_TOOLS = "\n"
"""What stands between the tools and what else the system says."""



def entries_text(entries: Sequence[dict[str, Any]]) -> str:
    """Write entries of tools; no text for none.

    Raises:
        ConversionError: one holds what JSON cannot.
    """
    if not entries:
        return ""
    return _BEGIN + "".join(json_line(entry, f"[{i}]") + "\n" for i, entry in enumerate(entries)) + _END


def split_entries(text: str) -> tuple[list[dict[str, Any]], str] | None:
    """The entries that a text begins with, and what comes behind them; None where it begins otherwise."""
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
    return (entries, text[end:]) if entries_text(entries) == text[:end] else None


def entries_in(text: str) -> list[dict[str, Any]]:
    """The entries that a text begins with; none where it begins otherwise."""
    found = split_entries(text)
    return [] if found is None else found[0]


def tools_text(definitions: Iterable[ToolDefinition | OpaquePart]) -> str:
    """Write definitions of tools; what is another provider's own tool is left out.

    Raises:
        ConversionError: a schema holds what JSON cannot.
    """
    return entries_text(
        [
            {key: value for key in _TYPES if (value := getattr(tool, key)) is not None}
            for tool in definitions
            if type(tool) is ToolDefinition
        ]
    )


def read_tools_text(text: str) -> list[ToolDefinition] | None:
    """Read what `tools_text` wrote; None for any other text."""
    found = split_entries(text)
    if found is None or found[1] or any(entry.keys() - _TYPES.keys() for entry in found[0]):
        return None
    return [ToolDefinition(**entry) for entry in found[0]]


_TYPES = {"name": str, "description": str, "parameters": dict}


def _is_entry(entry: Any) -> bool:
    """Whether a value is an entry with its keys in our order, whatever else it has behind them."""
    if type(entry) is not dict or not str(entry.get("name", "")).strip():
        return False
    known = [key for key in _TYPES if key in entry]
    return list(entry)[: len(known)] == known and all(type(entry[key]) is _TYPES[key] for key in known)
