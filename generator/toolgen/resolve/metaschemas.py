"""The schemas of schemas, one flat validator a draft.

Later drafts spread theirs over vocabularies that refer to each other dynamically, which a validator has to resolve
anew at each schema. Nobody extends them here, so that each draft's vocabularies are merged into one schema, whose
references lead to itself. What they accept is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jsonschema import Draft4Validator, Draft7Validator, Draft201909Validator, Draft202012Validator
from jsonschema.validators import extend
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
from referencing.jsonschema import SchemaRegistry

from toolgen.resolve.dialect import Dialect

__all__ = ["METASCHEMAS"]

_SELF = ("#", "#meta")
"""References to the whole schema, in all drafts."""


_NAMED = frozenset(["$dynamicAnchor", "$id", "$recursiveAnchor", "$schema", "$vocabulary", "allOf", "definitions"])
"""What says where a schema stands, or what it is made of."""


def _flat(schema: Any, registry: SchemaRegistry) -> dict[str, Any]:
    """Merge a schema of schemas with its vocabularies."""
    resolver = registry.resolver(schema.get("$id", ""))
    parts: list[Any] = [resolver.lookup(part["$ref"]).contents for part in schema.get("allOf", ())]
    properties: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    merged: dict[str, Any] = {}
    for part in (*parts, schema):
        merged |= {key: value for key, value in part.items() if key not in _NAMED}
        properties |= part["properties"]
        definitions |= part.get("$defs", part.get("definitions", {}))
    return {**merged, "properties": properties, "$defs": definitions}


def _validator(base: Any) -> Any:
    """A validator of schemas in the draft of `base`."""
    schema = _flat(base.META_SCHEMA, REGISTRY)

    def refer(validator: Any, reference: str, instance: Any, _: Any) -> Iterator[Any]:
        target = schema if reference in _SELF else schema["$defs"][reference.rsplit("/", 1)[-1]]
        yield from validator.descend(instance, target)

    keywords: dict[str, Callable[..., Iterator[Any]]] = dict.fromkeys(("$ref", "$dynamicRef", "$recursiveRef"), refer)
    extended: Any = extend(base, keywords)  # type: ignore[no-untyped-call]
    return extended(schema)


METASCHEMAS: Mapping[Dialect, Any] = {
    "draft-04": _validator(Draft4Validator),
    "draft-07": _validator(Draft7Validator),
    "draft-07 words": _validator(Draft7Validator),
    "2019-09": _validator(Draft201909Validator),
    "2020-12": _validator(Draft202012Validator),
}
"""By dialect: a validator of schemas."""
