"""The drafts of JSON Schema: detecting the one of a schema, converting it to 2020-12, and a validator for each draft.

Later drafts spread their meta-schemas over vocabularies that refer to each other dynamically, which a validator
has to resolve again at each schema. Nobody extends them here, so the vocabularies of each draft are merged into one
schema, with references to itself. It accepts the same schemas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from jsonschema import Draft4Validator, Draft7Validator, Draft201909Validator, Draft202012Validator
from jsonschema.validators import extend
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
from referencing.jsonschema import SchemaRegistry

from toolgen.resolve.schema_locations import map_subschemas, walk_schemas

Dialect = Literal["draft-04", "draft-07", "draft-07 words", "2019-09", "2020-12"]
"""`draft-07 words` is a schema that names no dialect but has keywords that only draft-07 defines."""

_DIALECTS_BY_DRAFT: tuple[tuple[str, Dialect], ...] = (
    ("draft-04", "draft-04"),
    ("draft-07", "draft-07"),
    ("draft-06", "draft-07"),
    ("2019-09", "2019-09"),
    ("2020-12", "2020-12"),
)
"""Parts of `$schema` that name a draft, and the dialect that has its keywords."""

_LATEST = re.compile(r"https?://json-schema\.org/schema#?")
"""The dialect that was the latest when the schema was written."""

ANNOTATIONS = frozenset(
    [
        "$comment",
        "default",
        "deprecated",
        "description",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
    ]
)
"""Keywords that do not validate values."""


def drop_annotations(schema: Any, *, deep: bool = False) -> Any:
    """Return a schema without its annotations. With `deep`, the schemas in it have none either; `required` is sorted."""
    if not isinstance(schema, dict):
        return schema
    keywords = {key: value for key, value in schema.items() if key not in ANNOTATIONS}
    if deep:
        keywords = map_subschemas(keywords, lambda sub, _: drop_annotations(sub, deep=True))
        if isinstance(keywords.get("required"), list):
            keywords["required"] = sorted(keywords["required"], key=str)
    return keywords


class UnknownDialectError(Exception):
    """`$schema` names a dialect that is not supported."""


def find_dialect(schema: Any) -> Dialect:
    """Return the dialect that `$schema` names; if it names none, 2020-12, or draft-07 if only that has the keywords.

    Raises:
        UnknownDialectError: `$schema` names another one.
    """
    if not isinstance(schema, Mapping):
        return "2020-12"
    uri = schema.get("$schema", "")
    if not isinstance(uri, str):
        raise UnknownDialectError
    if "$schema" not in schema or _LATEST.fullmatch(uri):
        has_old_keywords = any(
            isinstance(sub, dict) and (isinstance(sub.get("items"), list) or "dependencies" in sub)
            for _, sub in walk_schemas(schema)
        )
        return "draft-07 words" if has_old_keywords else "2020-12"
    for draft, dialect in _DIALECTS_BY_DRAFT:
        if draft in uri:
            return dialect
    raise UnknownDialectError


def convert_top_level_keywords(schema: Mapping[str, Any], source: Dialect) -> dict[str, Any]:
    """Return the keywords of one schema, not of its subschemas, in 2020-12 with the same meaning."""
    if source != "draft-04":
        schema = convert_top_level_exclusive_flags(schema)
    if source == "2020-12":
        return dict(schema)
    if source in ("draft-04", "draft-07") and "$ref" in schema:  # these drafts ignore keywords beside a reference
        schema = {k: v for k, v in schema.items() if k == "$ref" or k in ANNOTATIONS}
    if source == "draft-04":
        schema = convert_exclusive_bounds({k: v for k, v in schema.items() if k not in _UNKNOWN_TO_DRAFT_04})
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "items" and isinstance(value, list):
            out["prefixItems"] = value
            if "additionalItems" in schema:
                out["items"] = schema["additionalItems"]
        elif key == "additionalItems":
            continue
        elif key == "dependencies" and isinstance(value, dict):
            out |= _split_dependencies(value)
        else:
            out[key] = value
    if out.get("prefixItems") == []:
        del out["prefixItems"]
    return out


def _split_dependencies(dependencies: Mapping[str, Any]) -> dict[str, Any]:
    """Return the two keywords that replace `dependencies`, each only if it is needed."""
    names = {name: needed for name, needed in dependencies.items() if isinstance(needed, list)}
    schemas = {name: needed for name, needed in dependencies.items() if not isinstance(needed, list)}
    keywords = {"dependentRequired": names, "dependentSchemas": schemas}
    return {keyword: value for keyword, value in keywords.items() if value}


_ORDER = (
    *("$schema", "$id", "$anchor", "$comment", "$ref", "type", "title", "description", "format", "enum", "const"),
    *("default", "examples", "pattern", "minLength", "maxLength", "minimum", "exclusiveMinimum", "maximum"),
    *("exclusiveMaximum", "multipleOf", "prefixItems", "items", "contains", "minContains", "maxContains", "minItems"),
    *("maxItems", "uniqueItems", "properties", "patternProperties", "required", "additionalProperties"),
    *("minProperties", "maxProperties", "propertyNames", "dependentRequired", "dependentSchemas", "allOf", "anyOf"),
    *("oneOf", "not", "if", "then", "else"),
)
_POSITIONS = {keyword: position for position, keyword in enumerate(_ORDER)}
_UNORDERED = frozenset(["patternProperties", "dependentRequired", "dependentSchemas"])


def in_canonical_order(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with its keywords in one order, since that of the source means nothing. Properties keep their order."""
    ordered = sorted(schema.items(), key=lambda item: (_POSITIONS.get(item[0], len(_ORDER)), item[0]))
    return {
        key: dict(sorted(value.items())) if key in _UNORDERED and isinstance(value, dict) else value
        for key, value in ordered
    }


