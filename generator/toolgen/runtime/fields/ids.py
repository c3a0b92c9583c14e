"""Names of tools, and ids of calls and results, as most wires have them."""

from __future__ import annotations

from typing import Any

from ..conversion.extras import ABSENT
from ..conversion.reader import Reader
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = [
    "read_answered_call_id",
    "read_call_id",
    "read_id_or_null",
    "read_optional_id",
    "read_result_id",
    "read_tool_name",
    "write_answered_call_id",
    "write_call_id",
    "write_id_or_null",
    "write_optional_id",
    "write_result_id",
    "write_tool_name",
]


def read_tool_name(value: Any, at: Path, reader: Reader) -> tuple[str, Any]:
    """Read the name that the app knows the tool by.

    Raises:
        ConversionError: The value is not a string.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", None if value is ABSENT else value)
    return reader.tool_names.get(value, value), ABSENT


def write_tool_name(name: str, kept: Any, at: Path, writer: Writer) -> str:
    """Write the name. A name that the wire rejects is renamed one to one, and reported."""
    return writer.tool_name(name, at)


def read_call_id(value: Any, at: Path, reader: Reader) -> tuple[str, Any]:
    """Read the id; one that is missing, blank or used before is made here, and the wire's spelling kept with it.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    if reader.accepts_id(value):
        return value, ABSENT
    identifier, spelling = reader.call_id(value, at)
    if spelling is ABSENT and value is identifier:
        return identifier, ABSENT
    return identifier, {"$synthetic": identifier} if spelling is ABSENT else {
        "$synthetic": identifier,
        "$wire": spelling,
    }


def write_call_id(identifier: str, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the id: the original one if it was replaced when it was read, renamed if the wire rejects it."""
    if type(kept) is dict and kept.get("$synthetic") == identifier and type(kept.get("$wire")) is str:
        writer.keep_id(identifier, kept["$wire"])
        return kept["$wire"]
    return writer.call_id(identifier)


def write_optional_id(identifier: str, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the id: the original one if it was replaced when it was read. A synthetic id is not sent."""
    if type(kept) is dict and kept.get("$synthetic") == identifier:
        spelling = kept.get("$wire")
        if type(spelling) is str:
            writer.keep_id(identifier, spelling)
            return spelling
        writer.leave_out(identifier)
        return ABSENT
    return writer.call_id(identifier)


def read_result_id(value: Any, at: Path, reader: Reader) -> tuple[str, str, Any]:
    """Read the id of the call, and the name of the tool that it called; empty where the call is not there.

    Raises:
        ConversionError: The value is not a string.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", None if value is ABSENT else value)
    identifier, name = reader.call_of(value)
    return identifier, name, ABSENT


def write_result_id(identifier: str, name: str, kept: Any, at: Path, writer: Writer) -> str:
    """Write the id as it is written with the call."""
    return writer.call_id(identifier)


def read_id_or_null(value: Any, at: Path, reader: Reader) -> tuple[str, Any]:
    """Read the id; one that is missing, blank or used before is made here.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    identifier, _ = reader.call_id(value, at)
    if identifier == value:
        return identifier, ABSENT
    made = {"$synthetic": identifier}
    return identifier, made if value is ABSENT else {**made, "$wire": value}


def write_id_or_null(identifier: str, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the id, or the original value in its place."""
    if type(kept) is dict and kept.get("$synthetic") == identifier:
        return kept.get("$wire", ABSENT)
    return writer.call_id(identifier)


def read_answered_call_id(value: Any, at: Path, reader: Reader) -> tuple[str, Any]:
    """Read the id that the call has; the wire's spelling is kept where that is another one.

    Raises:
        ConversionError: The value is not a string.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", None if value is ABSENT else value)
    identifier, _ = reader.call_of(value)
    return identifier, ABSENT if identifier == value else {"$synthetic": identifier, "$wire": value}


def write_answered_call_id(identifier: str, kept: Any, at: Path, writer: Writer) -> str:
    """Write the id as it is written with the call."""
    if type(kept) is dict and kept.get("$synthetic") == identifier and type(kept.get("$wire")) is str:
        return str(kept["$wire"])
    return writer.call_id(identifier)


read_optional_id = read_call_id
