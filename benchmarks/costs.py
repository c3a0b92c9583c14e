"""Other costs in time and memory: arguments as text, objects in use, imports, the first call, memory.

  python benchmarks/costs.py [--rounds N] [--only WORD] [--package FOLDER]

Each row compares two sides in one run, in turn, as a median over the rounds. A goal of `-` means that there is none.
Imports run in separate processes, with compiled bytecode and without; their processor time is counted.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from conversation import conversation
from run import DECLARED, providers, wire_of
from table import Result, printed

import toolgen_runtime
from toolgen_runtime.json_text import loads

MESSAGES = 10_000
SIZES = {"200 bytes": 1, "2 KB": 12, "20 KB": 125}
"""The sizes of the arguments, and the number of rows in each."""


ADDRESSED = {
    "create_order": {
        **DECLARED["create_order"],
        "ship_to": {"lines": ["1 Main Street"], "city": "Springfield", "country": "US"},
    }
}
"""The one call of `run.py` whose arguments are incomplete, with complete arguments."""


def timed(ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int) -> tuple[list[float], list[float]]:
    """Return the microseconds of a call on each side, by round. The functions and their data are warm."""
    ours(), theirs()
    count = max(5, int(0.02 / max(_once(theirs, 3), 1e-7)))
    microseconds: tuple[list[float], list[float]] = [], []
    for n in range(rounds):
        gc.collect()
        gc.disable()
        for side in (0, 1) if n % 2 else (1, 0):
            microseconds[side].append(_once((ours, theirs)[side], count) * 1e6)
        gc.enable()
    return microseconds


def _once(function: Callable[[], Any], count: int) -> float:
    start = time.process_time()
    for _ in range(count):
        function()
    return (time.process_time() - start) / count


def texts(package: str, rounds: int) -> Iterator[Result]:
    """Compare the strict reader of arguments with the parser that accepts anything."""
    row = {"id": "B17", "free": True, "draught": 4.25, "note": "dawn, after the tide has turned; ask the pilot first"}
    for name, rows in SIZES.items():
        for spelling, separators in (("compact", (",", ":")), ("with blanks", (", ", ": "))):
            text = json.dumps({"query": "ferry", "rows": [row] * rows}, separators=separators)
            sides = timed(lambda t=text: loads(t), lambda t=text: json.loads(t), rounds)
            yield Result(f"arguments, {name}, {spelling}", "json.loads", 3.75, *sides)


def declared_arguments(package: str, rounds: int) -> Iterator[Result]:
    """Compare the validation of a declared tool's arguments with its pydantic model alone."""
    tools = importlib.import_module(f"{package}.tools")
    for name, value in {**DECLARED, **ADDRESSED}.items():
        text = json.dumps(value)
        model = type(tools.parse_arguments(name, text))
        sides = timed(
            lambda n=name, t=text: tools.parse_arguments(n, t), lambda m=model, t=text: m.model_validate_json(t), rounds
        )
        yield Result(f"parse_arguments, {name}", "model_validate_json", 2.55, *sides)


def objects_in_use(package: str, rounds: int) -> Iterator[Result]:
    """Read the same response repeatedly; and compare a history that was read from a wire with one that was not."""
    models = importlib.import_module(f"{package}.models")
    ours = [models.load(models.Message, message) for message in conversation()]
    for name, provider in providers(package).items():
        wire = wire_of(name)
        if wire is None or Path(str(wire.__file__)).stem != name:
            continue
        body = wire.response()
        sides = timed(lambda p=provider, b=body: p.from_response(b), lambda w=wire, b=body: w.response_in(b), rounds)
        yield Result(f"{name}, a response in use", "hand-written", None, *sides)
        read = provider.from_messages(provider.to_messages(ours))
        sides = timed(lambda p=provider, r=read: p.to_messages(r), lambda p=provider: p.to_messages(ours), rounds)
        yield Result(f"{name}, a history that was read", "one that was built", None, *sides)


CLIENTS = {"openai_chat": "from openai import OpenAI", "anthropic": "from anthropic import Anthropic"}
"""The import of the official client that the session of a provider needs."""

PYDANTIC = "import pydantic; pydantic.BaseModel"
BY_PYDANTIC, BY_CLIENT = 0.9, 0.15
"""The most that our imports may take, `import pydantic` and the import of the client = 1."""


