"""The setting for thinking of Claude, in the form that the model takes. Bedrock has it among its additional fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..conversion.extras import ABSENT
from ..conversion.fit_to_model import TOKENS_OF_EFFORTS, report_for_model
from ..conversion.writer import Writer
from ..models import Reasoning
from ..paths import Path

__all__ = [
    "budget_of",
    "fit_thinking",
    "fit_thinking_to_limit",
    "fit_thinking_to_turn",
    "read_reasoning_settings",
    "write_thinking",
]

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


def budget_of(thinking: Any) -> int | None:
    """Return the number of tokens of enabled thinking. None for another setting."""
    if type(thinking) is not dict or thinking.get("type") != "enabled":
        return None
    budget = thinking.get("budget_tokens")
    return budget if type(budget) is int else None


def fit_thinking_to_turn(thinking: Any, messages: Any, kind_of: Callable[[Any], Any], at: Path, writer: Writer) -> Any:
    """Return a setting for thinking that a turn allows: ABSENT if calls without thinking were answered last.

    `messages` are those of the body, and `kind_of` returns the kind of one of their blocks.
    """
    if budget_of(thinking) is None or not _lacks_thinking(messages, kind_of):
        return thinking
    reason = "the API requires thinking in a turn whose calls were answered last"
    writer.report_loss(at, "reasoning", "dropped", reason, "warning")
    return ABSENT


def _lacks_thinking(messages: Any, kind_of: Callable[[Any], Any]) -> bool:
    """Return whether results end the messages, and no message of the turn that they belong to starts with thinking.

    To the API a turn is all that the assistant has said since the user said something else than results. The model
    often thinks only at its start, so its later messages need no thinking.
    """
    has_results = False
    for message in reversed(messages if type(messages) is list else []):
        role, content = (message.get("role"), message.get("content")) if type(message) is dict else (None, None)
        kinds = [str(kind_of(block)) for block in content] if type(content) is list else []  # of any JSON type
        if role == "assistant" and kinds and kinds[0] in _THINKING:
            return False
        if role == "user":
            if _RESULTS.isdisjoint(kinds):
                break
            has_results = True
        elif not has_results and role == "assistant":
            break
    return has_results


_THINKING = frozenset(["thinking", "redacted_thinking", "reasoning", "redacted"])
_RESULTS = frozenset(["tool_result", "result"])
"""The kinds of blocks on both wires."""


def fit_thinking_to_limit(thinking: Any, max_tokens: Any, at: Path, writer: Writer) -> Any:
    """Return a setting for thinking whose number of tokens is below the limit of all tokens; ABSENT for none."""
    budget = budget_of(thinking)
    if budget is None or type(max_tokens) is not int or budget < max_tokens:
        return thinking
    if max_tokens <= SMALLEST_BUDGET:
        reason = f"thinking takes at least {SMALLEST_BUDGET:,} tokens, and maxOutputTokens counts them"
        writer.report_loss(at, "reasoning", "dropped", reason, "warning")
        return ABSENT
    reason = "it must be below maxOutputTokens, which counts these tokens too"
    writer.report_loss((at, "budgetTokens"), "budgetTokens", "rewritten", reason, "warning")
    return {**thinking, "budget_tokens": max_tokens - 1}


def _display_of(thinking: Any) -> dict[str, Any]:
    """Return how a setting wants thinking to be shown, if it says so."""
    return {"display": thinking["display"]} if type(thinking) is dict and "display" in thinking else {}
