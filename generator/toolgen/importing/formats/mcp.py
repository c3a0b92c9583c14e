"""The Model Context Protocol: the answer to `tools/list`, or several of them.

https://modelcontextprotocol.io/specification/2025-11-25/server/tools says what a tool has. Members that a declaration
has no key for (`icons`, `execution`, `_meta`, any other) become the patch for `mcp`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.importing.formats import Format
from toolgen.importing.reader import Entry, ImportedTool, Reader, is_definition
from toolgen.load import Document, Pointer
from toolgen.runtime.apis.mcp.fields import WRAPPED, is_wrapper, value_schema_of

_KNOWN = frozenset(["name", "title", "description", "inputSchema", "outputSchema", "annotations"])


def read(reader: Reader) -> Iterator[ImportedTool]:
    """Read the tools of a tools/list answer; more pages than the file has are a warning."""
    _check_complete(reader)
    for at, entry in reader.entries("tools", is_definition):
        name = reader.name(at, entry)
        result, place = _result(reader, (*at, "outputSchema"), entry)
        tool = ImportedTool(
            at,
            name or "",
            ("mcp",),
            description=reader.text(at, entry, "description"),
            parameters=reader.parameters(at, entry, "inputSchema", demanded=True),
            result=result,
            display_name=_title(reader, (*at, "title"), entry),
            annotations=reader.object(at, entry, "annotations"),
            patch=reader.rest(at, entry, _KNOWN),
            moved={
                ("parameters",): (*at, "inputSchema"),
                ("result",): place,
                ("display_name",): (*at, "title"),
            },
        )
        if name is not None:
            yield tool


def _result(reader: Reader, at: Pointer, entry: Entry) -> tuple[Mapping[str, Any] | bool | None, Pointer]:
    """The schema of the value that a tool gives, and its place; what stands inside an object is taken out."""
    schema = reader.object(at[:-1], entry, "outputSchema")
    if schema is None:
        return None, at
    if not is_wrapper(schema):
        return value_schema_of(schema), at
    reader.report_change("import-unwrapped", at, key=WRAPPED)
    return value_schema_of(schema), (*at, "properties", WRAPPED)


def _title(reader: Reader, at: tuple[str | int, ...], entry: Entry) -> str | None:
    title = reader.text(at[:-1], entry, "title")
    if title == "":
        reader.report_change("import-empty", at, key="title")
    return title or None


def _check_complete(reader: Reader) -> None:
    """Report a cursor in the last page: the server has tools that the file has not."""
    at: tuple[str | int, ...] = ()
    page: Any = reader.document.value
    if isinstance(page, list) and page:
        at, page = (len(page) - 1,), page[-1]
    if isinstance(page, dict) and isinstance(page.get("result"), dict):
        at, page = (*at, "result"), page["result"]
    if isinstance(page, dict) and isinstance(page.get("tools"), list) and page.get("nextCursor") is not None:
        reader.report_change("import-more-pages", (*at, "nextCursor"))


def describe_source(document: Document) -> dict[str, str]:
    """The name of the server, where it was asked; a later import knows it again by that."""
    info = document.value.get("serverInfo") if isinstance(document.value, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return {"title": name} if isinstance(name, str) and name.strip() else {}


FORMATS = {"mcp": Format("a tools/list response, or the array of tools in it", read, describe_source)}
