"""Real declarations, each edited in every way that a person would: what is said of the edit is held against values."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.breaking.test_changes import CASES, null_is_omitted, write
from tests.support.budgets import budget
from tests.support.declarations import DECLARATIONS
from tests.support.generated import compiled, shipped_profiles
from toolgen.breaking.replay import replay
from toolgen.breaking.schema_comparison import ABSENT, combine_effects, compare_schemas
from toolgen.breaking.schema_inclusion import Inclusion
from toolgen.breaking.schema_samples import Samples
from toolgen.diagnostics import Findings
from toolgen.resolve.value_checks import TooManyStepsError, ValueValidator

Schema = dict[str, Any]
SOUND = [
    row for row in DECLARATIONS if Draft202012Validator(Draft202012Validator.META_SCHEMA).is_valid(row["parameters"])
]
"""The others are refused before anything is compared."""

Edit = Callable[[Schema], bool | None]
"""Changes a schema where it can; True where it did."""


def objects(schema: Any) -> Iterator[Schema]:
    """The schemas in a schema, of any depth."""
    if isinstance(schema, dict):
        yield schema
        for key, inner in schema.items():
            if key in ("properties", "$defs") and isinstance(inner, dict):
                for each in inner.values():
                    yield from objects(each)
            elif key in ("items", "additionalProperties", "anyOf", "oneOf", "allOf"):
                for each in inner if isinstance(inner, list) else [inner]:
                    yield from objects(each)


def first(schema: Schema, wanted: Callable[[Schema], Any]) -> Schema | None:
    return next((inner for inner in objects(schema) if wanted(inner)), None)


def with_first(wanted: Callable[[Schema], Any], change: Callable[[Schema], Any]) -> Edit:
    def edit(schema: Schema) -> bool:
        match = first(schema, wanted)
        if match is not None:
            change(match)
        return match is not None

    return edit


def is_text(schema: Schema) -> bool:
    return schema.get("type") == "string" and "enum" not in schema and "const" not in schema


def has_properties(schema: Schema) -> Any:
    return schema.get("properties")


def with_required(schema: Schema) -> Any:
    return schema.get("required") and schema["required"][0] in schema.get("properties", {})


def with_optional(schema: Schema) -> Any:
    return set(schema.get("properties", {})) - set(schema.get("required", ()))


def one_optional(schema: Schema) -> str:
    return min(with_optional(schema))


def rename_property(schema: Schema) -> None:
    name = next(iter(schema["properties"]))
    schema["properties"][f"{name}_renamed"] = schema["properties"].pop(name)
    if name in schema.get("required", ()):
        schema["required"] = [f"{name}_renamed" if each == name else each for each in schema["required"]]


def remove_property(schema: Schema) -> None:
    name = next(iter(schema["properties"]))
    del schema["properties"][name]
    schema["required"] = [each for each in schema.get("required", ()) if each != name]


def wrap(keyword: str, second: Schema) -> Callable[[Schema], None]:
    def change(schema: Schema) -> None:
        inner = dict(schema)
        schema.clear()
        schema[keyword] = [inner, second]

    return change


EDITS: Mapping[str, Edit] = {
    "enum value added": with_first(
        lambda s: isinstance(s.get("enum"), list), lambda s: s["enum"].append("another value")
    ),
    "enum value removed": with_first(lambda s: len(s.get("enum", ())) > 1, lambda s: s["enum"].pop()),
    "enum of a text": with_first(is_text, lambda s: s.update(enum=["a", "b"])),
    "enum gone": with_first(lambda s: "enum" in s and "type" in s, lambda s: s.pop("enum")),
    "shortest text": with_first(is_text, lambda s: s.update(minLength=3)),
    "longest text": with_first(is_text, lambda s: s.update(maxLength=3)),
    "pattern": with_first(lambda s: is_text(s) and "pattern" not in s, lambda s: s.update(pattern="^[a-z]+$")),
    "format": with_first(is_text, lambda s: s.update(format="date")),
    "least number": with_first(lambda s: s.get("type") in ("integer", "number"), lambda s: s.update(minimum=5)),
    "greatest number": with_first(lambda s: s.get("type") in ("integer", "number"), lambda s: s.update(maximum=5)),
    "number to integer": with_first(lambda s: s.get("type") == "number", lambda s: s.update(type="integer")),
    "integer to number": with_first(lambda s: s.get("type") == "integer", lambda s: s.update(type="number")),
    "text to number": with_first(is_text, lambda s: s.update(type="number")),
    "null too": with_first(is_text, lambda s: s.update(type=["string", "null"])),
    "any type": with_first(is_text, lambda s: s.pop("type")),
    "text or list": with_first(is_text, wrap("anyOf", {"type": "array", "items": {"type": "string"}})),
    "text or object": with_first(is_text, wrap("oneOf", {"type": "object"})),
    "required": with_first(with_optional, lambda s: s.setdefault("required", []).append(one_optional(s))),
    "optional": with_first(with_required, lambda s: s["required"].pop(0)),
    "new property": with_first(has_properties, lambda s: s["properties"].update(brand_new={"type": "string"})),
    "new required property": with_first(
        has_properties,
        lambda s: s.update(
            properties={**s["properties"], "brand_new": {"type": "string"}},
            required=[*s.get("required", ()), "brand_new"],
        ),
    ),
    "property gone": with_first(has_properties, remove_property),
    "property renamed": with_first(has_properties, rename_property),
    "closed": with_first(
        lambda s: has_properties(s) and s.get("additionalProperties", True) is True,
        lambda s: s.update(additionalProperties=False),
    ),
    "opened": with_first(lambda s: s.get("additionalProperties") is False, lambda s: s.pop("additionalProperties")),
    "fewest items": with_first(lambda s: s.get("type") == "array", lambda s: s.update(minItems=1)),
    "most items": with_first(lambda s: s.get("type") == "array", lambda s: s.update(maxItems=1)),
    "no item twice": with_first(lambda s: s.get("type") == "array", lambda s: s.update(uniqueItems=True)),
    "other items": with_first(lambda s: s.get("type") == "array", lambda s: s.update(items={"type": "boolean"})),
    "branch gone": with_first(lambda s: len(s.get("anyOf", ())) > 1, lambda s: s["anyOf"].pop()),
    "other words": with_first(is_text, lambda s: s.update(description="Said otherwise.")),
}

BACK = {"narrower": "wider", "wider": "narrower"}


def values_of(schema: Schema) -> list[Any]:
    """Values that a schema admits, and their neighbours: a key left out, a key more, a member of another type."""
    values = list(Samples(schema).of(schema))[:60]
    for value in list(values):
        if isinstance(value, dict):
            values += [{k: v for k, v in value.items() if k != omitted} for omitted in value]
            values += [{**value, key: replacement} for key in value for replacement in (None, "text", 3, 1.5, [], {})]
            values.append({**value, "something else": 1})
    return values


def refused(old: Schema, new: Schema, values: list[Any]) -> Any:
    """A value that the old schema admits and the new one refuses; ABSENT where there is none among these."""
    before, after = ValueValidator(old), ValueValidator(new)
    for value in values:
        try:
            if before.admits(value) and not after.admits(value):
                return value
        except TooManyStepsError:
            continue
    return ABSENT


def edited(name: str) -> list[tuple[str, Schema, Schema]]:
    """Declarations before and after an edit: each fourth, another fourth for the next edit."""
    pairs = []
    for row in SOUND:
        old = row["parameters"]
        new = copy.deepcopy(old)
        if isinstance(old, dict) and "$ref" not in str(old) and EDITS[name](new) and new != old:
            pairs.append((row["id"], old, new))
    step = budget(4, 1)
    return pairs[list(EDITS).index(name) % step :: step] or pairs


@pytest.mark.parametrize("name", EDITS)
def test_what_is_said_of_an_edit_holds_for_values(name: str) -> None:
    decided = Counter[bool]()
    for identifier, old, new in edited(name):
        relations = []
        for before, after in ((old, new), (new, old)):
            differences = compare_schemas(before, after)
            relations.append(relation := combine_effects(differences))
            decided[all(d.effect != "unknown" or d.code == "parameter-renamed" for d in differences)] += 1
            if relation in (None, "wider"):
                values = values_of(before)
                if null_is_omitted(differences):
                    values = [value for value in values if "null" not in json.dumps(value)]
                lost = refused(before, after, values)
                assert lost is ABSENT, (identifier, relation, lost, before, after)
            assert differences or before == after, identifier
            for difference in differences:
                if (
                    difference.effect in ("narrower", "other")
                    and difference.witness is not ABSENT
                    and not difference.pointer
                ):
                    assert refused(before, after, [difference.witness]) is not ABSENT
        forth, back = relations
        if forth in BACK and back in BACK and "property" not in name:  # one that goes is refused where it came from
            assert back == BACK[forth], (identifier, forth, back)
    assert decided.total() > 0, "no declaration can be edited so"
    assert decided[False] == 0


def test_a_verdict_is_that_of_the_value_and_not_of_one_that_had_its_place_in_memory() -> None:
    validator = ValueValidator({"$ref": "#/$defs/A", "$defs": {"A": {"type": "array", "minItems": 1}}})
    for i in range(20):
        assert validator.admits([1] * (i % 2)) == bool(i % 2)
        assert validator.admits(i, {"enum": [i]})


def test_references_that_lead_in_a_circle_are_not_followed_forever() -> None:
    circle = {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}
    assert ValueValidator(circle).admits(1)
    assert compare_schemas(circle, {"type": "string"}) != []


def test_a_declaration_is_what_it_is() -> None:
    for row in SOUND:
        assert compare_schemas(row["parameters"], copy.deepcopy(row["parameters"])) == []


KEYS = ("a", "b", "c", "x-d")
VALUES: tuple[Any, ...] = (
    0,
    1,
    2,
    -1,
    1.0,
    1.5,
    "",
    "a",
    "b",
    "abcd",
    None,
    True,
    False,
    [],
    [1],
    ["a", "a"],
    {},
    {"a": 1},
    {"b": "a"},
)


class Made:
    """Random schemas, edits of them, and values that they may admit, of few keys and values, so that many agree."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.names = [f"D{i}" for i in range(self.rng.randint(0, 2))]

    def root(self) -> Schema:
        definitions = {name: self.rng.choice([self.an_object(1), self.schema(1, False)]) for name in self.names}
        root = self.an_object(0)
        return root | ({"$defs": definitions} if definitions else {})

    def schema(self, depth: int, refers: bool = True) -> Any:
        kind = self.rng.choice(["one", "two", "object", "object", "array", "enum", "const", "ref", "union", "all"])
        if kind == "ref" and refers and self.names:
            return {"$ref": f"#/$defs/{self.rng.choice(self.names)}"} | self.rng.choice([{}, {}, self.some("string")])
        if kind == "object" and depth < 3:
            return self.an_object(depth)
        if kind == "array" and depth < 3:
            generated = {"type": "array", "items": self.schema(depth + 1, refers)} | self.some("array")
            counts = {key: self.rng.randint(0, 2) for key in ("minContains", "maxContains") if self.rng.random() < 0.3}
            return generated | ({"contains": self.schema(depth + 2), **counts} if self.rng.random() < 0.3 else {})
        if kind == "enum":
            return {"enum": self.rng.sample(VALUES, self.rng.randint(1, 4))}
        if kind == "const":
            return {"const": self.rng.choice(VALUES)}
        if kind in ("union", "all") and depth < 3:
            count = self.rng.randint(1, 3)
            keyword = self.rng.choice(["anyOf", "oneOf"]) if kind == "union" else "allOf"
            return {keyword: [self.schema(depth + 1, refers) for _ in range(count)]}
        kinds = self.rng.sample(["string", "integer", "number", "boolean", "null"], 2 if kind == "two" else 1)
        generated: Schema = {"type": kinds if kind == "two" else kinds[0]}
        for each in kinds:
            generated |= self.some(each)
        return generated

    def an_object(self, depth: int) -> Schema:
        names = self.rng.sample(KEYS, self.rng.randint(0, 3))
        generated: Schema = {"type": "object", "properties": {name: self.schema(depth + 1) for name in names}}
        generated |= self.some("object")
        if self.rng.random() < 0.5:
            extra = self.rng.choice([False, False, True, "schema"])
            keyword = self.rng.choice(["additionalProperties"] * 3 + ["unevaluatedProperties"])
            generated[keyword] = self.schema(depth + 1) if extra == "schema" else extra
        if self.rng.random() < 0.15:
            generated["patternProperties"] = {self.rng.choice(["^a", "^x-"]): self.schema(depth + 1)}
        if self.rng.random() < 0.15:
            generated[self.rng.choice(["allOf", "anyOf"])] = [{"required": [self.rng.choice(KEYS)]}]
        if self.rng.random() < 0.2:
            generated["allOf"] = [*generated.get("allOf", ()), self.condition(depth), self.condition(depth)]
        return generated | (self.condition(depth) if self.rng.random() < 0.3 else {})

    def condition(self, depth: int) -> Schema:
        """A rule that depends on other values of an object, or on its names."""
        name, second = self.rng.sample(KEYS, 2)
        rules = [{"required": [name]}, {"properties": {second: self.schema(depth + 2)}}, {"required": [name, second]}]
        rules.append({"properties": {name: {"enum": self.rng.sample(VALUES, 2)}}, "required": [name]})
        rule = self.rng.choice(rules)
        return self.rng.choice(
            [
                {"if": rule, "then": self.rng.choice(rules)},
                {"if": rule, "then": self.rng.choice(rules), "else": self.rng.choice(rules)},
                {"if": rule, "else": self.rng.choice(rules)},
                {"not": rule},
                {"dependentRequired": {name: [second]}},
                {"dependentSchemas": {name: self.rng.choice(rules)}},
                {"propertyNames": self.some("string")},
            ]
        )

    def some(self, kind: str) -> Schema:
        """One or no keyword for values of a type."""
        small = self.rng.choice([0, 1, 2])
        return self.rng.choice(
            {
                "string": [{}, {"minLength": small}, {"maxLength": small}, {"pattern": self.rng.choice(["^a", "b$"])}],
                "integer": [{}, {"minimum": small}, {"exclusiveMinimum": small - 1}, {"multipleOf": small or 3}],
                "number": [{}, {"maximum": small}, {"exclusiveMaximum": small + 0.5}],
                "array": [{}, {"minItems": small}, {"maxItems": small}, {"uniqueItems": True}],
                "object": [{}, {}, {"required": self.rng.sample(KEYS, small)}, {"minProperties": small}],
            }.get(kind, [{}])
        )

    def edit(self, schema: Schema) -> Schema:
        """A copy with a change: a keyword that is gone or new, another schema, or other words for the same values."""
        edited = copy.deepcopy(schema)
        here = self.rng.choice([each for each in objects(edited) if "$defs" not in each] or [edited])
        change = self.rng.choice(["gone", "new", "new", "other", "wrapped", "property", "required"])
        keys = sorted(here.keys() - {"$defs", "type"})
        if change == "gone" and keys:
            del here[self.rng.choice(keys)]
        elif change == "wrapped" and "$defs" not in here:
            inner = dict(here)
            here.clear()
            here[self.rng.choice(["allOf", "anyOf", "oneOf"])] = [inner]
        elif change == "property" and isinstance(here.get("properties"), dict):
            here["properties"][self.rng.choice(KEYS)] = self.schema(2)
        elif change == "required" and here.get("type") == "object":
            here["required"] = sorted({*here.get("required", ()), self.rng.choice(KEYS)})
        elif change == "new" and isinstance(here.get("type"), str):
            here |= self.some(here["type"])
        elif change == "other" and here is not edited:
            here.clear()
            here |= self.schema(2, refers=False)
        return edited

    def value(self, schema: Any, root: Schema, depth: int = 0) -> Any:
        """A value that a schema may admit. Its objects have only names that the schema declares or has a schema for."""
        if not isinstance(schema, dict) or depth > 6 or self.rng.random() < 0.05:
            return self.rng.choice(VALUES[:11])
        if "$ref" in schema:
            return self.value(root["$defs"][schema["$ref"][8:]], root, depth + 1)
        if "enum" in schema or "const" in schema:
            return self.rng.choice(schema.get("enum", [schema.get("const")]))
        for keyword in ("anyOf", "oneOf", "allOf"):
            if keyword in schema and "type" not in schema:
                return self.value(self.rng.choice(schema[keyword]), root, depth + 1)
        kind = schema.get("type", "string")
        kind = self.rng.choice(kind) if isinstance(kind, list) else kind
        if kind == "array":
            return [self.value(schema.get("items"), root, depth + 1) for _ in range(self.rng.randint(0, 3))]
        if kind != "object":
            of = {"string": VALUES[6:10], "boolean": (True, False), "null": (None,)}.get(kind, VALUES[:6])
            return self.rng.choice(of)
        extra = schema.get("additionalProperties", schema.get("unevaluatedProperties"))
        declared = dict(schema.get("properties", {}))
        declared |= {name: extra for name in schema.get("required", ()) if name not in declared}
        if isinstance(extra, dict):
            declared = {name: declared.get(name, extra) for name in KEYS}
        needed = schema.get("required", ())
        return {
            name: self.value(sub, root, depth + 1)
            for name, sub in declared.items()
            if name in needed or self.rng.random() < 0.6
        }


