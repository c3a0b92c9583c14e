"""Comparison of two schemas by the values that they admit: each change with its path, direction and witness.

A witness, a value that the old schema admits and the new one refuses, proves that a change loses values. For keywords
that are not compared here, a witness is searched for. If there is none, nothing is proved, and the change is reported
so. A difference that excludes no value, by a proof, is not reported as one that does. A name that the old side did not
declare has no values, unless the object has a schema for all names: a new optional property narrows nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from toolgen.breaking.pattern_languages import languages_of, texts_outside
from toolgen.breaking.pattern_samples import texts_of_pattern
from toolgen.breaking.python_types import count_classes, python_type
from toolgen.breaking.schema_inclusion import Inclusion
from toolgen.breaking.schema_normalization import (
    CONDITION,
    CONTAINS,
    GROUPS,
    LOWER_BOUNDS,
    MAX_CHAIN,
    TYPES,
    UNEVALUATED,
    UPPER_BOUNDS,
    admitted_types,
    declared_properties,
    is_null,
    json_key,
    list_small_values,
    normalize,
    types_of,
    undeclared_property_schemas,
    with_declared_names,
    without_implied_integer,
)
from toolgen.breaking.schema_samples import MAX_SAMPLES, Samples
from toolgen.load import Pointer
from toolgen.resolve.dialect import ANNOTATIONS, drop_annotations
from toolgen.resolve.schema_bundler import has_same_targets
from toolgen.resolve.schema_locations import PREFIX, find_target
from toolgen.resolve.value_checks import TooManyStepsError, ValueValidator, is_multiple
from toolgen_runtime.json_values import same_json
from toolgen_runtime.tools.formats import FORMATS

Relation = Literal["note", "wider", "narrower", "other", "unknown"]

ABSENT: Any = object()
"""Marks a value that does not exist."""

_CONDITIONS = frozenset(
    "if then else not dependentRequired dependentSchemas contains minContains maxContains unevaluatedItems "
    "unevaluatedProperties propertyNames patternProperties allOf".split()
)
_UNIONS = frozenset(["anyOf", "oneOf"])
_MAX_FOLLOWED = 64
"""The number of references to references that are followed."""

_EFFECTS: tuple[Relation, ...] = ("note", "wider", "unknown", "narrower", "other")
"""The effects, from the one that says least."""

_TYPE_CODES = frozenset(
    "type-widened type-narrowed type-changed enum-value-added enum-value-removed enum-set enum-unset const-changed "
    "null-admitted null-refused parameter-became-optional parameter-became-required required-parameter-added "
    "parameter-removed branch-added class-changed".split()
)
"""Differences that the types of JSON or of Python show, without a witness."""

_VALUE_CODES = frozenset(["enum-set", "enum-value-removed", "const-changed"])
"""Those of listed values, of which one that is lost is a witness."""


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
    breaks_types: bool = True
    """Whether the Python type may have changed too. It has not where that is proved."""


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


def narrows_type(old: Any, new: Any) -> bool:
    """Return whether it is shown that the Python type of the new schema lacks values that the old one has."""
    types = python_type(old, old), python_type(new, new)
    if any('"allOf"' in json_key(each) for each in types):  # what its parts make together is not known here
        return False
    differences = compare_schemas(*types)
    return any(
        difference.effect in ("narrower", "other")
        and (difference.witness is not ABSENT or difference.code in _TYPE_CODES)
        for difference in differences
    )


class _Pair(NamedTuple):
    """A schema of the old side, and the one of the new side that it is compared with."""

    old: Any
    new: Any


class _Union(NamedTuple):
    """A union around the schemas that are compared, of whose branches one may admit what another one refuses.

    `enclose` makes a value of the union from one of the schemas that are compared.
    """

    old: Any
    new: Any
    enclose: Callable[[Any], Any]


class _Place(NamedTuple):
    """Where two schemas are written: the path in each root, the schemas as written, and the unions around them."""

    pointers: _Pair
    written: _Pair
    unions: tuple[_Union, ...] = ()
    is_optional: bool = False
    """Whether they are the schemas of a property that is optional on both sides, so that null stands for its absence."""

    @property
    def new(self) -> Pointer:
        """The path in the new root."""
        pointer: Pointer = self.pointers.new
        return pointer

    def locate(self, keyword: str, roots: _Pair) -> Pointer:
        """Return the path of a keyword where its change was written, in the new root or, if it is gone, in the old one.

        If no part of the schemas states it otherwise, the change is that of the schema itself.
        """
        located = self._locate((keyword,), roots, is_changed=True)
        pointer: Pointer = self.new if located is None else located.new
        return pointer

    def inner(self, *steps: Any, roots: _Pair) -> _Pair:
        """Return the paths of a schema inside these: in the part in which it changed, or else where it is stated first."""
        located = self._locate(steps, roots, is_changed=True) or self._locate(steps, roots, is_changed=False)
        return located or _Pair((*self.pointers.old, *steps), (*self.pointers.new, *steps))

    def _locate(self, steps: tuple[Any, ...], roots: _Pair, *, is_changed: bool) -> _Pair | None:
        """Return the paths of the first statement of something, in the old and the new root; None if there is none.

        With `is_changed`, it is the first that only one side has, or that differs. What a definition states on both sides
        is no change there, if one side does not refer to it.
        """
        old = _statements(self.written.old, roots.old, self.pointers.old, steps)
        new = _statements(self.written.new, roots.new, self.pointers.new, steps)
        for key in (*new, *old):
            if not (key in old and key in new) and _is_stated_on_both_sides((new.get(key) or old[key]).pointer, roots):
                continue
            if is_changed and self._is_of_definition_that_one_side_refers_to(key, roots):
                continue
            if is_changed and key in old and key in new and _is_same_statement(steps, old[key], new[key]):
                continue
            either = new.get(key) or old[key]
            return _Pair(old.get(key, next(iter(old.values()), either)).pointer, either.pointer)
        return None

    def _is_of_definition_that_one_side_refers_to(self, key: Pointer, roots: _Pair) -> bool:
        """Return whether a key is that of a definition which both sides have, but to which only one of them refers."""
        if key[:1] != ("$defs",) or any(_value_at(root, key[:2]) is ABSENT for root in roots):
            return False
        sides = zip(self.written, roots, self.pointers, strict=True)
        return not all(any(part.key == key for part in _all_parts(*side)) for side in sides)


def _is_stated_on_both_sides(path: Pointer, roots: _Pair) -> bool:
    """Return whether a path leads into a definition, to something that both sides have, and that is the same on both."""
    if path[:1] != ("$defs",):
        return False
    before, after = (_value_at(root, path) for root in roots)
    return before is not ABSENT and after is not ABSENT and same_json(before, after)


class _Statement(NamedTuple):
    """A value that a part of a schema states, and its path."""

    pointer: Pointer
    value: Any


def _is_same_statement(steps: Pointer, old: _Statement, new: _Statement) -> bool:
    """Return whether two statements are equal, whatever the order of types or values is."""
    values = [old.value, new.value]
    if steps == ("type",):
        values = [sorted(types_of({"type": value})) for value in values]
    elif steps == ("enum",):
        values = [sorted(map(json_key, value)) for value in values]
    return same_json(*values)


class _Part(NamedTuple):
    """A schema that applies to the same values as another one, with a key that it has on both sides, and its path."""

    key: Pointer
    pointer: Pointer
    schema: Any


def _statements(schema: Any, root: Any, pointer: Pointer, steps: Pointer) -> dict[Pointer, _Statement]:
    """Return where a schema, or a part that applies to the same values, states something, by the keys of the parts.

    The key of a definition is its path; that of another part is its path from the schema, without branches beside null.
    """
    statements: dict[Pointer, _Statement] = {}
    for part in _all_parts(schema, root, pointer):
        value = _value_at(part.schema, steps)
        if value is not ABSENT:
            statements.setdefault(part.key, _Statement((*part.pointer, *steps), value))
    return statements


def _all_parts(schema: Any, root: Any, pointer: Pointer) -> Iterator[_Part]:
    """Yield a schema at a path and the parts of it that apply to the same values, also behind references."""
    waiting = [_Part(pointer if pointer[:1] == ("$defs",) else (), pointer, schema)]
    for _ in range(MAX_CHAIN * MAX_CHAIN):
        if not waiting:
            break
        part = waiting.pop(0)
        yield part
        if isinstance(part.schema, Mapping):
            waiting += _parts(part, root)


def _parts(part: _Part, root: Any) -> Iterator[_Part]:
    """Yield the target of a schema's reference, its `allOf`, and the only branch of a union that is not null."""
    if "$ref" in part.schema:
        target = part.schema["$ref"]
        path = ("$defs", target.removeprefix(PREFIX)) if target.startswith(PREFIX) else ()
        yield _Part(path, path, find_target(target, root))
    for keyword in ("allOf", "anyOf", "oneOf"):
        branches = part.schema.get(keyword, ())
        applied = [i for i, branch in enumerate(branches) if not is_null(branch)]
        if keyword == "allOf" or len(applied) == 1:
            for i in applied:
                key = (*part.key, i) if keyword == "allOf" else part.key
                yield _Part(key, (*part.pointer, keyword, i), branches[i])