def imports(package: Path, rounds: int) -> Iterator[Result]:
    """Compare what a first request imports after the official client with the client and with `import pydantic`."""
    with tempfile.TemporaryDirectory() as folder:
        app, uncompiled = Path(folder) / "app", Path(folder) / "uncompiled"
        for parent in (app, uncompiled):
            for each in (package, Path(toolgen_runtime.__file__).parent):
                shutil.copytree(each, parent / each.name, ignore=shutil.ignore_patterns("__pycache__"))
        for name, client in CLIENTS.items():
            modules = (f"providers.{name}", "running", f"sessions.{name}", "tools.get_weather")
            converter, *_ = needed = [f"import {package.name}.{module}" for module in modules]
            first_request = "; ".join(needed)
            cases = {
                "pydantic": ("pass", PYDANTIC, app),
                "client": ("pass", client, app),
                "converter": ("pass", converter, app),
                "first request": (client, first_request, app),
                "no bytecode": (client, first_request, uncompiled),
            }
            spent: dict[str, list[float]] = {case: [] for case in cases}
            for n in range(rounds + 1):
                for case, (before, code, place) in cases.items():
                    milliseconds = _import(before, code, place, place == app)
                    if n:
                        spent[case].append(milliseconds)
            for title, case, beside, goal in (
                (f"import of {name}", "converter", "pydantic", BY_PYDANTIC),
                (f"imports of a first request, {name}", "first request", "pydantic", BY_PYDANTIC),
                (f"imports of a first request, {name}", "first request", "client", BY_CLIENT),
                (f"the same, no bytecode, {name}", "no bytecode", "client", None),
            ):
                yield Result(title, f"import of {beside}", goal, spent[case], spent[beside], "ms")


def _import(before: str, code: str, folder: Path, compiled: bool) -> float:
    """Return the milliseconds that imports take in a separate process, after others."""
    text = f"{before}\nimport time\nbegan = time.process_time()\n{code}\nprint((time.process_time() - began) * 1000)"
    return float(_printed(folder, compiled, "-c", text))


def _printed(folder: Path, compiled: bool, *words: str) -> str:
    """Return the output of a separate Python process. `compiled` means that it may write and read bytecode."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "" if compiled else "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout


def first_calls(package: Path, rounds: int) -> Iterator[Result]:
    """Compare the first response that a process reads with the second."""
    for name in ("openai_chat", "anthropic", "gemini"):
        wire = wire_of(name)
        code = (
            f"import json, sys, time; import {package.name}.providers.{name} as p; bodies = json.loads(sys.argv[1])\n"
            "def timed(body):\n    a = time.perf_counter(); p.from_response(body); return (time.perf_counter() - a) * 1e6\n"
            "print(timed(bodies[0]), timed(bodies[1]))"
        )
        responses = json.dumps([wire.response(), wire.response()])
        words = "-c", code, responses
        outputs = [_printed(package.parent, True, *words).split() for _ in range(rounds + 1)][1:]
        rows = [[float(word) for word in line] for line in outputs]
        yield Result(
            f"{name}, first response of a process", "the second", None, [r[0] for r in rows], [r[1] for r in rows]
        )


def memory(package: str) -> Iterator[Result]:
    """Compare ten thousand messages in the format with the dicts of a JSON parser."""
    load, kind = (getattr(importlib.import_module(f"{package}.models"), name) for name in ("load", "Message"))
    text = json.dumps([message for _ in range(MESSAGES // 40) for message in conversation()[:40]])

    def megabytes(make: Callable[[], Any]) -> float:
        gc.collect()
        tracemalloc.start()
        value = make()
        gc.collect()
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert value
        return size / 1e6

    ours = megabytes(lambda: [load(kind, message) for message in json.loads(text)])
    yield Result(f"memory of {MESSAGES} messages", "dicts", None, [ours], [megabytes(lambda: json.loads(text))], "MB")


def main() -> int:
    """Print a row for each case. Return 1 if a ratio is above its goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="")
    parser.add_argument("--package", type=Path, default=Path(__file__).resolve().parents[1] / "generated")
    options = parser.parse_args()
    folder = options.package.resolve()
    sys.path.insert(0, str(folder.parent))
    groups: dict[str, Callable[[], Iterator[Result]]] = {
        "texts": lambda: texts(folder.name, options.rounds),
        "declared": lambda: declared_arguments(folder.name, options.rounds),
        "objects": lambda: objects_in_use(folder.name, options.rounds),
        "imports": lambda: imports(folder, options.rounds),
        "first": lambda: first_calls(folder, options.rounds),
        "memory": lambda: memory(folder.name),
    }
    return printed(row for name, rows in groups.items() if options.only in name for row in rows())


if __name__ == "__main__":
    sys.exit(main())
