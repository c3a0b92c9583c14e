"""Payloads: what a tool loses on its way to a provider, and what tools cost there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText, join_names, quote_name
from toolgen.resolve import Tool
from toolgen.rules.rule import Lost, Payloads, compact, payload_rule, size
from toolgen.tokens import Tokenizer


@payload_rule("portability")
def check_portability(payloads: Payloads, findings: Findings) -> None:
    """Report what each tool loses, once for all providers that lose the same."""
    found: dict[str, tuple[Tool, dict[str, list[str]]]] = {}
    for payload in payloads.single:
        _, lossy = found.setdefault(payload.tool.name, (payload.tool, {}))
        if payload.losses:
            lossy.setdefault(_summary(payload.losses), []).append(payload.provider)
    for tool, lossy in found.values():
        for summary, providers in lossy.items():
            findings.add(
                "portability",
                tool.document.span("name"),
                hint=f"`toolgen show {tool.name}` explains each change; to exclude a provider, use `unsupported`",
                tool=tool.name,
                providers=RawText(join_names(providers)),
                changes=RawText(quote_name(summary, 600)[1:-1]),
            )


def _summary(losses: Iterable[Lost]) -> str:
    """What is dropped, rewritten and so on, with the number of places where it is more than one."""
    counts: dict[str, dict[str, int]] = {}
    for lost in losses:
        words = counts.setdefault(lost.action, {})
        words[lost.what] = words.get(lost.what, 0) + 1
    return "; ".join(
        f"{action} {', '.join(word if n == 1 else f'{word} ({n} places)' for word, n in sorted(words.items()))}"
        for action, words in sorted(counts.items())
    )


@payload_rule("budget-exceeded")
def check_budget_exceeded(payloads: Payloads, findings: Findings) -> None:
    """Report providers whose payload, and tools whose entry, is beyond the budget in bytes or tokens."""
    for unit, shown, count in _units(payloads.tokenizer):
        for provider, value in payloads.sets.items():
            most = payloads.budgets.get(provider, {}).get(unit)
            if most is not None and count(value) > most:
                findings.add(
                    "budget-exceeded",
                    payloads.place("budgets", provider, unit),
                    what=RawText("the tools take up"),
                    count=count(value),
                    unit=RawText(shown),
                    provider=RawText(provider),
                    most=most,
                )
        for each in payloads.single:
            most = payloads.budgets.get(each.provider, {}).get(f"tool_{unit}")
            if most is not None and count(each.value) > most:
                findings.add(
                    "budget-exceeded",
                    each.tool.document.span("name"),
                    what=RawText(f"the tool {each.tool.name} takes up"),
                    count=count(each.value),
                    unit=RawText(shown),
                    provider=RawText(each.provider),
                    most=most,
                )


def _units(tokenizer: Tokenizer | str) -> Iterator[tuple[str, str, Callable[[Any], int]]]:
    """The units of budgets that can be counted: key, how messages have it, and how it is counted."""
    yield "bytes", "bytes", size
    if isinstance(tokenizer, Tokenizer):
        count = tokenizer.count
        yield "tokens", f"tokens ({tokenizer.name})", lambda value: count(compact(value))


@payload_rule("tokens-not-counted")
def check_tokens_not_counted(payloads: Payloads, findings: Findings) -> None:
    """Report budgets in tokens that cannot be held against anything."""
    if not isinstance(payloads.tokenizer, str):
        return
    for provider, budget in payloads.budgets.items():
        for unit in budget:
            if "tokens" in unit and provider in payloads.sets:
                findings.add(
                    "tokens-not-counted", payloads.place("budgets", provider, unit), reason=RawText(payloads.tokenizer)
                )
