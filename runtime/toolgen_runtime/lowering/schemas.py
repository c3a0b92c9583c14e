"""Facts and functions about schemas: groups of keywords, subschemas, types, null, and merging."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from ..json_values import same_json

__all__ = [
    "ANNOTATIONS",
    "IDENTITY",
    "SCHEMA_LISTS",
    "SCHEMA_MAPS",
    "SCHEMA_VALUES",
    "STRUCTURE",
    "TYPES_OF_KEYWORD",
    "VALIDATED",
    "Pointer",
    "conditional_schemas",
    "conditionally_required_names",
    "declared_types",
    "declares_null",
    "either_of",
    "has_json_type",
    "json_type",
    "merge_schemas",
    "property_names",
    "required_names",
    "select_annotations",
    "split_off_nullability",
    "subschemas",
]

Pointer = tuple[str | int, ...]
"""The path of a value: a JSON pointer as a tuple."""

ANNOTATIONS: Final = frozenset(
    ["title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "$comment"]
)
"""Keywords that describe a value, but do not restrict it."""

IDENTITY: Final = frozenset(
    ["$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "$defs", "definitions", "$comment"]
)
"""Keywords that name schemas, and do not restrict values."""

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
"""Keywords with their own lowering rules."""

TYPES_OF_KEYWORD: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(["minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType"], ("string",)),
    **dict.fromkeys(
        ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"], ("number", "integer")
    ),
    **dict.fromkeys(["minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"], ("array",)),
    **dict.fromkeys(["unevaluatedItems", "items", "prefixItems"], ("array",)),
    **dict.fromkeys(["minProperties", "maxProperties", "propertyNames", "patternProperties"], ("object",)),
    **dict.fromkeys(["dependencies", "dependentRequired", "dependentSchemas", "unevaluatedProperties"], ("object",)),
    **dict.fromkeys(["properties", "required", "additionalProperties"], ("object",)),
}
"""The types that a keyword applies to. All other keywords apply to every type."""

VALIDATED: Final = frozenset([*TYPES_OF_KEYWORD, "not", "if", "then", "else", "enum", "const"]) - {
    "contentEncoding",
    "contentMediaType",
}
"""Keywords that the generated validation enforces."""

SCHEMA_MAPS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas", "dependencies")
SCHEMA_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
SCHEMA_VALUES = (
    "items",
    "additionalProperties",
    "additionalItems",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_HIGHER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains")
_LOWER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
_WORDS = ("title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly")
_SCHEMAS = ("items", "additionalProperties", "propertyNames")
_GROUPS = (("if", "then", "else"), ("contains", "minContains", "maxContains"))
"""Groups of keywords. All but the first have a meaning only together with it."""
_DEEPEST_CONDITION = 10
_OF_ALL = ("string", "number", "integer", "boolean", "object", "array", "null")


def subschemas(schema: Mapping[str, Any]) -> Iterator[tuple[Pointer, Any]]:
    """Yield the direct subschemas of a schema, each with its path."""
    for keyword in SCHEMA_MAPS:
        value = schema.get(keyword)
        if type(value) is dict:
            yield from (((keyword, name), inner) for name, inner in value.items())
    for keyword in (*SCHEMA_LISTS, "items"):
        value = schema.get(keyword)
        if type(value) is list:
            yield from (((keyword, i), inner) for i, inner in enumerate(value))
    for keyword in SCHEMA_VALUES:
        value = schema.get(keyword)
        if type(value) is dict or type(value) is bool:
            yield (keyword,), value


def conditional_schemas(
    schema: Mapping[str, Any],
    resolve: Callable[[Any], Any],
    *,
    applies: bool = False,
    depth: int = 0,
    met: set[tuple[int, bool]] | None = None,
) -> Iterator[Mapping[str, Any]]:
    """Yield the schemas that apply to a value only under a condition, such as those under `then`, resolved.

    Args:
        schema: A schema without a reference.
        resolve: Returns a schema with its references resolved.
        applies: Whether `schema` applies under a condition itself, so that all its parts do.
        depth: The number of schemas around it. Deeper ones than ten are left out.
        met: The schemas that were visited, each once however many references lead to it.
    """
    met = set() if met is None else met
    if depth > _DEEPEST_CONDITION:
        return
    if applies:
        yield schema
    found = [schema[key] for key in ("then", "else") if "if" in schema and key in schema]
    for key in ("dependentSchemas", "dependencies"):
        found += schema[key].values() if type(schema.get(key)) is dict else ()
    for key in ("anyOf", "oneOf") if applies else ():
        found += schema[key] if type(schema.get(key)) is list else ()
    parts = schema["allOf"] if type(schema.get("allOf")) is list else ()
    for inner, conditional in (*((each, True) for each in found), *((part, applies) for part in parts)):
        known = (id(inner), conditional) in met
        met.add((id(inner), conditional))
        inner = None if known else resolve(inner)
        if type(inner) is dict:
            yield from conditional_schemas(inner, resolve, applies=conditional, depth=depth + 1, met=met)


def conditionally_required_names(schema: Mapping[str, Any]) -> list[str]:
    """Return the names that a schema requires if another property is present."""
    found: list[str] = []
    for key in ("dependentRequired", "dependencies"):
        for names in schema[key].values() if type(schema.get(key)) is dict else ():
            found += [name for name in names if type(name) is str] if type(names) is list else ()
    return found


def json_type(value: object) -> str:
    """Return the JSON type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def has_json_type(value: object, kinds: tuple[str, ...]) -> bool:
    """Return whether a value has one of these types. An integer is also a number."""
    kind = json_type(value)
    return kind in kinds or (kind == "integer" and "number" in kinds)


