"""The table of finding codes: one row each, gathered from the stages' own tables.

A code is kebab-case and reads well after "allow". Its row lives in `rows/<stage>.py`, with the stage that
reports it; a finding can only be made from a row.
"""

from __future__ import annotations

import importlib
import pkgutil

from toolgen.diagnostics import rows
from toolgen.diagnostics.rows.row import Code

__all__ = ["CODES", "Code"]


def _gathered() -> dict[str, Code]:
    tables = [
        importlib.import_module(f"{rows.__name__}.{module.name}").ROWS
        for module in sorted(pkgutil.iter_modules(rows.__path__), key=lambda m: m.name)
        if module.name != "row"
    ]
    return {row.id: row for table in tables for row in table}


CODES: dict[str, Code] = _gathered()
"""Every row, by its id."""
