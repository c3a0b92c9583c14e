"""The schema of a tool's parameters, in the dialect that the wire takes."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..json_texts.json_text import same
from ..paths import Path

__all__ = ["read", "write"]


def read(
    value: Any, at: Path, reader: Reader, strict: bool | None = None
) -> tuple[dict[str, Any] | None, Any]:
    """Read the schema as it is; it is kept where lowering would change or refuse it, for the API took it.

    Raises:
        ConversionError: it is neither an object nor null.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    lowered = reader.wire.lowerings.lowered(value, strict)
    plain = same(lowered.schema, value) and lowered.spelling is None and not lowered.refusals
    return value, ABSENT if plain else value


def write(
    parameters: dict[str, Any] | None, kept: Any, at: Path, writer: Writer, strict: bool | None = None
) -> Any:
    """Write the schema, lowered; what the dialect does not take as it is is reported."""
    if parameters is None:
        return ABSENT
    if type(kept) is dict and same(kept, parameters):
        return parameters
    return writer.lowered(parameters, strict, at)
