"""A call's arguments as an object of their own."""

from __future__ import annotations

from typing import Any

from ...models import InvalidCall
from ..errors import wrong_type
from ..paths import Path
from ..reader import Reader
from ..residue import ABSENT
from ..strict_json import loads
from ..writer import Writer

__all__ = ["read", "write"]

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
    """Write the arguments; the text of a call that could not be read is wrapped, and reported."""
    unread = invalid is not None and not arguments and invalid.text.strip() not in ("", "{}")
    if invalid is None or not unread:
        return arguments
    writer.lost(at, "text of an invalid call", "rewritten", "note", "arguments are an object here")
    return {INVALID: invalid.text}
