"""Repairs of faulty declarations, which keep the meaning of a schema. Each repair is reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText
from toolgen.load import Document, Pointer
from toolgen.load.sources import pointer_text
from toolgen.resolve.schema_checks import TYPES
from toolgen.resolve.schema_locations import map_subschemas
from toolgen.resolve.value_checks import compile_pattern_or_reason
from toolgen_runtime.lowering.dialects import Dialect
from toolgen_runtime.lowering.lower import lower
from toolgen_runtime.lowering.schemas import declared_types, has_json_type

_PATTERN_FORMATS = frozenset(
    [
        "date",
        "date-time",
        "duration",
        "email",
        "hostname",
        "idn-email",
        "ipv4",
        "ipv6",
        "time",
        "uri",
        "url",
        "uuid",
    ]
)
"""Formats beside which generators add a pattern with the same meaning."""

_PYTHON_TYPES = {
    "bool": "boolean",
    "dict": "object",
    "float": "number",
    "int": "integer",
    "list": "array",
    "none": "null",
    "nonetype": "null",
    "str": "string",
    "tuple": "array",
}


def repair_schemas(document: Document, findings: Findings) -> Document:
    """Return a declaration or a type with its schemas repaired. Each repair is a note at its location."""
    value: Any = document.value
    if not document.source.startswith("tools/"):
        value = _repair_root(value, (), document, findings)
    elif isinstance(value, dict):
        for key in ("parameters", "result"):
            if key in value:
                repaired = _repair_root(value[key], (key,), document, findings)
                value = value if repaired is value[key] else {**value, key: repaired}
    return document if value is document.value else replace(document, value=value)


def _repair_root(schema: Any, at: Pointer, document: Document, findings: Findings) -> Any:
    """Return the schema at a location of a document with its faults repaired, and report the repairs."""
    repairs: list[_Repair] = []
    repaired = _repair(schema, (), (), repairs)
    for repair in repairs:
        span = document.key_span(*at, *repair.pointer)
        findings.add("import-repaired", span, hint=None, related=(), what=RawText(repair.sentence))
    return repaired if repairs else schema


def relax_strictness(document: Document, dialects: Mapping[str, Dialect], findings: Findings) -> Document:
    """Return a declaration that is strict only where a provider can enforce it, if not all of them can.

    `dialects` are the strict dialects by provider. A build refuses `strict: always` if one of them is too narrow.
    """
    value: Any = document.value
    if value.get("strict") != "always" or not isinstance(value.get("parameters"), dict):
        return document
    for provider, dialect in dialects.items():
        for change in lower(value["parameters"], dialect).unsupported_changes:
            repair = f"strict is auto instead of always, because of {provider} and {change.what}: {change.reason}"
            findings.add("import-repaired", document.key_span("strict"), hint=None, related=(), what=RawText(repair))
            return replace(document, value={**value, "strict": "auto"})
    return document


class _Repair(NamedTuple):
    """The location of a repair, and what was done, as a clause of a message."""

    pointer: Pointer
    sentence: str


def _repair(schema: Any, at: Pointer, anchor: Pointer, repairs: list[_Repair]) -> Any:
    """Return a schema with its faults repaired. `anchor` is the location that `$recursiveRef` refers to."""
    if not isinstance(schema, dict):
        return schema
    repaired = dict(schema)
    if repaired.pop("$recursiveAnchor", None) is True:
        anchor = at
    for pointer, sentence in _repair_keywords(repaired, anchor):
        repairs.append(_Repair((*at, *pointer), sentence))
    repaired = map_subschemas(repaired, lambda sub, subpointer: _repair(sub, at + subpointer, anchor, repairs))
    return repaired if repairs else schema


def _repair_keywords(schema: dict[str, Any], anchor: Pointer) -> Iterator[_Repair]:
    """Repair the keywords of one schema in place. Yield where and how."""
    yield from _repair_type(schema)
    for keyword in ("properties", "$defs", "definitions"):
        if schema.get(keyword) == []:
            schema[keyword] = {}
            yield _Repair((keyword,), f"changed {keyword} from an empty list, as PHP writes it, to an empty object")
    required = schema.get("required")
    if isinstance(required, list) and all(isinstance(name, str) for name in required):
        schema["required"] = list(dict.fromkeys(required))
        if len(schema["required"]) < len(required):
            yield _Repair(("required",), "removed a duplicate name from required")
    for keyword in ("enum", "anyOf", "oneOf", "allOf"):
        if schema.get(keyword) == []:
            del schema[keyword]
            yield _Repair((keyword,), f"removed an empty {keyword}")
    yield from _move_required_flags(schema)
    yield from _repair_enum(schema)
    pattern = schema.get("pattern")
    if (
        isinstance(pattern, str)
        and schema.get("format") in _PATTERN_FORMATS
        and isinstance(compile_pattern_or_reason(pattern), str)
    ):
        del schema["pattern"]
        yield _Repair(("pattern",), "removed an invalid pattern; the format says the same")
    if schema.get("$recursiveRef") == "#" and "$ref" not in schema:
        del schema["$recursiveRef"]
        schema["$ref"] = f"#{pointer_text(anchor)}"
        yield _Repair(("$recursiveRef",), "replaced $recursiveRef by $ref")


def _repair_type(schema: dict[str, Any]) -> Iterator[_Repair]:
    """Replace names of types in other languages, or in other letters, and remove the type `any`. Yield where and how.

    A list with schemas among the names, as the third draft has it, stays as it is.
    """
    types = declared_types(schema)
    if isinstance(schema.get("type"), list) and not all(isinstance(name, str) for name in schema["type"]):
        return
    lower_case = [name.lower() for name in types]
    if "any" in lower_case:
        del schema["type"]
        yield _Repair(("type",), f"removed the type {', '.join(types)}, which admits all values")
        return
    names = tuple(dict.fromkeys(_PYTHON_TYPES.get(name, name) for name in lower_case))
    if {*names} <= TYPES and names != types:
        schema["type"] = names[0] if len(names) == 1 else list(names)
        yield _Repair(("type",), f"changed the type {', '.join(types)} to {', '.join(names)}")


def _repair_enum(schema: dict[str, Any]) -> Iterator[_Repair]:
    """Remove or convert values that the type of a schema excludes. Yield where and how."""
    values, types = schema.get("enum"), declared_types(schema)
    if not isinstance(values, list) or not types:
        return
    fitting = [value for value in values if has_json_type(value, types)]
    if fitting and len(fitting) < len(values):
        schema["enum"] = fitting
        yield _Repair(("enum",), "removed values from enum that have the wrong type")
    elif not fitting and types == ("string",) and all(type(value) in (int, float) for value in values):
        schema["enum"] = [str(value) for value in values]
        yield _Repair(("enum",), "changed numbers in the enum of a string to strings")


def _move_required_flags(schema: dict[str, Any]) -> Iterator[_Repair]:
    """Move `required: true` of properties, as the third draft writes it, into the list of names. Yield where and how."""
    properties, required = schema.get("properties"), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        return
    flags = {
        name: inner["required"]
        for name, inner in properties.items()
        if isinstance(inner, dict) and isinstance(inner.get("required"), bool)
    }
    if not flags:
        return
    schema["properties"] = {
        name: {key: value for key, value in inner.items() if key != "required"} if name in flags else inner
        for name, inner in properties.items()
    }
    if names := [name for name, flag in flags.items() if flag and name not in required]:
        schema["required"] = [*required, *names]
    for name, flag in flags.items():
        sentence = "moved required: true to the object of the property" if flag else "removed required: false"
        yield _Repair(("properties", name, "required"), sentence)
