"""Comparison of two schemas by the values that they admit: each change with its path, direction and witness.

A witness, a value that the old schema admits and the new one refuses, proves that a change loses values. For keywords
that are not compared here, a witness is searched for. If there is none, nothing is proved, and the change is reported
so. A difference that excludes no value, by a proof, is not reported as one that does. A name that the old side did not
declare has no values, unless the object has a schema for all names: a new optional property narrows nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from toolgen.breaking.schema_inclusion import Inclusion
from toolgen.breaking.schema_normalization import (
    LOWER_BOUNDS,
    MAX_CHAIN,
    TYPES,
    UPPER_BOUNDS,
    admitted_types,
    declared_properties,
    json_key,
    list_small_values,
    normalize,
    types_of,
    undeclared_property_schemas,
    without_implied_integer,
)
from toolgen.breaking.schema_samples import MAX_SAMPLES, Samples
from toolgen.load import Pointer
from toolgen.resolve.dialect import ANNOTATIONS, drop_annotations
from toolgen.resolve.schema_bundler import follow_references, has_same_targets
from toolgen.resolve.schema_locations import PREFIX
from toolgen.resolve.value_checks import TooManyStepsError, ValueValidator, is_multiple
from toolgen_runtime.json_values import same_json

Relation = Literal["note", "wider", "narrower", "other", "unknown"]

ABSENT: Any = object()
"""Marks a value that does not exist."""

_CONDITIONS = frozenset(
    "if then else not dependentRequired dependentSchemas contains minContains maxContains unevaluatedItems "
    "unevaluatedProperties propertyNames patternProperties allOf prefixItems".split()
)
_UNIONS = frozenset(["anyOf", "oneOf"])


@dataclass(frozen=True, slots=True)
class Difference:
    """A change at the path `pointer` of the new schema (the old one if `gone`). `effect` is its effect on the values."""

    code: str
    pointer: Pointer
    effect: Relation
    before: Any = ABSENT
    after: Any = ABSENT
    witness: Any = ABSENT
    gone: bool = False


def combine_effects(differences: list[Difference]) -> Relation | None:
    """Return the joint effect of several differences; None if they change no admitted value."""
    effects: set[Relation] = {difference.effect for difference in differences if difference.effect != "note"}
    if not effects:
        return None
    if len(effects) == 1:
        return effects.pop()
    return "unknown" if effects == {"unknown", "wider"} else "other"


def compare_schemas(old: Any, new: Any, examples: tuple[Any, ...] = ()) -> list[Difference]:
    """Return the differences between two self-contained schemas. `examples` are values that the old one admits."""
    return [] if same_json(old, new) else _Comparison(old, new, examples).run()


class _Pair(NamedTuple):
    """A schema of the old side, and the one of the new side that it is compared with."""

    old: Any
    new: Any


class _Comparison:
    """Compares two schemas. `before` and `after` are what the old and the new one say."""

    def __init__(self, old: Any, new: Any, examples: tuple[Any, ...]) -> None:
        self._old, self._new = old, new
        self._examples = examples
        self._before, self._after = ValueValidator(old), ValueValidator(new)
        self._samples = Samples(old), Samples(new)
        self._witnesses: dict[tuple[str, str], Any] = {}
        self._inclusion = Inclusion(old, new)
        self._compared: set[tuple[str, str]] = set()
        self._open: list[tuple[str, str]] = []

    def run(self) -> list[Difference]:
        """Return all differences. If none of them narrows, but a witness is found, a further difference has it."""
        differences = list(self._schemas(self._old, self._new, ()))
        if all(difference.effect in ("note", "wider") for difference in differences):
            witness = self._witness(self._old, self._new)
            if witness is not ABSENT:
                narrowed = Difference("condition-changed", (), "narrower", self._old, self._new, witness)
                differences.append(narrowed)
        return differences

    def _schemas(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        """Yield the differences of two schemas at a path. Schemas that were compared before yield nothing."""
        before, _ = follow_references(old, self._old, pointer)
        after, target = follow_references(new, self._new, pointer)
        if before is not old or after is not new:
            annotated = _Pair(old, new)
            if before is old or after is new:  # keywords beside a reference replace those of its target
                annotated = _Pair(_with_keywords(before, old), _with_keywords(after, new))
                before, after = drop_annotations(before), drop_annotations(after)
            yield from _annotations(annotated.old, annotated.new, pointer)
        keys = (json_key(before), json_key(after))
        if keys[0] == keys[1] and has_same_targets(before, self._old, self._new):
            return
        place = (keys[0] + str(target), keys[1])
        if place in self._compared or keys in self._open:
            return
        self._compared.add(place)
        self._open.append(keys)  # a schema may contain itself as a part of `allOf`
        yield from self._unproved(before, after, target, _Pair(old, new))
        self._open.pop()

    def _unproved(self, old: Any, new: Any, pointer: Pointer, stated: _Pair) -> Iterator[Difference]:
        """Yield the differences of two schemas, except for those that by a proof change no value.

        `stated` are the two as they are written, perhaps as references. If all differences that widen are left out,
        although it is not proved that nothing is gained, one difference stands for them.
        """
        lossless, gainless = self._inclusion.proves(old, new), self._inclusion.proves(new, old, back=True)
        dropped = gained = False
        for difference in self._details(old, new, pointer, stated):
            if difference.code == "parameter-renamed" or difference.effect == "note":
                yield difference
            elif lossless and difference.code in ("parameter-removed", "format-changed"):
                yield replace(difference, effect="note")
            elif gainless if difference.effect == "wider" else lossless:
                dropped = True
            else:
                gained |= difference.effect in ("wider", "other")
                yield difference
        if dropped and not gained and not gainless:
            yield Difference("condition-changed", pointer, "wider", old, new)

    def _details(self, old: Any, new: Any, pointer: Pointer, stated: _Pair) -> Iterator[Difference]:
        """Yield the differences of two schemas, keyword by keyword."""
        old, new = ({} if schema is True else schema for schema in (old, new))
        before, after = self._normalized(old, new, stated, unions=False)
        if before is False or after is False:
            if before is not after:
                code = "type-widened" if before is False else "type-narrowed"
                relation: Relation = "wider" if before is False else "narrower"
                yield self._judged(Difference(code, pointer, relation, old, new), old, new)
            return
        if bool(before.keys() & _UNIONS) != bool(after.keys() & _UNIONS):
            before, after = self._normalized(old, new, stated, unions=True)
        yield from _annotations(before, after, pointer)
        yield from self._types(before, after, pointer)
        yield from self._values(before, after, pointer)
        yield from self._bounds(before, after, pointer)
        yield from self._texts(before, after, pointer)
        yield from self._object(before, after, pointer)
        yield from self._items(before, after, pointer)
        yield from self._branches(before, after, pointer)
        for keyword in sorted(_CONDITIONS & (before.keys() | after.keys())):
            yield from self._condition(before, after, keyword, pointer)

    def _normalized(self, old: Any, new: Any, stated: _Pair, *, unions: bool) -> _Pair:
        """Normalize two schemas. If only one is a union, and has a branch like the other schema, both become unions."""
        before, after = normalize(old, self._old, unions=unions), normalize(new, self._new, unions=unions)
        if not isinstance(before, Mapping) or not isinstance(after, Mapping):
            return _Pair(before, after)
        return _Pair(
            _wrap_in_union(before, stated.old, self._old, like=after, like_root=self._new),
            _wrap_in_union(after, stated.new, self._new, like=before, like_root=self._old),
        )

    def _condition(self, old: Any, new: Any, keyword: str, pointer: Pointer) -> Iterator[Difference]:
        """Yield the difference of a keyword whose effect on the values is not compared, but searched for."""
        before, after, here = _value(old, keyword), _value(new, keyword), (*pointer, keyword)
        if same_json(before, after) and has_same_targets({keyword: before}, self._old, self._new):
            return
        if keyword == "patternProperties" and {*old.get(keyword, ())} == {*new.get(keyword, ())}:
            for pattern in old.get(keyword, ()):
                yield from self._schemas(before[pattern], after[pattern], (*here, pattern))
        elif keyword != "allOf" or not self._inclusion.proves_same_parts(old.get(keyword, ()), new.get(keyword, ())):
            yield self._searched(Difference("condition-changed", here, "unknown", before, after), old, new)

    def _types(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        """Yield the differences of the JSON types that are admitted. Null is a difference of its own."""
        before, after = types_of(old), types_of(new)
        if bool(old.keys() & _UNIONS) != bool(new.keys() & _UNIONS):
            before, after = admitted_types(old, self._old), admitted_types(new, self._new)
        if before == after:
            return

        def difference(code: str, effect: Relation) -> Difference:
            return Difference(code, (*pointer, "type"), effect, _describe_types(before), _describe_types(after))

        removed, added = without_implied_integer(before - after), without_implied_integer(after - before)
        if "null" in added and before != set(TYPES):
            yield difference("null-admitted", "wider")
        if "null" in removed and after != set(TYPES):
            yield self._judged(difference("null-refused", "narrower"), old, new)
        removed, added = removed - {"null"}, added - {"null"}
        if removed and added:
            yield self._judged(difference("type-changed", "other"), old, new)
        elif removed:
            yield self._judged(difference("type-narrowed", "narrower"), old, new)
        elif added:
            yield difference("type-widened", "wider")

    def _values(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        """Yield the differences of listed values. A schema of null and booleans has them as its list."""
        before, after, here = old.get("enum"), new.get("enum"), (*pointer, "enum")
        if before is None and after is None:
            return
        if before is None:
            if not (types_of(old) & types_of(new)) <= {"null", "boolean"}:
                yield self._judged(Difference("enum-set", here, "narrower", ABSENT, after), old, new)
                return
            before = list_small_values(old)
        elif after is None:
            if not (types_of(old) | types_of(new)) <= {"null", "boolean"}:
                yield Difference("enum-unset", here, "wider", before, ABSENT)
                return
            after = list_small_values(new)
        yield from _listed_values(before, after, here)

    def _bounds(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        """Yield the differences of bounds, except for those that the rest of the old schema implies."""
        for keyword in (*LOWER_BOUNDS, *UPPER_BOUNDS, "multipleOf", "uniqueItems"):
            before, after = old.get(keyword), new.get(keyword)
            if before == after or (keyword == "uniqueItems" and bool(before) == bool(after)):
                continue
            here, stated = (*pointer, keyword), (_value(old, keyword), _value(new, keyword))
            if not _is_tightened(keyword, before, after):
                yield Difference("bound-loosened", here, "wider", *stated)
            elif not self._inclusion.proves(old, {keyword: after}):
                yield self._judged(Difference("bound-tightened", here, "narrower", *stated), old, new)

    def _texts(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        """Yield the differences of `pattern` and `format`."""
        before, after, here = _value(old, "pattern"), _value(new, "pattern"), (*pointer, "pattern")
        if before != after and after is ABSENT:
            yield Difference("pattern-unset", here, "wider", before, after)
        elif before != after and before is ABSENT:
            yield self._searched(Difference("pattern-set", here, "narrower", before, after), old, new)
        elif before != after:
            yield self._searched(Difference("pattern-changed", here, "unknown", before, after), old, new)
        before, after = _value(old, "format"), _value(new, "format")
        if before != after:
            difference = Difference("format-changed", (*pointer, "format"), "unknown", before, after)
            yield self._searched(difference, old, new, otherwise="note")

    def _object(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        """Yield the differences of properties: those removed, those added, those that both objects declare, and others."""
        before, after = declared_properties(old), declared_properties(new)
        removed = {name: schema for name, schema in before.items() if name not in after}
        added = {name: schema for name, schema in after.items() if name not in before}
        new_names = _find_renamed_properties(removed, added)
        for name, schema in removed.items():
            if name in new_names:
                yield _renaming(name, new_names[name], new, pointer)
            else:
                yield self._removal(name, schema, old, new, pointer)
        for name, schema in added.items():
            if name not in new_names.values():
                yield from self._addition(name, schema, old, new, (*pointer, "properties", name))
        required_before, required_after = set(old.get("required", ())), set(new.get("required", ()))
        for name in before:
            if name not in after:
                continue
            here = (*pointer, "properties", name)
            if name in required_after - required_before:
                yield self._judged(Difference("parameter-became-required", here, "narrower", False, True), old, new)
            elif name in required_before - required_after:
                yield Difference("parameter-became-optional", here, "wider", True, False)
            yield from self._schemas(before[name], after[name], here)
        yield from self._undeclared(old, new, pointer)

    def _removal(self, name: str, schema: Any, old: Any, new: Any, pointer: Pointer) -> Difference:
        """Return the difference of a property that is no longer declared. Its values may still be admitted."""
        here = (*pointer, "properties", name)
        admitted = undeclared_property_schemas(new, name, unevaluated=True)
        if all(self._inclusion.proves(schema, each) for each in admitted):
            return Difference("parameter-removed", here, "note", schema, gone=True)
        return self._judged(Difference("parameter-removed", here, "narrower", schema, gone=True), old, new)

    def _addition(self, name: str, schema: Any, old: Any, new: Any, here: Pointer) -> Iterator[Difference]:
        """Yield the differences of a property that was not declared. Its values may have been admitted."""
        if name in new.get("required", ()):
            yield self._judged(Difference("required-parameter-added", here, "narrower", ABSENT, schema), old, new)
        else:
            yield Difference("parameter-added", here, "note", ABSENT, schema)
        for admitted in undeclared_property_schemas(old, name, unevaluated=True):
            if admitted not in (True, False, {}):
                yield from self._schemas(admitted, schema, here)

    def _undeclared(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        """Yield the differences of the schema of undeclared properties."""
        before, after = old.get("additionalProperties", True), new.get("additionalProperties", True)
        if same_json(before, after) and has_same_targets(before, self._old, self._new):
            return
        here = (*pointer, "additionalProperties")
        if after is False:
            yield self._judged(Difference("object-closed", here, "narrower", before, after), old, new)
        elif before is False:
            yield Difference("object-opened", here, "wider", before, after)
        elif before is not True and after is not True:
            yield from self._schemas(before, after, here)
        else:
            yield self._searched(Difference("condition-changed", here, "unknown", before, after), old, new)

    def _items(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        before, after = old.get("items", True), new.get("items", True)
        if before != after or "$ref" in str(before):
            yield from self._schemas(before, after, (*pointer, "items"))

    def _branches(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        """Yield the differences of a union: in branches that belong together, and those without a counterpart."""
        keyword = next((k for k in ("oneOf", "anyOf") if k in new or k in old), None)
        if keyword is None:
            return
        before = old.get("oneOf") or old.get("anyOf")
        after = new.get("oneOf") or new.get("anyOf")
        here = (*pointer, keyword)
        if before is None or after is None:
            difference = Difference("condition-changed", here, "unknown", _value(old, keyword), _value(new, keyword))
            yield self._searched(difference, old, new)
            return
        pairing = _pair_branches(before, after, self._old, self._new)
        for i, j in pairing.pairs.items():
            yield from self._schemas(before[i], after[j], (*here, j))
        for i in pairing.removed:
            yield self._judged(Difference("branch-removed", here, "narrower", before[i], ABSENT), old, new)
        for j in pairing.added:
            yield Difference("branch-added", (*here, j), "wider", ABSENT, after[j])
        if "oneOf" in new and (pairing.added or before != after or "oneOf" not in old):
            yield from self._overlap(old, new, here)

    def _overlap(self, old: Any, new: Any, here: Pointer) -> Iterator[Difference]:
        """Report a value that fits two branches of the new `oneOf`; unknown if it was `anyOf` and none is found."""
        if self._inclusion.proves_exclusive(new["oneOf"]):
            return
        witness = self._witness(old, new)
        if witness is ABSENT:
            if "oneOf" not in old:
                yield Difference("branches-overlap", here, "unknown")
        elif sum(self._after.reason(witness, branch) is None for branch in new["oneOf"]) > 1:
            yield Difference("branches-overlap", here, "narrower", witness=witness)

    def _judged(self, difference: Difference, old: Any, new: Any) -> Difference:
        """Return a difference that is known to lose values, with a witness if one is found."""
        return replace(difference, witness=self._witness(old, new))

    def _searched(self, difference: Difference, old: Any, new: Any, otherwise: Relation | None = None) -> Difference:
        """Return a difference with the effect that a search for a witness shows.

        It narrows if there is a witness. If there is none, its effect is `otherwise`; by default, a difference that
        narrows stays one, and any other is unknown.
        """
        witness = self._witness(old, new)
        if witness is not ABSENT:
            return replace(difference, effect="narrower", witness=witness)
        if otherwise is None:
            otherwise = "narrower" if difference.effect == "narrower" else "unknown"
        return replace(difference, effect=otherwise)

    def _witness(self, old: Any, new: Any) -> Any:
        """Return a value that the old schema admits and the new one refuses; ABSENT if none is found."""
        keys = (json_key(old), json_key(new))
        if keys not in self._witnesses:
            self._witnesses[keys] = self._search(old, new)
        return self._witnesses[keys]

    def _search(self, old: Any, new: Any) -> Any:
        """Return a witness among the samples of both schemas; ABSENT if none is found or validation takes too long."""
        if self._inclusion.proves(old, new):
            return ABSENT
        is_top = old is self._old or old == normalize(self._old, self._old)
        old_samples, new_samples = self._samples[0].of(old), self._samples[1].of(new)
        first = [*(self._examples if is_top else ()), *old_samples][:MAX_SAMPLES]
        for value in [*first, *new_samples]:
            try:
                if self._before.reason(value, old) is None and self._after.reason(value, new) is not None:
                    return value
            except TooManyStepsError:
                return ABSENT
        return ABSENT


def _with_keywords(schema: Any, outer: Any) -> dict[str, Any]:
    """Return a schema with the keywords of the one that refers to it."""
    return {key: value for part in (schema, outer) if isinstance(part, Mapping) for key, value in part.items()}


def _annotations(old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
    """Yield the differences of texts and defaults, which change no admitted value."""
    for keyword in ("description", "title", "default"):
        before, after = _value(old, keyword), _value(new, keyword)
        if json_key(before) == json_key(after):
            continue
        if keyword != "default":
            code = "description-changed"
        elif before is ABSENT:
            code = "default-added"
        else:
            code = "default-removed" if after is ABSENT else "default-changed"
        yield Difference(code, (*pointer, keyword), "note", before, after)


def _value(schema: Mapping[str, Any], keyword: str) -> Any:
    return schema.get(keyword, ABSENT)


def _describe_types(types: set[str]) -> str | list[str]:
    """Return types in the form of a message: one name or a sorted list, without `integer` beside `number`."""
    if types == set(TYPES):
        return "any type"
    names = sorted(without_implied_integer(types))
    return names[0] if len(names) == 1 else names


def _listed_values(before: list[Any], after: list[Any], here: Pointer) -> Iterator[Difference]:
    """Yield the differences of two lists of admitted values."""
    before_by_key, after_by_key = ({json_key(value): value for value in values} for values in (before, after))
    removed = [value for key, value in before_by_key.items() if key not in after_by_key]
    added = [value for key, value in after_by_key.items() if key not in before_by_key]
    if len(before_by_key) == len(after_by_key) == 1 and removed:
        yield Difference("const-changed", here, "other", before[0], after[0], witness=before[0])
        return
    if removed:
        yield Difference("enum-value-removed", here, "narrower", removed, after, witness=removed[0])
    if added:
        yield Difference("enum-value-added", here, "wider", before, added)
    if not removed and not added and [*map(json_key, before)] != [*map(json_key, after)]:
        yield Difference("enum-reordered", here, "note", before, after)


def _is_tightened(keyword: str, before: Any, after: Any) -> bool:
    """Return whether a bound that differs admits less than before. None is no bound."""
    if keyword == "uniqueItems":
        return bool(after)
    if before is None:
        return True
    if after is None:
        return False
    if keyword == "multipleOf":  # a step that neither divides the other nor is divided by it loses values as well
        return is_multiple(after, before) or not is_multiple(before, after)
    return bool(after > before) == (keyword in LOWER_BOUNDS)


def _find_renamed_properties(removed: Mapping[str, Any], added: Mapping[str, Any]) -> dict[str, str]:
    """Return the new names of renamed properties: one was removed, one with an equal schema was added, and no others."""
    new_names = {}
    for name, schema in removed.items():
        same_removed = [each for each, other in removed.items() if json_key(other) == json_key(schema)]
        same_added = [each for each, other in added.items() if json_key(other) == json_key(schema)]
        if len(same_removed) == len(same_added) == 1:
            new_names[name] = same_added[0]
    return new_names


def _renaming(name: str, new_name: str, new: Any, pointer: Pointer) -> Difference:
    loses_values = new.get("additionalProperties") is False or new_name in new.get("required", ())
    effect: Relation = "narrower" if loses_values else "unknown"
    return Difference("parameter-renamed", (*pointer, "properties", new_name), effect, name, new_name)


def _wrap_in_union(
    schema: Mapping[str, Any], stated: Any, root: Any, *, like: Mapping[str, Any], like_root: Any
) -> Mapping[str, Any]:
    """Return a schema as a union of one branch, if `like` is a union with such a branch. If not, return it unchanged.

    Both schemas are normalized; `stated` is the first one as it is written, perhaps as a reference into `root`.
    """
    keyword = next((k for k in ("oneOf", "anyOf") if k in like), None)
    if keyword is None or schema.keys() & _UNIONS or like.keys() - ANNOTATIONS != {keyword}:
        return schema
    branches = [*map(_rules_of, like[keyword])]
    identities = {_identify_branch(branch, like_root) for branch in branches}
    for rules in (_rules_of(stated), drop_annotations(schema)):
        is_same_reference = isinstance(rules, Mapping) and "$ref" in rules and rules in branches
        if is_same_reference or _identify_branch(rules, root) in identities:
            return {**{key: schema[key] for key in schema.keys() & ANNOTATIONS}, keyword: [rules]}
    return schema


def _rules_of(schema: Any) -> Any:
    """Return the rules of a schema, or of the one that is its only part."""
    for _ in range(MAX_CHAIN):
        rules = drop_annotations(schema)
        keyword = next(iter(rules)) if isinstance(rules, dict) and len(rules) == 1 else ""
        if keyword not in ("allOf", "anyOf", "oneOf") or len(rules[keyword]) != 1:
            return rules
        (schema,) = rules[keyword]
    return schema


class _BranchPairing(NamedTuple):
    """Which old branches of a union are which new ones, and which are only in one of them; all by their indices."""

    pairs: dict[int, int]
    removed: list[int]
    added: list[int]


def _pair_branches(old: list[Any], new: list[Any], old_root: Any, new_root: Any) -> _BranchPairing:
    """Pair the branches of two unions.

    Equal branches are the same. So are those with the same identity, in their order, if both unions have as many of them.
    """
    old_rules, new_rules = [*map(_rules_of, old)], [*map(_rules_of, new)]
    old_by_key, new_by_key = _index_by_key(old_rules), _index_by_key(new_rules)
    pairs = {old_by_key.pop(key): new_by_key.pop(key) for key in old_by_key.keys() & new_by_key.keys()}
    old_by_identity = _group_by_identity(old_rules, old_by_key.values(), old_root)
    new_by_identity = _group_by_identity(new_rules, new_by_key.values(), new_root)
    for identity, indices in old_by_identity.items():
        same = new_by_identity.get(identity, [])
        if len(indices) == len(same):
            pairs.update(zip(indices, same, strict=True))
    removed = sorted(set(old_by_key.values()) - pairs.keys())
    added = sorted(set(new_by_key.values()) - set(pairs.values()))
    alone = len(removed) == len(added) == 1
    roots = _Pair(old_root, new_root)
    pairs |= {i: j for i in removed for j in added if _is_edited(_Pair(old_rules[i], new_rules[j]), roots, alone=alone)}
    paired = set(pairs.values())
    return _BranchPairing(
        dict(sorted(pairs.items())), [i for i in removed if i not in pairs], [j for j in added if j not in paired]
    )


def _index_by_key(branches: list[Any]) -> dict[str, int]:
    return {json_key(drop_annotations(branch, deep=True)): i for i, branch in enumerate(branches)}


def _group_by_identity(branches: list[Any], indices: Iterable[int], root: Any) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for i in indices:
        groups.setdefault(_identify_branch(branches[i], root), []).append(i)
    return groups


def _is_edited(branches: _Pair, roots: _Pair, *, alone: bool) -> bool:
    """Return whether two branches are one that was edited: they refer to the same definition.

    If no other branch changed (`alone`), it is enough that they share a property, and that no constant tells them apart.
    """
    old_reference, new_reference = (branch.get("$ref") if isinstance(branch, Mapping) else None for branch in branches)
    if old_reference is not None and new_reference is not None:
        return bool(old_reference == new_reference)
    if not alone:
        return False
    old, new = (normalize(branch, root, unions=False) for branch, root in zip(branches, roots, strict=True))
    if not isinstance(old, Mapping) or not isinstance(new, Mapping) or types_of(old) != types_of(new):
        return False
    before, after = old.get("properties", {}), new.get("properties", {})
    shared = before.keys() & after.keys()
    return bool(shared) and not any(_is_constant(before[name]) and _is_constant(after[name]) for name in shared)


def _is_constant(schema: Any) -> bool:
    return isinstance(schema, Mapping) and ("const" in schema or len(schema.get("enum", ())) == 1)


def _identify_branch(branch: Any, root: Any) -> str:
    """Return what identifies a branch of a union: the constants of its properties, its reference or type, or itself."""
    if isinstance(branch, Mapping) and "$ref" in branch:
        reference = str(branch["$ref"])
        target = root.get("$defs", {}).get(reference.removeprefix(PREFIX))
        identity = _identify_branch(target, root) if isinstance(target, Mapping) else ""
        return identity if identity.startswith("{") else reference
    branch = normalize(branch, root, unions=False)
    if isinstance(branch, Mapping):
        constants = {
            name: schema["const"] if "const" in schema else schema["enum"][0]
            for name, schema in branch.get("properties", {}).items()
            if _is_constant(schema)
        }
        if constants:
            return json_key(constants)
        stated_type = branch.get("type")
        if isinstance(stated_type, str) and stated_type != "object":
            return f"type {stated_type}"
    return json_key(drop_annotations(branch, deep=True))
