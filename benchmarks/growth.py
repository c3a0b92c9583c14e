"""Long streams and long conversations: a chunk or a message costs the same, however many came before it.

  python benchmarks/growth.py [--rounds N] [--only WORD] [--package FOLDER]

Streams: the time of a chunk among 16,000, beside the hand-written reader, and beside that of a chunk among 1,000.
Conversations: the seconds of 20,000 messages, and the time of a message among 20,000 beside that of one among 2,000.
Processor time; the collector of garbage is off for streams, and on for conversations, as in an app.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import statistics
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from run import fresh_copies, ignored, providers, run_stream, seconds, wire_of
from table import Result, limited, printed

CHUNKS, FEW_CHUNKS = 16_000, 1_000
MESSAGES, FEW_MESSAGES = 20_000, 2_000
BY_HAND = 3.0
FLAT, LINEAR = 1.2, 1.5
"""How much more a chunk or a message may cost if there are many: nothing, and a margin for the processor's caches.

That of messages is larger, because the collector runs.
"""

SECONDS = 1.0
"""The most that 20,000 messages may take through `validate`, `repair` and `to_messages`."""


def chunk_microseconds(run: Callable[[Any], Any], events: list[Any]) -> float:
    """Return the time of a chunk of a stream that is read once."""
    arguments = fresh_copies(events, 1)
    gc.collect()  # of what the copies left, which is no cost of the stream
    gc.disable()
    spent = seconds(run, arguments)
    gc.enable()
    return spent / len(events) * 1e6


def streams(package: str, rounds: int) -> Iterator[Result]:
    """Compare chunks of long streams with those of short ones, and with the hand-written reader's."""
    for name, provider in providers(package).items():
        wire = wire_of(name)
        if wire is None or Path(str(wire.__file__)).stem != name:
            continue
        ours, by_hand = run_stream(provider.Stream), run_stream(wire.Stream)
        many, few = wire.events(CHUNKS), wire.events(FEW_CHUNKS)
        figures: dict[str, list[float]] = {"many": [], "few": [], "by hand": []}
        for _ in range(rounds):
            figures["many"].append(chunk_microseconds(ours, many))
            figures["by hand"].append(chunk_microseconds(by_hand, many))
            figures["few"].append(statistics.median(chunk_microseconds(ours, few) for _ in range(5)))
        yield Result(f"{name}, a chunk of {CHUNKS}", "hand-written", BY_HAND, figures["many"], figures["by hand"])
        yield Result(f"{name}, a chunk of {CHUNKS}", f"one of {FEW_CHUNKS}", FLAT, figures["many"], figures["few"])


def history(models: Any, size: int) -> list[Any]:
    """Return a conversation of turns of four messages: a question, a call, its result, an answer."""
    messages = [models.SystemMessage("You run a harbour office.")]
    for n in range(size // 4):
        call = models.ToolCall(f"call_{n}", "get_weather", {"city": "Oslo", "unit": "celsius"})
        result = models.ToolResult(call.id, call.name, "data", {"degrees": 21, "wind": [3, 4.5, None]})
        messages += [
            models.UserMessage(f"Round {n}: how warm is it in Oslo?"),
            models.AssistantMessage([models.ToolCallPart(call)]),
            models.ToolMessage([result]),
            models.AssistantMessage("21 degrees, and a light wind."),
        ]
    return messages


def histories(package: str, rounds: int) -> Iterator[Result]:
    """Measure what a long conversation of one provider costs that goes on with another."""
    models, checks = (importlib.import_module(f"{package}.{name}") for name in ("models", "messages"))
    modules = providers(package)

    def whole(write: Callable[[Any], Any], messages: list[Any]) -> None:
        assert not checks.validate(messages)
        write(checks.repair(messages)[0])

    chat = modules["openai_chat"]
    read = {size: chat.from_messages(chat.to_messages(history(models, size))) for size in (MESSAGES, FEW_MESSAGES)}
    steps: dict[str, Callable[[Any], Any]] = {"validate": checks.validate, "repair": checks.repair}
    for name in ("anthropic", "gemini", "bedrock", "openai_responses"):
        write = partial(modules[name].to_messages, on_loss=ignored)
        steps[f"{name}.to_messages"] = write
        steps[f"all three, {name}"] = partial(whole, write)
    for step, work in steps.items():
        spent: dict[int, list[float]] = {size: [] for size in read}
        for n in range(rounds + 1):
            for size, messages in read.items():
                gc.collect()
                taken = seconds(work, [messages])
                if n:
                    spent[size].append(taken)
        if step.startswith("all three"):
            yield limited(f"{step}, {MESSAGES}", SECONDS, spent[MESSAGES])
        many, few = ([s / size * 1e6 for s in spent[size]] for size in read)
        yield Result(f"{step}, a message", f"one of {FEW_MESSAGES}", LINEAR, many, few)


def main() -> int:
    """Print a row for each case. Return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="")
    parser.add_argument("--package", type=Path, default=Path(__file__).resolve().parents[1] / "generated")
    options = parser.parse_args()
    folder = options.package.resolve()
    sys.path.insert(0, str(folder.parent))
    groups = {"streams": streams, "conversations": histories}
    works = [work for name, work in groups.items() if options.only in name]
    return printed(row for work in works for row in work(folder.name, options.rounds))


if __name__ == "__main__":
    sys.exit(main())
