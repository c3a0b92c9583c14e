"""Whole exchanges through the official clients over real connections: what they send, and the objects they return."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.providers import laws
from tests.support.budgets import budget
from tests.support.every_row import grouped
from tests.support.exchanges import Exchanges, every_condition, keywords, plain, stream, whole
from tests.support.generated import Package
from tests.support.recorded import refused, streamed, unstreamed
from tests.support.repository import having, table
from tests.support.responses import response_of
from tests.support.wires import WIRES


def recorded(choose: Any) -> Any:
    return grouped(
        "provider, recording", [pytest.param(p, r, id=f"{p}-{r['id']}") for p in having("sdk") for r in choose(p)]
    )


def is_asynchronous(provider: str) -> bool:
    """Whether there is an asynchronous client."""
    return WIRES[provider].client.opened_async is not None


each_response, each_stream = recorded(unstreamed), recorded(streamed)
each_response_later = recorded(lambda provider: unstreamed(provider)[::3] if is_asynchronous(provider) else [])
each_stream_later = recorded(lambda provider: streamed(provider) if is_asynchronous(provider) else [])
each_provider = pytest.mark.parametrize("provider", having("sdk"))


def asked(package: Package, provider: str, recording: Any) -> tuple[Any, dict[str, Any]]:
    """The request of a recording, and what the client is called with.

    The model is another one: clients warn of those that are old.
    """
    request = laws.read(package, provider, recording["request"])
    request.model = "m"
    if recording["events"] is not None:
        request.stream = True  # where the recording's address said so
    return request, keywords(package, provider, request)


def kept_response(package: Package, provider: str, body: Any) -> Any:
    """What a response says that went through the client's types."""
    return laws.completion_of(package, provider, WIRES[provider].client.kept_part(body))


def kept_stream(package: Package, provider: str, events: list[Any], error: Exception | None = None) -> Any:
    """What a stream says whose events went through the client's types."""
    return laws.played(package, provider, [WIRES[provider].client.kept_part(event) for event in events], error)


def is_sent(exchanges: Exchanges, package: Package, provider: str, request: Any, *, streaming: bool) -> None:
    """What the server got is what `to_request` makes, at the place where the provider wants it."""
    sent = exchanges.sent()
    assert (sent.method, sent.path) == ("POST", WIRES[provider].client.paths[streaming])
    assert sent.headers["content-type"] == "application/json"
    assert plain(provider, sent.body) == plain(provider, laws.write(package, provider, request))


def typed(package: Package, provider: str, completion: Any) -> Any:
    """All typed fields of a response; what is opaque in the spelling of the client."""
    dumped = package.module("models").dump(laws.bare(completion))
    content = dumped["message"].get("content")
    for part in content if isinstance(content, list) else []:
        if part["type"] == "opaque":
            part["value"] = WIRES[provider].client.spelled(part["value"])
    return dumped


def is_the_same(package: Package, provider: str, actual: Any, expected: Any) -> None:
    """A response read from objects says what the one read from dicts says, and goes back as that one does."""
    assert typed(package, provider, actual) == typed(package, provider, expected)
    bodies = [laws.next_request(package, provider, completion)[0] for completion in (actual, expected)]
    assert plain(provider, bodies[0]) == plain(provider, bodies[1])


@each_response
def test_a_recorded_exchange(exchanges: Exchanges, sample: Package, models: Any, provider: str, recording: Any) -> None:
    """Also what the client has no keyword for is sent; the request stays as it is, whatever the client does to it."""
    module = sample.provider(provider)
    request, words = asked(sample, provider, recording)
    before = laws.exact(models.dump(request))
    reply = exchanges.received(provider, recording["response"], words)
    is_sent(exchanges, sample, provider, request, streaming=False)
    assert laws.exact(models.dump(request)) == before
    assert isinstance(reply, dict) == WIRES[provider].client.gives_dicts
    expected = kept_response(sample, provider, recording["response"])
    completion = module.from_response(reply)
    is_the_same(sample, provider, completion, expected)
    assert laws.bare(module.from_tool_calls(reply)) == laws.bare(laws.calls_of(sample, expected))
    assert module.from_response(reply) == completion  # reading does not change the object


