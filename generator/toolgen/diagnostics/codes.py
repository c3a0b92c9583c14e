"""The table of finding codes: one row each, gathered from the stages' own tables.

A code is kebab-case and reads well after "allow". Its row lives in `rows/<stage>.py`, with the stage that
reports it; a finding can only be made from a row.
"""

from __future__ import annotations

import importlib
import pkgutil

from toolgen.diagnostics import rows
from toolgen.diagnostics.rows.row import Code

__all__ = ["BY_STAGE", "CODES", "Code"]


def _gathered() -> dict[str, tuple[Code, ...]]:
    tables: dict[str, tuple[Code, ...]] = {}
    for module in sorted(pkgutil.iter_modules(rows.__path__), key=lambda m: m.name):
        if module.name != "row":
            stage = module.name.partition("_")[0]
            found = importlib.import_module(f"{rows.__name__}.{module.name}").ROWS
            tables[stage] = (*tables.get(stage, ()), *found)
    return tables


BY_STAGE: dict[str, tuple[Code, ...]] = _gathered()
"""The rows of each stage, by the first word of their file's name."""

CODES: dict[str, Code] = {row.id: row for table in BY_STAGE.values() for row in table}
"""Every row, by its id."""
