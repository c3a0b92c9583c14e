"""Histories: hand-over from provider to provider, results in any order, ids and names of all kinds, cuts and repair."""

from __future__ import annotations

import copy
import itertools
import json
import math
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import grouped, over
from tests.support.generated import Package
from tests.support.places import at
from tests.support.recorded import history
from tests.support.repository import CONVERSING, OWN_CODE, names_tools, table
from tests.support.requests import HELLO, PIXEL, one_result, result
from tests.support.wires import WIRES, restore_object_content

each_provider = pytest.mark.parametrize("provider", OWN_CODE)


HANDOVERS = [
    pytest.param(p, target, r["request"], id=f"{p}-{target}-{r['id']}")
    for p in OWN_CODE
    for target in OWN_CODE
    if target != p
    for r in history(p)
]


@grouped("provider, target, body", HANDOVERS)
def test_law_6_a_history_goes_out_through_another_provider(
    sample: Package, provider: str, target: str, body: Any
) -> None:
    laws.hand_over(sample, provider, target, body)


@each_provider
def test_there_are_histories(provider: str) -> None:
    assert len(history(provider)) >= 10


def call(identifier: str | None, name: str = "now", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_call", "call": {"id": identifier, "name": name, "arguments": arguments}}


def assistant(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content)}


def tool(*results: Any) -> dict[str, Any]:
    return {"role": "tool", "results": list(results)}


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def user(value: Any) -> dict[str, Any]:
    return {"role": "user", "content": value}


IMAGE = {"type": "image", "data": PIXEL, "mediaType": "image/png"}
TWO = assistant(text("One moment."), call("a", "now", i=1), call("b", "get_weather", city="Oslo"))
ONE, OTHER = result("a", "now", "text", "noon"), result("b", "get_weather", "text", "rain")
ORDERS = {
    "in order": [TWO, tool(ONE, OTHER)],
    "in reverse": [TWO, tool(OTHER, ONE)],
    "in two messages": [TWO, tool(ONE), tool(OTHER)],
    "in two messages, in reverse": [TWO, tool(OTHER), tool(ONE)],
    "text before": [TWO, user("Well?"), tool(ONE, OTHER)],
    "text between": [TWO, tool(ONE), user("Well?"), tool(OTHER)],
    "text after": [TWO, tool(ONE, OTHER), user("Well?")],
    "text everywhere": [TWO, user("A?"), tool(OTHER), user("B?"), tool(ONE), user("C?")],
    "an image in a result": [TWO, tool(result("a", "now", "multimodal", [text("noon"), IMAGE]), OTHER)],
    "an image, and text after": [TWO, tool(result("a", "now", "multimodal", [IMAGE]), OTHER), user("Well?")],
    "an assistant's text between": [TWO, assistant(text("Hm.")), tool(ONE, OTHER)],
    "parts of a user between": [TWO, tool(ONE), user([text("Well?"), IMAGE]), tool(OTHER)],
    "calls in two messages": [assistant(TWO["content"][1]), assistant(TWO["content"][2]), tool(ONE, OTHER)],
}


@over("order", list(ORDERS))
@each_provider
def test_results_come_first_and_together(sample: Package, models: Any, provider: str, order: str) -> None:
    request, losses = models.load(models.Request, {"messages": [HELLO, *ORDERS[order]], "model": "m"}), []
    before = copy.deepcopy(request)
    body = laws.write(sample, provider, request, losses)
    wire = WIRES[provider]
    assert request == before
    assert wire.order_faults(body) == []
    assert wire.type_faults(body) == []
    calls, results = wire.calls(body), wire.results(body)
    assert [c.name for c in calls] == ["now", "get_weather"]
    by_id = {r.id: laws.exact(r.value) for r in results}
    assert sorted(by_id) == sorted(c.id for c in calls)
    assert "rain" in by_id[calls[1].id]
    assert "noon" in by_id[calls[0].id] or order == "an image, and text after"
    for text in ("Well?", "A?", "B?", "C?", "Hm.", "One moment."):
        assert (text in laws.exact(ORDERS[order])) == (text in wire.texts(body))
    image = PIXEL in laws.exact(ORDERS[order]) and not table(provider).get("no_media")
    assert laws.exact(body).count(PIXEL) == int(image)
    reported = any(loss.action == "moved" for loss in losses)
    assert reported or order not in ("text before", "text between", "text everywhere", "an assistant's text between")


