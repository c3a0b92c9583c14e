"""The folders of this repository, and its providers.

A profile that `extends` another one and only states differences shares the code of that one. It has a table (with only
the differences, too), which is tested together with the recordings of its host, and no wire module. Tests of the shared
code that are slow, or grow with the number of providers, run only for `OWN_CODE`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from toolgen.resolve.profiles import merge_profile, with_models_of

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
    facts = with_models_of(
        _read(folder / f"{name}.yaml"), lambda other: _read(folder / f"{other}.yaml").get("models", ())
    )
    parent = facts.pop("extends", None)
    return facts if parent is None else dict(merge_profile(_whole(folder, parent), facts))


@cache
def profile(name: str) -> dict[str, Any]:
    """Return a profile, merged with the one that it extends."""
    return _whole(SCHEMAS / "providers", name)


@cache
def extended(name: str) -> str | None:
    """Return the name of the profile that a profile extends."""
    return _read(SCHEMAS / "providers" / f"{name}.yaml").get("extends")


@cache
def table(name: str) -> dict[str, Any]:
    """Return the table of a provider, merged with its parent's; empty if missing, which `test_coverage.py` reports."""
    return _whole(PROVIDERS / "tables", name) or {"tool_choice": [], "results": {}}


def converses(name: str) -> bool:
    """Return whether a wire has conversations: its profile has a mapping for requests."""
    return any(mapping.get("type") == "Request" for mapping in profile(name).get("mappings", {}).values())


TEXTS = [name for name in PROFILES if converses(name) and not profile(name)["finish_reasons"]]
"""The wires of plain texts: they have no API, no client and no stop reason. They have tests of their own."""

CONVERSING = [name for name in PROFILES if converses(name) and name not in TEXTS]
"""The wires with requests and responses of an API."""

MESSAGING = [
    name
    for name in PROFILES
    if not converses(name)
    and any(mapping.get("type") == "UserMessage" for mapping in profile(name).get("mappings", {}).values())
]
"""The wires with messages, but without requests that contain them."""

SINGLE = [name for name in PROFILES if not converses(name) and name not in MESSAGING]
"""The wires with only tools, calls and results."""

OWN_CODE = [name for name in CONVERSING if (Path(__file__).with_name("wires") / f"{name}.py").is_file()]
"""The wires with conversations and code of their own, and so with a wire module."""


def hosts_of(name: str) -> list[str]:
    """Return the profiles that extend a profile and have no code of their own."""
    return [host for host in PROFILES if host not in OWN_CODE and extended(host) == name]


def having(section: str, names: list[str] = OWN_CODE) -> list[str]:
    """Return the wires whose profile has a section: `sdk` for an official client, `stream`, `errors`, `usage`."""
    return [name for name in names if section in profile(name)]


@cache
def recordings(name: str) -> tuple[dict[str, Any], ...]:
    """Return the recorded and composed exchanges of a profile; for a host, also those among its parent's recordings."""
    files = [file for kind in ("recorded", "composed") if (file := TRAFFIC / kind / f"{name}.jsonl").exists()]
    own = tuple(json.loads(line) for file in files for line in file.read_text("utf-8").splitlines())
    parent = None if name in OWN_CODE else extended(name)
    shared = recordings(parent) if parent is not None else ()
    return (*own, *(recording for recording in shared if recording["provider"] == name))


UNSAID = "$absent"
"""Marks a tool choice in a table that is expressed by leaving the key out."""


def names_tools(provider: str) -> bool:
    """Return whether a tool choice can name a tool."""
    return any(
        type(choice) is dict and "name" in choice and wire is not None
        for choice, wire in table(provider)["tool_choice"]
    )


def spelled(provider: str, identifier: str) -> str:
    """Return an id as the table has it on this wire. Most wires accept it unchanged."""
    return str(table(provider)["ids"].get("spelled", {}).get(identifier, identifier))
