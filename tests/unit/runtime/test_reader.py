"""What a reader remembers of a conversation: the ids of calls, which result belongs to which call, turns and positions."""

from __future__ import annotations

from typing import Any

import pytest

from toolgen_runtime.conversion.extras import ABSENT
from toolgen_runtime.conversion.reader import Reader
from toolgen_runtime.conversion.wire import DeclaredToolFacts, ProviderWire, WireFacts
from toolgen_runtime.errors import ConversionError
from toolgen_runtime.json_values import MAX_DEPTH
from toolgen_runtime.models import InvalidCall, ToolCall, ToolDefinition
from toolgen_runtime.paths import ROOT

WIRE = ProviderWire(WireFacts("some", "Some", "[a-z]+", 20), DeclaredToolFacts(renames={"find slots": "find_slots"}))


@pytest.fixture
def reader() -> Reader:
    return Reader(WIRE)


def noted(reader: Reader, wire_id: Any, name: str = "find", invalid: InvalidCall | None = None) -> ToolCall:
    """The call that was read with this id on the wire, and recorded for its result."""
    identifier = reader.assign_call_id(wire_id, ROOT)
    call = ToolCall(identifier, name, {"city": "Oslo"}, invalid)
    reader.note_call(wire_id, call)
    return call


def ids(reader: Reader, *wire_ids: Any) -> list[str]:
    return [reader.assign_call_id(wire_id, ROOT) for wire_id in wire_ids]


def test_an_id_of_its_own_stays(reader: Reader) -> None:
    assert ids(reader, "c1", "c2") == ["c1", "c2"]
    assert {"c1", "c2"} <= reader.used


@pytest.mark.parametrize("wire_id", [None, ABSENT, "", " ", "\t\n", "None", "null"])
def test_what_is_no_id_is_replaced_by_turn_and_position(reader: Reader, wire_id: Any) -> None:
    assert ids(reader, "c1", wire_id, wire_id) == ["c1", "call_0_1", "call_0_2"]
    reader.next_turn()
    assert ids(reader, wire_id) == ["call_1_0"]


def test_a_repeated_id_is_replaced_in_the_same_turn_and_in_later_ones(reader: Reader) -> None:
    assert ids(reader, "c1", "c1") == ["c1", "call_0_1"]
    reader.next_turn()
    assert ids(reader, "c1", "c2") == ["call_1_0", "c2"]


def test_a_synthetic_id_is_not_one_that_the_wire_has(reader: Reader) -> None:
    assert ids(reader, "call_0_1", None, None) == ["call_0_1", "call_0_1_", "call_0_2"]
    assert ids(reader, "call_0_2") == ["call_0_3"]


def test_synthetic_ids_go_on_from_the_turn_of_the_history() -> None:
    assert ids(Reader(WIRE, 3), None, None) == ["call_3_0", "call_3_1"]


@pytest.mark.parametrize("wire_id", [1, 0, False, {}, []])
def test_an_id_that_is_no_string_is_an_error(reader: Reader, wire_id: Any) -> None:
    with pytest.raises(ConversionError, match=r"^messages: must be a string"):
        reader.assign_call_id(wire_id, (ROOT, "messages"))


def test_turns_and_positions_are_counted(reader: Reader) -> None:
    ids(reader, "c1", None, "c1")
    assert (reader.turn, reader.position) == (0, 3)
    reader.next_turn()
    assert (reader.turn, reader.position) == (1, 0)


def test_a_result_finds_its_call_by_the_id_on_the_wire(reader: Reader) -> None:
    noted(reader, "c1", "find")
    noted(reader, "c2", "book")
    assert reader.match_result("c2") == ("c2", "book")
    assert reader.match_result("c1") == ("c1", "find")
    assert reader.match_result("other") == ("other", "")
    reader.next_turn()
    assert reader.match_result("c1") == ("c1", "find")


def test_a_result_belongs_to_the_last_call_with_its_id(reader: Reader) -> None:
    assert noted(reader, "c1", "find").invalid is None
    reader.next_turn()
    assert noted(reader, "c1", "book").invalid is None
    assert reader.match_result("c1") == ("call_1_0", "book")
    assert reader.match_result("c1") == ("call_1_0", "book")


def test_calls_with_one_id_in_a_message_are_invalid_but_the_first(reader: Reader) -> None:
    calls = [noted(reader, "c1") for _ in range(3)]
    assert [call.id for call in calls] == ["c1", "call_0_1", "call_0_2"]
    duplicate = InvalidCall('{"city":"Oslo"}', "duplicate_id")
    assert [call.invalid for call in calls] == [None, duplicate, duplicate]


