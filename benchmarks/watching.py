"""What `toolgen watch` and `toolgen docs` cost. Linux only.

  python benchmarks/watching.py [--tools N] [--edits N] [--collection FOLDER]

An edit is measured on the clock, from the saved source to the written lock file; a waiting `watch` by the share of a
processor that it uses. The pages are compared with a build from nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from building import Command, declared, project
from table import Result, limited, printed

EDIT = 0.8
"""The most seconds from a saved source to the result."""

WAITING, DOCS = 0.02, 1.5
"""The most that a waiting `watch` may use of a processor, and that the pages may cost, a build = 1."""


def wait_for(condition: Callable[[], bool], seconds: float = 120, pause: float = 0.005) -> None:
    """Wait until a condition holds.

    Raises:
        TimeoutError: It does not hold in time.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(pause)


def differs(path: Path, before: bytes) -> bool:
    """Return whether a file has other content than before. A build replaces it, so it may be missing for a moment."""
    return path.exists() and path.read_bytes() != before


def has_built(log: Path, builds: int) -> bool:
    """Return whether `watch` has reported this number of builds."""
    return log.read_text().count("watching schemas; ") == builds


def processor_seconds(process: subprocess.Popen[bytes]) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def toolgen(*words: str) -> tuple[str, ...]:
    """Return a command line of toolgen."""
    return (sys.executable, "-m", "toolgen", *words)


def watched(folder: Path, edits: int) -> tuple[list[float], float]:
    """Return the seconds of each edit under `watch`, and the share of a processor that it uses while it waits."""
    lock, log = folder / "generated/toolgen.lock", folder / "log"
    sources = sorted((folder / "schemas/tools").iterdir())
    seconds = []
    with (
        log.open("w") as output,
        subprocess.Popen(toolgen("watch"), cwd=folder, stdout=output, stderr=output) as process,
    ):
        wait_for(partial(has_built, log, 1))
        time.sleep(1)
        idle = processor_seconds(process)
        time.sleep(5)
        idle = (processor_seconds(process) - idle) / 5
        for n in range(edits):
            source = sources[n * 17 % len(sources)]
            text = json.dumps({**json.loads(source.read_text()), "description": f"Number {n}."}, indent=2)
            before = lock.read_bytes()
            began = time.perf_counter()
            source.write_text(text)
            wait_for(partial(differs, lock, before))
            seconds.append(time.perf_counter() - began)
            wait_for(partial(has_built, log, n + 2))
        process.kill()
    return seconds, idle


def results(tools: int, edits: int, collection: Path | None) -> Iterator[Result]:
    """Yield the rows."""
    with tempfile.TemporaryDirectory() as name:
        folder = project(Path(name), declared(tools, collection))
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        build, docs = (
            Command(toolgen(*words), folder).run().seconds for words in (("build",), ("docs", "--out", "pages"))
        )
        seconds, idle = watched(folder, edits)
    yield limited(f"watch, one of {tools}, median", EDIT, [statistics.median(seconds)])
    last = statistics.quantiles(seconds, n=20)[-1]
    yield Result(f"watch, one of {tools}, 95th of a hundred", "the goal", None, [last], [EDIT], "s")
    yield Result(f"watch, waiting for one of {tools}", "a processor", WAITING, [idle], [1.0], "s")
    yield Result(f"docs of {tools}", "a build", DOCS, [docs], [build], "s")


def main() -> int:
    """Print a row for each case. Return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=int, default=100)
    parser.add_argument("--edits", type=int, default=50)
    parser.add_argument("--collection", type=Path)
    options = parser.parse_args()
    return printed(results(options.tools, options.edits, options.collection))


if __name__ == "__main__":
    sys.exit(main())
