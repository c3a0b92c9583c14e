"""Regular calls wait to be noted, and whoever asks finds them as if they had been noted at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from toolgen_runtime.conversion.reader import Reader
from toolgen_runtime.conversion.wire import DeclaredToolFacts, ProviderWire, WireFacts
from toolgen_runtime.models import ToolCall
from toolgen_runtime.paths import ROOT

WIRE = ProviderWire(WireFacts("some", "Some", "[a-z]+", 20), DeclaredToolFacts(renames={"find slots": "find_slots"}))


def taken(reader: Reader, identifier: Any = "c1", name: Any = "find", arguments: Any = None) -> ToolCall | None:
    return reader.make_pending_call_if_regular(identifier, name, arguments or {})


def noted(reader: Reader, identifier: str, name: str = "find") -> ToolCall:
    """A call as an object that is not regular gives it."""
    found, _ = reader.call_id(identifier, ROOT)
    call = ToolCall(found, name, {})
    reader.note_call(identifier, call)
    return call


ASKED: dict[str, Callable[[Reader], Any]] = {
    "find_call_id_and_name": lambda reader: (reader.find_call_id_and_name("c1"), reader.find_call_id_and_name("other")),
    "take_open_call_id": lambda reader: reader.take_open_call_id("find"),
    "take_open_call": lambda reader: [reader.take_open_call(None) for _ in range(3)],
    "note_result": lambda reader: (reader.note_result("c1"), reader.take_open_call_id("find")),
    "call_id": lambda reader: (reader.call_id("c1", ROOT), reader.call_id(None, ROOT)),
    "try_claim_id": lambda reader: (reader.try_claim_id("c1"), reader.try_claim_id("c2"), reader.position),
    "make_call_if_regular": lambda reader: (reader.make_call_if_regular("c1", "find", {}), reader.position),
    "note_call": lambda reader: noted(reader, "c1"),
    "next_turn": lambda reader: (
        reader.next_turn(),
        reader.find_call_id_and_name("c1"),
        noted(reader, "c1"),
        reader.find_call_id_and_name("c1"),
    ),
}


@pytest.mark.parametrize("question", ASKED)
def test_who_asks_finds_a_call_that_waited(question: str) -> None:
    waiting, at_once = Reader(WIRE), Reader(WIRE)
    assert taken(waiting) == noted(at_once, "c1")
    assert ASKED[question](waiting) == ASKED[question](at_once)


@pytest.mark.parametrize(
    ("identifier", "name"), [("", "find"), (" ", "find"), (1, "find"), ("c1", 1), ("c1", "find_slots")]
)
def test_a_call_that_is_another_one_in_the_format_is_not_taken(identifier: Any, name: Any) -> None:
    assert taken(Reader(WIRE), identifier, name) is None


def test_a_call_whose_id_was_there_before_is_not_taken() -> None:
    reader = Reader(WIRE)
    assert taken(reader) is not None
    assert taken(reader) is None
    opaque = Reader(WIRE)
    opaque.note_opaque_call_id({"id": "c1"})
    assert taken(opaque) is None


def test_a_call_that_is_too_deep_is_taken_as_one_that_cannot_be_run() -> None:
    arguments: Any = []
    for _ in range(200):
        arguments = [arguments]
    call = taken(Reader(WIRE), arguments={"a": arguments})
    assert call is not None
    assert call.invalid is not None
    assert call.arguments == {}
