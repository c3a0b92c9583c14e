"""The cost of the format and its rules alone, as ratios to hand-written converters: a lower limit for any converter.

  python benchmarks/floor.py [--rounds N] [--only WORD]

`response` calls the constructors of the finished response's objects with existing values, and reads nothing. `messages`
checks whether the arguments and results of a conversation are JSON, which the rules require for a wire that takes them
as objects, and writes nothing.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import plain
from conversation import conversation
from run import GOALS, Case, measure, providers, takes_objects, wire_of

from toolgen_runtime.json_values import is_json


def constructors(value: Any) -> Callable[[Any], Any]:
    """Return a function that constructs a value of the format from the plain values in it."""
    held: dict[str, Any] = {}
    text = _spelled(value, held)
    names = ", ".join(f"{name}={name}" for name in held)
    construct: Callable[[Any], Any] = eval(f"lambda _, {names}: {text}", held)
    return construct


def _spelled(value: Any, held: dict[str, Any]) -> str:
    if type(value) is list and any(map(dataclasses.is_dataclass, value)):
        return f"[{', '.join(_spelled(item, held) for item in value)}]"
    if not dataclasses.is_dataclass(value):
        name = f"v{len(held)}"
        held[name] = value
        return name
    held[type(value).__name__] = type(value)
    arguments: list[str] = []
    gap = False
    for field in dataclasses.fields(value):
        inner = getattr(value, field.name)
        if not field.init or inner == field.default:
            gap = gap or field.init
        else:
            arguments.append(f"{field.name}={_spelled(inner, held)}" if gap else _spelled(inner, held))
    return f"{type(value).__name__}({', '.join(arguments)})"


def cases(package: str) -> list[Case]:
    """Return the cases of every wire with its own hand-written side."""
    models = importlib.import_module(f"{package}.models")
    theirs = plain.neutral(conversation())
    held = [
        value
        for message in theirs
        for value in [c.arguments for c in getattr(message, "calls", ())] + [getattr(message, "value", None)]
        if type(value) is dict
    ]
    all_cases = []
    for name, provider in providers(package).items():
        wire = wire_of(name)
        if wire is None or Path(str(wire.__file__)).stem != name:
            continue
        response = wire.response()
        completion = provider.from_response(response)
        construct = constructors(completion)
        if construct(None) != completion:
            raise AssertionError(f"{name}: the constructors made something else")
        all_cases.append(
            Case(f"{name} response", GOALS["response"], construct, wire.response_in, lambda a=response: (a, a))
        )
        if takes_objects(provider, models):
            all_cases.append(
                Case(
                    f"{name} messages",
                    GOALS["messages"],
                    lambda values: [is_json(value) for value in values],
                    wire.messages_out,
                    lambda: (held, theirs),
                )
            )
    return all_cases


def main() -> int:
    """Print a row for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    print(f"{'floor':26} {'ratio':>6}  {'goal':>5} {'floor µs':>9} {'hand µs':>9}")
    for case in cases("generated"):
        if options.only in case.name:
            ratios, ours, theirs = measure(case, options.rounds)
            print(
                f"{case.name:26} {statistics.median(ratios):6.2f}  {case.goal:5.1f} {ours * 1e6:9.1f} {theirs * 1e6:9.1f}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
