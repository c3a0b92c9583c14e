"""The lint rules: every module in `rules/lint`, each with a `CODE` and a `check`. A new file there is a new rule."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from toolgen.diagnostics import Findings, Level
from toolgen.resolve import Catalog
from toolgen.rules import lint


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its code (a row in `diagnostics/rows/rules.py`), and the function that looks at a catalogue."""

    code: str
    check: Callable[[Catalog, Findings], None]


def _discovered() -> Mapping[str, Rule]:
    found = {}
    for module in sorted(pkgutil.iter_modules(lint.__path__), key=lambda m: m.name):
        check = importlib.import_module(f"{lint.__name__}.{module.name}")
        found[check.CODE] = Rule(check.CODE, check.check)
    return found


RULES: Mapping[str, Rule] = _discovered()


def apply_rules(catalog: Catalog, findings: Findings, levels: Mapping[str, Level | Literal["off"]]) -> None:
    """Let every rule look at the catalogue. `levels` are the project's own, by code; `off` leaves a rule out."""
    for rule in RULES.values():
        level = levels.get(rule.code)
        if level == "off":
            continue
        found = Findings()
        rule.check(catalog, found)
        findings.items += found.items if level is None else [replace(f, level=level) for f in found.items]