def _value_at(value: Any, steps: Pointer) -> Any:
    """Return what a path leads to; ABSENT if there is none."""
    for step in steps:
        value = value.get(step, ABSENT) if isinstance(value, Mapping) else _item(value, step)
    return value


def _item(value: Any, step: Any) -> Any:
    return value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else ABSENT


class _Branch(NamedTuple):
    """A branch of a union, and its path from the union."""

    path: Pointer
    schema: Any


class _BranchPairing(NamedTuple):
    """Which old branches of a union are which new ones, and which are only in one of them."""

    pairs: list[tuple[_Branch, _Branch]]
    removed: list[_Branch]
    added: list[_Branch]


class _Comparison:
    """Compares two schemas. `before` and `after` are what the old and the new one say."""

    def __init__(self, old: Any, new: Any, examples: tuple[Any, ...]) -> None:
        self._old, self._new = old, new
        self._roots = _Pair(old, new)
        self._examples = examples
        self._before, self._after = ValueValidator(old), ValueValidator(new)
        self._samples = Samples(old, combined=True), Samples(new)
        self._witnesses: dict[tuple[str, ...], Any] = {}
        self._inclusion = Inclusion(old, new)
        self._types_inclusion: Inclusion | None = None
        self._declared_inclusion: Inclusion | None = None
        self._compared: set[tuple[Any, ...]] = set()
        self._open: list[tuple[str, str]] = []

    def run(self) -> list[Difference]:
        """Return all differences, each once. If none narrows, or there is none, but a sample shows one, it is a further one."""
        top = _Place(_Pair((), ()), self._roots)
        differences = list(self._schemas(self._old, self._new, top))
        is_wider = all(difference.effect in ("note", "wider") for difference in differences)
        if is_wider and not self._inclusion.proves(self._old, self._new):
            null_is_omitted = any(difference.code == "null-refused" for difference in differences)
            samples = [
                value
                for value in self._old_samples(self._old)  # those of the new schema may have names that the old has not
                if not (null_is_omitted and _has_null(value))
            ]
            witness = self._first_lost(samples, self._old, self._new, top)
            if witness is not ABSENT:
                narrowed = Difference("condition-changed", (), "narrower", self._old, self._new, witness)
                differences.append(narrowed)
        if not differences and self._is_gained():
            differences.append(Difference("condition-changed", (), "wider", self._old, self._new))
        unique: dict[tuple[str, Pointer, str], Difference] = {}
        for difference in differences:
            difference = replace(difference, pointer=self._written_pointer(difference.pointer))
            key = (
                difference.code,
                difference.pointer,
                json_key([_or_none(difference.before), _or_none(difference.after)]),
            )
            known = unique.get(key)
            if known is None or _EFFECTS.index(difference.effect) > _EFFECTS.index(known.effect):
                unique[key] = difference
        return list(unique.values())

    def _is_gained(self) -> bool:
        """Return whether a sample of both schemas is admitted by the new one alone."""
        if self._inclusion.proves(self._new, self._old, back=True):
            return False
        samples = [*self._samples[0].of(self._old), *self._samples[1].of(self._new)]
        try:
            return any(self._after.admits(value) and not self._before.admits(value) for value in samples)
        except TooManyStepsError:
            return False

    def _written_pointer(self, pointer: Pointer) -> Pointer:
        """Return a path, or the longest beginning of it that one of the two sides has."""
        while pointer and all(_value_at(root, pointer) is ABSENT for root in self._roots):
            pointer = pointer[:-1]
        return pointer

    def _schemas(self, old: Any, new: Any, place: _Place) -> Iterator[Difference]:
        """Yield the differences of two schemas at a place. Schemas that were compared before yield nothing."""
        before, old_pointer = _follow(old, self._old, place.pointers.old)
        after, new_pointer = _follow(new, self._new, place.pointers.new)
        pointers, written = _Pair(old_pointer, new_pointer), _Pair(before, after)
        if before is not old or after is not new:
            annotated = _Pair(old, new)
            if before is old or after is new:  # keywords beside a reference replace those of its target
                annotated = _Pair(_with_keywords(before, old), _with_keywords(after, new))
                before, after = drop_annotations(before), drop_annotations(after)
                pointers, written = place.pointers, _Pair(old, new)
            elif old_pointer != new_pointer and all(
                _is_stated_on_both_sides(pointer, self._roots) for pointer in (old_pointer, new_pointer)
            ):  # another definition is referred to
                pointers, written = place.pointers, _Pair(old, new)
            yield from _annotations(annotated.old, annotated.new, place.new)
        place = place._replace(pointers=pointers, written=written)
        keys = (json_key(before), json_key(after))
        if keys[0] == keys[1] and has_same_targets(before, self._old, self._new):
            return
        compared = (*keys, place.new, place.is_optional, *(id(union.old) for union in place.unions[-1:]))
        if compared in self._compared or keys in self._open:
            return
        self._compared.add(compared)
        self._open.append(keys)  # a schema may contain itself as a part of `allOf`
        yield from self._unproved(before, after, place, _Pair(old, new))
        self._open.pop()

    def _unproved(self, old: Any, new: Any, place: _Place, stated: _Pair) -> Iterator[Difference]:
        """Yield the differences of two schemas, except for those that by a proof change no value and no Python type.

        `stated` are the two as they are written, perhaps as references. If all differences that widen are left out,
        although it is not proved that nothing is gained, one difference stands for them.
        """
        lossless, gainless = self._inclusion.proves(old, new), self._inclusion.proves(new, old, back=True)
        dropped = gained = False
        for difference in self._details(old, new, place, stated):
            if difference.code in ("parameter-renamed", "class-changed") or difference.effect == "note":
                yield difference
                continue
            if difference.effect == "unknown" and not lossless and self._keeps_declared(old, new):
                yield replace(difference, effect="note")
                continue
            may_keep_types = difference.breaks_types and difference.code != "parameter-removed"
            if may_keep_types and self._proves_same_types(old, new):
                difference = replace(difference, breaks_types=False)
            if lossless and difference.code in ("parameter-removed", "format-changed"):
                yield replace(difference, effect="note")
            elif gainless if difference.effect == "wider" else lossless:
                if difference.breaks_types and difference.code in _TYPE_CODES:
                    gained = True
                    yield replace(difference, effect="wider", witness=ABSENT)
                else:
                    dropped = True
            else:
                gained |= difference.effect in ("wider", "other")
                yield difference
        if dropped and not gained and not gainless:
            yield Difference("condition-changed", place.new, "wider", old, new)

    def _proves_same_types(self, old: Any, new: Any) -> bool:
        """Return whether it is proved that the Python type of the new schema has no values that the old one has not."""
        if self._types_inclusion is None:
            self._types_inclusion = Inclusion(python_type(self._old, self._old), python_type(self._new, self._new))
        types = python_type(old, self._old), python_type(new, self._new)
        return self._types_inclusion.proves(types[1], types[0], back=True)

    def _keeps_declared(self, old: Any, new: Any) -> bool:
        """Return whether it is proved that the new schema admits all values of the old one with declared names only."""
        if self._declared_inclusion is None:
            self._declared_inclusion = Inclusion(with_declared_names(self._old, self._old), self._new)
        return self._declared_inclusion.proves(with_declared_names(old, self._old), new)

    def _details(self, old: Any, new: Any, place: _Place, stated: _Pair) -> Iterator[Difference]:
        """Yield the differences of two schemas, keyword by keyword."""
        old, new = ({} if schema is True else schema for schema in (old, new))
        if self._differ_in_null(old, new):
            yield from self._null_branch(old, new, place, stated)
            return
        before, after = self._normalized(old, new, stated, unions=False)
        if before is False or after is False:
            if before is not after:
                code = "type-widened" if before is False else "type-narrowed"
                relation: Relation = "wider" if before is False else "narrower"
                yield self._judged(Difference(code, place.new, relation, old, new), old, new, place)
            return
        if bool(before.keys() & _UNIONS) != bool(after.keys() & _UNIONS):
            before, after = self._normalized(old, new, stated, unions=True)
        before, after = self._without_type_unions(old, new) or (before, after)
        yield from _annotations(before, after, place.new)
        if bool(before.keys() & _UNIONS) != bool(after.keys() & _UNIONS):
            yield from self._classes(old, new, place)
        yield from self._types(before, after, place)
        common_types = types_of(before) & types_of(after)
        yield from self._values(before, after, place)
        if common_types & {"integer", "string", "array", "object"}:
            yield from self._bounds(before, after, place)
        if "string" in common_types:
            yield from self._patterns(before, after, place)
        if common_types & {"string", "integer", "number"}:
            yield from self._formats(before, after, place)
        if "object" in common_types:
            yield from self._object(before, after, place)
        if "array" in common_types:
            yield from self._items(before, after, place)
        yield from self._branches(before, after, place)
        for keyword in sorted(_CONDITIONS & (before.keys() | after.keys())):
            first = next((group[0] for group in (CONDITION, CONTAINS) if keyword in group), keyword)
            if keyword == first or same_json(_or_none(_value(before, first)), _or_none(_value(after, first))):
                yield from self._condition(before, after, keyword, place)

    def _differ_in_null(self, old: Any, new: Any) -> bool:
        """Return whether one schema is a union of null and another schema, and the other one admits no null."""
        if (_branch_beside_null(old) is None) == (_branch_beside_null(new) is None):
            return False
        other, root = (new, self._new) if _branch_beside_null(new) is None else (old, self._old)
        return "null" not in admitted_types(other, root)

    def _null_branch(self, old: Any, new: Any, place: _Place, stated: _Pair) -> Iterator[Difference]:
        """Yield the difference of null, which is a branch of one schema, and those of the schemas without it."""
        inner_old, inner_new = _branch_beside_null(old), _branch_beside_null(new)
        yield self._null(old, new, place)
        pointers = _Pair(
            place.pointers.old if inner_old is None else (*place.pointers.old, *inner_old),
            place.new if inner_new is None else (*place.new, *inner_new),
        )
        without_null = _Pair(
            stated.old if inner_old is None else _value_at(old, inner_old),
            stated.new if inner_new is None else _value_at(new, inner_new),
        )
        yield from self._schemas(*without_null, place._replace(pointers=pointers, written=without_null))

    def _null(self, old: Any, new: Any, place: _Place) -> Difference:
        """Return the difference of null, which only one of two schemas admits."""
        types = [admitted_types(schema, root) for schema, root in ((old, self._old), (new, self._new))]
        before, after = map(_describe_types, types)
        if "null" in types[1]:
            admitted = Difference("null-admitted", place.new, "wider", before, after)
            return replace(admitted, effect="note", breaks_types=False) if place.is_optional else admitted
        refused = Difference("null-refused", place.new, "note", before, after)
        if place.is_optional:
            return refused
        return self._judged(replace(refused, effect="narrower"), old, new, place, {"not": {"type": "null"}})

    def _normalized(self, old: Any, new: Any, stated: _Pair, *, unions: bool) -> _Pair:
        """Normalize two schemas. If only one is a union, and has a branch like the other schema, both become unions."""
        before, after = normalize(old, self._old, unions=unions), normalize(new, self._new, unions=unions)
        if not isinstance(before, Mapping) or not isinstance(after, Mapping):
            return _Pair(before, after)
        return _Pair(
            _wrap_in_union(before, stated.old, self._old, like=after, like_root=self._new),
            _wrap_in_union(after, stated.new, self._new, like=before, like_root=self._old),
        )

    def _without_type_unions(self, old: Any, new: Any) -> _Pair | None:
        """Return two schemas of different types with lists of types instead of unions; None if there are no such two."""
        pair = _Pair(normalize(old, self._old), normalize(new, self._new))
        if any(not isinstance(each, Mapping) or each.keys() & _UNIONS for each in pair):
            return None
        return pair if types_of(pair.old) != types_of(pair.new) else None

    def _condition(self, old: Any, new: Any, keyword: str, place: _Place) -> Iterator[Difference]:
        """Yield the difference of a keyword whose effect on the values is not compared, but searched for."""
        before, after = _value(old, keyword), _value(new, keyword)
        if same_json(before, after) and has_same_targets({keyword: before}, self._old, self._new):
            return
        here = place.locate(keyword, self._roots)
        if keyword == "patternProperties" and {*old.get(keyword, ())} == {*new.get(keyword, ())}:
            for pattern in old.get(keyword, ()):
                inner = self._inner(place, old, keyword, pattern, schemas=_Pair(before[pattern], after[pattern]))
                yield from self._schemas(before[pattern], after[pattern], inner)
        elif keyword != "allOf" or not self._inclusion.proves_same_parts(old.get(keyword, ()), new.get(keyword, ())):
            difference = Difference("condition-changed", here, "unknown", before, after)
            yield self._searched(difference, old, new, place, _group(new, keyword))

    def _classes(self, old: Any, new: Any, place: _Place) -> Iterator[Difference]:
        """Yield the difference of an object that becomes one of several, or the reverse, of which only one is a union."""
        before, after = count_classes(old, self._old), count_classes(new, self._new)
        if min(before, after) == 1 < max(before, after):
            yield Difference("class-changed", place.new, "wider", _describe_classes(before), _describe_classes(after))

    def _types(self, old: Any, new: Any, place: _Place) -> Iterator[Difference]:
        """Yield the differences of the JSON types that are admitted. Null is a difference of its own.

        If a schema lists its values, these tell its types.
        """
        before, after = _effective_types(old), _effective_types(new)
        unions = [bool(schema.keys() & _UNIONS) for schema in (old, new)]
        one_is_union = unions[0] != unions[1] or (all(unions) and ("type" in old) != ("type" in new))
        if one_is_union:
            before, after = admitted_types(old, self._old), admitted_types(new, self._new)
        if before == after:
            return
        keyword = "enum" if "enum" in old and "enum" in new else "type"
        here = place.new if one_is_union else place.locate(keyword, self._roots)

        def difference(code: str, effect: Relation) -> Difference:
            return Difference(code, here, effect, _describe_types(before), _describe_types(after))

        removed, added = without_implied_integer(before - after), without_implied_integer(after - before)
        if "null" in added and before != set(TYPES):
            yield replace(difference("null-admitted", "wider"), breaks_types=not place.is_optional)
        if "null" in removed and after != set(TYPES) and not ("enum" in new and "enum" not in old and len(removed) > 1):
            refused = self._judged(difference("null-refused", "narrower"), old, new, place, {"not": {"type": "null"}})
            yield replace(refused, effect="note", witness=ABSENT) if place.is_optional else refused
        removed, added = removed - {"null"}, added - {"null"}
        are_apart = bool(removed and added) and not (before & after) - {"null"}
        lists = [schema for schema in (old, new) if "enum" in schema]
        if len(lists) == 2 or (lists and not are_apart):  # the values tell it
            return
        rule = {"anyOf": [_only(new, ("type", "anyOf", "oneOf", "enum")), {"type": "null"}]}
        if removed and added:
            yield self._judged(difference("type-changed", "other"), old, new, place, rule, is_certain=not one_is_union)
        elif removed:
            narrowed = difference("type-narrowed", "narrower")
            yield self._judged(narrowed, old, new, place, rule, is_certain=not one_is_union)
        elif added:
            yield difference("type-widened", "wider")

    def _values(self, old: Any, new: Any, place: _Place) -> Iterator[Difference]:
        """Yield the differences of listed values. A schema of null and booleans has them as its list."""
        before, after = old.get("enum"), new.get("enum")
        if before is None and after is None:
            return
        here = place.locate("enum", self._roots)
        rule = {"enum": after}
        if before is None:
            if not types_of(old) <= {"null", "boolean"}:
                yield self._judged(Difference("enum-set", here, "narrower", ABSENT, after), old, new, place, rule)
                return
            before = list_small_values(old)
        elif after is None:
            if not types_of(new) <= {"null", "boolean"}:
                yield Difference("enum-unset", here, "wider", before, ABSENT)
                return
            after = list_small_values(new)
        for difference in _listed_values(before, after, here):
            is_judged = difference.effect in ("narrower", "other")
            yield self._judged(difference, old, new, place, {"enum": after}) if is_judged else difference

    def _bounds(self, old: Any, new: Any, place: _Place) -> Iterator[Difference]:
        """Yield the differences of bounds, except for those that the rest of the old schema implies."""
        for keyword in (*LOWER_BOUNDS, *UPPER_BOUNDS, "multipleOf", "uniqueItems"):
            before, after = old.get(keyword), new.get(keyword)
            if before == after or (keyword == "uniqueItems" and bool(before) == bool(after)):
                continue
            here, stated = place.locate(keyword, self._roots), (_value(old, keyword), _value(new, keyword))
            if not _is_tightened(keyword, before, after):
                yield Difference("bound-loosened", here, "wider", *stated)
            elif not self._inclusion.proves(old, {keyword: after}):
                tightened = Difference("bound-tightened", here, "narrower", *stated)
                yield self._judged(tightened, old, new, place, {keyword: after})

    def _patterns(self, old: Any, new: Any, place: _Place) -> Iterator[Difference]:
        before, after = _value(old, "pattern"), _value(new, "pattern")
        here, rule = place.locate("pattern", self._roots), {"pattern": after}
        if before != after and after is ABSENT:
            yield Difference("pattern-unset", here, "wider", before, after)
        elif before != after and before is ABSENT:
            yield self._searched(Difference("pattern-set", here, "narrower", before, after), old, new, place, rule)
        elif before != after:
            yield self._searched(Difference("pattern-changed", here, "unknown", before, after), old, new, place, rule)

    def _formats(self, old: Any, new: Any, place: _Place) -> Iterator[Difference]:
        """Yield the difference of formats. Only those that are checked refuse values, and have a Python type of their own."""
        before, after = _value(old, "format"), _value(new, "format")
        if before == after:
            return
        difference = Difference("format-changed", place.locate("format", self._roots), "unknown", before, after)
        rule = {"format": after} if after in FORMATS else {}
        difference = self._searched(difference, old, new, place, rule, otherwise="note")
        breaks_types = before in FORMATS or after in FORMATS
        yield replace(difference, breaks_types=breaks_types)

    def _inner(self, place: _Place, old: Any, *steps: Any, schemas: _Pair, is_optional: bool = False) -> _Place:
        """Return the place of two schemas inside those of a place. `old` is the normalized one that the first is of."""
        pointers = place.inner(*steps, roots=self._roots)
        unions = tuple(union._replace(enclose=self._encloser(union.enclose, old, steps)) for union in place.unions)
        return _Place(pointers, schemas, unions, is_optional)

    def _encloser(self, enclose: Callable[[Any], Any], old: Any, steps: tuple[Any, ...]) -> Callable[[Any], Any]:
        """Return a function that puts a value into one of the old schema, at some steps, and then into that around it."""

        def enclosed(value: Any) -> Any:
            kind = "array" if steps[0] in ("items", "prefixItems") else "object"
            around = self._first_admitted({**old, "type": kind})
            if kind == "array":
                i = steps[1] if len(steps) > 1 else len(old.get("prefixItems", ()))
                items = [*(around or ())]
                return enclose([*items[:i], value, *items[i + 1 :]])
            name = steps[1] if len(steps) > 1 else "other"
            if steps[:1] == ("patternProperties",):
                name = next(iter(texts_of_pattern(name)), name)
            return enclose({**(around or {}), name: value})

        return enclosed

    def _first_admitted(self, schema: Any) -> Any:
        """Return a sample that an old schema admits; None if there is none."""
        for value in self._samples[0].of(schema):
            if self._before.admits(value, schema):
                return value
        return None

    def _object(self, old: Any, new: Any, place: _Place) -> Iterator[Difference]:
        """Yield the differences of properties: those removed, those added, those that both objects declare, and others."""
        before, after = declared_properties(old), declared_properties(new)
        if bool(old.keys() & _UNIONS) != bool(new.keys() & _UNIONS):
            in_branches = _declared_in_all_branches(old, self._old) | _declared_in_all_branches(new, self._new)
            before = {name: schema for name, schema in before.items() if name in after or name not in in_branches}
            after = {name: schema for name, schema in after.items() if name in before or name not in in_branches}
        removed = {name: schema for name, schema in before.items() if name not in after}
        added = {name: schema for name, schema in after.items() if name not in before}
        new_names = _find_renamed_properties(removed, added)
        for name, schema in removed.items():
            if normalize(schema, self._old) is False:
                yield Difference("condition-changed", self._property(place, name), "wider", schema)
            elif name in new_names:
                yield _renaming(name, new_names[name], new, self._property(place, new_names[name]))
            else:
                yield self._removal(name, schema, old, new, place)
        for name, schema in added.items():
            if normalize(schema, self._new) is False:
                refused = Difference("condition-changed", self._property(place, name), "narrower", ABSENT, schema)
                yield self._judged(refused, old, new, place, {"properties": {name: False}})
            elif name not in new_names.values():
                yield from self._addition(name, schema, old, new, place)
        required_before, required_after = set(old.get("required", ())), set(new.get("required", ()))
        for name in before:
            if name not in after:
                continue
            here = self._property(place, name)
            if name in required_after - required_before:
                difference = Difference("parameter-became-required", here, "narrower", False, True)
                yield self._judged(difference, old, new, place, {"required": [name]})
            elif name in required_before - required_after:
                yield Difference("parameter-became-optional", here, "wider", True, False)
            schemas = _Pair(before[name], after[name])
            is_optional = name not in required_before | required_after and not any(map(_has_default, schemas))
            inner = self._inner(place, old, "properties", name, schemas=schemas, is_optional=is_optional)
            yield from self._schemas(before[name], after[name], inner)
        yield from self._undeclared(old, new, place)

    def _property(self, place: _Place, name: str) -> Pointer:
        """Return the path of a property."""
        pointer: Pointer = place.inner("properties", name, roots=self._roots).new
        return pointer

    def _removal(self, name: str, schema: Any, old: Any, new: Any, place: _Place) -> Difference:
        """Return the difference of a property that is no longer declared. Its values may still be admitted."""
        here = self._property(place, name)
        admitted = undeclared_property_schemas(new, name, unevaluated=True)
        if all(self._inclusion.proves(schema, each) for each in admitted):
            return Difference("parameter-removed", here, "note", schema, gone=True)
        removal = Difference("parameter-removed", here, "narrower", schema, gone=True)
        return self._judged(removal, old, new, place)

    def _addition(self, name: str, schema: Any, old: Any, new: Any, place: _Place) -> Iterator[Difference]:
        """Yield the differences of a property that was not declared. Its values may have been admitted."""
        here = self._property(place, name)
        if name in new.get("required", ()):
            addition = Difference("required-parameter-added", here, "narrower", ABSENT, schema)
            yield self._judged(addition, old, new, place, {"required": [name]})
        else:
            yield Difference("parameter-added", here, "note", ABSENT, schema)
        for admitted in undeclared_property_schemas(old, name, unevaluated=True):
            if admitted not in (True, False, {}):
                inner = self._inner(place, old, "properties", name, schemas=_Pair(admitted, schema))
                yield from self._schemas(admitted, schema, inner)

    def _undeclared(self, old: Any, new: Any, place: _Place) -> Iterator[Difference]:
        """Yield the differences of the schema of undeclared properties."""
        before, after = old.get("additionalProperties", True), new.get("additionalProperties", True)
        if same_json(before, after) and has_same_targets(before, self._old, self._new):
            return
        here = place.locate("additionalProperties", self._roots)
        rule = _only(new, ("properties", "patternProperties", "additionalProperties"))
        if after is False:
            closed = Difference("object-closed", here, "narrower", before, after)
            yield self._judged(closed, old, new, place, rule)
        elif before is False:
            yield Difference("object-opened", here, "wider", before, after)
        elif before is not True and after is not True:
            inner = self._inner(place, old, "additionalProperties", schemas=_Pair(before, after))
            yield from self._schemas(before, after, inner)
        else:
            searched = Difference("condition-changed", here, "unknown", before, after)
            yield self._searched(searched, old, new, place, rule)

    def _items(self, old: Any, new: Any, place: _Place) -> Iterator[Difference]:
        """Yield the differences of the elements of tuples, one by one, and of further items."""
        old_prefix, new_prefix = old.get("prefixItems", ()), new.get("prefixItems", ())
        further = _Pair(old.get("items", True), new.get("items", True))
        most = min(old.get("maxItems", math.inf), new.get("maxItems", math.inf))
        for i in range(int(min(most, max(len(old_prefix), len(new_prefix))))):
            before = old_prefix[i] if i < len(old_prefix) else further.old
            after = new_prefix[i] if i < len(new_prefix) else further.new
            if before != after or "$ref" in str(before):
                inner = self._inner(place, old, "prefixItems", i, schemas=_Pair(before, after))
                yield from self._schemas(before, after, inner)
        has_further = most > max(len(old_prefix), len(new_prefix))
        if has_further and (further.old != further.new or "$ref" in str(further.old)):
            yield from self._schemas(*further, self._inner(place, old, "items", schemas=further))

    def _branches(self, old: Any, new: Any, place: _Place) -> Iterator[Difference]:
        """Yield the differences of a union: in branches that belong together, and those without a counterpart."""
        keyword = next((k for schema in (new, old) for k in ("oneOf", "anyOf") if k in schema), None)
        if keyword is None:
            return
        before = old.get("oneOf") or old.get("anyOf")
        after = new.get("oneOf") or new.get("anyOf")
        here, rule = place.locate(keyword, self._roots), _only(new, ("anyOf", "oneOf"))
        if before is None or after is None:
            difference = Difference("condition-changed", here, "unknown", _value(old, keyword), _value(new, keyword))
            if not self._inclusion.proves(old, new) and self._keeps_declared(old, new):
                yield replace(difference, effect="note")
            else:
                yield self._searched(difference, old, new, place, rule)
            return
        old_here = place.inner("oneOf" if "oneOf" in old else "anyOf", roots=self._roots).old
        pairing = self._pair_branches(before, after, one_of=_Pair("oneOf" in old, "oneOf" in new))
        are_exclusive = "oneOf" not in old or self._inclusion.proves_exclusive(before, back=True)
        for old_branch, new_branch in pairing.pairs:
            unions = place.unions
            others = [branch for branch in after if branch is not new_branch.schema]
            if not (are_exclusive and all(self._inclusion.proves_apart(old_branch.schema, other) for other in others)):
                unions = (*unions, _Union(old, new, lambda value: value))
            pointers = _Pair((*old_here, *old_branch.path), (*here, *new_branch.path))
            schemas = _Pair(old_branch.schema, new_branch.schema)
            yield from self._schemas(*schemas, _Place(pointers, schemas, unions, place.is_optional))
        old_branches = [*(old_branch for old_branch, _ in pairing.pairs), *pairing.removed]
        new_branches = [*(new_branch for _, new_branch in pairing.pairs), *pairing.added]
        constants = _Pair(_constants_of_all(old_branches), _constants_of_all(new_branches))
        removals = [
            removal
            for branch in pairing.removed
            for removal in self._removed_branch(branch.schema, constants, old, new, here, place)
        ]
        yield from removals
        for branch in pairing.added:
            added_here, values = (*here, *branch.path), _constants(branch.schema)
            if is_null(branch.schema) and "null" not in admitted_types(old, self._old):
                yield self._null(old, new, place)
            elif values and constants.old:
                yield Difference("enum-value-added", added_here, "wider", constants.old, values)
            elif not self._is_known(branch.schema, old):
                yield Difference("branch-added", added_here, "wider", ABSENT, branch.schema)
        if not are_exclusive and ("anyOf" in new or len(removals) < len(pairing.removed)):
            yield Difference("condition-changed", here, "wider", before, after)
        if "oneOf" in new and (pairing.added or before != after or "oneOf" not in old):
            yield from self._overlap(old, new, here, place)

    def _removed_branch(
        self, branch: Any, constants: _Pair, old: Any, new: Any, here: Pointer, place: _Place
    ) -> Iterator[Difference]:
        """Yield the difference of a branch that is no longer there, unless its values are all admitted without it.

        `constants` are those that branches of the two unions list.
        """
        rule, values = _only(new, ("anyOf", "oneOf")), _constants(branch)
        removed = Difference("branch-removed", here, "narrower", branch, ABSENT)
        if values and constants.new:
            removed = Difference("enum-value-removed", here, "narrower", values, constants.new)
        if is_null(branch) and "null" not in admitted_types(new, self._new):
            yield self._null(old, new, place)
            return
        if place.is_optional and "null" in admitted_types(branch, self._old) - admitted_types(new, self._new):
            yield self._null(old, new, place)
            branch = {"allOf": [branch, {"not": {"type": "null"}}]}
        if self._inclusion.proves(branch, rule):
            return
        if not self._inclusion.proves(old, new) and self._keeps_declared(old, new):
            yield replace(removed, effect="note")
        else:
            yield self._judged(removed, old, new, place, rule, of_branch=branch)

    def _is_known(self, branch: Any, old: Any) -> bool:
        """Return whether it is proved that an old union admits all values of a new branch, and has their Python types."""
        rule = _only(old, ("anyOf", "oneOf"))
        return self._inclusion.proves(branch, rule, back=True) and self._proves_same_types(old, branch)

    def _pair_branches(self, old: Sequence[Any], new: Sequence[Any], *, one_of: _Pair) -> _BranchPairing:
        """Pair the branches of two unions. In place of one that has no partner, and is a union, its branches are paired.

        `one_of` tells which of the two unions is a `oneOf`.
        """
        old_branches, new_branches = ([_Branch((i,), branch) for i, branch in enumerate(union)] for union in (old, new))
        pairing = _pair_branches(old_branches, new_branches, self._roots)
        removed = self._opened(pairing.removed, is_one_of=one_of.old, back=True)
        added = self._opened(pairing.added, is_one_of=one_of.new)
        if (removed, added) != (pairing.removed, pairing.added):
            inner = _pair_branches(removed, added, self._roots)
            pairing = inner._replace(pairs=[*pairing.pairs, *inner.pairs])
        return _BranchPairing(
            pairing.pairs, _with_joined_constants(pairing.removed), _with_joined_constants(pairing.added)
        )

    def _opened(self, branches: Iterable[_Branch], *, is_one_of: bool, back: bool = False) -> list[_Branch]:
        """Return branches of a union, with those of each branch that is only a union in its place, where that is the same.

        It is if no value fits two of its branches, or if a value may do so in both unions.
        """
        opened = []
        for path, schema in branches:
            keyword = _union_keyword(schema)
            may_overlap = keyword == "anyOf" and not is_one_of
            if keyword and (may_overlap or self._inclusion.proves_exclusive(schema[keyword], back=back)):
                inner = [_Branch((*path, keyword, i), branch) for i, branch in enumerate(schema[keyword])]
                opened += self._opened(inner, is_one_of=is_one_of, back=back)
            else:
                opened.append(_Branch(path, schema))
        return opened

    def _overlap(self, old: Any, new: Any, here: Pointer, place: _Place) -> Iterator[Difference]:
        """Report a value that fits two branches of the new `oneOf`; unknown if it was `anyOf` and none is found."""
        if self._inclusion.proves_exclusive(new["oneOf"]):
            return

        def fits_two(value: Any) -> bool:
            return sum(self._after.admits(value, branch) for branch in new["oneOf"]) > 1

        witness = self._search(old, new, place, {"oneOf": new["oneOf"]}, fits_two)
        if witness is not ABSENT:
            yield Difference("branches-overlap", here, "narrower", witness=witness)
        elif "oneOf" not in old:
            yield Difference("branches-overlap", here, "unknown")

    def _judged(
        self,
        difference: Difference,
        old: Any,
        new: Any,
        place: _Place,
        rule: Any = None,
        of_branch: Any = None,
        *,
        is_certain: bool = True,
    ) -> Difference:
        """Return a difference that loses values, with a witness; without one, its effect is unknown.

        `rule` is what of the new schema refuses the witness. A rule of the type system needs no witness, unless a union
        is around it, or it is not certain that the old schema has values of the type. With `of_branch`, the witness is a
        value of this branch of the old schema.
        """
        of_branch_key = "" if of_branch is None else json_key(of_branch)

        def is_of_branch(value: Any) -> bool:
            return of_branch is None or self._before.admits(value, of_branch)

        witness = self._witness(old, new, place, rule, is_of_branch, of_branch_key)
        is_of_types = is_certain and difference.code in _TYPE_CODES - _VALUE_CODES and not place.unions
        if witness is ABSENT and not is_of_types:
            return replace(difference, effect="unknown")
        return replace(difference, witness=witness)

    def _searched(
        self,
        difference: Difference,
        old: Any,
        new: Any,
        place: _Place,
        rule: Any = None,
        otherwise: Relation = "unknown",
    ) -> Difference:
        """Return a difference with the effect that a search for a witness shows.

        It narrows if there is a witness. If it is proved that there is none, it may admit more. Otherwise its effect is
        `otherwise`.
        """
        witness = self._witness(old, new, place, rule)
        if witness is not ABSENT:
            return replace(difference, effect="narrower", witness=witness)
        is_wider = otherwise == "unknown" and rule is not None and self._inclusion.proves(old, rule)
        return replace(difference, effect="wider" if is_wider else otherwise)

    def _witness(
        self,
        old: Any,
        new: Any,
        place: _Place,
        rule: Any = None,
        admits: Callable[[Any], bool] = lambda _: True,
        admits_key: str = "",
    ) -> Any:
        """Return a value that the old schema admits and the new one refuses, also around them; ABSENT if none is found.

        With `rule`, this part of the new schema refuses it.
        """
        around = json_key(place.new) if place.unions else ""
        keys = (json_key(old), json_key(new), json_key(rule), admits_key, around)
        if keys not in self._witnesses:
            self._witnesses[keys] = self._search(old, new, place, rule, admits)
        return self._witnesses[keys]

    def _search(self, old: Any, new: Any, place: _Place, rule: Any, admits: Callable[[Any], bool]) -> Any:
        """Return a witness among the samples of both schemas; ABSENT if none is found or validation takes too long."""
        rule = new if rule is None else rule
        if self._inclusion.proves(old, rule):
            return ABSENT
        told_apart = _texts_that_a_rule_refuses(old, rule)
        samples = filter(admits, [*self._old_samples(old), *self._samples[1].of(new), *told_apart])
        return self._first_lost(samples, old, rule, place)

    def _old_samples(self, old: Any) -> list[Any]:
        """Return samples of an old schema, and the examples if it is the whole one."""
        is_top = old is self._old or old == normalize(self._old, self._old)
        return [*(self._examples if is_top else ()), *self._samples[0].of(old)][:MAX_SAMPLES]

    def _first_lost(self, samples: Iterable[Any], old: Any, rule: Any, place: _Place) -> Any:
        """Return the first value that the old schema admits and a rule refuses, also in the unions around them."""
        try:
            for value in samples:
                if value is None and place.is_optional:  # it stands for absence
                    continue
                if self._is_lost(value, old, rule) and all(
                    self._is_lost(union.enclose(value), union.old, union.new) for union in place.unions
                ):
                    return value
        except TooManyStepsError:
            pass
        return ABSENT

    def _is_lost(self, value: Any, old: Any, new: Any) -> bool:
        return self._before.admits(value, old) and not self._after.admits(value, new)


