"""Sessions on official clients: what the API refuses, streams that break, keys that take turns."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
import logging
import pickle
import time
import traceback
from collections.abc import Iterator
from dataclasses import replace
from email.utils import formatdate
from types import SimpleNamespace
from typing import Any

import pytest

from tests.running.clients import OWN_SESSIONS, SESSIONS, replied, session
from tests.running.scripts import completion
from tests.support.every_row import grouped
from tests.support.exchanges import every_condition, stream, whole
from tests.support.generated import Package
from tests.support.loopback import Loopback, Reply
from tests.support.repository import PROFILES, profile, table
from tests.support.runnable_project import Handlers, reviewed

KEY = "sk-top-secret-0123456789"


@pytest.fixture
def server() -> Iterator[Loopback]:
    loopback = Loopback()
    yield loopback
    loopback.close()


def sent(opened_session: Any, request: Any, *, later: bool, streaming: bool) -> Any:
    """The response, or the events of its stream."""

    async def events() -> list[Any]:
        return [event async for event in opened_session.stream(request)]

    if later:
        return opened_session.runner.run(events() if streaming else opened_session.send(request))
    return list(opened_session.stream(request)) if streaming else opened_session.send(request)


def refusals() -> list[Any]:
    rows = []
    for provider in OWN_SESSIONS:
        kinds = {}
        for status, body, kind, retryable in table(provider)["errors"]:
            if isinstance(body, dict) and status >= 400:
                kinds.setdefault(kind, (status, body, kind, retryable))
        rows += [pytest.param(provider, *row, id=f"{provider}-{row[2]}") for row in kinds.values()]
    return rows


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "stream"])
@grouped("provider, status, body, kind, retryable", refusals())
def test_what_an_api_refuses_is_one_error_everywhere(
    runnable: Package,
    server: Loopback,
    provider: str,
    status: int,
    body: Any,
    kind: str,
    retryable: bool,
    streaming: bool,
) -> None:
    error = runnable.module("errors").SessionError
    headers = {"retry-after": "7", "x-request-id": "req_1"}
    for later in (False, True):
        server.replies.append(replace(whole(body, status), headers=headers))
        with session(runnable, provider, server, later) as opened_session, pytest.raises(error) as raised:
            sent(opened_session, "Hello", later=later, streaming=streaming)
        caught = raised.value
        assert (caught.error.kind, caught.error.retryable, caught.status, caught.provider) == (
            kind,
            retryable,
            status,
            provider,
        )
        if "headers" in profile(provider)["session"]:
            assert (caught.retry_after, caught.request_id) == (7.0, "req_1")
        else:
            assert (provider, caught.retry_after, caught.request_id) == ("ollama", None, None)
        assert len(server.heard) == 1
        server.heard.clear()


HIDDEN = {("gemini", False), ("vertex", False), ("bedrock", False), ("cohere", False), ("ollama", False)}
"""Where the client drops what such a body says, or breaks on it with an exception of its own without the body."""
IN_PLACE = [
    pytest.param(provider, streaming, id=f"{provider}-{'stream' if streaming else 'whole'}")
    for provider in OWN_SESSIONS
    for streaming in (False, True)
    if (provider, streaming) not in HIDDEN
]


@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize(("provider", "streaming"), IN_PLACE)
def test_an_error_in_place_of_a_response_is_a_refusal(
    runnable: Package, server: Loopback, provider: str, later: bool, streaming: bool
) -> None:
    body = table(provider)["bare_error"]
    server.replies.append(every_condition(provider, [body]) if streaming else whole(body))
    with (
        session(runnable, provider, server, later) as opened_session,
        pytest.raises(runnable.module("sessions").SessionError) as raised,
    ):
        sent(opened_session, "Hello", later=later, streaming=streaming)
    expected = runnable.provider(provider).from_error(200, body)
    assert (raised.value.error.kind, raised.value.error.message) == (expected.kind, expected.message)
    assert raised.value.status == expected.metadata[provider]["status"]


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize(
    ("provider", "code", "status", "kind"),
    [
        ("openrouter", 502, 502, "server"),
        ("openrouter", 429, 429, "rate_limit"),
        ("openrouter", "503", 503, "overloaded"),
        ("openai_chat", "server_error", 200, "server"),
        ("openai_chat", 1000, 200, "unknown"),
    ],
)
def test_a_code_in_an_error_that_came_as_a_response_is_its_status(
    runnable: Package, server: Loopback, provider: str, code: Any, status: int, kind: str, later: bool, streaming: bool
) -> None:
    body = {"error": {"code": code, "message": "Provider returned error"}}
    server.replies.append(every_condition("openai_chat", [body]) if streaming else whole(body))
    loop = reviewed(runnable)

    def ask(opened_session: Any) -> Any:
        if streaming:
            return sent(opened_session, "Hello", later=later, streaming=True)
        return (
            opened_session.runner.run(loop.arun(opened_session, "Hello", Handlers()))
            if later
            else loop.run(opened_session, "Hello", Handlers())
        )

    with (
        session(runnable, provider, server, later) as opened_session,
        pytest.raises(runnable.module("sessions").SessionError) as raised,
    ):
        ask(opened_session)
    assert (raised.value.status, raised.value.error.kind) == (status, kind)
    assert raised.value.error.message == "Provider returned error"


@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("provider", OWN_SESSIONS)
def test_a_stream_that_breaks_ends_in_an_error_and_runs_no_call(
    runnable: Package, server: Loopback, provider: str, later: bool
) -> None:
    loop, handlers = reviewed(runnable), Handlers()
    reply = replied(
        runnable, provider, completion(runnable, "I look at it all.", ("grep", {"pattern": "a" * 400})), True
    )
    pieces = list(reply.pieces)
    server.replies.append(stream(provider, pieces[: max(1, len(pieces) // 2)], cut=True))
    with session(runnable, provider, server, later) as opened_session:
        run = (
            loop.arun_stream(opened_session, "Hello", handlers)
            if later
            else loop.run_stream(opened_session, "Hello", handlers)
        )

        async def read() -> list[Any]:
            return [event async for event in run]

        events = opened_session.runner.run(read()) if later else list(run)
    assert run.result.stopped_by in ("error", "length")
    assert handlers.log == []
    assert [
        call.invalid is None for m in run.result.messages for call in runnable.module("messages").tool_calls_of(m)
    ].count(True) == 0
    assert events[-1].type == "final"


@pytest.mark.parametrize("provider", SESSIONS)
def test_a_session_is_native_and_knows_its_tools(runnable: Package, server: Loopback, provider: str) -> None:
    mode = runnable.module("sessions").ToolMode
    with session(runnable, provider, server, False) as opened_session:
        assert opened_session.tool_mode is mode.NATIVE
        assert (opened_session.model, sorted(opened_session.offered)) == (
            "m",
            ["grep", "read_file", "run_command", "write_file"],
        )
    sessions = runnable.module("sessions")
    assert issubclass(runnable.module(f"sessions.{provider}").Session, sessions.Session)
    assert issubclass(runnable.module(f"sessions.{provider}").AsyncSession, sessions.AsyncSession)


def test_every_provider_with_a_client_has_sessions() -> None:
    without = [name for name in PROFILES if "sdk" in profile(name) and "session" not in profile(name)]
    assert without == ["mcp", "prompt"], "the client of one has no model, and one has no client"


class Keyed:
    """A client with a key, whose responses are given."""

    def __init__(self, key: str, responses: list[Any], log: list[str]) -> None:
        self.key, self.responses, self.log = key, responses, log
        self.chat = self.completions = self

    def create(self, **keywords: Any) -> Any:
        self.log.append(self.key)
        response = self.responses.pop(0)
        if isinstance(response, Exception):
            raise response
        return response


class Refused(Exception):
    def __init__(self, status: int, code: str, **headers: str) -> None:
        super().__init__(f"{KEY} is refused")
        self.status_code = status
        self.response = SimpleNamespace(headers={name.replace("_", "-"): value for name, value in headers.items()})
        self.body = {"message": f"no {KEY}", "type": code, "code": code}


def test_keys_take_turns_and_give_way(runnable: Package) -> None:
    response = runnable.provider("openai_chat").to_response(completion(runnable, "Hello."), id="a", created=1)
    log: list[str] = []
    responses = [response, Refused(429, "rate_limit_exceeded"), Refused(401, "invalid_api_key"), response, response]
    clients = [Keyed(name, responses, log) for name in ("a", "b", "c")]
    opened_session = runnable.module("sessions.openai_chat").Session(clients[0], "m", further=clients[1:])
    opened_session.send("Hello")
    opened_session.send("Hello")
    opened_session.send("Hello")
    assert log == ["a", "b", "c", "a", "a"]  # the key of the third was refused, and rests
    responses[:] = [Refused(429, "rate_limit_exceeded")] * 3
    with pytest.raises(runnable.module("sessions").SessionError) as raised:
        opened_session.send("Hello")
    assert raised.value.error.kind == "rate_limit"
    responses[:] = [Refused(400, "invalid_request_error"), response]
    with pytest.raises(runnable.module("sessions").SessionError):
        opened_session.send("Hello")
    assert len(responses) == 1


def test_a_key_rests_as_long_as_its_response_says(runnable: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    response = runnable.provider("openai_chat").to_response(completion(runnable, "Hello."), id="a", created=1)
    now = [1000.0]
    log: list[Any] = []
    responses: list[Any] = []
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    clients = [Keyed(name, responses, log) for name in ("a", "b", "c")]
    opened_session = runnable.module("sessions.openai_chat").Session(clients[0], "m", further=clients[1:])

    def asked(*replies: Any) -> str:
        log.clear()
        responses[:] = [*replies, response]
        opened_session.send("Hello")
        return "".join(log)

    limited = Refused(429, "rate_limit_exceeded", Retry_After="30")
    assert asked(limited) == "ab"  # the turn of a, which rests from now on
    assert [asked() for _ in range(4)] == ["b", "c", "b", "b"]
    now[0] += 31
    assert [asked() for _ in range(3)] == ["c", "a", "b"]
    assert asked(Refused(401, "invalid_api_key")) == "ca"
    assert "c" not in "".join(asked() for _ in range(6))
    responses[:] = [
        Refused(429, "rate_limit_exceeded", Retry_After="20"),
        Refused(429, "", Retry_After="10"),
        Refused(401, ""),
    ]
    log.clear()
    with pytest.raises(runnable.module("errors").SessionError) as raised:
        opened_session.send("Hello")
    assert (log, raised.value.error.kind) == (["a", "b", "c"], "authentication")
    assert asked() == "b"  # all rest, and this one wakes first


@pytest.mark.parametrize("provider", ["openai_chat", "anthropic", "cohere", "mistral", "gemini"])
def test_clients_with_several_keys_do_not_retry_by_themselves(
    runnable: Package, server: Loopback, provider: str
) -> None:
    """Each client as an app makes it, with its own retries."""
    module = runnable.provider(provider)
    reply = completion(runnable, "Hello.", model="m", usage=runnable.module("models").Usage(1, 1, 2))
    response = whole(module.to_response(reply, id="a", created=1))
    server.replies += [whole({"error": {"message": "slow down", "code": "rate_limit_exceeded"}}, 429), response]
    clients = [as_shipped(provider, server.address, key) for key in ("a", "b")]
    with runnable.module(f"sessions.{provider}").Session(clients[0], "m", further=clients[1:]) as opened_session:
        opened_session.send("Hello")
    keys = [{value.removeprefix("Bearer ") for value in sent.headers.values()} & {"a", "b"} for sent in server.heard]
    assert keys == [{"a"}, {"b"}]


FAILED_RESPONSES: dict[str, tuple[dict[str, Any], tuple[str, str, bool]]] = {
    "openai_responses": (
        {"id": "r", "object": "response", "status": "failed", "error": {"code": "server_error", "message": "It broke."}}
        | {
            "created_at": 1,
            "model": "m",
            "output": [],
            "tools": [],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
        },
        ("server", "It broke.", True),
    ),
    "openrouter": (
        {"id": "r", "object": "chat.completion", "created": 1, "model": "m"}
        | {"choices": [{"index": 0, "finish_reason": "error", "message": {"role": "assistant", "content": "Par"}}]},
        ("server", "Upstream died.", True),
    ),
    "openai_chat": (
        {"id": "r", "object": "chat.completion", "created": 1, "model": "m", "error": {"message": "It broke."}}
        | {"choices": [{"index": 0, "finish_reason": "error", "message": {"role": "assistant", "content": "Par"}}]},
        ("unknown", "It broke.", False),
    ),
    "gemini": (
        {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "Malformed call: f("}]},
        ("server", "Malformed call: f(", True),
    ),
}
FAILED_RESPONSES["openrouter"][0]["choices"][0]["error"] = {"code": 502, "message": "Upstream died."}


@pytest.mark.parametrize("provider", FAILED_RESPONSES)
def test_an_error_in_a_response_of_status_200_is_that_of_the_run(runnable: Package, provider: str) -> None:
    body, expected = FAILED_RESPONSES[provider]
    module = runnable.provider(provider)

    class Failing(runnable.module(f"sessions.{provider}").Session):  # type: ignore[misc]  # a class of a package
        def complete(self, request: Any) -> Any:
            return module.from_response(body)

    result = runnable.module("running").run(Failing(object(), "m"), "Hello", Handlers(), review=reviewed)
    assert result.stopped_by == "error"
    assert (result.error.kind, result.error.message, result.error.retryable) == expected


ANNOUNCED: dict[str, dict[str, Any]] = {
    "anthropic": {"id": "r", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use"}
    | {"content": [{"type": "text", "text": "I look."}], "usage": {"input_tokens": 1, "output_tokens": 1}},
    "openai_chat": {"id": "r", "object": "chat.completion", "created": 1, "model": "m"}
    | {
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": "I look."}}]
    },
}


@pytest.mark.parametrize("provider", ANNOUNCED)
def test_a_response_that_announces_calls_and_has_none_is_no_success(runnable: Package, provider: str) -> None:
    class Announcing(runnable.module(f"sessions.{provider}").Session):  # type: ignore[misc]  # a class of a package
        def complete(self, request: Any) -> Any:
            return runnable.provider(provider).from_response(ANNOUNCED[provider])

    result = runnable.module("running").run(Announcing(object(), "m"), "Hello", Handlers(), review=reviewed)
    assert (result.completion.finish_reason, result.text) == ("other", "I look.")


def test_an_error_has_the_text_of_the_api_unless_it_may_have_a_key(runnable: Package) -> None:
    errors, models = runnable.module("errors"), runnable.module("models")
    limit = errors.SessionError("groq", 429, models.ApiError("rate_limit", "Slow down.", True))
    assert str(limit) == "groq: rate_limit (status 429): Slow down."
    refused = errors.SessionError("groq", 401, models.ApiError("authentication", f"Bad key {KEY}", False))
    assert str(refused) == "groq: authentication (status 401)"


@pytest.mark.parametrize("provider", SESSIONS)
def test_the_last_request_of_a_run_can_be_sent(runnable: Package, provider: str) -> None:
    """With `at_limit="answer"`, calls are forbidden where the API can do that, and otherwise they are only not run."""
    models, call = runnable.module("models"), {"id": "c", "name": "read_file", "arguments": {"path": "a"}}
    clients_session = runnable.module(f"sessions.{provider}").Session(object(), "m")
    messages = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": [{"type": "tool_call", "call": call}]},
        {"role": "tool", "results": [{"toolCallId": "c", "name": "read_file", "kind": "error", "value": "No."}]},
    ]
    tools = [{"name": "read_file", "description": "Reads a file."}]
    choice = {"toolChoice": "none"} if clients_session.forbids_calls else {}
    request = models.load(models.Request, {"model": "m", "messages": messages, "tools": tools, **choice})
    assert clients_session.call_kwargs(request, streaming=False)


def test_options_that_disable_retries_stay_beside_those_of_a_body(runnable: Package) -> None:
    session = runnable.module("sessions.cohere").Session(object(), "m", further=[object()])
    request = runnable.provider("cohere").from_request({"model": "m", "messages": [], "x_new": 1})
    assert session.call_kwargs(request, streaming=False)["request_options"] == {
        "max_retries": 0,
        "additional_body_parameters": {"x_new": 1},
    }


def as_shipped(provider: str, address: str, key: str) -> Any:
    """A client with the settings that its package gives it."""
    import anthropic
    import cohere
    import openai
    from google import genai
    from mistralai.client import Mistral

    if provider == "gemini":
        return genai.Client(api_key=key, vertexai=False, http_options={"base_url": address})
    if provider == "mistral":
        return Mistral(key, server_url=address)
    client_class = {"openai_chat": openai.OpenAI, "anthropic": anthropic.Anthropic, "cohere": cohere.ClientV2}[provider]
    return client_class(api_key=key, base_url=address)


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"Retry-After": "12"}, None, 12.0),
        ({"retry-after-ms": "1500", "retry-after": "2"}, None, 1.5),
        ({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}, None, pytest.approx(2.5e11, rel=0.02)),
        ({"retry-after": formatdate(0, usegmt=True)}, None, 0.0),
        ({}, {"error": {"details": [{"@type": "x"}, {"retryDelay": "39.5s"}]}}, 39.5),
        ({"retry-after": "soon"}, None, None),
        ({"retry-after": "-1"}, {"error": {"details": [{"retryDelay": 3}]}}, None),
        ({"retry-after": "9" * 400}, "text", None),
        (None, None, None),
        (["retry-after"], [], None),
    ],
)
def test_how_long_a_response_says_to_wait(runnable: Package, headers: Any, body: Any, seconds: Any) -> None:
    assert runnable.module("runtime.sessions.api_errors").retry_after(headers, body) == seconds


def test_an_error_keeps_what_it_has_when_it_is_copied(runnable: Package) -> None:
    error = runnable.provider("openai_chat").from_error(429, {"error": {"message": "slow down"}})
    error_of_session = runnable.module("errors").SessionError(
        "openai_chat", 429, error, request_id="req_1", retry_after=7.0
    )
    for copied in (copy.copy(error_of_session), pickle.loads(pickle.dumps(error_of_session))):
        assert (copied.request_id, copied.retry_after, copied.status, copied.error.message) == (
            "req_1",
            7.0,
            429,
            "slow down",
        )


def test_a_key_whose_rate_is_used_up_in_a_response_gives_way(runnable: Package) -> None:
    response = runnable.provider("openai_chat").to_response(completion(runnable, "Hello."), id="a", created=1)
    log: list[str] = []
    responses = [{"error": {"code": 429, "message": "slow down"}}, response]
    opened_session = runnable.module("sessions.openai_chat").Session(
        Keyed("a", responses, log), "m", further=[Keyed("b", responses, log)]
    )
    assert runnable.module("messages").text_of(opened_session.send("Hello").message) == "Hello."
    assert log == ["a", "b"]


def test_threads_may_share_a_session(runnable: Package) -> None:
    """Every touch of the clients lets another turn begin and end in its midst, as a switch of threads would."""

    class Shared(list[str]):
        busy = False

        def between(self) -> None:
            if not self.busy:
                self.busy = True
                turns.append(opened_session.rotate_clients())
                self.busy = False

        def __getitem__(self, key: Any) -> Any:
            self.between()
            return super().__getitem__(key)

        def __len__(self) -> int:
            self.between()
            return super().__len__()

        def pop(self, *where: Any) -> Any:
            item = super().pop(*where)
            self.between()
            return item

        def append(self, item: str) -> None:
            self.between()
            super().append(item)

    turns: list[list[str]] = []
    for names in (["a"], ["a", "b", "c"]):
        opened_session = runnable.module("sessions.openai_chat").Session("a", "m", further=names[1:])
        opened_session.clients = Shared(names)
        turns.clear()
        for _ in range(6):
            turns.append(opened_session.rotate_clients())
        assert len(turns) > 6
        assert [sorted(turn) for turn in turns] == [names] * len(turns)
        assert {turn[0] for turn in turns} == set(names)


def test_another_exception_is_raised_as_it_is(runnable: Package) -> None:
    opened_session = runnable.module("sessions.openai_chat").Session(
        Keyed("a", [ConnectionResetError("gone")], []), "m"
    )
    with pytest.raises(ConnectionResetError):
        opened_session.send("Hello")


@pytest.mark.parametrize(
    "interface", ["openai", "openai_chat", "openai_responses", "anthropic", "groq", "cohere", "mistral"]
)
def test_a_configuration_makes_a_session(
    runnable: Package,
    server: Loopback,
    interface: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    caplog.set_level(logging.DEBUG)
    sessions = runnable.module("sessions")
    config = {"interface": interface, "api_keys": [KEY, f"{KEY}-2"], "models": ["m1", "m2"], "base_url": server.address}
    opened_session, usage = sessions.connect(config), runnable.module("models").Usage(1, 1, 2)
    provider = sessions.INTERFACES[interface]
    server.replies.extend(
        replied(runnable, provider, completion(runnable, "Hello.", model="m1", usage=usage), False) for _ in range(2)
    )
    with contextlib.ExitStack() as closing:
        for client in opened_session.clients:
            closing.enter_context(client)
        for _ in range(2):
            assert runnable.module("messages").text_of(opened_session.send("Hi").message) == "Hello."
    keys = [next(v for v in heard.headers.values() if KEY in v).removeprefix("Bearer ") for heard in server.heard]
    assert keys == [KEY, f"{KEY}-2"]
    assert [heard.body["model"] for heard in server.heard] == ["m1"] * 2
    assert opened_session.model == "m1"
    shown = [
        repr(opened_session),
        str(vars(opened_session).keys()),
        caplog.text,
        repr(sessions.AnyProviderConfig(**config)),
    ]
    assert [text for text in shown if KEY in text] == []


def test_configurations_are_told_apart_by_interface(runnable: Package) -> None:
    from pydantic import TypeAdapter

    sessions = runnable.module("sessions")
    adapter = TypeAdapter(sessions.ProviderConfig)
    openai = adapter.validate_python(
        {"interface": "openai", "api_keys": [KEY], "models": ["m"], "base_url": "http://a"}
    )
    genai = adapter.validate_python({"interface": "genai", "api_keys": [KEY], "models": ["m"]})
    assert (type(openai), type(genai)) == (sessions.OpenAIProviderConfig, sessions.GenAIProviderConfig)
    assert KEY not in f"{openai!r}{genai!r}{openai}{openai.model_dump()}{openai.model_dump_json()}"
    assert type(sessions.connect(openai)).__name__ == "Session"
    assert type(sessions.connect_async(genai)).__name__ == "AsyncSession"


@pytest.mark.parametrize(
    "config",
    [
        {"interface": "genai", "api_keys": [KEY], "models": ["m"], "base_url": "http://a"},
        {"interface": "gemini", "api_keys": [KEY], "models": ["m"], "base_url": "http://a"},
        {"interface": "openai", "api_keys": KEY, "models": ["m"]},
        {"interface": "openai", "api_keys": [], "models": ["m"]},
        {"interface": "openai", "api_keys": [KEY], "models": []},
        {"interface": "openai", "api_keys": [KEY], "models": ["m"], "api_key": KEY},
        {"interface": KEY, "api_keys": [KEY], "models": ["m"]},
        {"interface": "groq", "api_keys": [KEY], "models": ["m"]},
        {"interface": "ollama", "api_keys": [KEY], "models": ["m"]},
        {"api_keys": [KEY], "models": ["m"]},
    ],
)
def test_a_configuration_that_does_not_fit_is_refused_without_its_keys(runnable: Package, config: Any) -> None:
    sessions = runnable.module("sessions")
    for connect in (sessions.connect, sessions.connect_async):
        with pytest.raises(ValueError) as raised:
            connect(config)
        assert KEY not in "".join(traceback.format_exception(raised.value))
        assert KEY not in held_by(raised.value)


def held_by(error: BaseException | None) -> str:
    """All that an exception has and can say of itself, and what stands after it."""
    if error is None:
        return ""
    texts = [repr(error), str(error), repr(error.args), repr(vars(error))]
    for name in ("errors", "json"):
        if hasattr(error, name):
            texts.append(repr(getattr(error, name)()))
    return "".join(texts) + held_by(error.__cause__) + held_by(error.__context__)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"api_keys": KEY}, "api_keys must be a list of strings, found a string"),
        ({"api_keys": [KEY, 7]}, "api_keys[1] must be a string, found a number"),
        ({"api_keys": {KEY: KEY}}, "api_keys must be a list of strings, found an object"),
        ({"models": KEY}, "models must be a list of strings, found a string"),
        ({"models": []}, "models must not be empty"),
        ({"base_url": [KEY]}, "base_url must be a string, found an array"),
        ({"interface": [KEY]}, "interface must be a string, found an array"),
        ({"api_key": KEY}, "api_key (did you mean api_keys?) is not supported"),
        ({KEY: "x"}, "an unknown key is not supported; the keys are api_keys, models, interface, base_url"),
        ({"api_keys": [KEY, ""]}, "api_keys[1] must not be empty"),
        ({"base_url": ""}, "base_url must not be empty"),
    ],
    ids=str,
)
@pytest.mark.parametrize("interface", ["openai", "groq"])
def test_what_does_not_fit_in_a_configuration_is_named(
    runnable: Package, interface: str, changes: dict[str, Any], message: str
) -> None:
    config = {"interface": interface, "api_keys": [KEY], "models": ["m"], **changes}
    with pytest.raises(ValueError) as raised:
        runnable.module("sessions").connect(config)
    assert message in str(raised.value)
    assert KEY not in held_by(raised.value)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {"interface": "genai", "api_keys": [KEY], "base_url": "http://a"},
            "base_url is not supported by this interface",
        ),
        ({"interface": "gemini", "api_keys": [KEY], "base_url": "http://a"}, "base_url is not supported by gemini"),
        ({"interface": "anthropic", "api_keys": []}, "api_keys must not be empty: anthropic requires an API key"),
        ({"interface": "vllm", "api_keys": []}, "base_url is missing: vllm requires one"),
        ({"interface": "ollama", "api_keys": [KEY]}, "api_keys must be empty: ollama does not use API keys"),
    ],
    ids=str,
)
def test_what_an_interface_needs_or_does_not_accept_is_named(runnable: Package, config: Any, message: str) -> None:
    with pytest.raises(ValueError, match=rf"^{message}"):
        runnable.module("sessions").connect({"models": ["m"], **config})


@pytest.mark.parametrize("interface", ["openai", "openai_responses", "vllm", "anthropic", "mistral", "cohere"])
def test_a_server_at_another_address_may_need_no_key(
    runnable: Package, server: Loopback, monkeypatch: pytest.MonkeyPatch, interface: str
) -> None:
    """A client that demands a key sends a word, and never the key that an environment has for the API itself."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MISTRAL_API_KEY", "CO_API_KEY"):
        monkeypatch.setenv(variable, KEY)
    sessions, usage = runnable.module("sessions"), runnable.module("models").Usage(1, 1, 2)
    reply = completion(runnable, "Hello.", id="a", model="m", usage=usage)
    server.replies.append(replied(runnable, sessions.INTERFACES[interface], reply, False))
    config = {"interface": interface, "api_keys": [], "models": ["m"], "base_url": server.address}
    with sessions.connect(config) as opened_session:
        opened_session.send("Hello")
    assert KEY not in str(server.heard[0].headers)


