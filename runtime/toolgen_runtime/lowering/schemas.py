"""Facts and functions about schemas: groups of keywords, subschemas, types, null, and merging."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from copy import copy
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
    "is_any_name",
    "is_never",
    "json_type",
    "list_at",
    "listed_values",
    "merge_schemas",
    "names_in_all",
    "object_at",
    "property_names",
    "required_names",
    "select_annotations",
    "simplified",
    "split_off_nullability",
    "subschemas",
    "with_subschemas",
    "without_keywords",
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
_WITH_SUBSCHEMAS = frozenset([*SCHEMA_MAPS, *SCHEMA_LISTS, *SCHEMA_VALUES])
_DEFINITIONS = ("$defs", "definitions")
_KEYWORDS = STRUCTURE | TYPES_OF_KEYWORD.keys() | IDENTITY | _WITH_SUBSCHEMAS | {"format"}
"""Keywords that tell a schema from a group of definitions."""
_UNEVALUATED = ("unevaluatedProperties", "unevaluatedItems")
"""Keywords whose meaning depends on the keywords next to them."""
_GROUPS = (("if", "then", "else"), ("contains", "minContains", "maxContains"))
"""Groups of keywords. All but the first have a meaning only together with it."""
_OF_FIRST = ANNOTATIONS - {"example"}
"""Keywords of which two merged schemas keep the first value."""
_DEEPEST_CONDITION = 10
_ALL_TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")


def object_at(schema: Mapping[str, Any], keyword: str) -> dict[str, Any]:
    """Return the object that a schema has at a keyword. Empty if it has none."""
    value = schema.get(keyword)
    return value if type(value) is dict else {}


def list_at(schema: Mapping[str, Any], keyword: str) -> list[Any]:
    """Return the list that a schema has at a keyword. Empty if it has none."""
    value = schema.get(keyword)
    return value if type(value) is list else []


def subschemas(schema: Mapping[str, Any]) -> Iterator[tuple[Pointer, Any]]:
    """Yield the direct subschemas of a schema, each with its path."""
    if schema.keys().isdisjoint(_WITH_SUBSCHEMAS):  # most schemas are leaves
        return
    for keyword in SCHEMA_MAPS:
        for name, inner in object_at(schema, keyword).items():
            if keyword in _DEFINITIONS and _is_group(inner):
                yield from _grouped((keyword, name), inner)
            else:
                yield (keyword, name), inner
    for keyword in (*SCHEMA_LISTS, "items"):
        yield from (((keyword, i), inner) for i, inner in enumerate(list_at(schema, keyword)))
    for keyword in SCHEMA_VALUES:
        value = schema.get(keyword)
        if type(value) is dict or type(value) is bool:
            yield (keyword,), value


def simplified(schema: Any) -> Any:
    """Return a schema in which what has two spellings has the one that most readers know; the schema itself if it has.

    `{"not": {}}` is false, which Zod and others write like this. `patternProperties` whose only pattern matches every key
    are `additionalProperties`, if no properties are declared: TypeBox writes maps like this. Schemas that contain targets
    of references stay as they are, and so does the root if nothing fits it.
    """
    references, has_spellings, waiting = "", False, [schema]
    while waiting:
        part = waiting.pop()
        if type(part) is dict:
            has_spellings = has_spellings or "not" in part or "patternProperties" in part
            references += f"{part['$ref']} " if type(part.get("$ref")) is str else ""
            waiting.extend(inner for _, inner in subschemas(part))
    if not has_spellings:
        return schema
    try:
        return _simplified(schema, keep=[word for word in ("patternProperties", "/not") if word in references])
    except RecursionError:
        return schema


def _simplified(schema: Any, *, keep: Collection[str], is_root: bool = True) -> Any:
    """Return a simplified schema. `keep` has the keywords, as in references, that stay."""
    if type(schema) is not dict:
        return schema
    result = schema
    for pointer, inner in subschemas(schema):
        simple = _simplified(inner, keep=keep, is_root=False)
        if simple is not inner:
            result = _with_value_at(result, pointer, simple)
    if "/not" not in keep and not is_root and is_never(result):
        return False
    patterns = object_at(result, "patternProperties")
    if "patternProperties" in keep or len(patterns) != 1 or object_at(result, "properties"):
        return result
    ((pattern, values),) = patterns.items()
    if not _matches_every_key(pattern):
        return result
    return {**without_keywords(result, ("patternProperties", "additionalProperties")), "additionalProperties": values}


def _with_value_at(container: Any, pointer: Pointer, value: Any) -> Any:
    """Return a copy of a schema, or of what is in it, with another value at the pointer of a direct subschema."""
    step, *further = pointer
    changed = copy(container)
    changed[step] = _with_value_at(container[step], tuple(further), value) if further else value
    return changed


def is_never(schema: Any) -> bool:
    """Return whether a schema is false, or says so with a `not` that excludes every value. One with a name is not."""
    if not isinstance(schema, Mapping):
        return schema is False
    if "not" not in schema or not schema.keys().isdisjoint(IDENTITY - {"$comment"}):
        return False
    excluded = schema["not"]
    return excluded is True or (type(excluded) is dict and excluded.keys() <= ANNOTATIONS)


_ANY_TEXT = frozenset(["", ".*", ".*?", r"[\s\S]*", r"[\S\s]*", r"[\d\D]*", r"[\w\W]*", "[^]*"])
"""Patterns that match in every text. Line breaks in keys, which `.` excludes, are ignored."""


def _matches_every_key(pattern: str) -> bool:
    """Return whether a pattern matches every key, such as `.*` or `^(.*)$`. One with two anchors must take all of a text."""
    text = pattern.removeprefix("^").removesuffix("$")
    has_two_anchors = len(pattern) - len(text) == 2
    while text.startswith("(") and text.endswith(")") and text.count("(") == 1:
        text = text[1:-1].removeprefix("?:")
    return text in _ANY_TEXT and not (has_two_anchors and not text)


def _is_group(value: Any) -> bool:
    """Return whether an entry of definitions is a group of definitions, and no schema: no key in it is a keyword."""
    members = without_keywords(value, ANNOTATIONS).items() if type(value) is dict else ()
    return bool(members) and all(key not in _KEYWORDS and type(member) is dict for key, member in members)


def _grouped(pointer: Pointer, group: dict[str, Any]) -> Iterator[tuple[Pointer, Any]]:
    """Yield the definitions in a group, each with its path."""
    for name, inner in without_keywords(group, ANNOTATIONS).items():
        yield from _grouped((*pointer, name), inner) if _is_group(inner) else [((*pointer, name), inner)]


def _replace_in_group(group: Any, pointer: Pointer, replace: Callable[[Any, Pointer], Any]) -> Any:
    """Return an entry of definitions with the definitions in it replaced."""
    if not _is_group(group):
        return replace(group, pointer)
    return {
        name: inner if name in ANNOTATIONS else _replace_in_group(inner, (*pointer, name), replace)
        for name, inner in group.items()
    }


def with_subschemas(schema: Mapping[str, Any], replace: Callable[[Any, Pointer], Any]) -> dict[str, Any]:
    """Return a copy of a schema in which others replace its direct subschemas. `replace` gets each with its path."""
    copied: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in _DEFINITIONS and type(value) is dict:
            copied[keyword] = {
                name: _replace_in_group(inner, (keyword, name), replace) for name, inner in value.items()
            }
        elif keyword in SCHEMA_MAPS and type(value) is dict:
            copied[keyword] = {name: replace(inner, (keyword, name)) for name, inner in value.items()}
        elif type(value) is list and (keyword in SCHEMA_LISTS or keyword == "items"):
            copied[keyword] = [replace(inner, (keyword, i)) for i, inner in enumerate(value)]
        else:
            copied[keyword] = replace(value, (keyword,)) if keyword in SCHEMA_VALUES else value
    return copied


def conditional_schemas(
    schema: Mapping[str, Any],
    resolve: Callable[[Any], Any],
    *,
    applies: bool = False,
    depth: int = 0,
    visited: set[tuple[int, bool]] | None = None,
) -> Iterator[Mapping[str, Any]]:
    """Yield the schemas that apply to a value only under a condition, such as those under `then`, resolved.

    Args:
        schema: A schema without a reference.
        resolve: Returns a schema with its references resolved.
        applies: Whether `schema` applies under a condition itself, so that all its parts do.
        depth: The number of schemas around it. Deeper ones than ten are left out.
        visited: The schemas that were visited, each once however many references lead to it.
    """
    visited = set() if visited is None else visited
    if depth > _DEEPEST_CONDITION:
        return
    if applies:
        yield schema
    conditional = [schema[key] for key in ("then", "else") if "if" in schema and key in schema]
    for key in ("dependentSchemas", "dependencies"):
        conditional += object_at(schema, key).values()
    for key in ("anyOf", "oneOf") if applies else ():
        conditional += list_at(schema, key)
    inside = [(inner, True) for inner in conditional] + [(part, applies) for part in list_at(schema, "allOf")]
    for inner, is_conditional in inside:
        if (id(inner), is_conditional) in visited:
            continue
        visited.add((id(inner), is_conditional))
        resolved = resolve(inner)
        if type(resolved) is dict:
            yield from conditional_schemas(resolved, resolve, applies=is_conditional, depth=depth + 1, visited=visited)


def conditionally_required_names(schema: Mapping[str, Any]) -> list[str]:
    """Return the names that a schema requires if another property is present."""
    required = [*object_at(schema, "dependentRequired").values(), *object_at(schema, "dependencies").values()]
    return [name for names in required if type(names) is list for name in names if type(name) is str]


def json_type(value: object) -> str:
    """Return the JSON type of a value, for JSON Schema: 1.0 is an `integer`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def has_json_type(value: object, kinds: tuple[str, ...]) -> bool:
    """Return whether a value has one of these types. An integer is also a number."""
    kind = json_type(value)
    return kind in kinds or (kind == "integer" and "number" in kinds)


