"""Budgets of random tests: small in a run of all tests, large in the make targets that look for more."""

from __future__ import annotations

import os


def budget(small: int, large: int) -> int:
    """Return `large` if the environment variable TOOLGEN_LARGE_BUDGET is set, else `small`."""
    return large if os.environ.get("TOOLGEN_LARGE_BUDGET") else small
