"""Bounds of a schema: of the right kind, and with room between them."""

from __future__ import annotations

import math
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
    if schema.get("type") == "integer" and not faults and not _room(schema):
        low, high = (next(k for k in (f"exclusive{e}", e.lower()) if k in schema) for e in ("Minimum", "Maximum"))
        findings.add(
            "bounds-without-integer",
            library.span(place, low),
            lower=Verbatim(f"{low} ({schema[low]})"),
            upper=Verbatim(f"{high} ({schema[high]})"),
        )
        faults.add(low)
    return faults


def _room(schema: dict[str, Any]) -> bool:
    """Whether a whole number lies between the bounds."""
    lows = [math.ceil(schema["minimum"])] if "minimum" in schema else []
    lows += [math.floor(schema["exclusiveMinimum"]) + 1] if "exclusiveMinimum" in schema else []
    highs = [math.floor(schema["maximum"])] if "maximum" in schema else []
    highs += [math.ceil(schema["exclusiveMaximum"]) - 1] if "exclusiveMaximum" in schema else []
    return not lows or not highs or max(lows) <= min(highs)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
