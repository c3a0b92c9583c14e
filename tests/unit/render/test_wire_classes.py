"""Classes of hosts: what a class states of itself, and what it inherits."""

from __future__ import annotations

from typing import Any

import pytest

from toolgen.plan.wires import ClassAttribute
from toolgen.render.wires import Method, WireClass, make_merge_patch
from toolgen_runtime.json_values import apply_merge_patch


@pytest.mark.parametrize(
    ("base", "value", "patch"),
    [
        ({"a": 1}, {"a": 1}, {}),
        ({"a": 1, "b": 2}, {"a": 1}, {"b": None}),
        ({"a": 1}, {"a": 1.0}, {"a": 1.0}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 3, "d": [4]}}, {"a": {"b": None, "c": 3, "d": [4]}}),
        ({"a": {"b": 1}}, {"a": {}}, {"a": {"b": None}}),
        ({"a": [1, 2]}, {"a": [1]}, {"a": [1]}),
    ],
)
def test_a_patch_has_what_differs(base: dict[str, Any], value: dict[str, Any], patch: dict[str, Any]) -> None:
    assert make_merge_patch(base, value) == patch
    assert apply_merge_patch(base, patch) == value


@pytest.mark.parametrize(
    ("base", "value"),
    [
        ({"a": 1}, {"a": None}),
        ({"a": 1}, {"b": 2, "a": 1}),
        ({"a": {"b": 1}}, {"a": {"c": 2, "b": 1}}),
        ({"a": 1}, {"b": {"c": None}}),
        (["a"], ["b"]),
    ],
)
def test_no_patch_writes_a_null_or_puts_a_key_before_others(base: Any, value: Any) -> None:
    assert make_merge_patch(base, value) is None


def a_class(name: str, converter: str = "ChatConverter", **attributes: Any) -> WireClass:
    facts = {key: ClassAttribute(key, value, "ClassVar[Any]") for key, value in attributes.items()}
    methods = {"read_tool": Method("read_tool", (), "None", "Read.", ("return self.TOOL_NAME",))}
    return WireClass(name, converter, {"name": name.lower(), "title": name, "names": "[a-z]"}, facts, methods)


HUB = a_class("Hub", ERRORS={"words": {f"error_{i}": "server" for i in range(9)}}, TOOL_NAME={"most": 5})


def test_a_host_states_only_what_differs() -> None:
    words = {**HUB.attributes["ERRORS"].value["words"], "broken": "server"}
    host = a_class("Host", ERRORS={"words": words}, TOOL_NAME={"most": 5}).derived_from(HUB)
    assert host is not None
    assert (host.bases, host.methods) == (["Hub"], {})
    assert host.attribute_lines == [
        'FACTS = Hub.FACTS.patched(name="host", title="Host", )',
        'ERRORS: ClassVar[Any] = apply_merge_patch(Hub.ERRORS, {"words": {"broken": "server"}})',
    ]


def test_an_inherited_method_works_with_the_table_of_the_host() -> None:
    host = a_class("Host", ERRORS=HUB.attributes["ERRORS"].value, TOOL_NAME={"most": 7}).derived_from(HUB)
    assert host is not None
    assert host.methods == {}
    assert host.attribute_lines[1:] == ['TOOL_NAME: ClassVar[Any] = {"most": 7}']


def test_a_class_with_less_than_another_one_is_not_derived_from_it() -> None:
    assert a_class("Host", TOOL_NAME={"most": 5}).derived_from(HUB) is None
    assert a_class("Host", "AnthropicConverter", ERRORS={}).derived_from(HUB) is None


def test_a_table_that_no_method_of_the_host_uses_may_be_missing() -> None:
    assert a_class("Host", ERRORS={}).derived_from(HUB) is not None
