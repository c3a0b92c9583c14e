"""What the tests of packages share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy knows of pydantic and the runtime, so that it reads them once. No two packages have one name."""
    return tmp_path_factory.mktemp("mypy")
