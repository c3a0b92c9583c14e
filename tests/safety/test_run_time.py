"""What comes from a model: arguments, calls and names, up to the handler that runs or does not."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import pytest

from tests.support.generated import Package
from tests.support.runnable_project import Handlers, reviewed

BROKEN = {
    "cut": '{"path": "a',
    "cut inside of a number": '{"path": "a", "lines": 1',
    "text after": '{"path": "a"} ok',
    "two values": '{"path": "a"}{"path": "b"}',
    "a comment": '{"path": "a"} // no',
    "single quotes": "{'path': 'a'}",
    "a comma at the end": '{"path": "a",}',
    "NaN": '{"path": "a", "lines": NaN}',
    "infinity": '{"path": "a", "lines": Infinity}',
    "overflow": '{"path": "a", "lines": 1e999}',
    "a key twice": '{"path": "a", "path": "b"}',
    "a key twice, escaped": '{"path": "a", "p\\u0061th": "b"}',
    "nested too deep": '{"path": ' + "[" * 100_000,
    "nested too deep, whole": '{"path": ' + "[" * 5_000 + "]" * 5_000 + "}",
    "an endless integer": '{"path": "a", "lines": ' + "9" * 100_000 + "}",
    "nothing": "",
    "a list": "[]",
    "a text": '"path"',
    "a lone surrogate": '{"path": "\\ud800"}',
    "Python": "__import__('os').system('true')",
}


@pytest.mark.safety("7.1")
@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_arguments_are_strict_json(runnable: Package, text: str) -> None:
    tools = runnable.module("tools")
    for text_or_bytes in (text, text.encode("utf-8", "surrogatepass")):
        with pytest.raises(tools.ArgumentsError) as raised:
            tools.parse_arguments("read_file", text_or_bytes)
        assert len(str(raised.value)) < 500


@pytest.mark.safety("7.2")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_file", {"path": "a", "lines": True}),
        ("read_file", {"path": 1}),
        ("read_file", {"path": "a", "lines": "1"}),
        ("read_file", {"path": ["a"]}),
        ("read_file", {"path": None}),
        ("run_command", {"command": "a", "level": True}),
    ],
)
def test_no_value_is_taken_for_another_type(runnable: Package, name: str, arguments: Any) -> None:
    tools = runnable.module("tools")
    for value_or_text in (arguments, json.dumps(arguments)):
        with pytest.raises(tools.ArgumentsError):
            tools.parse_arguments(name, value_or_text)


@pytest.mark.safety("7.2")
def test_large_integers_and_pairs_of_surrogates_are_exact(runnable: Package) -> None:
    parse = runnable.module("tools").parse_arguments
    assert parse("read_file", f'{{"path": "\\ud83d\\ude00", "lines": {2**70 + 1}}}').lines == 2**70 + 1
    assert parse("read_file", '{"path": "\\ud83d\\ude00"}').path == "\U0001f600"
    assert parse("read_file", {"path": "a", "lines": 2**53 + 1}).lines == 2**53 + 1


@pytest.mark.safety("7.3")
@pytest.mark.parametrize(
    "key", ["__class__", "__dict__", "__proto__", "constructor", "model_config", "model_fields", "x"]
)
def test_an_unknown_property_is_refused_by_name_and_sets_nothing(runnable: Package, key: str) -> None:
    tools = runnable.module("tools")
    with pytest.raises(tools.ArgumentsError) as raised:
        tools.parse_arguments("read_file", {"path": "a", key: {"x": 1}})
    assert key in str(raised.value)
    open_one = tools.parse_arguments("grep", {"pattern": "a", key: {"x": 1}})
    assert type(open_one).__name__ == "GrepArguments"
    assert open_one.model_dump() == {"pattern": "a", key: {"x": 1}}


@pytest.mark.safety("7.4")
@pytest.mark.parametrize(
    "arguments",
    [
        {"path": {"secret-word": "secret-word"}},
        {"path": "a", "lines": "secret-word"},
        {"path": ["secret-word"] * 5000},
        {"path": "a", **{f"k{i}": "secret-word" for i in range(5000)}},
    ],
)
def test_messages_hold_no_values_and_stay_short(
    runnable: Package, arguments: Any, caplog: pytest.LogCaptureFixture
) -> None:
    tools, models = runnable.module("tools"), runnable.module("models")
    with pytest.raises(tools.ArgumentsError) as raised:
        tools.parse_arguments("read_file", arguments)
    result = tools.dispatch_sync(models.ToolCall("c1", "read_file", arguments), Handlers())
    for text in (str(raised.value), repr(raised.value), result.value, caplog.text):
        assert "secret-word" not in text
        assert len(text) < 5000


def calls(package: Package) -> dict[str, Any]:
    """Calls that must not run, by why."""
    models = package.module("models")
    invalid, good = models.InvalidCall, {"path": "a", "text": "b"}
    calls_by_reason = {
        reason: models.ToolCall("c1", "write_file", good, invalid('{"path": "a", "text": "b"}', reason))
        for reason in ("truncated", "filtered", "malformed", "not_an_object", "duplicate_id", "untrusted")
    }
    calls_by_reason["an unknown tool"] = models.ToolCall("c1", "write_fil", good)
    calls_by_reason["another case"] = models.ToolCall("c1", "Write_File", good)
    calls_by_reason["a letter that looks alike"] = models.ToolCall("c1", "wr\u0456te_file", good)
    calls_by_reason["a name with a blank"] = models.ToolCall("c1", "write_file ", good)
    calls_by_reason["the case of an alias"] = models.ToolCall("c1", "Bash", {"command": "a"})
    calls_by_reason["arguments that do not fit"] = models.ToolCall("c1", "write_file", {"path": "a"})
    return calls_by_reason


@pytest.mark.safety("7.4")
def test_faults_cost_what_their_number_costs(runnable: Package) -> None:
    tools = runnable.module("tools")

    def steps(number: int) -> int:
        lines = 0

        def count(frame: Any, event: str, _: Any) -> Any:
            nonlocal lines
            lines += event == "line"
            return count

        extra = {f"k{i}": f"text {i}" for i in range(number)}
        before = sys.gettrace()
        sys.settrace(count)
        try:
            with pytest.raises(tools.ArgumentsError):
                tools.parse_arguments("read_file", extra)
        finally:
            sys.settrace(before)
        return lines

    assert steps(400) < 2.2 * steps(200)


@pytest.mark.safety("7.7", "7.10")
def test_only_a_whole_known_and_fitting_call_runs(runnable: Package) -> None:
    tools, handlers = runnable.module("tools"), Handlers()
    for why, call in calls(runnable).items():
        assert tools.dispatch_sync(call, handlers).kind == "error", why
    assert handlers.log == []


@pytest.mark.safety("7.7")
@pytest.mark.parametrize("reason", ["length", "content_filter", "error"])
def test_valid_json_is_no_proof_that_a_call_is_whole(runnable: Package, reason: str) -> None:
    """A cut number is a smaller number: the reason of the end decides."""
    provider = runnable.provider("openai_chat")
    word = {"length": "length", "content_filter": "content_filter", "error": None}[reason]
    stream = provider.Stream()
    call = {
        "index": 0,
        "id": "c1",
        "type": "function",
        "function": {"name": "run_command", "arguments": '{"command":"a"}'},
    }
    stream.feed({"id": "a", "choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": word}]})
    stream.finish(None if word else ConnectionError("cut"))
    (tool_call,) = runnable.module("messages").tool_calls_of(stream.result().message)
    assert tool_call.invalid is not None
    handlers = Handlers()
    assert runnable.module("tools").dispatch_sync(tool_call, handlers).kind == "error"
    assert handlers.log == []


@pytest.mark.safety("7.8")
def test_ids_are_made_twice_is_an_error_and_none_is_lost(runnable: Package) -> None:
    provider, messages = runnable.provider("openai_chat"), runnable.module("messages")
    function = {"name": "grep", "arguments": '{"pattern":"a"}'}
    wire = [
        {"type": "function", "function": function, **({"id": i} if i is not None else {})} for i in ("x", "x", "", None)
    ]
    body = {
        "choices": [{"index": 0, "message": {"role": "assistant", "tool_calls": wire}, "finish_reason": "tool_calls"}]
    }
    tool_calls = messages.tool_calls_of(provider.from_response(body, turn=3).message)
    assert [call.id for call in tool_calls] == ["x", "call_3_1", "call_3_2", "call_3_3"]
    assert [call.invalid is None for call in tool_calls].count(False) == 1
    results = asyncio.run(reviewed(runnable).dispatch_all(tool_calls, Handlers()))
    assert [(r.tool_call_id, r.kind) for r in results] == [
        (call.id, "data" if call.invalid is None else "error") for call in tool_calls
    ]


@pytest.mark.safety("7.5")
def test_an_absurd_index_costs_nothing(runnable: Package) -> None:
    provider = runnable.provider("openai_chat")
    stream = provider.Stream()
    for index in (2**62, 7, -1):
        call = {"index": index, "id": f"c{index}", "type": "function", "function": {"name": "grep", "arguments": "{}"}}
        stream.feed({"id": "a", "choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]})
    before = sys.getsizeof(stream)
    stream.feed({"id": "a", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    stream.finish()
    assert sys.getsizeof(stream) == before
    assert len(runnable.module("messages").tool_calls_of(stream.result().message)) == 3


@pytest.mark.safety("7.10")
def test_risk_is_that_of_the_declaration(runnable: Package) -> None:
    models, tools, reviewed = runnable.module("models"), runnable.module("tools"), []

    def review(call: Any, arguments: Any) -> Any:
        reviewed.append(call.name)
        return runnable.module("running").Deny()

    annotations = {"risk": "low", "declaration": {"$risk": "low"}, "unknown": {"risk": "low"}}
    call = models.ToolCall("c1", "run_command", {"command": "a", "risk": "low"}, metadata=annotations)
    asyncio.run(tools.dispatch_all([call], Handlers(), review=review))
    assert reviewed == ["run_command"]
