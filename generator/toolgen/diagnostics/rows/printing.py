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
    Code(
        "tool-refused",
        "error",
        "{tool} cannot be sent to {provider} as declared: {what}, for {reason}",
        "say `strict: auto`, change the schema, or leave the provider out with `unsupported`",
        "A tool that a provider refuses would be missing there, or take the whole request down, while a choice may still "
        "name it. So it is an error while building, unless the declaration leaves the provider out.",
    ),
)
