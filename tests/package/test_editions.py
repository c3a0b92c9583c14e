"""An edition keeps its bytes."""

from __future__ import annotations

import json

import pytest

from tests.package import editions
from toolgen.cli.upgrade import EDITIONS


@pytest.mark.parametrize("edition", EDITIONS)
def test_what_an_edition_makes_of_declarations_stays(edition: str) -> None:
    golden = json.loads(editions.written(edition).read_text("utf-8"))
    actual = editions.digests(edition)
    moved = sorted(part for part in golden.keys() | actual.keys() if golden.get(part) != actual.get(part))
    assert moved == [], "if that is meant: python -m tests.package.editions, and a line in the changelog"
    assert len(actual) > 40


def test_a_declaration_that_is_another_moves_its_digests(monkeypatch: pytest.MonkeyPatch) -> None:
    golden = json.loads(editions.written(EDITIONS[-1]).read_text("utf-8"))
    first, *remaining = editions.DECLARATIONS
    monkeypatch.setattr(editions, "DECLARATIONS", [{**first, "description": "Another one."}, *remaining])
    actual = editions.digests(EDITIONS[-1])
    moved = {part for part in golden if golden[part] != actual[part]}
    assert {"tools", "providers/anthropic.py", "providers/gemini.py"} <= moved
    assert "sessions/anthropic.py" not in moved
