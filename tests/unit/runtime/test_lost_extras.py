"""Which keys of extras are told to an app whose next request goes to another provider."""

from __future__ import annotations

from typing import Any

import pytest

from toolgen_runtime.conversion.lost_extras import ExtrasFacts, facts_about_extras, lost_members

FACTS = ExtrasFacts(
    {
        "objects": ["outer", "choices"],
        "spelled": ["arguments"],
        "silent": ["index", "summary"],
        "notes": ["user", "store", "outer.summary", "cited.type"],
        "state": ["signature", "audio.id"],
        "defaults": {"n": 1, "store": True, "off": False, "modes": ["text"]},
    }
)


@pytest.mark.parametrize(
    ("extras", "lost"),
    [
        ({"a": 1}, [("a", True)]),
        ({"a": {}}, [("a", True)]),
        ({"a": {"b": 1}}, [("a", True)]),
        ({"a": None, "b": "", "c": []}, []),
        ({"n": 1, "off": False, "modes": ["text"]}, []),
        ({"n": 2, "off": 0, "modes": []}, [("n", True), ("off", True)]),
        ({"n": True}, [("n", True)]),
        ({"user": "u", "signature": "s"}, [("user", False), ("signature", False)]),
        ({"index": 0, "arguments": "{ }"}, []),
        ({"outer": {"a": 1, "n": 1, "user": "u"}}, [("outer.a", True), ("outer.user", False)]),
        ({"outer": {"summary": "s"}, "summary": "s"}, [("outer.summary", False)]),
        ({"store": True, "outer": {"store": True}}, []),
        ({"store": False}, [("store", False)]),
        ({"cited": [{"type": "a"}]}, [("cited", False)]),
        ({"cited": {"enabled": True}}, [("cited", True)]),
        ({"cited": [1]}, [("cited", True)]),
        ({"audio": {"id": "a"}}, [("audio", False)]),
        ({"audio": {"voice": "v"}}, [("audio", True)]),
        ({"choices": [{"a": 1}]}, [("choices.a", True)]),
        ({"choices": [{}, {"b": 1}]}, [("choices", True)]),
        ({"choices": []}, []),
        ({"k": {"$whole": "x"}}, []),
        ({"k": {"$absent": True}}, []),
        ({"k": {"$whole": {"x": 1}, "$unread": ["x"]}}, [("k.x", True)]),
        ({"k": {"$whole": 1, "$unread": True}, "user": {"$whole": 1, "$unread": True}}, [("k", True), ("user", False)]),
        ({"k": {"x": 1, "$read": True}}, [("k.x", True)]),
        ({"k": {"$": {"$whole": 1}}}, [("k", True)]),
        ({"$$k": 1}, [("$k", True)]),
        ({"$absent": ["k"], "$as": {"k": "l"}, "$sent": True}, []),
        ({"$around": {"a": 1}}, [("a", True)]),
        ({"$around": None}, []),
        ({"$around": []}, []),
        ({"$messages": [{"a": 1}, {"user": "u"}]}, [("a", True), ("user", False)]),
        ({"content": {"$around": {"a": 1}}}, [("content.a", True)]),
        # damaged
        ("text", []),
        ({"$around": 5, "$messages": "x"}, []),
        ({"outer": 5}, [("outer", True)]),
        ({"k": {"$whole": 1, "$unread": "x"}}, []),
        ({"k": {"$whole": 1, "$unread": [5]}}, [("k.5", True)]),
    ],
)
def test_each_key_that_says_something_is_lost(extras: Any, lost: list[tuple[str, bool]]) -> None:
    assert [(".".join(member.key_path), member.is_warning) for member in lost_members(extras, FACTS)] == lost


@pytest.mark.parametrize("key", ["$around", "outer", "k"])
def test_damaged_extras_may_be_deep(key: str) -> None:
    deep: dict[str, Any] = {"a": 1}
    for _ in range(5000):
        deep = {key: deep} if key != "k" else {"k": {"$around": deep, "$absent": True}}
    assert list(lost_members(deep, FACTS)) == []


def test_hosts_take_what_they_know_and_no_state() -> None:
    strict = ExtrasFacts({"known": ["a"], "silent": ["s"], "state": ["t"], "spelled": ["arguments"]})
    assert [key for key in ("a", "b", "s", "t", "arguments") if strict.takes_from_hosts(key, 1)] == ["a", "arguments"]
    open_host = ExtrasFacts({"silent": ["s"], "state": ["t", "u.id"]})
    assert [open_host.takes_from_hosts("u", value) for value in ({"id": 1}, {"voice": 1}, [{"id": 1}], 1)] == [
        False,
        True,
        False,
        True,
    ]
    assert [key for key in ("a", "b", "s", "t") if open_host.takes_from_hosts(key, 1)] == ["a", "b"]


def test_facts_of_a_provider_are_those_of_its_profile_or_of_its_api() -> None:
    assert facts_about_extras("gemini").says_nothing("candidateCount", 1)
    assert facts_about_extras("my_host", "gemini").says_nothing("candidateCount", 1)
    assert not facts_about_extras("my_host").says_nothing("candidateCount", 1)