def required_names(schema: Mapping[str, Any]) -> list[str]:
    """Return the required properties of a schema. Empty if `required` is not a list."""
    listed = schema.get("required")
    return [name for name in listed if type(name) is str] if type(listed) is list else []


def property_names(schema: Mapping[str, Any]) -> set[str]:
    """Return the declared properties of a schema. Empty if `properties` is not an object."""
    declared = schema.get("properties")
    return set(declared) if type(declared) is dict else set()


def declared_types(schema: dict[str, Any]) -> tuple[str, ...]:
    """Return the types that a schema states. Empty if it states none."""
    named = schema.get("type")
    if type(named) is str:
        return (named,)
    return tuple(dict.fromkeys(name for name in named if type(name) is str)) if type(named) is list else ()


def select_annotations(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the annotations of a schema."""
    return {key: value for key, value in schema.items() if key in ANNOTATIONS}


def split_off_nullability(schema: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return a schema without null, and whether it admits null. A schema that admits only null does not change."""
    result = dict(schema)
    kinds = declared_types(result)
    free = not kinds
    nullable = "null" in kinds and len(kinds) > 1
    if nullable:
        rest = [kind for kind in kinds if kind != "null"]
        result["type"] = rest[0] if len(rest) == 1 else rest
    if "const" in result and result["const"] is None:
        return {"type": "null", **select_annotations(result)}, False
    values = result.get("enum")
    if type(values) is list:
        others = [value for value in values if value is not None]
        if not others and None in values:
            return {"type": "null", **select_annotations(result)}, False
        nullable = (nullable or free) and len(others) < len(values)
        result["enum"] = others
    elif "const" in result:
        nullable = False
    branches = result.get("anyOf")
    if type(branches) is list:
        others = [branch for branch in branches if not _is_null(branch)]
        held = len(others) < len(branches) or any(_may_be_null(branch) for branch in others)
        if len(others) < len(branches) and (free or nullable):
            if not others:
                return {"type": "null", **select_annotations(result)}, False
            result["anyOf"] = others
            return result, nullable or not (type(values) is list or "const" in result)
        nullable = nullable and held
    return result, nullable


def declares_null(schema: Any) -> bool:
    """Return whether a schema states that it admits null. A schema without types does not."""
    if type(schema) is not dict:
        return False
    kinds = declared_types(schema)
    if type(schema.get("enum")) is list:
        return None in schema["enum"] and (not kinds or "null" in kinds)
    if "const" in schema:
        return schema["const"] is None
    if "null" in kinds:
        return True
    branches = schema.get("anyOf", schema.get("oneOf"))
    return not kinds and type(branches) is list and any(declares_null(branch) for branch in branches)


def _may_be_null(branch: Any) -> bool:
    """Return whether nothing in a branch excludes null."""
    if type(branch) is not dict:
        return branch is True
    if kinds := declared_types(branch):
        return "null" in kinds
    if type(branch.get("enum")) is list:
        return None in branch["enum"]
    return "const" not in branch or branch["const"] is None


def _is_null(branch: Any) -> bool:
    if type(branch) is not dict:
        return False
    return (
        declared_types(branch) == ("null",)
        or branch.get("enum") == [None]
        or ("const" in branch and branch["const"] is None)
    )


def merge_schemas(one: dict[str, Any], other: dict[str, Any], conflicts: list[str]) -> dict[str, Any]:
    """Merge two schemas that both apply. The annotations of the first one win.

    If two rules cannot be combined, the first one wins, and its keyword is added to `conflicts`. The result admits all
    values that both admit, and perhaps more.
    """
    joined = dict(one)
    count_before = len(conflicts)
    for keyword in ("unevaluatedProperties", "unevaluatedItems"):  # their meaning depends on the keywords next to them
        if keyword in other and not joined.keys() <= ANNOTATIONS | IDENTITY:
            conflicts.append(keyword)
            opens = any(each.get(keyword, False) is not False for each in (joined, other))
            joined = {key: value for key, value in joined.items() if key != keyword}
            joined.update(dict.fromkeys([keyword], True) if opens else {})
            other = {key: value for key, value in other.items() if key != keyword}
    for head, *rest in _GROUPS:
        if head in other:
            if head not in joined:
                joined = {key: value for key, value in joined.items() if key not in rest}
            elif any(not same_json(joined.get(key), other.get(key)) for key in (head, *rest)):
                conflicts.append(head)
                other = {key: value for key, value in other.items() if key != head and key not in rest}
        else:
            other = {key: value for key, value in other.items() if key not in rest}
    for keyword, value in other.items():
        if keyword not in joined:
            joined[keyword] = value
        elif keyword in _WORDS or same_json(joined[keyword], value):
            continue
        elif keyword == "type":
            joined[keyword] = _common_types(joined[keyword], value)
        elif keyword in ("properties", "patternProperties") and type(value) is dict and type(joined[keyword]) is dict:
            joined[keyword] = _joined(joined[keyword], value)
        elif keyword == "required" and type(value) is list and type(joined[keyword]) is list:
            joined[keyword] = list(dict.fromkeys([*joined[keyword], *value]))
        elif keyword == "allOf" and type(value) is list and type(joined[keyword]) is list:
            joined[keyword] = [*joined[keyword], *value]
        elif keyword == "enum" and type(value) is list and type(joined[keyword]) is list:
            joined[keyword] = [item for item in joined[keyword] if any(same_json(item, found) for found in value)]
        elif keyword in _HIGHER and _are_numbers(joined[keyword], value):
            joined[keyword] = max(joined[keyword], value)
        elif keyword in _LOWER and _are_numbers(joined[keyword], value):
            joined[keyword] = min(joined[keyword], value)
        elif keyword in _SCHEMAS:
            joined[keyword] = _both_of(joined[keyword], value)
        elif keyword == "uniqueItems":
            joined[keyword] = True
        else:
            conflicts.append(keyword)
    if len(conflicts) > count_before:
        for keyword in ("unevaluatedProperties", "unevaluatedItems"):
            if joined.get(keyword, True) is not True:
                conflicts.append(keyword)
                if joined.pop(keyword) is not False:
                    joined[keyword] = True
    return joined


def either_of(values: list[Any]) -> Any:
    """Return the schema that admits what any of these admits. If all of them list values, it lists all these values."""
    if len(values) == 1:
        return values[0]
    listed = [[v["const"]] if "const" in v else v.get("enum") for v in values if type(v) is dict]
    keywords = ANNOTATIONS | {"const", "enum", "type"}
    kinds = {str(v.get("type")) for v in values if type(v) is dict}
    alike = len(listed) == len(values) and all(type(v) is list for v in listed) and len(kinds) == 1
    if not alike or not all(v.keys() <= keywords for v in values):
        return {"anyOf": values}
    joined: list[Any] = []
    for found in listed:
        joined += [value for value in found or () if not any(same_json(value, other) for other in joined)]
    return {
        **{key: value for key, value in values[0].items() if key not in ("const", "enum", "default")},
        "enum": joined,
    }


def _joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    found = dict(one)
    for name, schema in other.items():
        found[name] = _both_of(found[name], schema) if name in found else schema
    return found


def _both_of(one: Any, other: Any) -> Any:
    if one is False or other is False:
        return False
    if type(one) is not dict or one == {}:
        return other
    if type(other) is not dict or other == {} or same_json(one, other):
        return one
    return {"allOf": [one, other]}


def _common_types(one: Any, other: Any) -> Any:
    left, right = (set(_with_integers(declared_types({"type": value}))) for value in (one, other))
    common = [kind for kind in _OF_ALL if kind in left and kind in right]
    if "number" in common:
        common = [kind for kind in common if kind != "integer"]
    return common[0] if len(common) == 1 else common


def _with_integers(kinds: Iterable[str]) -> Iterable[str]:
    found = list(kinds)
    return [*found, "integer"] if "number" in found else found


def _are_numbers(*values: Any) -> bool:
    return all(type(value) is int or type(value) is float for value in values)
