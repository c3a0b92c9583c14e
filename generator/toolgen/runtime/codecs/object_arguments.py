"""A call's arguments as an object of their own."""

from __future__ import annotations

from typing import Any

from ...models import InvalidCall
from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import ConversionError, wrong_type
from ..json_texts.json_text import compact, is_json
from ..json_texts.strict_json import loads
from ..paths import Path, spelled

__all__ = ["INVALID", "read", "write"]

INVALID = "INVALID_JSON"
"""The key under which text that is no object goes back (Anthropic, fine-grained tool streaming)."""


def read(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
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


def write(arguments: dict[str, Any], invalid: InvalidCall | None, kept: Any, at: Path, writer: Writer) -> Any:
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
            raise ConversionError(spelled(at), f"cannot be written as JSON: {type(error).__name__}") from error
        return arguments
    writer.lost(at, "text of an invalid call", "rewritten", "note", "arguments are an object here")
    return {INVALID: invalid.text}
