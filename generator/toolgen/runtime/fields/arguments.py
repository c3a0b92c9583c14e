"""Arguments of calls: as JSON text, or as an object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..conversion.extras import ABSENT, Extras, extra_members
from ..conversion.reader import Reader
from ..conversion.writer import Writer
from ..errors import ConversionError, wrong_type
from ..json_text import compact, is_json, loads, loads_spelled, same_json
from ..models import InvalidCall, ToolCall
from ..paths import Path, format_path

__all__ = [
    "INVALID",
    "read_json_arguments",
    "read_object_arguments",
    "read_text_call",
    "take_text_call",
    "write_json_arguments",
    "write_object_arguments",
]


def read_text_call(
    identifier: Any,
    name: Any,
    text: str,
    wire: dict[str, Any],
    known: frozenset[str],
    way: Sequence[str],
    reader: Reader,
) -> ToolCall | None:
    """Read a call whose arguments are text; None where the id or the name is another one in the format.

    Members of `wire` that are not `known` are kept, and at the end of `way` the text where another one would be written.
    """
    if type(name) is not str or name in reader.tool_names or not reader.accepts_id(identifier):
        return None
    arguments, invalid, kept = _read_text(text)
    rest = extra_members(wire, known)
    if kept is not ABSENT:
        _keep_text(rest, way, kept)
    return reader.decode_parsed(ToolCall(identifier, name, arguments, invalid, reader.metadata(rest)))


def take_text_call(
    identifier: Any, name: Any, text: str, rest: Extras | None, way: Sequence[str], reader: Reader
) -> ToolCall | None:
    """Read a call whose arguments are text, which will be noted; None where the id or the name is another one in the format.

    `rest` is kept, and at the end of `way` the text where another one would be written.
    """
    arguments, invalid, kept = _read_text(text)
    if kept is not ABSENT:
        rest = {} if rest is None else rest
        _keep_text(rest, way, kept)
    metadata = None if rest is None else reader.metadata(rest)
    return reader.take_call(identifier, name, arguments, metadata, invalid, parsed=True)


def _keep_text(rest: Extras, way: Sequence[str], text: str) -> None:
    """Keep a text at the end of a chain of keys."""
    *outer, key = way
    for step in outer:
        rest = rest.setdefault(step, {})
    rest[key] = text


def _read_text(text: str) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    if not text or text.isspace():
        return {}, None, text
    try:
        arguments, spelled = loads_spelled(text)
    except ValueError:
        return {}, InvalidCall(text, "malformed"), ABSENT
    if type(arguments) is not dict:
        return {}, InvalidCall(text, "not_an_object"), ABSENT
    return arguments, None, ABSENT if spelled else text


def read_json_arguments(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read the arguments; absent, null and blank text are none.

    Text that is not valid JSON, repeats a key or is not an object makes the call invalid and is kept.

    Raises:
        ConversionError: the value is neither text nor an object.
    """
    if type(value) is str:
        return _read_text(value)
    if value is None or value is ABSENT:
        return {}, None, ABSENT
    if type(value) is dict:
        return value, None, value
    raise wrong_type(at, "a string", value)


def write_json_arguments(
    arguments: dict[str, Any], invalid: InvalidCall | None, kept: Any, at: Path, writer: Writer
) -> Any:
    """Write the arguments; an invalid call goes back in the words in which it came.

    Raises:
        ConversionError: the arguments hold what JSON cannot.
    """
    if kept is not ABSENT and _says(kept, arguments) and (invalid is None or _says(invalid.text, arguments)):
        return kept
    if invalid is not None:
        return invalid.text
    try:
        return compact(arguments)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversionError(format_path(at), f"cannot be written as JSON: {type(error).__name__}") from error


def _says(kept: Any, arguments: dict[str, Any]) -> bool:
    if type(kept) is not str:
        return same_json(kept, arguments)
    if not kept or kept.isspace():
        return not arguments
    try:
        return same_json(loads(kept), arguments)
    except ValueError:
        return False


INVALID = "INVALID_JSON"
"""The key under which text that is not an object goes back (Anthropic, fine-grained tool streaming)."""


def read_object_arguments(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read the arguments; absent and null are none, text is that of a stream that broke or was not checked.

    Raises:
        ConversionError: the value is neither an object nor text.
    """
    if type(value) is dict:
        return value, None, ABSENT
    if value is None or value is ABSENT:
        return {}, None, ABSENT
    if type(value) is not str:
        raise wrong_type(at, "an object", value)
    if not value or value.isspace():
        return {}, None, ABSENT
    try:
        found = loads(value)
    except ValueError:
        return {}, InvalidCall(value, "malformed"), ABSENT
    if type(found) is not dict:
        return {}, InvalidCall(value, "not_an_object"), ABSENT
    return found, None, ABSENT


def write_object_arguments(
    arguments: dict[str, Any], invalid: InvalidCall | None, kept: Any, at: Path, writer: Writer
) -> Any:
    """Write the arguments; the text of a call that could not be read is wrapped, and reported.

    Raises:
        ConversionError: the arguments hold what JSON cannot.
    """
    unread = invalid is not None and not arguments and invalid.text.strip() not in ("", "{}")
    if invalid is None or not unread:
        try:
            if not is_json(arguments):
                compact(arguments)
        except (TypeError, ValueError, RecursionError) as error:
            raise ConversionError(format_path(at), f"cannot be written as JSON: {type(error).__name__}") from error
        return arguments
    writer.report_loss(at, "text of an invalid call", "rewritten", "note", "arguments are an object here")
    return {INVALID: invalid.text}
