"""Which rows of the founding documents have a test: `make rows`.

The ids are in `tests/rows.txt`; a test bears them by `@pytest.mark.row("I33")`, pains by `@pytest.mark.pain`.
"""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
_MARK = re.compile(r"^@pytest\.mark\.(?:row|pain)\(([^)]*)\)", re.MULTILINE)


def listed() -> list[str]:
    """The ids of all rows, in the documents' order."""
    lines = (TESTS / "rows.txt").read_text("utf-8").splitlines()
    return [identifier for line in lines if not line.startswith("#") for identifier in line.split()]


def borne() -> dict[str, list[str]]:
    """The files whose tests bear an id."""
    found: dict[str, list[str]] = {}
    for file in sorted(TESTS.rglob("test_*.py")):
        for mark in _MARK.findall(file.read_text("utf-8")):
            for identifier in re.findall(r'"(\w+)"', mark):
                found.setdefault(identifier, []).append(file.relative_to(TESTS).as_posix())
    return found


def out_of_scope() -> list[str]:
    """The ids of the rows that are no matter of this project."""
    lines = (TESTS / "known_failures" / "out_of_scope.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    if any(len(row) != 3 or not all(row) for row in rows):
        raise ValueError("out_of_scope.tsv: a row has an id, the words of the document and a reason")
    return [row[0] for row in rows]


def main() -> None:
    """Print the rows that have a test, and how many have none, by document."""
    tests = borne()
    for identifier in listed():
        if identifier in tests:
            print(f"{identifier}  {', '.join(dict.fromkeys(tests[identifier]))}")
    for letter in dict.fromkeys(identifier[0] for identifier in listed()):
        ids = [identifier for identifier in listed() if identifier[0] == letter]
        print(f"{letter}: {sum(i in tests for i in ids)} of {len(ids)} rows have a test")


if __name__ == "__main__":
    main()
