"""Fifty declarations of real applications, lowered for every provider and mode."""

from __future__ import annotations

import random

from jsonschema import Draft202012Validator

from tests.corpus.lowered import faults
from tests.support.budgets import budget
from tests.support.declarations import DECLARATIONS
from tests.support.dialects import CHECKERS
from tests.support.every_row import over
from tests.support.repository import PROFILES, profile

JUDGE = Draft202012Validator(Draft202012Validator.META_SCHEMA)
SOUND = [row["parameters"] for row in DECLARATIONS if JUDGE.is_valid(row["parameters"])]
"""The schemas that are schemas."""


@over("dialect", {"-".join(name): name for name in CHECKERS})
def test_real_schemas_are_taken_and_their_values_go_there_and_back(dialect: tuple[str, str]) -> None:
    choices = random.Random("-".join(dialect))
    for _ in range(budget(12, 200)):
        schema, seed = choices.choice(SOUND), choices.randrange(10_000)
        assert list(faults(schema, *dialect, seed)) == [], (schema, seed)


def test_most_of_them_are_judged() -> None:
    assert len(SOUND) >= 40


def test_every_provider_and_mode_has_a_checker() -> None:
    modes = {
        (name, mode)
        for name in PROFILES
        for mode, facts in profile(name)["dialects"].items()
        if mode != "uses" and facts
    }
    assert modes - CHECKERS.keys() == {("vertex", "openapi")}
