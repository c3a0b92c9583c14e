"""A call's arguments as JSON text."""

from __future__ import annotations

from typing import Any

from ...models import InvalidCall
from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import ConversionError, wrong_type
from ..json_texts.json_text import compact, is_compact, same
from ..json_texts.strict_json import loads
from ..paths import Path, spelled

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read the arguments; absent, null and blank text are none.

    Text that is no JSON, repeats a key or is no object makes the call invalid and is kept.

    Raises:
        ConversionError: the value is neither text nor an object.
    """
    if type(value) is str:
        if not value or value.isspace():
            return {}, None, value
        try:
            arguments = loads(value)
        except ValueError:
            return {}, InvalidCall(value, "malformed"), ABSENT
        if type(arguments) is not dict:
            return {}, InvalidCall(value, "not_an_object"), ABSENT
        return arguments, None, ABSENT if is_compact(value, arguments) else value
    if value is None or value is ABSENT:
        return {}, None, ABSENT
    if type(value) is dict:
        return value, None, value
    raise wrong_type(at, "a string", value)


def write(arguments: dict[str, Any], invalid: InvalidCall | None, kept: Any, at: Path, writer: Writer) -> Any:
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
        raise ConversionError(spelled(at), f"cannot be written as JSON: {type(error).__name__}") from error


def _says(kept: Any, arguments: dict[str, Any]) -> bool:
    if type(kept) is not str:
        return same(kept, arguments)
    if not kept or kept.isspace():
        return not arguments
    try:
        return same(loads(kept), arguments)
    except ValueError:
        return False
