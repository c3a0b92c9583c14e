"""The JSON Schema Test Suite as shared types: each schema stands under a property, for arguments are objects."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from tests.support.repository import ROOT
from tests.support.sources import faults, tool

HERE = ROOT / "tests" / "exact"

ROWS: list[dict[str, Any]] = [json.loads(line) for line in (HERE / "suite.jsonl").read_text("utf-8").splitlines()]

REFUSED = [line.split("\t") for line in (HERE / "refused.tsv").read_text("utf-8").splitlines()[1:]]
"""Rows that a build refuses: the row, the code of the finding, why."""

PATTERNS = [line.split("\t") for line in (HERE / "patterns.tsv").read_text("utf-8").splitlines()[1:]]
"""Where the engine of patterns means something else than ECMA-262: the row, its pattern, what differs."""


def files_of(position: int, row: dict[str, Any]) -> dict[str, Any]:
    """The sources of one row: its schema as a type, and a tool with one property of that type."""
    value = {"$ref": f"../types/t{position}.json"}
    parameters = {"type": "object", "properties": {"value": value}, "required": ["value"]}
    return {
        f"types/t{position}.json": row["schema"],
        f"tools/t{position}.json": tool(parameters, f"t{position}"),
    }


def refusals() -> dict[int, set[str]]:
    """The codes of the findings of each row that is refused."""
    codes_by_row = {}
    for position, row in enumerate(ROWS):
        codes = {finding.code for finding in faults(files_of(position, row)) if finding.level == "error"}
        if codes:
            codes_by_row[position] = codes
    return codes_by_row


def asserts_formats(row: dict[str, Any], case: dict[str, Any]) -> bool:
    """Whether a value is refused for a format alone: with `formats: text`, formats say what a text means, and refuse none."""
    schema = row["schema"]
    if case["valid"] or "format" not in json.dumps(schema):
        return False
    return bool(validator_for(schema, default=Draft202012Validator)(schema).is_valid(case["data"]))
