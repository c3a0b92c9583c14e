"""One generated package for all tests of the runtime, built by toolgen's own stages."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from toolgen.diagnostics import Findings
from toolgen.pipeline import read_project, render_project

TOOL = """
name: get_weather
description: Current weather for a city.
parameters:
  type: object
  properties:
    city: {type: string}
  required: [city]
"""


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """The modules `models` and `gemini` of a package, and its import name."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "schemas" / "tools").mkdir(parents=True)
    (folder / "schemas" / "tools" / "get_weather.yaml").write_text(TOOL, encoding="utf-8")
    findings = Findings()
    project = read_project(folder / "schemas", findings, ("gemini",))
    assert project is not None, list(findings)
    files = render_project(project, findings)
    assert files is not None, list(findings)
    name = "gemini_under_test"
    for path, text in files.items():
        target = folder / name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    yield _imported(folder, name)
    for module in [m for m in sys.modules if m.split(".")[0] == name]:
        del sys.modules[module]


def _imported(folder: Path, name: str) -> SimpleNamespace:
    sys.path.insert(0, str(folder))
    try:
        return SimpleNamespace(
            name=name,
            models=importlib.import_module(f"{name}.models"),
            gemini=importlib.import_module(f"{name}.providers.gemini"),
            module=lambda path: importlib.import_module(f"{name}.runtime.{path}"),
        )
    finally:
        sys.path.remove(str(folder))
