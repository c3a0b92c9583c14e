"""Generated modules that are the same for every project: the format's classes, and a class for each shipped profile.

They are committed in `toolgen/runtime/models.py` and `toolgen/wires`, so that they are linted and type-checked as
source, and a build copies them instead of making them. A digest of what each was made from is stored beside them: where
a project's format or profile is another one, the module is made for that project.

`python -m toolgen.regenerate` brings them up to date.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache

from toolgen.resolve import Format, Profile
from toolgen.resources import runtime_folder, wires_folder

MODELS = "models"
"""The name of the format's classes among the digests; providers have their own."""


def is_shipped(name: str, *made_of: object) -> bool:
    """Whether the committed module of a provider, or of the format, was made from these values."""
    return _digests().get(name) == digest(*made_of)


def wire_sources(profiles: Iterable[Profile], format: Format) -> tuple[object, ...]:
    """What the class of a provider is made from: its profile and those that this extends, one after the other."""
    facts = [{k: v for k, v in p.facts.items() if k not in ("session", "parameter_names", "limits")} for p in profiles]
    return (*facts, format.schema)


def digest(*made_of: object) -> str:
    """SHA-256 of values as compact JSON."""
    return hashlib.sha256(json.dumps(made_of, sort_keys=True, separators=(",", ":")).encode("utf-8")).hexdigest()


def shipped_models() -> str:
    """The committed text of `runtime/models.py`."""
    return (runtime_folder() / "models.py").read_text(encoding="utf-8")


def shipped_wire(name: str) -> str:
    """The committed text of a provider's class."""
    return (wires_folder() / f"{name}.py").read_text(encoding="utf-8")


@cache
def _digests() -> Mapping[str, str]:
    file = wires_folder() / "digests.json"
    found: Mapping[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found
