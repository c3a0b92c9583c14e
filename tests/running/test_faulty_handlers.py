"""What handlers and reviews give or raise in unusual ways: the call has a result, and the others keep theirs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from pydantic import BaseModel, computed_field

from tests.running.calls import NAMES, call, calls, cancelled, run
from tests.running.scripts import all_ways, completion
from tests.support.generated import Package
from tests.support.runnable_project import Handlers, reviewed


class Unlucky(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        raise KeyError("secret")

    def __len__(self) -> int:
        return 1


class Ratio(BaseModel):
    whole: int = 0

    @computed_field
    def part(self) -> float:
        return 1 / self.whole


class Unspeakable:
    @property
    def value(self) -> Any:
        raise LookupError("secret")


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def failing_later(error: BaseException) -> Iterator[int]:
    yield 1
    raise error


UNREADABLE: dict[str, Callable[[], Any]] = {
    "a mapping that raises": Unlucky,
    "a model that raises": Ratio,
    "an integer without a text": lambda: 10**5000,
    "a key without a text": lambda: {10**5000: 1},
    "an integer without a text, inside": lambda: [{"a": -(10**5000)}],
    "a generator inside that raises": lambda: {"a": failing_later(LookupError("secret"))},
    "deeper than JSON is read": lambda: nested(201),
    "deeper than Python goes": lambda: nested(5000),
}


@pytest.mark.parametrize("make", UNREADABLE.values(), ids=UNREADABLE)
def test_a_value_that_cannot_be_read_is_an_error_of_this_call_alone(runnable: Package, make: Callable[[], Any]) -> None:
    errors: list[Any] = []
    handlers = Handlers(grep=lambda args: make())
    result = run(runnable, call(runnable, "grep", {"pattern": "a"}), handlers, on_error=errors.append)
    assert (result.kind, len(errors)) == ("error", 2)
    assert "grep ran" in result.value
    assert "secret" not in result.value
    results = asyncio.run(reviewed(runnable).dispatch_all(calls(runnable, "rgr"), handlers, on_error=errors.append))
    assert [r.kind for r in results] == ["text", "error", "text"]


def test_a_value_as_deep_as_json_is_read_goes_out_and_comes_back(runnable: Package) -> None:
    result = run(runnable, call(runnable, "grep", {"pattern": "a"}), Handlers(grep=lambda args: nested(200)))
    assert (result.kind, result.value) == ("data", nested(200))


@pytest.mark.parametrize("where", ["at once", "inside"])
def test_a_tool_error_of_a_generator_is_told_as_it_is(runnable: Package, where: str) -> None:
    def handle(args: Any) -> Any:
        hits = failing_later(runnable.module("running").ToolError("no such folder"))
        return hits if where == "at once" else {"hits": hits}

    result = run(runnable, call(runnable, "grep", {"pattern": "a"}), Handlers(grep=handle))
    assert (result.kind, result.value) == ("error", "no such folder")


def test_a_generator_runs_where_its_handler_does(runnable: Package) -> None:
    threads: list[int] = []

    def hits(args: Any) -> Iterator[str]:
        threads.append(threading.get_ident())
        yield "a"

    tool_call = call(runnable, "grep", {"pattern": "a"})
    result = asyncio.run(runnable.module("tools").dispatch(tool_call, Handlers(grep=hits)))
    assert (result.kind, result.value) == ("data", ["a"])
    assert threads != [threading.get_ident()]


def test_a_tool_error_without_a_text_is_a_failure(runnable: Package) -> None:
    class Mute(runnable.module("running").ToolError):  # type: ignore[misc,name-defined]  # of a package made for the test
        def __str__(self) -> str:
            raise LookupError("secret")

    def handle(args: Any) -> Any:
        raise Mute

    errors: list[Any] = []
    result = run(runnable, call(runnable, "grep", {"pattern": "a"}), Handlers(grep=handle), on_error=errors.append)
    assert (result.kind, result.value) == ("error", "grep failed: LookupError.")
    assert [type(error) for error in errors] == [LookupError] * 2


def test_a_review_that_fails_is_not_logged_as_the_tool(runnable: Package, caplog: pytest.LogCaptureFixture) -> None:
    def review(call: Any, arguments: Any) -> Any:
        return True

    work = reviewed(runnable).dispatch_all(calls(runnable, "w"), Handlers(), review=review)
    (result,) = asyncio.run(work)
    assert result.kind == "error"
    (record,) = caplog.records
    assert record.getMessage() == "the review of a call of the tool write_file failed"
    raised: Any = record.exc_info and record.exc_info[1]
    assert raised.__notes__[0].startswith("in the review of a call of the tool write_file, call ")


class Panic(BaseException):
    """As native code raises it."""


@pytest.mark.parametrize("error", [Panic, lambda: BaseExceptionGroup("several", [Panic()])])
def test_a_panic_is_an_error_like_any_other(runnable: Package, error: Callable[[], BaseException]) -> None:
    def handle(args: Any) -> Any:
        raise error()

    errors: list[Any] = []
    handlers = Handlers(grep=handle, write_file=handle)
    results = asyncio.run(reviewed(runnable).dispatch_all(calls(runnable, "rgwr"), handlers, on_error=errors.append))
    assert [r.kind for r in results] == ["text", "error", "error", "text"]
    assert results[1].value == f"grep failed: {type(error()).__name__}."
    assert len(errors) == 2


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
@pytest.mark.parametrize("name", ["grep", "write_file"])
def test_the_end_of_the_program_goes_up_and_what_ran_beside_is_heard(
    runnable: Package, error: type[BaseException], name: str
) -> None:
    began, heard = threading.Event(), []

    def handle(args: Any) -> Any:
        assert name == "write_file" or began.wait(20)
        raise error

    def slow(args: Any) -> str:
        began.set()
        threading.Event().wait(0.05)
        return "beside"

    letters = "rg" if name == "grep" else "rw"
    handlers = Handlers(read_file=slow, **{name: handle})
    with pytest.raises(error):
        asyncio.run(reviewed(runnable).dispatch_all(calls(runnable, letters), handlers, on_result=heard.append))
    assert [result.value for result in heard] == ["beside"]


@pytest.mark.parametrize("how", ["cancelled future", "raises it", "panics"])
def test_a_review_that_was_cancelled_by_itself_is_a_refusal(runnable: Package, how: str) -> None:
    errors: list[Any] = []

    async def review(call: Any, arguments: Any) -> Any:
        if how == "panics":
            raise Panic
        if how == "raises it":
            raise asyncio.CancelledError
        future = asyncio.get_running_loop().create_future()
        future.cancel()
        return await future

    handlers = Handlers()
    work = reviewed(runnable).dispatch_all(calls(runnable, "wr"), handlers, review=review, on_error=errors.append)
    results = asyncio.run(work)
    assert [r.kind for r in results] == ["error", "text"]
    assert handlers.log == ["+read_file", "-read_file"]
    assert len(errors) == 1
    completions = [completion(runnable, NAMES["w"]), completion(runnable, "done")]
    for result, _, _ in all_ways(runnable, completions, "go", handlers, review=review, on_error=errors.append):
        assert (result.stopped_by, result.text) == ("end", "done")


OWN: dict[str, Callable[[Any], Any]] = {
    "text that is an object": lambda m: m.ToolResult("", "", "text", {"a": 1}),
    "an error that is none": lambda m: m.ToolResult("", "", "error", None),
    "parts that are a text": lambda m: m.ToolResult("", "", "multimodal", "abc"),
    "a part that is a text": lambda m: m.ToolResult("", "", "multimodal", ["abc"]),
    "a part without a text": lambda m: m.ToolResult("", "", "multimodal", [m.TextPart(5)]),
    "an unknown kind": lambda m: m.ToolResult("", "", "other", "abc"),
    "a flag that is a number": lambda m: m.ToolResult("", "", "data", [], is_error=1),
    "a reference that is a text": lambda m: m.ToolResult("", "", "text", "a", output_ref="o1"),
    "metadata that is a list": lambda m: m.ToolResult("", "", "text", "a", metadata=[]),
    "metadata without JSON": lambda m: m.ToolResult("", "", "text", "a", metadata={"anthropic": object()}),
    "a part": lambda m: m.TextPart({"a": 1}),
    "parts": lambda m: [m.TextPart("a"), m.ImagePart(data=5)],
}
"""Results and parts that no wire takes."""


@pytest.mark.parametrize("make", OWN.values(), ids=OWN)
def test_a_result_of_ones_own_is_held_to_its_type(runnable: Package, make: Callable[[Any], Any]) -> None:
    errors: list[Any] = []
    own = make(runnable.module("models"))
    handlers = Handlers(grep=lambda args: own)
    result = run(runnable, call(runnable, "grep", {"pattern": "a"}), handlers, on_error=errors.append)
    assert (result.kind, len(errors)) == ("error", 2)
    assert "grep ran, but its result does not match" in result.value


@pytest.mark.parametrize("how", ["a coroutine", "a task"])
def test_a_cancellation_ends_what_a_blocking_handler_gave_for_later(runnable: Package, how: str) -> None:
    started, ran, heard = threading.Event(), [], []

    async def inner() -> dict[str, int]:
        ran.append("inner")
        await asyncio.sleep(30)
        ran.append("its end")
        return {"bytes": 1}

    async def main() -> list[Any]:
        loop = asyncio.get_running_loop()
        later = loop.create_future()

        def handle(args: Any) -> Any:
            started.set()
            threading.Event().wait(0.05)
            return inner() if how == "a coroutine" else later

        work = reviewed(runnable).dispatch_all(
            calls(runnable, "wr"), Handlers(write_file=handle), on_result=heard.append
        )
        tasks = await cancelled(work, started.is_set)
        assert later.cancelled() == (how == "a task")
        return tasks

    assert asyncio.run(main()) == []
    assert (ran, heard) == ([], [])


@pytest.mark.filterwarnings("error")
def test_a_coroutine_that_comes_too_late_is_never_begun(runnable: Package) -> None:
    ran, coroutines, release = [], [], threading.Event()

    async def inner() -> None:
        ran.append("inner")

    def handle(args: Any) -> Any:
        release.wait(20)
        coroutines.append(inner())
        return coroutines[0]

    async def main() -> Any:
        tools, tool_call = runnable.module("tools"), call(runnable, "grep", {"pattern": "a"})
        result = await tools.dispatch(tool_call, Handlers(grep=handle), timeout=0.02)
        release.set()
        while not (coroutines and coroutines[0].cr_frame is None):  # closed: it has no frame any more
            await asyncio.sleep(0.001)
        return result

    assert "did not finish" in asyncio.run(asyncio.wait_for(main(), 20)).value
    assert ran == []


@pytest.mark.parametrize("where", ["extra", "argument", "edit"])
def test_a_handler_that_changes_its_arguments_changes_no_call(runnable: Package, where: str) -> None:
    models, tools = runnable.module("models"), runnable.module("tools")
    arguments = {"command": "a", "pattern": "a", "path": "a", "text": "b", "tags": ["b", {"c": ["a"]}]}

    def handle(args: Any) -> dict[str, int]:
        tags = args.model_extra["tags"]
        tags[1]["c"].append("seen")
        tags.append("seen")
        return {"bytes": 1}

    name = "write_file" if where == "edit" else "grep"
    tool_call = models.ToolCall("c1", name, arguments)
    work = tools.dispatch_all(
        [tool_call],
        Handlers(**{name: handle}),
        review=lambda call, args: runnable.module("running").Edit(call.arguments),
    )
    (result,) = asyncio.run(work)
    assert result.value == {"bytes": 1}
    assert arguments["tags"] == ["b", {"c": ["a"]}]
    if where == "argument":
        tools.parse_arguments("grep", arguments).model_extra["tags"].clear()
        assert arguments["tags"] == ["b", {"c": ["a"]}]