FLAGS = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))
"""Bounds that draft-04 expresses by a flag beside another bound."""


def find_draft_04_flag_keywords(schema: Mapping[str, Any]) -> set[str]:
    """Return the unambiguous draft-04 flags of a schema: `false`, or `true` beside the bound that it concerns."""
    return {
        flag
        for flag, bound in FLAGS
        if schema.get(flag) is False
        or (schema.get(flag) is True and isinstance(schema.get(bound), int | float) and schema[bound] is not True)
    }


def convert_top_level_exclusive_flags(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema with its unambiguous draft-04 flags as bounds; the schema itself if it has none."""
    flags = find_draft_04_flag_keywords(schema)
    if not flags:
        return schema
    out = dict(schema)
    for flag, bound in FLAGS:
        if flag in flags and out.pop(flag):
            out[flag] = out.pop(bound)
    return out


_UNKNOWN_TO_DRAFT_04 = frozenset(["const", "contains", "else", "id", "if", "propertyNames", "then"])
"""Keywords that draft-04 ignores because later drafts added them, and `id`, which the next draft calls `$id`."""


def convert_exclusive_bounds(schema: dict[str, Any]) -> dict[str, Any]:
    """Convert the flags of exclusive bounds to numbers, in place. Return the schema."""
    for flag, bound in FLAGS:
        if isinstance(schema.get(flag), bool):
            is_exclusive = schema.pop(flag)
            if is_exclusive and bound in schema:
                schema[flag] = schema.pop(bound)
    return schema


_SELF = ("#", "#meta")
"""References to the whole schema, in all drafts."""


_IDENTIFYING = frozenset(
    ["$dynamicAnchor", "$id", "$recursiveAnchor", "$schema", "$vocabulary", "allOf", "definitions"]
)
"""Keywords that identify a schema or list its vocabularies."""


def _flat(schema: Any, registry: SchemaRegistry) -> dict[str, Any]:
    """Merge a meta-schema with its vocabularies."""
    resolver = registry.resolver(schema.get("$id", ""))
    parts: list[Any] = [resolver.lookup(part["$ref"]).contents for part in schema.get("allOf", ())]
    properties: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    merged: dict[str, Any] = {}
    for part in (*parts, schema):
        merged |= {key: value for key, value in part.items() if key not in _IDENTIFYING}
        properties |= part["properties"]
        definitions |= part.get("$defs", part.get("definitions", {}))
    return {**merged, "properties": properties, "$defs": definitions}


def _validator(base: Any) -> Any:
    """Return a validator of schemas in the draft of `base`."""
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
"""Validators of schemas, by dialect."""
