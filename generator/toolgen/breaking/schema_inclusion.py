"""Proofs that one schema admits every value that another one admits, whatever words the two use.

A proof is sound and not complete: if none is found, nothing is known. Keywords that are not understood here must be
equal on both sides.

In every comparison, `narrow` is the schema whose values must all be admitted, and `wide` the one that must admit them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from toolgen.breaking.pattern_languages import are_apart, is_inside, languages_of, pattern_of_texts
from toolgen.breaking.schema_normalization import (
    CONDITION,
    CONTAINS,
    GROUPS,
    TYPES,
    UNEVALUATED,
    admitted_types,
    json_key,
    list_small_values,
    merge_exactly,
    normalize,
    types_of,
    undeclared_property_schemas,
    without_implied_integer,
)
from toolgen.resolve.dialect import drop_annotations
from toolgen.resolve.schema_bundler import has_same_targets
from toolgen.resolve.value_checks import TooManyStepsError, ValueValidator, is_multiple

_MAX_STEPS = 10_000
"""The maximum number of comparisons and rewritten schemas of one proof."""
_MAX_DEPTH = 40
"""The maximum depth of branches in branches. A deeper one may refer to itself."""
_MAX_EXCLUSION_DEPTH = 6
"""The maximum depth of branches and properties in which a contradiction is looked for."""

_MAX_LISTED = 64
"""The maximum number of integers between two bounds that are compared one by one."""
_LEAST, _GREATEST = ("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")

_KEYWORDS_OF: Mapping[str, tuple[str, ...]] = {
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"),
    "array": ("minItems", "maxItems", "uniqueItems", "items", "prefixItems", *CONTAINS),
    "object": (
        *("minProperties", "maxProperties", "required", "properties", "patternProperties", "additionalProperties"),
        *("propertyNames", "dependentRequired", "dependentSchemas"),
    ),
}
"""The keywords that affect only values of one type."""

_BOUNDS: Mapping[str, tuple[str, int]] = {
    **{f"min{measure}": ("", -1) for measure in ("Length", "Items", "Properties")},
    **{f"max{measure}": ("", 1) for measure in ("Length", "Items", "Properties")},
    "minimum": ("exclusiveMinimum", -1),
    "exclusiveMinimum": ("minimum", -1),
    "maximum": ("exclusiveMaximum", 1),
    "exclusiveMaximum": ("maximum", 1),
}
"""The other keyword for the same bound, and its direction."""


class _UnprovableError(Exception):
    """A schema is too large for a proof, or refers to itself in place."""


class _Side:
    """One of the two schemas, with its definitions."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.steps = 0
        self._validator = ValueValidator(root)
        self._exact = self._validator.evaluates or "unevaluated" not in json_key(root)
        self._simplified_by_key: dict[str, Any] = {}

    def admits(self, value: Any, schema: Any) -> bool:
        """Return whether a schema of this side admits a value.

        Raises:
            _UnprovableError: It cannot be decided.
        """
        if not self._exact:
            raise _UnprovableError
        return self._validator.admits(value, schema)

    def simplify(self, schema: Any, depth: int = 0) -> Any:
        """Return a schema that admits the same values, in a form that can be compared: a mapping or False."""
        self.steps += 1
        if depth > _MAX_DEPTH or self.steps > _MAX_STEPS:
            raise _UnprovableError
        if not isinstance(schema, Mapping):
            return False if schema is False else {}
        key = json_key(schema)
        if key not in self._simplified_by_key:
            self._simplified_by_key[key] = self._simplified(schema, depth)
        return self._simplified_by_key[key]

    def _simplified(self, schema: Mapping[str, Any], depth: int) -> Any:
        """Simplify a mapping: to the list of its values if there are few, else to its rules with a simplified union."""
        rules = drop_annotations(normalize(schema, self.root))
        if not isinstance(rules, Mapping):
            return False if rules is False else {}
        if rules.keys() & UNEVALUATED:
            return rules
        if rules.get("type") == "number" and is_multiple(rules.get("multipleOf", 0.5), 1):
            rules = {**rules, "type": "integer"}
        if "not" in rules:
            rules = _with_negation(rules)
        for keyword in ("anyOf", "oneOf"):
            if keyword in rules:
                rules = self._simplified_union(rules, keyword, depth)
                if not isinstance(rules, Mapping):
                    return rules
        rules = self._with_listed_names(rules)
        values = rules.get("enum")
        if values is None:
            values = self._listed_values(rules)
        if values is None:
            return rules
        admitted = [value for value in values if self.admits(value, rules)]
        return {"enum": admitted} if admitted else False

    def _with_listed_names(self, rules: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a schema that lists the names of properties as a closed object of these."""
        names = self.simplify(rules["propertyNames"]) if "propertyNames" in rules else {}
        if not isinstance(names, Mapping) or "enum" not in names or rules.keys() & UNEVALUATED:
            return rules
        listed = [name for name in names["enum"] if isinstance(name, str)]
        if not {*rules.get("required", ())} <= {*listed}:
            return rules
        schemas = {name: [*_property_schemas(rules, name)] for name in listed}
        properties = {name: each[0] if len(each) == 1 else {"allOf": each} for name, each in schemas.items()}
        return {
            **_without(rules, ["propertyNames", "patternProperties"]),
            "properties": properties,
            "additionalProperties": False,
        }

    def _listed_values(self, rules: Mapping[str, Any]) -> list[Any] | None:
        """Return values that include all which a schema admits; None if they are too many to list."""
        listed: list[Any] = []
        for type_name in sorted(admitted_types(rules, self.root)):
            values = _values_of_type(type_name, rules)
            if values is None:
                return None
            listed += values
        return listed

    def _simplified_union(self, rules: Mapping[str, Any], keyword: str, depth: int) -> Any:
        """Return a schema with its union simplified: as `anyOf`, and without branches that are implied or empty."""
        beside = _without(rules, [keyword])
        simplified = [self.simplify(branch, depth + 1) for branch in rules[keyword]]
        possible = [branch for branch in simplified if branch is not False]
        if keyword == "oneOf" and not self._are_exclusive(possible):
            return {**beside, keyword: possible}
        alternatives = [inner for branch in possible for inner in _alternatives(branch)]
        if not alternatives:
            return False
        if {} in alternatives:
            return beside
        union = normalize({"anyOf": alternatives}, self.root)
        merged = merge_exactly(beside, union)
        return merged if merged is not None else {**beside, "allOf": [*beside.get("allOf", ()), union]}

    def _are_exclusive(self, branches: Sequence[Any]) -> bool:
        """Return whether it is proved that no value fits two of the simplified branches."""
        return self._have_tags(branches) or all(
            self.excludes(branch, earlier) for i, branch in enumerate(branches) for earlier in branches[:i]
        )

    def _have_tags(self, branches: Sequence[Any]) -> bool:
        """Return whether all branches require a property of which each lists other values."""
        if not branches or not all(types_of(branch) == {"object"} for branch in branches):
            return False
        for name in set.intersection(*({*branch.get("required", ())} for branch in branches)):
            tags = [self.simplify(branch.get("properties", {}).get(name)) for branch in branches]
            if all(isinstance(tag, Mapping) and "enum" in tag for tag in tags):
                keys = [key for tag in tags for key in {*map(json_key, tag["enum"])}]
                if len(keys) == len({*keys}):
                    return True
        return False

    def excludes(
        self, mine: Any, theirs: Any, their_side: _Side | None = None, depth: int = _MAX_EXCLUSION_DEPTH
    ) -> bool:
        """Return whether it is proved that no value fits two simplified schemas.

        `theirs` is of `their_side`; None means of this side too.
        """
        their_side = their_side or self
        if mine is False or theirs is False:
            return True
        if depth < 0:
            return False
        if "enum" in mine:
            return not any(their_side.admits(value, theirs) for value in mine["enum"])
        if "enum" in theirs:
            return not any(self.admits(value, mine) for value in theirs["enum"])
        if "anyOf" in mine:
            return all(self.excludes(self.simplify(b), theirs, their_side, depth - 1) for b in mine["anyOf"])
        if "anyOf" in theirs:
            return all(self.excludes(mine, their_side.simplify(b), their_side, depth - 1) for b in theirs["anyOf"])
        common_types = types_of(mine) & types_of(theirs)
        if common_types == {"string"}:
            return are_apart((*languages_of(mine), *languages_of(theirs)))
        if common_types and common_types <= {"integer", "number"}:
            return _are_ranges_apart(mine, theirs, whole=common_types == {"integer"})
        if common_types != {"object"}:
            return not common_types
        return any(
            self.excludes(self.simplify(my_value), their_side.simplify(their_value), their_side, depth - 1)
            for name in {*mine.get("required", ()), *theirs.get("required", ())}
            for my_value in _property_schemas(mine, name)
            for their_value in _property_schemas(theirs, name)
        )


class Inclusion:
    """Proves that the values of one schema are among those of another.

    A proof goes from the old side to the new one, or `back`.
    """

    def __init__(self, old: Any, new: Any) -> None:
        self._sides = _Side(old), _Side(new)
        self._keys: dict[int, tuple[Any, str]] = {}
        """The key of each schema by its identity. It holds the schema too, so that no other one gets this identity."""
        self._proved: dict[tuple[bool, str, str], None] = {}
        self._failed: set[tuple[bool, str, str]] = set()
        self._steps = 0

    def proves(self, narrow: Any, wide: Any, *, back: bool = False) -> bool:
        """Return whether it is proved that `wide`, of the new side, admits all values of `narrow`, of the old side.

        With `back`, `narrow` is of the new side and `wide` of the old one.
        """
        self._steps = 0
        for side in self._sides:
            side.steps = 0
        proved_before = len(self._proved)
        try:
            return self._fits(narrow, wide, back)
        except (_UnprovableError, RecursionError, TooManyStepsError):
            self._forget_after(proved_before)
            return False

    def proves_same_parts(self, old: Sequence[Any], new: Sequence[Any]) -> bool:
        """Return whether it is proved that two lists have the same schemas, in any order."""
        return _is_permutation(old, new, lambda a, b: self.proves(a, b) and self.proves(b, a, back=True))

    def proves_apart(self, old: Any, new: Any) -> bool:
        """Return whether it is proved that no value fits both a schema of the old side and one of the new side."""
        old_side, new_side = self._sides
        old_side.steps = new_side.steps = 0
        try:
            return old_side.excludes(old_side.simplify(old), new_side.simplify(new), new_side)
        except (_UnprovableError, RecursionError, TooManyStepsError):
            return False

    def proves_exclusive(self, branches: Sequence[Any], *, back: bool = False) -> bool:
        """Return whether it is proved that no value fits two branches of a `oneOf` of the new side; `back`: the old one."""
        side = self._sides[not back]
        side.steps = 0
        try:
            simplified = side.simplify({"oneOf": branches})
        except (_UnprovableError, RecursionError, TooManyStepsError):
            return False
        return not isinstance(simplified, Mapping) or "oneOf" not in simplified

    def _forget_after(self, count: int) -> None:
        """Forget all proofs but the first ones."""
        while len(self._proved) > count:
            self._proved.popitem()

    def _fits(self, narrow: Any, wide: Any, back: bool) -> bool:
        """Compare two schemas. A pair that is being compared counts as proved: a value is finite, so its parts decide."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise _UnprovableError
        key = (back, self._key(narrow), self._key(wide))
        if key in self._proved:
            return True
        if key in self._failed:
            return False
        proved_before = len(self._proved)
        self._proved[key] = None
        if self._compare(narrow, wide, back):
            return True
        self._forget_after(proved_before)
        self._failed.add(key)
        return False

    def _all_fit(self, pairs: Iterable[tuple[Any, Any]], back: bool) -> bool:
        """Compare pairs of a narrow and a wide schema, until one does not fit."""
        return all(self._fits(narrow, wide, back) for narrow, wide in pairs)

    def _are_equal(self, mine: Any, theirs: Any, back: bool) -> bool:
        """Return whether it is proved that two schemas admit the same values. `mine` is of the side of `narrow`."""
        return self._fits(mine, theirs, back) and self._fits(theirs, mine, not back)

    def _compare(self, narrow: Any, wide: Any, back: bool) -> bool:
        """Compare two schemas as a whole, or, if that decides nothing, the parts of `narrow` with the rules of `wide`."""
        mine, theirs = self._sides[back].simplify(narrow), self._sides[not back].simplify(wide)
        fits = self._compare_without_parts(mine, theirs, back)
        if fits is not None:
            return fits
        rules = {key: value for key, value in theirs.items() if not self._is_implied(key, mine, theirs, back)}
        return self._compare_parts(mine, rules, back)

    def _compare_parts(self, narrow: Mapping[str, Any], wide: Mapping[str, Any], back: bool) -> bool:
        """Compare each branch of a union, or else each type, with the rules that `narrow` does not have itself."""
        keyword = next((key for key in ("anyOf", "oneOf") if key in narrow and wide), None)
        if keyword is not None:
            beside = _without(narrow, [keyword])
            branches = (_both(beside, branch) for branch in narrow[keyword])
            if self._fits(beside, wide, back) or all(self._fits(branch, wide, back) for branch in branches):
                return True
            if keyword == "anyOf":
                return False
        types = without_implied_integer(types_of(narrow))
        if len(types) > 1:
            return all(self._fits({**narrow, "type": name}, wide, back) for name in sorted(types))
        if "allOf" in narrow and any(self._fits(part, wide, back) for part in narrow["allOf"]):
            return True
        if "if" in narrow and all(self._fits(part, wide, back) for part in _cases(narrow)):
            return True
        return all(self._meets(name, narrow, wide, back) for name in types)

    def _compare_without_parts(self, narrow: Any, wide: Any, back: bool) -> bool | None:
        """Compare two simplified schemas as far as no schemas inside them have to be compared; None if they have to be."""
        if narrow is False or wide == {}:
            return True
        if wide is False:
            return False
        if "enum" in narrow:
            return all(self._sides[not back].admits(value, wide) for value in narrow["enum"])
        if any(self._is_same(*pair) for pair in _sufficient_pairs(narrow, wide)):
            return True
        has_parts = bool(narrow.keys() & {"anyOf", "oneOf", "allOf"}) and not wide.keys() & UNEVALUATED
        if not has_parts and (wide.keys() & UNEVALUATED or "enum" in wide):
            return types_of(narrow) == types_of(wide) == {"string"} and _are_listed(narrow, wide)
        return None

    def _is_same(self, schema: Any, other: Any) -> bool:
        """Return whether two schemas have the same rules, and their references the same targets on both sides."""
        old_root, new_root = (side.root for side in self._sides)
        return self._key(schema) == self._key(other) and has_same_targets(schema, old_root, new_root)

    def _key(self, schema: Any) -> str:
        """Return a string that is equal for schemas of the same rules. It is made once for each object."""
        if id(schema) not in self._keys:
            self._keys[id(schema)] = schema, json_key(drop_annotations(schema, deep=True))
        return self._keys[id(schema)][1]

    def _is_implied(self, keyword: str, narrow: Mapping[str, Any], wide: Mapping[str, Any], back: bool) -> bool:
        """Return whether `narrow` has a rule of `wide` too, whatever its type is."""
        if keyword not in narrow:
            return False
        if keyword == "oneOf":
            return _is_permutation(narrow[keyword], wide[keyword], lambda a, b: self._are_equal(a, b, back))
        if keyword in ("properties", "additionalProperties", "items", "prefixItems", "patternProperties"):
            return False
        group = next((group for group in (CONDITION, CONTAINS) if keyword in group), (keyword,))
        return self._is_same(_only(narrow, group), _only(wide, group))

    def _meets(self, type_name: str, narrow: Mapping[str, Any], wide: Mapping[str, Any], back: bool) -> bool:
        """Return whether the values of one type that `narrow` admits meet all rules of `wide`."""
        if type_name not in types_of(wide):
            return False
        of_type = _KEYWORDS_OF.get("number" if type_name == "integer" else type_name, ())
        of_other_types = {key for keys in _KEYWORDS_OF.values() for key in keys} - {*of_type}
        rules = _without(wide, {*of_other_types, "type"})
        return all(
            self._meets_rule(keyword, type_name, narrow, rules, back) or self._is_in_part(keyword, narrow, rules, back)
            for keyword in rules
        )

    def _is_in_part(self, keyword: str, narrow: Mapping[str, Any], wide: Mapping[str, Any], back: bool) -> bool:
        """Return whether a part of `allOf` alone meets a rule of `wide`, with the keywords that it depends on."""
        rule = _only(wide, next((group for group in GROUPS if keyword in group), (keyword,)))
        return any(self._fits(part, rule, back) for part in narrow.get("allOf", ()))

    def _meets_rule(
        self, keyword: str, type_name: str, narrow: Mapping[str, Any], wide: Mapping[str, Any], back: bool
    ) -> bool:
        """Return whether the values of one type that `narrow` admits meet one rule of `wide`."""
        rule = wide[keyword]
        match keyword:
            case "allOf":
                return all(self._fits(narrow, part, back) for part in rule)
            case "anyOf":
                fits = any(self._fits(narrow, branch, back) for branch in rule)
                return fits or self._parts_fit(narrow, rule, back)
            case "oneOf":
                return self._fits_one(narrow, rule, back)
            case "not":
                return self._meets_negation(narrow, rule, back)
            case "if":
                return self._meets_condition(narrow, wide, back)
            case "contains":
                return self._meets_contains(narrow, wide, back)
            case "then" | "else" | "minContains" | "maxContains":  # compared with the first keyword of their group
                return True
            case "propertyNames":
                fits = self._fits(_both({"type": "string"}, narrow.get(keyword, {})), rule, back)
                return fits or self._names_fit(narrow, rule, back)
            case "dependentRequired":
                return _meets_dependent_required(narrow, rule)
            case "dependentSchemas":
                return self._meets_dependent_schemas(narrow, rule, back)
            case "multipleOf":
                step = narrow.get(keyword, 1 if type_name == "integer" else None)
                return step is not None and is_multiple(step, rule)
            case "uniqueItems":
                return not rule or narrow.get(keyword) is True or narrow.get("maxItems", 2) < 2
            case "required":
                return set(rule) <= {*narrow.get("required", ())}
            case "items" | "prefixItems":
                return self._meets_items(narrow, wide, back)
            case "properties" | "patternProperties" | "additionalProperties":
                return self._meets_properties(narrow, wide, back)
            case "pattern":
                return _matches_all(narrow, wide, keyword)
            case "minLength" | "maxLength" if "pattern" in narrow and _matches_all(narrow, wide, keyword):
                return True
            case _:
                return keyword in _BOUNDS and _is_within(narrow, wide, keyword, whole=type_name == "integer")

    def _fits_one(self, narrow: Mapping[str, Any], branches: Sequence[Any], back: bool) -> bool:
        """Return whether the values of `narrow` fit one of several branches, and by contradictions none of the others."""
        candidates = [i for i, branch in enumerate(branches) if not self._are_apart(narrow, branch, back)]
        return len(candidates) == 1 and self._fits(narrow, branches[candidates[0]], back)

    def _are_apart(self, narrow: Any, wide: Any, back: bool) -> bool:
        """Return whether it is proved that no value fits both a schema of the narrow side and one of the wide side."""
        narrow_side, wide_side = self._sides[back], self._sides[not back]
        return narrow_side.excludes(narrow_side.simplify(narrow), wide_side.simplify(wide), wide_side)

    def _parts_fit(self, narrow: Mapping[str, Any], branches: Sequence[Any], back: bool) -> bool:
        """Return whether each part of `narrow` fits one of several branches.

        The parts are its values below and from a bound of a branch, or those of each value that a property lists.
        """
        simplified = [self._sides[not back].simplify(branch) for branch in branches]
        if types_of(narrow) == {"string"} and is_inside(languages_of(narrow), _joined_pattern(simplified)):
            return True
        for below, above in _cuts(narrow, simplified):
            halves = [merge_exactly(narrow, part) for part in (below, above)]
            if all(part is not None and self._fits(part, {"anyOf": branches}, back) for part in halves):
                return True
        parts = self._parts_by_property(narrow, simplified, back)
        return bool(parts) and all(self._fits(part, {"anyOf": branches}, back) for part in parts)

    def _parts_by_property(self, narrow: Mapping[str, Any], branches: Sequence[Any], back: bool) -> list[Any]:
        """Return the parts of an object by the alternatives of the property that tells branches apart; none if none does.

        It is the only one for which they have several schemas, or the first required one whose values are listed.
        """
        required = {*narrow.get("required", ())}
        telling = []
        for name, schema in narrow.get("properties", {}).items():
            if len({json_key([*_property_schemas(branch, name)]) for branch in branches if branch is not False}) > 1:
                telling.append((name, _split(self._sides[back].simplify(schema))))
        if len(telling) > 1:
            telling = [(name, parts) for name, parts in telling if name in required and len(parts) > 1]
            telling = [(name, parts) for name, parts in telling if "enum" in parts[0]]
        for name, alternatives in telling[:1]:
            present = {**narrow, "required": sorted({*required, name})}
            parts = [_with_property(present, name, each) for each in alternatives]
            absent = [] if name in required else [_with_property(narrow, name, False)]
            return [*parts, *absent] if len(parts) + len(absent) > 1 else []
        return []

    def _meets_negation(self, narrow: Mapping[str, Any], excluded: Any, back: bool) -> bool:
        """Return whether no value of `narrow` fits the schema that `not` of the wide side excludes.

        It is proved if the two contradict each other, or if `not` of `narrow` excludes all that is excluded.
        """
        if self._are_apart(narrow, excluded, back):
            return True
        return "not" in narrow and self._fits(excluded, narrow["not"], not back)

    def _meets_condition(self, narrow: Mapping[str, Any], wide: Mapping[str, Any], back: bool) -> bool:
        """Return whether `narrow` fits `then`, or never meets the condition, and fits `else`, or always meets it."""
        meets_then = self._fits(narrow, wide.get("then", True), back) or self._meets_negation(narrow, wide["if"], back)
        return meets_then and (self._fits(narrow, wide.get("else", True), back) or self._fits(narrow, wide["if"], back))

    def _meets_contains(self, narrow: Mapping[str, Any], wide: Mapping[str, Any], back: bool) -> bool:
        """Return whether `narrow` has enough items that fit `contains` of `wide`, and not too many of them.

        It has enough if those that it demands itself fit, and not too many if all that fit are among those that it
        limits, or if it has no more items at all.
        """
        mine, theirs = narrow.get("contains", False), wide["contains"]
        least, most = wide.get("minContains", 1), wide.get("maxContains", math.inf)
        has_least = narrow.get("minContains", 1) >= least and self._fits(mine, theirs, back) and "contains" in narrow
        has_most = narrow.get("maxContains", math.inf) <= most and self._fits(theirs, mine, not back)
        return (least == 0 or has_least) and (narrow.get("maxItems", math.inf) <= most or has_most)

    def _names_fit(self, narrow: Mapping[str, Any], rule: Any, back: bool) -> bool:
        """Return whether a closed object has only names that a schema admits."""
        if narrow.get("additionalProperties", True) is not False:
            return False
        side = self._sides[not back]
        patterns = ({"type": "string", "pattern": pattern} for pattern in narrow.get("patternProperties", ()))
        return all(side.admits(name, rule) for name in narrow.get("properties", ())) and self._all_fit(
            ((pattern, rule) for pattern in patterns), back
        )

    def _meets_dependent_schemas(self, narrow: Mapping[str, Any], rule: Mapping[str, Any], back: bool) -> bool:
        """Return whether the values that have a property fit the schema that depends on it, for each such property."""
        stated = narrow.get("dependentSchemas", {})
        without_unevaluated = _without(narrow, UNEVALUATED)
        with_property = {name: _both(without_unevaluated, {"required": [name]}) for name in rule}
        pairs = [(_both(with_property[name], stated.get(name, {})), schema) for name, schema in rule.items()]
        return self._all_fit(pairs, back)

    def _meets_items(self, narrow: Mapping[str, Any], wide: Mapping[str, Any], back: bool) -> bool:
        """Return whether the items fit one by one, up to one after the prefixes, which stands for all further ones."""
        prefix_length = max(len(narrow.get("prefixItems", ())), len(wide.get("prefixItems", ())))
        count = int(min(narrow.get("maxItems", math.inf), prefix_length + 1))
        return self._all_fit([(_item_schema(narrow, i), _item_schema(wide, i)) for i in range(count)], back)

    def _meets_properties(self, narrow: Mapping[str, Any], wide: Mapping[str, Any], back: bool) -> bool:
        """Return whether every property that `narrow` admits fits the schemas that `wide` has for it.

        That is certain if it holds for each name that either side declares, and for all other names by pattern: a name
        that matches a pattern of `wide` must fit its schema, any other what `wide` says of undeclared properties.
        """
        for name in {*narrow.get("properties", ()), *wide.get("properties", ()), *narrow.get("required", ())}:
            admitted = [*_property_schemas(narrow, name)]
            for wide_schema in _property_schemas(wide, name):
                if not any(self._fits(schema, wide_schema, back) for schema in admitted):
                    return False
        narrow_patterns, wide_patterns = narrow.get("patternProperties", {}), wide.get("patternProperties", {})
        undeclared, mine = wide.get("additionalProperties", True), narrow.get("additionalProperties", True)
        if any(is_inside((), (pattern,)) for pattern in narrow_patterns):
            mine = False  # all names match
        if any(is_inside((), (pattern,)) for pattern in wide_patterns):
            undeclared = True
        pairs = [(mine, undeclared)]
        for pattern, schema in wide_patterns.items():
            if pattern in narrow_patterns:
                pairs.append((narrow_patterns[pattern], schema))
                continue
            pairs.append((mine, schema))
            pairs += [(sub, schema) for other, sub in narrow_patterns.items() if not are_apart((pattern, other))]
        pairs += [
            (schema, undeclared)
            for pattern, schema in narrow_patterns.items()
            if not any(is_inside((pattern,), (other,)) for other in wide_patterns)
        ]
        return self._all_fit(pairs, back)


def _values_of_type(type_name: str, rules: Mapping[str, Any]) -> list[Any] | None:
    """Return values that include all of one type which a schema admits; None if they are too many to list."""
    if type_name in ("null", "boolean"):
        return [None] if type_name == "null" else [False, True]
    if type_name == "integer" and rules.keys() & _LEAST and rules.keys() & _GREATEST:
        first = math.ceil(max(rules[key] for key in _LEAST if key in rules))
        last = math.floor(min(rules[key] for key in _GREATEST if key in rules))
        return [*range(first, last + 1)] if last - first < _MAX_LISTED else None
    if type_name == "object" and _is_closed(rules) and not rules.get("properties"):
        return [{}]
    empty: Mapping[str, tuple[str, Any]] = {
        "string": ("maxLength", ""),
        "array": ("maxItems", []),
        "object": ("maxProperties", {}),
    }
    keyword, value = empty.get(type_name, ("", None))
    return [value] if rules.get(keyword) == 0 else None


def _matches_all(narrow: Mapping[str, Any], wide: Mapping[str, Any], keyword: str) -> bool:
    """Return whether all strings of `narrow` meet the pattern, or the limit of their length, of `wide`."""
    return is_inside(languages_of(narrow), languages_of({keyword: wide[keyword]}))


def _joined_pattern(branches: Iterable[Any]) -> tuple[str, ...]:
    """Return one pattern for the strings that branches admit by a pattern or a list alone; one that matches none if none."""
    patterns: list[str] = []
    for branch in branches:
        rules = _without(branch, ["type"]) if isinstance(branch, Mapping) and "string" in types_of(branch) else {}
        if rules.keys() == {"enum"} and len(rules["enum"]) <= _MAX_LISTED:
            patterns.append(pattern_of_texts([value for value in rules["enum"] if isinstance(value, str)]))
        elif rules.keys() and rules.keys() <= {"pattern", "minLength", "maxLength"}:
            languages = languages_of(rules)
            patterns += languages if len(languages) == 1 else ()
    return ("|".join(f"(?:{pattern})" for pattern in patterns) or "a^",)


def _are_listed(narrow: Mapping[str, Any], wide: Mapping[str, Any]) -> bool:
    """Return whether all strings of `narrow` are among those that `wide` lists."""
    if wide.keys() & UNEVALUATED or len(wide["enum"]) > _MAX_LISTED:
        return False
    return is_inside(languages_of(narrow), (pattern_of_texts(wide["enum"]),))


def _with_negation(rules: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema that says without `not` what an object must not be, if that is only its properties."""
    excluded = drop_annotations(rules["not"])
    if not isinstance(excluded, Mapping) or not excluded.keys() & {"required", "properties"}:
        return rules
    if excluded.keys() - {"type", "required", "properties"} or excluded.get("type", "object") != "object":
        return rules
    branches: list[Any] = [{"properties": {name: False}} for name in excluded.get("required", ())]
    branches += [
        {"required": [name], "properties": {name: {"not": schema}}}
        for name, schema in excluded.get("properties", {}).items()
    ]
    branches = [{"type": "object", **branch} for branch in branches]
    if "type" in excluded:
        branches.append({"type": sorted({*TYPES} - {"object", "integer"})})
    merged = merge_exactly(_without(rules, ["not"]), branches[0] if len(branches) == 1 else {"anyOf": branches})
    return rules if merged is None else merged


def _cases(narrow: Mapping[str, Any]) -> list[Any]:
    """Return two schemas, without conditions, for the values that meet the condition of a schema and for the others."""
    beside = _without(narrow, UNEVALUATED.union(CONDITION))
    then = _both(_both(beside, narrow["if"]), narrow.get("then", {}))
    return [then, _both(_both(beside, {"not": narrow["if"]}), narrow.get("else", {}))]


def _split(schema: Any) -> list[Any]:
    """Return the alternatives of a simplified schema: listed values, branches or types. Together they are the schema."""
    if not isinstance(schema, Mapping):
        return []
    if "enum" in schema:
        return [{"enum": [value]} for value in schema["enum"]]
    if schema.keys() == {"anyOf"}:
        return [*schema["anyOf"]]
    types = without_implied_integer(types_of(schema)) if "type" in schema else set[str]()
    return [{**schema, "type": name} for name in sorted(types)] if len(types) > 1 else [schema]


def _sufficient_pairs(narrow: Mapping[str, Any], wide: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield pairs of schemas of the two sides. If one pair is the same, `wide` admits all values of `narrow`."""
    yield narrow, wide
    for part in narrow.get("allOf", ()):
        yield part, wide
    for branch in wide["anyOf"] if wide.keys() == {"anyOf"} else ():
        yield narrow, branch


def _cuts(narrow: Mapping[str, Any], branches: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield pairs of schemas that divide all values at a bound which a branch has, and which lies within those of `narrow`."""
    for branch in branches:
        for keyword in branch.keys() & _BOUNDS.keys() if isinstance(branch, Mapping) else ():
            complement = normalize({"not": {keyword: branch[keyword]}}, {})
            if not isinstance(complement, Mapping):
                continue
            below, above = {keyword: branch[keyword]}, _without(complement, ["type"])
            if not any(_implies(narrow, part) for part in (below, above)):
                yield below, above


def _are_ranges_apart(mine: Mapping[str, Any], theirs: Mapping[str, Any], *, whole: bool) -> bool:
    """Return whether the greatest number of a schema is below the least one of another. `whole`: they are integers."""
    for low, high in ((mine, theirs), (theirs, mine)):
        for least in low.keys() & {*_LEAST}:
            complement = normalize({"not": {least: low[least]}}, {})
            below = _without(complement, ["type"]) if isinstance(complement, Mapping) else {}
            if below and all(_is_within(high, below, keyword, whole=whole) for keyword in below):
                return True
    return False


def _implies(narrow: Mapping[str, Any], bound: Mapping[str, Any]) -> bool:
    """Return whether a schema has a bound already, or a stricter one."""
    return all(_is_within(narrow, bound, keyword, whole=types_of(narrow) == {"integer"}) for keyword in bound)


def _with_property(schema: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    return {**schema, "properties": {**schema.get("properties", {}), name: value}}


def _meets_dependent_required(narrow: Mapping[str, Any], rule: Mapping[str, Any]) -> bool:
    """Return whether `narrow` requires, always or beside the property itself, what `wide` requires beside a property."""
    stated = narrow.get("dependentRequired", {})
    return all({name, *narrow.get("required", ()), *stated.get(name, ())}.issuperset(rule[name]) for name in rule)


def _is_within(narrow: Mapping[str, Any], wide: Mapping[str, Any], keyword: str, *, whole: bool) -> bool:
    """Return whether a bound of `wide` excludes nothing that `narrow` admits. `whole`: the values are integers."""
    twin, sign = _BOUNDS[keyword]
    required_limit = _limit(keyword, wide[keyword], sign, whole=whole)
    limits = [_limit(each, narrow[each], sign, whole=whole) for each in (keyword, twin) if each in narrow]
    if keyword.startswith("min") and keyword != "minimum":
        least = len(set(narrow.get("required", ()))) if keyword == "minProperties" else 0
        limits.append((Fraction(-least), 1))
    if keyword == "maxProperties" and _is_closed(narrow):
        limits.append((Fraction(len(narrow.get("properties", ()))), 1))
    if keyword == "maxItems" and narrow.get("uniqueItems") and not narrow.get("prefixItems"):
        items = narrow.get("items")
        if isinstance(items, Mapping) and "enum" in items:
            limits.append((Fraction(len(items["enum"])), 1))
        elif isinstance(items, Mapping) and types_of(items) <= {"null", "boolean"}:
            limits.append((Fraction(len(list_small_values(items))), 1))
    return any(limit <= required_limit for limit in limits)


def _is_closed(schema: Mapping[str, Any]) -> bool:
    """Return whether an object has no properties but the declared ones."""
    return schema.get("additionalProperties", True) is False and not schema.get("patternProperties")


def _limit(keyword: str, value: float, sign: int, *, whole: bool) -> tuple[Fraction, int]:
    """Return a bound as an upper limit that can be ordered: an exclusive one is below an inclusive one."""
    exclusive = keyword.startswith("exclusive")
    limit = Fraction(value) * sign
    if whole:
        return Fraction(math.ceil(limit) - 1 if exclusive else math.floor(limit)), 1
    return limit, 0 if exclusive else 1


def _is_permutation(old: Sequence[Any], new: Sequence[Any], are_equal: Callable[[Any, Any], bool]) -> bool:
    """Return whether each schema of a list is equal to another one of a second list. Those in the same place come first."""
    unmatched = dict(enumerate(new))
    for i, schema in enumerate(old):
        places = sorted(unmatched, key=lambda j: j != i)
        place = next((j for j in places if are_equal(schema, unmatched[j])), None)
        if place is None:
            return False
        del unmatched[place]
    return not unmatched


def _property_schemas(schema: Mapping[str, Any], name: str) -> Iterator[Any]:
    """Yield the schemas that the value of a property must all satisfy."""
    if name in schema.get("properties", ()):
        yield schema["properties"][name]
        schema = {**schema, "additionalProperties": True}
    yield from undeclared_property_schemas(schema, name)


def _item_schema(schema: Mapping[str, Any], i: int) -> Any:
    """Return the schema of the item with an index."""
    prefix = schema.get("prefixItems", ())
    return prefix[i] if i < len(prefix) else schema.get("items", True)


def _alternatives(branch: Any) -> list[Any]:
    """Return the branches of a schema that is only an `anyOf`, or the schema itself."""
    return branch["anyOf"] if isinstance(branch, dict) and branch.keys() == {"anyOf"} else [branch]


def _only(schema: Mapping[str, Any], keywords: Iterable[str]) -> dict[str, Any]:
    """Return some keywords of a schema, in its order."""
    return {key: value for key, value in schema.items() if key in keywords}


def _without(schema: Mapping[str, Any], keywords: Iterable[str]) -> dict[str, Any]:
    """Return a schema without some keywords.

    A schema without those of `UNEVALUATED` admits the same values or more, also when other keywords are added to it.
    """
    return {key: value for key, value in schema.items() if key not in keywords}


def _both(schema: Mapping[str, Any], part: Any) -> Any:
    """Return one schema that admits what both admit."""
    merged = merge_exactly(schema, part) if isinstance(part, Mapping) else None
    return merged if merged is not None else {"allOf": [schema, part]}
