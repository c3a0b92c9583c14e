"""The table of finding codes: one row each, gathered from the stages' own tables.

A code is kebab-case and reads well after "allow". Its row lives in `rows/<stage>.py`, with the stage that
reports it; a finding can only be made from a row.
"""

from __future__ import annotations

from toolgen.diagnostics.rows import load, model, parse, resolve, resolve_format, rules, write
from toolgen.diagnostics.rows.row import Code

__all__ = ["CODES", "Code"]

CODES: dict[str, Code] = {
    row.id: row
    for table in (load.ROWS, parse.ROWS, resolve.ROWS, resolve_format.ROWS, rules.ROWS, model.ROWS, write.ROWS)
    for row in table
}