@pytest.mark.parametrize("provider", ["anthropic", "bedrock", "gemini"])
def test_results_follow_adjacent_messages_of_the_assistant(sample: Package, models: Any, provider: str) -> None:
    """The APIs take them as one turn, and the losses say which of them are joined."""
    request, losses = models.load(models.Request, {"messages": [HELLO, *ORDERS["calls in two messages"]]}), []
    body = laws.write(sample, provider, request, losses)
    key = "contents" if provider == "gemini" else "messages"
    assert [r.id for r in WIRES[provider].results({**body, key: body[key][-1:]})] == ["a", "b"]
    joined = [loss.path for loss in losses if loss.action == "moved"]
    assert joined == ([] if provider == "anthropic" else ["messages[2]"])


AGAIN = assistant(call("a", "now"))
STRAY = result("z", "now", "text", "stray")
SECOND = result("a", "now", "text", "stray")
REJECTED = {
    "no call": ([TWO, tool(ONE, OTHER), user("Well?"), tool(STRAY)], "its call is not in the history"),
    "no call, beside": ([TWO, tool(ONE, STRAY, OTHER)], "its call is not in the history"),
    "no call, first": ([tool(STRAY), user("Well?")], "its call is not in the history"),
    "no call, after text": ([assistant(text("Hm.")), tool(STRAY)], "its call is not in the history"),
    "a second one": ([TWO, tool(ONE, SECOND, OTHER)], "its call has another result"),
    "a second one, later": ([TWO, tool(ONE, OTHER), user("Well?"), tool(SECOND)], "its call has another result"),
    "a second one before a repeated id": (
        [AGAIN, tool(ONE), tool(SECOND), AGAIN, tool(ONE)],
        "its call has another result",
    ),
}
KEEPING = ["ollama"]
"""The APIs that accept any result. The server of OpenAI Responses may have calls before the first message."""


@over("case", list(REJECTED))
@each_provider
def test_a_result_that_the_api_rejects_becomes_text(sample: Package, models: Any, provider: str, case: str) -> None:
    messages, reason = REJECTED[case]
    request, losses = models.load(models.Request, {"messages": [HELLO, *messages], "model": "m"}), []
    before = copy.deepcopy(request)
    body = laws.write(sample, provider, request, losses)
    wire = WIRES[provider]
    assert request == before
    reported = [(loss.path, loss.severity, loss.reason) for loss in losses if loss.action == "described"]
    (place,) = [
        f"messages[{i}].results[{j}]"
        for i, message in enumerate([HELLO, *messages])
        for j, result in enumerate(message.get("results", ()))
        if result["value"] == "stray"
    ]
    is_kept = provider in KEEPING or (provider, case) == ("openai_responses", "no call, first")
    assert reported == ([] if is_kept else [(place, "warning", reason)])
    if not is_kept:
        assert wire.order_faults(body) == []
        assert "stray" in wire.texts(body)
        assert len(wire.results(body)) == len(wire.calls(body))
    again = laws.read(sample, provider, body)
    assert laws.exact(laws.write(sample, provider, again)) == laws.exact(body)


@each_provider
def test_a_result_before_its_call_moves_after_it(sample: Package, models: Any, provider: str) -> None:
    request, losses = models.load(models.Request, {"messages": [HELLO, tool(ONE), user("Well?"), AGAIN]}), []
    body = laws.write(sample, provider, request, losses)
    assert WIRES[provider].order_faults(body) == []
    assert ("messages[1].results[0]", "moved") in [(loss.path, loss.action) for loss in losses]


@each_provider
def test_calls_with_one_id_are_told_apart(sample: Package, models: Any, provider: str) -> None:
    """Not by a reader, which has done so, but in a history of the app."""
    twice = assistant(call("a", "now", i=1), call("a", "get_weather", city="Oslo"), call("a_2", "now"))
    rain = {**OTHER, "toolCallId": "a"}
    third = result("a_2", "now", "text", "later")
    request, losses = models.load(models.Request, {"messages": [HELLO, twice, tool(ONE, rain), tool(third)]}), []
    body = laws.write(sample, provider, request, losses)
    wire = WIRES[provider]
    assert wire.order_faults(body) == []
    calls, results = wire.calls(body), wire.results(body)
    assert [c.name for c in calls] == ["now", "get_weather", "now"]
    by_id = {r.id: laws.exact(r.value) for r in results}
    assert [word in by_id[c.id] for word, c in zip(("noon", "rain", "later"), calls, strict=True)] == [True] * 3
    assert ("messages[1].content[1].call.id", "rewritten") in [(loss.path, loss.action) for loss in losses]


