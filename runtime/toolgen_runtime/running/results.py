"""Results of calls, and the messages that tell the model about failures.

The value that a handler returns becomes JSON, with one rule for each Python type:

None, booleans, integers and texts   themselves; a lone surrogate becomes U+FFFD
float                                itself; NaN and the infinities are the texts "NaN", "Infinity", "-Infinity"
Enum                                 its value
bytes, bytearray, memoryview         base64 text (RFC 4648, with padding)
mapping                              an object; a key that is not a string becomes the text of its JSON value
pydantic model                       an object by alias; unset fields that are None are omitted
dataclass                            an object of its fields; types of the format as `dump` has them
list, tuple, other sequences         an array
path                                 its text
set                                  an array, in the order of its items' JSON text
anything else                        as pydantic writes it: ISO 8601 for dates and times, texts for UUID and Decimal

Values that cannot be written as JSON are refused: functions, exceptions, files, values that contain themselves, keys
that become the same string, and integers and depths that a strict JSON reader rejects.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import math
from collections.abc import Awaitable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from difflib import get_close_matches
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_jsonable_python

from ..json_text import JSONError, loads
from ..json_values import MAX_DEPTH, is_too_deep
from ..models import (
    AudioPart,
    DocumentPart,
    ImagePart,
    InvalidCall,
    OpaquePart,
    TextPart,
    ToolCall,
    ToolResult,
    VideoPart,
)
from ..serialization import PYDANTIC_CONFIG, dump, load
from ..tools.argument_errors import ArgumentsError

if TYPE_CHECKING:
    from ..tools.tool_entries import ToolEntry

__all__ = [
    "CANCELLED",
    "NOT_RUN",
    "NO_MORE_TURNS",
    "PLAIN",
    "NotJSONError",
    "Returned",
    "ToolError",
    "checked_result",
    "denied_text",
    "error_result",
    "failure_text",
    "invalid_arguments_text",
    "invalid_call_text",
    "invalid_result_text",
    "result_from_return_value",
    "timeout_text",
    "to_json_value",
    "unknown_tool_text",
]


PLAIN = frozenset([dict, str, int, float, bool, type(None)])
"""Types whose values are data: they are neither awaitable nor lists of parts."""

_ALWAYS_WRITABLE_BITS = 2000
"""Integers of so few bits can be written with any digit limit of the interpreter, which is at least 640 digits."""


class NotJSONError(ValueError):
    """A value that cannot be written as JSON. The message contains locations and types, but no values."""


def to_json_value(value: Any) -> Any:
    """Convert a value to JSON data. The data shares nothing with the value.

    Raises:
        NotJSONError: The value cannot be written as JSON, or contains itself.
    """
    try:
        data = _to_json(value)
    except RecursionError:
        raise NotJSONError("it is nested too deeply, or contains itself") from None
    if is_too_deep(data):
        raise NotJSONError(f"it is nested more than {MAX_DEPTH} levels deep")
    return data


def _to_json(value: Any) -> Any:
    """Convert a value to JSON data, by the rules at the top of this module. The usual types come first."""
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        return value if value.isascii() else _text(value)
    if kind is int:
        return _integer(value)
    if kind is dict:
        return _object(value)
    if kind is list:
        return [_to_json(item) for item in value]
    if kind is float:
        return value if math.isfinite(value) else _not_finite(value)
    if isinstance(value, Enum):
        return _to_json(value.value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return _integer(int(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _not_finite(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, PurePath):
        return _text(str(value))
    if isinstance(value, Mapping):
        return _object(value)
    if isinstance(value, BaseModel):
        return _to_json(_dump_model(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        is_of_format = getattr(value, "__pydantic_config__", None) is PYDANTIC_CONFIG
        return _to_json(dump(value) if is_of_format else _fields(value))
    if isinstance(value, AbstractSet):
        return sorted((_to_json(item) for item in value), key=lambda item: json.dumps(item, sort_keys=True))
    if isinstance(value, Sequence):
        return [_to_json(item) for item in value]
    return _as_pydantic_writes(value)


def _integer(value: int) -> int:
    """Return an integer.

    Raises:
        NotJSONError: It has more digits than the interpreter writes.
    """
    if value.bit_length() > _ALWAYS_WRITABLE_BITS:
        try:
            str(value)
        except ValueError:
            raise NotJSONError("an integer has too many digits") from None
    return value


def _text(value: str) -> str:
    """Return a string that can be encoded. Lone surrogates are replaced."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return str(value)


