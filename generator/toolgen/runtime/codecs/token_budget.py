"""How much to think, on a wire that has a switch for it and a number of tokens, and no words."""

from __future__ import annotations

from typing import Any

from ...models import Reasoning
from ..conversion.reader import Reader
from ..conversion.residue import ABSENT, marked
from ..conversion.writer import Writer
from ..errors import wrong_type
from ..json_texts.json_text import same
from ..paths import Path

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[Reasoning | None, Any]:
    """Read the settings; those that only switch on what is on unasked, or say something else, are kept.

    Raises:
        ConversionError: they are neither an object nor null, or the number is none.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    budget = value.get("token_budget")
    if budget is not None and type(budget) is not int:
        raise wrong_type((at, "token_budget"), "an integer", budget)
    effort = "none" if value.get("type") == "disabled" else None
    if effort is None and budget is None:
        return None, value
    found = Reasoning(effort, budget)
    return found, ABSENT if same(_settings(found), value) else {"$whole": value}


def write(reasoning: Reasoning | None, kept: Any, at: Path, writer: Writer) -> Any:
    """Write the settings, as they came while they say the same; an effort has no place."""
    if reasoning is None:
        return ABSENT if marked(kept) else kept
    if marked(kept) and read(kept["$whole"], at, Reader(writer.wire))[0] == reasoning:
        return kept["$whole"]
    if reasoning.effort not in (None, "none"):
        writer.no_place((at, "effort"), "effort", "warning")
    elif reasoning.effort == "none" and reasoning.budget_tokens is not None:
        writer.lost((at, "budgetTokens"), "budgetTokens", "dropped", "note", "nothing is thought")
    return _settings(reasoning)


def _settings(reasoning: Reasoning) -> Any:
    if reasoning.effort == "none":
        return {"type": "disabled"}
    if reasoning.budget_tokens is None:
        return ABSENT
    return {"type": "enabled", "token_budget": reasoning.budget_tokens}