@each_provider
def test_results_that_begin_messages_alone_may_have_calls_before(sample: Package, models: Any, provider: str) -> None:
    """An app may convert only what is new."""
    messages = [models.load(models.Message, m) for m in (tool(ONE, OTHER), user("Well?"))]
    losses: list[Any] = []
    messages_written = sample.provider(provider).to_messages(messages, on_loss=losses.append)
    assert [loss for loss in losses if loss.action != "defaulted"] == []
    whole = [models.load(models.Message, TWO), *messages]
    assert (
        messages_written
        == sample.provider(provider).to_messages(whole, on_loss=losses.append)[-len(messages_written) :]
    )


@over("target", OWN_CODE)
@each_provider
def test_a_result_that_was_read_without_a_call_comes_back(
    sample: Package, models: Any, provider: str, target: str
) -> None:
    """To the API that accepted it; others get text."""
    whole = models.load(models.Request, {"messages": [HELLO, AGAIN, tool(ONE), user("Well?")], "model": "m"})
    body = laws.write(sample, provider, whole)
    (key,) = {"messages", "contents", "input"} & body.keys()
    entries = body[key]
    (index,) = (i for i, entry in enumerate(entries) if "noon" in laws.exact(entry))
    for changed in ([*entries[: index - 1], *entries[index:]], [*entries[:index], entries[index], *entries[index:]]):
        request, losses = laws.read(sample, provider, {**body, key: changed}), []
        stored = models.load(models.Request, models.dump(request))
        sent = laws.write(sample, target, stored, losses)
        if target == provider:
            laws.body_comes_back(sample, provider, {**body, key: changed})
            assert "described" not in [loss.action for loss in losses]
        elif target not in KEEPING and provider not in KEEPING:
            assert WIRES[target].order_faults(sent) == []
            assert "described" in [loss.action for loss in losses]


@over("count", [1, 2, 6])
@each_provider
def test_as_many_results_as_calls_stand_in_one_place(sample: Package, models: Any, provider: str, count: int) -> None:
    calls = [call(f"c{i}", "now", i=i) for i in range(count)]
    results = [result(f"c{i}", "now", "text", f"r{i}") for i in range(count)]
    if count > 1:
        results[1] = result("c1", "now", "multimodal", [text("r1"), IMAGE])
    body = laws.write(
        sample, provider, models.load(models.Request, {"messages": [HELLO, assistant(*calls), tool(*results)]})
    )
    results_seen = WIRES[provider].results(body)
    assert [r.id for r in results_seen] == [c.id for c in WIRES[provider].calls(body)]
    assert [f"r{i}" in laws.exact(r.value) for i, r in enumerate(results_seen)] == [True] * count
    assert WIRES[provider].order_faults(body) == []


ODD_IDS = ["", " ", "a", "a", "x|y", "x.y", "x/y", "x y", "é", "x" * 200, "x" * 201, "call_0_0", "工具"]


@each_provider
def test_ids_of_all_kinds_are_paired_one_to_one(sample: Package, models: Any, provider: str) -> None:
    """Legal ones go out as they are; converting twice gives the same."""
    facts = table(provider)["ids"]
    ids = [*dict.fromkeys(ODD_IDS), *(i for i in [*facts["legal"], *facts["refused"]] if i not in ODD_IDS)]
    turns = [
        [
            assistant(*(call(i, "now", at=n) for n, i in part)),
            tool(*(result(i, "now", "text", f"r{n}") for n, i in part)),
        ]
        for part in (list(enumerate(ids))[::2], list(enumerate(ids))[1::2])
    ]
    request = models.load(models.Request, {"messages": [HELLO, *turns[0], *turns[1]]})
    body = laws.write(sample, provider, request)
    assert body == laws.write(sample, provider, request)
    wire = WIRES[provider]
    assert wire.order_faults(body) == []
    calls, results = wire.calls(body), wire.results(body)
    spelled = [c.id for c in calls]
    assert len(set(spelled)) == len(ids)
    assert [r.id for r in results] == spelled
    for call_seen, result_seen in zip(calls, results, strict=True):
        assert f"r{restore_object_content(call_seen.value)['at']}" in laws.exact(result_seen.value)
    order = [i for _, i in [*list(enumerate(ids))[::2], *list(enumerate(ids))[1::2]]]
    went = dict(zip(order, spelled, strict=True))
    assert [i for i in facts["legal"] if went[i] != i] == []
    assert [i for i in facts["refused"] if went[i] == i] == []