def _follow(schema: Any, root: Any, pointer: Pointer) -> tuple[Any, Pointer]:
    """Follow references, and lone parts of a schema, that have no rules beside them. Return the last one and its path."""
    for _ in range(_MAX_FOLLOWED):
        keys = schema.keys() - ANNOTATIONS - {"$defs"} if isinstance(schema, Mapping) else set[str]()
        keyword = next(iter(keys)) if len(keys) == 1 else ""
        if keyword in ("allOf", "anyOf", "oneOf") and len(schema[keyword]) == 1:
            schema, pointer = schema[keyword][0], (*pointer, keyword, 0)
        elif keyword == "$ref":
            reference = schema["$ref"]
            pointer = ("$defs", reference.removeprefix(PREFIX)) if reference.startswith(PREFIX) else ()
            schema = find_target(reference, root)
        else:
            break
    return schema, pointer


def _texts_that_a_rule_refuses(old: Any, rule: Any) -> tuple[str, ...]:
    """Return strings of an old schema that do not meet the pattern, or the length, of a rule."""
    if not isinstance(old, Mapping) or not isinstance(rule, Mapping) or "string" not in types_of(old):
        return ()
    if "pattern" not in rule and "pattern" not in old:
        return ()
    return texts_outside(languages_of(old), languages_of(rule))


