"""Random edits of real declarations: no error without a loss, and no loss without a finding.

Instances are sampled from both sides, and each verdict on one is confirmed by jsonschema.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from tests.breaking.test_laws import SOUND, Schema, objects
from tests.support.budgets import budget
from toolgen.breaking.schema_comparison import ABSENT, Difference, compare_schemas
from toolgen.breaking.schema_samples import Samples
from toolgen_runtime.tools.formats import FORMATS

EXCLUDED_BY_TYPE = ("null-refused", "parameter-became-required", "required-parameter-added", "parameter-removed")
"""Losses of which the types alone are a proof."""


def without(schema: Schema, rng: random.Random) -> None:
    keywords = sorted(schema.keys() - {"type", "$defs", "$ref", "properties", "description", "title", "items"})
    if keywords:
        del schema[rng.choice(keywords)]


def with_bound(schema: Schema, rng: random.Random) -> None:
    kind = schema.get("type")
    sizes = {"string": "Length", "array": "Items", "object": "Properties"}
    if kind in ("integer", "number"):
        schema[rng.choice(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])] = rng.choice([0, 1, 5, 100])
    elif isinstance(kind, str) and kind in sizes:
        schema[rng.choice(["min", "max"]) + sizes[kind]] = rng.choice([0, 1, 2, 5, 50])


def with_union(schema: Schema, rng: random.Random) -> None:
    inner = {key: value for key, value in schema.items() if key != "$defs"}
    second = rng.choice([{"type": "null"}, {"const": None}, {"type": "integer", "minimum": 3}, {"enum": ["x", "y"]}])
    for key in inner:
        del schema[key]
    schema[rng.choice(["anyOf", "oneOf"])] = [inner, second]


def with_values(schema: Schema, rng: random.Random) -> None:
    if isinstance(schema.get("enum"), list) and len(schema["enum"]) > 1:
        schema["enum"] = schema["enum"][: rng.randint(1, len(schema["enum"]))]
    elif schema.get("type") == "string":
        schema["pattern"] = rng.choice(["^a", "^[a-z]+$", "^[A-Z]{2,4}$", "0$"])


def as_tuple(schema: Schema, rng: random.Random) -> None:
    if schema.get("type") == "array" and isinstance(schema.get("items"), dict):
        schema["prefixItems"] = [copy.deepcopy(schema["items"]), {"type": "integer", "maximum": rng.choice([1, 9])}]


def with_other_properties(schema: Schema, rng: random.Random) -> None:
    names = sorted(schema.get("properties", {}))
    if not names:
        return
    name = rng.choice(names)
    change = rng.choice(["required", "optional", "gone", "closed"])
    required = [each for each in schema.get("required", ()) if each != name]
    if change == "required":
        schema["required"] = [*required, name]
    elif change == "closed":
        schema["additionalProperties"] = False
    else:
        schema["required"] = required
        if change == "gone":
            del schema["properties"][name]


def at_reference(schema: Schema, rng: random.Random) -> None:
    """Write something beside a reference, or around it."""
    target = schema.get("$ref")
    if target is None:
        return
    around: list[Schema] = [
        {"$ref": target, "minLength": 2},
        {"$ref": target, "maximum": 3},
        {"allOf": [{"$ref": target}, {"minProperties": 1}]},
        {"anyOf": [{"$ref": target}, {"type": "null"}]},
        {"oneOf": [{"enum": [None]}, {"$ref": target}]},
        {"anyOf": [{"$ref": target}, {"type": "integer", "minimum": 3}]},
    ]
    schema.clear()
    schema.update(rng.choice(around))


EDITS = (without, with_bound, with_union, with_values, as_tuple, with_other_properties, at_reference)


def edited(old: Schema, rng: random.Random) -> Schema:
    """A copy with one edit or two. An edit of the whole is one of an object: parameters have this type."""
    new = copy.deepcopy(old)
    for _ in range(rng.choice([1, 1, 2])):
        part = rng.choice([*objects(new)])
        edit = rng.choice([with_bound, with_other_properties] if part is new else EDITS)
        edit(part, rng)
    return new


def validator(schema: Schema) -> Any:
    """A validator of jsonschema that checks the formats which generated code checks."""
    return Draft202012Validator(
        schema, format_checker=FormatChecker(sorted(FORMATS.keys() & FormatChecker.checkers.keys()))
    )


def refused(old: Schema, new: Schema, values: Iterator[Any]) -> Any:
    """An instance that jsonschema admits in the old schema and refuses in the new one; ABSENT if there is none."""
    before, after = validator(old), validator(new)
    return next((value for value in values if before.is_valid(value) and not after.is_valid(value)), ABSENT)


def instances(schema: Schema, rng: random.Random) -> Iterator[Any]:
    """Samples of a schema, and mixtures of two of its objects."""
    samples = Samples(schema, combined=True).of(schema)
    yield from samples
    dicts = [sample for sample in samples if isinstance(sample, dict)]
    for _ in range(budget(40, 400)):
        if dicts:
            first, second = rng.choice(dicts), rng.choice(dicts)
            yield {**first, **{key: value for key, value in second.items() if rng.random() < 0.5}}


def is_loss(difference: Difference) -> bool:
    return difference.effect in ("narrower", "other")


def schema_of_witness(difference: Difference) -> list[Any]:
    """The path of the schema of which a difference's witness is a value."""
    schema: list[Any] = []
    steps = list(difference.pointer)
    while steps:
        step = steps.pop(0)
        if step in ("properties", "prefixItems", "anyOf", "oneOf", "allOf", "$defs", "patternProperties") and steps:
            schema += [step, steps.pop(0)]
        elif step in ("items", "additionalProperties"):
            schema.append(step)
        else:
            break
    if "parameter" in difference.code:
        return schema[:-2]
    return schema[:-1] if difference.code in ("object-closed", "object-opened") else schema


