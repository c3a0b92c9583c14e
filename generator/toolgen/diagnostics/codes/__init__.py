"""The table of finding codes: one row each, with an example, collected from the tables of the stages.

A code is in kebab-case and reads well after "allow". Its row is in `<stage>.py`, or `<stage>_<subject>.py`, of the
stage that reports it. Every finding needs a row.
"""

from __future__ import annotations

from toolgen.diagnostics.codes import (
    breaking,
    importing,
    load,
    parse,
    resolve_catalog,
    resolve_references,
    resolve_schemas,
    rules,
    rules_prose,
    rules_schemas,
    write,
)
from toolgen.diagnostics.codes.code import Code, Example

__all__ = ["BY_STAGE", "CODES", "Code", "Example"]

BY_STAGE: dict[str, tuple[Code, ...]] = {
    "breaking": tuple(sorted((*breaking.ROWS, *parse.REPLAY), key=lambda row: row.id)),
    "importing": importing.ROWS,
    "load": load.ROWS,
    "parse": parse.ROWS,
    "printing": write.PRINTING,
    "resolve": (*resolve_references.ROWS, *resolve_schemas.ROWS, *resolve_catalog.ROWS),
    "rules": tuple(sorted((*rules.ROWS, *rules_prose.ROWS, *rules_schemas.ROWS), key=lambda row: row.id)),
    "write": write.ROWS,
}
"""The rows of each stage."""

CODES: dict[str, Code] = {row.id: row for table in BY_STAGE.values() for row in table}
"""All rows by id."""
