"""Proofs that one schema admits every value that another one admits, whatever words the two use.

A proof is sound and not complete: if none is found, nothing is known. Keywords that are not understood here must be
equal on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolgen.breaking.schema_normalization import (
    BOUNDS,
    GROUPS,
    UNEVALUATED,
    is_permutation,
    is_within,
    json_key,
    merge_exactly,
    normalize,
    types_of,
    undeclared_property_schemas,
)
from toolgen.resolve.dialect import drop_annotations
from toolgen.resolve.schema_bundler import has_same_targets
from toolgen.resolve.value_checks import TooManyStepsError, ValueValidator, is_multiple

_MAX_STEPS = 10_000
"""The maximum number of comparisons and rewritten schemas of one proof."""
_MAX_DEPTH = 40
"""The maximum depth of branches in branches. A deeper one may refer to itself."""

_OPAQUE = ("if", "then", "else", "contains", "minContains", "maxContains", "dependentRequired", "dependentSchemas")
_KEYWORDS_OF: Mapping[str, tuple[str, ...]] = {
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"),
    "array": ("minItems", "maxItems", "uniqueItems", "items", "prefixItems", "contains", "minContains", "maxContains"),
    "object": (
        *("minProperties", "maxProperties", "required", "properties", "patternProperties", "additionalProperties"),
        *("propertyNames", "dependentRequired", "dependentSchemas"),
    ),
}
"""The keywords that affect only values of one type."""


class _UnprovableError(Exception):
    """A schema is too large for a proof, or refers to itself in place."""


class _Side:
    """One of the two schemas, with its definitions."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.steps = 0
        self._validator = ValueValidator(root)
        self._exact = self._validator.evaluates or "unevaluated" not in json_key(root)
        self._plain: dict[str, Any] = {}

    def admits(self, value: Any, schema: Any) -> bool:
        """Return whether a schema of this side admits a value.

        Raises:
            _UnprovableError: It cannot be decided.
        """
        if not self._exact:
            raise _UnprovableError
        return self._validator.reason(value, schema) is None

    def simplify(self, schema: Any, depth: int = 0) -> Any:
        """Return a schema that admits the same values, in a form that can be compared: a mapping or False."""
        self.steps += 1
        if depth > _MAX_DEPTH or self.steps > _MAX_STEPS:
            raise _UnprovableError
        if not isinstance(schema, Mapping):
            return False if schema is False else {}
        key = json_key(schema)
        if key not in self._plain:
            self._plain[key] = self._simplified(schema, depth)
        return self._plain[key]

    def _simplified(self, schema: Mapping[str, Any], depth: int) -> Any:
        rules = drop_annotations(normalize(schema, self.root))
        if not isinstance(rules, Mapping):
            return False if rules is False else {}
        if rules.keys() & UNEVALUATED:
            return rules
        for keyword in ("anyOf", "oneOf"):
            if keyword in rules:
                found = self._union(rules, keyword, depth)
                if not isinstance(found, Mapping):
                    return found
                rules = found
        values = rules.get("enum")
        if values is None and types_of(rules) <= {"null", "boolean"}:
            values = [None, False, True]
        if values is not None:
            values = [value for value in values if self.admits(value, rules)]
            return {"enum": values} if values else False
        return rules

    def _union(self, rules: Mapping[str, Any], keyword: str, depth: int) -> Any:
        rest = {key: value for key, value in rules.items() if key != keyword}
        branches = [self.simplify(branch, depth + 1) for branch in rules[keyword]]
        branches = [branch for branch in branches if branch is not False]
        if keyword == "oneOf" and not (
            self._has_tags(branches)
            or all(self.excludes(one, other) for i, one in enumerate(branches) for other in branches[:i])
        ):
            return {**rest, keyword: branches}
        branches = [
            inner for b in branches for inner in (b["anyOf"] if isinstance(b, dict) and b.keys() == {"anyOf"} else [b])
        ]
        if not branches:
            return False
        if {} in branches:
            return rest
        union = normalize({"anyOf": branches}, self.root)
        joined = merge_exactly(rest, union)
        return joined if joined is not None else {**rest, "allOf": [*rest.get("allOf", ()), union]}

    def _has_tags(self, branches: Sequence[Any]) -> bool:
        """Return whether all branches require a property of which each lists other values."""
        if not all(types_of(branch) == {"object"} for branch in branches):
            return False
        for name in set.intersection(*({*branch.get("required", ())} for branch in branches)) if branches else ():
            tags = [self.simplify(branch.get("properties", {}).get(name)) for branch in branches]
            if all(isinstance(tag, Mapping) and "enum" in tag for tag in tags):
                values = [key for tag in tags for key in {*map(json_key, tag["enum"])}]
                if len(values) == len({*values}):
                    return True
        return False

    def excludes(self, one: Any, other: Any, side: _Side | None = None, depth: int = 6) -> bool:
        """Return whether it is proved that no value fits two simplified schemas. The second one may be of a side."""
        side = side or self
        if one is False or other is False:
            return True
        if depth < 0:
            return False
        if "enum" in one:
            return not any(side.admits(value, other) for value in one["enum"])
        if "enum" in other:
            return not any(self.admits(value, one) for value in other["enum"])
        if "anyOf" in one:
            return all(self.excludes(self.simplify(b), other, side, depth - 1) for b in one["anyOf"])
        if "anyOf" in other:
            return all(self.excludes(one, side.simplify(b), side, depth - 1) for b in other["anyOf"])
        common = types_of(one) & types_of(other)
        return not common or (
            common == {"object"}
            and any(
                self.excludes(self.simplify(left), side.simplify(right), side, depth - 1)
                for name in {*one.get("required", ()), *other.get("required", ())}
                for left in _members(one, name)
                for right in _members(other, name)
            )
        )


