"""Findings about sources: their locations, the table of their codes, and the formatters."""

from toolgen.diagnostics.codes import CODES, Code
from toolgen.diagnostics.finding import Finding, Findings, Level, Related, Span

__all__ = ["CODES", "Code", "Finding", "Findings", "Level", "Related", "Span"]