@each_stream
def test_a_recorded_stream(exchanges: Exchanges, sample: Package, provider: str, recording: Any) -> None:
    """Fed by hand, and, for some recordings, read by `iter_events`, while it comes."""
    module = sample.provider(provider)
    request, words = asked(sample, provider, recording)
    expected, emitted = kept_stream(sample, provider, recording["events"])
    live, heard = module.Stream(), []
    for event in exchanges.streamed(provider, recording["events"], words):
        assert isinstance(event, dict) == WIRES[provider].client.gives_dicts
        heard += live.feed(event)
    heard += live.finish()
    is_sent(exchanges, sample, provider, request, streaming=True)
    is_the_same(sample, provider, live.result(), expected)
    assert laws.bare(heard[:-1]) == laws.bare(emitted[:-1])
    if streamed(provider).index(recording) % budget(3, 1) == 0:
        assert list(module.iter_events(exchanges.streamed(provider, recording["events"], words))) == heard


@each_response_later
def test_a_recorded_exchange_of_the_asynchronous_client(
    exchanges: Exchanges, sample: Package, provider: str, recording: Any
) -> None:
    request, words = asked(sample, provider, recording)
    reply = exchanges.run(exchanges.acall(provider, whole(recording["response"]), words))
    is_sent(exchanges, sample, provider, request, streaming=False)
    assert isinstance(reply, dict) == WIRES[provider].client.gives_dicts
    completion = sample.provider(provider).from_response(reply)
    is_the_same(sample, provider, completion, kept_response(sample, provider, recording["response"]))


@each_stream_later
def test_a_recorded_stream_of_the_asynchronous_client(
    exchanges: Exchanges, sample: Package, provider: str, recording: Any
) -> None:
    request, words = asked(sample, provider, recording)

    async def heard() -> list[Any]:
        source = await exchanges.acall(provider, every_condition(provider, recording["events"]), words, streaming=True)
        return [event async for event in sample.provider(provider).aiter_events(source)]

    events = exchanges.run(heard())
    is_sent(exchanges, sample, provider, request, streaming=True)
    expected, emitted = kept_stream(sample, provider, recording["events"])
    is_the_same(sample, provider, events[-1].completion, expected)
    assert laws.bare(events[:-1]) == laws.bare(emitted[:-1])


@each_provider
def test_events_are_told_while_the_stream_still_comes(exchanges: Exchanges, sample: Package, provider: str) -> None:
    """The server sends the rest only when the first text was told."""
    wire = WIRES[provider]
    events = wire.split(response_of(provider, stop=table(provider)["finish_reasons"][0][0]))
    first = next(n for n in range(len(events)) if wire.read_stream(events[: n + 1]).text) + 1
    gate, waits = threading.Event(), []

    def pieces() -> Iterator[bytes]:
        yield from wire.client.torn(wire.client.framed(events[:first]))
        waits.append(gate.wait(10))
        yield from wire.client.torn(wire.client.framed(events[first:]) + wire.client.end)

    source = sample.provider(provider).iter_events(exchanges.call(provider, stream(provider, pieces()), streaming=True))
    assert next(e.text for e in source if type(e).__name__ == "TextDelta")
    gate.set()
    assert list(source)[-1].completion.finish_reason == "stop"
    assert waits == [True]


@each_provider
def test_streams_come_torn(provider: str) -> None:
    """Also inside characters, or the tests here would show less than they say; between lines, or inside of a length."""
    client = WIRES[provider].client
    text = client.framed([{"type": "é"}]) + client.end
    pieces = client.torn(text)
    assert b"".join(pieces) == text
    assert [p for p in pieces if p.endswith(b"\xc3")] != []
    if text.endswith(b"\n"):
        assert [p for p in pieces if p.endswith(b"\n")] != []
    else:
        assert len(client.torn(text[:4])) > 1


def is_broken(package: Package, emitted: list[Any], error: Exception | None) -> None:
    """A stream that ends in an error: none of its calls may be run."""
    assert [type(e).__name__ for e in emitted[-2:]] == ["ErrorEvent", "CompletedEvent"]
    assert error is None or type(error).__name__ in emitted[-2].message
    assert emitted[-1].completion.finish_reason in ("error", "content_filter")
    assert [c for c in laws.calls_of(package, emitted[-1].completion) if c.invalid is None] == []


def some_of(places: list[int], provider: str, recording: Any) -> list[int]:
    """The one of some places whose turn it is in a recording, and all of them with a large budget.

    Each is tried in some recordings of a provider. That a stream may break anywhere is a law of its own.
    """
    turn = streamed(provider).index(recording) % len(places)
    return sorted(set(places)) if budget(0, 1) else places[turn : turn + 1]


