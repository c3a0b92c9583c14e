"""One result for every call, whatever the model, the handler or the app does."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from typing import Any

import pytest

from tests.running.calls import call, run
from tests.running.scripts import all_ways, completion
from tests.support.generated import Package
from tests.support.runnable_project import Handlers, pausing


@pytest.mark.parametrize(
    ("name", "arguments", "returned", "kind", "value"),
    [
        ("read_file", {"path": "a"}, "text", "text", "text"),
        ("grep", {"pattern": "a"}, ["a"], "data", ["a"]),
        ("grep", {"pattern": "a"}, "hit", "text", "hit"),
        ("grep", {"pattern": "a"}, None, "data", None),
        ("write_file", {"path": "a", "text": "b"}, {"bytes": 1}, "data", {"bytes": 1}),
    ],
)
def test_a_value_becomes_text_or_data(
    runnable: Package, name: str, arguments: Any, returned: Any, kind: str, value: Any
) -> None:
    result = run(runnable, call(runnable, name, arguments), Handlers(**{name: returned}))
    assert (result.kind, result.value) == (kind, value)


def test_a_model_of_the_result_is_dumped_without_what_nobody_set(runnable: Package) -> None:
    value = runnable.module("tools.write_file").WriteFileResult(bytes=3)
    result = run(runnable, call(runnable, "write_file", {"path": "a", "text": "b"}), Handlers(write_file=value))
    assert (result.kind, result.value) == ("data", {"bytes": 3})


def test_parts_become_multimodal(runnable: Package) -> None:
    models = runnable.module("models")
    parts = [models.TextPart("seen"), models.ImagePart(data="aa", media_type="image/png")]
    assert run(runnable, call(runnable, "grep", {"pattern": "a"}), Handlers(grep=parts)).value == parts
    alone = run(runnable, call(runnable, "grep", {"pattern": "a"}), Handlers(grep=parts[1]))
    assert (alone.kind, alone.value) == ("multimodal", [parts[1]])


def test_a_handler_may_make_the_result_itself(runnable: Package) -> None:
    models = runnable.module("models")
    own = models.ToolResult(
        "other", "other", "text", "the first lines", trimmed=True, output_ref=models.OutputRef("o1")
    )
    result = run(runnable, call(runnable, "read_file", {"path": "a"}), Handlers(read_file=own))
    assert result == models.ToolResult("c1", "read_file", "text", "the first lines", None, models.OutputRef("o1"), True)


@pytest.mark.parametrize(
    "returned", [{"bytes": "3"}, {"bytes": 1, "more": 1}, "text", {"bytes": True}, object(), print]
)
def test_a_result_that_does_not_fit_is_an_error_for_both(runnable: Package, returned: Any) -> None:
    errors: list[Any] = []
    handlers = Handlers(write_file=lambda args: returned)
    result = run(runnable, call(runnable, "write_file", {"path": "a", "text": "b"}), handlers, on_error=errors.append)
    assert result.kind == "error"
    assert "write_file" in result.value
    assert len(errors) == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("read_fil", "read_file"),
        ("Read_File", "read_file"),
        ("READ_FILE", "read_file"),
        ("zzzz", "write_file"),
        ("functions.read_fil", "read_file"),
        ("other.read_file", "read_file"),
        ("functions.", "write_file"),
        ("<|channel|>", "write_file"),
        ("multi_tool_use.parallel", "write_file"),
    ],
)
def test_an_unknown_name_names_what_there_is(runnable: Package, name: str, message: str) -> None:
    handlers = Handlers()
    result = run(runnable, call(runnable, name, {"path": "a"}), handlers)
    assert result.kind == "error"
    assert message in result.value
    assert handlers.log == []


@pytest.mark.parametrize("alias", ["search", "bash"])
def test_a_call_by_an_alias_runs_the_tool(runnable: Package, alias: str) -> None:
    """The result names the tool as the model did, for a history must pair the two; no alias is offered."""
    handlers, tools = Handlers(), runnable.module("tools")
    name = tools.ALIASES[alias]
    tool_call = call(runnable, alias, {"pattern": "a", "command": "a"})
    result = run(runnable, tool_call, handlers)
    assert (result.kind, result.name, handlers.log) == ("data", alias, [f"+{name}", f"-{name}"] * 2)  # twice, see run
    assert type(tools.parse_call(tool_call)) is type(tools.parse_arguments(name, tool_call.arguments))
    assert alias not in tools.DEFINITIONS


@pytest.mark.parametrize(
    "name", ["functions.grep", "default_api.grep", "default_api:grep", "grep<|channel|>commentary", "functions.search"]
)
def test_a_call_by_a_name_with_additions_runs_the_tool(runnable: Package, name: str) -> None:
    """What models add to names as they saw them in training. The history keeps the name, and the loss says it."""
    handlers, losses = Handlers(), list[Any]()
    tool_call = call(runnable, name, {"pattern": "a"})
    result = run(runnable, tool_call, handlers)
    assert (result.kind, result.name, handlers.log) == ("data", name, ["+grep", "-grep"] * 2)
    runnable.module("tools").parse_call(tool_call, on_loss=losses.append)
    assert [(loss.path, loss.severity, loss.reason) for loss in losses] == [
        ("name", "note", "the call was taken for one of grep")
    ]


def test_what_is_no_call_is_a_type_error(runnable: Package) -> None:
    running = runnable.module("running")
    body = {"id": "1", "name": "read_file", "arguments": {"path": "a"}}
    with pytest.raises(TypeError, match="a call must be a ToolCall, not a dict; `load"):
        running.dispatch_sync(body, Handlers())
    part = runnable.module("models").ToolCallPart(call(runnable, "read_file", {"path": "a"}))
    with pytest.raises(TypeError, match=r"a call must be a ToolCall, not a ToolCallPart$"):
        running.dispatch_sync(part, Handlers())
    with pytest.raises(TypeError, match="expected a ToolCall, found ToolCallPart"):
        runnable.module("tools").parse_call(part)
    with pytest.raises(TypeError, match="a call must be a ToolCall, not a dict"):
        asyncio.run(running.dispatch_all([body], Handlers(), review=running.allow_all))


def test_a_name_that_looks_alike_is_unknown(runnable: Package) -> None:
    handlers = Handlers()
    assert run(runnable, call(runnable, "re\u0430d_file", {"path": "a"}), handlers).kind == "error"
    assert handlers.log == []


@pytest.mark.parametrize(
    ("arguments", "places"),
    [
        ({}, ["/path"]),
        ({"path": 3}, ["/path"]),
        ({"path": "secret-path", "lines": "many-secrets"}, ["/lines"]),
        ({"path": "a", "secret-key": 1}, ["secret-key"]),
        ({"path": 1, "lines": 0}, ["/path", "/lines"]),
        ({"path": "a", "lines": True}, ["/lines"]),
    ],
)
def test_arguments_that_do_not_fit_are_named_by_place(runnable: Package, arguments: Any, places: list[str]) -> None:
    handlers = Handlers()
    result = run(runnable, call(runnable, "read_file", arguments), handlers)
    assert result.kind == "error"
    assert [place for place in places if place not in result.value] == []
    assert "secret-path" not in result.value
    assert "many-secrets" not in result.value
    assert handlers.log == []


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_what_is_no_number_in_json_is_not_called_one(runnable: Package, number: float) -> None:
    result = run(runnable, call(runnable, "read_file", {"path": "a", "lines": number}), Handlers())
    assert result.value.endswith("expected an integer, found a number that is not finite")


def test_thousands_of_faults_stay_short(runnable: Package) -> None:
    result = run(runnable, call(runnable, "read_file", {f"k{i}": i for i in range(5000)}), Handlers())
    assert len(result.value) < 5000


REASONS = ["not_an_object", "malformed", "truncated", "duplicate_id", "filtered", "untrusted"]


@pytest.mark.parametrize("reason", REASONS)
def test_a_call_that_cannot_be_run_is_told_why(runnable: Package, reason: str) -> None:
    models, handlers = runnable.module("models"), Handlers()
    invalid = models.InvalidCall('{"path": "sec', reason)
    result = run(runnable, call(runnable, "read_file", {"path": "sec"}, invalid=invalid), handlers)
    assert result.kind == "error"
    assert "sec" not in result.value
    assert handlers.log == []
    reasons = {
        run(runnable, call(runnable, "grep", {}, invalid=models.InvalidCall("[", r)), handlers).value for r in REASONS
    }
    assert len(reasons) == len(REASONS)


def test_a_lenient_reading_is_noted(runnable: Package) -> None:
    losses: list[Any] = []
    arguments_seen: list[Any] = []
    handlers = Handlers(run_command=lambda args: arguments_seen.append(args) or "ok")
    tool_call = call(runnable, "run_command", {"command": "ls", "level": "2"})
    result = asyncio.run(runnable.module("tools").dispatch(tool_call, handlers, on_loss=losses.append))
    assert (result.kind, arguments_seen[0].level) == ("text", 2)
    assert [(loss.path, loss.action, loss.severity) for loss in losses] == [("arguments.level", "rewritten", "note")]
    tool_call.arguments["level"] = None
    assert runnable.module("tools").parse_call(tool_call, on_loss=losses.append).level is None
    assert losses[1].path == "arguments.level"


def test_what_is_strict_is_not_read_otherwise(runnable: Package) -> None:
    tools, losses = runnable.module("tools"), []
    tool_call = call(runnable, "run_command", {"command": "2"})
    assert tools.parse_call(tool_call, on_loss=losses.append).command == "2"
    with pytest.raises(tools.ArgumentsError):
        tools.parse_call(call(runnable, "run_command", {"command": "a", "level": "3"}))
    with pytest.raises(tools.ArgumentsError):
        tools.parse_call(call(runnable, "nothing"))
    with pytest.raises(tools.ArgumentsError):
        tools.parse_call(
            call(runnable, "grep", {"pattern": "a"}, invalid=runnable.module("models").InvalidCall("", "truncated"))
        )
    assert losses == []


class Secret(Exception):
    pass


def raising(error: BaseException) -> Any:
    def handle(args: Any) -> Any:
        raise error

    return handle


@pytest.mark.parametrize(
    "error", [Secret("pass-word"), ValueError("pass-word"), StopIteration("pass-word"), TimeoutError("pass-word")]
)
def test_what_a_handler_raises_is_named_and_no_more(runnable: Package, error: Exception) -> None:
    errors: list[Any] = []
    handlers = Handlers(grep=raising(error))
    result = asyncio.run(
        runnable.module("tools").dispatch(call(runnable, "grep", {"pattern": "a"}), handlers, on_error=errors.append)
    )
    assert result.kind == "error"
    assert "grep" in result.value
    assert "pass-word" not in result.value
    assert len(errors) == 1
    if not isinstance(error, StopIteration):
        assert errors[0] is error
        assert type(error).__name__ in result.value
        assert "c1" in "".join(error.__notes__)


def test_a_tool_error_is_told_as_it_is(runnable: Package) -> None:
    errors: list[Any] = []
    handlers = Handlers(grep=raising(runnable.module("running").ToolError("no such folder")))
    result = run(runnable, call(runnable, "grep", {"pattern": "a"}), handlers, on_error=errors.append)
    assert (result.kind, result.value, errors) == ("error", "no such folder", [])


def test_an_error_that_nobody_hears_is_logged(runnable: Package, caplog: pytest.LogCaptureFixture) -> None:
    tool_call = call(runnable, "grep", {"pattern": "a"})
    asyncio.run(runnable.module("tools").dispatch(tool_call, Handlers(grep=raising(Secret("why")))))
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [Secret]


def test_a_handler_that_takes_too_long_is_ended(runnable: Package) -> None:
    ended: list[str] = []

    async def slow(args: Any) -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return "late"

    result = run(runnable, call(runnable, "grep", {"pattern": "a"}), Handlers(grep=slow), timeout=0.02)
    assert (result.kind, ended) == ("error", ["cancelled"] * 2)
    assert "0.02 seconds" in result.value


def test_a_blocking_handler_that_takes_too_long_is_left_behind(runnable: Package) -> None:
    release = threading.Event()
    handlers = Handlers(grep=lambda args: release.wait(30))
    began = time.monotonic()
    result = run(runnable, call(runnable, "grep", {"pattern": "a"}), handlers, timeout=0.05)
    assert time.monotonic() - began < 20
    release.set()
    assert result.kind == "error"


def test_a_handler_that_was_cancelled_by_itself_has_failed(runnable: Package) -> None:
    async def broken(args: Any) -> None:
        raise asyncio.CancelledError

    assert run(runnable, call(runnable, "grep", {"pattern": "a"}), Handlers(grep=broken), on_error=repr).kind == "error"


def test_a_task_group_that_failed_in_a_handler_cancels_nothing_else(runnable: Package) -> None:
    async def fail() -> None:
        raise ValueError

    async def broken(args: Any) -> str:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(fail())
        except* ValueError:
            if args.pattern != "mended":
                raise
        return "mended"

    async def around(call: Any, arguments: Any, proceed: Any) -> Any:
        result = await proceed(arguments)
        with contextlib.suppress(ExceptionGroup):
            async with asyncio.TaskGroup() as group:
                group.create_task(fail())
        return result

    for more in ({}, {"timeout": 60}):
        tool_calls = [call(runnable, "grep", {"pattern": pattern}) for pattern in ("mended", "raised")]
        results = [run(runnable, each, Handlers(grep=broken), on_error=repr, **more) for each in tool_calls]
        assert [result.kind for result in results] == ["text", "error"]
    completions = [completion(runnable, ("grep", {"pattern": "a"})), completion(runnable, "done")]
    for result, _, _ in all_ways(runnable, completions, "go", Handlers(), around=around):
        assert (result.stopped_by, result.text, result.messages[2].results[0].kind) == ("end", "done", "data")


def test_async_handlers_run_on_the_loop_of_the_caller(runnable: Package) -> None:
    loops: list[Any] = []

    class Async(Handlers):
        async def grep(self, args: Any) -> Any:
            loops.append(asyncio.get_running_loop())
            return args.pattern

    async def main() -> Any:
        loops.append(asyncio.get_running_loop())
        return await runnable.module("tools").dispatch(call(runnable, "grep", {"pattern": "a"}), Async())

    assert asyncio.run(main()).value == "a"
    assert loops[0] is loops[1]


def test_the_app_s_task_factory_makes_the_task_of_an_async_handler(runnable: Package) -> None:
    tasks: list[asyncio.Task[Any]] = []
    called: list[asyncio.Task[Any] | None] = []

    class Async(Handlers):
        async def grep(self, args: Any) -> Any:
            called.append(asyncio.current_task())
            return args.pattern

    def factory(loop: asyncio.AbstractEventLoop, coroutine: Any, **settings: Any) -> asyncio.Task[Any]:
        tasks.append(asyncio.Task(coroutine, loop=loop, **settings))
        return tasks[-1]

    async def main() -> Any:
        asyncio.get_running_loop().set_task_factory(factory)
        return await runnable.module("tools").dispatch(call(runnable, "grep", {"pattern": "a"}), Async())

    assert asyncio.run(main()).value == "a"
    assert called == tasks[:1]  # the loop makes others when it ends


def test_dispatch_sync_works_where_a_loop_is_running(runnable: Package) -> None:
    async def main() -> Any:
        return runnable.module("tools").dispatch_sync(call(runnable, "grep", {"pattern": "a"}), Handlers())

    assert asyncio.run(main()).value == []


def test_a_plain_handler_of_dispatch_sync_runs_in_the_thread_of_the_caller(runnable: Package) -> None:
    thread_ids: list[int] = []
    handlers = Handlers(grep=lambda args: thread_ids.append(threading.get_ident()))
    runnable.module("tools").dispatch_sync(call(runnable, "grep", {"pattern": "a"}), handlers)
    assert thread_ids == [threading.get_ident()]


@pytest.mark.parametrize("where", ["dispatch", "dispatch_sync", "dispatch_all", "check_handlers"])
def test_handlers_that_lack_methods_are_refused_at_start(runnable: Package, where: str) -> None:
    tools = runnable.module("tools")

    class Some(tools.Handlers):  # type: ignore[misc,name-defined]
        def read_file(self, args: Any) -> str:
            return ""

        def grep(self) -> str:
            return ""

    tool_call = call(runnable, "read_file", {"path": "a"})
    starts = {
        "check_handlers": lambda: tools.check_handlers(Some()),
        "dispatch": lambda: asyncio.run(tools.dispatch(tool_call, Some())),
        "dispatch_sync": lambda: tools.dispatch_sync(tool_call, Some()),
        "dispatch_all": lambda: asyncio.run(tools.dispatch_all([], Some())),
    }
    with pytest.raises(TypeError) as raised:
        starts[where]()
    assert [name in str(raised.value) for name in ("write_file", "run_command", "grep", "read_file")] == [
        True,
        True,
        True,
        False,
    ]


def test_a_class_in_the_place_of_its_instance_is_told_so(runnable: Package) -> None:
    tools = runnable.module("tools")
    with pytest.raises(TypeError, match=r"an instance, Handlers\(\), not the class Handlers, .* read_file"):
        tools.check_handlers(Handlers)

    class Static:
        read_file = grep = write_file = run_command = staticmethod(lambda args: "")

    tools.check_handlers(Static)


def test_of_two_sources_the_first_serves(runnable: Package) -> None:
    combined = runnable.module("runtime.running.handlers").combined

    class Search:
        def grep(self, args: Any) -> str:
            return "first"

    handlers = combined(Search(), Handlers(grep="second"))
    assert run(runnable, call(runnable, "grep", {"pattern": "a"}), handlers).value == "first"
    assert run(runnable, call(runnable, "read_file", {"path": "a"}), handlers).value == "text"
    with pytest.raises(TypeError, match="write_file"):
        run(runnable, call(runnable, "grep", {"pattern": "a"}), combined(Search()))


def test_a_pause_is_seen_as_such(runnable: Package) -> None:
    assert run(runnable, call(runnable, "grep", {"pattern": "a"}), Handlers(grep=pausing("x", 0.001))).value == "x"
