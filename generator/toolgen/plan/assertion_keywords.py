"""Keywords with which a schema refuses values, and the type schemas of those that pydantic enforces.

Only keywords that pydantic enforces exactly as JSON Schema does become part of a type schema.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from toolgen.load.sources import json_type
from toolgen.resolve.schema_locations import stated_types
from toolgen_runtime.tools.checks import all_unique, equals_one_of, is_format
from toolgen_runtime.tools.formats import FORMATS

NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
TEXTS = ("minLength", "maxLength", "pattern", "format")
ARRAYS = ("minItems", "maxItems", "prefixItems", "items", "contains", "uniqueItems")
OBJECTS = (
    "required",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "properties",
    "patternProperties",
    "additionalProperties",
    "dependentRequired",
    "dependentSchemas",
)
ANY = ("type", "const", "enum", "$ref", "allOf", "anyOf", "oneOf", "not", "if")
LAST = ("unevaluatedItems", "unevaluatedProperties")
"""Keywords that depend on all others."""

KEYWORDS = (*ANY, *NUMBERS, *TEXTS, *ARRAYS, *OBJECTS, *LAST)
"""Every keyword that refuses values, in the order in which they are checked."""

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "number": NUMBERS,
    "string": TEXTS,
    "array": (*ARRAYS, "unevaluatedItems"),
    "object": (*OBJECTS, "unevaluatedProperties"),
}
"""Keywords that apply to values of one type and admit all others."""

EVERYTHING = frozenset(KEYWORDS)

FAMILY_OF: Mapping[str, str] = {keyword: kind for kind, family in FAMILIES.items() for keyword in family}
"""The type of values that a keyword applies to, if it admits all others."""


def list_declared_types(schema: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the types that a schema names, with `integer` as `number`; None if it names none."""
    if schema.get("type") is None:
        return None
    return tuple("number" if kind == "integer" else kind for kind in stated_types(schema))


def asserted_keywords(schema: Any) -> tuple[str, ...]:
    """Return the keywords by which a schema can refuse values; none if it admits everything."""
    if not isinstance(schema, Mapping):
        return ()
    types = list_declared_types(schema)
    return tuple(
        keyword
        for keyword in KEYWORDS
        if keyword in schema
        and (types is None or keyword not in FAMILY_OF or FAMILY_OF[keyword] in types)
        and not (keyword in _IDLE and _IDLE[keyword](schema[keyword], schema))
    )


def admits_everything(schema: Any) -> bool:
    """Return whether a schema admits every value."""
    return schema is not False and not asserted_keywords(schema)


def residual_keywords(schema: Any, expressed: frozenset[str]) -> tuple[str, ...]:
    """Return the keywords of a schema that are not among the expressed ones."""
    return tuple(keyword for keyword in asserted_keywords(schema) if keyword not in expressed)


