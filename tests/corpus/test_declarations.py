"""Fifty declarations of real applications: each builds and imports, or is refused at a place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.support.declarations import DECLARATIONS
from tests.support.package import printed, write_package
from tests.support.sources import faults

_IMPORT = """
import json
import generated.tools as tools
for name in tools.DEFINITIONS:
    tools.DEFINITIONS[name]
    try:
        tools.parse_arguments(name, {})
    except tools.ArgumentsError:
        pass
    print(json.dumps(name))
"""


def as_declaration(position: int, row: dict[str, Any]) -> dict[str, Any]:
    """A row as a declaration under a name of its own."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", row["name"])[:50]
    declared = {"name": f"{name}_{position}", "parameters": row["parameters"]}
    if row["description"]:
        declared["description"] = row["description"]
    if row["result"] is not None:
        declared["result"] = row["result"]
    return declared


def test_real_declarations_build_or_are_refused_at_a_place(tmp_path: Path) -> None:
    files: dict[str, Any] = {}
    refused = []
    for position, row in enumerate(DECLARATIONS):
        path = f"tools/t{position}.json"
        declared = as_declaration(position, row)
        findings = faults({path: json.dumps(declared)})
        if findings:
            assert {f.span.path for f in findings} == {f"schemas/{path}"}
            refused.append((row["id"], findings[0].code))
        else:
            files[path] = declared
    write_package(files, tmp_path)

    assert len(printed(tmp_path, _IMPORT)) == len(files)
    assert len(files) >= 40, refused
