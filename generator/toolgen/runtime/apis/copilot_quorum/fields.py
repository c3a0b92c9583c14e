"""Field readers and writers that only copilot-quorum needs."""

from __future__ import annotations

from typing import Any

from ...conversion.extras import ABSENT, is_internal_mark
from ...conversion.reader import Reader
from ...conversion.writer import Writer
from ...json_text import loads
from ...models import InvalidCall
from ...paths import Path
from ...tool_call_fields import (
    INVALID_ARGUMENTS_KEY,
    read_object_arguments,
    read_tool_name,
    write_object_arguments,
    write_tool_name,
)

__all__ = ["read_map_arguments", "read_result_tool_name", "write_map_arguments", "write_result_tool_name"]


def write_result_tool_name(name: str, extra: Any, at: Path, writer: Writer) -> str:
    """Write the name. The original name wins if the result still has the name that replaced it."""
    if type(extra) is dict and extra.get("$synthetic") == name and type(extra.get("$wire")) is str:
        return str(extra["$wire"])
    return write_tool_name(name, extra, at, writer)


def read_map_arguments(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read the arguments. A value that is not a map is kept as an extra.

    Raises:
        ConversionError: The value is neither a map, nor the JSON text of one, nor null.
    """
    arguments, invalid, _ = read_object_arguments(value, at, reader)
    if value is ABSENT:
        return arguments, invalid, {"$absent": True}
    if type(value) is not dict:
        return arguments, invalid, {"$whole": value}
    text = value.get(INVALID_ARGUMENTS_KEY) if len(value) == 1 else None
    if type(text) is str:
        try:
            found = loads(text)
        except ValueError:
            return {}, InvalidCall(text, "malformed"), ABSENT
        if type(found) is not dict:
            return {}, InvalidCall(text, "not_an_object"), ABSENT
    return arguments, invalid, ABSENT


def write_map_arguments(
    arguments: dict[str, Any], invalid: InvalidCall | None, extra: Any, at: Path, writer: Writer
) -> Any:
    """Write the arguments. The original value wins if it means the same.

    Raises:
        ConversionError: The arguments cannot be written as JSON.
    """
    if is_internal_mark(extra) and not arguments:
        if "$absent" in extra:
            return ABSENT
        if extra["$whole"] is None or (type(extra["$whole"]) is str and not extra["$whole"].strip()):
            return extra["$whole"]
        if invalid is not None and extra["$whole"] == invalid.text:
            return extra["$whole"]
    return write_object_arguments(arguments, invalid, extra, at, writer)


read_result_tool_name = read_tool_name
