"""Ratios of the generated converters to hand-written ones, both sides in one run, in turn.

  python benchmarks/run.py [--rounds N] [--only WORD] [--package FOLDER]

Each case runs both sides in both orders with the collector off. A ratio is computed inside a round; the median over the
rounds is printed with its quartiles. The processor time of this process is measured, not elapsed time.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import pickle
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

sys.path.insert(0, str(Path(__file__).resolve().parent))

import plain
import yaml
from conversation import conversation, tools

HERE = Path(__file__).resolve().parent
PROFILES = HERE.parent / "schemas" / "providers"
GOALS = {
    "tools": 1.8,
    "lowered": 30.0,
    "declared": 1.95,
    "request": 4.05,
    "messages": 4.35,
    "response": 7.2,
    "stream": 3.15,
}
"""The most that each work may cost, hand-written = 1: half as much again as the dearest API took on 2026-11-26.

A simpler design may cost that. Whatever costs more needs a reason.
"""

OFFERED = 20
"""The number of tools in one call of `tools()` or `to_tools`."""


@dataclass(frozen=True)
class Case:
    """Two functions of one argument, which `fresh` creates for each call; at most `most` calls of each in a round."""

    name: str
    goal: float
    ours: Callable[[Any], Any]
    theirs: Callable[[Any], Any]
    fresh: Callable[[], tuple[Any, Any]]
    most: int = 10_000


def fresh_copies(value: Any, count: int) -> list[Any]:
    """Return copies of plain data, made quickly."""
    blob = pickle.dumps(value, 5)
    return [pickle.loads(blob) for _ in range(count)]


def seconds(function: Callable[[Any], Any], arguments: list[Any]) -> float:
    """Return the processor time of one call with each argument."""
    start = time.process_time()
    for argument in arguments:
        function(argument)
    return time.process_time() - start


def measure(case: Case, rounds: int, budget: float = 0.02) -> tuple[list[float], float, float]:
    """Return the ratios by round, and the median times of a call in seconds.

    A round runs both sides in both orders, each time with arguments that are created in this order, because the side
    whose arguments are still in the processor's cache has an advantage.
    """
    sides = tuple(zip((case.ours, case.theirs), case.fresh(), strict=True))
    once = max(seconds(case.theirs, fresh_copies(sides[1][1], 1)), 1e-7)
    count = max(2, min(case.most, int(budget / once / 2)))
    ratios: list[float] = []
    times: tuple[list[float], list[float]] = ([], [])
    for n in range(rounds + 2):
        spent = [0.0, 0.0]
        for order in ((0, 1), (1, 0)):
            arguments = {side: fresh_copies(sides[side][1], count) for side in order}
            gc.collect()
            gc.disable()
            for side in order:
                spent[side] += seconds(sides[side][0], arguments[side])
            gc.enable()
        if n >= 2:
            ratios.append(spent[0] / spent[1])
            for side in (0, 1):
                times[side].append(spent[side] / count / 2)
    return ratios, statistics.median(times[0]), statistics.median(times[1])


def run_stream(make: Callable[[], Any]) -> Callable[[Any], Any]:
    """Feed all events, and finish."""

    def run(events: Any) -> Any:
        stream = make()
        feed = stream.feed
        for event in events:
            feed(event)
        return stream.finish()

    return run


def providers(package: str) -> dict[str, Any]:
    """Return the provider modules of the package, by name."""
    module = importlib.import_module(f"{package}.providers")
    names = sorted(f.stem for f in Path(str(module.__file__)).parent.glob("[!_]*.py"))
    return {name: importlib.import_module(f"{package}.providers.{name}") for name in names}


def wire_of(name: str) -> Any:
    """Return the hand-written side of a provider, or of the one that it extends; None if it has no conversations."""
    if (HERE / "wires" / f"{name}.py").exists():
        return importlib.import_module(f"wires.{name}")
    parent = yaml.safe_load((PROFILES / f"{name}.yaml").read_text("utf-8")).get("extends")
    return wire_of(parent) if parent else None


def cases(package: str) -> list[Case]:
    """Return the cases of all providers in the package."""
    models = importlib.import_module(f"{package}.models")
    ours = [models.load(models.Message, message) for message in conversation()]
    theirs = plain.neutral(conversation())
    all_cases: list[Case] = []
    for name, provider in providers(package).items():
        if type(provider.tools()) is list:
            all_cases.append(tools_case(name, provider))
        wire = wire_of(name)
        if wire is None:
            continue
        by_hand = proved(wire.messages_out) if takes_objects(provider, models) else wire.messages_out
        response, events = wire.response(), wire.events(1_000)
        works = [
            ("request", *request_case(models, provider, by_hand, ours, theirs)),
            ("messages", partial(provider.to_messages, on_loss=ignored), by_hand, (ours, theirs)),
            ("response", provider.from_response, wire.response_in, (response, response)),
            ("stream", run_stream(provider.Stream), run_stream(wire.Stream), (events, events)),
        ]
        all_cases += [Case(f"{name} {work}", GOALS[work], a, b, lambda x=x: x) for work, a, b, x in works]
        all_cases += [declared_case(name, models, provider), lowered_case(name, models, provider, wire)]
    return all_cases


def takes_objects(provider: Any, models: Any) -> bool:
    """Return whether a wire takes arguments as unchanged objects, so that the hand-written side does not check them."""
    arguments = {"a": 1}
    stack = [provider.to_tool_call(models.ToolCall("call_1", "t", arguments))]
    while stack:
        value = stack.pop()
        if value is arguments:
            return True
        if type(value) is dict:
            stack += value.values()
    return False


def proved(write: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a hand-written writer that also checks whether the arguments of the calls are JSON."""

    def written(messages: Any) -> Any:
        for message in messages:
            if type(message) is plain.Assistant:
                for call in message.calls:
                    if not plain.is_json(call.arguments):
                        raise ValueError("JSON cannot hold the arguments")
        return write(messages)

    return written


