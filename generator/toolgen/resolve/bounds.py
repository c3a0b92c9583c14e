"""Bounds of a schema: of the right kind, and with room between them."""

from __future__ import annotations

from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.resolve.places import Library, Place

_COUNTS = tuple(f"{end}{what}" for what in ("Length", "Items", "Properties", "Contains") for end in ("min", "max"))
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_PAIRS = (
    ("minLength", "maxLength", False),
    ("minItems", "maxItems", False),
    ("minProperties", "maxProperties", False),
    ("minContains", "maxContains", False),
    ("minimum", "maximum", False),
    ("exclusiveMinimum", "maximum", True),
    ("minimum", "exclusiveMaximum", True),
    ("exclusiveMinimum", "exclusiveMaximum", True),
)
"""Lower bound, upper bound, and whether they must differ."""


def check_bounds(schema: dict[str, Any], place: Place, library: Library, findings: Findings) -> set[str]:
    """Report bounds that have no meaning or leave no room; return the keywords that are at fault."""
    bad = {}
    for keyword in _COUNTS:
        value = schema.get(keyword, 0)
        if not _number(value) or value != int(value) or value < 0:
            bad[keyword] = "a whole number from zero on"
    for keyword in _NUMBERS:
        if not _number(schema.get(keyword, 0)):
            bad[keyword] = "a number"
    step = schema.get("multipleOf", 1)
    if not _number(step) or step <= 0:
        bad["multipleOf"] = "a number above zero"
    for keyword, wanted in bad.items():
        findings.add(
            "bound-invalid",
            library.span(place, keyword),
            keyword=Verbatim(keyword),
            value=schema[keyword],
            wanted=Verbatim(wanted),
        )
    faults = set(bad)
    for lower, upper, apart in _PAIRS:
        if lower in schema and upper in schema and not {lower, upper} & faults:
            low, high = schema[lower], schema[upper]
            if low > high or (apart and low == high):
                findings.add(
                    "bounds-contradict",
                    library.span(place, lower),
                    lower=Verbatim(f"{lower} ({low})"),
                    upper=Verbatim(f"{upper} ({high})"),
                )
                faults.add(lower)
    return faults


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