def _members_idle(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return whether all schemas in the value of a keyword admit everything."""
    return all(admits_everything(member) for member in (value.values() if isinstance(value, Mapping) else value))


def _idle_condition(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return whether `if` has no effect: both of its branches admit everything."""
    return admits_everything(schema.get("then", True)) and admits_everything(schema.get("else", True))


_IDLE: Mapping[str, Callable[[Any, Mapping[str, Any]], bool]] = {
    **dict.fromkeys(("minLength", "minItems", "minProperties"), lambda value, schema: bool(value == 0)),
    **dict.fromkeys(("uniqueItems", "required", "dependentRequired"), lambda value, schema: not value),
    "format": lambda value, schema: value not in FORMATS,
    **dict.fromkeys(("items", "additionalProperties", "propertyNames"), lambda value, schema: admits_everything(value)),
    "unevaluatedItems": lambda value, schema: "items" in schema or admits_everything(value),
    "unevaluatedProperties": lambda value, schema: "additionalProperties" in schema or admits_everything(value),
    **dict.fromkeys(("allOf", "prefixItems", "properties", "patternProperties", "dependentSchemas"), _members_idle),
    "anyOf": lambda value, schema: any(map(admits_everything, value)),
    "not": lambda value, schema: value is False,
    "if": _idle_condition,
    "contains": lambda value, schema: schema.get("minContains") == 0 and "maxContains" not in schema,
}
"""When a keyword has no effect: by keyword, a function of its value and the schema around it."""


TypeSchema = dict[str, Any]
"""A schema with only the few keywords that the model generator handles reliably. `{}` admits any value."""


class TypeOfSchema(NamedTuple):
    """The type schema of a schema, and the keywords of the schema that it expresses completely."""

    type_schema: TypeSchema
    expressed: frozenset[str]


_EXACT = 2**53
"""The largest number up to which every integer is exact as a float."""

_BEYOND_COUNTS = 2**31
"""The first length that pydantic cannot enforce."""

_BEYOND_LITERALS = 2**63
"""The first integer that pydantic and mypy refuse in a `Literal`, as they do its negative."""


def literal_type(schema: Mapping[str, Any]) -> TypeSchema | None:
    """Return the type schema of `enum` or `const`, or None if a `Literal` cannot have all values.

    It can have strings, booleans, null, and integers that are not too large.
    """
    values = [_whole(v) for v in ([schema["const"]] if "const" in schema else schema["enum"])]
    values = [v for v in values if _has_stated_type(v, schema)]
    if schema.get("format") in FORMATS:
        values = [v for v in values if not isinstance(v, str) or is_format(schema["format"], v)]
    kinds = {json_type(v) for v in values}
    if not kinds or not kinds.isdisjoint(("number", "array", "object")) or kinds >= {"integer", "boolean"}:
        return None
    if any(isinstance(v, int) and abs(v) >= _BEYOND_LITERALS for v in values):
        return None
    return union_type([_literals(kind, values) for kind in ("string", "integer", "boolean", "null") if kind in kinds])


def listed_in_choice(schema: Mapping[str, Any]) -> TypeOfSchema | None:
    """Return the type of a schema with types whose choices only list values, such as titled constants; None for any other."""
    keywords = [keyword for keyword in ("anyOf", "oneOf") if schema.get(keyword)]
    if len(keywords) != 1 or "type" not in schema or {"const", "enum"} & schema.keys():
        return None
    lists = [_listed_values(choice) for choice in schema[keywords[0]]]
    values = [value for listed in lists for value in listed or ()]
    if None in lists or (keywords == ["oneOf"] and not all_unique(values)):
        return None
    literal = literal_type({**schema, "enum": values})
    return None if literal is None else TypeOfSchema(literal, EXPRESSED_BY_LITERALS | {keywords[0]})


def _listed_values(choice: Any) -> list[Any] | None:
    """Return the different values that a schema lists and that its type admits; None if it has other rules."""
    if not isinstance(choice, Mapping) or not {"const", "enum"} & choice.keys():
        return None
    if residual_keywords(choice, frozenset({"type", "const", "enum"})):
        return None
    listed = [choice["const"]] if "const" in choice else choice["enum"]
    values: list[Any] = []
    for value in listed:
        is_admitted = "const" not in choice or "enum" not in choice or equals_one_of(value, choice["enum"])
        if is_admitted and _has_stated_type(value, choice) and not equals_one_of(value, values):
            values.append(value)
    return values


def _has_stated_type(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return whether a value has one of the types that a schema states, if it states any."""
    types = stated_types(schema)
    kind = json_type(_whole(value))
    return not types or kind in types or (kind == "integer" and "number" in types)


EXPRESSED_BY_LITERALS = frozenset({"type", "const", "enum", "format"})
"""The keywords that a `Literal` expresses together."""


def _literals(kind: str, values: Iterable[Any]) -> TypeSchema:
    """Return the type schema of those of the values that have one JSON type."""
    members = list(dict.fromkeys(v for v in values if json_type(v) == kind))
    is_whole_type = kind == "null" or (kind == "boolean" and len(members) == 2)
    return {"type": kind} if is_whole_type else {"type": kind, "enum": members}


def _whole(value: Any) -> Any:
    """Return a float without a fraction as the integer that it is in JSON."""
    return int(value) if type(value) is float and value.is_integer() else value


def text_type(schema: Mapping[str, Any]) -> TypeSchema:
    """Return the type schema of a string with its format, or with its length and pattern."""
    type_schema: TypeSchema = {"type": "string"}
    if schema.get("format") in FORMATS:
        return {**type_schema, "format": schema["format"]}
    type_schema |= _counts(schema, "minLength", "maxLength")
    if "pattern" in schema:
        type_schema["pattern"] = schema["pattern"]
    return type_schema


def number_type(schema: Mapping[str, Any], kind: str) -> TypeOfSchema:
    """Return the type of a number with its bounds.

    Bounds of integers are rounded to integers. `multipleOf` is expressed for integers only.
    """
    type_schema: TypeSchema = {"type": kind}
    expressed = {"type"}
    for stated_keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        bound = schema.get(stated_keyword)
        if bound is None or abs(bound) > _EXACT:
            continue
        expressed.add(stated_keyword)
        keyword, limit = _whole_bound(stated_keyword, bound) if kind == "integer" else _Bound(stated_keyword, bound)
        if keyword in type_schema:
            limit = max(limit, type_schema[keyword]) if keyword == "minimum" else min(limit, type_schema[keyword])
        type_schema[keyword] = limit
    step = schema.get("multipleOf")
    if kind == "integer" and step is not None and step == int(step) and step < _EXACT:
        type_schema["multipleOf"] = int(step)
        expressed.add("multipleOf")
    return TypeOfSchema(type_schema, frozenset(expressed))


class _Bound(NamedTuple):
    """A bound of a number: its keyword, and the number."""

    keyword: str
    limit: float


def _whole_bound(keyword: str, limit: float) -> _Bound:
    """Return the bound that admits the same integers, with an integer as its limit."""
    if not isinstance(limit, float):
        return _Bound(keyword, limit)
    is_minimum = keyword.endswith("inimum")
    whole_limit = math.ceil(limit) if is_minimum else math.floor(limit)
    if limit.is_integer():
        return _Bound(keyword, whole_limit)
    return _Bound("minimum" if is_minimum else "maximum", whole_limit)


def array_counts(schema: Mapping[str, Any]) -> TypeSchema:
    """Return the bounds of an array's length."""
    return _counts(schema, "minItems", "maxItems")


def _counts(schema: Mapping[str, Any], *keywords: str) -> TypeSchema:
    """Return the bounds of a length that pydantic can enforce, which are not too large. A minimum of 0 has no effect."""
    return {
        k: int(schema[k])
        for k in keywords
        if (k in schema and 0 < schema[k] < _BEYOND_COUNTS) or (schema.get(k) == 0 and k.startswith("max"))
    }


MAX_UNION = 100
"""The largest number of members in a union. Nobody reads longer types, and Python fails at some thousand members."""


def union_type(type_schemas: list[TypeSchema]) -> TypeSchema:
    """Return the type schema that admits what any of the given ones admits."""
    flat: list[TypeSchema] = []
    for type_schema in type_schemas:
        for member in type_schema.get("anyOf", [type_schema]):
            if member == {} or len(flat) > MAX_UNION:
                return {}
            if member not in flat:
                flat.append(member)
    null = {"type": "null"}
    if null in flat:
        flat.remove(null)
        flat.append(null)
    if not flat:
        return {}
    return flat[0] if len(flat) == 1 else {"anyOf": flat}


def type_schema_size(type_schema: Any) -> int:
    """Return the number of keywords and members in a type schema."""
    total, stack = 0, [type_schema]
    while stack:
        part = stack.pop()
        total += 1
        if isinstance(part, dict):
            stack.extend(part.values())
        elif isinstance(part, list):
            stack.extend(part)
    return total
