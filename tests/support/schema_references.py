"""References and required properties that make a schema invalid on its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen_runtime.lowering.references import References


def dangling(schema: Mapping[str, Any]) -> set[str]:
    """Return the references that cannot be resolved."""
    references = References(schema)
    spellings = (inner["$ref"] for _, inner in references.walk_schemas() if type(inner.get("$ref")) is str)
    return {reference for reference in spellings if references.target_pointer(reference) is None}


def required_without_property(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names that an object requires but does not describe, although it describes others."""
    for _, inner in References(schema).walk_schemas():
        properties, required = inner.get("properties"), inner.get("required")
        if type(properties) is dict and properties and type(required) is list and "patternProperties" not in inner:
            yield from (name for name in required if name not in properties)