@pytest.mark.parametrize("seed", range(budget(15, 60)))
def test_values_that_are_refused_now_are_reported_and_equal_schemas_are_not(seed: int) -> None:
    maker = Made(seed)
    for _ in range(12):
        old = maker.root()
        new = maker.edit(maker.edit(old)) if maker.rng.random() < 0.5 else maker.edit(old)
        old, new = (old, new) if maker.rng.random() < 0.5 else (new, old)
        differences = compare_schemas(old, new)
        before, after = Draft202012Validator(old), Draft202012Validator(new)
        proofs = Inclusion(old, new)
        accepted_still, gained = proofs.proves(old, new), proofs.proves(new, old, back=True)
        for i in range(80):
            value = maker.value(*(((old, old), (new, new))[i % 2]))
            fits, still = before.is_valid(value), after.is_valid(value)
            assert not (accepted_still and fits and not still), (value, old, new)
            assert not (gained and still and not fits), (value, old, new)
            if i % 2 == 0 and fits and not still:
                is_told = any(
                    each.effect not in ("note", "wider") or each.code == "null-refused" for each in differences
                )
                assert is_told, (value, old, new)


ELSEWHERE = {
    "risk-lowered": "a call that waits for a review would run without one",
    "alias-moved": "the call runs, another tool",
    "wire-name-changed": "it is another name on that wire alone",
    "parameter-renamed": "an open object takes the old name for one that it does not know",
    "null-refused": "null for an optional value is read as none",
    "cannot-tell": "nobody can tell",
    "result-narrowed": "it breaks stored results",
    "result-changed": "it breaks stored results",
    "portability-worse": "the condition that does it is a change of its own",
}
"""Changes that break conversations otherwise than by refusing their calls."""


@pytest.mark.parametrize(
    ("code", "before", "after", "audiences"), [case[:4] for case in CASES if case[0] not in ELSEWHERE]
)
def test_stored_calls_fail_exactly_where_a_change_is_said_to_break_conversations(
    tmp_path: Path, code: str, before: Any, after: Any, audiences: tuple[str, ...]
) -> None:
    tools = before if isinstance(before, list) else [before]
    calls = [
        {"id": "c", "name": name, "arguments": value}
        for declaration in tools
        for name in (declaration["name"], *declaration.get("aliases", ()))
        for value in [{}, *Samples(declaration.get("parameters", {})).of(declaration.get("parameters", {}))]
        if isinstance(value, dict) and ValueValidator(declaration.get("parameters", {})).admits(value)
    ]
    stored = tmp_path / "stored.json"
    stored.write_text(
        json.dumps({"role": "assistant", "content": [{"type": "tool_call", "call": call} for call in calls]}), "utf-8"
    )
    with shipped_profiles("openai_chat"):
        files = compiled(write(tmp_path / "schemas", after))
    result = replay(stored, files, None, Findings())
    assert result is not None
    assert result.unreadable == 0
    assert bool(result.refused or result.unknown) == ("conversations" in audiences), result
