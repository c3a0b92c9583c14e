"""The requirements of the founding documents that have a test: `make rows`.

The ids are in `tests/rows.txt`. A test has them in `@pytest.mark.row("I33")`, pains in `@pytest.mark.pain`.
"""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
_MARK = re.compile(r"^@pytest\.mark\.(?:row|pain)\(([^)]*)\)", re.MULTILINE)


def listed() -> list[str]:
    """Return the ids of all rows, in the order of the documents."""
    lines = (TESTS / "rows.txt").read_text("utf-8").splitlines()
    return [identifier for line in lines if not line.startswith("#") for identifier in line.split()]


def borne() -> dict[str, list[str]]:
    """Return the files whose tests have an id, by id."""
    files_by_id: dict[str, list[str]] = {}
    for file in sorted(TESTS.rglob("test_*.py")):
        for mark in _MARK.findall(file.read_text("utf-8")):
            for identifier in re.findall(r'"(\w+)"', mark):
                files_by_id.setdefault(identifier, []).append(file.relative_to(TESTS).as_posix())
    return files_by_id


def out_of_scope() -> list[str]:
    """Return the ids of the rows that are outside the scope of this project."""
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
