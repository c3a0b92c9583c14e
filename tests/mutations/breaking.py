"""Breaks a generated package in one place, to show that a check sees it.

A mutation replaces a text that stands exactly once in one file of the package; where the text is gone or stands twice,
the test fails, for then it would show nothing.
"""

from __future__ import annotations

import compileall
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.support.generated import Package

Check = Callable[[Package], None]


@dataclass(frozen=True)
class Mutation:
    """What is broken, where, and the check that must fail then."""

    name: str
    check: Check
    file: str
    old: str
    new: str


def assert_caught(mutation: Mutation, package: Package, folder: Path, *errors: type[Exception]) -> None:
    """The check passes for the package; for the broken one it fails, or ends with one of the errors."""
    _pass(mutation.check, package)
    mutant = broken(package, mutation, folder)  # outside of `raises`: a text that is gone is no catch
    with pytest.raises((AssertionError, pytest.fail.Exception, *errors)):
        mutation.check(mutant)


@cache
def _pass(check: Check, package: Package) -> None:
    """Run a check that must pass; several mutations may have the same one."""
    check(package)


@cache
def _compile(folder: Path) -> None:
    """Compile all modules once, also where Python is told to write no bytecode."""
    compileall.compile_dir(folder, quiet=2)


def broken(package: Package, mutation: Mutation, folder: Path) -> Package:
    """The package with the mutation below a folder. All other files are the same on disk, and stay compiled."""
    text = package.files[mutation.file]
    assert text.count(mutation.old) == 1, f"{mutation.file}: {mutation.old!r} stands {text.count(mutation.old)} times"
    _compile(package.folder)
    made = Package({}, folder)
    shutil.copytree(package.folder, made.folder, copy_function=os.link, ignore=shutil.ignore_patterns("*.pyc.*"))
    file = made.folder / mutation.file
    for old in (file, *(file.parent / "__pycache__").glob(f"{file.stem}.*")):
        old.unlink(missing_ok=True)
    file.write_text(text.replace(mutation.old, mutation.new), "utf-8")
    made.files = {**package.files, mutation.file: text.replace(mutation.old, mutation.new)}
    return made
