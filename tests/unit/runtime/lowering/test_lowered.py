"""The root, dialect by dialect: one object, whatever the source says there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.dialects import CHECKERS
from tests.support.every_row import over
from tests.unit.runtime.lowering.lowered_schemas import DIALECTS, TEXT, every_dialect, lowered, of
from toolgen_runtime.lowering.lower import lower

ROOTS: dict[str, tuple[Any, str]] = {
    "one of two is needed": (
        {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        "Needs a, or b.",
    ),
    "a union of objects": ({"oneOf": [of(TEXT, "a"), {**of(TEXT), "properties": {"b": TEXT}, "required": ["b"]}]}, "Needs a, or b."),
    "all of two": ({"allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}], "$defs": {"A": {"properties": {"a": TEXT}}, "B": {"properties": {"b": TEXT}}}}, ""),
}  # fmt: skip


TAKING = ("mcp", "copilot", "mistral", "modular_prompt", "prompt")
"""The wires that take a composed root as it is."""


@pytest.mark.parametrize("root", ROOTS)
@over("dialect", {"-".join(name): name for name in CHECKERS if name[0] not in TAKING})
def test_a_composed_root_is_one_object_with_a_sentence(dialect: tuple[str, str], root: str) -> None:
    schema, sentence = ROOTS[root]
    lowering = lowered(schema, dialect)
    assert str(lowering.schema["type"]).lower() == "object"
    if dialect != ("xai", "open") or "anyOf" not in lowering.schema:
        assert not {"anyOf", "oneOf", "allOf"} & lowering.schema.keys()
    assert list(lowering.schema["properties"]) == ["a", "b"]
    if dialect[0] != "ollama":
        assert sentence in lowering.schema.get("description", "")


@pytest.mark.parametrize("schema", [{"type": "object"}, {"type": "object", "properties": {}}, {}], ids=str)
@every_dialect
def test_no_parameters_are_an_object_without_properties(dialect: tuple[str, str], schema: Any) -> None:
    lowering = lowered(schema, dialect)
    assert lowering.schema.get("properties", {}) == {}
    assert not lowering.unsupported_changes


@pytest.mark.parametrize(("schema", "same"), [(True, {}), (False, {"not": {}})], ids=["true", "false"])
@every_dialect
def test_true_and_false_are_lowered_as_the_objects_that_mean_the_same(
    dialect: tuple[str, str], schema: bool, same: dict[str, Any]
) -> None:
    assert lower(schema, DIALECTS[dialect]) == lower(same, DIALECTS[dialect])
