"""Codes of the lint rules; `rules/lint` has a file for each."""

from __future__ import annotations

from toolgen.diagnostics.rows.row import Code

ROWS: tuple[Code, ...] = (
    Code(
        "parameter-without-description",
        "note",
        "the parameter {parameter} of {tool} has no description",
        "say in a sentence what it holds",
        "A model fills in what it understands. A name alone leaves units, formats and defaults to guesswork.",
    ),
    Code(
        "tool-without-description",
        "note",
        "the tool {tool} has no description",
        "say in a sentence what it does and when to use it",
        "The description is what a model chooses a tool by.",
    ),
)