@pytest.mark.parametrize(
    ("interface", "module", "package"),
    [
        ("cohere", "cohere", "cohere"),
        ("gemini", "google.genai", "google-genai"),
        ("mistral", "mistralai.client", "mistralai"),
    ],
)
def test_a_client_that_is_not_installed_is_named(
    runnable: Package, monkeypatch: pytest.MonkeyPatch, interface: str, module: str, package: str
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=f"requires the package {package}; install it"):
        runnable.module("sessions").connect({"interface": interface, "api_keys": [KEY], "models": ["m"]})


@pytest.mark.parametrize("provider", ["anthropic", "bedrock", "gemini", "ollama", "openai_chat", "openai_responses"])
def test_a_session_without_a_model_says_where_to_set_one(runnable: Package, provider: str) -> None:
    models = runnable.module("models")
    session = runnable.module(f"sessions.{provider}").Session(object())
    with pytest.raises(TypeError, match=r"^no model is set; pass one to the session"):
        session.call_kwargs(models.Request([models.UserMessage("Hi")]), streaming=False)
    assert session.call_kwargs(models.Request([models.UserMessage("Hi")], "some-model"), streaming=False)


def test_an_error_shows_no_key(runnable: Package) -> None:
    opened_session = runnable.module("sessions.openai_chat").Session(
        Keyed("a", [Refused(401, "invalid_api_key")], []), "m"
    )
    with pytest.raises(runnable.module("sessions").SessionError) as raised:
        opened_session.send("Hello")
    assert KEY not in f"{raised.value}{raised.value!r}"
    assert KEY not in "".join(traceback.format_exception(raised.value))


