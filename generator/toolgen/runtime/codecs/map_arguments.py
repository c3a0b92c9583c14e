"""A call's arguments as a map that is always there; text of a call that could not be read stands in it under one key."""

from __future__ import annotations

from typing import Any

from ...models import InvalidCall
from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, marked
from ..conversion.writer import Writer
from ..json_texts.strict_json import loads
from ..paths import Path
from . import object_arguments

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read the arguments; what stood there instead of a map is kept.

    Raises:
        ConversionError: the value is none of a map, text of one, and null.
    """
    arguments, invalid, _ = object_arguments.read(value, at, reader)
    if value is ABSENT:
        return arguments, invalid, {"$absent": True}
    if type(value) is not dict:
        return arguments, invalid, {"$whole": value}
    text = value.get(object_arguments.INVALID) if len(value) == 1 else None
    if type(text) is str:
        try:
            found = loads(text)
        except ValueError:
            return {}, InvalidCall(text, "malformed"), ABSENT
        if type(found) is not dict:
            return {}, InvalidCall(text, "not_an_object"), ABSENT
    return arguments, invalid, ABSENT


def write(arguments: dict[str, Any], invalid: InvalidCall | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the arguments, or what stood there while it says the same.

    Raises:
        ConversionError: the arguments hold what JSON cannot.
    """
    if marked(kept) and not arguments:
        if "$absent" in kept:
            return ABSENT
        if kept["$whole"] is None or (type(kept["$whole"]) is str and not kept["$whole"].strip()):
            return kept["$whole"]
        if invalid is not None and kept["$whole"] == invalid.text:
            return kept["$whole"]
    return object_arguments.write(arguments, invalid, kept, at, writer)
