"""Run every benchmark, print its output, and write it to `RESULTS.md` next to this file.

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
    (
        "felt/gateway.py",
        "The example gateway, LiteLLM's proxy, and floors",
        (),
        ("--rounds", "1", "--requests", "1000"),
    ),
    ("felt/turn.py", "A turn of a run, compared with other libraries", (), ("--rounds", "2")),
    ("building.py", "Whole commands", (), ("--tools", "1,100", "--rounds", "1")),
    ("building.py", "Large builds", ("--growth", "--rounds", "3"), ()),
    ("watching.py", "Watch and pages", (), ("--edits", "5")),
    ("breaking.py", "Comparison of a large API with its release", (), ("--rounds", "1")),
    ("growth.py", "Long streams and long conversations", (), ("--rounds", "1")),
    ("run.py", "Converters, compared with hand-written code", (), ("--rounds", "3")),
    ("floor.py", "The cost of the format and its laws, compared with hand-written code", (), ("--rounds", "3")),
    ("costs.py", "Arguments as text, objects in use, imports, first calls, memory", (), ("--rounds", "3")),
    ("running.py", "Running tools, compared with hand-written code", (), ("--rounds", "3")),
    ("representation.py", "Representations of the format", (), ()),
)
"""The programs, what each measures, its arguments, and those of a quick run, which skips programs without them."""


def shown(words: tuple[str, ...]) -> str:
    """Run a program, print its lines as they come, and return them. It may write bytecode, as in an app."""
    lines = []
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    with subprocess.Popen(
        [sys.executable, *words], cwd=HERE.parent, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
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
        "# Benchmark results\n\n`make bench` writes this page. Compare the ratios; the times depend on the machine. A row that ends in "
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
