"""Where the shipped templates and schemas live: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def builtin(kind: str) -> Path:
    """Return the shipped `templates` or `schemas` folder."""
    packaged = _PACKAGE / kind
    return packaged if packaged.is_dir() else _PACKAGE.parents[1] / kind


def runtime_folder() -> Path:
    """Return the folder of the modules that a build copies into its output."""
    return _PACKAGE / "runtime"
