"""The gateway: the official OpenAI client talks to Anthropic's API through it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from examples.gateway_errors import client_path
from generated import models
from tests.examples.responses import REFUSED, reply, stream
from tests.support.exchanges import whole
from tests.support.loopback import Loopback, Reply

pytestmark = pytest.mark.slow

Client = openai.OpenAI

TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "tide",
            "description": "The tide.",
            "parameters": {"type": "object", "properties": {"harbour": {"type": "string"}}, "required": ["harbour"]},
        },
    }
]
HELLO: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"}]
CALLS = (("tide", {"harbour": "Bergen"}), ("tide", {"harbour": 'Å "x"\n'}))


Serving = Callable[[str, str], AbstractContextManager[str]]


@pytest.fixture(scope="module")
def gateway(serving: Serving, api: Loopback) -> Iterator[str]:
    """The address of a gateway to the API. It keeps nothing between requests, so one serves all tests."""
    with serving("gateway", api.address) as address:
        yield address


@pytest.fixture(scope="module")
def gateway_to_nowhere(serving: Serving, nowhere: str) -> Iterator[str]:
    with serving("gateway", nowhere) as address:
        yield address


def connected(address: str) -> Client:
    return openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0)


@pytest.fixture
def client(gateway: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with connected(gateway) as connection:
        yield connection


def test_a_conversation_with_a_call_goes_through(client: Client, upstream: Loopback) -> None:
    upstream.replies.extend([reply("anthropic", "I look.", CALLS[0]), reply("anthropic", "It is low.")])
    first = client.chat.completions.create(model="any", messages=HELLO, tools=TOOLS, n=1, user="u")
    assert first.id.startswith("chatcmpl-")
    (choice,) = first.choices
    assert (choice.finish_reason, choice.message.content) == ("tool_calls", "I look.")
    assert choice.message.tool_calls is not None
    (call,) = choice.message.tool_calls
    assert call.type == "function"
    assert (call.function.name, json.loads(call.function.arguments)) == CALLS[0]
    assert first.usage is not None
    assert (first.usage.prompt_tokens, first.usage.completion_tokens) == (10, 5)

    result = {"role": "tool", "tool_call_id": call.id, "content": "low"}
    history: Any = [*HELLO, choice.message.model_dump(exclude_none=True), result]
    second = client.chat.completions.create(model="any", messages=history, tools=TOOLS)
    assert second.choices[0].message.content == "It is low."
    assert second.choices[0].finish_reason == "stop"

    asked, again = upstream.heard
    assert (asked.path, "secret" in str(asked.headers), "none" in str(asked.headers)) == ("/v1/messages", True, False)
    assert (asked.body["model"], asked.body["system"]) == ("some-model", "Be brief.")
    assert [tool["name"] for tool in asked.body["tools"]] == ["tide"]
    assert [message["role"] for message in again.body["messages"]] == ["user", "assistant", "user"]
    assert again.body["messages"][1]["content"][-1]["id"] == again.body["messages"][2]["content"][0]["tool_use_id"]


@pytest.mark.parametrize("usage", [True, False], ids=["with usage", "without usage"])
def test_a_stream_with_two_calls_goes_through(client: Client, upstream: Loopback, usage: bool) -> None:
    upstream.replies.append(stream("anthropic", "I look ", "twice.", *CALLS))
    options: Any = {"include_usage": True} if usage else openai.omit
    chunks = []
    with client.chat.completions.stream(model="any", messages=HELLO, tools=TOOLS, stream_options=options) as streamed:
        chunks = [event.chunk for event in streamed if event.type == "chunk"]
        whole_one = streamed.get_final_completion()
    (choice,) = whole_one.choices
    assert (choice.finish_reason, choice.message.content) == ("tool_calls", "I look twice.")
    assert choice.message.tool_calls is not None
    calls = [(call.function.name, json.loads(call.function.arguments)) for call in choice.message.tool_calls]
    assert calls == list(CALLS)
    assert len({call.id for call in choice.message.tool_calls}) == 2
    assert len({chunk.id for chunk in chunks}) == 1
    assert [chunk.usage.total_tokens for chunk in chunks if chunk.usage] == ([15] if usage else [])
    assert all(chunk.choices for chunk in chunks) == (not usage)
    assert upstream.heard[0].body["stream"] is True


@pytest.mark.parametrize("streaming", [False, True])
def test_a_refusal_keeps_its_status(client: Client, upstream: Loopback, streaming: bool) -> None:
    upstream.replies.append(REFUSED)
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="any", messages=HELLO, stream=streaming)
    assert (caught.value.status_code, caught.value.code) == (400, "invalid_request")
    assert caught.value.type == "invalid_request_error"
    assert "no such model" in caught.value.message


def test_a_key_that_the_provider_refuses_is_told(client: Client, upstream: Loopback) -> None:
    body = {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}
    upstream.replies.append(whole(body, 401))
    with pytest.raises(openai.AuthenticationError) as caught:
        client.chat.completions.create(model="any", messages=HELLO)
    assert caught.value.code == "authentication"


def test_a_request_that_is_none_is_refused_with_its_place(client: Client, upstream: Loopback) -> None:
    wrong: Any = [{"role": "user", "content": 5}]
    with pytest.raises(openai.BadRequestError, match=r"messages\[0\]\.content"):
        client.chat.completions.create(model="any", messages=wrong)
    assert not upstream.heard


BEYOND: dict[str, Any] = {
    "several responses": {"n": 2},
    "logprobs": {"logprobs": True},
    "seed": {"seed": 7},
    "functions": {"functions": [{"name": "f", "parameters": {"type": "object"}}]},
    "another choice": {"tool_choice": "sometimes"},
    "audio": {"modalities": ["audio"], "audio": {"voice": "v", "format": "wav"}},
    "another role": {"messages": [*HELLO, {"role": "alien", "content": "Hm."}]},
    "an older role": {"messages": [*HELLO, {"role": "function", "name": "f", "content": "Hm."}]},
}


RECORDED = [json.loads(line) for line in Path(__file__).with_name("client_requests.jsonl").read_text().splitlines()]
"""What the clients of `make clients` send for text, a tool loop, typed output and an image."""


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("name", sorted({row["client"] for row in RECORDED}))
def test_what_clients_send_is_not_refused(client: Client, upstream: Loopback, name: str, streaming: bool) -> None:
    for row in RECORDED:
        if row["client"] == name:
            upstream.replies.append(stream("anthropic", "Hi.") if streaming else reply("anthropic", "Hi."))
            body = {**row["body"], "stream": streaming}
            if body.get("temperature") == 0:
                del body["temperature"]  # which the model of these tests does not take
            response = client.post("/chat/completions", body=body, cast_to=httpx.Response)
            assert response.status_code == 200
            assert "Hi." in response.text
            assert len(upstream.heard.pop().body["messages"]) >= 1


PLACES: dict[str, tuple[dict[str, Any], str]] = {
    "a key of OpenAI": ({"logprobs": True}, "logprobs"),
    "an unknown key": ({"frobnicate": 1}, "frobnicate"),
    "a field of another name": ({"response_format": {"type": "json_object"}}, "response_format"),
    "a choice that cannot be": ({"tool_choice": "required"}, "tool_choice"),
    "a tool": ({"tools": [{**TOOLS[0], "frobnicate": 1}]}, "tools[0].frobnicate"),
    "a part": (
        {"messages": [*HELLO, {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AA=="}}]}]},
        "messages[2].content[0]",
    ),
    "a message after results": (
        {
            "messages": [
                *HELLO,
                {
                    "role": "assistant",
                    "content": "I look.",
                    "tool_calls": [
                        {"id": f"c{i}", "type": "function", "function": {"name": "tide", "arguments": "{}"}}
                        for i in range(2)
                    ],
                },
                *({"role": "tool", "tool_call_id": f"c{i}", "content": "low"} for i in range(2)),
                {"role": "alien", "content": "Hm."},
            ]
        },
        "messages[5].content",
    ),
    "no messages": ({"messages": []}, "messages"),
    "nothing to send": ({"messages": [{"role": "user", "content": " "}]}, "messages"),
    "no tokens": ({"max_tokens": 0}, "max_tokens"),
    "no tokens, by the newer key": ({"max_completion_tokens": 0}, "max_completion_tokens"),
    "an effort that is none": ({"reasoning_effort": "bogus"}, "reasoning_effort"),
    "another type": ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
}


@pytest.mark.parametrize(("members", "param"), PLACES.values(), ids=PLACES)
def test_a_refusal_speaks_of_the_keys_of_the_client(
    client: Client, upstream: Loopback, members: dict[str, Any], param: str
) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        client.post("/chat/completions", body={"model": "any", "messages": HELLO, **members}, cast_to=object)
    error: Any = caught.value.body
    assert error["param"] == param
    assert str(error["message"]).startswith(f"{param}: ")
    assert "on_unsupported" not in error["message"]
    assert not upstream.heard


def test_settings_that_say_nothing_are_not_sent(client: Client, upstream: Loopback) -> None:
    upstream.replies.append(reply("anthropic", "Hi."))
    client.chat.completions.create(
        model="any", messages=HELLO, temperature=1, top_p=1, frequency_penalty=0, presence_penalty=0.0, n=1, stop=[]
    )
    assert set(upstream.heard[0].body) == {"model", "messages", "system", "max_tokens"}


def test_the_model_is_listed(client: Client) -> None:
    assert [model.id for model in client.models.list()] == ["some-model"]


def test_the_time_to_wait_is_passed_on(client: Client, upstream: Loopback) -> None:
    body = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}
    upstream.replies.extend([replace(whole(body, 429), headers={"retry-after": "7"})] * 3)
    with pytest.raises(openai.RateLimitError) as caught:
        client.chat.completions.create(model="any", messages=HELLO)
    assert caught.value.response.headers["retry-after"] == "7"


def test_an_empty_answer_has_null_as_its_content(client: Client, upstream: Loopback) -> None:
    upstream.replies.append(reply("anthropic"))
    assert client.chat.completions.create(model="any", messages=HELLO).choices[0].message.content is None


def stopped_stream(end: bytes, cut: bool) -> Reply:
    """A stream of Anthropic's API that says something, and then ends otherwise than it should."""
    started = b"".join(stream("anthropic", "I look.").pieces).partition(b"event: message_delta")[0]
    return Reply([started, end], "text/event-stream", cut=cut)