def _branch_beside_null(schema: Any) -> Pointer | None:
    """Return the path of the other branch of a schema that is only a union of null and another schema."""
    keyword = _union_keyword(schema)
    if not keyword or len(schema[keyword]) != 2:
        return None
    others = [i for i, branch in enumerate(schema[keyword]) if not is_null(branch)]
    return (keyword, others[0]) if len(others) == 1 else None


def _has_null(value: Any) -> bool:
    """Return whether a value is null or contains it."""
    if isinstance(value, dict | list):
        return any(map(_has_null, value.values() if isinstance(value, dict) else value))
    return value is None


def _effective_types(schema: Mapping[str, Any]) -> set[str]:
    """Return the types that a schema admits; those of its listed values if it lists them."""
    stated = types_of({key: value for key, value in schema.items() if key != "enum"})
    return types_of({"enum": schema["enum"]}) & stated if "enum" in schema else stated


def _declared_in_all_branches(schema: Mapping[str, Any], root: Any) -> set[str]:
    """Return the names of properties that every branch of a union declares."""
    names: set[str] = set()
    for keyword in schema.keys() & _UNIONS:
        branches = [normalize(branch, root, unions=False) for branch in schema[keyword]]
        declared = [{*declared_properties(branch)} for branch in branches if isinstance(branch, Mapping)]
        if declared and len(declared) == len(branches):
            names |= set.intersection(*declared)
    return names


