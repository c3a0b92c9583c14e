"""Fuzzing: any source becomes a package that imports, or is refused at a place in it; any body is read or refused.

`make fuzz FUZZ_SECONDS=600` tries each target for ten minutes.
"""

from __future__ import annotations

import argparse
import ast
import copy
import dataclasses
import json
import random
import re
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

from tests.providers.hostile import carried, spoiled
from tests.support import strategies
from tests.support.generated import Package, compiled, shipped_profiles, write_project
from tests.support.places import at, ways
from tests.support.repository import CONVERSING, PROFILES, recordings
from toolgen.compilation import compile_project
from toolgen.diagnostics import Findings
from toolgen.diagnostics.formatters import FORMATTERS
from toolgen.plan import object_mappings
from toolgen.render import model_code, wire_modules
from toolgen.render.in_memory import InMemoryPackage

from .projects import write

TYPE = {"type": "object", "properties": {"a": {"type": "string"}}, "$defs": {"d": {"type": "integer"}}}

SLOW = 10.0
"""Seconds that no small declaration takes."""

_CLASSES: list[Any] = []


def _once(format: Any, made: Callable[[Any], Any] = model_code.make_format_class_texts) -> Any:
    """The format's classes, made once: they do not depend on declarations, and take most of a small build."""
    if not _CLASSES:
        _CLASSES.append(made(format))
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


_TWO: list[Package] = []


def two_paths() -> list[Package]:
    """The package as it is, and as it would be without readers and writers for regular objects: all go the general way."""
    if not _TWO:
        folder = Path(tempfile.mkdtemp())
        schemas = write_project(folder, providers=PROFILES, runtime="copied")
        _TWO.append(Package(compiled(schemas), folder))
        with (
            mock.patch.object(object_mappings._Planner, "_plain", return_value=None),
            mock.patch.object(object_mappings._Planner, "_least", return_value={}),
            mock.patch.object(wire_modules, "_is_shipped", return_value=False),
        ):
            files = compiled(schemas)
        classes = [text for path, text in files.items() if path.endswith("_wire.py")]
        assert len(classes) == len(PROFILES)
        for fast in (
            "make_call_from_json_if_regular",
            "make_pending_call_from_json_if_regular",
            "make_pending_call_if_regular",
            "make_call_if_regular",
            "is_regular_call",
        ):
            assert fast not in "".join(classes)
        _TWO.append(Package(files, folder))
        texts, fields = (_TWO[1].module(f"runtime.{name}") for name in ("json_text", "tool_call_fields"))
        fields.loads_checking_compact = lambda text: (texts.loads(text), texts.is_compact(text, texts.loads(text)))
    return _TWO


def paths(seed: int) -> None:
    """A recorded exchange with one member spoiled, on both paths: the same values, bodies, errors and losses."""
    fast, general = two_paths()
    chance = random.Random(seed)
    for _ in range(10):
        provider = chance.choice(CONVERSING)
        recording = renamed(chance.choice(recordings(provider)), chance)
        target, drawn = chance.choice(CONVERSING), chance.random()
        for kind in ("request", "response"):
            body = recording[kind]
            if isinstance(body, dict):
                body = spoiled(body, chance) if drawn < 0.8 else body
                body = respelled(body, chance) if chance.random() < 0.3 else body
                both = [outcomes(one, kind, provider, target, copy.deepcopy(body)) for one in (fast, general)]
                assert both[0] == both[1], (provider, target, body)


def renamed(recording: Any, chance: random.Random) -> Any:
    """A recording in which now and then a name is that of a declared tool, as it stands on a wire."""
    if chance.random() < 0.6:
        return recording
    text = json.dumps(recording)
    names = sorted(set(re.findall(r'"name": "([A-Za-z0-9_-]+)"', text)))
    if names:
        tool = chance.choice(["get_weather", "place_order", "orders-place", "orders_place", "now"])
        text = text.replace(f'"name": "{chance.choice(names)}"', f'"name": "{tool}"')
    return json.loads(text)


VALUES = (
    "1.0",
    "1e1",
    "-0",
    "1E400",
    "NaN",
    "9007199254740993.0",
    '"\\u00e9"',
    '"\\ud800"',
    '"\ud800"',
    "[" * 300 + "]" * 300,
)
"""Spellings of a value in a text of JSON."""


def respelled(body: Any, chance: random.Random) -> Any:
    """A body in which a text of arguments is spelled otherwise, or is no longer strict JSON."""
    body = copy.deepcopy(body)
    places = [way for way in ways(body) if str(at(body, way)).startswith("{") and type(at(body, way)) is str]
    if not places:
        return body
    *outer, key = chance.choice(places)
    holder = at(body, outer)
    text = holder[key]
    value = chance.choice(VALUES)
    holder[key] = chance.choice(
        [
            text.replace(":", ": "),
            text.replace('":', '" :', 1),
            text.replace(",", ", ", 1),
            f'{{"a":{value},{text[1:]}',
            f'{{"a":1,"a":{value}}}',
            f'{{"a":{{"b":{value}}}}}',
            f'{{"a": {value}}}',
            f" {text}",
            f"{text} ",
            f"{text}{text}",
        ]
    )
    return body


def outcomes(sample: Package, kind: str, provider: str, target: str, body: Any) -> list[str]:
    """What comes of reading a body and writing it for its own provider and another one, each as text."""
    models, outcome = sample.module("models"), []
    found: list[Any] = []

    def attempt(function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
        losses: list[Any] = []
        options = {"on_loss": losses.append, "on_unsupported": "weaken"} if keywords else {}
        try:
            value = function(*args, **options)
        except models.ConversionError as error:
            outcome.append(f"{type(error).__name__}: {error}")
            return None
        outcome.append(repr((in_one_order(models.dump(value)) if dataclasses.is_dataclass(value) else value, losses)))
        return value

    found.append(attempt(getattr(sample.provider(provider), f"from_{kind}"), body))
    for name in (provider, target):
        if found[0] is not None:
            attempt(getattr(sample.provider(name), f"to_{kind}"), found[0], lossy=True)
    return outcome


def in_one_order(value: Any, metadata: bool = False) -> Any:
    """A dumped value in which the keys of metadata, whose order means nothing, are sorted. Other keys keep their order."""
    if isinstance(value, list):
        return [in_one_order(item, metadata) for item in value]
    if not isinstance(value, dict):
        return value
    keys = sorted(value) if metadata else value
    return {key: in_one_order(value[key], metadata or key == "metadata") for key in keys}


TARGETS: dict[str, tuple[Callable[[Any], None], Any]] = {
    "declarations": (declarations, strategies.DECLARATIONS),
    "yaml": (texts_of_yaml, strategies.YAML_TEXTS),
    "json": (texts_of_json, strategies.JSON_TEXTS),
    "traffic": (traffic, st.integers(0, 2**64)),
    "paths": (paths, st.integers(0, 2**64)),
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
