"""The setting for thinking of Claude, in the form that the model takes. Bedrock has it among its additional fields."""

from __future__ import annotations

from typing import Any

from ..conversion.extras import ABSENT
from ..conversion.fit_to_model import TOKENS_OF_EFFORTS, report_for_model
from ..conversion.writer import Writer
from ..models import Reasoning
from ..paths import Path

__all__ = ["SMALLEST_BUDGET", "fit_thinking", "read_reasoning_settings", "write_thinking"]

SMALLEST_BUDGET = 1024
"""The least number of tokens for thinking."""

_ADAPTIVE = {"type": "adaptive"}


def read_reasoning_settings(thinking: Any, effort: Any) -> Reasoning | None:
    """Read the reasoning settings: a number of tokens, an effort, both, or None for neither."""
    level = effort if type(effort) is str else None
    budget = None
    if type(thinking) is dict:
        budget = thinking.get("budget_tokens")
        if level is None and thinking.get("type") == "disabled":
            level = "none"
    if type(budget) is not int:
        return None if level is None else Reasoning(level, None)
    return Reasoning(level, budget)


def write_thinking(reasoning: Reasoning | None, original: Any, at: Path, writer: Writer) -> Any:
    """Write the setting for thinking: the original if it means the same. ABSENT if none is needed.

    `original` is what a body had: ABSENT if it had an effort alone, None if there was no body.
    """
    effort = reasoning.effort if reasoning is not None else None
    budget = reasoning.budget_tokens if reasoning is not None else None
    if original is not None and original is not ABSENT:
        separate_effort = None if effort == "none" else effort
        if read_reasoning_settings(original, separate_effort) == reasoning:
            return original
    if effort == "none" or budget == 0:
        return {"type": "disabled"}
    if budget is None:
        is_needed = (
            effort is not None and writer.model_facts.reasoning.thinking == "adaptive" and original is not ABSENT
        )
        return {**_display_of(original), **_ADAPTIVE} if is_needed else ABSENT
    if budget < SMALLEST_BUDGET:
        reason = f"the smallest number is {SMALLEST_BUDGET:,}"
        writer.report_loss((at, "budgetTokens"), "budgetTokens", "rewritten", reason, "warning")
    return {"type": "enabled", "budget_tokens": max(budget, SMALLEST_BUDGET)}


def fit_thinking(thinking: Any, effort: str | None, at: Path, writer: Writer) -> Any:
    """Return a setting for thinking in the form that the model takes, and report a change. ABSENT for none."""
    facts, kind = writer.model_facts.reasoning, thinking.get("type") if type(thinking) is dict else None
    fact, form = "reasoning.thinking", facts.thinking
    if kind == "disabled" and facts.efforts is not None and form == "adaptive" and "none" not in facts.efforts:
        report_for_model(writer, at, "thinking", "dropped", "always thinks", "reasoning.efforts", "warning")
        return ABSENT
    if kind not in ("adaptive", "enabled") or form in (None, "any", kind):
        return thinking
    if form == "none":
        report_for_model(writer, at, "thinking", "dropped", "does not think", fact, "warning")
        return ABSENT
    if form == "adaptive":
        report_for_model(writer, at, "thinking", "rewritten", "takes adaptive thinking only", fact)
        return {**_display_of(thinking), **_ADAPTIVE}
    tokens = TOKENS_OF_EFFORTS.get(effort or "medium", TOKENS_OF_EFFORTS["medium"])
    reason = f"has no adaptive thinking, and gets {tokens:,} tokens for it"
    report_for_model(writer, at, "thinking", "rewritten", reason, fact, "warning")
    return {**_display_of(thinking), "type": "enabled", "budget_tokens": tokens}


def _display_of(thinking: Any) -> dict[str, Any]:
    """Return how a setting wants thinking to be shown, if it says so."""
    return {"display": thinking["display"]} if type(thinking) is dict and "display" in thinking else {}
