"""The requirements of the founding documents that have a test: `make rows`. `tests/rows.tsv` says which test shows which."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]


def row_table() -> dict[str, list[str]]:
    """Return the tests (`folder/test_file.py::test_name`) of each row, by id, in the order of the documents.

    Raises:
        ValueError: An id stands there twice.
    """
    rows = [
        line.split()
        for line in (TESTS / "rows.tsv").read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    table = {identifier: tests for identifier, *tests in rows}
    if len(table) != len(rows):
        raise ValueError("rows.tsv: an id stands there twice")
    return table


@cache
def names_in(file: str) -> frozenset[str]:
    """Return the names of the functions and classes at the top of a test module; none if there is no such module."""
    path = TESTS / file
    if not path.is_file():
        return frozenset()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return frozenset(node.name for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, kinds))


def out_of_scope() -> list[str]:
    """Return the ids of the rows that are outside the scope of this project."""
    lines = (TESTS / "known_failures" / "out_of_scope.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    if any(len(row) != 3 or not all(row) for row in rows):
        raise ValueError("out_of_scope.tsv: a row has an id, the words of the document and a reason")
    return [row[0] for row in rows]


def main() -> None:
    """Print the rows that have a test, and how many have none, by document."""
    table = row_table()
    for identifier, tests in table.items():
        if tests:
            print(f"{identifier}  {', '.join(tests)}")
    for letter in dict.fromkeys(identifier[0] for identifier in table):
        of_document = [tests for identifier, tests in table.items() if identifier[0] == letter]
        print(f"{letter}: {sum(map(bool, of_document))} of {len(of_document)} rows have a test")


if __name__ == "__main__":
    main()