DECLARED = {
    "get_weather": {"city": "Oslo", "unit": "celsius"},
    "create_order": {"customer_id": "c_1", "items": [{"sku": "A1", "quantity": 2}, {"sku": "B2", "quantity": 1}]},
    "search_documents": {"query": {"field": "title", "equals": "streams"}, "limit": 10},
}
"""Calls of tools that the sample project declares."""


def declared_case(name: str, models: Any, provider: Any) -> Case:
    """Compare a response with calls of declared tools with one that has calls of undeclared tools."""

    def response(prefix: str) -> Any:
        calls = [models.ToolCall(f"call_{n}abcd", prefix + tool, DECLARED[tool]) for n, tool in enumerate(DECLARED)]
        parts = [models.TextPart("Let me see."), *map(models.ToolCallPart, calls)]
        completion = models.Completion(models.AssistantMessage(parts), "tool_calls")
        return provider.to_response(completion, id="one", created=1, on_loss=ignored, on_unsupported="weaken")

    inputs = response(""), response("un")
    return Case(f"{name} declared", GOALS["declared"], provider.from_response, provider.from_response, lambda: inputs)


def lowered_case(name: str, models: Any, provider: Any, wire: Any) -> Case:
    """Compare tools that come at run time, the same ones each time, with hand-written lowering."""
    offered = tools(OFFERED)
    ours = [models.ToolDefinition(**tool) for tool in offered]
    return Case(
        f"{name} lowered",
        GOALS["lowered"],
        partial(provider.to_tools, on_loss=ignored),
        wire.tools_out,
        lambda: (ours, offered),
        most=100,
    )


def request_case(
    models: Any, provider: Any, messages_out: Callable[[Any], Any], ours: list[Any], theirs: list[Any]
) -> tuple[Any, ...]:
    """Compare a request with all declared tools with plain messages beside a new copy of the same tools."""
    definitions = importlib.import_module(f"{models.__package__}.tools").DEFINITIONS
    offered = [definitions[name] for name in definitions if name in get_args(provider.ToolName)]
    text = json.dumps(provider.TOOLS)

    def by_hand(messages: Any) -> Any:
        return {"model": "m", "messages": messages_out(messages), "tools": json.loads(text)}

    def converted(messages: Any) -> Any:
        return provider.to_request(models.Request(model="m", messages=messages, tools=offered), on_loss=ignored)

    return converted, by_hand, (ours, theirs)


def ignored(loss: Any) -> None:
    """Ignore a loss."""


def tools_case(name: str, provider: Any) -> Case:
    """Compare `tools()` with indexing a constant by the same names."""
    declared = get_args(provider.ToolName)
    constant = {tool: provider.tools(tool)[0] for tool in declared}
    names = (declared * OFFERED)[:OFFERED]
    return Case(
        f"{name} tools()",
        GOALS["tools"],
        lambda n: provider.tools(*n),
        lambda n: [constant[x] for x in n],
        lambda: (names, names),
    )


def main() -> int:
    """Print a row for each case. Return 1 if a ratio is above its goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="")
    parser.add_argument("--package", type=Path, default=Path(__file__).resolve().parents[1] / "generated")
    options = parser.parse_args()
    sys.path.insert(0, str(options.package.resolve().parent))
    package = options.package.name
    above = 0
    print(f"{'case':26} {'ratio':>6}  {'quartiles':13} {'goal':>5} {'ours µs':>9} {'hand µs':>9}")
    for case in cases(package):
        if options.only not in case.name:
            continue
        ratios, ours, theirs = measure(case, options.rounds)
        low, middle, high = statistics.quantiles(ratios, n=4)
        above += middle > case.goal
        mark = "" if middle <= case.goal else "  above"
        print(
            f"{case.name:26} {middle:6.2f}  {low:5.2f} - {high:5.2f} {case.goal:5.1f} {ours * 1e6:9.1f} {theirs * 1e6:9.1f}{mark}"
        )
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
