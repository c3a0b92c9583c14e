"""The rule of extras: what would be written differently comes back as it was, while it means the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.budgets import budget
from tests.support.strategies import VALUES
from toolgen_runtime.conversion import objects, rule_of_extras
from toolgen_runtime.conversion.extras import ABSENT, UnsupportedValueError
from toolgen_runtime.conversion.objects import SourceObject, TargetObject
from toolgen_runtime.conversion.reader import Reader
from toolgen_runtime.conversion.wire import DeclaredToolFacts, ProviderWire, WireFacts
from toolgen_runtime.conversion.writer import Writer
from toolgen_runtime.errors import ConversionError, wrong_type
from toolgen_runtime.json_values import same_json
from toolgen_runtime.models import Loss
from toolgen_runtime.paths import ROOT

WIRE = ProviderWire(WireFacts("some", "Some", "[a-z]+", 20), DeclaredToolFacts())
NOTHING = frozenset[str]()

Pair = tuple[Callable[..., Any], Callable[..., Any]]
Metadata = dict[str, Any] | None


def read(wire: dict[str, Any], pair: Pair, *keys: str) -> tuple[Any, Metadata]:
    """The fields of an object by a pair, and the metadata, which is stored as JSON in between."""
    keys = keys or ("k",)
    source = SourceObject(wire, ROOT, Reader(WIRE), frozenset(keys))
    field = source.field(keys[0], *pair) if len(keys) == 1 else source.fields(keys, *pair)
    return field, json.loads(json.dumps(source.metadata()))


def write(field: Any, metadata: Metadata, pair: Pair, *keys: str) -> tuple[dict[str, Any], list[Loss]]:
    """The object that fields become, and what is reported. The metadata is the same afterwards."""
    keys, before, losses = keys or ("k",), json.dumps(metadata), list[Loss]()
    target = TargetObject(metadata, ROOT, Writer(WIRE, losses.append, "weaken"))
    if len(keys) == 1:
        target.field(keys[0], field, "field", *pair)
    else:
        target.fields(keys, field, "field", *pair)
    wire = target.finish()
    assert json.dumps(metadata) == before
    return wire, losses


def same_after(wire: dict[str, Any], pair: Pair, *keys: str) -> bool:
    """Return whether an object comes back, twice, and nothing is reported of it."""
    field, metadata = read(wire, pair, *keys)
    written = [write(field, metadata, pair, *keys) for _ in range(2)]
    return all(same_json(back, wire) and not losses for back, losses in written)


def read_lower(value: Any, at: Any, reader: Reader) -> str | None:
    """A text, in any case on the wire."""
    if value is None or value is ABSENT:
        return None
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    return value.lower()


def write_lower(text: str | None, at: Any, writer: Writer) -> Any:
    return ABSENT if text is None else text


LOWER = (read_lower, write_lower)


def read_texts(value: Any, at: Any, reader: Reader) -> list[Any] | None:
    """A list, which may be a single value on the wire."""
    if value is None or value is ABSENT:
        return None
    return value if type(value) is list else [value]


def write_texts(texts: list[Any] | None, at: Any, writer: Writer) -> Any:
    return ABSENT if texts is None else texts


TEXTS = (read_texts, write_texts)


def read_with_default(value: Any, at: Any, reader: Reader) -> Any:
    """A value that is "auto" unless it is said."""
    return "auto" if value is None or value is ABSENT else value


def write_with_default(value: Any, at: Any, writer: Writer) -> Any:
    return ABSENT if value is None else value


DEFAULT = (read_with_default, write_with_default)


def read_number(value: Any, at: Any, reader: Reader) -> Any:
    return None if value is ABSENT else value


def write_number(number: Any, at: Any, writer: Writer) -> Any:
    """A number, at most 10."""
    if type(number) in (int, float) and number > 10:
        writer.report_loss(at, "a number", "narrowed", "the API has none above 10")
        return 10
    return ABSENT if number is None else number


NUMBER = (read_number, write_number)


def read_url(value: Any, at: Any, reader: Reader) -> Any:
    """The URL of an object."""
    return value.get("url") if type(value) is dict else None


def write_url(url: Any, at: Any, writer: Writer) -> Any:
    return ABSENT if url is None else {"url": url}


URL = (read_url, write_url)


def read_refused(value: Any, at: Any, reader: Reader) -> Any:
    return None if value is ABSENT else value


def write_refused(value: Any, at: Any, writer: Writer) -> Any:
    """A value, if it is a text."""
    if value is not None and type(value) is not str:
        raise UnsupportedValueError("it is not a text")
    return ABSENT if value is None else value


REFUSED = (read_refused, write_refused)


def read_nothing(value: Any, at: Any, reader: Reader) -> None:
    """Nothing, whatever the wire has."""


def write_nothing(field: None, at: Any, writer: Writer) -> Any:
    return ABSENT


NOTHING_READ = (read_nothing, write_nothing)


def read_kind(value: Any, at: Any, reader: Reader) -> str:
    """Only the name of the type."""
    return type(value).__name__


def write_kind(kind: str, at: Any, writer: Writer) -> Any:
    return {"str": "", "list": [], "dict": {}, "int": 0, "NoneType": None}.get(kind, ABSENT)


KIND = (read_kind, write_kind)

LOSSY = {
    "texts": TEXTS,
    "default": DEFAULT,
    "number": NUMBER,
    "url": URL,
    "refused": REFUSED,
    "nothing": NOTHING_READ,
    "kind": KIND,
}
"""Pairs that read every value, and write many of them differently."""


# A value that is spelled differently


@pytest.mark.parametrize("text", ["low", "LOW", "Low", ""])
def test_a_spelling_comes_back(text: str) -> None:
    field, metadata = read({"k": text}, LOWER)
    assert (field, metadata) == (text.lower(), None if text == text.lower() else {"some": {"k": {"$whole": text}}})
    assert same_after({"k": text}, LOWER)


def test_an_edited_field_wins() -> None:
    _, metadata = read({"k": "LOW"}, LOWER)
    assert write("high", metadata, LOWER) == ({"k": "high"}, [])
    assert write(None, metadata, LOWER) == ({}, [])


@pytest.mark.parametrize(("value", "edited"), [(1, 1.0), (1.0, 1), (1, True), (True, 1), (0, False), ("1", 1)])
def test_an_edit_to_a_value_that_python_calls_equal_is_an_edit(value: Any, edited: Any) -> None:
    field, metadata = read({"k": value}, TEXTS)
    assert (field, metadata) == ([value], {"some": {"k": {"$whole": value}}})
    back, _ = write([edited], metadata, TEXTS)
    assert same_json(back, {"k": [edited]})


def test_an_edit_inside_a_list_is_an_edit() -> None:
    field, metadata = read({"k": {"a": [1]}}, TEXTS)
    assert write([{"a": [2]}], metadata, TEXTS)[0] == {"k": [{"a": [2]}]}
    assert write([*field, "b"], metadata, TEXTS)[0] == {"k": [{"a": [1]}, "b"]}
    back, _ = write([{"a": [1.0]}], metadata, TEXTS)
    assert same_json(back, {"k": [{"a": [1.0]}]})


def test_a_value_of_the_wrong_type_is_an_error_at_its_path() -> None:
    with pytest.raises(ConversionError, match=r"^k: must be a string"):
        read({"k": 5}, LOWER)


# Absent and null


def test_an_absent_key_stays_absent() -> None:
    assert read({}, LOWER) == (None, None)
    assert same_after({}, LOWER)


def test_an_absent_key_with_a_default_stays_absent() -> None:
    assert read({}, DEFAULT) == ("auto", {"some": {"k": {"$absent": True}}})
    assert same_after({}, DEFAULT)
    _, metadata = read({}, DEFAULT)
    assert write("none", metadata, DEFAULT) == ({"k": "none"}, [])


def test_a_default_that_is_spelled_out_stays() -> None:
    assert read({"k": "auto"}, DEFAULT) == ("auto", None)
    assert same_after({"k": "auto"}, DEFAULT)


@pytest.mark.parametrize("pair", LOSSY.values(), ids=LOSSY)
def test_a_null_comes_back(pair: Pair) -> None:
    assert read({"k": None}, pair)[1] == {"some": {"k": None}}
    assert same_after({"k": None}, pair)


def test_a_field_that_was_null_may_be_set() -> None:
    for pair in (LOWER, DEFAULT):
        assert write("x", read({"k": None}, pair)[1], pair) == ({"k": "x"}, [])


# Keys of an object that are not read


def test_keys_that_are_not_read_stand_under_their_own_names() -> None:
    wire = {"k": {"url": "u", "detail": "high", "$odd": 1}}
    field, metadata = read(wire, URL)
    assert (field, metadata) == ("u", {"some": {"k": {"detail": "high", "$$odd": 1, "$read": True}}})
    assert same_after(wire, URL)
    assert write("v", metadata, URL) == ({"k": {"url": "v", "detail": "high", "$odd": 1}}, [])


def test_keys_that_are_not_read_go_with_the_field() -> None:
    _, metadata = read({"k": {"url": "u", "detail": "high"}}, URL)
    assert write(None, metadata, URL) == ({}, [])


def test_another_provider_reports_keys_that_are_not_read() -> None:
    _, metadata = read({"k": {"url": "u", "detail": "high"}}, URL)
    losses: list[Loss] = []
    wire = ProviderWire(WireFacts("alien", "Alien", "[a-z]+", 20), DeclaredToolFacts())
    target = TargetObject(metadata, ROOT, Writer(wire, losses.append, "weaken"))
    target.field("k", "u", "field", *URL)
    assert target.finish() == {"k": {"url": "u"}}
    assert [loss.what for loss in losses] == ["detail"]


@pytest.mark.parametrize("detail", [None, "", [], {}])
def test_a_key_that_says_nothing_is_only_a_spelling(detail: Any) -> None:
    wire = {"k": {"url": "u", "detail": detail}}
    assert read(wire, URL)[1] == {"some": {"k": {"$whole": wire["k"]}}}
    assert same_after(wire, URL)


@pytest.mark.parametrize("value", [5, "text", [1], {"x": 1}, False])
def test_a_value_of_which_nothing_is_read_stands_as_it_is(value: Any) -> None:
    assert read({"k": value}, NOTHING_READ) == (None, {"some": {"k": value}})
    assert same_after({"k": value}, NOTHING_READ)


# Several keys


def read_sized(wire: dict[str, Any], at: Any, reader: Reader) -> tuple[Any, Any]:
    """A size and its unit, which is `cm` unless it is said."""
    size = wire.get("size")
    return size, wire.get("unit") or (None if size is None else "cm")


def write_sized(size: Any, unit: Any, at: Any, writer: Writer) -> dict[str, Any]:
    return {key: value for key, value in (("size", size), ("unit", unit)) if value is not None}


SIZED = (read_sized, write_sized)
SEVERAL = [
    {},
    {"size": 1},
    {"unit": "m"},
    {"size": 1, "unit": "cm"},
    {"size": 1, "unit": ""},
    {"size": 1, "unit": None},
    {"size": None, "unit": None},
    {"size": {"a": 1}, "unit": [], "more": 1},
]


@pytest.mark.parametrize("wire", SEVERAL, ids=str)
def test_several_keys_come_back(wire: dict[str, Any]) -> None:
    assert same_after(wire, SIZED, "size", "unit")


def test_of_several_keys_each_has_its_extra() -> None:
    assert read({"size": 1}, SIZED, "size", "unit")[1] == {"some": {"unit": {"$absent": True}}}
    assert read({"size": 1, "unit": ""}, SIZED, "size", "unit")[1] == {"some": {"unit": {"$whole": ""}}}


def test_fields_of_several_keys_win_once_one_of_them_is_edited() -> None:
    _, metadata = read({"size": 1}, SIZED, "size", "unit")
    assert write((2, "m"), metadata, SIZED, "size", "unit") == ({"size": 2, "unit": "m"}, [])
    assert write((None, None), metadata, SIZED, "size", "unit") == ({}, [])
    _, metadata = read({"size": 1, "unit": None}, SIZED, "size", "unit")
    assert write((1, "m"), metadata, SIZED, "size", "unit") == ({"size": 1, "unit": "m"}, [])


# Losses


def test_nothing_is_reported_of_what_was_read_and_is_unchanged() -> None:
    assert read({"k": 11}, NUMBER) == (11, {"some": {"k": {"$whole": 11}}})
    assert same_after({"k": 11}, NUMBER)


def test_a_value_that_is_only_reported_is_not_reported_again() -> None:
    def write_noted(value: Any, at: Any, writer: Writer) -> Any:
        writer.report_loss(at, "a value", "narrowed", "the API ignores half of it")
        return value

    assert read({"k": 5}, (read_number, write_noted)) == (5, {"some": {"k": {"$whole": 5}}})
    assert same_after({"k": 5}, (read_number, write_noted))


def test_a_loss_is_reported_once_the_field_is_edited() -> None:
    _, metadata = read({"k": 11}, NUMBER)
    back, losses = write(12, metadata, NUMBER)
    assert (back, [(loss.path, loss.action) for loss in losses]) == ({"k": 10}, [("field", "narrowed")])


def test_a_loss_is_reported_of_a_value_that_was_never_read() -> None:
    assert len(write(11, None, NUMBER)[1]) == 1


def test_a_value_that_cannot_be_written_comes_back() -> None:
    assert read({"k": 5}, REFUSED) == (5, {"some": {"k": {"$whole": 5}}})
    assert same_after({"k": 5}, REFUSED)
    with pytest.raises(UnsupportedValueError):
        write(6, read({"k": 5}, REFUSED)[1], REFUSED)


# Laws

KEPT = st.dictionaries(st.just("k"), VALUES, max_size=1)
SLOWER = settings(max_examples=budget(25, 300), derandomize=budget(True, False))


@pytest.mark.parametrize("pair", LOSSY.values(), ids=LOSSY)
@SLOWER
@given(wire=KEPT)
def test_every_value_comes_back(pair: Pair, wire: dict[str, Any]) -> None:
    assert same_after(wire, pair)


MARKED = {
    "read, a mark beside it": (URL, {"k": {"url": 1, "$whole": 2}}),
    "read, a mark inside": (URL, {"k": {"url": {"$absent": True}}}),
    "not read, a mark inside": (URL, {"k": {"url": 1, "a": {"$whole": 1}}}),
    "not read, a mark deeper inside": (URL, {"k": {"url": 1, "a": {"b": {"$whole": 1}}}}),
    "nothing read, a mark": (NOTHING_READ, {"k": {"$whole": 1}}),
    "nothing read, the mark of what is read": (NOTHING_READ, {"k": {"$read": True}}),
    "nothing read, a mark inside": (NOTHING_READ, {"k": {"a": {"$absent": True}}}),
    "beside the key": (LOWER, {"k": "a", "x": {"$whole": 1}}),
}
"""Objects that have the name of a mark as a key."""


@pytest.mark.parametrize(("pair", "wire"), MARKED.values(), ids=MARKED)
def test_an_object_with_the_name_of_a_mark_as_a_key_comes_back(pair: Pair, wire: dict[str, Any]) -> None:
    assert same_after(wire, pair)


@SLOWER
@given(wire=st.dictionaries(st.sampled_from(["size", "unit", "more"]), VALUES, max_size=3))
def test_every_object_of_several_keys_comes_back(wire: dict[str, Any]) -> None:
    assert same_after(wire, SIZED, "size", "unit")


MARKS = ["$absent", "$whole", "$read", "$around", "$as", "$$", "$", "k", "url", "size", "unit"]
DAMAGED: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 12) | st.sampled_from(["", "a", "A", "auto"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(MARKS), inner, max_size=3),
    max_leaves=8,
)
FIELDS = {
    "lower": (LOWER, st.none() | st.sampled_from(["a", "b"])),
    "texts": (TEXTS, st.none() | st.lists(st.integers(-2, 2), max_size=2)),
    "default": (DEFAULT, st.sampled_from(["auto", "a", 1])),
    "number": (NUMBER, st.none() | st.integers(-2, 10)),
    "url": (URL, st.none() | st.sampled_from(["a", "A"])),
}


@pytest.mark.parametrize(("pair", "values"), FIELDS.values(), ids=FIELDS)
@SLOWER
@given(data=st.data(), damaged=st.dictionaries(st.sampled_from(MARKS), DAMAGED) | DAMAGED)
def test_damaged_extras_never_win(
    pair: Pair, values: st.SearchStrategy[Any], data: st.DataObject, damaged: Any
) -> None:
    field = data.draw(values)
    back, _ = write(field, {"some": damaged}, pair)
    assert same_json(read(back, pair)[0], field)


@SLOWER
@given(
    damaged=st.dictionaries(st.sampled_from(MARKS), DAMAGED) | DAMAGED,
    field=st.sampled_from([(None, None), (1, "cm"), (1, "m")]),
)
def test_damaged_extras_of_several_keys_never_win(damaged: Any, field: tuple[Any, Any]) -> None:
    back, _ = write(field, {"some": damaged}, SIZED, "size", "unit")
    assert read(back, SIZED, "size", "unit")[0] == field


def read_place(value: Any, at: Any, reader: Reader) -> tuple[Any, Any]:
    """A URL, else data. Data beside a URL is not read."""
    if type(value) is not dict:
        return None, None
    return value.get("url"), None if value.get("url") is not None else value.get("data")


def write_place(url: Any, data: Any, at: Any, writer: Writer) -> Any:
    return {key: value for key, value in (("url", url), ("data", data)) if value is not None} or ABSENT


PLACE = (read_place, write_place)


def test_a_key_that_is_not_read_beside_another_comes_back_and_goes_with_it() -> None:
    wire = {"k": {"url": "u", "data": "d"}}
    assert same_after(wire, PLACE)
    _, metadata = read(wire, PLACE)
    assert write((None, "e"), metadata, PLACE) == ({"k": {"data": "e"}}, [])
    assert write((None, None), metadata, PLACE) == ({}, [])


def test_damaged_extras_do_not_choose_between_keys() -> None:
    back, _ = write((None, "d"), {"some": {"k": {"url": "u", "$read": True}}}, PLACE)
    assert read(back, PLACE)[0] == (None, "d")


# Edits beside keys that are not read


def write_short_url(url: Any, at: Any, writer: Writer) -> Any:
    """The URL of an object, at most three characters."""
    return ABSENT if url is None else {"url": url[:3]}


def test_keys_that_are_not_read_survive_an_edit_to_a_value_that_is_narrowed() -> None:
    pair = (read_url, write_short_url)
    _, metadata = read({"k": {"url": "u", "detail": "high"}}, pair)
    assert write("long", metadata, pair)[0] == {"k": {"url": "lon", "detail": "high"}}


def read_lower_url(value: Any, at: Any, reader: Reader) -> Any:
    return value["url"].lower() if type(value) is dict and type(value.get("url")) is str else None


def test_keys_that_are_not_read_survive_an_edit_to_a_value_that_was_spelled_differently() -> None:
    pair = (read_lower_url, write_url)
    wire = {"k": {"url": "U", "detail": "high"}}
    assert same_after(wire, pair)
    _, metadata = read(wire, pair)
    assert write("v", metadata, pair) == ({"k": {"url": "v", "detail": "high"}}, [])


def read_two_urls(wire: dict[str, Any], at: Any, reader: Reader) -> Any:
    """The URL of the first of two objects that has one."""
    return next((url for key in ("a", "b") if (url := read_url(wire.get(key), at, reader)) is not None), None)


def write_two_urls(url: Any, at: Any, writer: Writer) -> dict[str, Any]:
    return {} if url is None else {"a": {"url": url}}


TWO = (read_two_urls, write_two_urls)


def test_of_several_keys_one_that_is_not_read_comes_back() -> None:
    for value in ({"x": 1}, {"$x": 1}, {"$$x": 1}, [{"$$x": 1}]):
        assert same_after({"a": value}, TWO, "a", "b")
        assert same_after({"a": {"url": "u"}, "b": value}, TWO, "a", "b")


def read_strict_url(wire: dict[str, Any], at: Any, reader: Reader) -> tuple[Any, Any]:
    """The URL of an object that has nothing else, and the unit beside it."""
    value = wire.get("url")
    return value["is"] if type(value) is dict and value.keys() == {"is"} else None, wire.get("unit")


def write_strict_url(url: Any, unit: Any, at: Any, writer: Writer) -> dict[str, Any]:
    return {key: value for key, value in (("url", url and {"is": url}), ("unit", unit)) if value is not None}


def test_damaged_extras_are_not_added_to_one_of_several_keys() -> None:
    pair = (read_strict_url, write_strict_url)
    back, _ = write(("u", "m"), {"some": {"url": {"x": 1}}}, pair, "url", "unit")
    assert read(back, pair, "url", "unit")[0] == ("u", "m")


# The laws have teeth


MUTATIONS = {
    "the original is ignored": (
        "if original is not _UNKNOWN and _means(original, fields, at, writer, pair):",
        "if False:",
        lambda: test_a_spelling_comes_back("LOW"),
    ),
    "the original wins always": (
        "if original is not _UNKNOWN and _means(original, fields, at, writer, pair):",
        "if original is not _UNKNOWN:",
        test_an_edited_field_wins,
    ),
    "1 is 1.0": (
        "return same_json(left, right)",
        "return bool(left == right)",
        test_an_edit_inside_a_list_is_an_edit,
    ),
    "an absent key is forgotten": (
        'extras[key] = {"$absent": True}',
        "pass",
        test_an_absent_key_with_a_default_stays_absent,
    ),
    "keys that are not read are forgotten": (
        "restore_extras(written, extra)",
        "pass",
        test_keys_that_are_not_read_stand_under_their_own_names,
    ),
    "a loss is no difference": (
        "elif not is_lossless or is_too_deep(value) or not same_json(written, value):",
        "elif not same_json(written, value):",
        test_a_value_that_is_only_reported_is_not_reported_again,
    ),
    "several keys win always": (
        "if _means(original, fields, at, writer, pair):\n            holder |= original",
        "if True:\n            holder |= original",
        test_fields_of_several_keys_win_once_one_of_them_is_edited,
    ),
    "damaged extras win": (
        "written = unread if _means(unread, fields, at, writer, pair) else ABSENT",
        "written = unread",
        lambda: assert_same_field(None, {"some": {"k": "A"}}, LOWER),
    ),
}


def assert_same_field(field: Any, damaged: Metadata, pair: Pair) -> None:
    assert read(write(field, damaged, pair)[0], pair)[0] == field


@pytest.mark.parametrize(("old", "new", "check"), MUTATIONS.values(), ids=MUTATIONS)
def test_a_broken_rule_is_caught(
    old: str, new: str, check: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    check()
    text = Path(rule_of_extras.__file__).read_text("utf-8")
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
    broken = ModuleType(rule_of_extras.__name__)
    broken.__package__ = rule_of_extras.__package__
    exec(compile(text.replace(old, new), rule_of_extras.__file__, "exec"), broken.__dict__)
    for name in rule_of_extras.__all__:
        monkeypatch.setattr(objects, name, getattr(broken, name))
    with pytest.raises(AssertionError):
        check()
