"""Empty environments, what is installed into them, and this checkout as a git repository that it is installed from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path

from tests.support.repository import ROOT
from toolgen import __version__

REPOSITORY = "git+https://github.com/example/toolgen"
"""The address of the repository in the documents."""


def run(
    *command: str | Path, cwd: Path, path: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program that sees no other packages than its environment's, and those of a folder.

    Modules are compiled when they are imported, and not when they are installed, because most never are.
    """
    unset = ("PYTHONPATH", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")
    environment = {k: v for k, v in os.environ.items() if k not in unset} | {"PIP_COMPILE": "0"}
    environment |= ({} if path is None else {"PYTHONPATH": str(path)}) | dict(env or {})
    result = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    return result


def pip(python: Path) -> tuple[str | Path, ...]:
    """Return the command of pip for an environment that needs no pip of its own."""
    return (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check")


def fresh(folder: Path, *packages: str | Path) -> Path:
    """Return the interpreter of a new environment with packages."""
    venv.create(folder)
    python = folder / "bin" / "python"
    if packages:
        run(*pip(python), "install", "-q", "--no-compile", *packages, cwd=folder)
    return python


def checkout(folder: Path) -> Path:
    """Copy the tracked files into a folder, as a git repository with a commit that has the tag of this version."""
    tracked = run("git", "ls-files", "-z", cwd=ROOT).stdout.split("\0")
    for name in tracked:
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    author = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
    for words in (
        ("init", "-q"),
        ("add", "--all"),
        (*author, "commit", "-q", "-m", "All."),
        ("tag", f"v{__version__}"),
    ):
        run("git", *words, cwd=folder)
    return folder
