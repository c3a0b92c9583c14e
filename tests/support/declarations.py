"""Fifty declarations of real applications."""

from __future__ import annotations

import json
from typing import Any

from tests.support.repository import ROOT

DECLARATIONS: list[dict[str, Any]] = [
    json.loads(line) for line in (ROOT / "tests/corpus/declarations.jsonl").read_text("utf-8").splitlines()
]
