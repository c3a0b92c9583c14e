"""Running tools beside doing it by hand: one call, and one event of a run.

  python benchmarks/running.py [--rounds N] [--only WORD]

Each case runs both sides alternately in this process with the collector off; a ratio is taken inside a round, and the median
over the rounds is printed with its quartiles. Processor time of all threads is counted. By hand means: the arguments are
read by the tool's pydantic model, the handler is called, and a ToolResult is made of what it returns. Tools are built anew,
as many as a case says; no case touches a network.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GENERATOR = Path(__file__).resolve().parents[1] / "generator"
SIZES = (10, 1_000)
EVENTS = 2_000
ARGUMENTS = {"city": "Oslo", "unit": "celsius"}
FOUND = {"place": "Oslo", "temperature": 3.5}


@dataclass(frozen=True)
class Case:
    """Two functions that do their work so many times, and say how many processor seconds they took."""

    name: str
    goal: float
    ours: Callable[[int], float]
    theirs: Callable[[int], float]
    count: int = 1_000


def built(folder: Path, tools: int) -> str:
    """Build a package of so many tools below a folder; its name."""
    name = f"tools_{tools}"
    (folder / "schemas" / "tools").mkdir(parents=True)
    (folder / "schemas" / "toolgen.yaml").write_text("providers: [openai_chat]\n", "utf-8")
    for n in range(tools):
        declaration = {
            "name": f"get_weather_{n}",
            "description": "Current weather for a city.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string"},
                    "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
                },
                "required": ["city"],
            },
            "result": {
                "type": "object",
                "properties": {"place": {"type": "string"}, "temperature": {"type": "number"}},
                "required": ["place", "temperature"],
            },
        }
        (folder / "schemas" / "tools" / f"get_weather_{n}.json").write_text(json.dumps(declaration), "utf-8")
    words = [sys.executable, "-m", "toolgen", "build", "schemas", "--out", name]
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL, env={"PYTHONPATH": str(GENERATOR)})
    return name


def blocking(function: Callable[[], Any]) -> Callable[[int], float]:
    """Call a function so many times."""

    def run(count: int) -> float:
        start = time.process_time()
        for _ in range(count):
            function()
        return time.process_time() - start

    return run


def on_a_loop(function: Callable[[], Any]) -> Callable[[int], float]:
    """Await what a function gives so many times, on one loop."""

    async def run(count: int) -> float:
        start = time.process_time()
        for _ in range(count):
            await function()
        return time.process_time() - start

    return lambda count: asyncio.run(run(count))


def handled(self: Any, arguments: Any) -> Any:
    """A handler."""
    return dict(FOUND)


async def handled_later(self: Any, arguments: Any) -> Any:
    """The same, async."""
    return dict(FOUND)


class Holder:
    """Holds functions as attributes of its own, as an app does that puts its handlers together when it starts."""


def dispatch_cases(package: str, tools: int) -> Iterator[Case]:
    """One small call, for code that is async and for code that is not."""
    module, models = importlib.import_module(f"{package}.tools"), importlib.import_module(f"{package}.models")
    name = f"get_weather_{tools // 2}"
    model = importlib.import_module(f"{package}.tools.{name}").__dict__[f"GetWeather{tools // 2}Arguments"]
    names = [entry.module for entry in module.TOOL_SET.entries.values()]
    handlers = type("App", (), dict.fromkeys(names, handled))()
    later = type("LaterApp", (), dict.fromkeys(names, handled_later))()
    holder = Holder()
    for one in names:
        setattr(holder, one, handlers.__getattribute__(one))
    call = models.ToolCall("call_1", name, ARGUMENTS)

    def result(value: Any) -> Any:
        return models.ToolResult(tool_call_id=call.id, name=call.name, kind="data", value=value)

    def by_hand() -> Any:
        return result(getattr(handlers, call.name)(model.model_validate(call.arguments)))

    async def by_hand_later() -> Any:
        return result(await getattr(later, call.name)(model.model_validate(call.arguments)))

    async def by_hand_in_a_thread() -> Any:
        return result(await asyncio.to_thread(getattr(handlers, call.name), model.model_validate(call.arguments)))

    works: list[tuple[str, Any, Any]] = [
        ("dispatch_sync", lambda: module.dispatch_sync(call, handlers), by_hand),
        ("dispatch_sync, attributes", lambda: module.dispatch_sync(call, holder), by_hand),
        ("dispatch", lambda: module.dispatch(call, later), by_hand_later),
        ("dispatch, in a thread", lambda: module.dispatch(call, handlers), by_hand_in_a_thread),
    ]
    for work, ours, theirs in works:
        sides = blocking if work.startswith("dispatch_sync") else on_a_loop
        yield Case(f"{work} ({tools})", 5.0, sides(ours), sides(theirs))


def event_case(package: str) -> Case:
    """An event of a stream for code that is not async, against one for code that is, of sessions that wait for nothing."""
    models, running = importlib.import_module(f"{package}.models"), importlib.import_module(f"{package}.running")
    base = importlib.import_module(f"{package}.runtime.sessions.base")
    names = [entry.module for entry in importlib.import_module(f"{package}.tools").TOOL_SET.entries.values()]
    handlers = type("App", (), dict.fromkeys(names, handled))()
    answer = models.CompletedEvent(models.Completion(models.AssistantMessage("a" * EVENTS), "stop"))

    class Scripted(base.Session):  # type: ignore[misc,name-defined]
        tool_mode = base.ToolMode.NATIVE

        def stream(self, request: Any) -> Iterator[Any]:
            for _ in range(EVENTS):
                yield models.TextDelta("a")
            yield answer

    class ScriptedLater(base.AsyncSession):  # type: ignore[misc,name-defined]
        tool_mode = base.ToolMode.NATIVE

        async def stream(self, request: Any) -> AsyncIterator[Any]:
            for _ in range(EVENTS):
                yield models.TextDelta("a")
            yield answer

    def watched() -> None:
        for _ in running.run_stream(Scripted(), "Hi", handlers):
            pass

    async def watched_later() -> None:
        async for _ in running.arun_stream(ScriptedLater(), "Hi", handlers):
            pass

    return Case("run_stream, an event", 3.0, per_event(blocking(watched)), per_event(on_a_loop(watched_later)), EVENTS)


def per_event(side: Callable[[int], float]) -> Callable[[int], float]:
    """Run a whole stream for so many events."""
    return lambda count: side(max(1, count // EVENTS))


def measure(case: Case, rounds: int) -> tuple[list[float], float, float]:
    """Ratios by round, and the median times of a call in seconds."""
    ratios, ours_times, theirs_times = [], [], []
    for n in range(rounds + 1):
        gc.collect()
        gc.disable()
        sides = [case.ours, case.theirs]
        taken = {side: side(case.count) for side in (sides if n % 2 else sides[::-1])}
        gc.enable()
        if n:
            ratios.append(taken[case.ours] / taken[case.theirs])
            ours_times.append(taken[case.ours] / case.count)
            theirs_times.append(taken[case.theirs] / case.count)
    return ratios, statistics.median(ours_times), statistics.median(theirs_times)


def main() -> int:
    """Print a row a case; exit 1 where a ratio is above its goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="")
    parser.add_argument("--tools", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    above = 0
    print(f"{'case':34} {'ratio':>7}  {'quartiles':15} {'goal':>5} {'ours µs':>9} {'beside µs':>9}")
    with tempfile.TemporaryDirectory() as made:
        sys.path.insert(0, made)
        packages = {}
        for tools in options.tools:
            name = built(Path(made) / f"project_{tools}", tools)
            (Path(made) / name).symlink_to(Path(made) / f"project_{tools}" / name)
            packages[tools] = name
        cases = [case for tools, name in packages.items() for case in dispatch_cases(name, tools)]
        for case in [*cases, event_case(next(iter(packages.values())))]:
            if options.only not in case.name:
                continue
            ratios, ours, theirs = measure(case, options.rounds)
            low, middle, high = statistics.quantiles(ratios, n=4)
            above += middle > case.goal
            print(
                f"{case.name:34} {middle:7.2f}  {low:6.2f} - {high:6.2f} {case.goal:5.1f} {ours * 1e6:9.2f}"
                f" {theirs * 1e6:9.2f}{'  above' if middle > case.goal else ''}",
                flush=True,
            )
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
