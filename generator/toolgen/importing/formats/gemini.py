"""Gemini: the `tools` of a request body, or their function declarations.

Keys may be in camelCase or snake_case. `parameters` and `response` are in Gemini's OpenAPI subset, and converted to
JSON Schema by the function that conversations use. `parametersJsonSchema` and `responseJsonSchema` are JSON Schema
already. Tools without function declarations are Google's own: they are skipped with a warning. A member that is null is
not set, because the objects of the client are printed that way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgen.importing.formats import Format
from toolgen.importing.reader import ImportedTool, ImportReader, JsonObject
from toolgen.load import Pointer
from toolgen_runtime.apis.gemini.fields import from_openapi

_DECLARATIONS = ("functionDeclarations", "function_declarations")
_PARAMETERS = ("parametersJsonSchema", "parameters_json_schema", "parameters")
_RESULT = ("responseJsonSchema", "response_json_schema", "response")
_KNOWN = frozenset(["name", "description", *_PARAMETERS, *_RESULT])


def read(reader: ImportReader) -> Iterator[ImportedTool]:
    """Read the function declarations of a request."""
    for at, entry in reader.read_entries("tools", _is_tool):
        if entry.get("name") is not None or isinstance(entry.get("function"), dict):
            yield from _tool(reader, at, entry)
            continue
        for key, value in _without_nulls(entry).items():
            if key not in _DECLARATIONS:
                reader.report_at_key("import-skipped", (*at, key), tool=key, type=key)
            elif isinstance(value, list):
                for i, declaration in enumerate(value):
                    if isinstance(declaration, dict):
                        yield from _tool(reader, (*at, key, i), declaration)
                    else:
                        reader.report_wrong_type((*at, key, i), declaration, "a function declaration")
            else:
                reader.report_wrong_type((*at, key), value, "a list of function declarations")


def _is_tool(entry: JsonObject) -> bool:
    return "tools" not in entry and ("name" in entry or any(key in entry for key in _DECLARATIONS))


def _without_nulls(entry: JsonObject) -> JsonObject:
    return {key: value for key, value in entry.items() if value is not None}


def _tool(reader: ImportReader, at: Pointer, entry: JsonObject) -> Iterator[ImportedTool]:
    """Yield a function declaration as a tool; nothing, with a finding, if its name is unusable."""
    name = reader.name(at, entry)
    parameters, result = _key(entry, _PARAMETERS), _key(entry, _RESULT)
    schemas = {key: _json_schema(reader, at, key, entry.get(key)) for key in (parameters, result) if key in entry}
    converted = {**entry, **schemas}
    reader.report_dropped(at, entry, [key for key in (*_PARAMETERS, *_RESULT) if key not in (parameters, result)])
    tool = ImportedTool(
        at,
        name or "",
        ("gemini",),
        description=reader.text(at, entry, "description"),
        parameters=reader.parameters(at, converted, parameters, required=False),
        result=reader.object(at, converted, result),
        patch=reader.unknown_members(at, _without_nulls(entry), _KNOWN),
        locations={("parameters",): (*at, parameters), ("result",): (*at, result)},
    )
    if name is not None:
        yield tool


def _key(entry: JsonObject, keys: tuple[str, ...]) -> str:
    """Return the key that an entry uses. JSON Schema takes precedence over the other dialect."""
    return next((key for key in keys if entry.get(key) is not None), keys[-1])


def _json_schema(reader: ImportReader, at: Pointer, key: str, schema: Any) -> Any:
    """Return a schema as JSON Schema. One that cannot be converted is reported and admits everything."""
    if key not in ("parameters", "response") or not isinstance(schema, dict):
        return schema
    try:
        converted = from_openapi(schema)
    except ValueError:
        reader.report_wrong_type((*at, key), schema, "a schema without numbers in quotes")
        return {}
    if converted != schema:
        reader.report_at_key("import-dialect", (*at, key), key=key)
    return converted


FORMATS = {"gemini": Format("the tools of a request body, or an array of function declarations", read)}
