"""The JSON Schemas of source files for editors: draft-07, self-contained, with help texts for every keyword.

Editors read draft-07 everywhere and later drafts rarely, and none follows dynamic references. So the vocabulary of JSON
Schema below `parameters` and `result` refers to itself by name. It refuses unknown keywords, so an editor shows typos.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from toolgen.resolve.dialect import METASCHEMAS

_VOCABULARY = "JSONSchema"

_HELP = {
    "type": "The type of the value, or a list of types.",
    "properties": "The properties of an object, each with its schema.",
    "required": "The names of the required properties. All others are optional.",
    "additionalProperties": "Whether an object may have additional properties (false: no), or the schema of their values.",
    "patternProperties": "Schemas for properties whose names match a pattern.",
    "propertyNames": "A schema for the names of the properties.",
    "items": "The schema of each item of an array.",
    "prefixItems": "The schemas of the first items of an array, in order.",
    "enum": "The list of allowed values.",
    "const": "The only allowed value.",
    "description": "What the value means. The model reads it. Put text with a comma or a colon in quotes.",
    "title": "A short name for people.",
    "default": "The value that applies if the argument is absent.",
    "examples": "Examples of valid values.",
    "format": "The form of a string: date, date-time, time, uuid, email, uri, …; `path` marks a file path.",
    "pattern": "A regular expression that the string has to match somewhere. Look-around and backreferences are not supported.",
    "minLength": "The minimum number of characters of a string.",
    "maxLength": "The maximum number of characters of a string.",
    "minimum": "The smallest allowed number.",
    "maximum": "The largest allowed number.",
    "exclusiveMinimum": "The number has to be greater than this.",
    "exclusiveMaximum": "The number has to be less than this.",
    "multipleOf": "The number has to be a multiple of this.",
    "minItems": "The minimum number of items of an array.",
    "maxItems": "The maximum number of items of an array.",
    "uniqueItems": "Whether all items have to be different.",
    "minProperties": "The minimum number of properties of an object.",
    "maxProperties": "The maximum number of properties of an object.",
    "anyOf": "The value has to match at least one of these schemas.",
    "oneOf": "The value has to match exactly one of these schemas. More providers support anyOf.",
    "allOf": "The value has to match all of these schemas.",
    "not": "The value must not match this schema.",
    "if": "If the value matches this schema, `then` applies, otherwise `else`.",
    "$ref": "Use another schema here: a path relative to this file (../types/place.yaml), or a location in it (#/$defs/Name).",
    "$defs": "Schemas that `$ref: '#/$defs/Name'` refers to.",
    "deprecated": "Whether new code should no longer use this.",
}


def editor_schema(
    schema: Mapping[str, Any], *, is_declaration: bool, profiles: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> dict[str, Any]:
    """Return a JSON Schema of 2020-12 as self-contained draft-07.

    Args:
        schema: the schema of a kind of source file.
        is_declaration: whether `parameters` and `result` become JSON Schemas, keyword by keyword.
        profiles: the facts of providers, by name; help texts name those that do not support a keyword.
    """
    converted = _draft_07({key: value for key, value in schema.items() if key not in ("$schema", "x-hints")})
    properties = {"$schema": {"type": "string"}, **converted["properties"]}
    converted["properties"] = properties
    if is_declaration:
        for key, types in (("parameters", "object"), ("result", ["object", "boolean"])):
            properties[key] = {
                "description": properties[key].get("description", ""),
                "type": types,
                "allOf": [{"$ref": f"#/definitions/{_VOCABULARY}"}],
            }
        properties["parameters"]["defaultSnippets"] = [
            {"label": "an object", "body": {"type": "object", "properties": {"$1": {"type": "string", "description": "$2"}}, "required": ["$1"]}}
        ]  # fmt: skip
        converted["definitions"] = {**converted.get("definitions", {}), **_vocabulary(profiles)}
    return {"$schema": "http://json-schema.org/draft-07/schema#", **converted}


def _vocabulary(profiles: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the definitions of the vocabulary of JSON Schema itself."""
    source = METASCHEMAS["2020-12"].schema
    properties = {
        key: _draft_07(value)
        for key, value in source["properties"].items()
        if not (isinstance(value, Mapping) and value.get("deprecated") is True)
    }
    again = {"$ref": f"#/definitions/{_VOCABULARY}"}
    for key in ("definitions", "dependencies"):
        properties[key] = {"type": "object"}
    properties["additionalItems"] = again
    properties["items"] = {"anyOf": [again, {"type": "array", "items": again}]}
    for key in ("exclusiveMinimum", "exclusiveMaximum"):
        properties[key] = {"type": ["number", "boolean"]}
    for key, about in _HELP.items():
        own = properties[key] if isinstance(properties.get(key), dict) else {}
        properties[key] = {"description": f"{about}{_support(key, profiles)}", **own}
    schema = {
        "type": ["object", "boolean"],
        "properties": properties,
        "patternProperties": {"^x-": True},
        "additionalProperties": False,
    }
    return {_VOCABULARY: schema, **{name: _draft_07(value) for name, value in source["$defs"].items()}}


def _support(keyword: str, profiles: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a sentence on the providers that list their keywords without this one, always or in strict mode."""
    lacking: dict[str, list[str]] = {"open": [], "strict": []}
    for name, facts in sorted(profiles.items()):
        for mode, providers in lacking.items():
            dialect = (facts.get("dialects") or {}).get(mode)
            keywords = dialect.get("keywords") if isinstance(dialect, Mapping) else None
            if isinstance(keywords, list) and keyword not in keywords:
                providers.append(name)
    always, strict = lacking["open"], [name for name in lacking["strict"] if name not in lacking["open"]]
    sentence = f" Not supported by {', '.join(always)}, where it is moved into the description." if always else ""
    return sentence + (f" Not supported by {', '.join(strict)} in strict mode." if strict else "")


def _draft_07(value: Any) -> Any:
    """Return a part of a schema with references by name. Keywords beside a reference, which draft-07 ignores, move."""
    if isinstance(value, list):
        return [_draft_07(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    converted = {
        ("definitions" if key == "$defs" else key): _draft_07(each) for key, each in value.items() if key != "$comment"
    }
    reference = converted.pop("$ref", None) or converted.pop("$dynamicRef", None)
    if reference is None:
        return converted
    if not isinstance(reference, str):  # a property of this name
        return {**converted, "$ref": reference}
    to_vocabulary = reference == "#meta"
    target = f"#/definitions/{_VOCABULARY}" if to_vocabulary else reference.replace("#/$defs/", "#/definitions/")
    return {**converted, "allOf": [{"$ref": target}]} if converted else {"$ref": target}
