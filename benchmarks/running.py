"""Running tools compared with doing it by hand: one call, and one event of a run.

  python benchmarks/running.py [--rounds N] [--only WORD]

Each case runs both sides alternately in this process with the collector off. A ratio is computed inside a round; the
median over the rounds is printed with its quartiles. The processor time of all threads is measured. By hand means: the
tool's pydantic model reads the arguments, the handler is called, and its value becomes a ToolResult. The package is
built with as many tools as a case names; no case uses a network.
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

from toolgen_runtime.sessions import base

GENERATOR = Path(__file__).resolve().parents[1] / "generator"
SIZES = (10, 1_000)
EVENTS = 2_000
CALLS = 2_000
DISPATCH, EVENT = 12.0, 3.0
"""The goals of a dispatched call, and of an event of a run."""

ARGUMENTS = {"city": "Oslo", "unit": "celsius"}
FOUND = {"place": "Oslo", "temperature": 3.5}


@dataclass(frozen=True)
class Case:
    """Two functions for the same work. `later` says which are async; `parts` is the number of operations in a call."""

    name: str
    goal: float
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    later: tuple[bool, bool] = (False, False)
    parts: int = 1

    def seconds(self, which: int, count: int) -> float:
        """Return the processor time of one side, ours or theirs, for a number of calls. Async calls share a loop."""
        function = (self.ours, self.theirs)[which]
        if self.later[which]:
            return asyncio.run(awaited(function, count))
        start = time.process_time()
        for _ in range(count):
            function()
        return time.process_time() - start


async def awaited(function: Callable[[], Any], count: int) -> float:
    """Return the processor time of a number of calls of an async function."""
    start = time.process_time()
    for _ in range(count):
        await function()
    return time.process_time() - start


def built(folder: Path, tools: int) -> str:
    """Build a package with a number of tools below a folder, and return its name."""
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
    words = [sys.executable, "-m", "toolgen", "build", "schemas", "--quiet", "--out", name]
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL, env={"PYTHONPATH": str(GENERATOR)})
    return name


def handled(self: Any, arguments: Any) -> Any:
    """Return a constant result."""
    return dict(FOUND)


async def handled_later(self: Any, arguments: Any) -> Any:
    """Return the same result, async."""
    return dict(FOUND)


class Holder:
    """Holds functions as instance attributes, as in an app that assembles its handlers when it starts."""


def dispatch_cases(package: str, tools: int) -> Iterator[Case]:
    """Yield cases of one small call, in sync and async code."""
    module, models = importlib.import_module(f"{package}.tools"), importlib.import_module(f"{package}.models")
    name = f"get_weather_{tools // 2}"
    model = importlib.import_module(f"{package}.tools.{name}").__dict__[f"GetWeather{tools // 2}Arguments"]
    names = [entry.module for entry in module.TOOL_SET.entries.values()]
    handlers = type("App", (), dict.fromkeys(names, handled))()
    later = type("LaterApp", (), dict.fromkeys(names, handled_later))()
    holder = Holder()
    for name_of_tool in names:
        setattr(holder, name_of_tool, handlers.__getattribute__(name_of_tool))
    call = models.ToolCall("call_1", name, ARGUMENTS)

    def result(value: Any) -> Any:
        return models.ToolResult(tool_call_id=call.id, name=call.name, kind="data", value=value)

    def by_hand() -> Any:
        return result(getattr(handlers, call.name)(model.model_validate(call.arguments)))

    async def by_hand_later() -> Any:
        return result(await getattr(later, call.name)(model.model_validate(call.arguments)))

    async def by_hand_in_a_thread() -> Any:
        return result(await asyncio.to_thread(getattr(handlers, call.name), model.model_validate(call.arguments)))

    def by_hand_on_a_loop() -> Any:
        return asyncio.run(by_hand_later())

    works: list[tuple[str, Any, Any, bool]] = [
        ("dispatch_sync", lambda: module.dispatch_sync(call, handlers), by_hand, False),
        ("dispatch_sync, attributes", lambda: module.dispatch_sync(call, holder), by_hand, False),
        ("dispatch_sync, async handler", lambda: module.dispatch_sync(call, later), by_hand_on_a_loop, False),
        ("dispatch", lambda: module.dispatch(call, later), by_hand_later, True),
        ("dispatch, in a thread", lambda: module.dispatch(call, handlers), by_hand_in_a_thread, True),
    ]
    for work, ours, theirs, is_later in works:
        yield Case(f"{work} ({tools})", DISPATCH, ours, theirs, (is_later, is_later))


def event_case(package: str) -> Case:
    """Compare an event of a sync stream with one of an async stream, both from sessions that do not wait."""
    models, running = importlib.import_module(f"{package}.models"), importlib.import_module(f"{package}.running")
    names = [entry.module for entry in importlib.import_module(f"{package}.tools").TOOL_SET.entries.values()]
    handlers = type("App", (), dict.fromkeys(names, handled))()
    completed = models.CompletedEvent(models.Completion(models.AssistantMessage("a"), "stop"))

    class Scripted(base.Session):  # type: ignore[misc,name-defined]
        tool_mode = base.ToolMode.NATIVE

        def stream(self, request: Any) -> Iterator[Any]:
            for _ in range(EVENTS):
                yield models.TextDelta("a")
            yield completed

    class ScriptedLater(base.AsyncSession):  # type: ignore[misc,name-defined]
        tool_mode = base.ToolMode.NATIVE

        async def stream(self, request: Any) -> AsyncIterator[Any]:
            for _ in range(EVENTS):
                yield models.TextDelta("a")
            yield completed

    def watched() -> int:
        return sum(1 for _ in running.run_stream(Scripted(), "Hi", handlers, review=running.allow_all))

    async def watched_later() -> int:
        return sum([1 async for _ in running.arun_stream(ScriptedLater(), "Hi", handlers, review=running.allow_all)])

    return Case("run_stream, an event", EVENT, watched, watched_later, (False, True), EVENTS)


def measure(case: Case, rounds: int) -> tuple[list[float], float, float]:
    """Return the ratios by round, and the median times of a call, or of a part of one, in seconds."""
    ratios: list[float] = []
    times: tuple[list[float], list[float]] = [], []
    count = max(1, CALLS // case.parts)
    for n in range(rounds + 1):
        gc.collect()
        gc.disable()
        seconds = {which: case.seconds(which, count) for which in ((0, 1) if n % 2 else (1, 0))}
        gc.enable()
        if n:
            ratios.append(seconds[0] / seconds[1])
            for which in seconds:
                times[which].append(seconds[which] / count / case.parts)
    return ratios, statistics.median(times[0]), statistics.median(times[1])


def main() -> int:
    """Print a row for each case. Return 1 if a ratio is above its goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="")
    parser.add_argument("--tools", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    above = 0
    print(f"{'case':34} {'ratio':>7}  {'quartiles':15} {'goal':>5} {'ours µs':>9} {'beside µs':>9}")
    with tempfile.TemporaryDirectory() as temporary:
        sys.path.insert(0, temporary)
        packages = {}
        for tools in options.tools:
            name = built(Path(temporary) / f"project_{tools}", tools)
            (Path(temporary) / name).symlink_to(Path(temporary) / f"project_{tools}" / name)
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
