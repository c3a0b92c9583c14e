"""Rules: what a linked catalog risks. A rule says something; it never changes the catalog."""

from toolgen.rules.lint import RULES, apply_payload_rules, apply_rules
from toolgen.rules.rule import Lost, Payload, Payloads, Rule, size
from toolgen.rules.suppressions import apply_suppressions, check_silencing, find_suppressions

__all__ = [
    "RULES",
    "Lost",
    "Payload",
    "Payloads",
    "Rule",
    "apply_payload_rules",
    "apply_rules",
    "apply_suppressions",
    "check_silencing",
    "find_suppressions",
    "size",
]
