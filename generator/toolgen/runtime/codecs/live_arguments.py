"""The arguments of a call that is about to run, as an object; there may be none."""

from __future__ import annotations

from typing import Any

from ...models import InvalidCall
from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, marked
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path
from . import object_arguments

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read the arguments; that there were none is kept.

    Raises:
        ConversionError: the value is neither an object nor null.
    """
    if type(value) is dict:
        return value, None, ABSENT
    if value is None or value is ABSENT:
        return {}, None, None if value is None else {"$absent": True}
    raise wrong_type(at, "an object", value)


def write(arguments: dict[str, Any], invalid: InvalidCall | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the arguments; to send a call is to run it, so one that must not be run is refused.

    Raises:
        ConversionError: the call cannot be run, or its arguments hold what JSON cannot.
    """
    if invalid is not None:
        writer.lost((at[0], "invalid"), "an invalid call", "rewritten", "behaviour", "it would be run as it stands")
    if not arguments and (kept is None or marked(kept)):
        return None if kept is None else ABSENT
    return object_arguments.write(arguments, None, kept, at, writer)
