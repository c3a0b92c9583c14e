"""The schema suite, built once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.generated import Package
from tests.support.package import write_package
from tests.support.schema_suite import ROWS, files_of, refusals


@pytest.fixture(scope="session")
def refused() -> dict[int, set[str]]:
    """The rows that a build refuses, by their number."""
    return refusals()


@pytest.fixture(scope="session")
def suite(tmp_path_factory: pytest.TempPathFactory, refused: dict[int, set[str]]) -> Package:
    """A package of all rows that build."""
    folder = tmp_path_factory.mktemp("suite")
    files: dict[str, Any] = {"toolgen.yaml": "formats: text\n"}
    for position, row in enumerate(ROWS):
        if position not in refused:
            files |= files_of(position, row)
    built = write_package(files, folder)
    return Package({}, folder, built.rename(folder / "schema_suite").name)
