"""Fifty declarations of real applications."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DECLARATIONS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).with_name("declarations.jsonl")).read_text("utf-8").splitlines()
]
