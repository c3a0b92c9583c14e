"""Fifty declarations of real applications, lowered for every provider and mode."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.corpus.lowered import faults
from tests.support.declarations import DECLARATIONS
from tests.support.dialects import CHECKERS
from tests.support.repository import PROFILES, profile

JUDGE = Draft202012Validator(Draft202012Validator.META_SCHEMA)
SOUND = [row["parameters"] for row in DECLARATIONS if JUDGE.is_valid(row["parameters"])]
"""The schemas that are schemas."""


@pytest.mark.parametrize("dialect", CHECKERS, ids="-".join)
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(place=st.integers(0, len(SOUND) - 1), seed=st.integers(0, 10_000))
def test_a_real_schema_is_taken_and_its_values_go_there_and_back(
    dialect: tuple[str, str], place: int, seed: int
) -> None:
    assert list(faults(SOUND[place], *dialect, seed)) == []


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
