"""Rules for schemas that say too little about a value, or that models and providers read badly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText, join_names
from toolgen.resolve import Catalog
from toolgen.rules.parameter_schemas import (
    json_types,
    referenced_definition,
    type_keyword_values,
    walk_parameter_schemas,
)
from toolgen.rules.rule import catalog_rule


@catalog_rule("array-without-items")
def check_array_without_items(catalog: Catalog, findings: Findings) -> None:
    """Report arrays whose items have no schema, or one that admits everything."""
    for node in walk_parameter_schemas(catalog):
        if not node.is_whole or "array" not in type_keyword_values(node.schema) or "prefixItems" in node.schema:
            continue
        items = node.schema.get("items", True)
        if items is True or items == {}:
            findings.add("array-without-items", node.place(), name=node.name)


_SAYING = ("patternProperties", "propertyNames", "unevaluatedProperties", "const", "enum")


@catalog_rule("object-without-properties")
def check_object_without_properties(catalog: Catalog, findings: Findings) -> None:
    """Report objects inside parameters without properties and without a schema for their values."""
    for node in walk_parameter_schemas(catalog):
        schema = node.schema
        if not node.is_whole or node.pointer == ("parameters",) or "object" not in type_keyword_values(schema):
            continue
        values = schema.get("additionalProperties", True)
        if not schema.get("properties") and (values is True or values == {}) and not any(k in schema for k in _SAYING):
            findings.add("object-without-properties", node.place(), name=node.name)


@catalog_rule("enum-of-mixed-types")
def check_enum_of_mixed_types(catalog: Catalog, findings: Findings) -> None:
    """Report enums with values of several types. Null beside one other type is not counted."""
    for node in walk_parameter_schemas(catalog):
        types = [each for each in json_types(node.schema.get("enum", ())) if each != "null"]
        if len(types) > 1:
            findings.add("enum-of-mixed-types", node.place("enum"), name=node.name, types=RawText(join_names(types)))


_STATING = ("$ref", "allOf", "anyOf", "oneOf")


@catalog_rule("enum-without-type")
def check_enum_without_type(catalog: Catalog, findings: Findings) -> None:
    """Report enums without a type, with the type in the hint."""
    for node in walk_parameter_schemas(catalog):
        if "enum" in node.schema and not node.types and not any(keyword in node.schema for keyword in _STATING):
            types = json_types(node.schema["enum"])
            text = types[0] if len(types) == 1 else f"[{', '.join(types)}]"
            findings.add(
                "enum-without-type", node.place(), hint=f"add `type: {text}`", name=node.name, type=RawText(text)
            )


@catalog_rule("properties-without-type")
def check_properties_without_type(catalog: Catalog, findings: Findings) -> None:
    """Report properties of a schema without a type, which admits all values that are no objects."""
    for node in walk_parameter_schemas(catalog):
        is_condition = any(step in _PARTIAL for step in node.pointer[-2:])
        is_stated = node.types or is_condition or any(keyword in node.schema for keyword in _STATING)
        if node.schema.get("properties") and not is_stated:
            findings.add("properties-without-type", node.place("properties"), name=node.name)


_PARTIAL = frozenset(["allOf", "then", "else", "dependentSchemas", "dependencies"])
"""Keywords of schemas that other schemas complete."""

_FLAGS = frozenset(
    "additionalProperties unevaluatedProperties additionalItems unevaluatedItems uniqueItems nullable deprecated readOnly "
    "writeOnly required".split()
)
"""Keywords of schemas that may be true or false."""


@catalog_rule("keyword-as-property")
def check_keyword_as_property(catalog: Catalog, findings: Findings) -> None:
    """Report properties with the name of a keyword and true or false as their schema."""
    for node in walk_parameter_schemas(catalog):
        for name, schema in node.schema.get("properties", {}).items():
            if name in _FLAGS and isinstance(schema, bool):
                place = node.place("properties", name)
                findings.add("keyword-as-property", place, keyword=RawText(name), name=node.name)


@catalog_rule("union-of-one")
def check_union_of_one(catalog: Catalog, findings: Findings) -> None:
    """Report `anyOf` and `oneOf` with one branch."""
    for node in walk_parameter_schemas(catalog):
        for keyword in ("anyOf", "oneOf"):
            if len(node.schema.get(keyword, ())) == 1:
                findings.add("union-of-one", node.place(keyword), keyword=RawText(keyword), name=node.name)


@catalog_rule("parameter-optional-and-null")
def check_parameter_optional_and_null(catalog: Catalog, findings: Findings) -> None:
    """Report properties that are optional and nullable, unless a default of null makes both the same."""
    for node in walk_parameter_schemas(catalog):
        for name, schema in node.schema.get("properties", {}).items():
            optional = name not in node.schema.get("required", ()) and isinstance(schema, Mapping)
            if optional and _nullable(schema) and schema.get("default", ...) is not None:
                findings.add("parameter-optional-and-null", node.place("properties", name), parameter=name)


def _nullable(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema lists null as one of several values."""
    named = type_keyword_values(schema)
    if len(named) > 1 and "null" in named:
        return "enum" not in schema or None in schema["enum"]
    if len(schema.get("enum", ())) > 1 and None in schema["enum"]:
        return not named
    branches = [
        branch for keyword in ("anyOf", "oneOf") for branch in schema.get(keyword, ()) if isinstance(branch, Mapping)
    ]
    return len(branches) > 1 and any(
        type_keyword_values(branch) == ("null",) or branch.get("const", ...) is None for branch in branches
    )


_COMPOSITION = ("allOf", "anyOf", "oneOf", "not", "if", "enum", "const")


@catalog_rule("root-composition")
def check_root_composition(catalog: Catalog, findings: Findings) -> None:
    """Report composition at the root of parameters, in their own schema or the one that they refer to."""
    for tool in catalog.tools:
        schema = tool.parameters or {}
        target = referenced_definition(schema, schema)
        for keyword in _COMPOSITION:
            if keyword in schema or keyword in target:
                span = tool.document.key_span("parameters", keyword if keyword in schema else "$ref")
                findings.add("root-composition", span, keyword=RawText(keyword), tool=tool.name)
