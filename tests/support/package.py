"""A generated package of tools in a folder, with the format's types."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.repository import ROOT
from tests.support.sources import linked
from toolgen.render.tools import tool_modules

GENERATED = ROOT / "generated"

ISOLATED = ("-I", "-W", "error")
"""Options of an interpreter that sees only what it is given, and whose warnings are errors."""

BESIDE = "import sys; sys.path.insert(0, '.')\n"
"""The beginning of code that runs in the folder of a package."""


def write_package(files: Mapping[str, Any], folder: Path) -> Path:
    """Build the files of SCHEMAS as a package `generated` below a folder."""
    return write_texts(tool_modules(*linked(files)), folder)


def write_texts(texts: Mapping[str, str], folder: Path) -> Path:
    """Write generated texts beside the modules that are the same for all tools."""
    package = folder / "generated"
    (package / "tools").mkdir(parents=True)
    for name in ("__init__.py", "models.py", "py.typed"):
        shutil.copy(GENERATED / name, package / name)
    for path, text in texts.items():
        (package / path).parent.mkdir(parents=True, exist_ok=True)
        (package / path).write_text(text, encoding="utf-8")
    return package


def printed(folder: Path, code: str) -> list[Any]:
    """Return the JSON value of each line that code prints when it runs in the folder of a package."""
    done = subprocess.run(
        [sys.executable, *ISOLATED, "-c", BESIDE + code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]
