"""Every source file held against the schema of its kind."""

from __future__ import annotations

from toolgen.diagnostics import Findings
from toolgen.load import Sources
from toolgen.parse.meta import meta
from toolgen.parse.validation import conforms


def check_documents(sources: Sources, findings: Findings) -> None:
    """Check profiles and files of the format; declarations are checked where they are read."""
    for document in sources.providers:
        conforms(document, meta("provider"), findings)
    for document in sources.formats:
        conforms(document, meta("format"), findings)
