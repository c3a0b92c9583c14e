"""A call's arguments as an object."""

from __future__ import annotations

from typing import Any

from ...models import InvalidCall
from ..errors import ConversionError, wrong_type
from ..json_text import compact
from ..paths import Path, spelled
from ..reader import Reader
from ..residue import ABSENT
from ..writer import Writer

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read the arguments; absent and null are none.

    Raises:
        ConversionError: the value is something else.
    """
    if value is None or value is ABSENT:
        return {}, None, ABSENT
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    return value, None, ABSENT


def write(arguments: dict[str, Any], invalid: InvalidCall | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the arguments; of an invalid call what could be read.

    Raises:
        ConversionError: the arguments hold what JSON cannot.
    """
    try:
        compact(arguments)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversionError(spelled(at), f"cannot be written as JSON: {type(error).__name__}") from error
    if invalid is not None and invalid.reason in ("malformed", "not_an_object"):
        writer.lost((at[0], "invalid"), "the text of the arguments", "dropped", "note", "arguments are an object here")
    return arguments
