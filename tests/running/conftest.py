"""What the tests of running share."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture
def small_heap() -> Iterator[None]:
    """Let `gc.collect` look only at what the test makes: all modules of generated packages take it a second."""
    gc.freeze()
    yield
    gc.unfreeze()
