"""The loop: rounds of calls until the model has no more, told event by event."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from tests.running.scripts import all_ways, completion, native
from tests.support.generated import Package
from tests.support.runnable_project import Handlers, reviewed

READ = ("read_file", {"path": "a"})
GREP = ("grep", {"pattern": "a"})
WRITE = ("write_file", {"path": "a", "text": "b"})


def values(package: Package, message: Any) -> list[Any]:
    assert message.role == "tool"
    return [(r.kind, r.value) for r in message.results]


def test_two_rounds_and_an_end_are_three_requests(runnable: Package) -> None:
    completions = [completion(runnable, "I look.", READ), completion(runnable, GREP), completion(runnable, "Done.")]
    for result, session, _ in all_ways(runnable, completions, "Hello", Handlers(grep=["hit"])):
        assert (result.turns, result.stopped_by, len(session.sent)) == (2, "end", 3)
        assert [m.role for m in result.messages] == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
        assert values(runnable, result.messages[2]) == [("text", "text")]
        assert values(runnable, result.messages[4]) == [("data", ["hit"])]
        assert [len(sent.messages) for sent in session.sent] == [1, 3, 5]
        assert runnable.module("messages").validate(result.messages) == []
        assert runnable.module("messages").text_of(result.completion.message) == "Done."


def test_a_run_says_what_its_responses_used_together(runnable: Package) -> None:
    usage = runnable.module("models").Usage
    first = completion(runnable, READ, usage=usage(10, 5, 15, input_cached_tokens=4, metadata={"a": 1}))
    silent, last = completion(runnable, GREP), completion(runnable, "Done.", usage=usage(20, 1, 21, reasoning_tokens=1))
    for result, _, _ in all_ways(runnable, [first, silent, last], "Hello", Handlers()):
        assert result.usage == usage(30, 6, 36, input_cached_tokens=4, reasoning_tokens=1)
        assert result.completion.usage == usage(20, 1, 21, reasoning_tokens=1)
    for result, _, _ in all_ways(runnable, [silent, completion(runnable, "Done.")], "Hello", Handlers()):
        assert result.usage is None


def test_a_model_that_calls_for_ever_is_stopped(runnable: Package) -> None:
    for result, session, _ in all_ways(runnable, [completion(runnable, READ)], "Hello", Handlers()):
        assert (result.turns, result.stopped_by, len(session.sent)) == (10, "limit", 11)
        assert result.messages[-1] == result.completion.message


def test_several_calls_of_a_response_are_one_turn(runnable: Package) -> None:
    completions = [completion(runnable, READ, GREP, READ)] * 2 + [completion(runnable, "Done.")]
    for result, _, _ in all_ways(runnable, completions, "Hello", Handlers(), max_tool_turns=2):
        assert (result.turns, result.stopped_by) == (2, "end")
    for result, session, _ in all_ways(runnable, [completion(runnable, READ)], "Hello", Handlers(), max_tool_turns=15):
        assert (result.turns, len(session.sent)) == (15, 16)


@pytest.mark.parametrize("limit", [{"max_tool_turns": 0}, {"max_parallel": 0}])
def test_a_limit_below_one_is_refused(runnable: Package, limit: Any) -> None:
    session = native(runnable, [completion(runnable, "Hello.")])
    with pytest.raises(ValueError, match="at least 1"):
        reviewed(runnable).run(session, "Hello", Handlers(), **limit)
    assert session.sent == []


@pytest.mark.parametrize("reason", ["length", "content_filter", "error"])
def test_a_response_that_ended_early_runs_no_call(runnable: Package, reason: str) -> None:
    handlers = Handlers()
    for result, session, _ in all_ways(runnable, [completion(runnable, "So", READ, reason=reason)], "Hello", handlers):
        assert (result.stopped_by, result.turns, len(session.sent)) == (reason, 0, 1)
    assert handlers.log == []


def test_an_unknown_reason_is_kept(runnable: Package) -> None:
    response = completion(runnable, "So", reason="other", stop_reason="pause_turn")
    for result, _, _ in all_ways(runnable, [response], "Hello", Handlers()):
        assert (result.stopped_by, result.completion.stop_reason) == ("end", "pause_turn")


@pytest.mark.parametrize("invalid", ["malformed", "not_an_object", "duplicate_id"])
def test_a_call_that_can_be_mended_gets_a_result(runnable: Package, invalid: str) -> None:
    models, handlers = runnable.module("models"), Handlers()
    call = models.ToolCallPart(models.ToolCall("c1", "read_file", {}, models.InvalidCall("{", invalid)))
    completions = [completion(runnable, "I look.", call, reason="tool_calls"), completion(runnable, "Done.")]
    for result, _, _ in all_ways(runnable, completions, "Hello", handlers):
        assert (result.turns, result.stopped_by, result.text) == (1, "end", "Done.")
        assert [kind for kind, _ in values(runnable, result.messages[2])] == ["error"]
        assert runnable.module("messages").validate(result.messages) == []
    assert handlers.log == []


@pytest.mark.parametrize("invalid", ["untrusted", "truncated", "filtered"])
def test_a_call_that_cannot_be_mended_is_no_reason_to_go_on(runnable: Package, invalid: str) -> None:
    models, handlers = runnable.module("models"), Handlers()
    call = models.ToolCallPart(models.ToolCall("c1", "read_file", {}, models.InvalidCall("{", invalid)))
    completions = [completion(runnable, "I look.", call, reason="tool_calls"), completion(runnable, "Never.")]
    for result, session, _ in all_ways(runnable, completions, "Hello", handlers):
        assert (result.turns, result.stopped_by, result.text, len(session.sent)) == (0, "end", "I look.", 1)
        assert [kind for kind, _ in values(runnable, result.messages[2])] == ["error"]
        assert runnable.module("messages").validate(result.messages) == []
    assert handlers.log == []


@pytest.mark.parametrize("way", ["run", "run_stream", "arun", "arun_stream"])
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"reviews": None}, r"reviews \(did you mean review\?\)"),
        ({"max_turns": 0}, r"max_turns \(did you mean max_tool_turns"),
        ({"zzz": 1, "on_mesage": None, "timeout": 1}, r"zzz, on_mesage \(did you mean on_message"),
    ],
)
def test_a_word_that_is_no_setting_is_refused(runnable: Package, way: str, words: Any, message: str) -> None:
    session = native(runnable, [completion(runnable, WRITE)], later=way.startswith("a"))

    async def begun() -> None:
        run = getattr(reviewed(runnable), way)(session, "Hello", Handlers(), **words)
        if way == "arun":
            await run

    with pytest.raises(TypeError, match=message):
        asyncio.run(begun())
    assert session.sent == []


@pytest.mark.parametrize("choice", ["auto", "required", "none", "one", "named"])
def test_a_tool_that_no_handler_can_serve_is_refused_at_start(runnable: Package, choice: str) -> None:
    models, loop = runnable.module("models"), reviewed(runnable)
    grep = runnable.module("tools").DEFINITIONS["grep"]
    strange = [models.ToolDefinition(name) for name in ("mine", "yours")]
    chosen = {"one": models.AllowedToolChoice(["grep"], "auto"), "named": models.NamedToolChoice("grep")}
    request = models.Request(
        [models.UserMessage("Hello")], tools=[grep, *strange], tool_choice=chosen.get(choice, choice)
    )
    session = native(runnable, [completion(runnable, "Hello.")])
    if choice in ("none", "one"):
        assert loop.run(session, request, Handlers()).stopped_by == "end"
        return
    with pytest.raises(TypeError, match="mine, yours"):
        loop.run(session, request, Handlers())
    assert session.sent == []


def test_what_a_request_does_not_offer_does_not_run(runnable: Package) -> None:
    models, handlers = runnable.module("models"), Handlers()
    offered = [runnable.module("tools").DEFINITIONS["grep"]]
    request = models.Request([models.UserMessage("Hello")], tools=offered)
    completions = [completion(runnable, READ, GREP), completion(runnable, "Done.")]
    for result, session, _ in all_ways(runnable, completions, request, handlers):
        assert [kind for kind, _ in values(runnable, result.messages[2])] == ["error", "data"]
        assert session.sent[0].tools == offered
    assert "+read_file" not in handlers.log
    nothing = models.Request([models.UserMessage("Hello")], tools=[])
    for result, _, _ in all_ways(runnable, completions, nothing, handlers):
        assert [kind for kind, _ in values(runnable, result.messages[2])] == ["error", "error"]


def test_without_tools_every_declared_tool_is_offered(runnable: Package) -> None:
    for _, session, _ in all_ways(runnable, [completion(runnable, "Hello.")], "Hello", Handlers()):
        assert [tool.name for tool in session.sent[0].tools] == ["grep", "read_file", "run_command", "write_file"]


@pytest.mark.parametrize("choice", ["required", "none", "auto"])
def test_a_choice_that_forces_a_call_holds_once(runnable: Package, choice: str) -> None:
    models = runnable.module("models")
    request = models.Request([models.UserMessage("Hello")], tool_choice=choice)
    completions = [completion(runnable, READ), completion(runnable, "Done.")]
    for _, session, _ in all_ways(runnable, completions, request, Handlers()):
        after = "auto" if choice == "required" else choice
        assert [sent.tool_choice for sent in session.sent] == [choice, after]


def choices(package: Package) -> dict[str, Any]:
    """Choices, each with what is chosen after the first response, and the tools that run of two responses with three calls."""
    models = package.module("models")
    allowed = models.AllowedToolChoice(["grep", "run_command"], "auto")
    everything = ["read_file", "grep", "write_file"]
    return {
        "none": ("none", "none", []),
        "auto": ("auto", "auto", everything * 2),
        "required": ("required", "auto", everything * 2),
        "named": (models.NamedToolChoice("grep"), "auto", ["grep", *everything]),
        "allowed": (allowed, allowed, ["grep"] * 2),
        "one of": (models.AllowedToolChoice(["grep", "run_command"], "required"), allowed, ["grep"] * 2),
    }


CHOICES = ["none", "auto", "required", "named", "allowed", "one of"]


@pytest.mark.parametrize("choice", CHOICES)
def test_what_a_choice_leaves_out_does_not_run(runnable: Package, choice: str) -> None:
    first, after, run = choices(runnable)[choice]
    models = runnable.module("models")
    request = models.Request([models.UserMessage("Hello")], tool_choice=first)
    completions = [completion(runnable, READ, GREP, WRITE)] * 2 + [completion(runnable, "Done.")]
    handlers = Handlers()
    for result, session, _ in all_ways(runnable, completions, request, handlers, max_parallel=1):
        assert [sent.tool_choice for sent in session.sent] == [first, after, after]
        kinds = [r.kind for message in result.messages if message.role == "tool" for r in message.results]
        assert kinds.count("error") == 6 - len(run)
    assert [entry[1:] for entry in handlers.log if entry[0] == "+"] == run * 4


def test_results_go_back_in_one_message(runnable: Package) -> None:
    completions = [completion(runnable, READ, GREP, WRITE), completion(runnable, "Done.")]
    reviewed: list[str] = []

    def review(call: Any, arguments: Any) -> Any:
        reviewed.append(call.name)
        return runnable.module("tools").Deny("no")

    for result, _, _ in all_ways(runnable, completions, "Hello", Handlers(), review=review):
        assert [kind for kind, _ in values(runnable, result.messages[2])] == ["text", "data", "error"]
    assert reviewed == ["write_file"] * 4


def test_a_turn_with_a_failed_result_of_any_kind_is_told_as_one(runnable: Package) -> None:
    """A handler may return data or parts with the error flag, as tools of MCP servers do."""
    failed = runnable.module("models").ToolResult("c", "grep", "data", {"code": 1}, is_error=True)
    completions = [completion(runnable, GREP), completion(runnable, "Done.")]
    for _, _, events in all_ways(runnable, completions, "Hello", Handlers(grep=failed))[1::2]:
        assert [event.status for event in events if event.type == "step_complete"] == ["error", "completed"]


def test_a_handler_that_raises_gives_an_error_result_and_the_run_goes_on(runnable: Package) -> None:
    completions = [completion(runnable, READ), completion(runnable, GREP), completion(runnable, "Done.")]
    handlers = Handlers(read_file=lambda args: 1 / 0, grep=["hit"])
    for result, session, _ in all_ways(runnable, completions, "Hello", handlers):
        (failed,) = session.sent[1].messages[-1].results
        assert failed.kind == "error"
        assert "ZeroDivisionError" in failed.value
        assert values(runnable, session.sent[2].messages[-1]) == [("data", ["hit"])]
        assert (result.stopped_by, result.turns) == ("end", 2)


def test_a_run_is_told_step_by_step(runnable: Package) -> None:
    completions = [
        completion(runnable, "I look.", READ),
        completion(runnable, GREP, GREP),
        completion(runnable, "Done."),
    ]
    agent = ["step_start", "text", "agent_tool_call", "tool_result", "step_complete"]
    agent += ["step_start", "agent_tool_call", "agent_tool_call", "tool_result", "tool_result", "step_complete"]
    agent += ["step_start", "text", "step_complete", "final"]
    models = runnable.module("models")
    for _, _, events in all_ways(runnable, completions, "Hello", Handlers(grep={"n": 1}, read_file=lambda args: 1 / 0))[
        1::2
    ]:
        own = [event for event in events if type(event).__name__.startswith("Agent")]
        assert [event.type for event in own] == agent
        assert [event.step_number for event in own if event.type == "step_start"] == [1, 2, 3]
        assert len({event.step_id for event in own if event.type == "step_start"}) == 3
        assert [event.status for event in own if event.type == "step_complete"] == ["error", "completed", "completed"]
        assert all(event.duration_ms >= 0 for event in own if event.type == "step_complete")
        assert [e.display_name for e in own if e.type == "agent_tool_call"] == ["Read", None, None]
        assert next(e.args for e in own if e.type == "agent_tool_call") == {"path": "a"}
        results = [event for event in own if event.type == "tool_result"]
        assert [event.is_error for event in results] == [True, None, None]
        assert [event.result for event in results[1:]] == ['{"n":1}'] * 2
        assert all(event.timestamp > 1.7e12 for event in own if event.type == "text")
        assert (own[-1].type, own[-1].content) == ("final", "Done.")
        for event in own:
            assert models.load(models.AgentEvent, models.dump(event)) == event
        stream = [event.type for event in events if event not in own]
        assert stream.count("completed") == 3
        assert stream[:2] == ["text_delta", "tool_call_delta"]


def test_a_picture_is_shown(runnable: Package) -> None:
    models = runnable.module("models")
    parts = [models.TextPart("see"), models.ImagePart(data="aaaa", media_type="image/png")]
    completions = [completion(runnable, GREP), completion(runnable, "Done.")]
    for _, _, events in all_ways(runnable, completions, "Hello", Handlers(grep=parts))[1::2]:
        (shown,) = [event for event in events if event.type == "tool_result"]
        assert (shown.result, shown.screenshot_base64) == ("see", "aaaa")


def test_every_message_is_heard_before_a_failure(runnable: Package) -> None:
    def broken() -> Any:
        raise ConnectionError("no response")

    heard: list[Any] = []
    completions = [completion(runnable, READ), broken]
    with pytest.raises(ConnectionError):
        reviewed(runnable).run(native(runnable, completions), "Hello", Handlers(), on_message=heard.append)
    assert [message.role for message in heard] == ["assistant", "tool"]
    stream = reviewed(runnable).run_stream(native(runnable, completions), "Hello", Handlers())
    emitted: list[Any] = []
    with pytest.raises(ConnectionError):
        emitted.extend(event for event in stream)
    assert stream.result is None


@pytest.mark.parametrize("when", [1, 2, 3])
def test_a_run_that_is_told_to_stop_ends_between_steps(runnable: Package, when: int) -> None:
    asked: list[int] = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) >= when

    session = native(runnable, [completion(runnable, READ)])
    result = reviewed(runnable).run(session, "Hello", Handlers(), cancelled=cancelled)
    assert (result.stopped_by, result.turns) == ("cancelled", when // 2)
    assert runnable.module("messages").validate(result.messages) == []


@pytest.mark.parametrize("where", ["handler", "send"])
def test_a_cancelled_run_leaves_no_task_and_a_valid_history(runnable: Package, where: str) -> None:
    began = asyncio.Event()
    loop, heard = reviewed(runnable), []

    class Slow(Handlers):
        async def run_command(self, args: Any) -> Any:
            began.set()
            await asyncio.sleep(60)

    async def main() -> None:
        session = native(runnable, [completion(runnable, GREP, ("run_command", {"command": "a"}))], later=True)
        if where == "send":
            inner, session.send = session.send, None

            async def send(request: Any) -> Any:
                if session.sent:
                    began.set()
                    await asyncio.sleep(60)
                return await inner(request)

            session.send = send
        handlers = Slow() if where == "handler" else Handlers()
        user = runnable.module("models").UserMessage("Hello")
        task = asyncio.ensure_future(loop.arun(session, "Hello", handlers, on_message=heard.append))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [task_left for task_left in asyncio.all_tasks() if task_left is not asyncio.current_task()] == []
        assert runnable.module("messages").validate([user, *heard]) == []

    asyncio.run(main())
    assert [message.role for message in heard] == ["assistant", "tool"]
    kinds = [result.kind for result in heard[1].results]
    assert kinds == ["data", "error" if where == "handler" else "data"]


def test_a_stream_that_is_left_cancels_what_runs(runnable: Package) -> None:
    loop, ended = reviewed(runnable), []

    class Slow(Handlers):
        async def run_command(self, args: Any) -> Any:
            try:
                await asyncio.sleep(60)
            finally:
                ended.append("cancelled")

    session = native(runnable, [completion(runnable, GREP, ("run_command", {"command": "a"}))])
    stream = loop.run_stream(session, "Hello", Slow())
    events = iter(stream)
    for event in events:
        if event.type == "tool_result":
            break
    threading.Event().wait(0.01)
    events.close()
    assert stream.result.stopped_by == "cancelled"
    assert runnable.module("messages").validate(stream.result.messages) == []


def test_ids_that_come_again_are_told_apart(runnable: Package) -> None:
    models = runnable.module("models")
    call = models.ToolCallPart(models.ToolCall("call_0", "grep", {"pattern": "a"}))
    completions = [completion(runnable, call, reason="tool_calls")] * 3 + [completion(runnable, "Done.")]
    for result, _, _ in all_ways(runnable, completions, "Hello", Handlers()):
        assert runnable.module("messages").validate(result.messages) == []
        assert [m.results[0].tool_call_id for m in result.messages[2::2]] == ["call_0", "call_1_0", "call_2_0"]


@pytest.mark.parametrize(
    ("ids", "after", "run"),
    [
        (["x", "call_1_0"], ["call_1_0_", "call_1_0"], 2),
        (["call_1_1", "x"], ["call_1_1", "call_1_1_"], 2),
        (["x", "x"], ["call_1_0", "call_1_1"], 1),
        (["y", "y"], ["y", "call_1_1"], 1),
        (["", " "], ["call_1_0", "call_1_1"], 2),
        ([None, None], ["call_1_0", "call_1_1"], 2),
    ],
)
def test_no_two_calls_of_a_conversation_have_one_id(runnable: Package, ids: Any, after: Any, run: int) -> None:
    models = runnable.module("models")

    def calling(*call_ids: str) -> Any:
        parts = [models.ToolCallPart(models.ToolCall(call_id, "grep", {"pattern": "a"})) for call_id in call_ids]
        return completion(runnable, *parts, reason="tool_calls")

    completions, handlers = [calling("x"), calling(*ids), completion(runnable, "Done.")], Handlers()
    for result, _, _ in all_ways(runnable, completions, "Hello", handlers):
        assert [r.tool_call_id for r in result.messages[4].results] == after
        assert [r.kind for r in result.messages[4].results].count("data") == run
        assert runnable.module("messages").validate(result.messages) == []
    assert handlers.log.count("+grep") == 4 * (1 + run)


def test_a_response_may_repeat_what_stands_before_it(runnable: Package) -> None:
    models = runnable.module("models")
    request = models.Request([models.UserMessage("Hello"), models.AssistantMessage("Well,")])
    response = models.Completion(models.AssistantMessage("Well,"), "stop")
    for result, _, _ in all_ways(runnable, [response], request, Handlers()):
        assert [m.role for m in result.messages] == ["user", "assistant", "assistant"]


def test_a_session_whose_stream_has_no_end_is_told_so(runnable: Package) -> None:
    session = native(runnable, [completion(runnable, "Hello.")])
    session.stream = lambda request: iter([runnable.module("models").TextDelta("Hel")])
    with pytest.raises(RuntimeError, match="completion"):
        list(reviewed(runnable).run_stream(session, "Hi", Handlers()))


def test_the_loop_by_hand_is_as_short(runnable: Package) -> None:
    models, tools, messages = runnable.module("models"), runnable.module("tools"), runnable.module("messages")
    session = native(runnable, [completion(runnable, READ), completion(runnable, "Done.")])
    request = models.Request([models.UserMessage("Hello")], tools=list(tools.DEFINITIONS.values()))
    while True:
        message = session.complete(request).message
        request.messages.append(message)
        if not messages.has_tool_calls(message):
            break
        results = asyncio.run(reviewed(runnable).dispatch_all(messages.tool_calls_of(message), Handlers()))
        request.messages.append(models.ToolMessage(results))
    assert [message.role for message in request.messages] == ["user", "assistant", "tool", "assistant"]
