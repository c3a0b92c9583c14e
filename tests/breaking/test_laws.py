"""Real declarations, each edited in every way that a person would: what is said of the edit is held against values."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.breaking.test_changes import CASES, write
from tests.corpus.declarations import DECLARATIONS
from tests.support.generated import compiled, shipped_profiles
from toolgen.breaking.replay import replay
from toolgen.breaking.schema_comparison import ABSENT, combine_effects, compare_schemas
from toolgen.breaking.schema_samples import sample_values
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
    return next((one for one in objects(schema) if wanted(one)), None)


def with_first(wanted: Callable[[Schema], Any], change: Callable[[Schema], Any]) -> Edit:
    def edit(schema: Schema) -> bool:
        found = first(schema, wanted)
        if found is not None:
            change(found)
        return found is not None

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


def wrap(keyword: str, other: Schema) -> Callable[[Schema], None]:
    def change(schema: Schema) -> None:
        inner = dict(schema)
        schema.clear()
        schema[keyword] = [inner, other]

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
    "pattern": with_first(is_text, lambda s: s.update(pattern="^[a-z]+$")),
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
    found = list(sample_values(schema, schema))[:60]
    for value in list(found):
        if isinstance(value, dict):
            found += [{k: v for k, v in value.items() if k != left} for left in value]
            found += [{**value, key: other} for key in value for other in (None, "text", 3, 1.5, [], {})]
            found.append({**value, "something else": 1})
    return found


def refused(old: Schema, new: Schema, values: list[Any]) -> Any:
    """A value that the old schema admits and the new one refuses; ABSENT where there is none among these."""
    before, after = ValueValidator(old), ValueValidator(new)
    for value in values:
        try:
            if before.reason(value) is None and after.reason(value) is not None:
                return value
        except TooManyStepsError:
            continue
    return ABSENT


def edited(name: str) -> Iterator[tuple[str, Schema, Schema]]:
    for row in SOUND:
        old = row["parameters"]
        new = copy.deepcopy(old)
        if isinstance(old, dict) and "$ref" not in str(old) and EDITS[name](new) and new != old:
            yield row["id"], old, new


@pytest.mark.parametrize("name", EDITS)
def test_what_is_said_of_an_edit_holds_for_values(name: str) -> None:
    decided = Counter[bool]()
    for identifier, old, new in edited(name):
        for before, after in ((old, new), (new, old)):
            differences = compare_schemas(before, after)
            relation = combine_effects(differences)
            lost = refused(before, after, values_of(before))
            decided[all(d.effect != "unknown" or d.code == "parameter-renamed" for d in differences)] += 1
            if relation in (None, "wider"):
                assert lost is ABSENT, (identifier, relation, lost, before, after)
            assert differences or before == after, identifier
            for difference in differences:
                if (
                    difference.effect in ("narrower", "other")
                    and difference.witness is not ABSENT
                    and not difference.pointer
                ):
                    assert refused(before, after, [difference.witness]) is not ABSENT
        forth, back = (combine_effects(compare_schemas(*pair)) for pair in ((old, new), (new, old)))
        if forth in BACK and back in BACK and "property" not in name:  # one that goes is refused where it came from
            assert back == BACK[forth], (identifier, forth, back)
    assert decided.total() > 0, "no declaration can be edited so"
    assert decided[False] <= max(
        2, 0.03 * decided.total()
    )  # one declaration, there and back, of the few that have a union


def test_a_declaration_is_what_it_is() -> None:
    for row in SOUND:
        assert compare_schemas(row["parameters"], copy.deepcopy(row["parameters"])) == []


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
        for one in tools
        for name in (one["name"], *one.get("aliases", ()))
        for value in [{}, *sample_values(one.get("parameters", {}), one.get("parameters", {}))]
        if isinstance(value, dict) and ValueValidator(one.get("parameters", {})).reason(value) is None
    ]
    stored = tmp_path / "stored.json"
    stored.write_text(
        json.dumps({"role": "assistant", "content": [{"type": "tool_call", "call": call} for call in calls]}), "utf-8"
    )
    with shipped_profiles("openai_chat"):
        files = compiled(write(tmp_path / "schemas", after))
    found = replay(stored, files, None, Findings())
    assert found is not None
    assert found.unreadable == 0
    assert bool(found.refused or found.unknown) == ("conversations" in audiences), found