def test_the_reason_that_a_call_has_stays(reader: Reader) -> None:
    malformed = InvalidCall("{", "malformed")
    noted(reader, "c1")
    assert noted(reader, "c1", invalid=malformed).invalid is malformed


@pytest.mark.parametrize("wire_id", ["", " ", "None", "null"])
def test_calls_without_ids_are_no_duplicates(reader: Reader, wire_id: str) -> None:
    assert [noted(reader, wire_id).invalid for _ in range(2)] == [None, None]
    assert [reader.match_result(wire_id)[0] for _ in range(2)] == ["call_0_0", "call_0_1"]


def test_results_of_calls_with_one_id_are_matched_in_order(reader: Reader) -> None:
    for name in ("find", "book", "find"):
        noted(reader, "c1", name)
    matched = [reader.match_result("c1") for _ in range(4)]
    assert matched == [("c1", "find"), ("call_0_1", "book"), ("call_0_2", "find"), ("call_0_2", "find")]


def test_results_of_calls_with_one_id_are_matched_by_name_if_they_have_one(reader: Reader) -> None:
    for name in ("find", "book", "find"):
        noted(reader, "c1", name)
    matched = [reader.match_result("c1", name) for name in ("book", "other", "find")]
    assert matched == [("call_0_1", "book"), ("c1", "find"), ("call_0_2", "find")]


def test_an_opaque_call_is_found_without_a_name(reader: Reader) -> None:
    for wire in ({"id": "c1"}, {"id": 1}, {}, "c2", None):
        reader.note_opaque_call_id(wire)
    assert reader.match_result("c1") == ("c1", "")
    assert [reader.is_opaque_call(wire_id) for wire_id in ("c1", "c2", "other")] == [True, False, False]
    noted(reader, "c1")
    assert not reader.is_opaque_call("c1")


def test_results_without_ids_take_the_open_calls_in_order(reader: Reader) -> None:
    for name in ("find", "book", "find"):
        noted(reader, None, name)
    assert [reader.take_open_call_id(name) for name in ("find", "find", "find")] == ["call_0_0", "call_0_2", None]
    call = reader.take_open_call(None)
    assert call is not None
    assert call.name == "book"
    assert reader.take_open_call(None) is None


def test_a_call_that_has_its_result_is_not_open(reader: Reader) -> None:
    noted(reader, "c1")
    noted(reader, "c2")
    reader.note_result("c1")
    reader.note_result("other")
    assert [reader.take_open_call_id("find") for _ in range(2)] == ["c2", None]


def test_calls_are_open_until_another_turn_has_calls(reader: Reader) -> None:
    noted(reader, "c1")
    reader.next_turn()
    assert reader.take_open_call_id("book") is None
    noted(reader, "c2")
    assert [reader.take_open_call_id("find") for _ in range(2)] == ["c2", None]


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_arguments_as_deep_as_json_text_may_be_are_read(reader: Reader) -> None:
    arguments = {"a": nested(MAX_DEPTH - 1)}
    call = reader.decode_call(ToolCall("c1", "find", arguments))
    assert call.arguments is arguments
    assert call.invalid is None


def test_a_call_with_deeper_arguments_is_invalid(reader: Reader) -> None:
    call = reader.decode_call(ToolCall("c1", "find", {"a": nested(MAX_DEPTH)}))
    text = '{"a":' + "[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH + "}"
    assert (call.arguments, call.invalid) == ({}, InvalidCall(text, "malformed"))


def test_arguments_that_hold_themselves_are_an_error(reader: Reader) -> None:
    endless: dict[str, Any] = {}
    endless["a"] = endless
    with pytest.raises(ConversionError):
        reader.decode_call(ToolCall("c1", "find", endless))


def test_names_are_those_of_the_declared_and_the_given_tools() -> None:
    assert [Reader(WIRE).tool_name(name) for name in ("find_slots", "find", "other")] == ["find slots", "find", "other"]
    tool = ToolDefinition("Send!", "Send it.", {"type": "object"})
    assert Reader(WIRE, tools=[tool]).tool_name(WIRE.wire_name("Send!")) == "Send!"


def test_metadata_is_made_of_extras(reader: Reader) -> None:
    assert reader.as_metadata({"cache": 1}) == {"some": {"cache": 1}}
    assert reader.as_metadata({}) is reader.as_metadata(None) is None
