"""One form for schemas that admit the same values in other words, and the types and properties that a schema states."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

from toolgen.load.sources import json_type
from toolgen.resolve.dialect import ANNOTATIONS, drop_annotations
from toolgen.resolve.schema_locations import find_target, map_subschemas
from toolgen.resolve.value_checks import matches

TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
"""The types of JSON Schema."""

MAX_CHAIN = 12
"""The number of schemas in schemas, or of references to references, that are merged into one."""

LOWER_BOUNDS = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
UPPER_BOUNDS = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")

UNEVALUATED = frozenset(["unevaluatedItems", "unevaluatedProperties"])
"""Keywords whose meaning depends on all other keywords of their schema."""

CONDITION = ("if", "then", "else")
CONTAINS = ("contains", "minContains", "maxContains")
_PROPERTIES = ("properties", "patternProperties", "additionalProperties")
GROUPS = (CONDITION, CONTAINS, ("items", "prefixItems"), _PROPERTIES)
"""Keywords that depend on each other."""

_OF_ANY_TYPE = frozenset(["$ref", "allOf", "anyOf", "const", "else", "enum", "if", "not", "oneOf", "then"])
"""Keywords that affect values of any type."""

_NO_RULES = frozenset(["$defs", "examples", "$schema", "$comment"])
"""Keywords that a normalized schema does not have. Other annotations stay."""


def types_of(schema: Mapping[str, Any]) -> set[str]:
    """Return the types that a schema admits. `number` includes `integer`."""
    stated = schema.get("type")
    if stated is None:
        return {_type_of(value) for value in schema["enum"]} if "enum" in schema else set(TYPES)
    types = set(stated) if isinstance(stated, list) else {stated}
    if "number" in types:
        types.add("integer")
    return types


def admitted_types(schema: Any, root: Any, depth: int = 0) -> set[str]:
    """Return the types that a schema admits, also by the branches of its unions and behind references."""
    rules = normalize(schema, root, unions=False)
    if rules is False:
        return set()
    if not isinstance(rules, Mapping) or depth > MAX_CHAIN:
        return set(TYPES)
    types = types_of(rules)
    for keyword in rules.keys() & {"anyOf", "oneOf"}:
        types &= set[str]().union(*(admitted_types(branch, root, depth + 1) for branch in rules[keyword]))
    return types


def list_small_values(schema: Mapping[str, Any]) -> list[Any]:
    """Return the values of a schema that admits only null and booleans."""
    types = types_of(schema)
    return ([None] if "null" in types else []) + ([False, True] if "boolean" in types else [])


def without_implied_integer(types: set[str]) -> set[str]:
    """Return types without `integer` if `number` is among them, which includes it."""
    return types - {"integer"} if "number" in types else types


def _type_of(value: Any) -> str:
    return "integer" if isinstance(value, float) and value.is_integer() else json_type(value)


def normalize(schema: Any, root: Any, *, unions: bool = True, depth: int = 0) -> Any:
    """Return a schema in one form of several equal ones, without a reference at its top.

    `const` becomes `enum`. What `allOf` says is merged into the schema that contains it, where that is exact. A union
    of a type and null becomes a list of types. With `unions`, so does each union of types; one of values becomes `enum`.
    """
    if not isinstance(schema, Mapping) or depth > MAX_CHAIN:
        return schema
    rules = {key: value for key, value in schema.items() if key not in _NO_RULES}
    unmerged = []
    for part in {json_key(part): part for part in _take_parts(rules, root, unions=unions)}.values():
        normalized = normalize(part, root, unions=unions, depth=depth + 1)
        if normalized is False:
            return False
        merged = merge_exactly(rules, normalized)
        if merged is None:
            unmerged.append(normalized)
        else:
            rules = merged
    return {**rules, "allOf": [*rules.get("allOf", ()), *unmerged]} if unmerged else _with_plain_ends(rules)


_IN_PLACE = frozenset(["$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependentSchemas"])
"""Keywords that apply further schemas to the same value, so that these evaluate properties and items too."""


def _with_plain_ends(rules: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that says what holds for further properties and items with the keywords that stand for it alone.

    A tuple without further items has `maxItems` instead.
    """
    for unevaluated, additional in (("unevaluatedProperties", "additionalProperties"), ("unevaluatedItems", "items")):
        if unevaluated in rules and not rules.keys() & {*_IN_PLACE, additional, "contains"}:
            rules = {**rules, additional: rules[unevaluated]}
            del rules[unevaluated]
    prefix_length = len(rules.get("prefixItems", ()))
    if rules.get("items", True) is False:
        rules = {**rules, "maxItems": min(prefix_length, rules.get("maxItems", prefix_length))}
    if "items" in rules and not rules.keys() & UNEVALUATED and rules.get("maxItems", math.inf) <= prefix_length:
        rules = {key: value for key, value in rules.items() if key != "items"}
    return rules


