"""What a user reads: every scenario as it goes out, payloads, and the modules of tools.

The modules of providers and their classes are pinned where they are committed, in `generated` and `runtime/toolgen_runtime`.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.providers import laws
from tests.support.generated import Package
from tests.support.repository import CONVERSING, PROFILES, TEXTS
from tests.support.requests import SCENARIOS


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("provider", [*CONVERSING, *TEXTS])
def test_wire(sample: Package, models: Any, json_snapshot: SnapshotAssertion, provider: str, scenario: str) -> None:
    losses: list[Any] = []
    body = laws.write(sample, provider, models.load(models.Request, SCENARIOS[scenario]), losses)
    shown = {"body": body, "losses": [models.dump(loss) for loss in losses]}
    assert json_snapshot == json.dumps(shown, indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("provider", PROFILES)
def test_payload(sample: Package, json_snapshot: SnapshotAssertion, provider: str) -> None:
    assert json_snapshot == json.dumps(sample.provider(provider).TOOLS, indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("module", ["tools.__init__", "tools.place_order", "types"])
def test_shared_module(sample: Package, python_snapshot: SnapshotAssertion, module: str) -> None:
    """Without what a tool's declaration says of providers, which is there for each profile."""
    text = sample.files[f"{module.replace('.', '/')}.py"]
    assert python_snapshot == re.sub(r"^    metadata=\{\n.*?^    \},\n", "", text, flags=re.DOTALL | re.MULTILINE)
