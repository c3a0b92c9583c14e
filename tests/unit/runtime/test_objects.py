"""Objects of the wire: what is read at a key, what is written there, and errors that name the path and the type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from toolgen_runtime.conversion.extras import ABSENT, UnsupportedValueError
from toolgen_runtime.conversion.objects import SourceObject, TargetObject
from toolgen_runtime.conversion.reader import Reader
from toolgen_runtime.conversion.wire import DeclaredToolFacts, ProviderWire, WireFacts
from toolgen_runtime.conversion.writer import Writer
from toolgen_runtime.errors import ConversionError
from toolgen_runtime.models import ImagePart, Loss, Request
from toolgen_runtime.paths import ROOT

WIRE = ProviderWire(WireFacts("some", "Some", "[a-z]+", 20), DeclaredToolFacts())
AT = (ROOT, "messages")
KINDS: dict[str, tuple[type[Any], list[Any], list[Any]]] = {
    "a string": (str, ["", "a"], [1, True, [], {}]),
    "an integer": (int, [0, -1], [1.0, True, "1", [], {}]),
    "a number": (float, [0, 0.5], [True, "1", [], {}]),
    "a boolean": (bool, [True, False], [0, 1.0, "true", [], {}]),
    "an object": (dict, [{}, {"a": 1}], ["{}", 1, True, []]),
    "an array": (list, [[], [1]], ["[]", 1, True, {}]),
}
"""How an error names a type: the type, values that have it, and values that do not."""


def source(wire: dict[str, Any], *keys: str) -> SourceObject:
    return SourceObject(wire, AT, Reader(WIRE), *keys)


def extras_of(read: SourceObject) -> dict[str, Any]:
    """Return the extras of an object after it was read."""
    return (read.metadata() or {}).get("some", {})


def target(extras: dict[str, Any] | None = None, losses: list[Loss] | None = None) -> TargetObject:
    metadata = None if extras is None else {"some": extras}
    return TargetObject(metadata, AT, Writer(WIRE, ([] if losses is None else losses).append, "weaken"))


METHODS: dict[str, Callable[[SourceObject, Any], Any]] = {
    "required": lambda s, kind: s.required("k", kind),
    "optional": lambda s, kind: s.optional("k", kind),
    "named": lambda s, kind: s.named(("k", "old"), kind),
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("expected", KINDS)
def test_a_value_of_another_type_is_an_error_that_names_path_and_type(method: Any, expected: str) -> None:
    kind, fitting, unfit = KINDS[expected]
    for value in fitting:
        assert method(source({"k": value}, "k"), kind) is value
    for value in unfit:
        with pytest.raises(ConversionError, match=rf"^messages\.k: must be {expected}"):
            method(source({"k": value}, "k"), kind)


@pytest.mark.parametrize("wire", [{}, {"k": None}])
def test_a_required_value_must_be_there(wire: dict[str, Any]) -> None:
    with pytest.raises(ConversionError, match=r"^messages\.k: must be a string"):
        source(wire, "k").required("k", str)
    with pytest.raises(ConversionError, match=r"^messages\.k: must be an object"):
        source(wire, "k").required_inner("k")
    assert source(wire, "k").optional("k", str) is None
    assert source(wire, "k").get("k") is None
    assert source(wire, "k").named(("k", "old"), str) is None


def test_a_required_value_of_any_type_may_be_null() -> None:
    assert source({"k": None}, "k").required_value("k") is None
    with pytest.raises(ConversionError, match=r"^messages\.k: must be a value"):
        source({}, "k").required_value("k")


def test_extras_are_the_keys_that_nothing_read_and_nulls() -> None:
    assert source({"k": 1, "n": None, "x": [], "$y": 2}, "k", "n").metadata() == {
        "some": {"n": None, "x": [], "$$y": 2}
    }
    assert source({"k": 1}, "k").metadata() is None


def test_an_object_without_metadata_is_written_without_extras() -> None:
    written = target()
    written.required("a", None)
    written.optional("b", None)
    written.optional("c", 0)
    assert written.finish() == {"a": None, "c": 0}


def test_fields_win_over_extras() -> None:
    written = target({"a": 1, "b": 2, "$$c": 3, "$note": 4})
    written.required("a", 5)
    assert written.finish() == {"a": 5, "b": 2, "$c": 3}


def test_a_demanded_field_must_be_there() -> None:
    with pytest.raises(UnsupportedValueError, match="it needs k"):
        target().demanded("k", None)


# Aliases


def test_a_key_is_written_under_the_alias_it_was_read_from() -> None:
    read = source({"old": 1}, "k")
    assert read.named(("k", "old"), int) == 1
    assert read.metadata() == {"some": {"$as": {"k": "old"}}}
    written = target({"$as": {"k": "old"}})
    written.named(("k", "old"), 2)
    assert written.finish() == {"old": 2}


def test_a_key_wins_over_its_alias_unless_it_is_null() -> None:
    assert source({"k": 1, "old": 2}, "k").named(("k", "old"), int) == 1
    read = source({"k": None, "old": 2}, "k")
    assert (read.named(("k", "old"), int), extras_of(read)) == (2, {"k": None, "$as": {"k": "old"}})


@pytest.mark.parametrize("damaged", [None, 1, "old", [], ["k"], {"x": "old"}])
def test_damaged_aliases_are_left_out(damaged: Any) -> None:
    written = target({"$as": damaged})
    written.named(("k", "old"), 1)
    assert written.finish() == {"k": 1}


# Objects inside


def test_extras_of_an_object_inside_stand_under_its_key() -> None:
    wire = {"outer": {"inner": {"k": 1, "x": 2}, "y": 3}}
    read = source(wire, "outer")
    inner = read.inner("outer").inner("inner")
    assert inner.required("k", int) == 1
    assert read.metadata() == {"some": {"outer": {"inner": {"x": 2}, "y": 3}}}
    written = target({"outer": {"inner": {"x": 2}, "y": 3}})
    outer = written.inner("outer")
    inner_target = outer.inner("inner")
    inner_target.required("k", 5)
    outer.required("inner", inner_target.wire)
    written.required("outer", outer.wire)
    assert written.finish() == {"outer": {"inner": {"k": 5, "x": 2}, "y": 3}}


def test_an_error_in_an_object_inside_names_the_whole_path() -> None:
    inner = source({"outer": {"inner": {"k": 1}}}).inner("outer").inner("inner")
    with pytest.raises(ConversionError, match=r"^messages\.outer\.inner\.k: must be a string"):
        inner.required("k", str)
    with pytest.raises(ConversionError, match=r"^messages\.outer: must be an object"):
        source({"outer": []}).inner("outer")


@pytest.mark.parametrize(("wire", "extras"), [({}, None), ({"o": None}, {"o": None}), ({"o": {}}, {"o": {}})])
def test_an_object_inside_that_is_empty_null_or_absent_stays_so(wire: dict[str, Any], extras: Any) -> None:
    read = source(wire, "o")
    assert read.inner("o").optional("k", str) is None
    assert read.metadata() == (None if extras is None else {"some": extras})
    written = target(extras)
    inner = written.inner("o")
    inner.optional("k", None)
    written.optional("o", inner.wire or None)
    assert written.finish() == wire


@pytest.mark.parametrize("damaged", [None, 1, "o", [], {"k": []}, {"$absent": 1}, {"$around": {}}])
def test_damaged_extras_of_an_object_inside_do_not_win(damaged: Any) -> None:
    written = target({"o": damaged})
    inner = written.inner("o")
    inner.required("k", 1)
    written.required("o", inner.wire)
    assert written.finish() == {"o": {"k": 1}}


# Tags


def test_another_value_of_a_tag_comes_back() -> None:
    for value, extras in (("system", {}), ("developer", {"role": "developer"})):
        read = source({"role": value}, "role")
        read.tag("role", "system")
        assert extras_of(read) == extras
        written = target(extras)
        written.tag("role", "system")
        assert written.finish() == {"role": value}


def test_an_object_without_its_tag_stays_without() -> None:
    for wire, extras in (({"type": "text"}, {}), ({}, {"$absent": ["type"]})):
        read = source(wire, "type")
        read.untagged("type")
        assert extras_of(read) == extras
        written = target(extras)
        written.required("type", "text")
        written.untagged("type")
        assert written.finish() == wire


@pytest.mark.parametrize("damaged", [None, True, 5, "type", {"type": 1}, [1]])
def test_a_damaged_mark_of_a_tag_is_left_out(damaged: Any) -> None:
    written = target({"$absent": damaged})
    written.required("type", "text")
    written.untagged("type")
    assert written.finish() == {"type": "text"}


# Lists, and functions that have extras of their own


def test_a_text_or_a_list_is_read_item_by_item() -> None:
    def read_item(item: Any, at: Any, reader: Reader) -> Any:
        return (item, at)

    read = source({"k": ["a"], "t": "b", "n": 5}, "k", "t", "n")
    assert read.text_or_list("k", read_item) == [("a", ((AT, "k"), 0))]
    assert read.text_or_list("t", read_item) == "b"
    for key in ("n", "missing"):
        with pytest.raises(ConversionError, match=rf"^messages\.{key}: must be a string or an array"):
            read.text_or_list(key, read_item)


def test_an_item_that_the_wire_cannot_express_is_reported_at_its_path() -> None:
    def write_item(item: Any, at: Any, writer: Writer) -> Any:
        if item == 2:
            raise UnsupportedValueError("no two")
        return item

    losses: list[Loss] = []
    written = target(None, losses)
    written.text_or_list("k", [1, 2, 3], "content", write_item)
    written.text_or_list("t", "text", "content", write_item)
    written.text_or_list("none", None, "content", write_item)
    written.text_or_list("empty", [2], "content", write_item)
    assert written.finish() == {"k": [1, 3], "t": "text", "empty": ""}
    assert [loss.path for loss in losses] == ["messages.content[1]", "messages.content[0]"]


def test_a_function_may_have_an_extra_of_its_own() -> None:
    read = source({"k": "A"}, "k")
    assert read.value_with_extra("k", lambda value, at, reader: (value.lower(), value)) == "a"
    assert read.value_with_extra("k", lambda value, at, reader: (1, 2, ABSENT)) == (1, 2)
    assert extras_of(read) == {"k": "A"}
    written = target({"k": "A"})
    written.value_with_extra("k", ("a",), "name", lambda field, extra, at, writer: (field, extra, at))
    assert written.wire == {"k": ("a", "A", (AT, "name"))}
    written.value_with_extra("none", ("a",), "name", lambda field, extra, at, writer: extra)
    assert "none" not in written.wire


def test_a_function_of_the_object_may_have_extras_of_its_own() -> None:
    read = source({"k": 1}, "k")
    assert read.values_with_extras(("k",), lambda wire, at, reader: (wire["k"], at, {"x": 1})) == (1, AT)
    assert extras_of(read) == {"x": 1}
    written = target({"x": 1})
    written.values_with_extras((1, 2), "name", lambda a, b, extras, at, writer: {"k": [a, b, extras["x"]]})
    assert written.finish() == {"k": [1, 2, 1], "x": 1}


def test_a_function_without_extras_gets_an_absent_value_as_it_is() -> None:
    assert source({}, "k").value("k", lambda value, at, reader: (value, at)) == (ABSENT, (AT, "k"))
    written = target({"k": 1})
    written.value("k", ("a",), "name", lambda field, at, writer: (field, at))
    assert written.wire == {"k": ("a", (AT, "name"))}


# Losses


def test_a_field_without_a_key_is_reported() -> None:
    losses: list[Loss] = []
    part = ImagePart("u", name="n", cache=True, detail="low", metadata={"some": {}})
    target(None, losses).unmapped(part, ("url", "media_type"), {"cache": "behaviour", "detail": "warning"})
    part.cache = False
    target(None, losses).unmapped(part, ("url", "name", "detail"), {"cache": "behaviour"})
    assert [(loss.path, loss.what, loss.severity) for loss in losses] == [
        ("messages.name", "name", "note"),
        ("messages.detail", "detail", "warning"),
        ("messages.cache", "cache", "behaviour"),
        ("messages.cache", "cache", "behaviour"),
    ]


def test_a_field_of_a_request_without_a_key_is_a_warning() -> None:
    losses: list[Loss] = []
    target(None, losses).unmapped(Request([], max_output_tokens=5, seed=1), ("messages",), {"seed": "note"})
    assert [(loss.path, loss.severity) for loss in losses] == [
        ("messages.maxOutputTokens", "warning"),
        ("messages.seed", "note"),
    ]


def test_extras_of_another_provider_are_reported() -> None:
    losses: list[Loss] = []
    writer = Writer(WIRE, losses.append, "weaken")
    assert TargetObject({"alien": {"x": 1}, "some": {"y": 2}}, AT, writer).finish() == {"y": 2}
    assert [(loss.path, loss.what) for loss in losses] == [("messages.metadata.alien.x", "x")]
