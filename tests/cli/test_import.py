"""`toolgen import` as users have it: real tools become a package that works."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.commands import toolgen, toolgen_process
from tests.support.repository import ROOT
from tests.support.tools_list import tools_list
from toolgen.importing.formats import MODULES

GITHUB = ROOT / "tests" / "corpus" / "github-tools.json"

_USE = """
import json
import app.tools as tools
for name in tools.DEFINITIONS:
    definition = tools.DEFINITIONS[name]
    try:
        tools.parse_arguments(name, {})
    except tools.ArgumentsError:
        pass
    print(json.dumps([definition.name, definition.description, definition.parameters]))
"""


@pytest.mark.slow
def test_githubs_tools_are_imported_built_and_used(tmp_path: Path) -> None:
    source = json.loads(GITHUB.read_text("utf-8"))["result"]["tools"]
    result = toolgen("import", "mcp", GITHUB, "--out", tmp_path / "schemas")
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr == f"{tmp_path}/schemas/tools: 117 created\n"
    assert len(list((tmp_path / "schemas" / "tools").glob("*.yaml"))) == len(source) == 117

    assert toolgen("build", tmp_path / "schemas", "--out", tmp_path / "app").returncode == 0
    used = subprocess.run(
        [sys.executable, "-W", "error", "-c", _USE], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (used.returncode, used.stderr) == (0, "")
    definitions = [json.loads(line) for line in used.stdout.splitlines()]
    assert definitions == sorted([t["name"], t["description"], t["inputSchema"]] for t in source)


def test_an_api_is_imported_built_and_brought_up_to_date(tmp_path: Path) -> None:
    text = (ROOT / "tests" / "unit" / "importing" / "petstore.yaml").read_text("utf-8")
    (tmp_path / "pets.yaml").write_text(text)
    command = ("import", "openapi", "pets.yaml", "--out", "schemas")
    result = toolgen(*command, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr.endswith("schemas/types: 5 created\nschemas/tools: 8 created\n")
    assert toolgen("build", "schemas", "--out", "app", cwd=tmp_path).returncode == 0
    used = subprocess.run(
        [sys.executable, "-W", "error", "-c", _USE], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (used.returncode, used.stderr, used.stdout.count("\n")) == (0, "", 8)

    assert toolgen(*command, "-q", cwd=tmp_path).stderr == ""
    assert toolgen(*command, cwd=tmp_path).stderr.endswith("schemas/types: 5 unchanged\nschemas/tools: 8 unchanged\n")
    file = tmp_path / "schemas" / "tools" / "list_pets.yaml"
    file.write_text(f"# Reviewed.\n{file.read_text()}risk: low\n")
    (tmp_path / "pets.yaml").write_text(text.replace("page by page", "sorted").replace("maximum: 100", "maximum: 50"))
    result = toolgen(*command, cwd=tmp_path)
    messages = [line.partition(": ")[2] for line in result.stderr.splitlines() if "import-source-changed" in line]
    assert messages == [
        "note[import-source-changed]: '/description' of 'listPets' was changed at the source",
        "note[import-source-changed]: '/parameters/properties/limit/maximum' of 'listPets' was changed at the source",
    ]
    assert result.stderr.endswith("schemas/types: 5 unchanged\nschemas/tools: 1 updated, 7 unchanged\n")
    assert file.read_text().startswith("# Reviewed.\n")
    declared = yaml.safe_load(file.read_text())
    assert (declared["risk"], declared["description"]) == ("low", "All pets, sorted.")
    assert declared["parameters"]["properties"]["limit"]["maximum"] == 50
    assert toolgen("check", "schemas", "--out", "app", cwd=tmp_path).returncode == 1


def test_the_formats_are_named_where_one_is_missing() -> None:
    missing = toolgen("import", "--out", "schemas")
    assert (missing.returncode, "Missing argument 'FORMAT'. Choose from:" in missing.stderr) == (2, True)
    described = toolgen("import", "--help").stdout
    assert "toolgen import [OPTIONS] FORMAT [FILE]" in described
    assert [name for name in MODULES if not re.search(rf"\b{name}\b", described)] == []


def test_a_source_may_be_given_a_name(tmp_path: Path) -> None:
    for i, name in enumerate(("one.json", "two.json")):
        (tmp_path / name).write_text(
            json.dumps([{"name": "a", "description": str(i), "inputSchema": {"type": "object"}}])
        )
        result = toolgen("import", "mcp", name, "--out", "schemas", "--source", "server", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
    assert yaml.safe_load((tmp_path / "schemas" / "tools" / "a.yaml").read_text())["description"] == "1"


def test_changes_are_listed_however_many_there_are(tmp_path: Path) -> None:
    tools = [{"name": f"a.{i}", "inputSchema": {"type": "object"}} for i in range(250)]
    (tmp_path / "in.json").write_text(json.dumps(tools))
    result = toolgen("import", "mcp", "in.json", "--out", "schemas", cwd=tmp_path)
    assert result.returncode == 0
    assert result.stderr.count("note[import-renamed]") == 250
    assert (
        "in.json:1:11: note[import-renamed]: 'a.0' is not a valid name and was changed to 'a_0'; the original name is kept for mcp\n"
        in result.stderr
    )
    assert toolgen("import", "mcp", "in.json", "--out", "other", "-q", cwd=tmp_path).stderr == ""


def test_a_broken_schema_stops_it_with_its_place(tmp_path: Path) -> None:
    tools = [{"name": "good", "inputSchema": {"type": "object"}}, {"name": "bad", "inputSchema": {"type": "objekt"}}]
    (tmp_path / "in.json").write_text(json.dumps(tools, indent=1))
    result = toolgen("import", "mcp", "in.json", "--out", "schemas", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("in.json:11:12: error[type-unknown]: unknown type 'objekt'\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.json"]


def test_a_file_that_was_not_imported_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text('[{"name": "a", "inputSchema": {"type": "object"}}]')
    file = tmp_path / "schemas" / "tools" / "a.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("name: a\nrisk: low\n")
    result = toolgen("import", "mcp", "in.json", "--out", "schemas", cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith(
        "schemas/tools/a.yaml:1:1: error[import-exists]: 'schemas/tools/a.yaml' already exists"
    )
    assert yaml.safe_load(file.read_text())["risk"] == "low"


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_hostile_names_are_told_in_any_locale(tmp_path: Path, locale: str) -> None:
    (tmp_path / "in.json").write_text(json.dumps([{"name": "\u202e天\x1b[31m", "inputSchema": {"type": "object"}}]))
    environment = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
    result = toolgen_process("import", "mcp", "in.json", "--out", "schemas", cwd=tmp_path, env=environment)
    assert (result.returncode, "Traceback" in result.stderr) == (0, False)
    assert "\x1b" not in result.stderr
    assert "\u202e" not in result.stderr


def test_a_collection_becomes_a_response_to_tools_list() -> None:
    rows = [
        {"source": "a/b:x", "name": "n", "description": "d", "parameters": {}, "result": {"type": "object"}},
        {"source": "a/bc:x", "name": "o", "description": "d", "parameters": {}, "result": None},
    ]
    tool = {"name": "n", "description": "d", "inputSchema": {}, "outputSchema": {"type": "object"}}
    assert tools_list(rows, "a/b") == {"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool]}}


@pytest.mark.parametrize(
    "text", ['\n[{"name": "now", "input_schema": {"type": "object"}}]', "- name: now\n  input_schema: {type: object}\n"]
)
def test_the_standard_input_is_read_as_json_or_yaml(tmp_path: Path, text: str) -> None:
    command = ("import", "anthropic", "-", "--out", "schemas", "--source", "pipe")
    done = toolgen_process(*command, cwd=tmp_path, input=text)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert yaml.safe_load((tmp_path / "schemas/tools/now.yaml").read_text("utf-8"))["name"] == "now"
    record = json.loads((tmp_path / "schemas/tools/import.lock").read_text("utf-8"))
    assert list(record["sources"]) == ["anthropic pipe"]
    done = toolgen_process(*command, cwd=tmp_path, input=text[:-3])
    assert done.returncode == 2
    assert re.match(r"-:\d+:\d+: error\[", done.stderr)


def test_a_standard_input_that_is_closed_is_a_finding(tmp_path: Path) -> None:
    script = 'exec "$0" -m toolgen import anthropic - --out schemas <&-'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("-:1:1: error[unreadable-source]: '-' cannot be read: the standard input is closed")
