"""The laws, on recorded requests: every profile, every recording that is found by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import grouped, over
from tests.support.generated import Package
from tests.support.repository import CONVERSING, OWN_CODE, recordings
from tests.support.requests import SCENARIOS
from tests.support.wires import WIRES

BODIES = [
    pytest.param(provider, recording["request"], id=f"{provider}-{recording['id']}")
    for provider in CONVERSING
    for recording in recordings(provider)
]
each_recording = grouped("provider, body", BODIES)
each_scenario = over("scenario", list(SCENARIOS))
each_provider = pytest.mark.parametrize("provider", CONVERSING)


@each_recording
def test_law_0_conversions_are_pure(sample: Package, provider: str, body: Any) -> None:
    laws.pure(sample, provider, body)


@each_recording
def test_law_1_a_body_comes_back_exactly(sample: Package, provider: str, body: Any) -> None:
    laws.body_comes_back(sample, provider, body)


@each_recording
def test_law_2_a_request_comes_back(sample: Package, provider: str, body: Any) -> None:
    laws.request_comes_back(sample, provider, laws.read(sample, provider, body))


@each_recording
def test_law_2_a_request_without_metadata_comes_back(sample: Package, provider: str, body: Any) -> None:
    laws.bare_request_comes_back(sample, provider, body)


@each_recording
def test_law_4_the_sdk_accepts_what_is_written(sample: Package, provider: str, body: Any) -> None:
    laws.body_has_legal_types(sample, provider, body)


@each_recording
def test_law_4_order_ids_and_names_are_legal(sample: Package, provider: str, body: Any) -> None:
    laws.body_keeps_order(sample, provider, body)


@each_recording
def test_law_5_unknown_members_come_back(sample: Package, provider: str, body: Any) -> None:
    laws.unknown_is_kept(sample, provider, body)


FOREIGN = [
    pytest.param(provider, body, id=f"{provider}-{i}")
    for provider in OWN_CODE
    if provider in WIRES
    for i, body in enumerate(WIRES[provider].foreign({"model": "m", "messages": []}))
]


@grouped("provider, body", FOREIGN)
def test_law_5_unknown_kinds_come_back(sample: Package, provider: str, body: Any) -> None:
    laws.body_comes_back(sample, provider, body)


@each_scenario
@each_provider
def test_law_4_scenarios_are_accepted(sample: Package, models: Any, provider: str, scenario: str) -> None:
    body = laws.write(sample, provider, models.load(models.Request, SCENARIOS[scenario]))
    check: tuple[Callable[[Any], list[str]], ...] = (WIRES[provider].type_faults, WIRES[provider].order_faults)
    assert [fault for faults in check for fault in faults(body)] == []