@each_provider
def test_ids_that_a_wire_lacks_or_repeats_are_made(sample: Package, provider: str) -> None:
    """None, blank, and twice in one response: two calls, two ids, the second marked."""
    facts = table(provider)
    inner, key = facts.get("call_inside"), facts.get("call_id", "id")
    for identifier in (None, "", " ", "same"):
        calls = [copy.deepcopy(facts["calls"][0]) for _ in range(2)]
        for wire_call in calls:
            (wire_call[inner] if inner else wire_call)[key] = identifier
        body = copy.deepcopy(facts["response"])
        at(body, facts["at"]["content"][:-1])[facts["at"]["content"][-1]] = calls
        calls_read = sample.provider(provider).from_tool_calls(body)
        assert len({c.id for c in calls_read}) == 2
        assert all(c.id.strip() for c in calls_read)
        assert (calls_read[1].invalid is not None) == (identifier == "same")
        assert calls_read[0].invalid is None


@each_provider
def test_a_name_is_the_same_in_tools_history_and_choice(sample: Package, models: Any, provider: str) -> None:
    for name in ("get.weather", "get/weather", "get weather", "1st", "x" * 129, "工具", "class"):
        request = models.load(
            models.Request,
            {
                "messages": [HELLO, assistant(call("a", name)), tool(result("a", name, "text", "x"))],
                "tools": [{"name": name}, {"name": "other"}],
                "toolChoice": {"name": name},
            },
        )
        body = laws.write(sample, provider, request)
        (seen_call,) = WIRES[provider].calls(body)
        assert WIRES[provider].order_faults(body) == []
        assert laws.exact(body).count(json.dumps(seen_call.name, ensure_ascii=False)) >= 2 + names_tools(provider)
        back = sample.provider(provider).from_request(body, tools=request.tools)
        assert back.messages[1].content[0].call.name in (name, seen_call.name)


def two_thoughts() -> list[dict[str, Any]]:
    return [
        {"type": "thinking", "thinking": "First, the time.", "signature": "c2lnLTE+/w=="},
        {"type": "redacted_thinking", "data": "cmVkYWN0ZWQ+/w=="},
        {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}},
        {"type": "thinking", "thinking": "", "signature": "c2lnLTI+/w=="},
        {"type": "text", "text": "And"},
        {"type": "tool_use", "id": "toolu_2", "name": "get_weather", "input": {"city": "Oslo"}},
    ]


def signed_parts() -> list[dict[str, Any]]:
    return [
        {"text": "First, the time.", "thought": True},
        {"functionCall": {"id": "1", "name": "now", "args": {}}, "thoughtSignature": "c2lnLTE+/w=="},
        {"functionCall": {"id": "2", "name": "now", "args": {"a": 1}}},
        {"text": "", "thoughtSignature": "c2lnLTI+/w=="},
    ]


def signed_blocks() -> list[dict[str, Any]]:
    signed = {"text": "First, the time.", "signature": "c2lnLTE+/w=="}
    return [
        {"reasoningContent": {"reasoningText": signed}},
        {"reasoningContent": {"redactedContent": "cmVkYWN0ZWQ+/w=="}},
        {"toolUse": {"toolUseId": "tooluse_1", "name": "now", "input": {}}},
        {"reasoningContent": {"reasoningText": {"text": "", "signature": "c2lnLTI+/w=="}}},
        {"text": "And"},
        {"toolUse": {"toolUseId": "tooluse_2", "name": "get_weather", "input": {"city": "Oslo"}}},
    ]


