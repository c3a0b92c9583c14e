"""Breaks a generated package in one place, to show that a check sees it.

A mutation replaces a text that stands exactly once in one file of the package; where the text is gone or stands twice,
the test fails, for then it would show nothing.
"""

from __future__ import annotations

import compileall
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


def _link_beside(file: Path, source: Path, target: Path) -> None:
    """Make a folder with links to all that is in another one, but for a file below it and what was compiled of this."""
    target.mkdir()
    first = file.parts[0]
    for entry in source.iterdir():
        if entry.name == first and entry.is_dir():
            _link_beside(file.relative_to(first), entry, target / first)
        elif entry.name == "__pycache__" and len(file.parts) == 1:
            (target / entry.name).mkdir()
            for compiled in entry.iterdir():
                if not compiled.name.startswith(f"{file.stem}."):
                    (target / entry.name / compiled.name).symlink_to(compiled)
        elif entry.name != first:
            (target / entry.name).symlink_to(entry)


@cache
def _pass(check: Check, package: Package) -> None:
    """Run a check that must pass; several mutations may have the same one."""
    check(package)


@cache
def _compile(folder: Path) -> None:
    """Compile all modules once, also where Python is told to write no bytecode."""
    compileall.compile_dir(folder, quiet=2)


def broken(package: Package, mutation: Mutation, folder: Path) -> Package:
    """The package with the mutation below a folder. All other files are links, and stay compiled."""
    text = package.files[mutation.file]
    assert text.count(mutation.old) == 1, f"{mutation.file}: {mutation.old!r} stands {text.count(mutation.old)} times"
    _compile(package.folder)
    made = Package({}, folder)
    _link_beside(Path(mutation.file), package.folder, made.folder)
    (made.folder / mutation.file).write_text(text.replace(mutation.old, mutation.new), "utf-8")
    made.files = {**package.files, mutation.file: text.replace(mutation.old, mutation.new)}
    return made
