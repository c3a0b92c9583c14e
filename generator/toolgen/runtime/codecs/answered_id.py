"""The id of the call that a result answers, on a wire that also matches by name and order."""

from __future__ import annotations

from typing import Any

from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import ConversionError, wrong_type
from ..paths import Path, spelled

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader, name: str) -> tuple[str, Any]:
    """Read the id; without one, or with one that no call has, the result is that of the next call of this tool.

    Raises:
        ConversionError: it is neither text nor null.
    """
    if value is not None and value is not ABSENT and type(value) is not str:
        raise wrong_type(at, "a string", value)
    if value:
        identifier, called = reader.call_of(value)
        if called:
            reader.closed(identifier)
            return identifier, ABSENT if identifier == value else {"$synthetic": identifier, "$wire": value}
    identifier = reader.answered(name) or value or name
    if identifier == value:
        return identifier, ABSENT
    return identifier, {"$synthetic": identifier, "$wire": value} if type(value) is str else {"$synthetic": identifier}


def write(identifier: str, kept: Any, at: Path, writer: Writer, name: str) -> Any:
    """Write the id as it stands with the call; none where the call has none.

    Raises:
        ConversionError: the name of the tool is missing, which the wire demands.
    """
    if not name:
        raise ConversionError(spelled((at[0], "name")), f"must name the tool for {writer.wire.title}")
    if type(kept) is dict and kept.get("$synthetic") == identifier:
        return kept["$wire"] if type(kept.get("$wire")) is str else ABSENT
    return ABSENT if writer.left_out(identifier) else writer.call_id(identifier)
