"""One form for schemas that admit the same values in other words, with their types, their bounds and their branches."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from toolgen.load.sources import json_type
from toolgen.resolve.dialect import ANNOTATIONS, drop_annotations
from toolgen.resolve.schema_locations import PREFIX, find_target
from toolgen.resolve.value_checks import matches

TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
"""The types of JSON Schema."""

MAX_CHAIN = 12
"""The number of schemas in schemas, or of references to references, that are merged into one."""

LOWER_BOUNDS = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
UPPER_BOUNDS = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")

UNEVALUATED = frozenset(["unevaluatedItems", "unevaluatedProperties"])
"""Keywords whose meaning depends on all other keywords of their schema."""

_OF_ANY_TYPE = frozenset(["$ref", "allOf", "anyOf", "const", "else", "enum", "if", "not", "oneOf", "then"])
"""Keywords that affect values of any type."""

GROUPS = (
    ("if", "then", "else"),
    ("contains", "minContains", "maxContains"),
    ("items", "prefixItems"),
    ("properties", "patternProperties", "additionalProperties"),
)
"""Keywords that depend on each other."""


def types_of(schema: Mapping[str, Any]) -> set[str]:
    """Return the types that a schema admits. `number` includes `integer`."""
    kind = schema.get("type")
    if kind is None and "enum" in schema:
        return {_type_of(value) for value in schema["enum"]}
    found = set(TYPES) if kind is None else set(kind) if isinstance(kind, list) else {kind}
    return found | {"integer"} if "number" in found else found


def admitted_types(schema: Any, root: Any, depth: int = 0) -> set[str]:
    """Return the types that a schema admits, also by the branches of its unions and behind references."""
    rules = normalize(schema, root, unions=False)
    if not isinstance(rules, Mapping) or depth > MAX_CHAIN:
        return set() if rules is False else {*TYPES}
    found = types_of(rules)
    for keyword in rules.keys() & {"anyOf", "oneOf"}:
        found &= set[str]().union(*(admitted_types(branch, root, depth + 1) for branch in rules[keyword]))
    return found


def list_small_values(schema: Mapping[str, Any]) -> list[Any]:
    """Return the values of a schema that admits only null and booleans."""
    kinds = types_of(schema)
    return ([None] if "null" in kinds else []) + ([False, True] if "boolean" in kinds else [])


def show_types(types: set[str]) -> Any:
    """Return types in the form of a message: one name or a sorted list, without `integer` beside `number`."""
    found = sorted(types - {"integer"} if "number" in types else types)
    return "any type" if types == set(TYPES) else found[0] if len(found) == 1 else found


def subtract_types(one: set[str], other: set[str]) -> set[str]:
    """Return the types that only the first set has, without `integer` beside `number`."""
    left = one - other
    return left - {"integer"} if "number" in left else left


def _type_of(value: Any) -> str:
    return "integer" if isinstance(value, float) and value.is_integer() else json_type(value)


def normalize(schema: Any, root: Any, *, unions: bool = True, depth: int = 0) -> Any:
    """Return a schema in one form of several equal ones, without a reference at its top.

    `const` becomes `enum`. What `allOf` says is merged into the schema that contains it, where that is exact. A union
    of a type and null becomes a list of types. With `unions`, so does each union of types; one of values becomes `enum`.
    """
    if not isinstance(schema, Mapping) or depth > MAX_CHAIN:
        return schema
    found = {key: value for key, value in schema.items() if key not in ("$defs", "examples", "$schema", "$comment")}
    parts = list(found.pop("allOf", ()))
    if "$ref" in found:
        parts.insert(0, find_target(found.pop("$ref"), root))
    if "const" in found:
        parts += [{"enum": found.pop("enum")}] if "enum" in found else []
        found["enum"] = [found.pop("const")]
    for keyword in ("anyOf", "oneOf"):
        branches = found.get(keyword)
        if isinstance(branches, list):
            union = branches[0] if len(branches) == 1 else _nullable(branches)
            union = _simple_union(branches, keyword) if union is None and unions else union
            if union is not None:
                del found[keyword]
                parts.append(union)
    left = []
    for part in {json_key(part): part for part in parts}.values():
        inner = normalize(part, root, unions=unions, depth=depth + 1)
        if inner is False:
            return False
        merged = merge_exactly(found, inner)
        left += [inner] if merged is None else []
        found = found if merged is None else merged
    return {**found, "allOf": [*found.get("allOf", ()), *left]} if left else found


def _nullable(branches: list[Any]) -> Any:
    """Return one schema instead of a union of a schema and null; None if there is none."""
    others = [branch for branch in branches if drop_annotations(branch) != {"type": "null"}]
    if len(branches) != 2 or len(others) != 1 or not isinstance(others[0], Mapping) or "type" not in others[0]:
        return None
    kinds = types_of(others[0])
    fits = "null" not in kinds and not others[0].keys() & _OF_ANY_TYPE
    return {**others[0], "type": _ordered(kinds | {"null"})} if fits else None


def _simple_union(branches: list[Any], keyword: str) -> Any:
    """Return one schema instead of a union of types or of values; None if there is none."""
    rules = [drop_annotations(branch) for branch in branches]
    if not all(isinstance(each, dict) and each and each.keys() <= {"type", "enum", "const"} for each in rules):
        return None
    values = [_values(each) for each in rules]
    if any(each is None for each in values):
        kinds = [types_of(each) for each in rules if not each.keys() & {"enum", "const"}]
        known = set[str]().union(*kinds)
        if len(kinds) < len(rules) or (keyword == "oneOf" and len(known) < sum(map(len, kinds))):
            return None
        return {"type": _ordered(known)}
    listed = {json_key(value): value for each in values for value in each or ()}
    once = len(listed) == sum(len(each or ()) for each in values)
    return {"enum": list(listed.values())} if once or keyword == "anyOf" else None


def _values(schema: Mapping[str, Any]) -> list[Any] | None:
    """Return the values that a schema of only types and values admits; None if they cannot be listed."""
    kinds = types_of({"type": schema["type"]}) if "type" in schema else {*TYPES}
    listed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if listed is None:
        return [v for v in (None, False, True) if _type_of(v) in kinds] if kinds <= {"null", "boolean"} else None
    fixed = json_key(schema["const"]) if "const" in schema else None
    return [value for value in listed if _type_of(value) in kinds and fixed in (None, json_key(value))]


def _ordered(kinds: set[str]) -> str | list[str]:
    found = [kind for kind in TYPES if kind in kinds and (kind != "integer" or "number" not in kinds)]
    return found[0] if len(found) == 1 else found


def merge_exactly(one: Mapping[str, Any], other: Any) -> dict[str, Any] | None:
    """Return one schema that admits what both admit, with the annotations of the first; None if that is not exact."""
    if not isinstance(other, Mapping):
        return None if other is False else {**one}
    if not one.keys() - ANNOTATIONS or not other.keys() - ANNOTATIONS:
        return {**other, **one}
    if other.keys() & {*UNEVALUATED, "$ref"}:
        return None
    for group in GROUPS:
        pair = [{key: each[key] for key in group if key in each} for each in (one, other)]
        shaped = "properties" in group and all(each.get("additionalProperties", True) is True for each in pair)
        if all(pair) and not shaped and json_key(pair[0]) != json_key(pair[1]):
            return None
    found = {**other, **one}
    for key in (one.keys() & other.keys()) - ANNOTATIONS:
        mine, yours = one[key], other[key]
        if json_key(mine) == json_key(yours):
            continue
        if key == "type":
            found[key] = _ordered(types_of({key: mine}) & types_of({key: yours}))
        elif key == "enum":
            found[key] = [value for value in mine if json_key(value) in {*map(json_key, yours)}]
        elif key == "required":
            found[key] = list(dict.fromkeys([*mine, *yours]))
        elif key in LOWER_BOUNDS or key in UPPER_BOUNDS:
            found[key] = max(mine, yours) if key in LOWER_BOUNDS else min(mine, yours)
        elif key == "uniqueItems":
            found[key] = True
        elif key == "allOf":
            found[key] = [*mine, *yours]
        elif key in ("properties", "patternProperties"):
            shared = {name: {"allOf": [mine[name], yours[name]]} for name in mine.keys() & yours.keys()}
            found[key] = {**mine, **yours, **shared}
        else:
            return None
    return found


def wrap_in_matching_union(old: Any, new: Any, stated: tuple[Any, Any], roots: tuple[Any, Any]) -> tuple[Any, Any]:
    """If one schema is a union with a branch like the other schema, convert the other to a union of one branch.

    Both schemas are normalized; `stated` are the same as they are written, perhaps as references into `roots`.
    """
    sides = [old, new]
    for i, (one, other) in enumerate(((old, new), (new, old))):
        keyword = next((k for k in ("oneOf", "anyOf") if k in other), "")
        if not keyword or "oneOf" in one or "anyOf" in one or other.keys() - ANNOTATIONS != {keyword}:
            continue
        branches = [*map(_rules_of, other[keyword])]
        tags = {identify_branch(each, roots[1 - i]) for each in branches}
        for branch in (_rules_of(stated[i]), drop_annotations(one)):
            is_same_reference = isinstance(branch, Mapping) and "$ref" in branch and branch in branches
            if is_same_reference or identify_branch(branch, roots[i]) in tags:
                sides[i] = {**{key: one[key] for key in one.keys() & ANNOTATIONS}, keyword: [branch]}
                break
    return sides[0], sides[1]


def _rules_of(schema: Any) -> Any:
    """Return the rules of a schema, or of the one that is its only part."""
    for _ in range(MAX_CHAIN):
        rules = drop_annotations(schema)
        keyword = next(iter(rules)) if isinstance(rules, dict) and len(rules) == 1 else ""
        if keyword not in ("allOf", "anyOf", "oneOf") or len(rules[keyword]) != 1:
            return rules
        (schema,) = rules[keyword]
    return schema


def pair_branches(old: list[Any], new: list[Any], *roots: Any) -> tuple[dict[int, int], list[int], list[int]]:
    """Return which old branches of a union are which new ones, by index, which are gone, and which are new.

    Equal branches are the same. So are those with the same identity, in their order, if both unions have as many of them.
    """
    unions = [[*map(_rules_of, union)] for union in (old, new)]
    gone, gained = (
        {json_key(drop_annotations(branch, deep=True)): i for i, branch in enumerate(union)} for union in unions
    )
    pairs = {gone.pop(key): gained.pop(key) for key in gone.keys() & gained.keys()}
    identities: dict[str, tuple[list[int], list[int]]] = {}
    for side, (union, rest) in enumerate(zip(unions, (gone, gained), strict=True)):
        for i in rest.values():
            identities.setdefault(identify_branch(union[i], roots[side]), ([], []))[side].append(i)
    for was, now in identities.values():
        pairs |= zip(was, now, strict=True) if len(was) == len(now) else ()
    left, right = sorted({*gone.values()} - pairs.keys()), sorted({*gained.values()} - {*pairs.values()})
    alone = len(left) == len(right) == 1
    pairs |= {i: j for i in left for j in right if _is_edited((unions[0][i], unions[1][j]), roots, alone=alone)}
    taken = pairs.values()
    return dict(sorted(pairs.items())), [i for i in left if i not in pairs], [j for j in right if j not in taken]


def _is_edited(branches: tuple[Any, Any], roots: tuple[Any, ...], *, alone: bool) -> bool:
    """Return whether two branches are one that was edited: they refer to the same definition.

    If no other branch changed, it is enough that they share a property, and that no constant tells them apart.
    """
    refs = [branch.get("$ref") for branch in branches if isinstance(branch, Mapping)]
    if not alone or None not in refs:
        return len(refs) == 2 and None not in refs and refs[0] == refs[1]
    old, new = (normalize(branch, root, unions=False) for branch, root in zip(branches, roots, strict=True))
    if not isinstance(old, Mapping) or not isinstance(new, Mapping) or types_of(old) != types_of(new):
        return False
    before, after = old.get("properties", {}), new.get("properties", {})
    shared = before.keys() & after.keys()
    return bool(shared) and not any(_is_constant(before[name]) and _is_constant(after[name]) for name in shared)


def _is_constant(schema: Any) -> bool:
    return isinstance(schema, Mapping) and ("const" in schema or len(schema.get("enum", ())) == 1)


def identify_branch(branch: Any, root: Any) -> str:
    """Return what identifies a branch of a union: the constants of its properties, its reference or type, or itself."""
    if isinstance(branch, Mapping) and "$ref" in branch:
        target = root.get("$defs", {}).get(str(branch["$ref"]).removeprefix(PREFIX))
        tag = identify_branch(target, root) if isinstance(target, Mapping) else ""
        return tag if tag.startswith("{") else str(branch["$ref"])
    branch = normalize(branch, root, unions=False)
    if isinstance(branch, Mapping):
        constants = {
            name: sub["const"] if "const" in sub else sub["enum"][0]
            for name, sub in branch.get("properties", {}).items()
            if _is_constant(sub)
        }
        if constants:
            return json_key(constants)
        kind = branch.get("type")
        if isinstance(kind, str) and kind != "object":
            return f"type {kind}"
    return json_key(drop_annotations(branch, deep=True))


def json_key(value: Any) -> str:
    """Return a string that is equal for values that are equal in JSON."""
    return json.dumps(_with_whole_numbers(value), sort_keys=True, default=str)


def _with_whole_numbers(value: Any) -> Any:
    """Return a value in which a whole number is an integer: 1.0 is 1."""
    if isinstance(value, dict):
        return {key: _with_whole_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_whole_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def undeclared_property_schemas(schema: Mapping[str, Any], name: str, *, unevaluated: bool = False) -> list[Any]:
    """Return the schemas of a property that is not declared. With `unevaluated`, that keyword counts as one of them."""
    found = [sub for pattern, sub in schema.get("patternProperties", {}).items() if matches(pattern, name)]
    rest = schema.get("unevaluatedProperties", True) if unevaluated else True
    return found or [schema.get("additionalProperties", rest)]


def declared_properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schemas of the properties that an object declares. One that is only required is declared by that."""
    declared = schema.get("properties", {})
    return {
        **declared,
        **{
            name: undeclared_property_schemas(schema, name, unevaluated=True)[0]
            for name in schema.get("required", ())
            if name not in declared
        },
    }


