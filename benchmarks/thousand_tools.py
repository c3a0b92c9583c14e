"""What a thousand tools cost in `toolgen watch` and `toolgen docs`, compared with a build from nothing. Linux only.

  python benchmarks/thousand_tools.py [--tools N] [--edits N]

An edit is measured on the clock, from the saved source to the written lock file; a waiting `watch` in processor time.
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
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from building import Command, declared, project

GOALS = {"edit, median": 0.15, "edit, 95th percentile": 0.15, "watch, waiting": 0.02, "docs": 1.5}


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


def clock(folder: Path, *words: str) -> float:
    """Return the seconds that a command takes."""
    began = time.perf_counter()
    subprocess.run(toolgen(*words), cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - began


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


def main() -> int:
    """Print one row for each case; return 1 if a figure is above its goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=int, default=1000)
    parser.add_argument("--edits", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = project(Path(name), declared(options.tools, None))
        (folder / "schemas/toolgen.yaml").write_text("providers: [openai_responses, openai_chat, anthropic, gemini]\n")
        whole = [clock(folder, "build", "--out", "before")]
        build, docs = (
            Command(toolgen(*words), folder).run().seconds for words in (("build",), ("docs", "--out", "pages"))
        )
        seconds, idle = watched(folder, options.edits)
        whole.append(clock(folder, "build", "--out", "after"))
    ratios = {
        "edit, median": statistics.median(seconds) / statistics.mean(whole),
        "edit, 95th percentile": statistics.quantiles(seconds, n=20)[-1] / statistics.mean(whole),
        "watch, waiting": idle,
        "docs": docs / build,
    }
    print(f"{'case':24} {'ratio':>7} {'goal':>6}")
    for case, ratio in ratios.items():
        print(f"{case:24} {ratio:7.3f} {GOALS[case]:6}{'' if ratio <= GOALS[case] else '  above'}")
    return int(any(ratio > GOALS[case] for case, ratio in ratios.items()))


if __name__ == "__main__":
    sys.exit(main())
