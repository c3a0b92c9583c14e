"""Complete commands: `toolgen build` and `check` with growing numbers of tools, compared with their baselines.

  python benchmarks/building.py [--tools N,N,…] [--rounds N] [--growth N,N,…] [--collection FOLDER]

Each round runs all commands in turn, in separate processes. The figures are medians over the rounds of ratios of
processor time (user and system, with children) inside a round, and the maximum memory. The declarations are the fifty
of `tests/corpus`, or those of a larger collection (see `tests/corpus/everything.py`), repeated under new names as often
as necessary, without those that are rejected.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).resolve().parents[1] / "tests" / "corpus"

MODEL_GENERATOR = """
import sys, warnings
from pathlib import Path
from datamodel_code_generator import DataModelType, InputFileType, generate
warnings.simplefilter("ignore")
generate(
    Path(sys.argv[1]), input_file_type=InputFileType.JsonSchema, output=Path(sys.argv[2]),
    output_model_type=DataModelType.PydanticV2BaseModel, disable_timestamp=True,
)
"""


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

    def run(self) -> Measured:
        """Run the command until it ends."""
        self.prepare()
        process = subprocess.Popen(self.words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert process.stderr is not None
        with process.stderr:
            errors = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(self.words)}: {errors[-1000:]}")
        return Measured(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def rows(collection: Path | None) -> Iterator[dict[str, Any]]:
    """Yield the declarations repeatedly."""
    refused = {line.split("\t")[0] for line in (CORPUS / "refused.tsv").read_text("utf-8").splitlines()}
    files = sorted(collection.glob("*.jsonl")) if collection else [CORPUS / "declarations.jsonl"]
    while True:
        for path in files:
            for line in path.read_text("utf-8").strip("\n").split("\n"):
                row = json.loads(line)
                if row["id"] not in refused and not row["id"].startswith(("schema-suite", "schemastore")):
                    yield row


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
    for name, tool in tools.items():
        (folder / "schemas" / "tools" / f"{name}.json").write_text(json.dumps(tool, indent=2), "utf-8")
    return folder


def one_document(tools: dict[str, dict[str, Any]], path: Path) -> Path:
    """Write all arguments as definitions of one schema, for the single call of the model generator."""

    def moved(value: Any, name: str) -> Any:
        if isinstance(value, dict):
            return {
                k: f"#/$defs/{name}{v[1:]}" if k == "$ref" and isinstance(v, str) and v[:1] == "#" else moved(v, name)
                for k, v in value.items()
            }
        return [moved(item, name) for item in value] if isinstance(value, list) else value

    definitions = {name: moved(tool["parameters"], name) for name, tool in tools.items()}
    properties = {name: {"$ref": f"#/$defs/{name}"} for name in definitions}
    path.write_text(json.dumps({"type": "object", "properties": properties, "$defs": definitions}), "utf-8")
    return path


def commands(folder: Path, tools: dict[str, dict[str, Any]]) -> dict[str, Command]:
    """Return all commands by name."""
    many = project(folder / "many", tools)
    document = one_document(tools, folder / "all.json")
    changing = next((many / "schemas" / "tools").iterdir())
    texts = [
        changing.read_text("utf-8"),
        changing.read_text("utf-8").replace('"description": "', '"description": "Now: '),
    ]
    toolgen = (sys.executable, "-m", "toolgen")
    cache = folder / "cache"
    cache.mkdir()
    os.environ["XDG_CACHE_HOME"] = str(cache)

    def change() -> None:
        texts.reverse()
        changing.write_text(texts[0], "utf-8")

    def forgotten() -> None:
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir()

    def nothing() -> None:
        forgotten()
        shutil.rmtree(many / "generated", ignore_errors=True)

    def checked_once() -> None:
        forgotten()
        subprocess.run((*toolgen, "check"), cwd=many, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    generator = (sys.executable, "-c", MODEL_GENERATOR, str(document), str(folder / "models.py"))
    return {
        "python -c pass": Command((sys.executable, "-c", "pass"), folder),
        "model generator": Command(generator, folder),
        "version": Command((*toolgen, "--version"), folder),
        "from nothing": Command((*toolgen, "build"), many, nothing),
        "unchanged": Command((*toolgen, "build"), many),
        "check": Command((*toolgen, "check"), many),
        "first check": Command((*toolgen, "check"), many, forgotten),
        "second check": Command((*toolgen, "check"), many, checked_once),
        "one changed": Command((*toolgen, "build"), many, change),
    }


GOALS = (
    ("version", "python -c pass", 4.5),
    ("from nothing", "model generator", 2.0),
    ("unchanged", "python -c pass", 6.0),
    ("check", "python -c pass", 10.0),
    ("first check", "from nothing", None),
    ("second check", "python -c pass", 10.0),
    ("one changed", "from nothing", 1.1),
)
"""A command, its baseline, and the maximum ratio at 1,000 tools if there is a goal.

The checks run as on a machine that has not built before: there is no build record before the first check.
"""


def growth(sizes: list[int], collection: Path | None) -> None:
    """Print the cost of a tool in a build from nothing. It is constant if time and memory grow linearly."""
    print(f"{'tools':>6}  {'seconds':>8} {'ms a tool':>10} {'MB':>6} {'KB a tool':>10}")
    for tools in sizes:
        with tempfile.TemporaryDirectory() as temporary:
            folder = project(Path(temporary), declared(tools, collection))
            os.environ["XDG_CACHE_HOME"] = temporary
            measured = Command((sys.executable, "-m", "toolgen", "build"), folder).run()
        each = measured.seconds / tools * 1000, measured.memory / tools * 1024
        print(f"{tools:>6}  {measured.seconds:8.1f} {each[0]:10.2f} {measured.memory:6.0f} {each[1]:10.1f}", flush=True)


def main() -> int:
    """Print a row for each goal and size. Return 1 if a goal is missed at 1,000 tools."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="1,100,1000")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--collection", type=Path)
    parser.add_argument("--growth", help="numbers of tools; what one costs in a build of each")
    options = parser.parse_args()
    if options.growth:
        growth([int(size) for size in options.growth.split(",")], options.collection)
        return 0
    missed = 0
    print(f"{'tools':>6}  {'command':14} {'ratio':>7}  {'quartiles':15} {'goal':>5} {'seconds':>8} {'MB':>5}  beside")
    for tools in map(int, options.tools.split(",")):
        with tempfile.TemporaryDirectory() as temporary:
            every = commands(Path(temporary), declared(tools, options.collection))
            rounds = [{name: command.run() for name, command in every.items()} for _ in range(options.rounds + 1)][1:]
        for name, beside, goal in GOALS:
            ratios = [r[name].seconds / r[beside].seconds for r in rounds]
            low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
            seconds = statistics.median(r[name].seconds for r in rounds)
            memory = max(r[name].memory for r in rounds)
            over = (goal is not None and middle > goal) or memory > 300
            missed += over and tools == 1000
            print(
                f"{tools:>6}  {name:14} {middle:7.2f}  {low:6.2f} - {high:6.2f} {goal or '-':>5} {seconds:8.3f} {memory:5.0f}"
                f"  {beside}{'  above' if over else ''}",
                flush=True,
            )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
