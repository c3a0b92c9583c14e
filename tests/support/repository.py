"""Where things are in this repository, and which providers it has."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "schemas"
PROFILES = sorted(p.stem for p in (SCHEMAS / "providers").glob("*.yaml"))
TRAFFIC = ROOT / "tests" / "traffic"


@cache
def profile(name: str) -> dict[str, Any]:
    """A profile as it is written."""
    facts: dict[str, Any] = yaml.safe_load((SCHEMAS / "providers" / f"{name}.yaml").read_text("utf-8"))
    return facts


@cache
def recordings(name: str) -> tuple[dict[str, Any], ...]:
    """The recordings of a profile; none where there is no file."""
    file = TRAFFIC / f"{name}.jsonl"
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return tuple(json.loads(line) for line in lines)
