"""The folders that toolgen ships: templates and schemas (beside the package in a checkout), runtime and wires."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

_ALL = re.compile(r"^__all__ = (\[[^\]]*\])", re.MULTILINE)
_PACKAGE = Path(__file__).resolve().parent


def shipped_folder(kind: str) -> Path:
    """Return the shipped `templates` or `schemas` folder."""
    packaged = _PACKAGE / kind
    return packaged if packaged.is_dir() else _PACKAGE.parents[1] / kind


def runtime_folder() -> Path:
    """Return the folder of the modules that a build copies into its output."""
    return _PACKAGE / "runtime"


def wires_folder() -> Path:
    """Return the folder of the modules made from the shipped profiles."""
    return _PACKAGE / "wires"


@cache
def modules_by_exported_name() -> Mapping[str, str]:
    """Return the modules below `runtime` by the names that they export."""
    found: dict[str, str] = {}
    root = runtime_folder()
    for path in sorted(root.rglob("*.py")):
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        # The text of `__all__` is found by a pattern, because parsing whole modules takes long.
        names = None if module == "models" else _ALL.search(path.read_text(encoding="utf-8"))
        for name in ast.literal_eval(names[1]) if names is not None else ():
            if name in found:
                raise ValueError(f"runtime.{found[name]} and runtime.{module} both export {name}")
            found[name] = module
    return found


def exported_by_runtime(name: str) -> Any:
    """Return what a module below `runtime` exports under a name; None if none does."""
    module = modules_by_exported_name().get(name)
    return getattr(import_module(f"toolgen.runtime.{module}"), name) if module else None
