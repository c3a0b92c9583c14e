"""Where things are in this repository, and which providers it has.

A profile that `extends` another one and states only what differs shares that one's code. It has a table (what differs,
too) and is held against it and against the recordings that its host answered; it has no wire module. What tests the
shared code, and is slow or grows with the number of providers, runs for `OWN_CODE` alone.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from toolgen.resolve.profiles import apply_merge_patch

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "schemas"
PROFILES = sorted(p.stem for p in (SCHEMAS / "providers").glob("*.yaml"))
TRAFFIC = ROOT / "tests" / "traffic"
PROVIDERS = ROOT / "tests" / "providers"


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _read(file: Path) -> dict[str, Any]:
    facts: dict[str, Any] = yaml.load(file.read_text("utf-8"), _LOADER) if file.exists() else {}
    return facts


def _whole(folder: Path, name: str) -> dict[str, Any]:
    facts = _read(folder / f"{name}.yaml")
    parent = facts.pop("extends", None)
    return facts if parent is None else dict(apply_merge_patch(_whole(folder, parent), facts))


@cache
def profile(name: str) -> dict[str, Any]:
    """A profile with what it extends merged in."""
    return _whole(SCHEMAS / "providers", name)


@cache
def extended(name: str) -> str | None:
    """The profile that a profile extends."""
    return _read(SCHEMAS / "providers" / f"{name}.yaml").get("extends")


@cache
def table(name: str) -> dict[str, Any]:
    """The table of a provider with what it extends merged in; empty where it is missing, which `test_coverage.py` tells."""
    return _whole(PROVIDERS / "tables", name) or {"tool_choice": [], "results": {}}


def converses(name: str) -> bool:
    """Whether a wire carries conversations: its profile has a shape for requests."""
    return any(shape.get("type") == "Request" for shape in profile(name).get("shapes", {}).values())


TEXTS = [name for name in PROFILES if converses(name) and not profile(name)["finish_reasons"]]
"""The wires of plain texts: there is no API, no client and no reason why an answer ended. They have tests of their own."""

CONVERSING = [name for name in PROFILES if converses(name) and name not in TEXTS]
"""The wires with requests and answers of an API."""

MESSAGING = [
    name
    for name in PROFILES
    if not converses(name)
    and any(shape.get("type") == "UserMessage" for shape in profile(name).get("shapes", {}).values())
]
"""The wires with messages that no request holds."""

SINGLE = [name for name in PROFILES if not converses(name) and name not in MESSAGING]
"""The wires with tools, calls and results alone."""

OWN_CODE = [name for name in CONVERSING if (PROVIDERS / "wires" / f"{name}.py").is_file()]
"""The wires with conversations that share no other one's code: those with a wire module."""


def having(section: str, names: list[str] = OWN_CODE) -> list[str]:
    """Those of the wires whose profile has a section: `sdk` for an official client, `stream`, `errors`, `usage`."""
    return [name for name in names if section in profile(name)]


@cache
def recordings(name: str) -> tuple[dict[str, Any], ...]:
    """The recorded and composed exchanges of a profile: its own, and where it shares another one's code, those that its host answered."""
    files = [file for kind in ("recorded", "composed") if (file := TRAFFIC / kind / f"{name}.jsonl").exists()]
    own = tuple(json.loads(line) for file in files for line in file.read_text("utf-8").splitlines())
    parent = None if name in OWN_CODE else extended(name)
    shared = recordings(parent) if parent is not None else ()
    return (*own, *(recording for recording in shared if recording["provider"] == name))


UNSAID = "$absent"
"""Stands in tables for a choice that is said by leaving it out."""


def names_tools(provider: str) -> bool:
    """Whether a choice can name a tool."""
    return any(
        type(choice) is dict and "name" in choice and wire is not None
        for choice, wire in table(provider)["tool_choice"]
    )


def spelled(provider: str, identifier: str) -> str:
    """An id as the table has it on this wire; most wires take it as it is."""
    return str(table(provider)["ids"].get("spelled", {}).get(identifier, identifier))
