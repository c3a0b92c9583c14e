"""A generated package of tools in a folder, with a stand-in for what other parts generate."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import toolgen
from toolgen.render.layout import laid_out
from toolgen.render.tools import tool_modules

from tests.support.sources import linked

RUNTIME = Path(toolgen.__file__).parent / "runtime"


def write_package(files: Mapping[str, Any], folder: Path) -> Path:
    """Build the files of SCHEMAS into a package `generated` below a folder."""
    return write_texts(tool_modules(*linked(files)), folder)


def write_texts(texts: Mapping[str, str], folder: Path) -> Path:
    """Write generated texts with the runtime modules that they import."""
    package = folder / "generated"
    (package / "tools").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "py.typed").write_text("")
    shutil.copy(Path(__file__).parent / "models.py", package / "models.py")
    (package / "runtime").mkdir()
    for module in RUNTIME.glob("*.py"):
        text = laid_out(module.name, module.read_text("utf-8"))
        (package / "runtime" / module.name).write_text(text, encoding="utf-8")
    for path, text in texts.items():
        (package / path).write_text(text, encoding="utf-8")
    return package


def load_tools(package: Path, name: str) -> ModuleType:
    """Import `<name>.tools` of a written package, under a name that no other test uses."""
    target = package.parent / name
    package.rename(target)
    sys.path.insert(0, str(target.parent))
    try:
        return importlib.import_module(f"{name}.tools")
    finally:
        sys.path.remove(str(target.parent))