def test_a_slow_response_can_be_cancelled(runnable: Package, server: Loopback) -> None:
    import threading

    release = threading.Event()

    def slowly() -> Iterator[bytes]:
        release.wait(20)
        yield b"{}"

    server.replies.append(every_condition("openai_chat", []))
    server.replies[0] = type(server.replies[0])(slowly())

    async def cancelled(opened_session: Any) -> None:
        task = asyncio.ensure_future(reviewed(runnable).arun(opened_session, "Hello", Handlers()))
        while not server.heard:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with session(runnable, "openai_chat", server, True) as opened_session:
        opened_session.runner.run(cancelled(opened_session))
        release.set()


BROKEN_OFF = {
    "anthropic": [
        'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant",'
        '"model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
        'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hel"}}\n\n',
        'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"try later"}}\n\n',
    ],
    "openai_chat": [
        'data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":'
        '{"role":"assistant","content":"Hel"}}]}\n\n',
        'data: {"error":{"message":"try later","type":"server_error","code":"rate_limit_exceeded"}}\n\n',
    ],
}


@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize(("provider", "kind"), [("anthropic", "overloaded"), ("openai_chat", "rate_limit")])
def test_an_error_in_the_middle_of_a_stream_says_what_the_api_said(
    runnable: Package, server: Loopback, provider: str, kind: str, later: bool
) -> None:
    headers = {"request-id": "req_9", "x-request-id": "req_9", "retry-after": "3"}
    pieces = [piece.encode() for piece in BROKEN_OFF[provider]]
    loop = reviewed(runnable)
    for _ in range(2):
        server.replies.append(Reply(pieces, kind="text/event-stream", headers=headers))
    with session(runnable, provider, server, later) as opened_session:
        events = sent(opened_session, "Hello", later=later, streaming=True)
        (failure,) = [event for event in events if event.type == "error"]
        assert "try later" in failure.message
        assert (failure.error.kind, failure.error.message, failure.error.retryable) == (kind, "try later", True)
        original = failure.error.metadata[provider]
        assert original["status"] == 200
        if provider == "anthropic":  # OpenAI's exception has no response in it
            assert (original["requestId"], original["retryAfter"]) == ("req_9", 3.0)
        assert (events[-1].type, events[-1].completion.finish_reason) == ("completed", "error")
        if not later:
            stream = loop.run_stream(
                opened_session,
                runnable.module("models").Request([runnable.module("models").UserMessage("Hello")], tools=[]),
                Handlers(),
            )
            assert [event.type for event in stream].count("error") == 1
            assert (stream.result.stopped_by, stream.result.error.kind, stream.result.text) == ("error", kind, "Hel")


