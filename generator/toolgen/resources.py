"""Where the shipped templates and schemas live: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def builtin(kind: str) -> Path:
    """Return the shipped `templates` or `schemas` folder."""
    packaged = _PACKAGE / kind
    return packaged if packaged.is_dir() else _PACKAGE.parents[1] / kind


def runtime_folder() -> Path:
    """Return the folder of the modules that a build copies into its output."""
    return _PACKAGE / "runtime"


@cache
def provider_templates() -> frozenset[str]:
    """Return the providers that have a template of their own."""
    folder = builtin("templates") / "providers"
    return frozenset(p.name.split(".")[0] for p in folder.glob("[a-z]*.py.jinja"))