_MAX_MERGED = 3
"""How often a schema in `allOf` is merged that may contain the schema which is merged."""
_OF_VALUES = frozenset(
    ["$defs", "properties", "patternProperties", "additionalProperties", "items", "prefixItems", "anyOf", "oneOf"]
)
"""Keywords whose schemas describe values that a schema admits."""


def with_declared_names(schema: Any, root: Any, depth: int = 0) -> Any:
    """Return a schema whose objects have the declared properties only, unless they have a schema for other names.

    It admits all values of the schema that have no other names, and perhaps some others. A name that one branch of a
    union declares is declared for all of them that are no references.
    """
    if not isinstance(schema, Mapping) or "$ref" in schema or depth > _MAX_MERGED:
        return schema
    rules: Mapping[str, Any] = schema
    unions = rules.keys() & {"anyOf", "oneOf"}
    if len(unions) == 1:
        (keyword,) = unions
        rules = _with_shared_names(rules, keyword, root)
    elif not unions:
        depth += "allOf" in rules
        normalized = normalize(rules, root, unions=False)
        if not isinstance(normalized, Mapping):
            return normalized
        rules = {**normalized, **({"$defs": schema["$defs"]} if "$defs" in schema else {})}
    inner = {key: value for key, value in rules.items() if key in _OF_VALUES}
    rules = {**rules, **map_subschemas(inner, lambda sub, _: with_declared_names(sub, root, depth))}
    if "properties" in rules and not rules.keys() & {*_IN_PLACE, *UNEVALUATED, *_PROPERTIES[1:]}:
        rules["properties"] = {**dict.fromkeys(rules.get("required", ()), True), **rules["properties"]}
        rules["additionalProperties"] = False
    return rules


def _with_shared_names(schema: Mapping[str, Any], keyword: str, root: Any) -> dict[str, Any]:
    """Return a union of which each branch has what stands beside the union, and all names that the branches declare."""
    beside = {key: value for key, value in schema.items() if key not in (keyword, "$defs")}
    outside = {key: value for key, value in schema.items() if key == "$defs"}
    if beside.keys() & _IN_PLACE:
        return {**schema}
    declared = [_declared_names(branch, root) for branch in schema[keyword]]
    names = {"properties": dict.fromkeys(sorted({name for own in declared for name in own}), True)}
    branches = [
        {"allOf": [branch, names]} if own and "$ref" not in branch else branch
        for branch, own in zip(schema[keyword], declared, strict=True)
    ]
    if drop_annotations(beside):
        branches = [{"allOf": [beside, branch]} for branch in branches]
    return {keyword: branches, **outside}


def _declared_names(schema: Any, root: Any) -> Collection[str]:
    """Return the names that a schema declares, without those of its own branches."""
    rules = normalize(schema, root, unions=False)
    names: Collection[str] = rules.get("properties", ()) if isinstance(rules, Mapping) else ()
    return names


_NEGATED_BOUNDS: Mapping[str, tuple[str, int]] = {
    "minimum": ("exclusiveMaximum", 0),
    "exclusiveMinimum": ("maximum", 0),
    "maximum": ("exclusiveMinimum", 0),
    "exclusiveMaximum": ("minimum", 0),
    **{f"min{measure}": (f"max{measure}", -1) for measure in ("Length", "Items", "Properties")},
    **{f"max{measure}": (f"min{measure}", 1) for measure in ("Length", "Items", "Properties")},
}
"""The bound that holds exactly where another one does not, and its distance from it."""


def _negate(schema: Any) -> Any:
    """Return a schema that admits what another one refuses; None if it takes the keyword `not` to say it."""
    rules = drop_annotations(schema)
    if not isinstance(rules, Mapping) or not rules:
        return rules is False
    if len(rules) != 1:
        return None
    ((keyword, value),) = rules.items()
    if keyword == "not":
        return value
    if keyword == "anyOf":
        parts = [_negate(branch) for branch in value]
        if all(part is None for part in parts):
            return None
        return {"allOf": [{"not": value[i]} if part is None else part for i, part in enumerate(parts)]}
    if keyword == "type" and not types_of(rules) & {"integer"}:
        return {"type": _type_keyword({*TYPES} - types_of(rules))}
    if keyword in _NEGATED_BOUNDS:
        negated, distance = _NEGATED_BOUNDS[keyword]
        of_type = {"Length": "string", "Items": "array", "Properties": "object"}.get(keyword[3:], "number")
        limit = value + distance
        return {"type": of_type, negated: limit} if limit >= 0 or of_type == "number" else False
    return None


