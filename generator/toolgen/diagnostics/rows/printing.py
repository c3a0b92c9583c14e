"""Codes of the printers."""

from __future__ import annotations

from toolgen.diagnostics.rows.row import Code

ROWS: tuple[Code, ...] = (
    Code(
        "more-findings",
        "note",
        "and {count} more findings",
        "mend those that are shown, and run the command again",
        "A run prints its gravest findings, a hundred of them. As JSON a last object of this code says how many more "
        "there are.",
    ),
)