def _group(schema: Mapping[str, Any], keyword: str) -> dict[str, Any]:
    """Return a keyword of a schema with those that it depends on."""
    if keyword in UNEVALUATED:
        return {**schema}
    return _only(schema, next((group for group in GROUPS if keyword in group), (keyword,)))


def _only(schema: Mapping[str, Any], keywords: Iterable[str]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key in keywords}


def _has_default(schema: Any) -> bool:
    return isinstance(schema, Mapping) and "default" in schema


def _or_none(value: Any) -> Any:
    return None if value is ABSENT else [value]


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


def _describe_classes(count: int) -> str:
    return "one class" if count == 1 else f"one of {count} classes"


def _listed_values(before: list[Any], after: list[Any], here: Pointer) -> Iterator[Difference]:
    """Yield the differences of two lists of admitted values. Null is a type of its own."""
    before_by_key, after_by_key = (
        {json_key(value): value for value in values if value is not None} for values in (before, after)
    )
    removed = [value for key, value in before_by_key.items() if key not in after_by_key]
    added = [value for key, value in after_by_key.items() if key not in before_by_key]
    if len(before_by_key) == len(after_by_key) == 1 and removed:
        yield Difference("const-changed", here, "other", removed[0], added[0])
        return
    if removed:
        yield Difference("enum-value-removed", here, "narrower", removed, after)
    if added:
        yield Difference("enum-value-added", here, "wider", before, added)
    if not removed and not added and [*before_by_key] != [*after_by_key]:
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