OPAQUE = {
    "anthropic": lambda: {**table("anthropic")["response"], "content": two_thoughts(), "stop_reason": "tool_use"},
    "bedrock": lambda: {
        "output": {"message": {"role": "assistant", "content": signed_blocks()}},
        "stopReason": "tool_use",
    },
    "gemini": lambda: {
        "candidates": [{"content": {"role": "model", "parts": signed_parts()}, "finishReason": "STOP", "index": 0}]
    },
}


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("provider", [p for p in OPAQUE if p in CONVERSING])
def test_opaque_state_goes_back_in_its_order_byte_for_byte(
    sample: Package, models: Any, provider: str, streaming: bool
) -> None:
    wire, body = WIRES[provider], OPAQUE[provider]()
    if streaming:
        completion, _ = laws.played(sample, provider, wire.split(body))
    else:
        completion = laws.completion_of(sample, provider, body)
    sent, _ = laws.next_request(sample, provider, completion)
    key, inside = table(provider)["messages"], table(provider)["call"][0]
    assert laws.exact(sent[key][1][inside]) == laws.exact(at(body, table(provider)["at"]["content"]))
    assert wire.order_faults(sent) == []
    for target in CONVERSING:
        if target == provider:
            continue
        losses: list[Any] = []
        request = models.Request([models.UserMessage("Begin."), completion.message], model="m")
        foreign = laws.exact(laws.write(sample, target, request, losses))
        assert [s for s in wire.signatures(sent) if s in foreign] == []
        assert losses != []


def transcript() -> list[dict[str, Any]]:
    turns = [user("Begin.")]
    for i in range(3):
        pair = [call(f"t{i}a", "now", i=i), call(f"t{i}b", "get_weather", city=str(i))]
        results = [result(f"t{i}a", "now", "text", f"r{i}a"), result(f"t{i}b", "get_weather", "data", {"r": f"r{i}b"})]
        turns += [assistant(text(f"Turn {i}."), *pair), tool(results[0]), tool(results[1])]
    return [*turns, assistant(text("Done.")), user("Thanks.")]


CUTS = [(i, j) for i, j in itertools.combinations(range(len(transcript()) + 1), 2)]


@pytest.mark.parametrize("cut", CUTS, ids=lambda c: f"{c[0]}-{c[1]}")
def test_a_history_that_was_cut_is_found_and_repaired(sample: Package, models: Any, cut: tuple[int, int]) -> None:
    """At every boundary, from the front and from after; no result with a call is ever dropped."""
    messages = [models.load(models.Message, m) for m in transcript()[slice(*cut)]]
    module, before = sample.module("messages"), copy.deepcopy(messages)
    asked = {c.id for m in messages for c in module.tool_calls_of(m)}
    answered = {r.tool_call_id for m in messages if module.is_tool_result(m) for r in m.results}
    findings = module.validate(messages)
    assert len([f for f in findings if f.code == "orphan_call"]) == len(asked - answered)
    assert len([f for f in findings if f.code == "orphan_result"]) == len(answered - asked)
    assert (findings == []) == (asked == answered)
    repaired, done = module.repair(messages)
    assert messages == before
    assert done == findings
    assert module.validate(repaired) == []
    assert module.repair(repaired) == (repaired, [])
    values = {r.tool_call_id: r.value for m in repaired if module.is_tool_result(m) for r in m.results}
    assert set(values) == asked
    for message in messages:
        for tool_result in message.results if module.is_tool_result(message) else []:
            assert tool_result.tool_call_id not in asked or values[tool_result.tool_call_id] == tool_result.value
    for provider in OWN_CODE:
        request = models.Request([models.UserMessage("Begin."), *repaired], model="m")
        assert WIRES[provider].order_faults(laws.write(sample, provider, request)) == []


def test_validate_names_each_fault_at_its_place(sample: Package, models: Any) -> None:
    def codes(*messages: Any) -> list[tuple[str, str]]:
        findings = sample.module("messages").validate([models.load(models.Message, m) for m in messages])
        return [(f.code, f.path) for f in findings]

    answer = result("a", "now", "text", "x")
    assert codes(user("x"), assistant(call("a")), tool(answer)) == []
    assert codes(assistant(call("a"))) == [("orphan_call", "messages[0]")]
    assert codes(tool(answer)) == [("orphan_result", "messages[0].results[0]")]
    assert codes(assistant(call("a")), tool(answer, answer)) == [("duplicate_result", "messages[1].results[1]")]
    assert codes(assistant(call("a")), user("x"), tool(answer)) == [("wrong_order", "messages[2].results[0]")]
    assert codes(assistant(call("a")), tool({**answer, "name": ""})) == [("missing_name", "messages[1].results[0]")]
    assert ("duplicate_id", "messages[2]") in codes(
        assistant(call("a")), tool(answer), assistant(call("a")), tool(answer)
    )


