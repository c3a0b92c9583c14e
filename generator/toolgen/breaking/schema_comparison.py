"""Comparison of two schemas by the values that they admit: each change with its path, direction and witness.

A witness, a value that the old schema admits and the new one refuses, proves that a change loses values. For keywords
that are not compared here, a witness is searched for. If there is none, nothing is proved, and the change is reported
so. A difference that excludes no value, by a proof, is not reported as one that does. A name that the old side did not
declare has no values, unless the object has a schema for all names: a new optional property narrows nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from toolgen.breaking.schema_inclusion import Inclusion
from toolgen.breaking.schema_normalization import (
    LOWER_BOUNDS,
    TYPES,
    UPPER_BOUNDS,
    admitted_types,
    declared_properties,
    find_renamed_properties,
    json_key,
    list_small_values,
    normalize,
    pair_branches,
    show_types,
    subtract_types,
    types_of,
    undeclared_property_schemas,
    wrap_in_matching_union,
)
from toolgen.breaking.schema_samples import MAX_SAMPLES, Samples
from toolgen.load import Pointer
from toolgen.resolve.dialect import drop_annotations
from toolgen.resolve.schema_bundler import follow_references, has_same_targets
from toolgen.resolve.value_checks import TooManyStepsError, ValueValidator, is_multiple

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
    found: set[Relation] = {difference.effect for difference in differences if difference.effect != "note"}
    if not found:
        return None
    if len(found) == 1:
        return found.pop()
    return "unknown" if "unknown" in found and "other" not in found and "narrower" not in found else "other"


def compare_schemas(old: Any, new: Any, examples: tuple[Any, ...] = ()) -> list[Difference]:
    """Return the differences between two self-contained schemas. `examples` are values that the old one admits."""
    return [] if old == new else _Comparison(old, new, examples).run()


class _Comparison:
    def __init__(self, old: Any, new: Any, examples: tuple[Any, ...]) -> None:
        self._old, self._new = old, new
        self._examples = examples
        self._before, self._after = ValueValidator(old), ValueValidator(new)
        self._samples = Samples(old), Samples(new)
        self._witnesses: dict[tuple[str, str], Any] = {}
        self._inclusion = Inclusion(old, new)
        self._pairs: set[tuple[str, str]] = set()
        self._open: list[tuple[str, str]] = []

    def run(self) -> list[Difference]:
        found = list(self._schemas(self._old, self._new, ()))
        if all(difference.effect in ("note", "wider") for difference in found):
            witness = self._witness(self._old, self._new)
            narrowed = Difference("condition-changed", (), "narrower", self._old, self._new, witness)
            found += [narrowed] if witness is not ABSENT else []
        return found

    def _schemas(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        stated_old, stated_new, here, stated = old, new, pointer, (old, new)
        old, _ = follow_references(old, self._old, pointer)
        new, target = follow_references(new, self._new, pointer)
        if old is not stated_old or new is not stated_new:
            if old is stated_old or new is stated_new:  # keywords beside a reference replace those of its target
                stated_old, stated_new = _with_keywords(old, stated_old), _with_keywords(new, stated_new)
                old, new = drop_annotations(old), drop_annotations(new)
            yield from _annotations(stated_old, stated_new, here)
        pair = (json_key(old), json_key(new))
        if pair[0] == pair[1] and has_same_targets(old, self._old, self._new):
            return
        if (pair[0] + str(target), pair[1]) in self._pairs or pair in self._open:
            return
        self._pairs.add((pair[0] + str(target), pair[1]))
        self._open.append(pair)  # a schema may contain itself as a part of `allOf`
        yield from self._unproved(old, new, target, stated)
        self._open.pop()

    def _unproved(self, old: Any, new: Any, pointer: Pointer, stated: tuple[Any, Any]) -> Iterator[Difference]:
        """Yield the differences of two schemas, except for those that by a proof change no value."""
        lossless, gainless = self._inclusion.proves(old, new), self._inclusion.proves(new, old, back=True)
        dropped = gained = False
        for found in self._details(old, new, pointer, stated):
            if found.code == "parameter-renamed" or found.effect == "note":
                yield found
            elif lossless and found.code in ("parameter-removed", "format-changed"):
                yield replace(found, effect="note")
            elif (lossless and found.effect != "wider") or (gainless and found.effect == "wider"):
                dropped = True
            else:
                gained |= found.effect in ("wider", "other")
                yield found
        if dropped and not gained and not gainless:
            yield Difference("condition-changed", pointer, "wider", old, new)

    def _details(self, old: Any, new: Any, pointer: Pointer, stated: tuple[Any, Any]) -> Iterator[Difference]:
        old, new = ({} if schema is True else schema for schema in (old, new))
        roots = self._old, self._new
        before, after = normalize(old, self._old, unions=False), normalize(new, self._new, unions=False)
        if before is False or after is False:
            if before is not after:
                code = "type-widened" if before is False else "type-narrowed"
                relation: Relation = "wider" if before is False else "narrower"
                yield self._judged(Difference(code, pointer, relation, old, new), old, new)
            return
        before, after = wrap_in_matching_union(before, after, stated, roots)
        if bool(before.keys() & _UNIONS) != bool(after.keys() & _UNIONS):
            before, after = normalize(old, self._old), normalize(new, self._new)
            before, after = wrap_in_matching_union(before, after, stated, roots)
        old, new = before, after
        yield from _annotations(old, new, pointer)
        yield from self._types(old, new, pointer)
        yield from self._values(old, new, pointer)
        yield from self._bounds(old, new, pointer)
        yield from self._texts(old, new, pointer)
        yield from self._object(old, new, pointer)
        yield from self._items(old, new, pointer)
        yield from self._branches(old, new, pointer)
        for keyword in sorted(_CONDITIONS & (old.keys() | new.keys())):
            was, now, here = _value(old, keyword), _value(new, keyword), (*pointer, keyword)
            if was != now or not has_same_targets({keyword: was}, self._old, self._new):
                alike = keyword == "patternProperties" and {*old.get(keyword, ())} == {*new.get(keyword, ())}
                for pattern in was if alike else ():
                    yield from self._schemas(was[pattern], now[pattern], (*here, pattern))
                parts = keyword == "allOf" and self._inclusion.proves_same_parts(
                    old.get(keyword, ()), new.get(keyword, ())
                )
                if not alike and not parts:
                    yield self._searched(Difference("condition-changed", here, "unknown", was, now), old, new)

    def _types(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        before, after = types_of(old), types_of(new)
        if bool(old.keys() & _UNIONS) != bool(new.keys() & _UNIONS):
            before, after = admitted_types(old, self._old), admitted_types(new, self._new)
        if before == after:
            return
        here = (*pointer, "type")
        removed, gained = subtract_types(before, after), subtract_types(after, before)
        was, now = show_types(before), show_types(after)
        if "null" in gained and before != set(TYPES):
            yield Difference("null-admitted", here, "wider", was, now)
        if "null" in removed and after != set(TYPES):
            yield self._judged(Difference("null-refused", here, "narrower", was, now), old, new)
        removed, gained = removed - {"null"}, gained - {"null"}
        if removed and gained:
            yield self._judged(Difference("type-changed", here, "other", was, now), old, new)
        elif removed:
            yield self._judged(Difference("type-narrowed", here, "narrower", was, now), old, new)
        elif gained:
            yield Difference("type-widened", here, "wider", was, now)

    def _values(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        before, after = old.get("enum"), new.get("enum")
        if before is None and after is None:
            return
        here = (*pointer, "enum")
        if before is None or after is None:
            small = types_of(old) & types_of(new) if before is None else types_of(old) | types_of(new)
            if small <= {"null", "boolean"}:  # these values can be listed
                before = list_small_values(old) if before is None else before
                after = list_small_values(new) if after is None else after
            else:
                code = "enum-set" if before is None else "enum-unset"
                found = Difference(code, here, "wider", _value(old, "enum"), _value(new, "enum"))
                yield found if before is not None else self._judged(replace(found, effect="narrower"), old, new)
                return
        was, now = {json_key(v): v for v in before}, {json_key(v): v for v in after}
        removed, gained = [v for k, v in was.items() if k not in now], [v for k, v in now.items() if k not in was]
        if len(was) == len(now) == 1 and removed:
            yield Difference("const-changed", here, "other", before[0], after[0], witness=before[0])
            return
        if removed:
            yield Difference("enum-value-removed", here, "narrower", removed, after, witness=removed[0])
        if gained:
            yield Difference("enum-value-added", here, "wider", before, gained)
        if not removed and not gained and [json_key(v) for v in before] != [json_key(v) for v in after]:
            yield Difference("enum-reordered", here, "note", before, after)

    def _bounds(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        for keyword in (*LOWER_BOUNDS, *UPPER_BOUNDS, "multipleOf", "uniqueItems"):
            before, after = old.get(keyword), new.get(keyword)
            if before == after or (keyword == "uniqueItems" and bool(before) == bool(after)):
                continue
            if keyword == "multipleOf":
                tighter = before is None or (after is not None and is_multiple(after, before))
                looser = after is None or (before is not None and is_multiple(before, after))
            elif keyword == "uniqueItems":
                tighter, looser = bool(after), bool(before)
            else:
                grows = keyword in LOWER_BOUNDS
                tighter = before is None or (after is not None and (after > before) == grows)
                looser = not tighter
            difference = Difference("", (*pointer, keyword), "wider", _value(old, keyword), _value(new, keyword))
            if (tighter or not looser) and after is not None and self._inclusion.proves(old, {keyword: after}):
                continue
            if tighter or not looser:
                yield self._judged(replace(difference, code="bound-tightened", effect="narrower"), old, new)
            else:
                yield replace(difference, code="bound-loosened")

    def _texts(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        before, after = old.get("pattern"), new.get("pattern")
        difference = Difference("", (*pointer, "pattern"), "wider", _value(old, "pattern"), _value(new, "pattern"))
        if before != after and after is None:
            yield replace(difference, code="pattern-unset")
        elif before != after and before is None:
            yield self._searched(replace(difference, code="pattern-set", effect="narrower"), old, new)
        elif before != after:
            yield self._searched(replace(difference, code="pattern-changed", effect="unknown"), old, new)
        if old.get("format") != new.get("format"):
            found = Difference(
                "format-changed", (*pointer, "format"), "unknown", _value(old, "format"), _value(new, "format")
            )
            yield self._searched(found, old, new, proved="note")

    def _object(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        before, after = declared_properties(old), declared_properties(new)
        closed = new.get("additionalProperties") is False
        gone = [name for name in before if name not in after]
        come = [name for name in after if name not in before]
        renamed = find_renamed_properties({n: before[n] for n in gone}, {n: after[n] for n in come})
        needs = set(new.get("required", ()))
        needed = set(old.get("required", ()))
        for name in gone:
            here = (*pointer, "properties", name)
            if name in renamed:
                to = renamed[name]
                relation: Relation = "narrower" if closed or to in needs else "unknown"
                yield Difference("parameter-renamed", (*pointer, "properties", to), relation, name, to)
                continue
            fits = all(
                self._inclusion.proves(before[name], schema)
                for schema in undeclared_property_schemas(new, name, unevaluated=True)
            )
            found = Difference("parameter-removed", here, "note" if fits else "narrower", before[name], gone=True)
            yield found if fits else self._judged(found, old, new)
        for name in come:
            if name in renamed.values():
                continue
            here = (*pointer, "properties", name)
            if name in needs:
                found = Difference("required-parameter-added", here, "narrower", ABSENT, after[name])
                yield self._judged(found, old, new)
            else:
                yield Difference("parameter-added", here, "note", ABSENT, after[name])
            for schema in undeclared_property_schemas(old, name, unevaluated=True):
                if schema not in (True, False, {}):
                    yield from self._schemas(schema, after[name], here)
        for name in before:
            if name in after:
                here = (*pointer, "properties", name)
                if name in needs and name not in needed:
                    yield self._judged(Difference("parameter-became-required", here, "narrower", False, True), old, new)
                elif name in needed and name not in needs:
                    yield Difference("parameter-became-optional", here, "wider", True, False)
                yield from self._schemas(before[name], after[name], here)
        yield from self._further(old, new, pointer)

    def _further(self, old: Any, new: Any, pointer: Pointer) -> Iterator[Difference]:
        before, after = old.get("additionalProperties", True), new.get("additionalProperties", True)
        if before == after and has_same_targets(before, self._old, self._new):
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
        keyword = next((k for k in ("oneOf", "anyOf") if k in new or k in old), None)
        if keyword is None:
            return
        before = old.get("oneOf") or old.get("anyOf")
        after = new.get("oneOf") or new.get("anyOf")
        here = (*pointer, keyword)
        if before is None or after is None:
            found = Difference("condition-changed", here, "unknown", _value(old, keyword), _value(new, keyword))
            yield self._searched(found, old, new)
            return
        pairs, gone, gained = pair_branches(before, after, self._old, self._new)
        for i, j in pairs.items():
            yield from self._schemas(before[i], after[j], (*here, j))
        for i in gone:
            yield self._judged(Difference("branch-removed", here, "narrower", before[i], ABSENT), old, new)
        for i in gained:
            yield Difference("branch-added", (*here, i), "wider", ABSENT, after[i])
        if "oneOf" in new and (gained or before != after or "oneOf" not in old):
            yield from self._overlap(old, new, here)

    def _overlap(self, old: Any, new: Any, here: Pointer) -> Iterator[Difference]:
        """Report a value that fits two branches of the new `oneOf`; unknown if it was `anyOf` and none is found."""
        if self._inclusion.proves_exclusive(new["oneOf"]):
            return
        witness = self._witness(old, new)
        fits = [
            branch for branch in new["oneOf"] if witness is not ABSENT and self._after.reason(witness, branch) is None
        ]
        if len(fits) > 1:
            yield Difference("branches-overlap", here, "narrower", witness=witness)
        elif "oneOf" not in old and witness is ABSENT:
            yield Difference("branches-overlap", here, "unknown")

    def _judged(self, difference: Difference, old: Any, new: Any) -> Difference:
        """Return a difference that is known to lose values, with a witness if one is found."""
        return replace(difference, witness=self._witness(old, new))

    def _searched(self, difference: Difference, old: Any, new: Any, proved: Relation | None = None) -> Difference:
        """Return a difference that loses values only if a witness is found. Otherwise it is `proved` or unknown."""
        witness = self._witness(old, new)
        if witness is not ABSENT:
            return replace(difference, effect="narrower", witness=witness)
        if proved is not None:
            return replace(difference, effect=proved)
        return difference if difference.effect == "narrower" else replace(difference, effect="unknown")

    def _witness(self, old: Any, new: Any) -> Any:
        """Return a value that the old schema admits and the new one refuses; ABSENT if none is found."""
        pair = (json_key(old), json_key(new))
        if pair not in self._witnesses:
            self._witnesses[pair] = self._search(old, new)
        return self._witnesses[pair]

    def _search(self, old: Any, new: Any) -> Any:
        if self._inclusion.proves(old, new):
            return ABSENT
        whole = old is self._old or old == normalize(self._old, self._old)
        before, after = (samples.of(schema) for samples, schema in zip(self._samples, (old, new), strict=True))
        for value in [*[*(self._examples if whole else ()), *before][:MAX_SAMPLES], *after]:
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
    for keyword in ("description", "title", "default"):
        before, after = _value(old, keyword), _value(new, keyword)
        if json_key(before) != json_key(after):
            change = "added" if before is ABSENT else "removed" if after is ABSENT else "changed"
            code = f"default-{change}" if keyword == "default" else "description-changed"
            yield Difference(code, (*pointer, keyword), "note", before, after)


def _value(schema: Mapping[str, Any], keyword: str) -> Any:
    return schema.get(keyword, ABSENT)
