"""The schema of a tool's parameters, in the dialect that the wire takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import wrong_type
from ..json_text import same
from ..lowering import lower
from ..paths import Path
from ..reader import Reader
from ..residue import ABSENT
from ..writer import Writer

__all__ = ["Dialects", "read", "write"]

Dialects = Mapping[str, Mapping[str, Any]]


def read(
    value: Any, at: Path, reader: Reader, strict: bool | None, dialects: Dialects
) -> tuple[dict[str, Any] | None, Any]:
    """Read the schema as it is; it is kept where lowering would change it, for the API took it.

    Raises:
        ConversionError: it is neither an object nor null.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    lost: list[str] = []
    lowered = lower(value, _dialect(strict, dialects), lambda way, keyword: lost.append(keyword))
    return value, value if lost or lowered != value else ABSENT


def write(
    parameters: dict[str, Any] | None,
    kept: Any,
    at: Path,
    writer: Writer,
    strict: bool | None,
    dialects: Dialects,
) -> Any:
    """Write the schema, lowered; what the dialect does not have is reported by keyword."""
    if parameters is None:
        return ABSENT
    if type(kept) is dict and same(kept, parameters):
        return parameters

    def report(way: tuple[str | int, ...], keyword: str) -> None:
        where = at
        for step in way:
            where = (where, step)
        writer.lost(
            (where, keyword),
            keyword,
            "dropped",
            "note",
            f"{writer.wire.title} does not take it here",
        )

    return lower(parameters, _dialect(strict, dialects), report)


def _dialect(strict: bool | None, dialects: Dialects) -> Mapping[str, Any]:
    return dialects["strict"] if strict and "strict" in dialects else dialects["open"]
