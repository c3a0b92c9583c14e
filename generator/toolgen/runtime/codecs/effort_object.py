"""How much to think, as an object with a word or a number of tokens; the table has its keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...models import Reasoning
from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader, table: Mapping[str, str]) -> tuple[Reasoning | None, Any]:
    """Read the object; what else it holds is kept.

    Raises:
        ConversionError: it, its word or its number has the wrong type.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    effort, budget = value.get(table["effort"]), value.get(table["budgetTokens"])
    if effort is not None and type(effort) is not str:
        raise wrong_type((at, table["effort"]), "a string", effort)
    if budget is not None and type(budget) is not int:
        raise wrong_type((at, table["budgetTokens"]), "an integer", budget)
    if effort is None and budget is None:
        return None, value
    rest = {k: v for k, v in value.items() if v is None or k not in table.values()}
    return Reasoning(effort, budget), rest or ABSENT


def write(reasoning: Reasoning | None, kept: Any, at: Path, writer: Writer, table: Mapping[str, str]) -> Any:
    """Write the object; what it held besides comes back with the residue."""
    if reasoning is None:
        return ABSENT
    said = {table["effort"]: reasoning.effort, table["budgetTokens"]: reasoning.budget_tokens}
    return {key: value for key, value in said.items() if value is not None}
