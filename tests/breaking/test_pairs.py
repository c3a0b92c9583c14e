"""A table of pairs of schemas: what is reported of each, where, for whom, and with which witness, in both directions."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from tests.support.generated import shipped_profiles
from toolgen.breaking.changes import Change
from toolgen.breaking.comparison import compare_with
from toolgen.breaking.schema_comparison import ABSENT
from toolgen.diagnostics import Findings

PAIRS: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("pairs.yaml").read_text("utf-8"))

OF_WIRES = ("payload-changed", "portability-worse", "portability-better", "strict-lost", "strict-gained")
"""Changes of what a provider receives: they follow from the others."""


def _parameters(pair: dict[str, Any], side: str) -> Any:
    if pair.get("parameters"):
        return pair[side]
    return {"type": "object", "properties": {"a": pair[side]}, "required": ["a"]}


def _project(folder: Path, side: str) -> Path:
    (folder / "tools").mkdir(parents=True)
    (folder / "toolgen.yaml").write_text("providers: [openai_chat]\n")
    for i, pair in enumerate(PAIRS):
        declaration = {"name": f"tool_{i}", "description": "Do it.", "parameters": _parameters(pair, side)}
        (folder / "tools" / f"t{i}.json").write_text(json.dumps(declaration))
    return folder


@cache
def _changes(direction: str) -> dict[str, list[Change]]:
    """The changes of all pairs in one direction, by tool. The pairs are the tools of one project."""
    with TemporaryDirectory() as folder, shipped_profiles("openai_chat"):
        sides = [_project(Path(folder) / side, side) for side in ("before", "after")]
        old, new = sides if direction == "forth" else reversed(sides)
        findings = Findings()
        comparison = compare_with(new, findings, None, old)
    assert comparison is not None, [finding.message for finding in findings]
    by_tool: dict[str, list[Change]] = {}
    for change in comparison.changes:
        for name in change.tools:
            by_tool.setdefault(name, []).append(change)
    return by_tool


def _reported(change: Change, pair: dict[str, Any]) -> str:
    where = change.where if pair.get("parameters") else change.where.removeprefix("/properties/a") or "-"
    return f"{change.code} {where} {''.join(each[0].upper() for each in change.audiences)}".strip()


ALL = [
    pytest.param(i, direction, id=f"{pair['kind']}: {direction}")
    for i, pair in enumerate(PAIRS)
    for direction in ("forth", "back")
]


@pytest.mark.parametrize(("i", "direction"), ALL)
def test_what_is_reported_of_a_pair(i: int, direction: str) -> None:
    pair = PAIRS[i]
    changes = [
        change
        for change in _changes(direction).get(f"tool_{i}", [])
        if change.code not in (*OF_WIRES, "composition-rewritten")
    ]
    assert sorted(_reported(change, pair) for change in changes) == sorted(pair[direction])
    assert len({change.id for change in changes}) == len(changes)


def _schema_pointer(change: Change) -> str:
    """The path of the schema that a change's witness is a value of."""
    steps = change.where.split("/")[1:]
    schema: list[str] = []
    while steps:
        step = steps.pop(0)
        if step in ("properties", "prefixItems", "anyOf", "oneOf", "allOf", "$defs", "patternProperties") and steps:
            schema += [step, steps.pop(0)]
        elif step in ("items", "additionalProperties"):
            schema.append(step)
        else:
            break
    if change.code.endswith(("-added", "-required", "-removed")) and "parameter" in change.code:
        schema = schema[:-2]
    if change.code in ("object-closed", "object-opened"):
        schema = schema[:-1]
    return "".join(f"/{step}" for step in schema)


def _admits(root: Any, pointer: str, value: Any) -> bool | None:
    """Whether the schema at a path of a root admits a value; None where the root has no such schema."""
    registry = Registry().with_resource("urn:root", DRAFT202012.create_resource(root))
    validator = Draft202012Validator(
        {"$ref": f"urn:root#{pointer}"}, registry=registry, format_checker=Draft202012Validator.FORMAT_CHECKER
    )
    try:
        return validator.is_valid(value)
    except Unresolvable:
        return None


@pytest.mark.parametrize(("i", "direction"), ALL)
def test_a_witness_was_admitted_and_is_refused(i: int, direction: str) -> None:
    old, new = ("before", "after") if direction == "forth" else ("after", "before")
    for change in _changes(direction).get(f"tool_{i}", []):
        if change.witness is ABSENT or change.where.startswith("/$defs"):
            continue
        pointer = _schema_pointer(change)
        assert _admits(_parameters(PAIRS[i], old), pointer, change.witness) in (True, None), change
        assert _admits(_parameters(PAIRS[i], new), pointer, change.witness) in (False, None), change
