"""Rules: what a linked catalogue risks. A rule says something; it never changes the catalogue."""

from toolgen.rules.registry import RULES, Rule, apply_rules

__all__ = ["RULES", "Rule", "apply_rules"]
