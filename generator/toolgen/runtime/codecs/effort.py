"""How much to think, on a wire that has a word for it and no number."""

from __future__ import annotations

from typing import Any

from ...models import Reasoning
from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[Reasoning | None, Any]:
    """Read the effort.

    Raises:
        ConversionError: it is neither text nor null.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    return Reasoning(effort=value), ABSENT


def write(reasoning: Reasoning | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the effort; a number of tokens has no place."""
    if reasoning is None:
        return ABSENT
    if reasoning.budget_tokens is not None:
        writer.no_place((at, "budgetTokens"), "budgetTokens", "warning")
    return ABSENT if reasoning.effort is None else reasoning.effort
