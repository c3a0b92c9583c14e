"""Declarations that have a finding, and how they read once it is mended: the examples of `toolgen explain`.

A code whose finding takes several files, or none, has no example.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping

from toolgen.diagnostics.examples.example import Example

__all__ = ["EXAMPLES", "Example"]


def _gathered() -> dict[str, Example]:
    found: dict[str, Example] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        if module.name != "example":
            found |= importlib.import_module(f"{__name__}.{module.name}").EXAMPLES
    return found


EXAMPLES: Mapping[str, Example] = _gathered()
"""By code."""
