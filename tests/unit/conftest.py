"""What all unit tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.generated import shipped_profiles_remembered


@pytest.fixture(scope="session", autouse=True)
def _shipped_profiles_remembered() -> Iterator[None]:
    with shipped_profiles_remembered():
        yield
