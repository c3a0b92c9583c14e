"""`import_file`: the steps of an import in their order."""

from __future__ import annotations

from pathlib import Path

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import Verbatim
from toolgen.importing.checking import check
from toolgen.importing.declaring import declared
from toolgen.importing.formats import form
from toolgen.importing.naming import named
from toolgen.importing.reader import Reader
from toolgen.importing.yaml_text import yaml_text
from toolgen.load import Document
from toolgen.load.foreign import load_foreign, read_back
from toolgen.load.limits import FILE_BYTES
from toolgen.write.adding import Added, add


def import_file(file: Path, format: str, schemas: Path, findings: Findings) -> Added | None:
    """Write one declaration a tool of the file under SCHEMAS/tools.

    Every change to a tool is a finding. None, and nothing written, where one of the findings is an error.

    Raises:
        KeyError: there is no such format.
    """
    document = load_foreign(file, findings)
    if document is None:
        return None
    foreign = form(format)
    tools = list(foreign.read(Reader(document, findings, foreign.title)))
    if not tools and not findings.errors:
        findings.add("import-nothing", Span(document.path), path=document.path)
    if not tools:
        return None
    declarations = [declared(name, tool, document) for name, tool in named(tools, document, findings)]
    check(declarations, schemas, findings)
    files = {each.source.removeprefix("tools/"): _text(each, findings) for each in declarations}
    if findings.errors:
        return None
    return add(files, schemas / "tools", f"{schemas.as_posix()}/tools", findings)


def _text(declaration: Document, findings: Findings) -> str:
    """The declaration as YAML, which was read back as a build will read it."""
    text = yaml_text(declaration.value)
    scratch = Findings()
    same = read_back(text, declaration.source, scratch) == declaration.value
    if not same or len(text.encode()) > FILE_BYTES:
        reason = next((f.message for f in scratch), f"it has more than {FILE_BYTES} bytes")
        span = declaration.span("name")
        findings.add("import-unreadable", span, tool=declaration.value["name"], reason=Verbatim(reason))
    return text
