"""What toolgen says about sources: places, findings, the table of codes, and printers."""

from toolgen.diagnostics.codes import CODES, Code
from toolgen.diagnostics.finding import Finding, Findings, Level, Related, Span

__all__ = ["CODES", "Code", "Finding", "Findings", "Level", "Related", "Span"]
