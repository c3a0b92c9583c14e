"""How much to think, on a wire that has a switch for it, and words for how much."""

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


def read(value: Any, at: Path, reader: Reader, words: Mapping[str, str]) -> tuple[Reasoning | None, Any]:
    """Read the switch or the word; a word that is none of the wire's own is kept.

    Raises:
        ConversionError: it is neither a boolean, nor text, nor null.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is bool:
        return Reasoning() if value else Reasoning("none"), ABSENT
    if type(value) is not str:
        raise wrong_type(at, "a boolean or a string", value)
    return (Reasoning(value), ABSENT) if words.get(value) == value else (None, value)


def write(reasoning: Reasoning | None, kept: Any, at: Path, writer: Writer, words: Mapping[str, str]) -> Any:
    """Write the effort by the nearest word of the wire, or the switch where nothing is said of how much."""
    if reasoning is None:
        return kept
    if reasoning.metadata:
        writer.own(reasoning.metadata, at)
    effort, budget = reasoning.effort, reasoning.budget_tokens
    if budget is not None:
        writer.no_place((at, "budgetTokens"), "budgetTokens", "warning")
    if effort is None:
        return budget != 0
    if effort == "none":
        return False
    if effort not in words:
        writer.lost((at, "effort"), "effort", "rewritten", "warning", f"{writer.wire.title} has no word for it")
        return True
    if words[effort] != effort:
        writer.lost((at, "effort"), "effort", "rewritten", "note", f"the nearest word is {words[effort]}")
    return words[effort]