def _renaming(name: str, new_name: str, new: Any, here: Pointer) -> Difference:
    loses_values = new.get("additionalProperties") is False or new_name in new.get("required", ())
    effect: Relation = "narrower" if loses_values else "unknown"
    return Difference("parameter-renamed", here, effect, name, new_name)


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


def _constants(branch: Any) -> list[Any]:
    """Return the values of a branch that is only a list of them, without null; none if it is something else."""
    rules = drop_annotations(branch)
    if not isinstance(rules, Mapping) or not rules.keys() <= {"enum", "const", "type"}:
        return []
    return [value for value in normalize(rules, {}).get("enum", ()) if value is not None]


def _with_joined_constants(branches: list[_Branch]) -> list[_Branch]:
    """Return branches with one, of the union itself, for all that are only constants."""
    listing = [branch for branch in branches if _constants(branch.schema)]
    if len(listing) < 2:
        return branches
    others = [branch for branch in branches if branch not in listing]
    return [*others, _Branch((), {"enum": _constants_of_all(listing)})]


def _constants_of_all(branches: Iterable[_Branch]) -> list[Any]:
    return [value for branch in branches for value in _constants(branch.schema)]


def _union_keyword(schema: Any) -> str:
    """Return the keyword of a schema that is only a union; an empty text if it is something else."""
    rules = drop_annotations(schema)
    keyword = next(iter(rules)) if isinstance(rules, Mapping) and len(rules) == 1 else ""
    return keyword if keyword in _UNIONS else ""


