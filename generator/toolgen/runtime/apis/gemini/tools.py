"""Declarations in groups, in one of two dialects."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from ...conversion.extras import Extras, inner_extras
from ...conversion.reader import Reader
from ...conversion.values import Write
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...json_text import same_json
from ...models import OpaquePart, ToolDefinition
from ...paths import Path

__all__ = ["begin_group", "from_openapi", "read_schema", "write_grouped", "write_schema"]

_BOUNDS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_NUMBERS = {"INTEGER": int, "NUMBER": float}
_WHOLE = r"-?(?:0|[1-9][0-9]{0,18})"
_NUMBER = _WHOLE + r"(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?"
"""How JSON spells a number, at a length that everybody reads."""
_MAPS = ("properties", "defs")


def from_openapi(schema: Any) -> Any:
    """Read a schema. The order of properties that it may name is left out: objects keep theirs here."""
    if type(schema) is not dict:
        return schema
    found: dict[str, Any] = {}
    kind = str(schema.get("type") or "").upper()
    for keyword, value in schema.items():
        if value is None or keyword in ("nullable", "propertyOrdering"):
            continue
        if keyword == "type":
            if kind != "TYPE_UNSPECIFIED":
                found["type"] = kind.lower()
        elif keyword in _MAPS and type(value) is dict:
            found["$defs" if keyword == "defs" else keyword] = {
                name: from_openapi(inner) for name, inner in value.items()
            }
        elif keyword == "anyOf" and type(value) is list:
            found["anyOf"] = [from_openapi(inner) for inner in value]
        elif keyword in ("items", "additionalProperties"):
            found[keyword] = from_openapi(value)
        elif keyword == "ref":
            found["$ref"] = str(value).replace("#/defs/", "#/$defs/")
        elif keyword == "example":
            found["examples"] = [value]
        elif keyword == "enum" and type(value) is list:
            found["enum"] = [_number(item, kind) for item in value]
        elif keyword in _BOUNDS and type(value) is str and re.fullmatch(_WHOLE, value):
            found[keyword] = int(value)
        elif not (keyword == "format" and value == "enum"):
            found[keyword] = value
    return _nullable(found) if schema.get("nullable") is True else found


def _number(item: Any, kind: str) -> Any:
    """A value of an enum, which is spelled as text whatever its type."""
    if type(item) is str and kind in _NUMBERS and re.fullmatch(_WHOLE if kind == "INTEGER" else _NUMBER, item):
        value = _NUMBERS[kind](item)
        return value if math.isfinite(value) else item
    return item


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    if "type" in schema:
        wider = {**schema, "type": [schema["type"], "null"]}
        if type(schema.get("enum")) is list:
            wider["enum"] = [*schema["enum"], None]
        return wider
    if type(schema.get("anyOf")) is list:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    return schema


def begin_group(entries: Sequence[ToolDefinition], before: Sequence[Any], rest: Extras, reader: Reader) -> None:
    """Mark the first of a tool's declarations, where the tool is not the first with any, or holds more than them."""
    if entries and (rest or any(type(tool) is ToolDefinition for tool in before)):
        first = entries[0]
        first.metadata = reader.metadata({**inner_extras(first.metadata or {}, reader.wire.name), "$begins": rest})


def write_grouped(definitions: Sequence[Any], at: Path, writer: Writer, key: str, write: Write) -> list[Any]:
    """Write declarations into one tool under `key`, at the place of the first; one that began a tool begins one again.

    Another provider's tool has no place here, nor one that the API refuses; one of this provider stays between the tools.
    """
    wires: list[Any] = []
    group: list[Any] | None = None
    for i, tool in enumerate(definitions):
        if type(tool) is OpaquePart:
            if tool.provider != writer.wire.name or not writer.accepts(tool.value):
                writer.report_unsupported((at, i), "a provider's own tool", "warning")
                continue
            wires.append(tool.value)
            if group is not None and _joins_later(definitions[i + 1 :], writer):
                writer.report_loss(
                    (at, i), "a provider's own tool", "moved", "note", "the API requires the declarations to come first"
                )
            continue
        rest = inner_extras(tool.metadata or {}, writer.wire.name).get("$begins")
        written = write(tool, (at, i), writer)
        if group is None or type(rest) is dict:
            group = []
            wires.append({key: group, **(writer.accepted(rest, ((at, i), "metadata")) if rest else {})})
        group.append(written)
    return wires


def _joins_later(definitions: Sequence[Any], writer: Writer) -> bool:
    following = next((tool for tool in definitions if type(tool) is ToolDefinition), None)
    return following is not None and "$begins" not in inner_extras(following.metadata or {}, writer.wire.name)


def read_schema(holder: dict[str, Any], keys: tuple[str, str], at: Path, reader: Reader) -> tuple[Any, Extras]:
    """Read a schema as JSON Schema; what came is kept where our own writing would differ.

    Raises:
        ConversionError: The value is not an object.
    """
    lowerings = reader.wire.lowerings
    for key in keys:
        value = holder.get(key)
        if value is None:
            continue
        if type(value) is not dict:
            raise wrong_type((at, key), "an object", value)
        if key == keys[1]:
            return from_openapi(value), {f"${key}": value}
        lowered = lowerings.lowered(value, None)
        plain = lowerings.key is None and same_json(lowered.schema, value) and lowered.spelling is None
        return value, {} if plain else {f"${key}": value}
    return None, {}


def write_schema(schema: Any, own: Extras, keys: tuple[str, str], at: Path, writer: Writer) -> dict[str, Any]:
    """Write a schema under the key that it came with, else as the profile says; what is not supported is reported."""
    if schema is None:
        return {}
    for key in keys:
        kept = own.get(f"${key}")
        if type(kept) is dict and same_json(from_openapi(kept) if key == keys[1] else kept, schema):
            return {key: kept}
    return {keys[0] if writer.wire.lowerings.key is None else keys[1]: writer.lowered(schema, None, at)}