def _not_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _object(value: Mapping[Any, Any]) -> dict[str, Any]:
    """Convert a mapping to a JSON object.

    Raises:
        NotJSONError: A key is not a scalar, or two keys become the same string.
    """
    members: dict[str, Any] = {}
    for key, item in value.items():
        name = _to_json(key)
        if isinstance(name, list | dict):
            raise NotJSONError(f"a key is of type {type(key).__name__}")
        if not isinstance(name, str):
            name = json.dumps(name)
        if name in members:
            raise NotJSONError("two keys become the same string")
        members[name] = _to_json(item)
    return members


def _dump_model(model: BaseModel) -> Any:
    """Return the fields of a model. Unset fields are omitted only if they are None: other defaults have a meaning."""
    try:
        whole = model.model_dump(by_alias=True, warnings=False)
        explicit = model.model_dump(by_alias=True, warnings=False, exclude_unset=True)
    except (PydanticSerializationError, ValueError) as error:
        raise NotJSONError(f"a model of type {type(model).__name__} cannot be dumped") from error
    return _without_unset(whole, explicit)


def _without_unset(whole: Any, explicit: Any) -> Any:
    """Return a dumped model without the keys that are None, and missing if only the set fields are dumped."""
    if isinstance(whole, dict) and isinstance(explicit, dict):
        return {k: _without_unset(v, explicit.get(k)) for k, v in whole.items() if v is not None or k in explicit}
    if isinstance(whole, list) and isinstance(explicit, list) and len(whole) == len(explicit):
        return [_without_unset(*pair) for pair in zip(whole, explicit, strict=True)]
    return whole


def _fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass."""
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _as_pydantic_writes(value: Any) -> Any:
    """Convert a value of any other type.

    Raises:
        NotJSONError: pydantic does not know the type either.
    """
    try:
        data = to_jsonable_python(value, by_alias=True)
    except (PydanticSerializationError, ValueError) as error:
        raise NotJSONError(f"a value of type {type(value).__name__} cannot be written as JSON") from error
    if type(data) is type(value):
        raise NotJSONError(f"a value of type {type(value).__name__} cannot be written as JSON")
    return _to_json(data)


T = TypeVar("T")

Returned: TypeAlias = T | ToolResult | Awaitable[T | ToolResult]
"""The type of a handler's return value: the declared result or a `ToolResult`, either of which may be awaitable."""


_PARTS = (TextPart, ImagePart, DocumentPart, AudioPart, VideoPart, OpaquePart)

CANCELLED = "The call was cancelled."
"""The message to the model about a call that was not run because the run was cancelled."""

NOT_RUN = "The call was not run."
"""The message to the model about a call that nobody ran before the conversation continued."""

NO_MORE_TURNS = "The call was not run: the run has no more turns."
"""The message to the model about calls at the limit of turns."""

MAX_NAMES = 20
"""Maximum number of tools that a message lists."""

_REASONS: dict[str, str] = {
    "duplicate_id": "Another call of this message has the same id, so this one was not run.",
    "filtered": "A content filter blocked the call, so it was not run.",
    "not_an_object": "The arguments must be one JSON object. The call was not run.",
    "truncated": "The call was cut off, so it was not run. Send the complete call again.",
    "untrusted": "The call repeats text that a user or a tool wrote, so it was not run.",
}


class ToolError(Exception):
    """Raise this in a handler to tell the model what went wrong. Its message becomes the result, unchanged."""


