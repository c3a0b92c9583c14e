"""Codes of the model backend: schemas that cannot become types."""

from __future__ import annotations

from toolgen.diagnostics.rows.row import Code

ROWS: tuple[Code, ...] = ()
