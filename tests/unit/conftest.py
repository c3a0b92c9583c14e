"""What all unit tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.generated import shipped_texts_read_once


@pytest.fixture(scope="session", autouse=True)
def _shipped_texts_read_once() -> Iterator[None]:
    with shipped_texts_read_once():
        yield
