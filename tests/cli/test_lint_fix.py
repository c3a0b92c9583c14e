"""`lint --fix` changes what it says and nothing else: comments, order and style stay, and so does what is accepted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.support.commands import toolgen
from tests.support.repository import ROOT
from tests.support.schema_values import is_valid, valid_values

YAML = """\
# Find things.
name: find
description: Finds what is asked for.   # good
parameters:
  type: object
  properties:
    kind:   # of thing
      enum: [a, b]
      description: The kind.
    one:
      description: One of them.
      anyOf:
        - type: string
          enum: [x]
    two: {anyOf: [{enum: [1, 2]}], description: Two.}   # two
    none: {type: string, default: null, description: "Nothing."}   # toolgen: allow union-of-one
    last: {type: string, description: "Nothing.", default: null}   # toolgen: allow union-of-one, default-null
    both: {anyOf: [{type: string, description: Inner.}], description: Outer.}
  # toolgen: allow parameter-optional-and-null
  required: [kind]
"""

FIXED = """\
# Find things.
name: find
description: Finds what is asked for.   # good
parameters:
  type: object
  properties:
    kind:   # of thing
      enum: [a, b]
      description: The kind.
      type: string
    one:
      description: One of them.
      type: string
      enum:
        - x
    two: {type: integer, enum: [1, 2], description: Two.}   # two
    none: {type: string, description: "Nothing."}
    last: {type: string, description: "Nothing.", default: null}   # toolgen: allow default-null
    both: {anyOf: [{type: string, description: Inner.}], description: Outer.}
  required: [kind]
"""

JSON = """\
{
  "name": "list",
  "description": "Lists what there is to see.",
  "parameters": {
    "type": "object",
    "properties": {
      "k": {"enum": ["é"], "description": "The K."},
      "l": {
        "enum": [1, 2.5],
        "description": "The L."
      }
    }
  }
}
"""


def project(folder: Path, **texts: str) -> Path:
    (folder / "schemas/tools").mkdir(parents=True)
    (folder / "schemas/toolgen.yaml").write_text("providers: [anthropic]\n")
    for name, text in texts.items():
        (folder / "schemas/tools" / name.replace("_", ".")).write_text(text)
    return folder


def test_fixes_keep_comments_order_and_style(tmp_path: Path) -> None:
    project(tmp_path, find_yaml=YAML, list_json=JSON)
    shown = toolgen("lint", "schemas", "--diff", cwd=tmp_path)
    assert shown.returncode == 1
    assert '\n+    none: {type: string, description: "Nothing."}' in shown.stdout
    assert (tmp_path / "schemas/tools/find.yaml").read_text() == YAML

    done = toolgen("lint", "schemas", "--fix", cwd=tmp_path)
    assert done.returncode == 0
    assert "fixed\n" in done.stderr
    assert (tmp_path / "schemas/tools/find.yaml").read_text() == FIXED
    fixed = (tmp_path / "schemas/tools/list.json").read_text()
    assert fixed == JSON.replace('{"enum": ["é"]', '{"type": "string", "enum": ["é"]').replace(
        '"enum": [1', '"type": "number",\n        "enum": [1'
    )
    again = toolgen("lint", "schemas", "--fix", cwd=tmp_path)
    assert "0 fixed\n" in again.stderr
    assert toolgen("lint", "schemas", "--diff", cwd=tmp_path).returncode == 0


def test_a_project_with_an_error_is_left_alone(tmp_path: Path) -> None:
    project(tmp_path, find_yaml=YAML, bad_yaml="name: bad\nparameters: 5\n")
    assert toolgen("lint", "schemas", "--fix", cwd=tmp_path).returncode == 2
    assert (tmp_path / "schemas/tools/find.yaml").read_text() == YAML


@pytest.mark.parametrize(
    "text", [FIXED, "name: a\n---\nname: b\nparameters: {type: object, properties: {a: {enum: [1]}}}\n"]
)
def test_what_cannot_be_fixed_stays_and_is_told(tmp_path: Path, text: str) -> None:
    project(tmp_path, find_yaml=text)
    toolgen("lint", "schemas", "--fix", cwd=tmp_path)
    assert (tmp_path / "schemas/tools/find.yaml").read_text() == text


def test_what_is_accepted_stays(tmp_path: Path) -> None:
    """On GitHub's tools, each with faults put in."""
    tools = json.loads((ROOT / "tests/corpus/github-tools.json").read_text())["result"]["tools"][:40]
    texts = {}
    for tool in tools:
        schema = tool["inputSchema"]
        for name, inner in schema.get("properties", {}).items():
            if "enum" in inner:
                inner.pop("type", None)
            elif inner.get("type") == "string":
                schema["properties"][name] = {"anyOf": [inner]}
        declared = {"name": tool["name"], "description": tool["description"], "parameters": schema}
        texts[f"{tool['name']}.yaml"] = yaml.safe_dump(declared, sort_keys=False)
    (tmp_path / "schemas/tools").mkdir(parents=True)
    (tmp_path / "schemas/toolgen.yaml").write_text("providers: [anthropic]\n")
    for name, text in texts.items():
        (tmp_path / "schemas/tools" / name).write_text(text)
    done = toolgen("lint", "schemas", "--fix", cwd=tmp_path)
    assert int(done.stderr.split(" fixed")[0].rpartition("\n")[2]) > 40
    for seed, (name, text) in enumerate(texts.items()):
        before = yaml.safe_load(text)["parameters"]
        after = yaml.safe_load((tmp_path / "schemas/tools" / name).read_text())["parameters"]
        for one, other in ((before, after), (after, before)):
            judge = Draft202012Validator(other)
            assert all(is_valid(judge, value) for value in valid_values(one, seed))
