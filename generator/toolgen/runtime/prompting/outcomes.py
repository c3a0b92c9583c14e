"""Results of calls as text of the user, each as JSON on one line.

A line bears the id of the call, the name of the tool and the value under a key that says what it is: `text`, `data`,
`texts` or `error`; a value that reports a failure has `failed` beside it. What a tool gave stays inside of its JSON, so it
can neither be read as a call nor look like another result. What is written here is read back, and nothing else is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from ...models import TextPart, ToolResult
from ..errors import ConversionError, wrong_type
from ..json_texts.strict_json import JSONError, loads
from ..paths import ROOT
from .json_line import json_line

__all__ = [
    "ResultEntry",
    "entry_of_result",
    "read_result_entries",
    "read_results_text",
    "result_entries_text",
    "result_of",
    "results_text",
]

_BEGIN = "Results of your calls, each one JSON on a line:\n"
_KINDS: dict[str, Literal["text", "data", "error", "multimodal"]] = {
    "text": "text",
    "data": "data",
    "error": "error",
    "texts": "multimodal",
}
"""What a value is, by its key."""


class ResultEntry(NamedTuple):
    """A line: the id of the call, if it has one, the tool, and what the call gave."""

    identifier: str | None
    name: str
    kind: Literal["text", "data", "error", "multimodal"]
    value: Any
    failed: bool


def entry_of_result(result: ToolResult, with_id: bool = True) -> dict[str, Any]:
    """The line of a result, before it is JSON; of parts their texts.

    Raises:
        ConversionError: the value is of another type than its kind says.
    """
    entry: dict[str, Any] = {"id": result.tool_call_id} if with_id else {}
    entry["name"] = result.name
    kind, value = result.kind, result.value
    if kind == "multimodal":
        if type(value) is not list:
            raise wrong_type((ROOT, "value"), "an array", value)
        entry["texts"] = [part.text for part in value if type(part) is TextPart]
    elif kind != "data" and type(value) is not str:
        raise wrong_type((ROOT, "value"), "a string", value)
    else:
        entry[kind] = value
    if result.is_error and kind != "error":
        entry["failed"] = True
    return entry


def result_entries_text(entries: Sequence[dict[str, Any]]) -> str:
    """Write the lines of results.

    Raises:
        ConversionError: a value holds what JSON cannot.
    """
    return _BEGIN + "".join("\n" + json_line(entry, f"results[{i}].value") for i, entry in enumerate(entries))


def results_text(results: Iterable[ToolResult]) -> str:
    """Write results as what the user says next.

    Raises:
        ConversionError: a value is of another type than its kind says, or holds what JSON cannot.
    """
    return result_entries_text([entry_of_result(result) for result in results])


def read_result_entries(text: str) -> list[ResultEntry] | None:
    """Read the lines of results; None for a text that is none of ours."""
    if not text.startswith(_BEGIN + "\n"):
        return None
    try:
        entries = [loads(line) for line in text[len(_BEGIN) + 1 :].split("\n")]
        if any(type(entry) is not dict for entry in entries) or result_entries_text(entries) != text:
            return None
    except (JSONError, ConversionError):
        return None
    found = [_entry(entry) for entry in entries]
    whole = [entry for entry in found if entry is not None]
    return whole if len(whole) == len(found) else None


def read_results_text(text: str) -> list[ToolResult] | None:
    """Read what `results_text` wrote; None for any other text."""
    entries = read_result_entries(text)
    if entries is None:
        return None
    return [result_of(entry, entry.identifier or "") for entry in entries]


def result_of(entry: ResultEntry, tool_call_id: str) -> ToolResult:
    """The result that a line says, of the call with this id."""
    value = [TextPart(text) for text in entry.value] if entry.kind == "multimodal" else entry.value
    return ToolResult(tool_call_id, entry.name, entry.kind, value, entry.failed or None)


def _entry(entry: dict[str, Any]) -> ResultEntry | None:
    """A line as it was written; None where it holds anything else."""
    keys = [key for key in entry if key in _KINDS]
    failed = entry.get("failed")
    if len(keys) != 1 or list(entry) != [key for key in ("id", "name", keys[0], "failed") if key in entry]:
        return None
    (key,) = keys
    value = entry[key]
    fits = {
        "text": type(value) is str,
        "error": type(value) is str and failed is None,
        "data": True,
        "texts": type(value) is list and all(type(text) is str for text in value),
    }
    if not fits[key] or (failed is not None and failed is not True) or type(entry.get("name")) is not str:
        return None
    identifier = entry.get("id")
    if "id" in entry and type(identifier) is not str:
        return None
    return ResultEntry(identifier, entry["name"], _KINDS[key], value, failed is True)