def error_result(call: ToolCall, text: str) -> ToolResult:
    """Return the error result of a call."""
    return ToolResult(call.id, call.name, "error", text)


def result_from_return_value(call: ToolCall, entry: ToolEntry | None, value: Any) -> ToolResult:
    """Convert the return value of a handler to a result. The result shares nothing with the value.

    Without an `entry`, the tool has no declared result to check.

    Raises:
        NotJSONError: The value cannot be written as JSON.
        ArgumentsError: The value does not fit the declared result.
        ConversionError: A result or part that the handler made is not valid in the format.
    """
    if isinstance(value, ToolResult):
        result = checked_result(replace(value, tool_call_id=call.id, name=call.name))
        is_partial = bool(result.trimmed or result.is_error)  # or describes an error
        if entry is not None and result.kind == "data" and not is_partial:
            entry.check_result(result.value)
        return result
    parts = [value] if isinstance(value, _PARTS) else value
    if _are_parts(parts):
        return checked_result(ToolResult(call.id, call.name, "multimodal", list(parts)))
    data = to_json_value(value)
    if entry is not None:
        entry.check_result(data)
    kind: Literal["text", "data"] = "text" if isinstance(data, str) else "data"
    return ToolResult(call.id, call.name, kind, data)


def _are_parts(value: Any) -> bool:
    """Return whether a value is a sequence of content parts. An empty one is data."""
    if type(value) in PLAIN or not isinstance(value, Sequence) or not value:
        return False
    return all(isinstance(part, _PARTS) for part in value)


def checked_result(result: ToolResult) -> ToolResult:
    """Check a result that the app made: each field has its type, and the value has the type of its kind.

    Raises:
        TypeError: It is not a `ToolResult`.
        ConversionError: A field has another type.
        NotJSONError: The value cannot be written as JSON.
    """
    if not isinstance(result, ToolResult):
        raise TypeError(f"a result must be a ToolResult, not {type(result).__name__}")
    return load(ToolResult, to_json_value(result))


def unknown_tool_text(name: str, tool_names: Collection[str]) -> str:
    """Return the message that a tool does not exist. It suggests similar names, or lists all names."""
    sorted_names = sorted(tool_names)
    near = get_close_matches(name[:64], tool_names, n=3, cutoff=0.5)
    near += [each for each in sorted_names if each.casefold() == name.casefold() and each not in near]
    if near:
        return f"There is no tool with this name. Did you mean {' or '.join(near)}?"
    if not sorted_names:
        return "There is no tool with this name. No tools are available."
    further_count = len(sorted_names) - MAX_NAMES
    further = f" and {further_count} more" if further_count > 0 else ""
    return f"There is no tool with this name. The tools are: {', '.join(sorted_names[:MAX_NAMES])}{further}."


def invalid_arguments_text(name: str, error: ArgumentsError) -> str:
    """Return the message about invalid arguments of a call, with a line for each fault."""
    return f"The arguments do not fit {name}. The call was not run.\n{error}"


def invalid_call_text(invalid: InvalidCall) -> str:
    """Return the message about an invalid call that was not run."""
    if invalid.reason != "malformed":
        return _REASONS[invalid.reason]
    try:
        loads(invalid.text)
    except JSONError as error:
        return f"The arguments are not strict JSON: text with {error}. The call was not run."
    return "The arguments are not strict JSON. The call was not run."


def denied_text(reason: str | None) -> str:
    """Return the message that a review denied a call."""
    return f"The call was refused: {reason}" if reason else "The call was refused."


def invalid_result_text(name: str) -> str:
    """Return the message that a tool ran, but returned a value that does not match its declaration."""
    return f"{name} ran, but its result does not match its declaration."


def timeout_text(name: str, seconds: float | None) -> str:
    """Return the message that a handler exceeded its time limit."""
    return f"{name} did not finish within {seconds:g} seconds."


def failure_text(name: str, error: BaseException) -> str:
    """Return the message that a handler raised an exception. It contains only the name of the class."""
    return f"{name} failed: {type(error).__name__}."
