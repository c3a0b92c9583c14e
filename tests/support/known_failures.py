"""Known failures: tests that `tests/known_failures/*.yaml` lists and that must fail.

A listed test that passes fails the run, because the entry is out of date. So does an entry that matches no test.
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
    """A pattern for test ids, as `fnmatch` reads it, and the reason why the tests fail."""

    test: str
    reason: str
    file: str

    def matches(self, nodeid: str) -> bool:
        """Return whether the pattern matches an id. Brackets are literal."""
        return fnmatchcase(nodeid.split("tests/", 1)[-1], self.test.replace("[", "[[]"))


def entries(folder: Path = FOLDER) -> list[Entry]:
    """Return the entries of all files, sorted by file."""
    rows = []
    for file in sorted(folder.glob("*.yaml")):
        for row in yaml.safe_load(file.read_text("utf-8")) or []:
            if set(row) != {"test", "reason"} or not all(isinstance(v, str) and v for v in row.values()):
                raise pytest.UsageError(f"{file.name}: an entry has `test` and `reason`, found {row}")
            rows.append(Entry(row["test"], row["reason"], file.name))
    return rows


def mark(items: Sequence[pytest.Item], *, whole: bool, folder: Path = FOLDER) -> None:
    """Mark the listed tests. If the whole suite was collected, an entry without a test is an error."""
    for entry in entries(folder):
        listed = [item for item in items if entry.matches(item.nodeid)]
        if whole and not listed:
            raise pytest.UsageError(f"{entry.file}: no test is called {entry.test}; take the entry out")
        for item in listed:
            item.add_marker(pytest.mark.xfail(reason=entry.reason, strict=True))
