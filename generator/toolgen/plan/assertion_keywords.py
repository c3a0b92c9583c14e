"""The keywords by which a schema refuses values, and which of them a type leaves unsaid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolgen.runtime.tools.formats import FORMATS

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
"""What these look at depends on all others."""

KEYWORDS = (*ANY, *NUMBERS, *TEXTS, *ARRAYS, *OBJECTS, *LAST)
"""Every keyword that refuses values, in the order in which they are checked."""

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "number": NUMBERS,
    "string": TEXTS,
    "array": (*ARRAYS, "unevaluatedItems"),
    "object": (*OBJECTS, "unevaluatedProperties"),
}
"""Keywords that judge values of one type and pass all others."""

EVERYTHING = frozenset(KEYWORDS)

_OF_TYPE: Mapping[str, str] = {keyword: kind for kind, family in FAMILIES.items() for keyword in family}


def types_of(schema: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The types that a schema names; `integer` counts as `number`. None where it names none."""
    named = schema.get("type")
    if named is None:
        return None
    return tuple("number" if t == "integer" else t for t in (named if isinstance(named, list) else [named]))


def asserted_keywords(schema: Any) -> tuple[str, ...]:
    """The keywords by which a schema refuses values that it may meet; none for one that admits everything."""
    if not isinstance(schema, Mapping):
        return ()
    types = types_of(schema)
    return tuple(
        keyword
        for keyword in KEYWORDS
        if keyword in schema
        and (types is None or keyword not in _OF_TYPE or _OF_TYPE[keyword] in types)
        and not _IDLE.get(keyword, _never)(schema[keyword], schema)
    )


def admits_everything(schema: Any) -> bool:
    """Whether a schema admits every value."""
    return schema is not False and not asserted_keywords(schema)


def residual_keywords(schema: Any, said: frozenset[str]) -> tuple[str, ...]:
    """The keywords of a schema that are not among those said."""
    return tuple(keyword for keyword in asserted_keywords(schema) if keyword not in said)


def _never(value: Any, schema: Mapping[str, Any]) -> bool:
    return False


def _zero(value: Any, schema: Mapping[str, Any]) -> bool:
    return bool(value == 0)


def _empty(value: Any, schema: Mapping[str, Any]) -> bool:
    return not value


def _unknown_format(value: Any, schema: Mapping[str, Any]) -> bool:
    return value not in FORMATS


def _idle_schema(value: Any, schema: Mapping[str, Any]) -> bool:
    return admits_everything(value)


def _idle_members(value: Any, schema: Mapping[str, Any]) -> bool:
    return all(admits_everything(member) for member in (value.values() if isinstance(value, Mapping) else value))


def _idle_choice(value: Any, schema: Mapping[str, Any]) -> bool:
    return any(admits_everything(member) for member in value)


def _refuses_nothing(value: Any, schema: Mapping[str, Any]) -> bool:
    return value is False


def _idle_condition(value: Any, schema: Mapping[str, Any]) -> bool:
    return admits_everything(schema.get("then", True)) and admits_everything(schema.get("else", True))


def _idle_contains(value: Any, schema: Mapping[str, Any]) -> bool:
    return schema.get("minContains") == 0 and "maxContains" not in schema


_IDLE: Mapping[str, Callable[[Any, Mapping[str, Any]], bool]] = {
    "minLength": _zero,
    "minItems": _zero,
    "minProperties": _zero,
    "uniqueItems": _empty,
    "format": _unknown_format,
    "required": _empty,
    "dependentRequired": _empty,
    "items": _idle_schema,
    "additionalProperties": _idle_schema,
    "propertyNames": _idle_schema,
    "unevaluatedItems": _idle_schema,
    "unevaluatedProperties": _idle_schema,
    "allOf": _idle_members,
    "prefixItems": _idle_members,
    "properties": _idle_members,
    "patternProperties": _idle_members,
    "dependentSchemas": _idle_members,
    "anyOf": _idle_choice,
    "not": _refuses_nothing,
    "if": _idle_condition,
    "contains": _idle_contains,
}
"""When a keyword says nothing, by its value and the schema around it."""
