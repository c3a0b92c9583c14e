"""The lint rules: every module in `rules/lint` with its `CODE`. A new file there is a new rule.

A rule looks at the catalogue (`check`), or at what providers are sent (`check_payloads`). `toolgen lint` runs all of
them; a build runs those of the first kind that say `IN_BUILD = True`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from toolgen.diagnostics import Findings, Level
from toolgen.resolve import Catalog
from toolgen.rules import lint
from toolgen.rules.payloads import Payloads


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its code (a row in `diagnostics/rows/rules.py`), what it looks at, and whether a build runs it."""

    code: str
    check: Callable[[Catalog, Findings], None] | None
    check_payloads: Callable[[Payloads, Findings], None] | None
    in_build: bool


def _discovered() -> Mapping[str, Rule]:
    found = {}
    for module in sorted(pkgutil.iter_modules(lint.__path__), key=lambda m: m.name):
        rule: Any = importlib.import_module(f"{lint.__name__}.{module.name}")
        looks = getattr(rule, "check", None), getattr(rule, "check_payloads", None)
        found[rule.CODE] = Rule(rule.CODE, *looks, in_build=getattr(rule, "IN_BUILD", False))
    return found


RULES: Mapping[str, Rule] = _discovered()

Levels = Mapping[str, Level | Literal["off"]]
"""The project's own levels, by code; `off` leaves a rule out."""


def apply_rules(catalog: Catalog, findings: Findings, levels: Levels, *, building: bool = True) -> None:
    """Let the rules look at the catalogue: while building those that a build runs, else all."""
    for rule in RULES.values():
        if rule.check is not None and (rule.in_build or not building) and levels.get(rule.code) != "off":
            rule.check(catalog, findings)


def apply_payload_rules(payloads: Payloads, findings: Findings, levels: Levels) -> None:
    """Let the rules look at what providers are sent."""
    for rule in RULES.values():
        if rule.check_payloads is not None and levels.get(rule.code) != "off":
            rule.check_payloads(payloads, findings)
