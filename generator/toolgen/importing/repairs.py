"""Repairs of faulty declarations, which keep the meaning of a schema. Each repair is reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText
from toolgen.load import Document, Pointer
from toolgen.load.sources import pointer_text
from toolgen.resolve.schema_checks import TYPE_SUGGESTIONS, TYPES
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

_PYTHON_TYPES = frozenset(["bool", "dict", "float", "int", "list", "none", "nonetype", "str", "tuple"])


def repair_schemas(document: Document, findings: Findings) -> Document:
    """Return a declaration or a type with its schemas repaired. Each repair is a note at its location."""
    value: Any = document.value
    for key in ("parameters", "result") if document.source.startswith("tools/") else (None,):
        root = value if key is None else value.get(key) if isinstance(value, dict) else None
        if not isinstance(root, dict):
            continue
        repairs: list[tuple[Pointer, str]] = []
        mended = _repair(root, (), (), repairs)
        if not repairs:
            continue
        value = mended if key is None else {**value, key: mended}
        for pointer, what in repairs:
            full_pointer = pointer if key is None else (key, *pointer)
            findings.add("import-repaired", document.key_span(*full_pointer), hint=None, related=(), what=RawText(what))
    return document if value is document.value else replace(document, value=value)


def relax_strictness(document: Document, dialects: Mapping[str, Dialect], findings: Findings) -> Document:
    """Return a declaration that is strict only where a provider can enforce it, if not all of them can.

    `dialects` are the strict dialects by provider. A build refuses `strict: always` if one of them is too narrow.
    """
    value: Any = document.value
    if value.get("strict") != "always" or not isinstance(value.get("parameters"), dict):
        return document
    for provider, dialect in dialects.items():
        for change in lower(value["parameters"], dialect).unsupported_changes:
            what = f"strict is auto instead of always, because of {provider} and {change.what}: {change.reason}"
            findings.add("import-repaired", document.key_span("strict"), hint=None, related=(), what=RawText(what))
            return replace(document, value={**value, "strict": "auto"})
    return document


def _repair(schema: Any, at: Pointer, anchor: Pointer, repairs: list[tuple[Pointer, str]]) -> Any:
    """Return a schema with its faults repaired. `anchor` is the location that `$recursiveRef` refers to."""
    if not isinstance(schema, dict):
        return schema
    found = dict(schema)
    if found.pop("$recursiveAnchor", None) is True:
        anchor = at
    for pointer, what in _own(found, anchor):
        repairs.append(((*at, *pointer), what))
    found = map_subschemas(found, lambda sub, subpointer: _repair(sub, at + subpointer, anchor, repairs))
    return found if repairs else schema


def _own(schema: dict[str, Any], anchor: Pointer) -> Iterator[tuple[Pointer, str]]:
    """Repair the keywords of one schema in place. Yield where and how."""
    kinds = declared_types(schema)
    lower = [kind.lower() for kind in kinds]
    names = [TYPE_SUGGESTIONS[kind].strip('"') if kind in _PYTHON_TYPES else kind for kind in lower]
    legal = tuple(dict.fromkeys(names)) if {*names} <= TYPES else kinds
    if "any" in lower:
        legal = ()
        del schema["type"]
        yield ("type",), f"removed the type {', '.join(kinds)}, which admits all values"
    elif legal != kinds:
        schema["type"] = legal[0] if len(legal) == 1 else list(legal)
        yield ("type",), f"changed the type {', '.join(kinds)} to {', '.join(legal)}"
    for keyword in ("properties", "$defs", "definitions"):
        if schema.get(keyword) == []:
            schema[keyword] = {}
            yield (keyword,), f"changed {keyword} from an empty list, as PHP writes it, to an empty object"
    required = schema.get("required")
    if isinstance(required, list) and all(isinstance(name, str) for name in required):
        schema["required"] = list(dict.fromkeys(required))
        if len(schema["required"]) < len(required):
            yield ("required",), "removed a duplicate name from required"
    for keyword in ("enum", "anyOf", "oneOf", "allOf"):
        if schema.get(keyword) == []:
            del schema[keyword]
            yield (keyword,), f"removed an empty {keyword}"
    yield from _own_required(schema)
    values, kinds = schema.get("enum"), legal
    if isinstance(values, list) and kinds:
        fitting = [value for value in values if has_json_type(value, kinds)]
        if fitting and len(fitting) < len(values):
            schema["enum"] = fitting
            yield ("enum",), "removed values from enum that have the wrong type"
        elif not fitting and kinds == ("string",) and all(type(value) in (int, float) for value in values):
            schema["enum"] = [str(value) for value in values]
            yield ("enum",), "changed numbers in the enum of a string to strings"
    pattern = schema.get("pattern")
    if (
        isinstance(pattern, str)
        and schema.get("format") in _PATTERN_FORMATS
        and isinstance(compile_pattern_or_reason(pattern), str)
    ):
        del schema["pattern"]
        yield ("pattern",), "removed an invalid pattern; the format says the same"
    if schema.get("$recursiveRef") == "#" and "$ref" not in schema:
        del schema["$recursiveRef"]
        schema["$ref"] = f"#{pointer_text(anchor)}"
        yield ("$recursiveRef",), "replaced $recursiveRef by $ref"


def _own_required(schema: dict[str, Any]) -> Iterator[tuple[Pointer, str]]:
    """Move `required: true` of properties, as the third draft writes it, into the list of names. Yield where and how."""
    properties, required = schema.get("properties"), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        return
    flags = {
        name: inner["required"]
        for name, inner in properties.items()
        if isinstance(inner, dict) and isinstance(inner.get("required"), bool)
    }
    if flags:
        schema["properties"] = {
            name: {key: value for key, value in inner.items() if key != "required"} if name in flags else inner
            for name, inner in properties.items()
        }
        if names := [name for name, flag in flags.items() if flag and name not in required]:
            schema["required"] = [*required, *names]
    for name, flag in flags.items():
        what = "moved required: true to the object of the property" if flag else "removed required: false"
        yield ("properties", name, "required"), what
