"""Generated code is as ruff lays it out, whatever the tools are: by its defaults, and `runtime` and `wires` as in this repository."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import ruff_api

from tests.corpus.declarations import DECLARATIONS
from tests.support.repository import PROFILES, ROOT
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
    "descriptions that end in a quote, or are blank": [
        {"name": "a", "description": 'Says "x"'},
        {"name": "b", "description": 'Says """'},
        {"name": "c", "description": " ", "parameters": {"type": "object", "description": "\t"}},
    ],
    "texts that look like names of entries": [{"name": "a", "description": "\n    _entry_0,\n" * 40}, {"name": "b"}],
}


WIDE = ruff_api.FormatOptions(
    line_width=tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["line-length"]
)


MARKS = "# fmt: off\n# isort: skip_file\n"
"""They tell formatters to leave a module as it is."""


def _is_laid_out(text: str) -> bool:
    if MARKS not in text:
        return ruff_api.format_string("module.py", text) == text
    unmarked = text.replace(MARKS, "", 1)
    return ruff_api.format_string("module.py", unmarked, options=WIDE) == unmarked


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
    made = {path: text for path, text in compiled.files.items() if path.endswith(".py")}
    shared = {path for path, text in made.items() if MARKS in text}
    assert shared == {path for path in made if path.startswith(("runtime/", "wires/"))} - {"runtime/loop.py"}
    assert [path for path, text in made.items() if not _is_laid_out(text)] == []
    for name in PROFILES:
        namespace: dict[str, Any] = {}
        text = made[f"providers/{name}.py"].partition("\nTOOLS: ")[2].partition('\n"""The declared tools as')[0]
        exec(f"TOOLS = {text.partition(' = ')[2]}", namespace)
        assert json.dumps(namespace["TOOLS"]) == json.dumps(compiled.package.payloads[name].payload)


def test_the_order_of_names_with_numbers_and_unions_of_values_are_as_ruff_has_them(tmp_path: Path) -> None:
    values = {"anyOf": [{"enum": ["a", "b"]}, {"const": "c"}, {"type": "integer"}, {"enum": ["a", None]}]}
    parameters = {"type": "object", "properties": {"one": {**values, "description": 'Says "x"'}}}
    names = ("v30", "v0521", "v9", "v10", "v010", "v01a", "v1a", "v1_x", "v00")
    folder = tmp_path / "schemas" / "tools"
    folder.mkdir(parents=True)
    for name in names:
        tool = {"name": name, "description": 'Says "x"' if name == "v9" else " ", "parameters": parameters}
        (folder / f"{name}.json").write_text(json.dumps(tool), "utf-8")
    compiled = compile_project(folder.parent, Findings())
    assert compiled is not None
    for path, text in compiled.files.items():
        file = tmp_path / "generated" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    for command in (("check",), ("format", "--check")):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--no-cache", str(tmp_path / "generated")]
        done = subprocess.run(ruff, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
