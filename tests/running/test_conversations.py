"""One scripted conversation of ten turns through every session: official clients, and text alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.running.clients import OWN_SESSIONS, SESSIONS, STATEFUL, replied, runtime, session, stateful
from tests.running.hosts import Says
from tests.running.scripts import native
from tests.support.generated import Package
from tests.support.loopback import Loopback
from tests.support.runnable_project import Handlers, reviewed

READ = ("read_file", {"path": "notes.txt"})
GREP = ("grep", {"pattern": 'a "quoted" \\ word\n\u2028 and \U0001f600'})
WRITE = ("write_file", {"path": "out.txt", "text": "```tool\nnot a call\n```"})
RUN = ("run_command", {"command": "ls", "level": 2})

SCRIPT: list[tuple[Any, ...]] = [
    ("I look at the notes.", READ),
    (READ, GREP),
    (GREP, READ, GREP),
    ("Now I write.", WRITE),
    (READ, WRITE, READ),
    (("no_such_tool", {}),),
    (("read_file", {"path": 7}), GREP),
    (RUN,),
    (("run_command", {"command": "fail"}),),
    (GREP,),
    ("All is done.",),
]
"""What the model says, turn by turn: texts, and calls as pairs of name and arguments."""


def completions(package: Package) -> list[Any]:
    models, responses = package.module("models"), []
    for turn, parts in enumerate(SCRIPT):
        content: list[Any] = []
        for i, part in enumerate(parts):
            if isinstance(part, str):
                content.append(models.TextPart(part))
            else:
                content.append(models.ToolCallPart(models.ToolCall(f"call{turn}x{i}", *part)))
        called = any(isinstance(part, tuple) for part in parts)
        reason = "tool_calls" if called else "stop"
        responses.append(
            models.Completion(models.AssistantMessage(content), reason, "a1", "m", None, models.Usage(1, 1, 2))
        )
    return responses


class Workshop(Handlers):
    def run_command(self, args: Any) -> Any:
        if args.command == "fail":
            raise ValueError("no")
        return {"code": 0, "out": ["a", None, 1.5, True]}


def plainly(package: Package, result: Any) -> tuple[Any, ...]:
    """What was said and done, whatever the ids are."""
    texts, calls = package.module("messages").text_of, package.module("messages").tool_calls_of
    plain: list[Any] = []
    for message in result.messages:
        if message.role == "tool":
            plain.append([(r.name, r.kind, r.value) for r in message.results])
        else:
            plain.append((message.role, texts(message), [(c.name, c.arguments, c.invalid) for c in calls(message)]))
    ids = [call.id for message in result.messages for call in calls(message)]
    assert len(set(ids)) == len(ids)
    assert [r.tool_call_id for m in result.messages if m.role == "tool" for r in m.results] == ids
    return plain, result.turns, result.stopped_by


@pytest.fixture(scope="module")
def expected(runnable: Package) -> Any:
    """The conversation by a session that responds from the script itself."""
    scripted = native(runnable, completions(runnable))
    return plainly(runnable, reviewed(runnable).run(scripted, "Begin.", Workshop()))


@pytest.fixture
def server() -> Iterator[Loopback]:
    with_replies = Loopback()
    yield with_replies
    with_replies.close()


def ran(package: Package, session: Any, *, later: bool, streaming: bool) -> Any:
    loop = reviewed(package)

    async def events() -> Any:
        run = loop.arun_stream(session, "Begin.", Workshop())
        emitted = [event async for event in run]
        assert emitted[-1].type == "final"
        return run.result

    if later:
        run = session.runner.run if hasattr(session, "runner") else asyncio.run
        return run(events() if streaming else loop.arun(session, "Begin.", Workshop()))
    if not streaming:
        return loop.run(session, "Begin.", Workshop())
    stream = loop.run_stream(session, "Begin.", Workshop())
    assert list(stream)[-1].type == "final"
    return stream.result


def test_the_script_has_ten_turns_and_an_end(expected: Any) -> None:
    texts, turns, stopped = expected
    assert (turns, stopped, len(texts)) == (10, "end", 22)
    assert [kind for _, kind, _ in texts[12]] == ["error"]


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("provider", OWN_SESSIONS)
def test_a_conversation_is_the_same_through_every_client(
    runnable: Package, server: Loopback, expected: Any, provider: str, later: bool, streaming: bool
) -> None:
    server.replies.extend(replied(runnable, provider, response, streaming) for response in completions(runnable))
    with session(runnable, provider, server, later) as opened_session:
        result = ran(runnable, opened_session, later=later, streaming=streaming)
    assert plainly(runnable, result) == expected
    assert len(server.heard) == 11
    assert result.completion.usage is not None


HOSTS = [(name, i % 2 == 0) for i, name in enumerate(name for name in SESSIONS if name not in OWN_SESSIONS)]
"""Each with one of both ways, which their code shares with the provider that they extend."""


@pytest.mark.parametrize(("provider", "streaming"), HOSTS)
def test_a_conversation_is_the_same_through_every_host(
    runnable: Package, server: Loopback, expected: Any, provider: str, streaming: bool
) -> None:
    server.replies.extend(replied(runnable, provider, response, streaming) for response in completions(runnable))
    with session(runnable, provider, server, False) as opened_session:
        result = ran(runnable, opened_session, later=False, streaming=streaming)
    assert plainly(runnable, result) == expected


def says(turn: int, parts: tuple[Any, ...]) -> Says:
    """What a live session's model says in a turn."""
    text = "".join(part for part in parts if isinstance(part, str))
    return Says(text, [(f"call{turn}x{i}", *part) for i, part in enumerate(parts) if isinstance(part, tuple)])


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("provider", STATEFUL)
def test_a_conversation_is_the_same_where_the_client_holds_it(
    runnable: Package, expected: Any, provider: str, later: bool, streaming: bool
) -> None:
    with (
        closing(runtime(provider, [says(turn, parts) for turn, parts in enumerate(SCRIPT)])) as after,
        stateful(runnable, provider, after.address, later) as opened_session,
    ):
        result = ran(runnable, opened_session, later=later, streaming=streaming)
    assert plainly(runnable, result) == expected
    assert result.completion.usage is not None


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
def test_a_conversation_is_the_same_in_text_alone(
    runnable: Package, expected: Any, later: bool, streaming: bool
) -> None:
    base = runnable.module("runtime.sessions.base")
    models, folded = runnable.module("models"), runnable.module("runtime.sessions.text_protocol").to_text_request
    texts = [folded(models.Request([response.message])).messages[0].content for response in completions(runnable)]

    class Sync(base.Session):  # type: ignore[misc,name-defined]
        def send(self, request: Any) -> str:
            assert {message.role for message in request.messages} <= {"system", "user", "assistant"}
            return str(texts.pop(0))

    class Later(base.AsyncSession):  # type: ignore[misc,name-defined]
        async def send(self, request: Any) -> str:
            return str(texts.pop(0))

    result = ran(runnable, Later() if later else Sync(), later=later, streaming=streaming)
    assert plainly(runnable, result) == expected
