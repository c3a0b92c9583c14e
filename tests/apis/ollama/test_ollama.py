"""What only Ollama's native chat has: no tool choice, images by their bytes, results by name or order, narrow clients."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers import laws
from tests.support.exchanges import Exchanges, sent
from tests.support.generated import Package
from tests.support.requests import HELLO, PIXEL, WEATHER, result
from tests.support.responses import response_of
from tests.support.wires import WIRES

PROVIDER = "ollama"
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="


def written_with(sample: Package, models: Any, **more: Any) -> tuple[Any, list[tuple[str, str, str]]]:
    """The body for a request with these fields, and the path, action and severity of what was lost."""
    losses: list[Any] = []
    request = models.load(models.Request, {"model": "m", "messages": [HELLO], "stream": False, **more})
    body = laws.write(sample, PROVIDER, request, losses)
    return body, [(loss.path, loss.action, loss.severity) for loss in losses]


TOOLS = [WEATHER, {"name": "now", "parameters": {"type": "object", "properties": {}}}]


def names(body: Any) -> list[str]:
    return [tool["function"]["name"] for tool in body.get("tools", [])]


def test_auto_needs_no_word(sample: Package, models: Any) -> None:
    body, losses = written_with(sample, models, tools=TOOLS, toolChoice="auto")
    assert (names(body), losses) == (["get_weather", "now"], [])
    assert sample.provider(PROVIDER).to_tool_choice("auto") is None
    assert sample.provider(PROVIDER).from_tool_choice(None) is None


def test_none_leaves_the_tools_out(sample: Package, models: Any) -> None:
    body, losses = written_with(sample, models, tools=TOOLS, toolChoice="none")
    assert "tools" not in body
    assert losses == [("toolChoice", "rewritten", "note"), ("tools", "dropped", "note")]
    with pytest.raises(models.ConversionError, match="toolChoice"):
        sample.provider(PROVIDER).to_tool_choice("none")


def test_tools_that_are_not_allowed_are_left_out(sample: Package, models: Any) -> None:
    body, losses = written_with(sample, models, tools=TOOLS, toolChoice={"names": ["now"], "mode": "auto"})
    assert names(body) == ["now"]
    assert losses == [("toolChoice", "rewritten", "note"), ("tools[0]", "dropped", "note")]
    body, losses = written_with(sample, models, tools=TOOLS, toolChoice={"names": ["now"], "mode": "required"})
    assert names(body) == ["now"]
    assert ("toolChoice", "dropped", "behaviour") in losses


def test_a_tool_that_must_be_called_is_the_only_one(sample: Package, models: Any) -> None:
    body, losses = written_with(sample, models, tools=TOOLS, toolChoice={"name": "now"})
    assert names(body) == ["now"]
    assert losses == [("toolChoice", "dropped", "behaviour"), ("tools[0]", "dropped", "note")]
    body, losses = written_with(sample, models, tools=TOOLS, toolChoice={"name": "gone"})
    assert names(body) == ["get_weather", "now"]
    assert losses == [("toolChoice", "dropped", "behaviour")]


def test_a_description_of_all_parameters_is_reported(sample: Package, models: Any) -> None:
    tool = {"name": "now", "parameters": {"type": "object", "description": "When.", "properties": {}}}
    body, losses = written_with(sample, models, tools=[tool])
    assert body["tools"][0]["function"]["parameters"] == {"type": "object", "properties": {}}
    assert losses == [("tools[0].parameters.description", "dropped", "note")]


@pytest.mark.parametrize(
    ("reasoning", "think", "lost"),
    [
        ({}, True, []),
        ({"effort": "none"}, False, []),
        ({"effort": "max"}, "max", []),
        ({"effort": "minimal"}, "low", [("reasoning.effort", "rewritten", "note")]),
        ({"effort": "wild"}, True, [("reasoning.effort", "rewritten", "warning")]),
        ({"budgetTokens": 0}, False, [("reasoning.budgetTokens", "rewritten", "note")]),
        ({"budgetTokens": 9}, True, [("reasoning.budgetTokens", "dropped", "warning")]),
    ],
)
def test_effort_is_a_switch_or_a_word(
    sample: Package, models: Any, reasoning: Any, think: Any, lost: list[Any]
) -> None:
    body, losses = written_with(sample, models, reasoning=reasoning)
    assert body["think"] is think if isinstance(think, bool) else body["think"] == think
    assert losses == lost
    back = models.dump(laws.read(sample, PROVIDER, body).reasoning)
    assert lost or back == reasoning


@pytest.mark.parametrize(("spelled", "on"), [({}, True), ({"stream": None}, True), ({"stream": False}, False)])
def test_silence_asks_for_a_stream(sample: Package, spelled: Any, on: bool) -> None:
    body = {"model": "m", "messages": [dict(HELLO)], **spelled}
    request = laws.read(sample, PROVIDER, body)
    assert request.stream is on
    assert laws.exact(laws.write(sample, PROVIDER, request)) == laws.exact(body)
    request.stream = None
    assert laws.write(sample, PROVIDER, request)["stream"] is False


def test_no_limit_is_no_number(sample: Package) -> None:
    body = {"model": "m", "messages": [dict(HELLO)], "options": {"num_predict": -1}}
    request = laws.read(sample, PROVIDER, body)
    assert request.max_output_tokens is None
    assert laws.exact(laws.write(sample, PROVIDER, request)) == laws.exact(body)


def test_media_are_known_by_their_bytes(sample: Package, models: Any) -> None:
    image = {"type": "image", "data": PIXEL, "mediaType": "image/png"}
    sound = {"type": "audio", "data": WAV, "mediaType": "audio/wav"}
    content = [{"type": "text", "text": "Well?"}, image, sound]
    body, losses = written_with(sample, models, messages=[{"role": "user", "content": content}])
    assert body["messages"] == [{"role": "user", "content": "Well?", "images": [PIXEL, WAV]}]
    assert losses == []
    assert models.dump(laws.read(sample, PROVIDER, body).messages[0])["content"] == content
    wrong = [{**image, "mediaType": "image/gif"}, {**sound, "data": PIXEL}, {"type": "video", "url": "https://e.com"}]
    _, losses = written_with(sample, models, messages=[{"role": "user", "content": wrong}])
    assert losses == [
        ("messages[0].content[0].mediaType", "dropped", "note"),
        ("messages[0].content[1]", "described", "warning"),
        ("messages[0].content[2]", "described", "warning"),
    ]


def asking(*calls: tuple[str, Any]) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": name, "arguments": arguments}} for name, arguments in calls],
    }


RESULTS: list[tuple[list[dict[str, Any]], list[int]]] = [
    ([{"content": "a"}, {"content": "b"}, {"content": "c"}], [0, 1, 2]),
    ([{"tool_name": "now", "content": "a"}, {"tool_name": "get_weather", "content": "b"}], [0, 1]),
    (
        [
            {"tool_name": "get_weather", "content": "b"},
            {"tool_name": "now", "content": "a"},
            {"tool_name": "now", "content": "c"},
        ],
        [1, 0, 2],
    ),
    ([{"tool_name": "now", "content": "a"}, {"tool_name": "now", "content": "c"}], [0, 2]),
]


@pytest.mark.parametrize(("results", "paired"), RESULTS)
def test_results_without_ids_find_their_calls(sample: Package, results: Any, paired: list[int]) -> None:
    body = {
        "model": "m",
        "messages": [
            asking(("now", {}), ("get_weather", {"city": "Oslo"}), ("now", {"zone": "UTC"})),
            *({"role": "tool", **result} for result in results),
        ],
        "stream": False,
    }
    request = laws.read(sample, PROVIDER, body)
    called = [part.call for part in request.messages[0].content]
    pairs = [(result.tool_call_id, result.name) for result in request.messages[1].results]
    assert pairs == [(called[i].id, called[i].name) for i in paired]
    assert laws.exact(laws.write(sample, PROVIDER, request)) == laws.exact(body)


def test_results_of_one_tool_stand_in_the_order_of_its_calls(sample: Package) -> None:
    """Where the calls had no ids, nothing else tells them apart."""
    results = [{"role": "tool", "tool_name": "now", "content": content} for content in ("first", "second")]
    body = {"model": "m", "messages": [asking(("now", {}), ("now", {"zone": "UTC"})), *results], "stream": False}
    request = laws.read(sample, PROVIDER, body)
    request.messages[1].results.reverse()
    losses: list[Any] = []
    written = laws.write(sample, PROVIDER, request, losses)
    assert laws.exact(written) == laws.exact(body)
    assert {loss.action for loss in losses} == {"moved"}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_results_have_the_order_of_calls_whose_ids_the_client_drops(
    exchanges: Exchanges, sample: Package, models: Any, order: tuple[int, ...]
) -> None:
    calls = [("a", "now", {}), ("b", "get_weather", {"city": "Oslo"}), ("c", "now", {"zone": "UTC"})]
    parts = [{"type": "tool_call", "call": {"id": i, "name": n, "arguments": a}} for i, n, a in calls]
    results = [result(calls[i][0], calls[i][1], "text", f"for {calls[i][0]}") for i in order]
    history = [HELLO, {"role": "assistant", "content": parts}, {"role": "tool", "results": results}]
    request = models.load(models.Request, {"model": "m", "messages": history, "stream": False})
    losses: list[Any] = []
    sample.provider(PROVIDER).to_sdk(request, on_loss=losses.append)
    body = sent(exchanges, sample, PROVIDER, request)
    contents: dict[str, list[str]] = {}
    for message in body["messages"][2:]:
        contents.setdefault(message["tool_name"], []).append(message["content"])
    assert contents == {"now": ["for a", "for c"], "get_weather": ["for b"]}
    moved = [loss for loss in losses if loss.action == "moved"]
    assert bool(moved) == (order.index(0) > order.index(2))
    assert {loss.severity for loss in losses} == {"note"}
    written = laws.write(sample, PROVIDER, request)["messages"][2:]
    assert [message["tool_call_id"] for message in written] == [calls[i][0] for i in order]


NESTED = {
    "name": "book",
    "parameters": {
        "type": "object",
        "properties": {"guest": {"type": "object", "properties": {"name": {"type": "string"}}}},
    },
}


@pytest.mark.filterwarnings("error")
def test_what_the_client_would_not_send_is_told(sample: Package, models: Any) -> None:
    message = {
        "role": "assistant",
        "content": [{"type": "tool_call", "call": {"id": "c", "name": "now", "arguments": {}}}],
    }
    request = models.load(
        models.Request, {"model": "m", "messages": [HELLO, message], "tools": [NESTED], "stream": False}
    )
    request.metadata = {PROVIDER: {"truncate": False}}
    losses: list[Any] = []
    arguments = sample.provider(PROVIDER).to_sdk(request, on_loss=losses.append)
    assert "truncate" not in arguments
    assert [(loss.path, loss.what, loss.severity) for loss in losses] == [
        ("messages", "messages.tool_calls.id", "note"),
        ("tools", "tools.function.parameters.properties.*.properties", "warning"),
        ("truncate", "truncate", "warning"),
    ]
    with pytest.raises(models.ConversionLoss):
        sample.provider(PROVIDER).to_sdk(request)


def test_the_client_reads_no_file(exchanges: Exchanges, sample: Package, models: Any, tmp_path: Any) -> None:
    """It takes text for the name of a file, where there is one: so it gets bytes, or nothing."""
    secret = tmp_path / "secret"
    secret.write_text("sesame")
    part = {"type": "image", "data": str(secret)}
    request = models.load(models.Request, {"model": "m", "messages": [{"role": "user", "content": [part]}]})
    with pytest.raises(models.ConversionError, match=r"messages\[0\]\.images\[0\]: must be base64"):
        sample.provider(PROVIDER).to_sdk(request)
    request.messages[0].content[0].data = PIXEL
    assert sent(exchanges, sample, PROVIDER, request)["messages"][0]["images"] == [PIXEL]


@pytest.mark.parametrize("at", [0, 1, 3])
def test_an_error_line_ends_a_stream(sample: Package, at: int) -> None:
    events = WIRES[PROVIDER].split(response_of(PROVIDER, calls=True, stop="stop"))
    failed = {"error": "an error was encountered while running the model: unexpected EOF"}
    completion, heard = laws.played(sample, PROVIDER, [*events[:at], failed, *events[at:][:-1]])
    assert (heard[-2].type, heard[-2].message) == ("error", failed["error"])
    assert completion.finish_reason == "error"
    assert completion.metadata[PROVIDER]["error"] == failed["error"]
    assert all(call.invalid for call in laws.calls_of(sample, completion))


def test_a_tool_may_lack_its_type(sample: Package) -> None:
    """The server does not look at it."""
    body = {"model": "m", "messages": [dict(HELLO)], "tools": [{"function": {"name": "now"}}], "stream": False}
    request = laws.read(sample, PROVIDER, body)
    assert [tool.name for tool in request.tools] == ["now"]
    assert laws.exact(laws.write(sample, PROVIDER, request)) == laws.exact(body)
    request.tools[0].metadata = None
    assert laws.write(sample, PROVIDER, request)["tools"][0]["type"] == "function"


@pytest.mark.parametrize(
    "more", [{"done": False}, {"error": "out of memory"}, {"message": None}], ids=["not done", "an error", "no message"]
)
def test_a_response_that_is_none_failed(sample: Package, more: Any) -> None:
    body = {**response_of(PROVIDER, calls=True, stop="stop"), **more}
    completion = laws.completion_of(sample, PROVIDER, body)
    assert completion.finish_reason == "error"
    assert all(call.invalid for call in laws.calls_of(sample, completion))
    assert laws.exact(sample.provider(PROVIDER).to_response(completion)) == laws.exact(body)


def test_a_result_of_an_unknown_kind_of_call_takes_no_other_call(sample: Package) -> None:
    calls = [{"id": "a", "x_kind": {"input": "go"}}, {"id": "b", "function": {"name": "now", "arguments": {}}}]
    results = [{"role": "tool", "tool_call_id": identifier, "content": identifier} for identifier in ("a", "b")]
    message = {"role": "assistant", "content": "", "tool_calls": calls}
    body = {"model": "m", "stream": False, "messages": [{"role": "user", "content": "Hi"}, message, *results]}
    request = laws.read(sample, PROVIDER, body)
    assert [(result.tool_call_id, result.name) for result in request.messages[2].results] == [("a", ""), ("b", "now")]
    assert laws.write(sample, PROVIDER, request) == body
    elsewhere = laws.write(sample, "anthropic", request)
    assert WIRES["anthropic"].order_faults(elsewhere) == []
    assert "a" in WIRES["anthropic"].texts(elsewhere).splitlines()


def test_an_unknown_reason_comes_back_with_calls(sample: Package) -> None:
    provider = sample.module("providers.ollama")
    calls = [{"function": {"name": "now", "arguments": {}}}]
    body = {"message": {"role": "assistant", "content": "", "tool_calls": calls}, "done": True, "done_reason": "x_new"}
    assert provider.to_response(provider.from_response(body))["done_reason"] == "x_new"


def test_a_result_without_id_and_call_gets_an_id(sample: Package) -> None:
    results = [{"role": "tool", "content": "a"}, {"role": "tool", "content": "b", "tool_name": "now"}]
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi."}, *results], "stream": False}
    request = sample.provider("ollama").from_request(body)
    read = [(result.tool_call_id, result.name) for message in request.messages[1:] for result in message.results]
    assert read == [("call_0_0", ""), ("call_0_1", "now")]
    assert sample.provider("ollama").to_request(request) == body
