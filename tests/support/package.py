"""A generated package of tools in a folder, with a stand-in for what other parts generate."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import toolgen
from tests.support.sources import linked
from toolgen.render.layout import laid_out
from toolgen.render.tools import tool_modules

RUNTIME = Path(toolgen.__file__).parent / "runtime"

MODULES = (
    "__init__.py",
    "arguments.py",
    "checks.py",
    "definitions.py",
    "fields.py",
    "strict_json.py",
    "tool_entries.py",
)
"""What modules of tools import at run time."""


def write_package(files: Mapping[str, Any], folder: Path) -> Path:
    """Build the files of SCHEMAS into a package `generated` below a folder."""
    return write_texts(tool_modules(*linked(files)), folder)


def write_texts(texts: Mapping[str, str], folder: Path) -> Path:
    """Write generated texts with the runtime modules that tools import."""
    package = folder / "generated"
    (package / "tools").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "py.typed").write_text("")
    shutil.copy(Path(__file__).parent / "models.py", package / "models.py")
    (package / "runtime").mkdir()
    for module in MODULES:
        text = laid_out(module, (RUNTIME / module).read_text("utf-8"))
        (package / "runtime" / module).write_text(text, encoding="utf-8")
    for path, text in texts.items():
        (package / path).write_text(text, encoding="utf-8")
    return package
