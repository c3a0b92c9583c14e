"""A profile brings its tests with it: one that lacks recordings, tables or snapshots fails here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.providers.wires import WIRES
from tests.support.repository import PROFILES, recordings

HERE = Path(__file__).parent


@pytest.mark.parametrize("provider", PROFILES)
def test_a_profile_has_recordings(provider: str) -> None:
    assert len(recordings(provider)) >= 20, f"tests/traffic/{provider}.jsonl: see tests/traffic/README.md"


@pytest.mark.parametrize("provider", PROFILES)
def test_a_profile_has_a_table_and_a_wire(provider: str) -> None:
    assert (HERE / "tables" / f"{provider}.yaml").is_file()
    assert provider in WIRES, f"there is no tests/providers/wires/{provider}.py"


@pytest.mark.parametrize("provider", PROFILES)
def test_a_profile_has_snapshots(provider: str) -> None:
    folder = HERE / "__snapshots__" / "test_snapshots"
    assert [f.name for f in folder.iterdir() if f"[{provider}" in f.name] != [], "run `make snapshots`"


def test_there_is_a_profile() -> None:
    assert "openai_chat" in PROFILES