def _pair_branches(old: Sequence[_Branch], new: Sequence[_Branch], roots: _Pair) -> _BranchPairing:
    """Pair the branches of two unions.

    Equal branches are the same. So are those with the same identity, in their order, if both unions have as many of them.
    """
    old_rules, new_rules = ([_rules_of(branch.schema) for branch in branches] for branches in (old, new))
    old_by_key, new_by_key = _index_by_key(old_rules), _index_by_key(new_rules)
    pairs = {old_by_key.pop(key): new_by_key.pop(key) for key in old_by_key.keys() & new_by_key.keys()}
    old_by_identity = _group_by_identity(old_rules, old_by_key.values(), roots.old)
    new_by_identity = _group_by_identity(new_rules, new_by_key.values(), roots.new)
    for identity, indices in old_by_identity.items():
        same = new_by_identity.get(identity, [])
        if len(indices) == len(same):
            pairs.update(zip(indices, same, strict=True))
    removed = sorted(set(old_by_key.values()) - pairs.keys())
    added = sorted(set(new_by_key.values()) - set(pairs.values()))
    old_kinds = [_kind_of_branch(old_rules[i], roots.old) for i in removed]
    new_kinds = [_kind_of_branch(new_rules[j], roots.new) for j in added]
    for i, kind in zip(removed, old_kinds, strict=True):
        for j, new_kind in zip(added, new_kinds, strict=True):
            alone = kind == new_kind and old_kinds.count(kind) == new_kinds.count(kind) == 1
            if _is_edited(_Pair(old_rules[i], new_rules[j]), roots, alone=alone):
                pairs[i] = j
    paired = set(pairs.values())
    return _BranchPairing(
        [(old[i], new[j]) for i, j in sorted(pairs.items())],
        [old[i] for i in removed if i not in pairs],
        [new[j] for j in added if j not in paired],
    )


