"""A package for Gemini with one tool, built by toolgen's own stages."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

from toolgen.diagnostics import Findings
from toolgen.pipeline import check_project, render_project

TOOL = """
name: get_weather
description: Current weather for a city.
parameters:
  type: object
  properties:
    city: {type: string}
  required: [city]
"""


def build(folder: Path, name: str, sources: Mapping[str, str]) -> SimpleNamespace:
    """Build sources into a package called `name` and import its modules `models` and `gemini`."""
    for path, text in {"tools/get_weather.yaml": TOOL, **sources}.items():
        target = folder / "schemas" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    findings = Findings()
    project = check_project(folder / "schemas", findings, ("gemini",))
    assert project is not None, list(findings)
    built = render_project(project, findings)
    assert built is not None, list(findings)
    for path, text in built.files.items():
        target = folder / name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        return SimpleNamespace(
            models=importlib.import_module(f"{name}.models"),
            gemini=importlib.import_module(f"{name}.providers.gemini"),
        )
    finally:
        sys.path.remove(str(folder))