def required_names(schema: Mapping[str, Any]) -> list[str]:
    """Return the required properties of a schema. Empty if `required` is not a list."""
    return [name for name in list_at(schema, "required") if type(name) is str]


def property_names(schema: Mapping[str, Any]) -> set[str]:
    """Return the declared properties of a schema. Empty if `properties` is not an object."""
    return set(object_at(schema, "properties"))


def declared_types(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types that a schema states. Empty if it states none."""
    stated = schema.get("type")
    if type(stated) is str:
        return (stated,)
    return tuple(dict.fromkeys(name for name in list_at(schema, "type") if type(name) is str))


def is_any_name(schema: Any) -> bool:
    """Return whether a schema of `propertyNames`, without references, admits every name. Names are always strings."""
    if type(schema) is not dict:
        return schema is True
    kinds = declared_types(schema)
    return schema.keys() <= ANNOTATIONS | IDENTITY | {"type"} and (not kinds or "string" in kinds)


def listed_values(schema: Mapping[str, Any]) -> list[Any] | None:
    """Return the values to which `const` or `enum` limits a schema. None if neither does."""
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if type(values) is list else None


def names_in_all(lists: list[list[str]]) -> list[str]:
    """Return the names that all lists have, in the order of the first one."""
    return [name for name in lists[0] if all(name in names for names in lists)] if lists else []


def without_keywords(schema: Mapping[str, Any], keywords: Collection[str]) -> dict[str, Any]:
    """Return a schema without some keywords."""
    return {key: value for key, value in schema.items() if key not in keywords}


def select_annotations(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the annotations of a schema."""
    return {key: value for key, value in schema.items() if key in ANNOTATIONS}


def split_off_nullability(schema: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return a schema without null, and whether it admits null. A schema that admits only null does not change."""
    result = dict(schema)
    kinds = declared_types(result)
    is_untyped = not kinds
    nullable = "null" in kinds and len(kinds) > 1
    if nullable:
        other_kinds = [kind for kind in kinds if kind != "null"]
        result["type"] = other_kinds[0] if len(other_kinds) == 1 else other_kinds
    if "const" in result and result["const"] is None:
        return {"type": "null", **select_annotations(result)}, False
    values = result.get("enum")
    if type(values) is list:
        result["enum"] = [value for value in values if value is not None]
        if values and not result["enum"]:
            return {"type": "null", **select_annotations(result)}, False
        nullable = (nullable or is_untyped) and len(result["enum"]) < len(values)
    elif "const" in result:
        nullable = False
    branches = result.get("anyOf")
    if type(branches) is not list:
        return result, nullable
    other_branches = [branch for branch in branches if not _is_null(branch)]
    has_null_branch = len(other_branches) < len(branches)
    if not has_null_branch or not (is_untyped or nullable):
        return result, nullable and (has_null_branch or any(map(_may_be_null, other_branches)))
    if not other_branches:
        return {"type": "null", **select_annotations(result)}, False
    result["anyOf"] = other_branches
    return result, nullable or not (type(values) is list or "const" in result)


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
    """Return whether a branch states that it admits only null."""
    if type(branch) is not dict:
        return False
    if declared_types(branch) == ("null",) or branch.get("enum") == [None]:
        return True
    return "const" in branch and branch["const"] is None


def merge_schemas(first: dict[str, Any], second: dict[str, Any], conflicts: list[str]) -> dict[str, Any]:
    """Merge two schemas that both apply. The annotations of the first one win.

    If two rules cannot be combined, the first one wins, and its keyword is added to `conflicts`. The result admits all
    values that both admit, and perhaps more.
    """
    count_before = len(conflicts)
    merged, added = _without_clashing_groups(*_without_unevaluated(first, second, conflicts), conflicts)
    for keyword, value in added.items():
        if keyword not in merged:
            merged[keyword] = value
        elif keyword not in _OF_FIRST and not same_json(merged[keyword], value):
            combine = _COMBINATIONS.get(keyword)
            combined = None if combine is None else combine(merged[keyword], value)
            if combined is None:
                conflicts.append(keyword)
            else:
                merged[keyword] = combined
    if len(conflicts) > count_before:
        for keyword in _UNEVALUATED:
            if merged.get(keyword, True) is not True:
                conflicts.append(keyword)
                if merged.pop(keyword) is not False:
                    merged[keyword] = True
    return merged


def _without_unevaluated(
    first: dict[str, Any], second: dict[str, Any], conflicts: list[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return copies of two schemas without `unevaluated…` of the second one, unless the first one has no rules.

    Such a keyword is a conflict. What any of the two leaves open stays open.
    """
    first, second = dict(first), dict(second)
    for keyword in _UNEVALUATED:
        if keyword in second and not first.keys() <= ANNOTATIONS | IDENTITY:
            conflicts.append(keyword)
            rules = first.pop(keyword, False), second.pop(keyword)
            if any(rule is not False for rule in rules):
                first[keyword] = True
    return first, second


def _without_clashing_groups(
    first: dict[str, Any], second: dict[str, Any], conflicts: list[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return two schemas in which the keywords of a group come from the same one: the first, if both have the group."""
    for group in _GROUPS:
        head = group[0]
        if head not in second:
            second = without_keywords(second, group)
        elif head not in first:
            first = without_keywords(first, group)
        elif any(not same_json(first.get(key), second.get(key)) for key in group):
            conflicts.append(head)
            second = without_keywords(second, group)
    return first, second


def either_of(schemas: list[Any]) -> Any:
    """Return the schema that admits what any of these admits. If all of them list values, it lists all these values."""
    if len(schemas) == 1:
        return schemas[0]
    if not _only_list_values(schemas):
        return {"anyOf": schemas}
    values: list[Any] = []
    for schema in schemas:
        values += [
            value for value in listed_values(schema) or () if not any(same_json(value, other) for other in values)
        ]
    return {**without_keywords(schemas[0], ("const", "enum", "default")), "enum": values}


def _only_list_values(schemas: list[Any]) -> bool:
    """Return whether all schemas list values of the same type, and have no other rules."""
    keywords = ANNOTATIONS | {"const", "enum", "type"}
    if not all(
        type(schema) is dict and listed_values(schema) is not None and schema.keys() <= keywords for schema in schemas
    ):
        return False
    return len({str(schema.get("type")) for schema in schemas}) == 1


def _both_of(first: Any, second: Any) -> Any:
    """Return the schema that admits what both admit."""
    if first is False or second is False:
        return False
    if type(first) is not dict or first == {}:
        return second
    if type(second) is not dict or second == {} or same_json(first, second):
        return first
    return {"allOf": [first, second]}


def _both_maps(first: Any, second: Any) -> Any:
    """Return the map of schemas that both maps require. None if one of them is not an object."""
    if type(first) is not dict or type(second) is not dict:
        return None
    merged = dict(first)
    for name, schema in second.items():
        merged[name] = _both_of(merged[name], schema) if name in merged else schema
    return merged


def _both_lists(first: Any, second: Any) -> Any:
    if type(first) is not list or type(second) is not list:
        return None
    return [*first, *second]


def _both_names(first: Any, second: Any) -> Any:
    if type(first) is not list or type(second) is not list:
        return None
    return list(dict.fromkeys([*first, *second]))


def _common_values(first: Any, second: Any) -> Any:
    if type(first) is not list or type(second) is not list:
        return None
    return [value for value in first if any(same_json(value, other) for other in second)]


def _common_types(first: Any, second: Any) -> Any:
    """Return the types of both, as `type` has them. Every integer is a number."""
    kinds = _with_integers(first) & _with_integers(second)
    if "number" in kinds:
        kinds -= {"integer"}
    common = [kind for kind in _ALL_TYPES if kind in kinds]
    return common[0] if len(common) == 1 else common


def _with_integers(stated: Any) -> set[str]:
    kinds = set(declared_types({"type": stated}))
    return kinds | {"integer"} if "number" in kinds else kinds


def _higher(first: Any, second: Any) -> Any:
    return max(first, second) if _are_numbers(first, second) else None


def _lower(first: Any, second: Any) -> Any:
    return min(first, second) if _are_numbers(first, second) else None


def _are_numbers(*values: Any) -> bool:
    return all(type(value) is int or type(value) is float for value in values)


_COMBINATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "type": _common_types,
    **dict.fromkeys(("properties", "patternProperties"), _both_maps),
    "required": _both_names,
    "allOf": _both_lists,
    "enum": _common_values,
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"), _higher),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"), _lower),
    **dict.fromkeys(("items", "additionalProperties", "propertyNames"), _both_of),
    "uniqueItems": lambda first, second: True,
}
"""What combines two values of a keyword that both apply, by keyword. It returns None if it cannot."""
