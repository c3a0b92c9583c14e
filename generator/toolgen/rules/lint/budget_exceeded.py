"""Tools that cost more than the project allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.rules.payloads import Payloads, Tokenizer, compact, size

CODE = "budget-exceeded"


def check_payloads(payloads: Payloads, findings: Findings) -> None:
    """Report providers whose payload, and tools whose entry, is beyond the budget in bytes or tokens."""
    for unit, shown, count in _units(payloads.tokenizer):
        for provider, value in payloads.sets.items():
            most = payloads.budgets.get(provider, {}).get(unit)
            if most is not None and count(value) > most:
                findings.add(
                    CODE,
                    payloads.place("budgets", provider, unit),
                    what=Verbatim("the tools take"),
                    count=count(value),
                    unit=Verbatim(shown),
                    provider=Verbatim(provider),
                    most=most,
                )
        for each in payloads.single:
            most = payloads.budgets.get(each.provider, {}).get(f"tool_{unit}")
            if most is not None and count(each.value) > most:
                findings.add(
                    CODE,
                    each.tool.document.span("name"),
                    what=Verbatim(f"the tool {each.tool.name} takes"),
                    count=count(each.value),
                    unit=Verbatim(shown),
                    provider=Verbatim(each.provider),
                    most=most,
                )


def _units(tokenizer: Tokenizer | str) -> Iterator[tuple[str, str, Callable[[Any], int]]]:
    """The units of budgets that can be counted: key, how messages have it, and how it is counted."""
    yield "bytes", "bytes", size
    if isinstance(tokenizer, Tokenizer):
        count = tokenizer.count
        yield "tokens", f"tokens ({tokenizer.name})", lambda value: count(compact(value))
