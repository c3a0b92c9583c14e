"""Many calls at once: order, risk, review, limits, cancellation."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from tests.running.calls import calls, cancelled
from tests.support.generated import Package
from tests.support.runnable_project import Handlers, pausing, reviewed


def run(package: Package, letters: str, handlers: Any, **settings: Any) -> list[Any]:
    wanted = calls(package, letters)
    results = asyncio.run(reviewed(package).dispatch_all(wanted, handlers, **settings))
    assert [(r.tool_call_id, r.name) for r in results] == [(c.id, c.name) for c in wanted]
    return list(results)


def test_low_risk_calls_overlap_and_keep_their_order(runnable: Package) -> None:
    barrier = threading.Barrier(2, timeout=20)
    handlers = Handlers(read_file=lambda args: f"{barrier.wait() >= 0}", grep=lambda args: barrier.wait() >= 0)
    assert [r.value for r in run(runnable, "rg", handlers)] == ["True", True]


def test_high_risk_calls_never_overlap(runnable: Package) -> None:
    handlers = Handlers(write_file=pausing({"bytes": 1}), run_command=pausing("ok"))
    run(runnable, "wcwc", handlers)
    assert handlers.most == 1
    assert handlers.log == ["+write_file", "-write_file", "+run_command", "-run_command"] * 2


def test_a_high_risk_call_waits_for_all_before_it_and_holds_all_behind_it(runnable: Package) -> None:
    handlers = Handlers(read_file=pausing("t"), grep=pausing("t"), write_file=pausing({"bytes": 1}))
    reviewed: list[str] = []

    def review(call: Any, arguments: Any) -> Any:
        reviewed.append(f"{call.name} {arguments.path} {len(handlers.log)}")
        return runnable.module("running").Allow()

    run(runnable, "rgwr", handlers, review=review)
    assert reviewed == ["write_file a 4"]
    assert sorted(handlers.log[:4]) == ["+grep", "+read_file", "-grep", "-read_file"]
    assert handlers.log[4:] == ["+write_file", "-write_file", "+read_file", "-read_file"]


def test_a_tool_without_a_risk_is_high(runnable: Package) -> None:
    handlers = Handlers(run_command=pausing("ok"), grep=pausing("ok"))
    reviewed: list[str] = []

    async def review(call: Any, arguments: Any) -> Any:
        reviewed.append(call.name)
        return runnable.module("running").Allow()

    run(runnable, "gcg", handlers, review=review)
    assert reviewed == ["run_command"]
    assert handlers.most == 1


def verdicts(running: Any) -> dict[str, Any]:
    return {
        "deny": running.Deny("not today"),
        "deny without a word": running.Deny(),
        "edit that does not fit": running.Edit({"path": 1}),
        "no verdict": "yes",
        "true": True,
    }


@pytest.mark.parametrize(
    "which", ["deny", "deny without a word", "edit that does not fit", "no verdict", "true", "raises"]
)
def test_what_a_review_does_not_allow_does_not_run(runnable: Package, which: str) -> None:
    running, errors, handlers = runnable.module("running"), [], Handlers()

    def review(call: Any, arguments: Any) -> Any:
        if which == "raises":
            raise RuntimeError("secret")
        return verdicts(running)[which]

    (result, after) = run(runnable, "wr", handlers, review=review, on_error=errors.append)
    assert (result.kind, after.kind) == ("error", "text")
    assert handlers.log == ["+read_file", "-read_file"]
    assert ("not today" in result.value) == (which == "deny")
    assert "secret" not in result.value
    assert len(errors) == (0 if which.startswith("deny") else 1)


def test_an_edit_is_checked_and_run(runnable: Package) -> None:
    running, paths = runnable.module("running"), []
    arguments = runnable.module("tools").parse_arguments("write_file", {"path": "model", "text": "b"})
    for edit in ({"path": "object", "text": "b"}, arguments):
        handlers = Handlers(write_file=lambda args: paths.append(args.path) or {"bytes": 1})
        (result,) = run(runnable, "w", handlers, review=lambda call, args, edit=edit: running.Edit(edit))
        assert result.kind == "data"
    assert paths == ["object", "model"]


def test_a_call_that_cannot_run_is_not_reviewed_and_holds_nothing(runnable: Package) -> None:
    reviewed: list[str] = []
    barrier = threading.Barrier(2, timeout=20)
    handlers = Handlers(read_file=lambda args: f"{barrier.wait() >= 0}")
    results = run(runnable, "rbxr", handlers, review=lambda call, args: reviewed.append(call.name))
    assert [r.kind for r in results] == ["text", "error", "error", "text"]
    assert reviewed == []


def test_the_second_call_with_an_id_is_not_run(runnable: Package) -> None:
    models, handlers = runnable.module("models"), Handlers()
    twice = [models.ToolCall("same", "grep", {"pattern": "a"}) for _ in range(2)]
    results = asyncio.run(reviewed(runnable).dispatch_all(twice, handlers))
    assert [r.kind for r in results] == ["data", "error"]
    assert handlers.log == ["+grep", "-grep"]
    assert twice[1].invalid is None


def test_only_what_was_offered_runs(runnable: Package) -> None:
    handlers = Handlers()
    results = run(runnable, "rg", handlers, offered=["grep"])
    assert [r.kind for r in results] == ["error", "data"]
    assert "write_file" not in results[0].value


@pytest.mark.parametrize("limit", [1, 3])
def test_no_more_run_at_once_than_may(runnable: Package, limit: int) -> None:
    handlers = Handlers(grep=pausing("ok", 0.005))
    assert len(run(runnable, "g" * 12, handlers, max_parallel=limit)) == 12
    assert handlers.most == limit
    with pytest.raises(ValueError, match="max_parallel"):
        run(runnable, "g", handlers, max_parallel=0)


@pytest.mark.slow
@pytest.mark.parametrize("sync", [True, False])
def test_a_thousand_calls_at_once_lose_none(runnable: Package, sync: bool) -> None:
    running, most = 0, 0

    class Async(Handlers):
        async def grep(self, args: Any) -> str:
            nonlocal running, most
            running, most = running + 1, max(most, running + 1)
            await asyncio.sleep(0 if len(args.pattern) % 2 else 0.001)
            running -= 1
            return str(args.pattern)

    make = runnable.module("models").ToolCall
    wanted = [make(f"c{i}", "grep", {"pattern": f"p{i}"}) for i in range(1000)]
    heard: list[Any] = []
    handlers = Handlers(grep=lambda args: args.pattern) if sync else Async()
    results = asyncio.run(reviewed(runnable).dispatch_all(wanted, handlers, max_parallel=20, on_result=heard.append))
    assert [r.value for r in results] == [f"p{i}" for i in range(1000)]
    assert [r.tool_call_id for r in results] == [c.id for c in wanted]
    assert sorted(r.tool_call_id for r in heard) == sorted(c.id for c in wanted)
    assert (handlers.most if sync else most) <= 20


@pytest.mark.parametrize("letters", ["rg", "ggc", "gcr", "cgg", "w"])
def test_a_cancellation_leaves_no_task_and_no_result_unheard(runnable: Package, letters: str) -> None:
    ended: list[str] = []
    began: list[str] = []

    class Async(Handlers):
        async def _wait(self, name: str) -> Any:
            began.append(name)
            try:
                await asyncio.sleep(60)
            finally:
                ended.append(name)

        async def grep(self, args: Any) -> Any:
            return "quick"

        async def read_file(self, args: Any) -> Any:
            return await self._wait("read_file")

        async def run_command(self, args: Any) -> Any:
            return await self._wait("run_command")

        async def write_file(self, args: Any) -> Any:
            return await self._wait("write_file")

    heard: list[Any] = []
    work = reviewed(runnable).dispatch_all(calls(runnable, letters), Async(), on_result=heard.append)
    assert asyncio.run(cancelled(work, lambda: bool(began))) == []
    assert ended == began
    assert len(began) == 1
    quick = letters[: letters.index("c")] if "c" in letters else letters
    assert [r.value for r in heard] == ["quick"] * quick.count("g")


def test_a_cancellation_waits_for_a_blocking_handler_and_tells_its_result(runnable: Package) -> None:
    started, heard = threading.Event(), []

    def handle(args: Any) -> dict[str, int]:
        started.set()
        threading.Event().wait(0.05)
        return {"bytes": 7}

    work = reviewed(runnable).dispatch_all(calls(runnable, "wr"), Handlers(write_file=handle), on_result=heard.append)
    assert asyncio.run(cancelled(work, started.is_set)) == []
    assert [r.value for r in heard] == [{"bytes": 7}]


def test_a_cancellation_during_a_review_runs_nothing(runnable: Package) -> None:
    waiting, handlers = [], Handlers()

    async def review(call: Any, arguments: Any) -> Any:
        waiting.append(call.name)
        await asyncio.sleep(60)

    work = reviewed(runnable).dispatch_all(calls(runnable, "gw"), handlers, review=review)
    assert asyncio.run(cancelled(work, lambda: bool(waiting))) == []
    assert handlers.log == ["+grep", "-grep"]


def test_a_callback_that_raises_stops_everything(runnable: Package) -> None:
    def heard(result: Any) -> None:
        raise LookupError("the app's own")

    with pytest.raises(LookupError):
        run(runnable, "gg", Handlers(), on_result=heard)