OVERLOADED = b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
STOPPED = {
    "by an error": (stopped_stream(OVERLOADED, False), "overloaded", "Overloaded"),
    "by the network": (stopped_stream(b": x\n\n", True), "server", "The provider did not respond, or not completely."),
    "by nothing": (stopped_stream(b": x\n\n", False), "server", "The provider did not respond, or not completely."),
}


@pytest.mark.parametrize(("upstream_reply", "code", "message"), STOPPED.values(), ids=STOPPED)
def test_a_stream_that_stops_ends_with_an_error_as_a_whole_response_has_it(
    client: Client, upstream: Loopback, upstream_reply: Reply, code: str, message: str
) -> None:
    upstream.replies.append(upstream_reply)
    body: Any = {"model": "any", "messages": HELLO, "stream": True}
    with client.chat.completions.with_streaming_response.create(**body) as response:
        lines = [line.removeprefix("data: ") for line in response.iter_lines() if line]
    error = {"message": message, "type": "server_error", "code": code, "param": None}
    assert [json.loads(line) for line in lines[-1:]] == [{"error": error}]
    assert "I look." in lines[0]


@pytest.mark.parametrize("members", BEYOND.values(), ids=BEYOND)
@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "stream"])
def test_what_the_provider_cannot_do_is_refused(
    client: Client, upstream: Loopback, members: dict[str, Any], streaming: bool
) -> None:
    body: Any = {"model": "any", "messages": HELLO, "stream": streaming, **members}
    with pytest.raises(openai.BadRequestError) as caught:
        client.post("/chat/completions", body=body, cast_to=object)
    assert (caught.value.code, caught.value.type) == ("invalid_request", "invalid_request_error")
    assert not upstream.heard


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "stream"])
def test_a_provider_that_is_not_there_is_an_error_of_the_api(
    gateway_to_nowhere: str, monkeypatch: pytest.MonkeyPatch, streaming: bool
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with connected(gateway_to_nowhere) as client, pytest.raises(openai.InternalServerError) as caught:
        client.chat.completions.create(model="any", messages=HELLO, stream=streaming)
    assert (caught.value.status_code, caught.value.code, caught.value.type) == (502, "server", "server_error")


def test_an_error_that_came_as_a_response_is_no_success(client: Client, upstream: Loopback) -> None:
    upstream.replies.append(whole({"type": "error", "error": {"type": "odd_error", "message": "oops"}}))
    with pytest.raises(openai.InternalServerError, match="oops") as caught:
        client.chat.completions.create(model="any", messages=HELLO)
    assert caught.value.status_code == 502


@pytest.mark.parametrize("body", [{"hello": 1}, [1], {"id": "r", "type": "message", "content": "text"}], ids=str)
def test_a_response_that_is_none_is_no_fault_of_the_client(client: Client, upstream: Loopback, body: Any) -> None:
    upstream.replies.append(whole(body))
    with pytest.raises(openai.InternalServerError) as caught:
        client.chat.completions.create(model="any", messages=HELLO)
    assert (caught.value.status_code, caught.value.code) == (502, "server")


def test_a_path_that_the_gateway_does_not_have_is_an_error_of_the_api(client: Client) -> None:
    with pytest.raises(openai.NotFoundError) as caught:
        client.embeddings.create(model="any", input="Hi")
    assert (caught.value.code, caught.value.type) == ("invalid_request", "invalid_request_error")


def test_the_effort_has_the_key_of_the_client() -> None:
    assert client_path("reasoning.effort", {}, models.Request([])) == "reasoning_effort"


def test_a_body_that_is_no_object_is_refused_as_the_api_refuses(client: Client, upstream: Loopback) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        client.post("/chat/completions", body=[1], cast_to=object)
    assert (caught.value.code, caught.value.type) == ("invalid_request", "invalid_request_error")
