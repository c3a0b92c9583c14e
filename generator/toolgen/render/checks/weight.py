"""How heavy a schema is: what is light is written out in place, what is heavy becomes a function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen.plan.assertions import asserted
from toolgen.resolve.keywords import subschemas

LIGHT = 4
"""The weight that is written out."""


def weight(schema: Any) -> int:
    """The keywords that refuse values in a schema and in those inside it; more than `LIGHT` are not counted."""
    total, stack = 0, [schema]
    while stack and total <= LIGHT:
        here = stack.pop()
        if isinstance(here, Mapping):
            total += len(asserted(here)) + len(here.get("required", ())) // 3
            stack.extend(sub for _, sub in subschemas(here))
    return total
