"""Parameters that are a choice of objects: the arguments are a union of classes, which accepts what JSON Schema does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from tests.support.generated import Package
from tests.support.package import write_package
from tests.support.sources import tool

TEXT = {"type": "string"}


def branch(**properties: Any) -> dict[str, Any]:
    """An object that requires all its properties."""
    return {"type": "object", "properties": properties, "required": list(properties)}


CARD, IBAN = branch(kind={"const": "card"}, number=TEXT), branch(kind={"const": "iban"}, iban=TEXT)
NOT = branch(kind={"const": "not"}, inner={"$ref": "#"})
CHOICE = {"oneOf": [CARD, {"$ref": "#/$defs/Iban"}]}
DEFINITIONS = {"$defs": {"Iban": IBAN, "Payment": CHOICE, "Map": {"type": "object", "additionalProperties": TEXT}}}
OPEN_A, OPEN_B = {"properties": {"a": TEXT}, "required": ["a"]}, {"properties": {"b": TEXT}, "required": ["b"]}

SHARED = {"type": "object", "properties": {"z": TEXT}, "required": ["z"]}
KINDS = {"type": "object", "properties": {"kind": {"type": "string", "enum": ["card", "iban"]}}, "required": ["kind"]}
OPEN_CARD, OPEN_IBAN = ({key: value for key, value in each.items() if key != "type"} for each in (CARD, IBAN))

UNIONS: dict[str, tuple[Any, list[str]]] = {
    "tagged": ({"oneOf": [CARD, IBAN]}, ["PayCard", "PayIban"]),
    "typed": ({"type": "object", "anyOf": [CARD, IBAN]}, ["PayCard", "PayIban"]),
    "referred_branch": ({**CHOICE, **DEFINITIONS}, ["PayCard", "PayIban"]),
    "referred": ({"$ref": "#/$defs/Payment", **DEFINITIONS}, ["PayCard", "PayIban"]),
    "combined": ({"type": "object", "allOf": [{"$ref": "#/$defs/Payment"}], **DEFINITIONS}, ["PayCard", "PayIban"]),
    "recursive": ({"oneOf": [NOT, CARD]}, ["PayNot", "PayCard"]),
    "overlapping": ({"anyOf": [branch(a=TEXT, n={"type": "integer"}), branch(a=TEXT)]}, ["PayOption1", "PayOption2"]),
    "exclusive": ({"oneOf": [branch(a=TEXT), branch(b=TEXT)]}, ["PayA", "PayB"]),
    "untyped": ({"anyOf": [OPEN_A, OPEN_B]}, ["PayA", "PayB"]),
    "untyped_exclusive": ({"oneOf": [OPEN_A, OPEN_B]}, ["PayA", "PayB"]),
    "untyped_branches": ({"type": "object", "oneOf": [OPEN_A, OPEN_B], "maxProperties": 1}, ["PayA", "PayB"]),
    "without_properties": (
        {"anyOf": [branch(a={"type": "integer"}), {"type": "object", "additionalProperties": False}]},
        ["PayOption1", "PayOption2"],
    ),
    "map": ({"anyOf": [branch(a={"type": "integer"}), {"$ref": "#/$defs/Map"}], **DEFINITIONS}, ["PayOption1", "PayMap"]),
    "shared": ({**SHARED, "oneOf": [OPEN_A, OPEN_B]}, ["PayA", "PayB"]),
    "shared_with_rules": ({**SHARED, "anyOf": [OPEN_A, branch(b=TEXT)], "maxProperties": 2}, ["PayA", "PayB"]),
    "shared_with_references": ({**SHARED, "oneOf": [CARD, {"$ref": "#/$defs/Iban"}], **DEFINITIONS}, ["PayCard", "PayIban"]),
    "shared_tag": ({**KINDS, "oneOf": [OPEN_CARD, OPEN_IBAN]}, ["PayCard", "PayIban"]),
    "shared_twice": ({**SHARED, "anyOf": [branch(z={"minLength": 2}, a=TEXT), OPEN_B]}, ["PayOption1", "PayOption2"]),
    "shared_constant": (
        {"type": "object", "properties": {"n": {"const": 1}}, "anyOf": [{"properties": {"n": {"const": True}, "a": TEXT}}, OPEN_B]},
        ["PayTrue", "Pay1"],
    ),
    "shared_and_recursive": ({**SHARED, "anyOf": [branch(inner={"$ref": "#"}), OPEN_B]}, ["PayInner", "PayB"]),
    "intersection": ({"allOf": [SHARED, {"anyOf": [OPEN_A, OPEN_B]}]}, ["PayA", "PayB"]),
    "intersection_of_references": (
        {"allOf": [{"$ref": "#/$defs/Shared"}, {"$ref": "#/$defs/Payment"}], "$defs": {**DEFINITIONS["$defs"], "Shared": SHARED}},
        ["PayCard", "PayIban"],
    ),
    "intersection_beside_properties": ({**SHARED, "allOf": [{"oneOf": [OPEN_A, OPEN_B]}]}, ["PayA", "PayB"]),
    "intersection_of_three": (
        {"allOf": [SHARED, {"type": "object", "properties": {"z": {"minLength": 2}}}, {"anyOf": [OPEN_A, OPEN_B]}]}, ["PayA", "PayB"]
    ),
    "required_only": ({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, ["PayOption1", "PayOption2"]),
}  # fmt: skip

VALUES: list[Any] = [
    {}, {"kind": "card", "number": "1"}, {"kind": "card"}, {"kind": "iban", "iban": "x"}, {"kind": "iban", "iban": 1},
    {"kind": "other"}, {"kind": "not", "inner": {"kind": "card", "number": "1"}}, {"kind": "not", "inner": {}},
    {"a": "x"}, {"a": 1}, {"b": "x"}, {"a": "x", "b": "x"}, {"a": "x", "n": 1}, {"a": "x", "n": "1"}, {"z": "x"},
    {"z": "x", "a": "x"}, {"z": "x", "b": "x"}, {"z": "x", "a": "x", "b": "x"}, {"z": 1, "a": "x"}, {"z": "xy", "a": "x"},
    {"z": "x", "kind": "card", "number": "1"}, {"z": "x", "kind": "iban", "iban": "x"}, {"z": "x", "kind": "iban"},
    {"z": "x", "inner": {"z": "x", "b": "x"}}, {"z": "x", "inner": {"b": "x"}}, {"z": "x", "a": 1, "b": "x"},
    {"n": True}, {"n": 1}, {"n": 1, "b": "x"}, {"n": True, "b": "x"},
    [], [1], "x", 1, None,
]  # fmt: skip


@pytest.mark.parametrize("case", UNIONS)
def test_a_choice_of_objects_is_a_union_of_classes(case: str, tmp_path: Path) -> None:
    parameters, names = UNIONS[case]
    package = write_package({"tools/pay.json": tool(parameters, "pay")}, tmp_path)
    text = (package / "tools/pay.py").read_text("utf-8")
    built = Package({}, tmp_path, package.rename(tmp_path / f"root_{case}").name)
    tools, module = built.module("tools"), built.module("tools.pay")
    union = (
        module.PayArguments if get_args(get_args(module.PayArguments)[0]) == () else get_args(module.PayArguments)[0]
    )

    assert [member.__name__ for member in get_args(union)] == names
    assert text.count(" return 'exactly one of") <= 1
    entry = tools.TOOL_SET.entries["pay"]
    validator = Draft202012Validator(parameters)
    for value in VALUES:
        if not validator.is_valid(value):
            with pytest.raises(tools.ArgumentsError):
                tools.parse_arguments("pay", json.dumps(value))
            continue
        model = tools.parse_arguments("pay", json.dumps(value))
        assert model.model_dump(mode="json", by_alias=True, exclude_unset=True) == value
        assert entry.is_model(model) == isinstance(value, dict)


def test_a_fault_is_that_of_the_branch(tmp_path: Path) -> None:
    package = write_package({"tools/pay.json": tool({"oneOf": [CARD, IBAN]}, "pay")}, tmp_path)
    tools = Package({}, tmp_path, package.rename(tmp_path / "root_faults").name).module("tools")
    faults = {}
    for text in ('{"kind": "card"}', '{"kind": "x"}', "{}", "[]"):
        with pytest.raises(tools.ArgumentsError) as caught:
            tools.parse_arguments("pay", text)
        faults[text] = str(caught.value)

    assert faults == {
        '{"kind": "card"}': "/number: expected a value, found nothing",
        '{"kind": "x"}': "/kind: expected 'card', 'iban', found string",
        "{}": "/kind: expected a value, found nothing",
        "[]": "(root): expected an object, found array",
    }


CLASSES: dict[str, Any] = {
    "closed": {**SHARED, "anyOf": [OPEN_A, OPEN_B], "additionalProperties": False},
    "intersection_with_closed": {"allOf": [{**SHARED, "additionalProperties": False}, {"anyOf": [OPEN_A, OPEN_B]}]},
    "intersection_of_choices": {"allOf": [SHARED, {"anyOf": [OPEN_A, OPEN_B]}, {"anyOf": [branch(n=TEXT), OPEN_B]}]},
    "closed_branch": {**SHARED, "anyOf": [{**OPEN_A, "additionalProperties": False}, OPEN_B]},
    "unevaluated": {**SHARED, "anyOf": [OPEN_A, OPEN_B], "unevaluatedProperties": False},
    "no_further_properties": {
        "type": "object", "properties": {"z": TEXT, "a": TEXT, "b": TEXT}, "anyOf": [OPEN_A, OPEN_B],
    },
    "required_only": {**SHARED, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    "values": {**SHARED, "anyOf": [OPEN_A, {"properties": {"b": TEXT}, "const": {"z": "x"}}]},
    "two_choices": {**SHARED, "anyOf": [OPEN_A, OPEN_B], "oneOf": [branch(kind={"const": "card"}), branch(n=TEXT)]},
}  # fmt: skip


@pytest.mark.parametrize("case", CLASSES)
def test_shared_properties_that_a_choice_depends_on_are_a_class_with_a_check(case: str, tmp_path: Path) -> None:
    parameters = CLASSES[case]
    package = write_package({"tools/pay.json": tool(parameters, "pay")}, tmp_path)
    built = Package({}, tmp_path, package.rename(tmp_path / f"class_{case}").name)
    tools = built.module("tools")
    assert isinstance(built.module("tools.pay").PayArguments, type)
    validator = Draft202012Validator(parameters)
    for value in VALUES:
        if not validator.is_valid(value):
            with pytest.raises(tools.ArgumentsError):
                tools.parse_arguments("pay", json.dumps(value))
        else:
            model = tools.parse_arguments("pay", json.dumps(value))
            assert model.model_dump(mode="json", by_alias=True, exclude_unset=True) == value


def test_nested_and_shared_choices_with_shared_properties_are_unions_of_classes(tmp_path: Path) -> None:
    choice = {**SHARED, "oneOf": [OPEN_A, OPEN_B]}
    properties = {
        "own": choice,
        "combined": {"allOf": [SHARED, {"oneOf": [OPEN_A, OPEN_B]}]},
        "listed": {"type": "array", "items": {"$ref": "#/$defs/Local"}},
        "shared": {"$ref": "../types/shared.json"},
        "tagged": {"oneOf": [{"$ref": "../types/tagged.json"}, branch(kind={"const": "none"})]},
    }
    parameters = {"type": "object", "properties": properties, "$defs": {"Local": choice}}
    tagged = {**KINDS, "oneOf": [OPEN_CARD, OPEN_IBAN]}
    sources = {
        "tools/pay.json": tool(parameters, "pay"), "types/shared.json": json.dumps(choice), "types/tagged.json": json.dumps(tagged)
    }  # fmt: skip
    package = write_package(sources, tmp_path)
    built = Package({}, tmp_path, package.rename(tmp_path / "nested_choices").name)
    tools = built.module("tools")
    good, both = {"z": "x", "b": "y"}, {"z": "x", "a": "x", "b": "x"}
    for value in ({"own": good}, {"combined": good}, {"listed": [good]}, {"shared": good}):
        model = tools.parse_arguments("pay", json.dumps(value))
        field = getattr(model, next(iter(value)))
        instance = field[0] if isinstance(field, list) else field
        assert (instance.z, instance.b) == ("x", "y")
    card = tools.parse_arguments("pay", json.dumps({"tagged": {"kind": "card", "number": "1"}})).tagged
    assert (card.kind, card.number) == ("card", "1")
    for wrong in (
        {"own": both},
        {"combined": both},
        {"listed": [both]},
        {"shared": both},
        {"shared": {"b": "x"}},
        {"tagged": {"kind": "iban"}},
    ):
        with pytest.raises(tools.ArgumentsError):
            tools.parse_arguments("pay", json.dumps(wrong))
