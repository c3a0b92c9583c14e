"""Rules stage: checks the resolved catalog for risks. A rule reports findings and never changes the catalog."""

from toolgen.rules.lint import RULES, apply_payload_rules, apply_rules
from toolgen.rules.rule import PayloadLoss, Payloads, SingleToolPayload, payload_size
from toolgen.rules.suppressions import apply_suppressions, check_suppressions, find_suppressions

__all__ = [
    "RULES",
    "PayloadLoss",
    "Payloads",
    "SingleToolPayload",
    "apply_payload_rules",
    "apply_rules",
    "apply_suppressions",
    "check_suppressions",
    "find_suppressions",
    "payload_size",
]