def is_permutation(old: Sequence[Any], new: Sequence[Any], are_equal: Callable[[Any, Any], bool]) -> bool:
    """Return whether each schema of a list is equal to another one of a second list. Those in the same place come first."""
    left = dict(enumerate(new))
    for i, one in enumerate(old):
        found = next((j for j in sorted(left, key=lambda j: j != i) if are_equal(one, left[j])), None)
        if found is None:
            return False
        del left[found]
    return not left


def find_renamed_properties(gone: Mapping[str, Any], come: Mapping[str, Any]) -> dict[str, str]:
    """Return the renamed properties: equal schemas, one property removed and one added, and no other such pair."""
    found = {}
    for name, schema in gone.items():
        alike = [other for other, sub in come.items() if json_key(sub) == json_key(schema)]
        twins = [other for other, sub in gone.items() if json_key(sub) == json_key(schema)]
        if len(alike) == len(twins) == 1:
            found[name] = alike[0]
    return found


BOUNDS: Mapping[str, tuple[str, int]] = {
    **{f"min{what}": ("", -1) for what in ("Length", "Items", "Properties")},
    **{f"max{what}": ("", 1) for what in ("Length", "Items", "Properties")},
    "minimum": ("exclusiveMinimum", -1),
    "exclusiveMinimum": ("minimum", -1),
    "maximum": ("exclusiveMaximum", 1),
    "exclusiveMaximum": ("maximum", 1),
}
"""The other keyword for the same bound, and its direction."""


def is_within(one: Mapping[str, Any], other: Mapping[str, Any], keyword: str, *, whole: bool) -> bool:
    """Return whether a bound of `other` excludes nothing that `one` admits."""
    twin, sign = BOUNDS[keyword]
    wanted = _limit(keyword, other[keyword], sign, whole=whole)
    limits = [_limit(each, one[each], sign, whole=whole) for each in (keyword, twin) if each in one]
    if keyword.startswith("min") and keyword != "minimum":
        least = len(set(one.get("required", ()))) if keyword == "minProperties" else 0
        limits.append((Fraction(-least), 1))
    if keyword == "maxProperties" and one.get("additionalProperties", True) is False:
        limits += [] if one.get("patternProperties") else [(Fraction(len(one.get("properties", ()))), 1)]
    return any(limit <= wanted for limit in limits)


def _limit(keyword: str, value: float, sign: int, *, whole: bool) -> tuple[Fraction, int]:
    """Return a bound as an upper limit that can be ordered: an exclusive one is below an inclusive one."""
    exclusive = keyword.startswith("exclusive")
    limit = Fraction(value) * sign
    if whole:
        return Fraction(math.ceil(limit) - 1 if exclusive else math.floor(limit)), 1
    return limit, 0 if exclusive else 1
