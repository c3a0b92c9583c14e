"""Keywords by what they are about."""

from __future__ import annotations

from typing import Final

__all__ = ["ANNOTATIONS", "BOUND_TO", "IDENTITY", "STRUCTURE", "VALIDATED", "kind_of"]

ANNOTATIONS: Final = frozenset(
    ["title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "$comment"]
)
"""Words about a value that admit and refuse none."""

IDENTITY: Final = frozenset(
    ["$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "$defs", "definitions", "$comment"]
)
"""What names schemas, and says nothing of values."""

STRUCTURE: Final = frozenset(
    [
        "$ref",
        "type",
        "nullable",
        "anyOf",
        "oneOf",
        "allOf",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "prefixItems",
        "enum",
        "const",
        "description",
    ]
)
"""Keywords that are lowered by rules of their own."""

BOUND_TO: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(["minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType"], ("string",)),
    **dict.fromkeys(
        ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"], ("number", "integer")
    ),
    **dict.fromkeys(
        [
            "minItems",
            "maxItems",
            "uniqueItems",
            "contains",
            "minContains",
            "maxContains",
            "unevaluatedItems",
            "items",
            "prefixItems",
        ],
        ("array",),
    ),
    **dict.fromkeys(
        [
            "minProperties",
            "maxProperties",
            "propertyNames",
            "patternProperties",
            "dependentRequired",
            "dependentSchemas",
            "unevaluatedProperties",
            "properties",
            "required",
            "additionalProperties",
        ],
        ("object",),
    ),
}
"""The types that a keyword speaks of; the others speak of every type."""

VALIDATED: Final = frozenset([*BOUND_TO, "not", "if", "then", "else", "enum", "const"])
"""Keywords that the generated validation enforces."""


def kind_of(value: object) -> str:
    """The JSON type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"
