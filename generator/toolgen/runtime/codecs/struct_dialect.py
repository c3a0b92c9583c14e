"""The schema of a tool's parameters, for a server that decodes it into structs of its own and wants one."""

from __future__ import annotations

from typing import Any, Literal

from ..errors import wrong_type
from ..json_text import same
from ..paths import Path
from ..reader import Reader
from ..residue import ABSENT, marked
from ..struct_schema import lower_for_structs
from ..writer import Writer
from .dialect import Dialects

__all__ = ["read", "write"]

def read(value: Any, at: Path, reader: Reader, dialects: Dialects) -> tuple[dict[str, Any] | None, Any]:
    """Read the schema as it is; it is kept where lowering would change it. That there was none, or null, is kept.

    Raises:
        ConversionError: it is neither an object nor null.
    """
    if value is None or value is ABSENT:
        return None, {"$absent": True} if value is ABSENT else None
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    reported: list[str] = []
    lower_for_structs(value, dialects["open"], lambda way, keyword, action: reported.append(keyword))
    return value, value if reported else ABSENT


def write(parameters: dict[str, Any] | None, kept: Any, at: Path, writer: Writer, dialects: Dialects) -> Any:
    """Write the schema, lowered; what the server would drop, and what is said otherwise, is reported."""
    if parameters is None:
        if kept is None:
            return None
        return ABSENT if marked(kept) else {"type": "object", "properties": {}}
    if type(kept) is dict and same(kept, parameters):
        return parameters

    def report(way: tuple[str | int, ...], keyword: str, action: Literal["dropped", "rewritten"]) -> None:
        where = at
        for step in way:
            where = (where, step)
        if action == "dropped":
            writer.lost((where, keyword), keyword, "dropped", "note", f"{writer.wire.title} does not take it here")
        else:
            writer.lost(where, keyword, "rewritten", "note", f"{writer.wire.title} takes the schema in other words")

    return lower_for_structs(parameters, dialects["open"], report)