def repaired(sample: Package, models: Any, *messages: Any) -> tuple[list[Any], list[str]]:
    """A repaired history as JSON, and the codes of what was found; what is repaired has no fault left."""
    module = sample.module("messages")
    loaded = [models.load(models.Message, m) for m in messages]
    before = copy.deepcopy(loaded)
    fixed, findings = module.repair(loaded)
    assert loaded == before
    assert findings == module.validate(loaded)
    assert module.validate(fixed) == []
    assert module.repair(fixed) == (fixed, [])
    return [models.dump(m) for m in fixed], [f.code for f in findings]


def test_ids_that_repeat_belong_to_their_own_turn(sample: Package, models: Any) -> None:
    noon, rain = result("call_0", "now", "text", "noon"), result("call_0", "get_weather", "text", "rain")
    first, second = assistant(call("call_0", "now")), assistant(call("call_0", "get_weather", city="Oslo"))
    fixed, codes = repaired(sample, models, first, tool(noon), second, tool(rain))
    assert codes == ["duplicate_id"]
    assert fixed[:2] == [first, tool(noon)]
    assert fixed[2]["content"][0]["call"] == {"id": "call_1_0", "name": "get_weather", "arguments": {"city": "Oslo"}}
    assert fixed[3]["results"] == [{**rain, "toolCallId": "call_1_0"}]
    fixed, codes = repaired(sample, models, first, second, tool(rain))  # the first one never got a result
    assert codes == ["duplicate_id", "orphan_call"]
    assert [r["value"] for m in fixed if m["role"] == "tool" for r in m["results"]] == ["no result recorded", "rain"]
    occupant = assistant(call("call_1_0"))
    fixed, _ = repaired(sample, models, occupant, tool(result("call_1_0", "now", "text", "x")), first, second)
    assert len({p["call"]["id"] for m in fixed if m["role"] == "assistant" for p in m["content"]}) == 3
    twice = assistant(call("call_0", "now"), call("call_0", "get_weather"))
    fixed, codes = repaired(sample, models, twice, tool(noon, rain))
    assert codes == ["duplicate_id"]
    assert [(r["toolCallId"], r["value"]) for r in fixed[1]["results"]] == [("call_0", "noon"), ("call_0_1", "rain")]


def test_a_result_before_its_call_is_moved_after_it(sample: Package, models: Any) -> None:
    fixed, codes = repaired(sample, models, tool(ONE), TWO, user("Well?"), tool(OTHER))
    assert codes == ["wrong_order", "wrong_order"]
    assert fixed == [TWO, tool(ONE, OTHER), user("Well?")]
    fixed, codes = repaired(sample, models, tool(ONE), TWO, tool(ONE, OTHER))
    assert codes == ["duplicate_result"]
    assert fixed == [TWO, tool(ONE, OTHER)]


def test_a_turn_without_a_fault_is_not_changed(sample: Package, models: Any) -> None:
    """What a tool message keeps for its provider stays, and so do several of them, and the order of results."""
    with_metadata = {**tool(OTHER), "metadata": {"openai_chat": {"x": 1}}}
    fixed, codes = repaired(
        sample, models, TWO, with_metadata, tool(ONE), tool(result("z", "now", "text", "x")), assistant(call("c"))
    )
    assert codes == ["orphan_result", "orphan_call"]
    assert fixed[1] == {**tool(ONE, OTHER), "metadata": {"openai_chat": {"x": 1}}}
    fixed, codes = repaired(sample, models, TWO, with_metadata, tool(ONE), assistant(call("c")))
    assert codes == ["orphan_call"]
    assert fixed[:3] == [TWO, with_metadata, tool(ONE)]


@pytest.mark.parametrize("value", ["Hello", {"role": "user", "content": "Hello"}, None, 1])
def test_what_is_not_a_message_is_refused(sample: Package, models: Any, value: Any) -> None:
    module = sample.module("messages")
    for function in (module.validate, module.repair):
        with pytest.raises(TypeError, match=rf"^messages\[1\]: expected a message, found {type(value).__name__}$"):
            function([models.UserMessage("Hello"), value])
        for messages in ("Hello", None, (message for message in [models.UserMessage("Hello")])):
            with pytest.raises(TypeError, match=f"^expected a list of messages, found {type(messages).__name__}$"):
                function(messages)