@each_stream
def test_a_connection_is_cut(exchanges: Exchanges, sample: Package, provider: str, recording: Any) -> None:
    """Inside of an event: what came before it is told, and then what the client raised."""
    module, client, events = sample.provider(provider), WIRES[provider].client, recording["events"]
    for at in some_of([0, len(events) // 4, len(events) // 2, len(events) - 1], provider, recording):
        pieces = client.torn(client.framed(events[:at])) + client.torn(client.framed([events[at]]))[:1]
        reply = stream(provider, pieces, cut=True)
        live, emitted = module.Stream(), []
        fault = None
        try:
            for event in exchanges.call(provider, reply, streaming=True):
                emitted += live.feed(event)
        except client.broken() as raised:
            fault = raised
        assert fault is not None
        emitted += live.finish(fault)
        is_broken(sample, emitted, fault)
        expected, _ = kept_stream(sample, provider, events[:at], fault)
        assert typed(sample, provider, live.result()) == typed(sample, provider, expected)
        assert list(module.iter_events(exchanges.call(provider, reply, streaming=True))) == emitted


@each_stream
def test_a_stream_ends_too_early(exchanges: Exchanges, sample: Package, provider: str, recording: Any) -> None:
    """No client raises where the response is closed in good order in the middle."""
    client, events = WIRES[provider].client, recording["events"]
    for at in some_of([0, 1, len(events) // 2], provider, recording):
        expected, emitted = kept_stream(sample, provider, events[:at])
        reply = stream(provider, client.torn(client.framed(events[:at])))
        heard = list(sample.provider(provider).iter_events(exchanges.call(provider, reply, streaming=True)))
        assert laws.bare(heard[:-1]) == laws.bare(emitted[:-1])
        assert typed(sample, provider, heard[-1].completion) == typed(sample, provider, expected)
        if WIRES[provider].read_stream(events[:at]).stop is None:
            is_broken(sample, heard, None)


def refusals() -> list[Any]:
    """Errors by hand from the tables, and as they were recorded."""
    parameters = []
    for p in having("sdk"):
        rows = [(f"{i}", *row) for i, row in enumerate(table(p)["errors"]) if row[0] >= 400]
        rows += [(r["id"], r["status"], r["response"], "invalid_request", False) for r in refused(p)]
        parameters += [pytest.param(p, *row, id=f"{p}-{name}") for name, *row in rows]
    return parameters


@grouped("provider, status, body, kind, retryable", refusals())
def test_what_the_client_raises_is_told_by_its_kind(
    exchanges: Exchanges, sample: Package, provider: str, status: int, body: Any, kind: str, retryable: bool
) -> None:
    module, client, reply = sample.provider(provider), WIRES[provider].client, whole(body, status)
    ways = [
        lambda: exchanges.call(provider, reply),
        lambda: list(exchanges.call(provider, reply, streaming=True)),
    ]
    if is_asynchronous(provider):
        ways.append(lambda: exchanges.run(exchanges.acall(provider, reply)))
    for way in ways:
        with pytest.raises(client.error()) as caught:
            way()
        raised, bodies = client.refusal(caught.value)
        assert raised == status
        for refusal_body in bodies:
            read = module.from_error(raised, copy.deepcopy(refusal_body))
            assert (read.kind, read.retryable) == (kind, retryable), refusal_body
            assert read.message
            if not isinstance(body, str | None):
                assert read.message == module.from_error(status, body).message


@each_provider
def test_an_error_in_a_stream_is_raised_and_told(exchanges: Exchanges, sample: Package, provider: str) -> None:
    module, wire, facts = sample.provider(provider), WIRES[provider], table(provider)
    events = wire.split(response_of(provider, calls=True))
    reply = every_condition(provider, [*events[: len(events) // 2], facts["bare_error"]])
    if not wire.client.raises:
        emitted = list(module.iter_events(exchanges.call(provider, reply, streaming=True)))
        assert [type(e).__name__ for e in emitted[-2:]] == ["ErrorEvent", "CompletedEvent"]
        return
    with pytest.raises(wire.client.error()) as caught:
        list(exchanges.call(provider, reply, streaming=True))
    status, bodies = wire.client.refusal(caught.value)
    kinds = {module.from_error(status, body).kind for body in bodies}
    assert kinds == {"server"}
    is_broken(sample, list(module.iter_events(exchanges.call(provider, reply, streaming=True))), caught.value)


@each_provider
def test_no_proxy_stands_between(monkeypatch: pytest.MonkeyPatch, provider: str) -> None:
    """Whatever the environment says: nothing here leaves the machine."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
        monkeypatch.setenv(name.upper(), "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    exchanges = Exchanges()
    try:
        assert exchanges.received(provider, response_of(provider)) is not None
        if is_asynchronous(provider):
            assert exchanges.run(exchanges.acall(provider, whole(response_of(provider)))) is not None
    finally:
        exchanges.close()
