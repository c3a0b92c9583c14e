"""Complete commands: `toolgen build` and `check` with growing numbers of tools.

  python benchmarks/building.py [--tools N,N,…] [--rounds N] [--growth] [--collection FOLDER]

Each round runs all commands in turn, in separate processes, and the figures are medians over the rounds. Processor time
is measured (user and system, with children), and the maximum memory. The declarations are the fifty of `tests/corpus`,
or those of a larger collection (see `tests/corpus/everything.py`), without those that are rejected. If there are too
few, they are repeated under new names and with new descriptions, so that no two are equal.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from table import Result, limited, printed

CORPUS = Path(__file__).resolve().parents[1] / "tests" / "corpus"

CONFIG = 'edition: "2026"\nproviders: [openai_responses, openai_chat, anthropic, gemini]\n'
"""The configuration of `toolgen init`."""


@dataclass(frozen=True)
class Measured:
    """The processor time of a command in seconds, and its maximum memory in megabytes."""

    seconds: float
    memory: float


@dataclass(frozen=True)
class Command:
    """A command, the folder it runs in, and its preparation, which is not measured."""

    words: tuple[str, ...]
    folder: Path
    prepare: Callable[[], object] = lambda: None
    codes: tuple[int, ...] = (0,)
    """The exit codes that it may have."""

    def run(self) -> Measured:
        """Run the command until it ends."""
        self.prepare()
        process = subprocess.Popen(self.words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert process.stderr is not None
        with process.stderr:
            errors = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in self.codes:
            raise SystemExit(f"{' '.join(self.words)}: {errors[-1000:]}")
        return Measured(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def rows(collection: Path | None) -> Iterator[dict[str, Any]]:
    """Yield the declarations repeatedly; all but the first time with other descriptions."""
    refused = {line.split("\t")[0] for line in (CORPUS / "refused.tsv").read_text("utf-8").splitlines()}
    files = sorted(collection.glob("*.jsonl")) if collection else [CORPUS / "declarations.jsonl"]
    for repetition in count():
        for path in files:
            for line in path.read_text("utf-8").strip("\n").split("\n"):
                row = json.loads(line)
                if row["id"] not in refused and not row["id"].startswith(("schema-suite", "schemastore")):
                    yield described_otherwise(row, repetition) if repetition else row


def described_otherwise(value: Any, number: int) -> Any:
    """Return a copy of a declaration in which each description ends in a number."""
    if isinstance(value, list):
        return [described_otherwise(item, number) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: f"{item} ({number})"
        if key == "description" and isinstance(item, str)
        else described_otherwise(item, number)
        for key, item in value.items()
    }


def declared(tools: int, collection: Path | None) -> dict[str, dict[str, Any]]:
    """Return declarations by name."""
    declarations = {}
    for n, row in zip(count(), islice(rows(collection), tools), strict=False):
        name = f"{re.sub(r'[^A-Za-z0-9_-]', '_', row['name'])[:40]}_{n}"
        declarations[name] = {
            "name": name,
            "description": row["description"] or "A tool.",
            "parameters": row["parameters"],
        }
        if row.get("result") is not None:
            declarations[name]["result"] = row["result"]
    return declarations


def project(folder: Path, tools: dict[str, dict[str, Any]]) -> Path:
    """Create a project with the tools, one file each."""
    (folder / "schemas" / "tools").mkdir(parents=True)
    (folder / "schemas" / "toolgen.yaml").write_text(CONFIG, "utf-8")
    for name, tool in tools.items():
        (folder / "schemas" / "tools" / f"{name}.json").write_text(json.dumps(tool, indent=2), "utf-8")
    return folder


def commands(folder: Path, tools: dict[str, dict[str, Any]]) -> dict[str, Command]:
    """Return all commands by name."""
    many = project(folder / "many", tools)
    changing = next((many / "schemas" / "tools").iterdir())
    text = changing.read_text("utf-8")
    texts = [text, text.replace('"description": "', '"description": "Now: ')]
    toolgen = (sys.executable, "-m", "toolgen")
    records = folder / "records"
    os.environ["XDG_CACHE_HOME"] = str(records)

    def change() -> None:
        texts.reverse()
        changing.write_text(texts[0], "utf-8")

    def forget() -> None:
        shutil.rmtree(records, ignore_errors=True)
        records.mkdir()

    def remove() -> None:
        forget()
        shutil.rmtree(many / "generated", ignore_errors=True)

    return {
        "python -c pass": Command((sys.executable, "-c", "pass"), folder),
        "from nothing": Command((*toolgen, "build"), many, remove),
        "nothing changed": Command((*toolgen, "build"), many),
        "check": Command((*toolgen, "check"), many),
        "check, no record": Command((*toolgen, "check"), many, forget),
        "one changed": Command((*toolgen, "build"), many, change),
    }


SECONDS: dict[str, dict[int, float]] = {
    "from nothing": {1: 1.3, 100: 2.5, 1000: 6.0},
    "check, no record": {1000: 6.0},
    "one changed": {1000: 6.0},
}
"""The most seconds that a command may take, by the number of tools."""

STARTS = {"nothing changed": 6.0, "check": 10.0}
"""The most that a command may take if there is nothing to do, the start of Python = 1."""

MEGABYTES = 300.0
TWICE = 2.0
"""The most that twice as many tools may take."""


def costs(sizes: list[int], collection: Path | None, rounds: int) -> Iterator[Result]:
    """Yield the rows of all commands."""
    for tools in sizes:
        with tempfile.TemporaryDirectory() as name:
            every = commands(Path(name), declared(tools, collection))
            measured = [{case: command.run() for case, command in every.items()} for _ in range(rounds)]
        seconds = {case: [figures[case].seconds for figures in measured] for case in every}
        for case, goal in STARTS.items():
            yield Result(
                f"{tools} tools, {case}", "python -c pass", goal, seconds[case], seconds["python -c pass"], "s"
            )
        for case, goals in SECONDS.items():
            if tools in goals:
                yield limited(f"{tools} tools, {case}", goals[tools], seconds[case])
            else:
                yield Result(
                    f"{tools} tools, {case}", "from nothing", None, seconds[case], seconds["from nothing"], "s"
                )
        memory = max(figures[case].memory for figures in measured for case in every)
        yield Result(f"{tools} tools, memory", "the goal", 1.0, [memory], [MEGABYTES], "MB")


def growth(collection: Path | None, rounds: int) -> Iterator[Result]:
    """Compare builds from nothing of 1,000 and 2,000 tools. The time doubles if a tool costs the same in both."""
    with tempfile.TemporaryDirectory() as name:
        os.environ["XDG_CACHE_HOME"] = f"{name}/records"
        folders = {size: project(Path(name) / str(size), declared(size, collection)) for size in (2000, 1000)}
        measured: dict[int, list[Measured]] = {size: [] for size in folders}
        for _ in range(rounds):
            for size, folder in folders.items():
                shutil.rmtree(folder / "generated", ignore_errors=True)
                shutil.rmtree(f"{name}/records", ignore_errors=True)
                measured[size].append(Command((sys.executable, "-m", "toolgen", "build"), folder).run())
    many, few = ([figure.seconds for figure in figures] for figures in measured.values())
    yield Result("2000 tools, from nothing", "1000 tools", TWICE, many, few, "s")
    many, few = ([figure.memory for figure in figures] for figures in measured.values())
    yield Result("2000 tools, memory", "1000 tools", TWICE, many, few, "MB")


def main() -> int:
    """Print a row for each command and size. Return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="1,100,1000")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--collection", type=Path)
    parser.add_argument("--growth", action="store_true", help="compare builds of 1,000 and 2,000 tools")
    options = parser.parse_args()
    if options.growth:
        return printed(growth(options.collection, options.rounds))
    sizes = [int(size) for size in options.tools.split(",")]
    return printed(costs(sizes, options.collection, options.rounds))


if __name__ == "__main__":
    sys.exit(main())