def test_what_only_has_a_message_is_no_message_without_calls(sample: Package, models: Any) -> None:
    module = sample.module("messages")
    completion = models.Completion(models.AssistantMessage("Hello"), "stop")
    for function in (module.text_of, module.tool_calls_of, module.has_tool_calls, module.is_tool_result):
        with pytest.raises(TypeError, match=r"^expected a message, found Completion$"):
            function(completion)


@pytest.mark.parametrize("ids", ["own", "same"])
def test_a_long_history_costs_what_its_length_costs(sample: Package, models: Any, ids: str) -> None:
    """Twice the messages, at most about twice the lines that run."""

    def steps(turns: int) -> int:
        messages: list[Any] = []
        for n in range(turns):
            single_call = models.ToolCall(f"c{n}" if ids == "own" else "c", "now", {})
            messages += [models.AssistantMessage([models.ToolCallPart(single_call)]), models.UserMessage("Well?")]
        messages += [
            models.ToolMessage([models.ToolResult(m.content[0].call.id, "now", "text", "x")]) for m in messages[::2]
        ]
        return lines_run(sample.module("messages").repair, messages)

    assert steps(400) < 2.2 * steps(200)


@pytest.mark.parametrize("several_turns", [False, True])
def test_telling_calls_with_one_id_apart_costs_what_their_number_costs(
    sample: Package, models: Any, several_turns: bool
) -> None:
    """In one turn with many of them, and in many turns with two each."""

    def steps(calls: int) -> int:
        messages: list[Any] = []
        turns = calls // 2 if several_turns else 1
        for n in range(turns):
            count = calls // turns
            messages.append(
                models.AssistantMessage(
                    [models.ToolCallPart(models.ToolCall(f"c{n}", "now", {})) for _ in range(count)]
                )
            )
            messages.append(models.ToolMessage([models.ToolResult(f"c{n}", "now", "text", "x") for _ in range(count)]))
        return lines_run(lambda: sample.provider("openai_chat").to_messages(messages, on_loss=lambda loss: None))

    steps(2)  # the first conversion of a process imports modules
    assert steps(400) < 2.2 * steps(200)


def lines_run(function: Callable[..., Any], *arguments: Any) -> int:
    """How many lines a call runs."""
    lines = 0

    def count(frame: Any, event: str, _: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return lines


def test_guards_and_readers_of_messages(sample: Package, models: Any) -> None:
    module = sample.module("messages")
    loaded = [models.load(models.Message, m) for m in (user("x"), TWO, tool(ONE), {"role": "system", "content": "s"})]
    assert [module.has_tool_calls(m) for m in loaded] == [False, True, False, False]
    assert [module.is_tool_result(m) for m in loaded] == [False, False, True, False]
    assert [module.text_of(m) for m in loaded] == ["x", "One moment.", "noon", "s"]
    assert [[c.id for c in module.tool_calls_of(m)] for m in loaded] == [[], ["a", "b"], [], []]
    pieces = models.load(models.Message, assistant(text("a"), call("c"), text("b")))
    assert module.text_of(pieces) == "ab"
    empty = models.load(models.Message, {"role": "assistant", "content": "x", "toolCalls": []})
    assert not module.has_tool_calls(empty)


@over("kind", ["text", "data", "error", "multimodal"])
@each_provider
def test_a_result_of_each_kind_arrives_once(sample: Package, models: Any, provider: str, kind: str) -> None:
    """Its text is there once, its image once and never inside of a text."""
    value: Any = {"data": {"said": "seven degrees"}, "multimodal": [text("seven degrees"), IMAGE]}.get(
        kind, "seven degrees"
    )
    body = laws.write(sample, provider, one_result(models, kind, value))
    shown = laws.exact(body)
    assert shown.count("seven degrees") == 1
    assert shown.count(PIXEL) == (kind == "multimodal" and not table(provider).get("no_media"))
    assert PIXEL not in WIRES[provider].texts(body)
    back = laws.read(sample, provider, body).messages[2].results[0]
    if kind == "error":
        assert (back.kind, back.value) == ("error", "seven degrees")
    if kind == "multimodal":
        assert "seven degrees" in laws.exact(models.dump(back))


SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$ref": "#/$defs/T",
    "$defs": {"T": {"type": "object", "properties": {"a": {"type": "string", "default": None}}}},
}


