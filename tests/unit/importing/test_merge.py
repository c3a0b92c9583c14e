"""Three values put together, and texts edited so that they say what was wanted."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgen.diagnostics import Findings
from toolgen.importing.merge import find_differences, is_unchanged_json, merge_three_way
from toolgen.importing.yaml_text import dump_declaration, edit_yaml
from toolgen.load import Document
from toolgen.load.loading import read_yaml_value
from toolgen.load.sources import pointer_text
from toolgen.load.text_decoding import FaultReporter
from toolgen.load.yaml_reader import read_yaml_documents

_SETTINGS = settings(deadline=None, max_examples=150, database=None)
_SCALARS: st.SearchStrategy[Any] = st.sampled_from([None, True, False, 0, 1, 1.0, "", "a", "b: c", "x\ny\n", "#", "- "])
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=12,
)
_OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "c", "d", "required"]), _VALUES, min_size=1, max_size=5)


def document(text: str) -> Document:
    (tree,) = read_yaml_documents(text, FaultReporter("x.yaml", Findings()))
    return Document("x.yaml", "x.yaml", 0, tree.value, tree.values, tree.keys)


def test_equality_is_that_of_json() -> None:
    assert is_unchanged_json({"a": 1, "b": [1]}, {"b": [1], "a": 1})
    assert not is_unchanged_json(1, True)
    assert not is_unchanged_json(1, 1.0)
    assert not is_unchanged_json([1, 2], [2, 1])
    assert not is_unchanged_json({"a": None}, {})


def test_differences_are_the_smallest_places() -> None:
    before, after = {"a": {"b": 1, "c": [1]}, "~/": 1}, {"a": {"b": 1, "c": [2]}, "d": 1}
    differences = [(pointer_text(pointer), kind) for pointer, kind in find_differences(before, after)]
    assert differences == [("/a/c", "changed"), ("/~0~1", "removed"), ("/d", "added")]


@given(_OBJECTS, _OBJECTS)
@_SETTINGS
def test_where_one_side_rests_the_other_decides(base: Any, side: Any) -> None:
    for theirs, ours in ((side, base), (base, side), (side, side)):
        result = merge_three_way(base, theirs, ours)
        assert is_unchanged_json(result.value, side)
        assert result.conflicts == []


@given(_OBJECTS, _OBJECTS, _OBJECTS)
@_SETTINGS
def test_no_edit_of_the_author_is_lost(base: Any, theirs: Any, ours: Any) -> None:
    result = merge_three_way(base, theirs, ours)
    for key in {*base, *theirs, *ours} - {"required"}:
        if (
            key in ours
            and (key not in base or not is_unchanged_json(base[key], ours[key]))
            and not isinstance(ours[key], dict)
        ):
            assert is_unchanged_json(result.value[key], ours[key])
        if key not in ours and key in base and not (isinstance(result.value, dict) and key not in result.value):
            raise AssertionError(key)
    assert all(len(pointer) > 0 for pointer in result.conflicts)


@given(_OBJECTS, _OBJECTS)
@_SETTINGS
def test_an_edited_text_says_what_was_wanted_and_keeps_comments(old: Any, new: Any) -> None:
    text = "# first\n" + dump_declaration(old) + "# last\n"
    result = edit_yaml(text, document(text), new)
    if result is not None:
        assert is_unchanged_json(read_yaml_value(result, "x.yaml", Findings()), new)
        assert is_unchanged_json(yaml.safe_load(result), new)
        assert result.startswith("# first\n")
        assert result.endswith("# last\n")


@given(_OBJECTS, st.sampled_from("efgh"), _VALUES)
@_SETTINGS
def test_a_key_that_is_new_changes_no_other_line(old: Any, key: str, value: Any) -> None:
    text = dump_declaration(old)
    assert edit_yaml(text, document(text), {**old, key: value}) == text + dump_declaration({key: value})