class Inclusion:
    """Proves that the values of one schema are among those of another."""

    def __init__(self, old: Any, new: Any) -> None:
        self._sides = _Side(old), _Side(new)
        self._keys: dict[
            int, tuple[Any, str]
        ] = {}  # with the schema, because another may get the identity of one that is gone
        self._proved: dict[tuple[bool, str, str], None] = {}
        self._failed: set[tuple[bool, str, str]] = set()
        self._steps = 0

    def proves(self, one: Any, other: Any, *, back: bool = False) -> bool:
        """Return whether it is proved that `other`, of the new side, admits all values of `one`, of the old side.

        With `back`, `one` is of the new side and `other` of the old one.
        """
        self._steps = 0
        for side in self._sides:
            side.steps = 0
        known = len(self._proved)
        try:
            return self._fits(one, other, back)
        except (_UnprovableError, RecursionError, TooManyStepsError):
            self._forget(known)
            return False

    def proves_same_parts(self, old: Sequence[Any], new: Sequence[Any]) -> bool:
        """Return whether it is proved that two lists have the same schemas, in any order."""
        return is_permutation(
            old, new, lambda one, other: self.proves(one, other) and self.proves(other, one, back=True)
        )

    def proves_exclusive(self, union: Any) -> bool:
        """Return whether it is proved that no value fits two branches of a `oneOf` of the new side."""
        self._sides[1].steps = 0
        try:
            found = self._sides[1].simplify({"oneOf": union})
        except (_UnprovableError, RecursionError, TooManyStepsError):
            return False
        return not isinstance(found, Mapping) or "oneOf" not in found

    def _forget(self, known: int) -> None:
        while len(self._proved) > known:
            self._proved.popitem()

    def _fits(self, one: Any, other: Any, back: bool) -> bool:
        """Compare two schemas. A pair that is being compared counts as proved: a value is finite, so its parts decide."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise _UnprovableError
        key = (back, self._key(one), self._key(other))
        if key in self._proved:
            return True
        if key in self._failed:
            return False
        known = len(self._proved)
        self._proved[key] = None
        if self._compare(one, other, back):
            return True
        self._forget(known)
        self._failed.add(key)
        return False

    def _compare(self, one: Any, other: Any, back: bool) -> bool:
        left, right = self._sides[back], self._sides[not back]
        one, other = left.simplify(one), right.simplify(other)
        if one is False or other == {}:
            return True
        if other is False:
            return False
        if "enum" in one:
            return all(right.admits(value, other) for value in one["enum"])
        alike = [(one, other), *((part, other) for part in one.get("allOf", ()))]
        alike += [(one, branch) for branch in other["anyOf"]] if other.keys() == {"anyOf"} else []
        if any(self._is_same(*pair) for pair in alike):
            return True
        if other.keys() & UNEVALUATED or "enum" in other:
            return False
        other = {key: value for key, value in other.items() if not self._is_implied(key, one, other, back)}
        keyword = next((key for key in ("anyOf", "oneOf") if key in one and other), None)
        if keyword is not None:
            rest = {key: value for key, value in one.items() if key != keyword}
            branches = (_both(rest, branch) for branch in one[keyword])
            if self._fits(rest, other, back) or all(self._fits(branch, other, back) for branch in branches):
                return True
            if keyword == "anyOf":
                return False
        kinds = types_of(one)
        kinds -= {"integer"} if "number" in kinds else set()
        if len(kinds) > 1:
            return all(self._fits({**one, "type": kind}, other, back) for kind in sorted(kinds))
        if "allOf" in one and any(self._fits(part, other, back) for part in one["allOf"]):
            return True
        return all(self._meets(kind, one, other, back) for kind in kinds)

    def _is_same(self, one: Any, other: Any) -> bool:
        return self._key(one) == self._key(other) and has_same_targets(one, *(side.root for side in self._sides))

    def _key(self, schema: Any) -> str:
        """Return a string that is equal for schemas of the same rules. It is made once for each object."""
        if id(schema) not in self._keys:
            self._keys[id(schema)] = schema, json_key(drop_annotations(schema, deep=True))
        return self._keys[id(schema)][1]

    def _is_implied(self, keyword: str, one: Mapping[str, Any], other: Mapping[str, Any], back: bool) -> bool:
        """Return whether `one` has a rule of `other` too, whatever its type is."""
        if keyword not in one:
            return False
        group = next((g for g in (_OPAQUE[:3], _OPAQUE[3:6]) if keyword in g), (keyword,))
        pairs = [({k: v for k, v in each.items() if k in group}) for each in (one, other)]
        if keyword == "oneOf":
            return is_permutation(one[keyword], other[keyword], lambda mine, yours: self._are_equal(mine, yours, back))
        shaped = keyword in ("properties", "additionalProperties", "items", "prefixItems", "patternProperties")
        return not shaped and self._is_same(*pairs)

    def _meets(self, kind: str, one: Mapping[str, Any], other: Mapping[str, Any], back: bool) -> bool:
        """Return whether the values of one type that `one` admits meet all rules of `other`."""
        if kind not in types_of(other):
            return False
        of_type = _KEYWORDS_OF.get("number" if kind == "integer" else kind, ())
        foreign = {key for keys in _KEYWORDS_OF.values() for key in keys} - {*of_type}
        rules = {key: value for key, value in other.items() if key not in foreign and key != "type"}
        return all(
            self._meets_rule(keyword, kind, one, rules, back) or self._is_in_part(keyword, one, rules, back)
            for keyword in rules
        )

    def _is_in_part(self, keyword: str, one: Mapping[str, Any], other: Mapping[str, Any], back: bool) -> bool:
        """Return whether a part of `allOf` alone meets a rule of `other`, with the keywords that it depends on."""
        group = next((group for group in GROUPS if keyword in group), (keyword,))
        rule = {key: other[key] for key in group if key in other}
        return any(self._fits(part, rule, back) for part in one.get("allOf", ()))

    def _meets_rule(
        self, keyword: str, kind: str, one: Mapping[str, Any], other: Mapping[str, Any], back: bool
    ) -> bool:
        stated, value = one.get(keyword), other[keyword]
        if keyword == "allOf":
            return all(self._fits(one, part, back) for part in value)
        if keyword == "anyOf":
            return any(self._fits(one, branch, back) for branch in value)
        if keyword == "not":
            left, right = self._sides[back], self._sides[not back]
            excluded = left.excludes(left.simplify(one), right.simplify(value), right)
            return excluded or ("not" in one and self._fits(value, stated, not back))
        if keyword == "if":
            return self._meets_condition(one, other, back)
        if keyword == "contains":
            return self._meets_contains(one, other, back)
        if keyword in _OPAQUE[:6]:  # they are compared with the first keyword of their group
            return True
        if keyword == "propertyNames":
            return self._fits(_both({"type": "string"}, {} if stated is None else stated), value, back)
        if keyword == "dependentRequired":
            known = {name: {name, *one.get("required", ()), *(stated or {}).get(name, ())} for name in value}
            return all(known[name].issuperset(names) for name, names in value.items())
        if keyword == "dependentSchemas":
            given = {name: _both(_loose(one), {"required": [name]}) for name in value}
            pairs = [(_both(given[name], (stated or {}).get(name, {})), schema) for name, schema in value.items()]
            return all(self._fits(*pair, back) for pair in pairs)
        if keyword in BOUNDS:
            return is_within(one, other, keyword, whole=kind == "integer")
        if keyword == "multipleOf":
            step = stated if stated is not None else 1 if kind == "integer" else None
            return step is not None and is_multiple(step, value)
        if keyword == "uniqueItems":
            return not value or stated is True or one.get("maxItems", 2) < 2
        if keyword == "required":
            return set(value) <= {*one.get("required", ())}
        if keyword in ("items", "prefixItems"):
            return self._meets_items(one, other, back)
        if keyword in ("properties", "patternProperties", "additionalProperties"):
            return self._meets_properties(one, other, back)
        return False

    def _meets_condition(self, one: Mapping[str, Any], other: Mapping[str, Any], back: bool) -> bool:
        """Compare `then` and `else` one by one if both sides have the same condition, and everything with both if not."""
        then = otherwise = one
        condition = one.get("if")
        if condition is not None and self._are_equal(condition, other["if"], back):
            rest = {key: value for key, value in _loose(one).items() if key not in _OPAQUE[:3]}
            then = _both(_both(rest, condition), one.get("then", {}))
            otherwise = _both(rest, one.get("else", {}))
        return self._fits(then, other.get("then", True), back) and self._fits(otherwise, other.get("else", True), back)

    def _meets_contains(self, one: Mapping[str, Any], other: Mapping[str, Any], back: bool) -> bool:
        mine, yours = one.get("contains", False), other["contains"]
        least, most = other.get("minContains", 1), other.get("maxContains", math.inf)
        has_least = one.get("minContains", 1) >= least and self._fits(mine, yours, back) and "contains" in one
        has_most = one.get("maxContains", math.inf) <= most and self._fits(yours, mine, not back)
        return (least == 0 or has_least) and (one.get("maxItems", math.inf) <= most or has_most)

    def _are_equal(self, mine: Any, yours: Any, back: bool) -> bool:
        return self._fits(mine, yours, back) and self._fits(yours, mine, not back)

    def _meets_items(self, one: Mapping[str, Any], other: Mapping[str, Any], back: bool) -> bool:
        mine, yours = (list(each.get("prefixItems", ())) for each in (one, other))
        most = min(one.get("maxItems", math.inf), max(len(mine), len(yours)) + 1)
        pairs = [(_at(mine, i, one), _at(yours, i, other)) for i in range(int(most))]
        return all(self._fits(*pair, back) for pair in pairs)

    def _meets_properties(self, one: Mapping[str, Any], other: Mapping[str, Any], back: bool) -> bool:
        for name in {*one.get("properties", ()), *other.get("properties", ()), *one.get("required", ())}:
            mine = [*_members(one, name)]
            for wanted in _members(other, name):
                if not any(self._fits(schema, wanted, back) for schema in mine):
                    return False
        mine, yours = one.get("patternProperties", {}), other.get("patternProperties", {})
        extra = other.get("additionalProperties", True)
        pairs = [(one.get("additionalProperties", True), extra)]
        pairs += [(mine.get(pattern, True), schema) for pattern, schema in yours.items()]
        pairs += [(schema, extra) for pattern, schema in mine.items() if pattern not in yours]
        return all(self._fits(*pair, back) for pair in pairs)


def _members(schema: Mapping[str, Any], name: str) -> Iterator[Any]:
    """Yield the schemas that the value of a property must all satisfy."""
    declared = name in schema.get("properties", ())
    yield from [schema["properties"][name]] if declared else ()
    yield from undeclared_property_schemas({**schema, "additionalProperties": True} if declared else schema, name)


def _at(prefix: Sequence[Any], i: int, schema: Mapping[str, Any]) -> Any:
    return prefix[i] if i < len(prefix) else schema.get("items", True)


def _loose(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema without the keywords whose meaning changes if others are added. It admits all values, or more."""
    return {key: value for key, value in schema.items() if key not in UNEVALUATED}


def _both(one: Mapping[str, Any], other: Any) -> Any:
    merged = merge_exactly(one, other) if isinstance(other, Mapping) else None
    return merged if merged is not None else {"allOf": [one, other]}