_CHUNK = {"id": "a", "object": "chat.completion.chunk", "created": 1, "model": "m"}
_BROKEN_CHOICE = {"index": 0, "delta": {"content": ""}, "finish_reason": "error"}
_FLAT = {"type": "error", "code": "server_error", "message": "It broke.", "param": None, "sequence_number": 0}
ERRORS_OF_STREAMS: list[tuple[str, dict[str, Any], tuple[str, bool]]] = [
    ("openai_responses", _FLAT, ("server", True)),
    ("openai_responses", {**_FLAT, "code": "context_length_exceeded"}, ("context_length", False)),
    (
        "openai_responses",
        {"type": "error", "error": {"code": "rate_limit_exceeded", "message": "It broke."}},
        ("rate_limit", True),
    ),
    *(
        (provider, body, expected)
        for provider in ("openai_chat", "groq", "openrouter")
        for body, expected in (
            (_FLAT, ("server", True)),
            (
                {"object": "error", "type": "BadRequestError", "code": 400, "message": "It broke."},
                ("invalid_request", False),
            ),
            ({"error": "It broke."}, ("unknown", False)),
            ({**_CHUNK, "choices": [], "error": {"code": 502, "message": "It broke."}}, ("server", True)),
            (
                {**_CHUNK, "choices": [{**_BROKEN_CHOICE, "error": {"code": 429, "message": "It broke."}}]},
                ("rate_limit", True),
            ),
        )
    ),
    (
        "anthropic",
        {"type": "error", "error": {"type": "overloaded_error", "message": "It broke."}},
        ("overloaded", True),
    ),
    ("gemini", {"error": {"code": 429, "message": "It broke.", "status": "RESOURCE_EXHAUSTED"}}, ("rate_limit", True)),
    ("mistral", {"error": {"type": "internal_server_error", "message": "It broke."}}, ("server", True)),
    ("cohere", {"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "It broke."}}, ("server", True)),
    ("ollama", {"error": "It broke."}, ("unknown", False)),
]


@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
@grouped("provider, event, expected", ERRORS_OF_STREAMS)
def test_a_stream_that_begins_with_an_error_has_the_error_of_the_api(
    runnable: Package, server: Loopback, provider: str, event: Any, expected: Any, later: bool
) -> None:
    """The session raises it, or the stream has it in its event `error`. A run does the same, and has it in its result."""
    refused = runnable.module("sessions").SessionError
    errors = []
    for running in (False, True):
        server.replies.append(every_condition(_shared(provider), [event]))
        with session(runnable, provider, server, later) as opened_session:
            try:
                if running:
                    errors.append(result_of_stream(runnable, opened_session, later).error)
                else:
                    events = sent(opened_session, "Hello", later=later, streaming=True)
                    errors += [each.error for each in events if each.type == "error"]
            except refused as raised:
                errors.append(raised.error)
    assert [(error.kind, error.retryable) for error in errors] == [expected] * 2
    assert [error.message for error in errors] == ["It broke."] * 2


def _shared(provider: str) -> str:
    return provider if provider in OWN_SESSIONS else "openai_chat"


def result_of_stream(package: Package, opened_session: Any, later: bool) -> Any:
    """The result of a run with a stream, whose events are read to the last."""
    loop = reviewed(package)

    async def read(stream: Any) -> None:
        async for _ in stream:
            pass

    if later:
        stream = loop.arun_stream(opened_session, "Hello", Handlers())
        opened_session.runner.run(read(stream))
    else:
        stream = loop.run_stream(opened_session, "Hello", Handlers())
        list(stream)
    return stream.result


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
def test_a_client_that_does_not_fit_is_a_type_error_that_says_what_does(
    runnable: Package, later: bool, streaming: bool
) -> None:
    """Another client, the client for the other kind of code, and a client instead of a session."""

    async def asked(opened_session: Any) -> Any:
        return [event async for event in opened_session.stream("Hi")] if streaming else await opened_session.send("Hi")

    def ask(client: Any) -> Any:
        opened_session = getattr(runnable.module("sessions.anthropic"), "AsyncSession" if later else "Session")(
            client, "m"
        )
        if later:
            return asyncio.run(asked(opened_session))
        return list(opened_session.stream("Hi")) if streaming else opened_session.send("Hi")

    async def create_later(**_: Any) -> Any:
        return {}

    with pytest.raises(TypeError, match=r"anthropic needs its official client, which has `messages\.create`; found"):
        ask(SimpleNamespace(chat=1))
    create = (lambda **_: {}) if later else create_later
    advice = "use `Session`" if later else "use `AsyncSession`"
    with pytest.raises(TypeError, match=advice):
        ask(SimpleNamespace(messages=SimpleNamespace(create=create)))
    with pytest.raises(TypeError, match="SimpleNamespace is not a session: pass a client to `Session`"):
        runnable.module("running").run(SimpleNamespace(), "Hi", Handlers(), review=reviewed)


@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("provider", OWN_SESSIONS)
def test_half_of_a_surrogate_pair_is_replaced_and_reported(
    runnable: Package, server: Loopback, provider: str, later: bool
) -> None:
    models, losses = runnable.module("models"), []
    reply = completion(runnable, "Hi", id="a", model="m", usage=models.Usage(1, 1, 2))
    server.replies.append(replied(runnable, provider, reply, False))
    call = models.ToolCall("call_1", "read_file", {"path": "a\udcff"})
    messages = [
        models.UserMessage("cut \ud83d, whole \ud83d\ude00, 한국어"),
        models.AssistantMessage([models.ToolCallPart(call)]),
        models.ToolMessage([models.ToolResult("call_1", "read_file", "data", {"na\udcffme": "b\udcff"})]),
    ]
    with session(runnable, provider, server, later) as opened_session:
        opened_session.on_loss = losses.append
        sent(opened_session, models.Request(messages, model="m"), later=later, streaming=False)
    body = server.heard[-1].body
    text = json.dumps(body, ensure_ascii=False)
    text.encode()  # raises if half of a pair is left
    assert "cut \ufffd, whole \U0001f600, 한국어" in text
    assert "b\ufffd" in text
    reported = [loss.path for loss in losses if loss.what == "text"]
    assert "messages[0].content" in reported
    assert "messages[1].content[0].call.arguments.path" in reported
    assert len(reported) == 4
    assert messages[0].content[4] == "\ud83d", "the request of the app was changed"


@pytest.mark.parametrize("config", [None, "openai_chat", 5])
def test_what_is_no_configuration_is_a_type_error(runnable: Package, config: Any) -> None:
    with pytest.raises(
        TypeError, match=f"must be a mapping or a configuration of `types`, not {type(config).__name__}"
    ):
        runnable.module("sessions").connect(config)
