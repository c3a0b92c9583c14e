"""Rules: what a linked catalogue risks. A rule says something; it never changes the catalogue."""

from toolgen.rules.allowing import allows, check_silencing, settle
from toolgen.rules.payloads import Lost, Payload, Payloads, Tokenizer, size
from toolgen.rules.registry import RULES, Rule, apply_payload_rules, apply_rules

__all__ = [
    "RULES",
    "Lost",
    "Payload",
    "Payloads",
    "Rule",
    "Tokenizer",
    "allows",
    "apply_payload_rules",
    "apply_rules",
    "check_silencing",
    "settle",
    "size",
]
