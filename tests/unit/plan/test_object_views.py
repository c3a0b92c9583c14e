"""Views of objects: a choice with shared properties accepts the same values when each choice has these properties."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from toolgen.plan.object_views import distributed

_PROPERTIES: list[Any] = [
    {}, True, {"type": "string"}, {"const": "a"}, {"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]},
    {"enum": ["a", 1]}, {"const": 1}, {"const": True}, {"const": 1.0}, {"type": "number"}, {"minLength": 2},
]  # fmt: skip


def _objects(names: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"properties": st.dictionaries(st.sampled_from(names), st.sampled_from(_PROPERTIES), min_size=1)},
        optional={
            "type": st.sampled_from(["object", ["object", "null"]]),
            "required": st.lists(st.sampled_from(names), unique=True, max_size=2),
        },
    )


@st.composite
def _choices(draw: st.DrawFn) -> dict[str, Any]:
    shared = draw(_objects("zka")) | {"type": "object"}
    return {
        **shared,
        draw(st.sampled_from(["anyOf", "oneOf"])): draw(st.lists(_objects("abk"), min_size=2, max_size=3)),
    }


_VALUES = st.dictionaries(st.sampled_from("abkzq"), st.sampled_from(["a", "b", "aaa", 1, True, None]))


_ONE_OR_TRUE = {
    "type": "object", "properties": {"a": {"const": 1}},
    "anyOf": [{"properties": {"b": {"type": "number"}}, "required": ["b"]}, {"properties": {"a": {"const": True}}}],
}  # fmt: skip
"""Two constants that are equal in Python."""


@example(_ONE_OR_TRUE, [{"a": True}, {"a": 1}, {"a": 1, "b": 1}])
@given(_choices(), st.lists(_VALUES, min_size=10, max_size=20))
def test_a_choice_with_shared_properties_accepts_the_same_values(schema: dict[str, Any], values: list[Any]) -> None:
    before, after = Draft202012Validator(schema), Draft202012Validator(distributed(schema, lambda ref: schema))
    assert [before.is_valid(value) for value in values] == [after.is_valid(value) for value in values]
