"""A short run of the fuzzing targets, and what long ones have found."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.budgets import budget

from .fuzz import TARGETS, holds, run
from .projects import prop


@pytest.mark.safety("0.4", "1.1")
@pytest.mark.parametrize("target", TARGETS)
def test_any_source_builds_or_is_refused(target: str) -> None:
    run(target, budget(12, 40), 1)


FOUND: list[Any] = [
    prop({"anyOf": [{"type": "object", "properties": {f"a{i}": {}}} for i in range(400)]}),
    prop({"$id": "http://[", "properties": {"a": {"$ref": "#"}}}),
]


@pytest.mark.safety("0.4")
@pytest.mark.parametrize("declaration", FOUND, ids=range(len(FOUND)))
def test_what_was_found_once(declaration: Any) -> None:
    holds({"tools/a.json": declaration})
