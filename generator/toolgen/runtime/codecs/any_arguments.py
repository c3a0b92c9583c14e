"""The arguments of a call that is about to run, as any JSON value; there may be none."""

from __future__ import annotations

from typing import Any

from ...models import InvalidCall
from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, marked
from ..conversion.writer import Writer
from ..json_texts.json_text import loose
from ..paths import Path
from . import object_arguments

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read the arguments; how there were none is kept, and so is a value that is no object. Blank text is none."""
    if type(value) is dict:
        return value, None, ABSENT
    if value is None or value is ABSENT:
        return {}, None, None if value is None else {"$absent": True}
    if type(value) is str and not value.strip():
        return {}, None, value
    return {}, InvalidCall(_text(value), "not_an_object"), value


def write(arguments: dict[str, Any], invalid: InvalidCall | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the arguments, or what came in their place; an object is run, so that of a call that must not be is refused.

    Raises:
        ConversionError: the call cannot be run, or its arguments hold what JSON cannot.
    """
    if invalid is not None and not arguments:
        said = invalid.text
        return kept if kept is not None and kept is not ABSENT and _text(kept) == said else said
    if invalid is not None:
        writer.lost((at[0], "invalid"), "an invalid call", "rewritten", "behaviour", "it would be run as it stands")
    if not arguments and (kept is None or type(kept) is str or marked(kept)):
        return ABSENT if marked(kept) else kept
    return object_arguments.write(arguments, None, kept, at, writer)


def _text(value: Any) -> str:
    """The text of a value that is no object: a text as it is, else JSON."""
    return value if type(value) is str else loose(value)
