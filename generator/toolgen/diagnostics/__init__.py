"""Findings about sources: their locations, the table of their codes, and the formatters."""

from toolgen.diagnostics.codes import CODES
from toolgen.diagnostics.finding import Finding, Findings, Level, Related, Span

__all__ = ["CODES", "Finding", "Findings", "Level", "Related", "Span"]