@over(
    "value",
    [
        SCHEMA,
        {},
        [],
        None,
        "s",
        "",
        0,
        False,
        1e300,
        {"error": 1},
        {"output": 1},
        {"error": "x", "more": 1},
        {"": {"$ref": "x"}},
    ],
)
@each_provider
def test_data_of_any_shape_arrives_as_it_is(sample: Package, models: Any, provider: str, value: Any) -> None:
    request = models.Request(
        [
            models.UserMessage("Hello"),
            models.AssistantMessage([models.ToolCallPart(models.ToolCall("call_a", "now", {}))]),
            models.ToolMessage([models.ToolResult("call_a", "now", "data", value)]),
        ],
        model="m",
    )
    losses: list[Any] = []
    body = laws.write(sample, provider, request, losses)
    assert WIRES[provider].type_faults(body) == []
    (seen_result,) = WIRES[provider].results(body)
    actual = json.loads(seen_result.value) if isinstance(seen_result.value, str) else seen_result.value
    reported = [(loss.path, loss.what) for loss in losses if loss.path.startswith("messages")]
    as_text = reported == [("messages[2].results[0]", "data")]
    if as_text:  # where a word in it means something to the API
        assert "$ref" in laws.exact(value)
        actual = json.loads(actual["output"])
    # On a wire of objects a value that is none, or that owns a word of the wire, is wrapped.
    assert laws.exact(actual) in (laws.exact(value), laws.exact({"output": value}))
    back = laws.read(sample, provider, body).messages[2].results[0]
    if "data" in table(provider)["kept"] and isinstance(value, dict) and not as_text:
        assert (back.kind, laws.exact(back.value)) == ("data", laws.exact(value))
    # A lone `error` in data and an error look alike where there is no flag: it is read as one only there.
    flagless = '\\"error\\":' in laws.exact(table(provider)["results"]["error"]["wire"])
    assert back.kind != "error" or (flagless and isinstance(value, dict) and set(value) == {"error"})


@each_provider
def test_a_plain_value_is_written_as_every_other_one(sample: Package, models: Any, provider: str) -> None:
    """The short way for plain values gives the bytes of the long way, which a cached prompt rests on."""
    module = sample.provider(provider)

    def written(metadata: Any, **more: Any) -> str:
        def messages_of(turn: int) -> list[Any]:
            call = models.ToolCall(f"call_{turn}", "now", {"a": 1, "b": [1.5, None]}, metadata=metadata)
            content = [models.TextPart("Hello", metadata=metadata, **more), models.ToolCallPart(call)]
            results = [models.ToolResult(call.id, "now", kind, value) for kind, value in (("data", {"x": 1}),)]
            return [models.UserMessage(content[:1]), models.AssistantMessage(content), models.ToolMessage(results)]

        return json.dumps(module.to_messages([m for turn in range(2) for m in messages_of(turn)]))

    assert written(None) == written({}) == written({"some_other": {"$kept": 1}})


@over("value", [math.nan, math.inf, {"a": [-math.inf]}, {1, 2}, b"x", {"a": object()}, 1j])
@each_provider
def test_what_json_cannot_say_is_refused_at_its_place(sample: Package, models: Any, provider: str, value: Any) -> None:
    module = sample.provider(provider)
    asked = models.AssistantMessage([models.ToolCallPart(models.ToolCall("call_a", "now", {}))])
    answered = models.ToolMessage([models.ToolResult("call_a", "now", "data", value)])
    with pytest.raises(models.ConversionError) as caught:
        module.to_request(models.Request([models.UserMessage("Hello"), asked, answered]))
    assert "messages[2].results[0]" in str(caught.value)
    asking = models.AssistantMessage([models.ToolCallPart(models.ToolCall("call_a", "now", {"deep": value}))])
    with pytest.raises(models.ConversionError) as caught:
        module.to_request(models.Request([models.UserMessage("Hello"), asking]))
    assert "messages[1].content[0]" in str(caught.value)


@each_provider
def test_what_holds_itself_is_refused_at_its_place(sample: Package, models: Any, provider: str) -> None:
    value: dict[str, Any] = {}
    value["deep"] = [value]
    calls = [models.ToolCallPart(models.ToolCall(f"call_{i}", "now", v)) for i, v in enumerate(({}, value))]
    with pytest.raises(models.ConversionError) as caught:
        sample.provider(provider).to_request(
            models.Request([models.UserMessage("Hello"), models.AssistantMessage(calls)])
        )
    assert "messages[1].content[1]" in str(caught.value)
