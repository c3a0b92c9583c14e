"""Run every benchmark, print what it prints, and write it down in `RESULTS.md` beside this file.

  python benchmarks/results.py [--quick]

`--quick` takes few rounds and writes nothing.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent

PROGRAMS: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("run.py", "Converters, beside the same by hand", (), ("--rounds", "3")),
    ("floor.py", "What the format and its laws cost by themselves, beside all of it by hand", (), ("--rounds", "3")),
    ("costs.py", "Texts of arguments, objects in use, imports, first calls, memory", (), ("--rounds", "3")),
    ("running.py", "Running tools, beside the same by hand", (), ("--rounds", "3")),
    ("building.py", "Whole commands", (), ("--tools", "1,100", "--rounds", "1")),
    ("building.py", "What a tool costs in a build of many", ("--growth", "1000,3000,10000"), ()),
    ("representation.py", "Ways to hold the format", (), ()),
)
"""Programs with what each measures, their arguments, and those of a quick run; one without them is left out of that."""


def shown(words: tuple[str, ...]) -> str:
    """Run a program, print its lines as they come, and return them."""
    lines = []
    with subprocess.Popen([sys.executable, *words], cwd=HERE.parent, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip())
    if process.returncode not in (0, 1):
        raise SystemExit(process.returncode)
    return "\n".join(lines)


def main() -> None:
    """Run all, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    parts = [
        "# Results\n\nWritten by `make bench`. Ratios within a run compare; times of two machines do not. A row that ends in "
        "`above` misses its goal.\n",
        f"{datetime.now(UTC):%Y-%m-%d}, {platform.python_implementation()} {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors.\n",
    ]
    for program, title, words, fewer in PROGRAMS:
        if quick and not fewer and words:
            continue
        print(f"\n{title}", flush=True)
        text = shown((str(HERE / program), *(fewer if quick else words)))
        parts.append(f"## {title}\n\n`benchmarks/{' '.join((program, *words))}`\n\n```text\n{text}\n```\n")
    if not quick:
        (HERE / "RESULTS.md").write_text("\n".join(parts), "utf-8")


if __name__ == "__main__":
    main()
