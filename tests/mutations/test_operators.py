"""The changes that `make mutants` makes: each is valid Python and another program, and they are the same each time."""

from __future__ import annotations

import ast

import pytest

from tests.mutations.operators import AREAS, Changes, mutants
from tests.support.budgets import budget
from tests.support.repository import ROOT


@pytest.mark.parametrize("area", AREAS)
def test_changes_are_other_programs(area: str) -> None:
    patterns, tests = AREAS[area]
    modules = [p.relative_to(ROOT).as_posix() for pattern in patterns for p in ROOT.glob(pattern)]
    assert modules
    assert [test for test in tests if not (ROOT / test).exists()] == []
    kinds: set[str] = set()
    for module in modules[:: 1 + len(modules) // budget(5, 10**9)]:
        text = (ROOT / module).read_bytes()
        changes = Changes(module, text).found
        whole = ast.dump(ast.parse(text))
        chosen = mutants(ROOT, module, 2, 1)
        kinds |= {change.kind for change in changes}
        assert len({change.key for change in chosen}) == 2
        assert chosen == mutants(ROOT, module, 2, 1)
        assert [
            c.key
            for c in (*chosen, *changes[:: 1 + len(changes) // budget(4, 20)])
            if ast.dump(ast.parse(c.applied(text))) == whole
        ] == []
    assert kinds == {"comparison", "and or", "constant", "condition", "statement", "return early"}