def _take_parts(rules: dict[str, Any], root: Any, *, unions: bool) -> list[Any]:
    """Remove from a schema what a schema beside it can say as well, and return these schemas.

    They are the target of its reference, its `allOf`, and its unions that need no union. `const` becomes `enum` in place.
    """
    parts = list(rules.pop("allOf", ()))
    if "$ref" in rules:
        parts.insert(0, find_target(rules.pop("$ref"), root))
    if "const" in rules:
        if "enum" in rules:
            parts.append({"enum": rules.pop("enum")})
        rules["enum"] = [rules.pop("const")]
    negated = _negate(rules["not"]) if "not" in rules else None
    if negated is not None:
        del rules["not"]
        parts.append(negated)
    parts += _take_decided_condition(rules)
    for keyword in ("anyOf", "oneOf"):
        branches = rules.get(keyword)
        if not isinstance(branches, list):
            continue
        part = branches[0] if len(branches) == 1 else _nullable_schema(branches, root)
        if part is None:
            part = _simple_union(branches, keyword)
            if not unions and part is not None and "enum" not in part:
                part = None
        if part is not None:
            del rules[keyword]
            parts.append(part)
    return parts


def _take_decided_condition(rules: dict[str, Any]) -> list[Any]:
    """Remove a condition that holds always or never from a schema, and return the schema that applies then."""
    condition = drop_annotations(rules["if"]) if "if" in rules else None
    if condition not in (True, False, {}):
        return []
    applied = "else" if condition is False else "then"
    return [{keyword: rules.pop(keyword, True) for keyword in CONDITION}[applied]]


def is_null(schema: Any) -> bool:
    """Return whether a schema admits null alone, in any spelling."""
    rules = drop_annotations(schema)
    return rules in ({"type": "null"}, {"const": None}, {"enum": [None]}, {"type": ["null"]})


def _nullable_schema(branches: list[Any], root: Any) -> Any:
    """Return one schema instead of a union of a schema and null; None if there is none."""
    schemas = [branch for branch in branches if not is_null(branch)]
    if len(branches) != 2 or len(schemas) != 1:
        return None
    (schema,) = schemas
    rules = schema
    for _ in range(MAX_CHAIN):
        if not isinstance(rules, Mapping) or rules.keys() - ANNOTATIONS != {"$ref"}:
            break
        rules = drop_annotations(find_target(rules["$ref"], root))
    if not isinstance(rules, Mapping) or rules.keys() & (_OF_ANY_TYPE - {"const", "enum"}):
        return None
    types = types_of({"enum": [rules["const"]]} if "const" in rules else rules)
    if "null" in types or not rules.keys() & {"type", "enum", "const"}:
        return None
    nullable = {key: value for key, value in rules.items() if key not in (*_NO_RULES, "const")}
    if "type" in rules:
        nullable["type"] = _type_keyword(types_of({"type": rules["type"]}) | {"null"})
    if "const" in rules:
        nullable["enum"] = [*(value for value in rules.get("enum", [rules["const"]]) if value == rules["const"])]
    if "enum" in nullable:
        nullable["enum"] = [*nullable["enum"], None]
    return nullable


def _simple_union(branches: list[Any], keyword: str) -> Any:
    """Return one schema instead of a union of types or of values; None if there is none."""
    rules = [drop_annotations(branch) for branch in branches]
    if not all(isinstance(each, dict) and each and each.keys() <= {"type", "enum", "const"} for each in rules):
        return None
    listed = [values for values in map(_list_values, rules) if values is not None]
    if len(listed) < len(rules):
        return _union_of_types(rules, keyword)
    values_by_key = {json_key(value): value for values in listed for value in values}
    overlap = len(values_by_key) < sum(map(len, listed))
    return None if overlap and keyword == "oneOf" else {"enum": list(values_by_key.values())}


def _union_of_types(rules: list[Mapping[str, Any]], keyword: str) -> Any:
    """Return one schema instead of a union of types; None if a branch lists values, or if a `oneOf` overlaps."""
    if any(each.keys() & {"enum", "const"} for each in rules):
        return None
    types_by_branch = [types_of(each) for each in rules]
    types = set[str]().union(*types_by_branch)
    overlap = len(types) < sum(map(len, types_by_branch))
    return None if overlap and keyword == "oneOf" else {"type": _type_keyword(types)}


def _list_values(schema: Mapping[str, Any]) -> list[Any] | None:
    """Return the values that a schema of only types and values admits; None if they cannot be listed."""
    types = types_of({"type": schema["type"]}) if "type" in schema else set(TYPES)
    if "enum" in schema:
        values = schema["enum"]
    elif "const" in schema:
        values = [schema["const"]]
    elif types <= {"null", "boolean"}:
        values = [None, False, True]
    else:
        return None
    constant = json_key(schema["const"]) if "const" in schema else None
    return [value for value in values if _type_of(value) in types and constant in (None, json_key(value))]


