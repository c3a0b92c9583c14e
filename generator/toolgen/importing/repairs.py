"""Repairs of faulty declarations, which keep the meaning of a schema. Each repair is reported.

A pattern that no declaration can have becomes a sentence of the description, which is reported as a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText, quote_name
from toolgen.load import Document, Pointer
from toolgen.load.sources import pointer_text
from toolgen.resolve.dialect import ANNOTATIONS, drop_annotations
from toolgen.resolve.schema_checks import TYPES
from toolgen.resolve.schema_locations import map_subschemas
from toolgen.resolve.value_checks import compile_pattern_or_reason
from toolgen_runtime.lowering.dialects import Dialect
from toolgen_runtime.lowering.lower import lower
from toolgen_runtime.lowering.schemas import declared_types, has_json_type
from toolgen_runtime.lowering.sentences import describe_rule

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

_BACK_REFERENCE = re.compile(r"(?<!\\)(?:\\\\)*\\(?:[1-9]|k<)")
"""A back-reference in a regular expression of ECMA-262, by number or by name."""

_NULL_IS_UNSET = frozenset(
    "$anchor $comment $defs $id $ref $schema additionalProperties allOf anyOf definitions dependentRequired "
    "dependentSchemas deprecated description else enum examples exclusiveMaximum exclusiveMinimum format if items "
    "maxItems maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf not nullable oneOf "
    "pattern patternProperties prefixItems properties propertyNames readOnly required then title "
    "unevaluatedProperties uniqueItems writeOnly".split()
)
"""Keywords for which null is not a value."""

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


_COMPOSED = frozenset(["$ref", "allOf", "anyOf", "not", "oneOf"])


def make_nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that admits null too. A composition becomes a branch beside null: its parts may refuse null."""
    kind = schema.get("type")
    types = [kind] if isinstance(kind, str) else kind
    if isinstance(types, list) and not schema.keys() & _COMPOSED:
        nullable = types if "null" in types else [*types, "null"]
        wider = {key: nullable if key == "type" else value for key, value in schema.items()}
        if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
            wider["enum"] = [*schema["enum"], None]
        return wider
    rules = drop_annotations(schema)
    if not rules:
        return schema
    branches = rules["allOf"] if set(rules) == {"allOf"} else None
    branch = branches[0] if isinstance(branches, list) and len(branches) == 1 else rules
    return {key: value for key, value in schema.items() if key in ANNOTATIONS} | {"anyOf": [branch, {"type": "null"}]}


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
    repaired = schema
    if at == ("parameters",) and isinstance(schema, dict) and schema.get("nullable") is True:
        repaired = {key: value for key, value in schema.items() if key != "nullable"}
        repairs.append(_Repair(("nullable",), "removed nullable, because arguments are always an object"))
    repaired = _repair(repaired, (), (), repairs)
    for repair in repairs:
        span = document.key_span(*at, *repair.pointer)
        findings.add(repair.code, span, hint=None, related=(), what=RawText(repair.sentence))
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
    """The location of a repair, what was done, as a clause of a message, and the code of its finding."""

    pointer: Pointer
    sentence: str
    code: str = "import-repaired"


def _repair(schema: Any, at: Pointer, anchor: Pointer, repairs: list[_Repair]) -> Any:
    """Return a schema with its faults repaired. `anchor` is the location that `$recursiveRef` refers to."""
    if not isinstance(schema, dict):
        return schema
    repaired = dict(schema)
    if repaired.pop("$recursiveAnchor", None) is True:
        anchor = at
    repairs += (repair._replace(pointer=(*at, *repair.pointer)) for repair in _repair_keywords(repaired, anchor))
    if repaired.get("nullable") is True:
        del repaired["nullable"]
        repaired = make_nullable(repaired)
        repairs.append(_Repair((*at, "nullable"), "replaced nullable by the type null"))
    repaired = map_subschemas(repaired, lambda sub, subpointer: _repair(sub, at + subpointer, anchor, repairs))
    return repaired if repairs else schema


def _repair_keywords(schema: dict[str, Any], anchor: Pointer) -> Iterator[_Repair]:
    """Repair the keywords of one schema in place. Yield where and how."""
    yield from _remove_nulls(schema)
    yield from _repair_type(schema)
    for keyword in ("properties", "$defs", "definitions"):
        if schema.get(keyword) == []:
            schema[keyword] = {}
            yield _Repair((keyword,), f"changed {keyword} from an empty list, as PHP writes it, to an empty object")
    required = schema.get("required")
    if required is False:
        del schema["required"]
        yield _Repair(("required",), "removed required: false")
    if isinstance(required, list) and all(isinstance(name, str) for name in required):
        schema["required"] = list(dict.fromkeys(required))
        if len(schema["required"]) < len(required):
            yield _Repair(("required",), "removed a duplicate name from required")
    for keyword in ("enum", "anyOf", "oneOf", "allOf"):
        if schema.get(keyword) == []:
            del schema[keyword]
            yield _Repair((keyword,), f"removed an empty {keyword}")
    yield from _remove_empty_tuple(schema)
    yield from _move_required_flags(schema)
    yield from _repair_enum(schema)
    yield from _repair_pattern(schema)
    if schema.get("$recursiveRef") == "#" and "$ref" not in schema:
        del schema["$recursiveRef"]
        schema["$ref"] = f"#{pointer_text(anchor)}"
        yield _Repair(("$recursiveRef",), "replaced $recursiveRef by $ref")


def _remove_nulls(schema: dict[str, Any]) -> Iterator[_Repair]:
    """Remove keywords whose value is null, as programs write what is not set. Yield where and how.

    An unquoted `type: null` may be meant as the name of the type, and an unknown keyword may be a part of a text.
    """
    for keyword in [key for key, value in schema.items() if value is None and key in _NULL_IS_UNSET]:
        del schema[keyword]
        yield _Repair((keyword,), f"removed {keyword}, which is null")


def _remove_empty_tuple(schema: dict[str, Any]) -> Iterator[_Repair]:
    """Remove a tuple without items, as Zod writes one. Its other items are then all of the array. Yield where and how."""
    for keyword in ("prefixItems", "items"):
        if schema.get(keyword) == []:
            del schema[keyword]
            if keyword == "items" and "additionalItems" in schema:
                schema["items"] = schema.pop("additionalItems")
            yield _Repair((keyword,), f"removed an empty {keyword}")


def _repair_pattern(schema: dict[str, Any]) -> Iterator[_Repair]:
    """Remove a pattern that cannot be used, if its format says the same. Describe one with a back-reference.

    Yield where and how. No other pattern has the meaning of one with a back-reference, so the author of a declaration
    could not write one either. Look-around can often be expressed by `allOf` or `not`.
    """
    pattern = schema.get("pattern")
    if not isinstance(pattern, str) or not isinstance(compile_pattern_or_reason(pattern), str):
        return
    if schema.get("format") in _PATTERN_FORMATS:
        del schema["pattern"]
        yield _Repair(("pattern",), "removed an invalid pattern; the format says the same")
    elif _BACK_REFERENCE.search(pattern):
        del schema["pattern"]
        rule = describe_rule("pattern", pattern)
        text = schema.get("description")
        if rule and (text is None or isinstance(text, str)):
            schema["description"] = f"{text} {rule}" if text else rule
        sentence = f"the pattern {quote_name(pattern)} has a back-reference, and became a part of the description"
        yield _Repair(("pattern",), sentence, "import-weakened")


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
