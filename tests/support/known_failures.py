"""Tests that are known to fail: listed in `tests/known_failures/*.yaml`, expected to fail, strictly.

A listed test that passes fails the run, for the entry is out of date; so does an entry that matches no test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml

FOLDER = Path(__file__).parents[1] / "known_failures"


@dataclass(frozen=True)
class Entry:
    """An id pattern as `fnmatch` reads it, and why its tests fail."""

    test: str
    reason: str
    file: str

    def matches(self, nodeid: str) -> bool:
        """Whether the pattern is the id; brackets stand for themselves."""
        return fnmatchcase(nodeid.split("tests/", 1)[-1], self.test.replace("[", "[[]"))


def entries(folder: Path = FOLDER) -> list[Entry]:
    """The entries of all files, sorted by file."""
    found = []
    for file in sorted(folder.glob("*.yaml")):
        for row in yaml.safe_load(file.read_text("utf-8")) or []:
            if set(row) != {"test", "reason"} or not all(isinstance(v, str) and v for v in row.values()):
                raise pytest.UsageError(f"{file.name}: an entry has `test` and `reason`, found {row}")
            found.append(Entry(row["test"], row["reason"], file.name))
    return found


def mark(items: Sequence[pytest.Item], *, whole: bool, folder: Path = FOLDER) -> None:
    """Mark the listed tests; an entry without a test is an error where the whole suite was collected."""
    for entry in entries(folder):
        listed = [item for item in items if entry.matches(item.nodeid)]
        if whole and not listed:
            raise pytest.UsageError(f"{entry.file}: no test is called {entry.test}; take the entry out")
        for item in listed:
            item.add_marker(pytest.mark.xfail(reason=entry.reason, strict=True))
