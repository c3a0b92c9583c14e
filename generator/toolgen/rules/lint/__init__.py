"""The lint rules: every `Rule` in the modules of this folder. A function decorated with a code is a rule.

A rule checks the catalog (`catalog_rule`), or the payloads of providers (`payload_rule`). `toolgen lint` runs all of
them. A build runs those of the first kind with `in_build=True`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from typing import Literal

from toolgen.diagnostics import Findings, Level
from toolgen.resolve import Catalog
from toolgen.rules.rule import Payloads, Rule


def _all_rules() -> Iterator[Rule]:
    """Yield the rules of the modules in this folder."""
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        values = vars(importlib.import_module(f"{__name__}.{module.name}")).values()
        yield from (value for value in values if isinstance(value, Rule))


RULES: Mapping[str, Rule] = {rule.code: rule for rule in _all_rules()}
"""The rules by code."""

Levels = Mapping[str, Level | Literal["off"]]
"""The project's own levels, by code. `off` disables a rule."""


def apply_rules(catalog: Catalog, findings: Findings, levels: Levels, *, building: bool = True) -> None:
    """Run the rules on the catalog: in a build only those with `in_build`, otherwise all."""
    for rule in RULES.values():
        if rule.check is not None and (rule.in_build or not building) and levels.get(rule.code) != "off":
            rule.check(catalog, findings)


def apply_payload_rules(payloads: Payloads, findings: Findings, levels: Levels) -> None:
    """Run the rules on the payloads of providers."""
    for rule in RULES.values():
        if rule.check_payloads is not None and levels.get(rule.code) != "off":
            rule.check_payloads(payloads, findings)