def _type_keyword(types: set[str]) -> str | list[str]:
    """Return the value of the keyword `type`."""
    ordered = [name for name in TYPES if name in without_implied_integer(types)]
    return ordered[0] if len(ordered) == 1 else ordered


def merge_exactly(schema: Mapping[str, Any], part: Any) -> dict[str, Any] | None:
    """Return one schema that admits what both admit, with the annotations of the first; None if that is not exact."""
    if not isinstance(part, Mapping):
        return None if part is False else {**schema}
    if not schema.keys() - ANNOTATIONS or not part.keys() - ANNOTATIONS:
        return {**part, **schema}
    if part.keys() & {*UNEVALUATED, "$ref"} or any(_is_clash(schema, part, group) for group in GROUPS):
        return None
    merged = {**part, **schema}
    for keyword in (schema.keys() & part.keys()) - ANNOTATIONS:
        if json_key(schema[keyword]) != json_key(part[keyword]):
            value = _merge_values(keyword, schema[keyword], part[keyword])
            if value is None:
                return None
            merged[keyword] = value
    return merged


def _is_clash(schema: Mapping[str, Any], part: Mapping[str, Any], group: Collection[str]) -> bool:
    """Return whether two schemas have different keywords of a group, which therefore cannot be merged one by one."""
    groups = [{key: each[key] for key in group if key in each} for each in (schema, part)]
    if not all(groups) or json_key(groups[0]) == json_key(groups[1]):
        return False
    open_objects = all(each.get("additionalProperties", True) is True for each in groups)
    return not (group is _PROPERTIES and open_objects)


def _merge_values(keyword: str, first: Any, second: Any) -> Any:
    """Return the value of a keyword that says what two different values say; None if there is none."""
    if keyword == "type":
        return _type_keyword(types_of({"type": first}) & types_of({"type": second}))
    if keyword == "enum":
        keys = set(map(json_key, second))
        return [value for value in first if json_key(value) in keys]
    if keyword == "required":
        return list(dict.fromkeys([*first, *second]))
    if keyword in LOWER_BOUNDS:
        return max(first, second)
    if keyword in UPPER_BOUNDS:
        return min(first, second)
    if keyword == "uniqueItems":
        return True
    if keyword == "multipleOf":
        steps = Fraction(str(first)), Fraction(str(second))
        step = Fraction(math.lcm(*(each.numerator for each in steps)), math.gcd(*(each.denominator for each in steps)))
        return step.numerator if step.denominator == 1 else float(step)
    if keyword == "allOf":
        return [*first, *second]
    if keyword in ("properties", "patternProperties"):
        shared = {name: {"allOf": [first[name], second[name]]} for name in first.keys() & second.keys()}
        return {**first, **second, **shared}
    return None


_encode = json.JSONEncoder(sort_keys=True, default=str).encode


def json_key(value: Any) -> str:
    """Return a string that is equal for values that are equal in JSON."""
    text = _encode(value)
    return _encode(_with_whole_numbers(value)) if ".0" in text or "e+" in text else text


def normal_form(value: Any, root: Any) -> Any:
    """Return a value of a difference in one form of several equal ones: a schema, or a list in any order.

    The schemas inside a schema get this form too, except for the targets of their references.
    """
    if isinstance(value, list):
        return sorted((normal_form(item, root) for item in value), key=json_key)
    if not isinstance(value, Mapping):
        return value
    rules = map_subschemas(drop_annotations(value, deep=True), lambda sub, _: normal_form(sub, root))
    rules = rules if "$ref" in rules else normalize(rules, root)
    if isinstance(rules, Mapping):
        return {key: sorted(each, key=json_key) if key == "enum" else each for key, each in rules.items()}
    return rules


def _with_whole_numbers(value: Any) -> Any:
    """Return a value in which a whole number is an integer: 1.0 is 1."""
    if isinstance(value, dict):
        return {key: _with_whole_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_whole_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def declared_properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schemas of the properties that an object declares. One that is only required is declared by that."""
    declared = dict(schema.get("properties", {}))
    for name in schema.get("required", ()):
        if name not in declared:
            declared[name] = undeclared_property_schemas(schema, name, unevaluated=True)[0]
    return declared


def undeclared_property_schemas(schema: Mapping[str, Any], name: str, *, unevaluated: bool = False) -> Sequence[Any]:
    """Return the schemas of a property that is not declared. With `unevaluated`, that keyword counts as one of them."""
    by_pattern = [sub for pattern, sub in schema.get("patternProperties", {}).items() if matches(pattern, name)]
    default = schema.get("unevaluatedProperties", True) if unevaluated else True
    return by_pattern or [schema.get("additionalProperties", default)]
