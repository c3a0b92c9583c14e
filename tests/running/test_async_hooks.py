"""Every function that an app passes to a run, a dispatch or a session may be async. `on_loss` means the same on all."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tests.running.calls import call, cancelled
from tests.running.clients import stateful
from tests.running.hosts.copilot import Runtime, Says
from tests.running.scripts import all_ways, completion, native
from tests.support.generated import Package
from tests.support.runnable_project import Handlers

Function = Callable[..., Any]

READ = ("read_file", {"path": "a", "lines": None})
"""Null, in place of an argument that is left out, is a loss of `on_loss`."""
GREP = ("grep", {"pattern": "a"})
WRITE = ("write_file", {"path": "a", "text": "b"})


def as_function(function: Function) -> Function:
    return function


def as_async_function(function: Function) -> Function:
    async def hook(*arguments: Any) -> Any:
        await asyncio.sleep(0)
        return function(*arguments)

    return hook


def as_async_object(function: Function) -> Function:
    class Hook:
        async def __call__(self, *arguments: Any) -> Any:
            await asyncio.sleep(0)
            return function(*arguments)

    return Hook()


def as_partial(function: Function) -> Function:
    async def hook(more: Any, *arguments: Any) -> Any:
        await asyncio.sleep(0)
        return function(*arguments)

    return functools.partial(hook, None)


def as_function_that_returns_a_coroutine(function: Function) -> Function:
    hook = as_async_function(function)
    return lambda *arguments: hook(*arguments)


KINDS = [as_function, as_async_function, as_async_object, as_partial, as_function_that_returns_a_coroutine]
ASYNC_KINDS = KINDS[1:]


def hooks_of_run(package: Package, log: list[Any], make: Function) -> dict[str, Any]:
    """Every setting of a run that is a function, each of which logs that it was called."""
    running = package.module("running")

    def logged(name: str, value: Any = None) -> Function:
        def hook(*arguments: Any) -> Any:
            log.append(name)
            return arguments[0] if value is arguments else value

        return make(hook)

    def prepare(request: Any) -> Any:
        log.append("prepare")
        return request

    async def around(call: Any, arguments: Any, proceed: Any) -> Any:
        log.append("around")
        return await proceed(arguments)

    return {
        "prepare": make(prepare),
        "on_answer": logged("on_answer"),
        "on_message": logged("on_message"),
        "on_loss": logged("on_loss"),
        "cancelled": logged("cancelled", value=False),
        "on_result": logged("on_result"),
        "on_error": logged("on_error"),
        "review": logged("review", value=running.Allow()),
        "around": around,
        "stop": logged("stop", value=False),
        "others": {"remote": logged("remote", value="text")},
        "low_risk": {"remote"},
    }


def fail(args: Any) -> Any:
    raise ValueError("broken")


def responses(package: Package) -> list[Any]:
    remote = ("remote", {"q": 1})
    calls = [completion(package, each) for each in (READ, GREP, WRITE, remote)]
    return [*calls, completion(package, "Done.")]


def offer_all(package: Package) -> Any:
    models, declared = package.module("models"), package.module("tools").DEFINITIONS
    tools = [
        declared["read_file"],
        declared["grep"],
        declared["write_file"],
        models.ToolDefinition("remote", "A tool."),
    ]
    return models.Request([models.UserMessage("Hello")], tools=tools)


@pytest.mark.parametrize("make", KINDS)
def test_every_hook_of_a_run_is_called_and_awaited_in_its_place(runnable: Package, make: Function) -> None:
    log: list[Any] = []
    settings = hooks_of_run(runnable, log, make)
    runs = all_ways(runnable, responses(runnable), offer_all(runnable), Handlers(grep=fail), **settings)
    for result, _, _ in runs:
        assert (result.stopped_by, result.text) == ("end", "Done.")
    begin, end = ["prepare", "on_message", "on_answer", "cancelled"], ["on_message", "cancelled", "stop"]
    turns = [
        ["on_loss", "around", "on_result"],
        ["around", "on_error", "on_result"],
        ["review", "around", "on_result"],
        ["around", "remote", "on_result"],
    ]
    expected = [name for turn in turns for name in [*begin, *turn, *end]]
    assert log == [*expected, "prepare", "on_message", "on_answer"] * 4


def ways(package: Package, replies: list[Any], **settings: Any) -> Iterator[Callable[[], Any]]:
    """A run in each of the four ways, to be started."""
    running, request = package.module("running"), offer_all(package)

    async def streamed(session: Any) -> None:
        async for _ in running.arun_stream(session, request, handlers, **settings):
            pass

    handlers = Handlers(grep=fail)
    yield lambda: running.run(native(package, replies), request, handlers, **settings)
    yield lambda: list(running.run_stream(native(package, replies), request, handlers, **settings))
    yield lambda: asyncio.run(running.arun(native(package, replies, later=True), request, handlers, **settings))
    yield lambda: asyncio.run(streamed(native(package, replies, later=True)))


@pytest.mark.parametrize("make", [as_function, as_async_function])
@pytest.mark.parametrize(
    "name", ["prepare", "on_answer", "on_message", "on_loss", "cancelled", "on_result", "on_error", "stop"]
)
def test_a_hook_that_raises_ends_the_run_with_its_exception(runnable: Package, name: str, make: Function) -> None:
    def raise_it(*arguments: Any) -> Any:
        raise LookupError(name)

    settings = {**hooks_of_run(runnable, [], as_function), name: make(raise_it)}
    for start in ways(runnable, responses(runnable), **settings):
        with pytest.raises(LookupError, match=name):
            start()


@pytest.mark.parametrize("make", [as_function, as_async_function])
def test_a_review_and_a_function_around_a_handler_that_raise_fail_their_call_alone(
    runnable: Package, make: Function
) -> None:
    def raise_it(*arguments: Any) -> Any:
        raise LookupError

    heard: list[Any] = []
    for name in ("review", "around"):
        settings = {**hooks_of_run(runnable, [], as_function), name: make(raise_it), "on_error": make(heard.append)}
        replies = [completion(runnable, WRITE), completion(runnable, "Done.")]
        for result, _, _ in all_ways(runnable, replies, offer_all(runnable), Handlers(), **settings):
            assert (result.text, result.messages[2].results[0].kind) == ("Done.", "error")
    assert [type(error) for error in heard] == [LookupError] * 8


@pytest.mark.parametrize("make", ASYNC_KINDS)
def test_an_async_cancelled_ends_the_run_only_if_it_returns_true(runnable: Package, make: Function) -> None:
    answers = iter([False, False, True] * 4)
    replies = [completion(runnable, READ), completion(runnable, READ), completion(runnable, "Done.")]
    for result, session, _ in all_ways(runnable, replies, "Hello", Handlers(), cancelled=make(lambda: next(answers))):
        assert (result.stopped_by, len(session.sent)) == ("cancelled", 2)


@pytest.mark.parametrize("make", KINDS)
def test_hooks_of_single_calls_are_awaited(runnable: Package, make: Function) -> None:
    tools, running = runnable.module("tools"), runnable.module("running")
    read, grep, write = (call(runnable, *each, id=each[0]) for each in (READ, GREP, WRITE))
    handlers = Handlers(grep=fail)
    log: list[str] = []

    def hook(name: str) -> Function:
        return make(lambda value: log.append(name))

    hooks = {"on_error": hook("on_error"), "on_loss": hook("on_loss")}
    for each in (read, grep):
        tools.dispatch_sync(each, handlers, **hooks)
        asyncio.run(tools.dispatch(each, handlers, **hooks))
    assert log == ["on_loss"] * 2 + ["on_error"] * 2
    log.clear()
    hooks |= {"on_result": hook("on_result"), "on_hold": hook("on_hold")}
    hold = make(lambda call, arguments: running.Hold())
    results = asyncio.run(tools.dispatch_all([read, grep, write], handlers, review=hold, **hooks))
    assert [result.kind for result in results] == ["text", "error"]
    assert sorted(log) == ["on_error", "on_hold", "on_loss", "on_result", "on_result"]


def test_hooks_of_a_synchronous_run_share_its_loop(runnable: Package) -> None:
    loops: set[int] = set()

    async def note(*arguments: Any) -> None:
        await asyncio.sleep(0)
        loops.add(id(asyncio.get_running_loop()))

    session = texts(runnable, [BLOCK, "Done."])
    session.on_loss = note
    result = runnable.module("running").run(
        session, lossy(runnable), Handlers(), review=None, on_message=note, on_result=note, on_loss=note, on_answer=note
    )
    assert (result.text, len(loops)) == ("Done.", 1)


def test_a_task_group_that_failed_in_a_hook_cancels_nothing_else(runnable: Package) -> None:
    async def raise_it() -> None:
        raise ValueError

    async def broken(*arguments: Any) -> None:
        with contextlib.suppress(ExceptionGroup):
            async with asyncio.TaskGroup() as group:
                group.create_task(raise_it())

    replies = [completion(runnable, READ), completion(runnable, "Done.")]
    hooks = dict.fromkeys(["on_answer", "on_message", "on_loss", "cancelled", "on_result", "stop"], broken)
    for result, _, _ in all_ways(runnable, replies, "Hello", Handlers(), **hooks):
        assert (result.stopped_by, result.text) == ("end", "Done.")


def test_a_cancelled_run_awaits_the_hooks_of_what_it_adds(runnable: Package) -> None:
    roles: list[str] = []
    kinds: list[str] = []
    started = threading.Event()

    async def on_message(message: Any) -> None:
        await asyncio.sleep(0.01)
        roles.append(message.role)

    async def on_result(result: Any) -> None:
        await asyncio.sleep(0.01)
        kinds.append(result.kind)

    async def main() -> Any:
        release = asyncio.get_running_loop().call_later(0.05, done.set)
        session = native(runnable, [completion(runnable, GREP)], later=True)
        running = runnable.module("running")
        work = running.arun(
            session, "Hello", Handlers(grep=wait), review=running.allow_all, on_message=on_message, on_result=on_result
        )
        tasks = await cancelled(work, started.is_set)
        release.cancel()
        return tasks

    def wait(args: Any) -> str:
        started.set()
        done.wait(1)
        return "found"

    done = threading.Event()
    assert asyncio.run(main()) == []
    assert (roles, kinds) == (["assistant", "tool"], ["text"])


BLOCK = '<tool_call>{"name": "read_file", "arguments": {"path": "a", "lines": null}}</tool_call>'


def texts(package: Package, replies: list[str], later: bool = False) -> Any:
    """A session in text that returns these."""
    base = package.module("sessions")
    remaining = list(replies)

    def send(self: Any, request: Any) -> str:
        return remaining.pop(0)

    async def send_later(self: Any, request: Any) -> str:
        return remaining.pop(0)

    kind = base.AsyncSession if later else base.Session
    return type("Texts", (kind,), {"send": send_later if later else send})()


def lossy(package: Package) -> Any:
    """A request that loses an image on every wire without media of assistants, and in text."""
    models = package.module("models")
    image = models.AssistantMessage([models.TextPart("See:"), models.ImagePart(url="https://a/b")])
    tools = [package.module("tools").DEFINITIONS["read_file"]]
    messages = [models.UserMessage("Hi"), image, models.UserMessage("?")]
    return models.Request(messages, model="m", tools=tools, max_output_tokens=100)


def on_a_client(package: Package, provider: str, replies: list[Any], later: bool) -> Any:
    """A session on a client that returns these completions, whole or streamed."""
    module, events_of = package.provider(provider), package.module("runtime.sessions.text_protocol").stream_events
    remaining = list(replies)

    def respond(streamed: bool) -> Any:
        reply = remaining.pop(0)
        if not streamed:
            return module.to_response(reply, id="r", created=1)
        writer = module.StreamWriter(id="r", created=1)
        return [*(event for each in events_of(reply) for event in writer.write(each)), *writer.finish()]

    async def respond_later(**keywords: Any) -> Any:
        response = respond(keywords.get("stream", False))

        async def events() -> Any:
            for event in response:
                yield event

        return events() if isinstance(response, list) else response

    create = respond_later if later else lambda **keywords: respond(keywords.get("stream", False))
    client: Any = SimpleNamespace(create=create)
    session = getattr(package.module(f"sessions.{provider}"), "AsyncSession" if later else "Session")
    for step in reversed(session.calls.send.split(".")[:-1]):
        client = SimpleNamespace(**{step: client})
    return session(client, "m")


Make = Callable[[bool], Any]
"""Makes a session, sync or async."""


KINDS_OF_SESSION = ["openai_chat", "anthropic", "groq", "in text"]


def sessions_that_lose(package: Package, kind: str) -> Make:
    """Sessions of a kind. Each of the two requests of a run loses an image. The first response is a call."""
    if kind == "in text":
        return functools.partial(texts, package, [BLOCK, "Done."])
    return functools.partial(on_a_client, package, kind, [completion(package, READ), completion(package, "Done.")])


def run_in_each_way(package: Package, make: Make, **settings: Any) -> Iterator[Any]:
    """The session and the result of a run in each of the four ways. `prepared` changes the session before it."""
    running, prepared = package.module("running"), settings.pop("prepared", lambda session: None)
    settings = {"review": running.allow_all, **settings}

    async def streamed(session: Any) -> Any:
        run = running.arun_stream(session, lossy(package), Handlers(), **settings)
        async for _ in run:
            pass
        return run.result

    for later in (False, True):
        for is_stream in (False, True):
            session = make(later)
            prepared(session)
            if later:
                work = streamed(session)
                if not is_stream:
                    work.close()
                    work = running.arun(session, lossy(package), Handlers(), **settings)
                yield asyncio.run(work)
            elif is_stream:
                run = running.run_stream(session, lossy(package), Handlers(), **settings)
                list(run)
                yield run.result
            else:
                yield running.run(session, lossy(package), Handlers(), **settings)


def paths(losses: list[Any]) -> list[str]:
    return [loss.path for loss in losses]


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("kind", KINDS_OF_SESSION)
def test_on_loss_hears_the_same_on_a_run_and_on_its_session(runnable: Package, kind: str, make: Function) -> None:
    session_of = sessions_that_lose(runnable, kind)
    of_run: list[Any] = []
    of_session: list[Any] = []

    def listen(session: Any) -> None:
        session.on_loss = make(of_session.append)

    for result in run_in_each_way(runnable, session_of, on_loss=make(of_run.append)):
        assert result.text == "Done."
    for result in run_in_each_way(runnable, session_of, prepared=listen):
        assert result.text == "Done."
    assert of_run == of_session
    image = "messages[1].content[1]"
    expected = [image, "arguments.lines", image] if kind == "in text" else [image, image]
    assert paths(of_run) == expected * 4
    of_run.clear(), of_session.clear()
    for _ in run_in_each_way(runnable, session_of, prepared=listen, on_loss=make(of_run.append)):
        pass
    assert (paths(of_run), of_session) == (expected * 4, of_run)


@pytest.mark.parametrize("kind", KINDS_OF_SESSION)
def test_a_function_that_is_on_loss_of_both_hears_each_loss_once(runnable: Package, kind: str) -> None:
    heard: list[Any] = []

    def listen(session: Any) -> None:
        session.on_loss = heard.append

    for _ in run_in_each_way(runnable, sessions_that_lose(runnable, kind), prepared=listen, on_loss=heard.append):
        pass
    assert len(paths(heard)) == (3 if kind == "in text" else 2) * 4


@pytest.mark.parametrize("make", [as_function, as_async_function])
@pytest.mark.parametrize("place", ["run", "session"])
@pytest.mark.parametrize("kind", KINDS_OF_SESSION)
def test_on_loss_is_called_before_the_request_is_sent(runnable: Package, kind: str, place: str, make: Function) -> None:
    def refuse(loss: Any) -> None:
        raise LookupError(loss.path)

    def listen(session: Any) -> None:
        if place == "session":
            session.on_loss = make(refuse)
        session.send = session.pieces = None  # nothing can be sent
        if hasattr(session, "clients"):
            del session.send, session.pieces
            session.clients = []

    settings = {"on_loss": make(refuse)} if place == "run" else {}
    runs = run_in_each_way(runnable, sessions_that_lose(runnable, kind), prepared=listen, **settings)
    with pytest.raises(LookupError, match=r"messages\[1\]"):
        next(runs)


def test_losses_before_a_refusal_are_reported(runnable: Package) -> None:
    models, errors, heard = runnable.module("models"), runnable.module("errors"), []
    request = lossy(runnable)
    request.messages.insert(0, models.SystemMessage("Be brief."))
    request.tool_choice = "required"
    request.tools = [models.OpaquePart("gemini", {"googleSearch": {}})]
    for make in (as_function, as_async_function):
        session = on_a_client(runnable, "openai_chat", [], later=False)
        session.on_loss = make(heard.append)
        with pytest.raises(errors.ConversionError):
            session.complete(request)
    assert len(heard) % 2 == 0
    assert heard[: len(heard) // 2] == heard[len(heard) // 2 :] != []


@pytest.mark.parametrize("make", ASYNC_KINDS)
@pytest.mark.parametrize("kind", KINDS_OF_SESSION)
def test_a_session_awaits_its_on_loss_without_a_run(runnable: Package, kind: str, make: Function) -> None:
    make_session, heard = sessions_that_lose(runnable, kind), []

    async def later() -> None:
        for streamed in (False, True):
            session = make_session(True)
            session.on_loss = make(heard.append)
            if streamed:
                assert [event async for event in session.stream(lossy(runnable))]
            else:
                await session.complete(lossy(runnable))

    def at_once() -> None:
        for streamed in (False, True):
            session = make_session(False)
            session.on_loss = make(heard.append)
            assert list(session.stream(lossy(runnable))) if streamed else session.complete(lossy(runnable))

    async def beside_a_loop() -> None:
        at_once()

    at_once()
    asyncio.run(later())
    asyncio.run(beside_a_loop())
    assert paths(heard) == ["messages[1].content[1]"] * 6


def test_a_wrapped_session_reports_to_the_run_too(runnable: Package) -> None:
    inner = on_a_client(runnable, "openai_chat", [completion(runnable, "Done.")], later=False)
    base, of_run, of_wrapper = runnable.module("sessions"), [], []

    class Wrapper(base.Session):  # type: ignore[misc,name-defined]
        tool_mode = base.ToolMode.NATIVE

        def send(self, request: Any) -> Any:
            return inner.complete(request)

    wrapper = Wrapper()
    wrapper.on_loss = of_wrapper.append
    running = runnable.module("running")
    running.run(wrapper, lossy(runnable), Handlers(), review=running.allow_all, on_loss=of_run.append)
    assert paths(of_run) == paths(of_wrapper) == ["messages[1].content[1]"]


def test_a_request_that_the_app_sends_between_events_is_no_part_of_the_run(runnable: Package) -> None:
    replies = [completion(runnable, "Done.")] * 3
    running, heard = runnable.module("running"), []

    async def main() -> None:
        other = on_a_client(runnable, "openai_chat", replies, later=True)
        session = on_a_client(runnable, "openai_chat", replies, later=True)
        other.on_loss = lambda loss: None
        settings = {"review": running.allow_all, "on_loss": heard.append}
        async for event in running.arun_stream(session, lossy(runnable), Handlers(), **settings):
            if event.type == "text_delta":
                await other.complete(lossy(runnable))

    asyncio.run(main())
    assert paths(heard) == ["messages[1].content[1]"]


@pytest.mark.parametrize("make", ASYNC_KINDS)
def test_on_loss_of_a_conversion_is_refused_if_it_is_async(runnable: Package, make: Function) -> None:
    openai_chat, tools = runnable.provider("openai_chat"), runnable.module("tools")
    hook = make(lambda loss: None)
    for convert in (
        lambda: openai_chat.to_request(lossy(runnable), on_loss=hook),
        lambda: tools.parse_call(call(runnable, *READ), on_loss=hook),
        lambda: runnable.module("runtime.sessions.text_protocol").to_text_request(lossy(runnable), hook),
    ):
        with pytest.raises(TypeError, match="on_loss of a conversion must not be async"):
            convert()


@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
def test_a_session_whose_client_holds_the_conversation_awaits_on_loss(
    runnable: Package, tmp_path: Any, later: bool
) -> None:
    models, heard, of_run = runnable.module("models"), [], []
    request = models.Request([models.UserMessage("Begin.")], model="m", temperature=0.5)
    running = runnable.module("running")
    with (
        Runtime([Says("One."), Says("Two.")]) as runtime,
        stateful(runnable, "copilot", runtime.address, later, on_loss=as_async_function(heard.append)) as session,
    ):
        settings = {"review": running.allow_all, "on_loss": as_async_function(of_run.append)}
        if later:
            session.runner.run(running.arun(session, request, Handlers(), **settings))
        else:
            running.run(session, request, Handlers(), **settings)
    assert [loss.path for loss in heard] == [loss.path for loss in of_run] == ["temperature"]


def test_clients_for_async_code_are_closed_by_both_kinds_of_session(runnable: Package) -> None:
    closed: list[str] = []

    class Client:
        async def close(self) -> None:
            await asyncio.sleep(0)
            closed.append("closed")

    module = runnable.module("sessions.openai_chat")
    module.Session(Client(), "m").close()
    asyncio.run(module.AsyncSession(Client(), "m").aclose())
    assert closed == ["closed"] * 2
