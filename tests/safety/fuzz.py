"""Fuzzing: any source becomes a package that imports, or is refused at a place in it; any body is read or refused.

`make fuzz FUZZ_SECONDS=600` tries each target for ten minutes.
"""

from __future__ import annotations

import argparse
import ast
import random
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import chdir, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import hypothesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support import strategies
from tests.support.generated import Package, compiled, shipped_profiles, write_project
from tests.support.hostile import carried
from tests.support.repository import CONVERSING, PROFILES, recordings
from toolgen.compilation import compile_project
from toolgen.diagnostics import Findings
from toolgen.diagnostics.formatters import FORMATTERS
from toolgen.render import model_code
from toolgen.render.in_memory import InMemoryPackage

from .projects import write

TYPE = {"type": "object", "properties": {"a": {"type": "string"}}, "$defs": {"d": {"type": "integer"}}}

SLOW = 10.0
"""Seconds that no small declaration takes."""

_CLASSES: list[Any] = []


def _once(format: Any, make_classes: Callable[[Any], Any] = model_code.make_format_class_texts) -> Any:
    """The format's classes, made once: they do not depend on declarations, and take most of a small build."""
    if not _CLASSES:
        _CLASSES.append(make_classes(format))
    return _CLASSES[0]


def holds(files: Mapping[str, Any]) -> None:
    """Build sources; check that they are refused at a place, or that the output is plain, compiles and imports."""
    findings = Findings()
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(model_code, "make_format_class_texts", _once):
        write(Path(folder), {**files, "types/t.json": TYPE})
        with chdir(folder), shipped_profiles("openai_chat", "gemini"):
            built = compile_project(Path("schemas"), findings, ("openai_chat", "gemini"))
    assert time.process_time() - start < SLOW
    for form in FORMATTERS.values():
        printed = form(findings, findings.texts)
        assert all(c.isprintable() or c == "\n" for c in printed)
        assert all(len(line) < 2000 for line in printed.splitlines())
    if built is None:
        assert findings.has_errors
        assert all(
            f.span.path.startswith("schemas") and f.span.line > 0 < f.span.column
            for f in findings
            if f.level == "error"
        )
        return
    with warnings.catch_warnings(), InMemoryPackage(built.files) as imported:
        warnings.simplefilter("error")
        for path, text in built.files.items():
            if path.startswith("tools/") or path == "types.py":
                assert all(c.isprintable() or c == "\n" for c in text)
                ast.parse(text)
                imported.module(path[:-3].replace("/", ".").replace(".__init__", ""))
        tools = imported.module("tools")
        for name in tools.DEFINITIONS:
            with suppress(tools.ArgumentsError):
                tools.parse_arguments(name, "{}")


def declarations(value: Any) -> None:
    """A declaration, as JSON."""
    holds({"tools/a.json": value})


def texts_of_yaml(text: str) -> None:
    """A text that may be YAML."""
    holds({"tools/a.yaml": text})


def texts_of_json(text: str) -> None:
    """A declaration in which one character is another one."""
    holds({"tools/a.json": text})


_SAMPLE: list[Package] = []


def traffic(seed: int) -> None:
    """A recorded exchange or stream with one member spoiled, carried to every wire."""
    if not _SAMPLE:
        folder = Path(tempfile.mkdtemp())
        _SAMPLE.append(Package(compiled(write_project(folder, providers=PROFILES)), folder))
    chance = random.Random(seed)
    recording = chance.choice([(p, r) for p in CONVERSING for r in recordings(p)])
    for _ in range(20):
        carried(_SAMPLE[0], *recording, chance)


TARGETS: dict[str, tuple[Callable[[Any], None], Any]] = {
    "declarations": (declarations, strategies.DECLARATIONS),
    "yaml": (texts_of_yaml, strategies.YAML_TEXTS),
    "json": (texts_of_json, strategies.JSON_TEXTS),
    "traffic": (traffic, st.integers(0, 2**64)),
}


def run(target: str, examples: int, seed: int) -> None:
    """Try examples of a target; the smallest one that fails is raised with its value."""
    check, strategy = TARGETS[target]
    calm = settings(
        max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=False
    )
    hypothesis.seed(seed)(calm(given(strategy)(check)))()


def main() -> None:
    """Fuzz each target for some seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each target")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--target", choices=TARGETS, action="append")
    given_ = parser.parse_args()
    print(f"seed {given_.seed}", flush=True)
    for target in given_.target or TARGETS:
        end, seed, rounds = time.monotonic() + given_.seconds, given_.seed, 0
        while time.monotonic() < end:
            run(target, 50, seed)
            seed, rounds = seed + 1, rounds + 1
        print(f"{target}: {rounds * 50} examples, nothing found", flush=True)


if __name__ == "__main__":
    main()
