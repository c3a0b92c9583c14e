"""Spellings that are made here: apps keep them in stored conversations, so they are the same in every release."""

from __future__ import annotations

from toolgen_runtime.conversion.wire import DeclaredToolFacts, ProviderWire, WireFacts, make_hashed_name, synthetic_id


def test_another_spelling_is_the_same_in_every_release() -> None:
    assert (
        make_hashed_name("weather.get", "weather_get_", 64) == "weather_get_kHKtBaTrNEH5RUIrdU7qcpcO78jYryPxOKxZ3sstsXR"
    )
    assert synthetic_id(3, 0) == "call_3_0"


def test_a_name_that_a_wire_refuses_is_spelled_with_letters_and_digits() -> None:
    facts = WireFacts("one", "One", "[a-zA-Z0-9_-]{1,64}", 64)
    wire = ProviderWire(facts, DeclaredToolFacts(renames={"given.name": "given"}))
    assert wire.wire_name("plain") == "plain"
    assert wire.wire_name("given.name") == "given"
    assert wire.wire_name("weather.get") == "weather_get_kHKtBaTrNEH5RUIrdU7q"
    assert wire.wire_name("7.up") == "t_7_up_8JQiGNgpwmp4IQKwM9je"
