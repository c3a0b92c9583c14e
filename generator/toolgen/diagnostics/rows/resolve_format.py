"""Codes about the sources of the intermediate format."""

from __future__ import annotations

from toolgen.diagnostics.rows.row import Code

ROWS: tuple[Code, ...] = (
    Code(
        "format-field-required",
        "error",
        "{field} may not be required: {type} is a type of the shipped format",
        "leave it out of `required`; a project adds optional fields only",
        "Code and stored conversations made before the field existed have no value for it.",
    ),
    Code(
        "format-field-name",
        "error",
        "a field cannot be called {field}, which is a word of Python",
        "give the field another name",
        "Fields are attributes of Python classes.",
    ),
    Code(
        "format-field-known",
        "error",
        "{type} has a field {field} already, with another schema",
        "give the new field another name",
        "Converters and stored conversations rely on the shipped fields; a project can only add to them.",
    ),
    Code(
        "format-type-unknown",
        "error",
        "the format has no type {type}",
        "refer to a type under `$defs` of a file in `format/`",
        "Types of the format refer to one another by name.",
    ),
)