def with_references(schema: Schema, rng: random.Random) -> Schema:
    """A copy in which objects of some properties became definitions, to which a second property refers as well."""
    copied = copy.deepcopy(schema)
    definitions = copied.setdefault("$defs", {})
    for part in [*objects(copied)]:
        for name, inner in [*part.get("properties", {}).items()] if part is not definitions else []:
            if isinstance(inner, dict) and "$ref" not in inner and len(definitions) < 5 and rng.random() < 0.5:
                key = f"Part{len(definitions)}"
                definitions[key] = inner
                part["properties"][name] = {"$ref": f"#/$defs/{key}"}
                if rng.random() < 0.5:
                    part["properties"][f"other_{name}"] = {"$ref": f"#/$defs/{key}"}
    return copied


def references(schema: Schema) -> set[str]:
    return {inner["$ref"] for inner in objects(schema) if isinstance(inner.get("$ref"), str)}


def is_referring(schema: Schema) -> bool:
    targets = references(schema)
    return bool(targets) and all(target.removeprefix("#/$defs/") in schema.get("$defs", {}) for target in targets)


PARAMETERS = [
    (row["id"], row["parameters"])
    for row in SOUND
    if isinstance(row["parameters"], dict)
    and "(?=" not in json.dumps(row["parameters"])  # a build refuses these patterns
]
REFERRING = [(name, schema) for name, schema in PARAMETERS if is_referring(schema)]
WITHOUT = [(name, schema) for name, schema in PARAMETERS if '"$ref"' not in json.dumps(schema)]


def chosen(rng: random.Random) -> Iterator[tuple[str, Schema]]:
    """Some declarations: without references, with those of their own, and with some that are made here."""
    yield from rng.sample(WITHOUT, 4)
    yield from rng.sample(REFERRING, min(len(REFERRING), 2))
    for name, schema in rng.sample(WITHOUT, 3):
        yield name, with_references(schema, rng)


@pytest.mark.parametrize("seed", range(budget(20, 400)))
def test_errors_have_a_loss_and_losses_have_a_finding(seed: int) -> None:
    rng = random.Random(seed)
    for name, old in chosen(rng):
        new = edited(old, rng)
        for before, after in ((old, new), (new, old)):
            differences = compare_schemas(before, after)
            lost = refused(before, after, instances(before, rng))
            losses = [each for each in differences if is_loss(each)]
            is_told = losses or any(each.effect == "unknown" or each.code == "null-refused" for each in differences)
            assert lost is ABSENT or is_told, (name, lost, before, after)
            for each in losses:
                assert each.witness is not ABSENT or each.code in EXCLUDED_BY_TYPE, (name, each)
                check_witness(each, before, after)


def value_at(root: Any, steps: Iterable[Any]) -> Any:
    """What a path leads to; None if it leads nowhere."""
    for step in steps:
        if isinstance(root, list):
            root = root[step] if isinstance(step, int) and step < len(root) else None
        else:
            root = root.get(step) if isinstance(root, dict) else None
    return root


def schema_at(root: Schema, steps: list[Any]) -> Any:
    """The schema at a path, with the definitions of its root; None if there is none."""
    schema = value_at(root, steps)
    return {**schema, "$defs": root.get("$defs", {})} if isinstance(schema, dict) else None


def check_witness(difference: Difference, old: Schema, new: Schema) -> None:
    """The old schema at the place of a difference admits its witness, and the new one refuses it."""
    if difference.witness is ABSENT:
        return
    if difference.code == "required-parameter-added" and value_at(new, difference.pointer) != difference.after:
        return  # the property is in a definition that did not change, and only another one refers to it now
    schemas = [schema_at(root, schema_of_witness(difference)) for root in (old, new)]
    if not all(isinstance(schema, dict) and '"#"' not in json.dumps(schema) for schema in schemas):
        return  # only one side has this place, or it refers to its root
    if '"format"' in json.dumps(schemas):
        return  # not all formats are checked here, and jsonschema checks those whose packages are installed
    before, after = schemas
    assert validator(before).is_valid(difference.witness), (difference, before)
    assert not validator(after).is_valid(difference.witness), (difference, after)


def test_a_type_of_a_union_that_goes_is_a_change_of_the_union() -> None:
    listed: Schema = {"type": "array", "items": {}}
    old, new = ({"anyOf": [listed, *others, {"type": "null"}]} for others in ([{"type": "integer"}], []))
    (difference,) = compare_schemas(old, new)
    assert (difference.code, difference.pointer) == ("type-narrowed", ())
    check_witness(difference, old, new)


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_objects_that_are_written_as_one_with_a_choice_lose_nothing(keyword: str) -> None:
    declared: Schema = {"type": "object", "properties": {"k": {"type": "string"}, "l": {"type": "string"}}}
    apart = {keyword: [{**declared, "required": [name]} for name in "kl"]}
    together = {**declared, keyword: [{"required": [name]} for name in "kl"]}
    for old, new in ((apart, together), (together, apart)):
        assert [difference for difference in compare_schemas(old, new) if is_loss(difference)] == []


def test_a_type_that_a_union_admits_twice_is_not_lost() -> None:
    texts: Schema = {"enum": ["x", "y"]}
    differences = compare_schemas({"oneOf": [{"oneOf": [{"type": "boolean"}, texts]}, texts]}, {"type": "boolean"})
    assert [difference for difference in differences if is_loss(difference)] == []
