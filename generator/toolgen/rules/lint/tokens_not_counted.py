"""A budget in tokens where nothing counts them."""

from __future__ import annotations

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.rules.payloads import Payloads

CODE = "tokens-not-counted"


def check_payloads(payloads: Payloads, findings: Findings) -> None:
    """Report budgets in tokens that cannot be held against anything."""
    if not isinstance(payloads.tokenizer, str):
        return
    for provider, budget in payloads.budgets.items():
        for unit in budget:
            if "tokens" in unit and provider in payloads.sets:
                findings.add(CODE, payloads.place("budgets", provider, unit), reason=Verbatim(payloads.tokenizer))
