"""Generated code is as ruff lays it out by its default settings, whatever the tools are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import ruff_api

from tests.corpus.declarations import DECLARATIONS
from tests.support.repository import PROFILES
from toolgen.compilation import compile_project
from toolgen.diagnostics import Findings

CORPUS = Path(__file__).parents[1] / "corpus"
REFUSED = {line.split("\t")[0] for line in (CORPUS / "refused.tsv").read_text("utf-8").splitlines()}
REAL = [{"name": row["name"], "parameters": row["parameters"]} for row in DECLARATIONS if row["id"] not in REFUSED]
PROJECTS: dict[str, list[dict[str, Any]]] = {
    "one, on one line": [{"name": "a"}],
    "two, on a line each": [{"name": "a", "description": "ä" * 20}, {"name": "b", "description": "\U0001f600" * 20}],
    "one": REAL[:1],
    "many": list({row["name"]: row for row in REAL}.values()),
    "many small ones": [{"name": f"t{i}"} for i in range(60)],
    "entries that hold lists": [
        {
            "name": f"t{i}",
            "result": {"type": "array", "items": {"type": "string"}},
            "annotations": {"icons": ["a" * 90]},
            "providers": {"mcp": {"icons": [{"src": "https://example.com/i.png"}]}},
        }
        for i in range(4)
    ],
    "texts that look like names of entries": [{"name": "a", "description": "\n    _entry_0,\n" * 40}, {"name": "b"}],
}


@pytest.mark.parametrize("tools", PROJECTS.values(), ids=PROJECTS.keys())
def test_every_module_is_as_ruff_lays_it_out(tmp_path: Path, tools: list[dict[str, Any]]) -> None:
    folder = tmp_path / "schemas" / "tools"
    folder.mkdir(parents=True)
    for i, tool in enumerate(tools):
        (folder / f"t{i}.json").write_text(json.dumps({"description": "A tool.", **tool}), "utf-8")
    (folder.parent / "toolgen.yaml").write_text(f"providers: {json.dumps(sorted(PROFILES))}\n")
    findings = Findings()
    compiled = compile_project(folder.parent, findings)
    assert compiled is not None, list(findings)
    made = {path: text for path, text in compiled.files.items() if path.endswith(".py") and "/runtime/" not in path}
    assert [path for path, text in made.items() if ruff_api.format_string(path, text) != text] == []
    for name in PROFILES:
        namespace: dict[str, Any] = {}
        text = made[f"providers/{name}.py"].partition("\nTOOLS: ")[2].partition('\n"""The declared tools as')[0]
        exec(f"TOOLS = {text.partition(' = ')[2]}", namespace)
        assert json.dumps(namespace["TOOLS"]) == json.dumps(compiled.package.wires[name].payload)
