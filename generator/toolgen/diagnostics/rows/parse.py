"""Codes of the parse stage."""

from __future__ import annotations

from toolgen.diagnostics.rows.row import Code

ROWS: tuple[Code, ...] = (
    Code(
        "name-illegal",
        "error",
        "the name {name} is not 1 to 64 of the characters a-z, A-Z, 0-9, _ and -",
        "Choose a name such as get_weather; another spelling for one provider goes under `providers`.",
        "Providers accept only these characters in a tool's name, and it becomes a Python module. A name that one "
        "of them refuses would fail at the first request, far from the declaration.",
    ),
    Code(
        "alias-illegal",
        "error",
        "the alias {alias} is not 1 to 64 of the characters a-z, A-Z, 0-9, _ and -",
        "Write the alias as a name is written.",
        "An alias is another name that a model may write in plain text. It follows the rules of names, so that it "
        "can be found there without guessing where it ends.",
    ),
)
