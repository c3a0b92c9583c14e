"""OpenAPI 3.0, 3.1 and 3.2: a document, each operation of which becomes a tool.

The arguments are the parameters of the operation and the members of its body (`arguments.py`), the result is its
successful response, and named schemas become shared types. Authorization is not an argument, because a model has
nothing to do with it. Safe methods become read-only tools; their risk stays high until an author changes it.

document → operations → arguments and results → schemas, converted to JSON Schema on the way
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolgen.importing.formats import Format
from toolgen.importing.formats.openapi.arguments import read_arguments
from toolgen.importing.formats.openapi.operations import SAFE_METHODS, Operation, read_operations, result_schema
from toolgen.importing.formats.openapi.references import Resolver
from toolgen.importing.formats.openapi.schemas import SchemaConverter, TooLargeError, Version, referenced_types
from toolgen.importing.reader import ImportedTool, ImportedType, ImportReader
from toolgen.load import Document
from toolgen.load.limits import TOTAL_VALUES

_VERSION = re.compile(r"3\.([0-2])(\.[0-9]+)?(-[A-Za-z0-9.-]+)?")
_DIALECTS = ("https://spec.openapis.org/oas/3.", "https://json-schema.org/draft/2020-12/schema")


def describe_source(document: Document) -> dict[str, str]:
    """Return the title and version of the document. Later imports recognize the source by the title."""
    info = document.value.get("info") if isinstance(document.value, dict) else None
    facts = info if isinstance(info, dict) else {}
    return {key: facts[key] for key in ("title", "version") if isinstance(facts.get(key), str) and facts[key].strip()}


def read(reader: ImportReader) -> Iterator[ImportedTool | ImportedType]:
    """Read the operations of a document, and the types that they refer to."""
    version = _version(reader)
    if version is None:
        return
    schemas = SchemaConverter(Resolver(reader), version, dict(reader.type_stems))
    try:
        tools = [_tool(operation, schemas, reader) for operation in read_operations(schemas.resolver)]
        types = list(schemas.types())
    except TooLargeError:
        reader.report_at_key("too-many-values", (), limit=TOTAL_VALUES)
        return
    yield from tools
    yield from referenced_types(tools, types)
    for keyword, pointers in schemas.left_out.items():
        reader.report_at_key("import-keyword", next(iter(pointers)), keyword=keyword, count=len(pointers))
    if reader.document.value.get("webhooks"):
        reader.report_at_key("import-webhooks", ("webhooks",))


def _version(reader: ImportReader) -> Version | None:
    """Return the dialect of the document's schemas; None, with a finding, for an unsupported document."""
    value: Any = reader.document.value
    if not isinstance(value, dict):
        reader.report_wrong_type((), value, "a mapping: an OpenAPI document")
        return None
    if "openapi" not in value:
        if "swagger" in value:
            reader.report_at_key("import-swagger", ("swagger",))
        else:
            reader.findings.add("import-no-openapi", reader.document.span())
        return None
    version = value["openapi"]
    match = _VERSION.fullmatch(version) if isinstance(version, str) else None
    if match is None:
        shown = version if isinstance(version, str | int | float) else type(version).__name__
        reader.findings.add("import-openapi-version", reader.document.span("openapi"), version=str(shown))
        return None
    dialect = value.get("jsonSchemaDialect")
    if dialect is not None and not (isinstance(dialect, str) and dialect.startswith(_DIALECTS)):
        reader.findings.add("dialect-unknown", reader.document.span("jsonSchemaDialect"), dialect=str(dialect))
        return None
    return "3.0" if match[1] == "0" else "3.1"


def _tool(operation: Operation, schemas: SchemaConverter, reader: ImportReader) -> ImportedTool:
    """Return an operation as a tool. Without an `operationId`, its name is made of its method and path."""
    at, entry = operation.at, operation.entry
    identifier = reader.text(at, entry, "operationId")
    summary, description = (reader.text(at, entry, key) for key in ("summary", "description"))
    arguments = read_arguments(operation, schemas)
    result = result_schema(operation, schemas)
    origin = {
        "method": operation.method,
        "path": operation.path,
        "arguments": arguments.destinations,
        "spelling": _spelling(operation),
        "body": arguments.media,
        "security": _setting(reader.document.value, operation, "security"),
        "servers": _setting(reader.document.value, operation, "servers"),
    }
    heading = f"{operation.method} {operation.path}"
    return ImportedTool(
        at,
        identifier or f"{operation.method.lower()} {operation.path}",
        (),
        description=description or summary or f"{heading}.",
        parameters=arguments.schema,
        result=result.schema,
        display_name=summary if summary and description and summary != description else None,
        deprecated=reader.flag(at, entry, "deprecated") or None,
        annotations={"readOnlyHint": True} if operation.method.lower() in SAFE_METHODS else None,
        locations={
            ("name",): (*at, "operationId"),
            ("display_name",): (*at, "summary"),
            ("description",): (*at, "description" if description else "summary"),
            **arguments.moved,
            **result.moved,
        },
        origin={key: value for key, value in origin.items() if value is not None},
        tags=tuple(tag for tag in entry.get("tags") or () if isinstance(tag, str)),
        other_locations=((*at[:-1], "parameters"),),
    )


def _spelling(operation: Operation) -> Any:
    """Return how arguments are serialized in a request, by kind and name, where it is not OpenAPI's default."""
    spelling: dict[str, dict[str, Any]] = {}
    for parameter in operation.parameters:
        if parameter.serialization:
            spelling.setdefault(parameter.location, {})[parameter.name] = parameter.serialization
    return spelling or None


def _setting(document: Any, operation: Operation, key: str) -> Any:
    """Return a setting of an operation, of its path or of the document. A handler needs it to make a request."""
    holders = (operation.entry, operation.path_item, document)
    setting = next((holder[key] for holder in holders if key in holder), None)
    return setting if isinstance(setting, list) and setting else None


FORMATS = {"openapi": Format("an OpenAPI 3 document", read, describe_source)}
