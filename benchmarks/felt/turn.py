"""A run of three calls with toolgen, pydantic-ai, LangChain and the Agents SDK, above the same two requests. Linux only.

  python benchmarks/felt/turn.py [--rounds N] [--runs N] [--without-peers]

Each library has a process of its own (`turn_worker.py`). In each round each makes a number of runs, and as often the
same two requests through its official client. The figures are the difference, in processor time of a run.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from felt.peers import installed
from felt.servers import fake_model
from table import Result, printed

WORKER = Path(__file__).resolve().parent / "turn_worker.py"
PEERS = {
    "pydantic-ai": "pydantic-ai",
    "langchain sync": "langchain",
    "langchain async": "langchain",
    "openai-agents": "openai-agents",
}
"""The peers, each with the name of its environment."""

OURS = ("toolgen chat sync", "toolgen chat async", "toolgen anthropic sync", "toolgen anthropic async")
OF_THE_FASTEST = 0.25
SYNC_BY_ASYNC = 1.15

TOOLS: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "get_weather": (
        "The current weather in a city.",
        {
            "city": {"type": "string", "description": "Name of the city."},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
        },
        ["city"],
    ),
    "convert": (
        "Convert dollars into another currency.",
        {
            "amount": {"type": "number", "description": "How many dollars."},
            "to": {"type": "string", "description": "The other currency."},
        },
        ["amount", "to"],
    ),
    "find_notes": (
        "Find notes of the user.",
        {
            "query": {"type": "string", "description": "What to look for."},
            "limit": {"type": "integer", "default": 10},
        },
        ["query"],
    ),
}
"""The description, the properties and the required ones of each tool."""


def build_package(folder: Path) -> None:
    """Build the package `turn_tools` in a folder."""
    schemas = folder / "schemas"
    (schemas / "tools").mkdir(parents=True)
    (schemas / "toolgen.yaml").write_text("providers: [openai_chat, anthropic]\n", "utf-8")
    for name, (description, properties, required) in TOOLS.items():
        parameters = {"type": "object", "properties": properties, "required": required}
        declaration = {"name": name, "description": description, "risk": "low", "parameters": parameters}
        (schemas / "tools" / f"{name}.json").write_text(json.dumps(declaration), "utf-8")
    words = [sys.executable, "-m", "toolgen", "build", "schemas", "--quiet", "--out", "turn_tools"]
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def asked(worker: subprocess.Popen[str], runs: int) -> dict[str, float]:
    """Let a worker make a number of runs, and return its milliseconds."""
    assert worker.stdin
    assert worker.stdout
    worker.stdin.write(f"{runs}\n")
    worker.stdin.flush()
    answer: dict[str, float] = json.loads(worker.stdout.readline())
    return answer


def added_milliseconds(pythons: dict[str, Path], folder: Path, rounds: int, runs: int) -> dict[str, list[float]]:
    """Return the milliseconds that each library adds to the two requests, by round."""
    with ExitStack() as stack:
        address = stack.enter_context(fake_model()).address
        workers = {}
        for name, python in pythons.items():
            words = [str(python), str(WORKER), name, address]
            environment = {**os.environ, "PYTHONPATH": str(folder) if name in OURS else ""}
            process = subprocess.Popen(words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            workers[name] = stack.enter_context(process)
        for worker in workers.values():
            asked(worker, 10)
        added: dict[str, list[float]] = {name: [] for name in workers}
        names = list(workers)
        for n in range(rounds):
            turn = n % len(names)
            for name in names[turn:] + names[:turn]:
                milliseconds = asked(workers[name], runs)
                added[name].append(milliseconds["run"] - milliseconds["floor"])
        return added


def results(rounds: int, runs: int, has_peers: bool) -> Iterator[Result | str]:
    """Yield the rows, and a sentence for what is skipped."""
    environments, sentences = installed(sorted(set(PEERS.values()))) if has_peers else ({}, ["The peers are left out."])
    yield from sentences
    pythons = {name: Path(sys.executable) for name in OURS}
    pythons |= {name: environments[kind] for name, kind in PEERS.items() if kind in environments}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build_package(folder)
        added = added_milliseconds(pythons, folder, rounds, runs)
    peers = [name for name in PEERS if name in added]
    fastest = min(peers, key=lambda name: statistics.median(added[name]), default=None)
    for ours in OURS:
        for peer in peers:
            goal = OF_THE_FASTEST if peer == fastest else None
            yield Result(f"a turn, {ours}", peer, goal, added[ours], added[peer], "ms")
    for sync, later in zip(OURS[::2], OURS[1::2], strict=True):
        yield Result(f"a turn, {sync}", later, SYNC_BY_ASYNC, added[sync], added[later], "ms")


def main() -> int:
    """Print a row for each case. Return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--without-peers", action="store_true")
    options = parser.parse_args()
    return printed(results(options.rounds, options.runs, not options.without_peers))


if __name__ == "__main__":
    sys.exit(main())
