"""Results that an API has as one object: its keys mark the kind, to read it back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..conversion.tool_results import ResultKind, wrong_kind
from ..conversion.writer import Writer
from ..errors import ConversionError, wrong_type
from ..json_text import compact
from ..paths import Path, format_path

__all__ = ["read_result_object", "write_result_object"]


def read_result_object(response: dict[str, Any]) -> tuple[ResultKind, Any, bool | None]:
    """Read kind, value and error flag of a result object: `output` alone is the result, `error` alone a failure.

    Any other object is data as a whole.
    """
    if response.keys() == {"output"}:
        value = response["output"]
        return ("text" if type(value) is str else "data"), value, None
    if response.keys() == {"error"}:
        value = response["error"]
        return ("error", value, None) if type(value) is str else ("data", value, True)
    return "data", response, None


_OWN = frozenset(["error", "output"])
"""Keys with a special meaning for the API."""

_KEYS = {"error": "error", "text": "output"}
"""The key of a result that is a string, by its kind."""


def write_result_object(kind: str, value: Any, is_error: bool | None, at: Path, writer: Writer) -> dict[str, Any]:
    """Write a result of kind text, data or error as an object.

    Raises:
        ConversionError: The value does not have the type of its kind, or cannot be written as JSON.
    """
    if kind == "text" or kind == "error":
        if type(value) is not str:
            raise wrong_type(at, "a string", value)
        if is_error and kind == "text":
            writer.report_loss((at[0], "kind"), "text", "rewritten", "a failure that has text is sent as an error")
            kind = "error"
        return {_KEYS[kind]: value}
    if kind != "data":
        raise wrong_kind(at)
    try:
        text = compact(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversionError(format_path(at), f"cannot be written as JSON: {type(error).__name__}") from error
    if is_error:
        if type(value) is str:
            reason = "a failure that has text is sent as an error"
            writer.report_loss((at[0], "kind"), "data", "rewritten", reason)
        return {"error": value}
    if '"$ref":' in text and _refers(value):
        reason = "sent as text, because the API would resolve the references in it"
        writer.report_loss(at[0], "data", "rewritten", reason)
        return {"output": text}
    return value if type(value) is dict and not value.keys() & _OWN else {"output": value}


def _refers(value: Any) -> bool:
    """Return whether a value contains a key that the API resolves as a reference."""
    return any(type(inner) is dict and "$ref" in inner for inner in _walk(value))


def _walk(value: Any) -> Iterator[Any]:
    """Yield a parsed value and all values inside it."""
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        yield inner
        if type(inner) is dict:
            waiting += inner.values()
        elif type(inner) is list:
            waiting += inner