def _index_by_key(branches: list[Any]) -> dict[str, int]:
    return {json_key(drop_annotations(branch, deep=True)): i for i, branch in enumerate(branches)}


def _group_by_identity(branches: list[Any], indices: Iterable[int], root: Any) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for i in indices:
        groups.setdefault(_identify_branch(branches[i], root), []).append(i)
    return groups


def _kind_of_branch(branch: Any, root: Any) -> str:
    """Return what a branch is: a union, a list of constants, or something of certain types."""
    if _union_keyword(branch) or _constants(branch):
        return "union" if _union_keyword(branch) else "constants"
    rules = normalize(branch, root, unions=False)
    return json_key(sorted(types_of(rules)) if isinstance(rules, Mapping) else rules)


def _is_edited(branches: _Pair, roots: _Pair, *, alone: bool) -> bool:
    """Return whether two branches are one that was edited: they refer to the same definition.

    If no other branch of this kind changed (`alone`), it is enough that both are unions, or lists of constants, or that
    they share a property, and no constant tells them apart.
    """
    old_reference, new_reference = (branch.get("$ref") if isinstance(branch, Mapping) else None for branch in branches)
    if old_reference is not None and new_reference is not None:
        return bool(old_reference == new_reference)
    if not alone or _union_keyword(branches.old) or _constants(branches.old):
        return alone
    old, new = (normalize(branch, root, unions=False) for branch, root in zip(branches, roots, strict=True))
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
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
