"""`lint --fix` changes what it says and nothing else: comments, order and style stay, and so does what is accepted."""

from __future__ import annotations

import copy
import difflib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.support.budgets import budget
from tests.support.commands import toolgen
from tests.support.declarations import DECLARATIONS
from tests.support.repository import ROOT
from tests.support.schema_values import is_valid, valid_values
from toolgen.breaking.schema_comparison import combine_effects, compare_schemas
from toolgen.rules.fixes import FIXABLE

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


def test_fixes_keep_the_line_ends_of_a_file(tmp_path: Path) -> None:
    file = project(tmp_path, find_yaml=YAML) / "schemas/tools/find.yaml"
    file.write_bytes(YAML.replace("\n", "\r\n").encode())
    assert toolgen("lint", "schemas", "--fix", cwd=tmp_path).returncode == 0
    assert file.read_bytes() == FIXED.replace("\n", "\r\n").encode()


def test_a_project_with_an_error_is_left_alone(tmp_path: Path) -> None:
    project(tmp_path, find_yaml=YAML, bad_yaml="name: bad\nparameters: 5\n")
    for option in ("--fix", "--diff"):
        done = toolgen("lint", "schemas", option, cwd=tmp_path)
        assert (done.returncode, "correct the errors first\n" in done.stderr) == (2, True), done.stderr
        assert "bad.yaml:2" in done.stderr
    assert (tmp_path / "schemas/tools/find.yaml").read_text() == YAML


def test_what_cannot_be_fixed_stays_and_is_told(tmp_path: Path) -> None:
    project(tmp_path, find_yaml=FIXED)
    done = toolgen("lint", "schemas", "--fix", cwd=tmp_path)
    assert "0 fixed\n1 left, because a fix would change more than the finding\n" in done.stderr
    assert (tmp_path / "schemas/tools/find.yaml").read_text() == FIXED


SEVERAL = """\
name: a
description: Does the first thing.
parameters: {type: object, properties: {x: {enum: [a], description: The x.}}}
---
# The second.
name: b
description: Does the second thing.
parameters:
  type: object
  properties:
    y:   # why
      enum: [1]
      description: The y.
    z: {type: string, description: The z., default: null}
--- # The third.
name: c
description: Does the third thing.
"""


def test_each_declaration_of_a_file_is_fixed(tmp_path: Path) -> None:
    project(tmp_path, find_yaml=SEVERAL)
    assert "3 fixed\n" in toolgen("lint", "schemas", "--fix", cwd=tmp_path).stderr
    wanted = SEVERAL.replace("x: {enum", "x: {type: string, enum").replace(", default: null", "")
    wanted = wanted.replace("      description: The y.\n", "      description: The y.\n      type: integer\n")
    assert (tmp_path / "schemas/tools/find.yaml").read_text() == wanted
    many = "".join(
        f"---\nname: t{n}\ndescription: Does it.\nparameters:\n  type: object\n  properties: {{x: {{enum: [a], description: The x.}}}}\n"
        for n in range(25)
    )
    (tmp_path / "schemas/tools/find.yaml").write_text(many)
    assert "25 fixed\n" in toolgen("lint", "schemas", "--fix", cwd=tmp_path).stderr
    assert (tmp_path / "schemas/tools/find.yaml").read_text() == many.replace("{enum", "{type: string, enum")


@pytest.mark.parametrize("texts", [{"find_yaml": YAML, "list_json": JSON}, {"find_yaml": SEVERAL}])
def test_the_diff_is_what_fix_changes(tmp_path: Path, texts: dict[str, str]) -> None:
    project(tmp_path, **texts)
    shown = toolgen("lint", "schemas", "--diff", cwd=tmp_path)
    before = {path: path.read_text() for path in sorted(tmp_path.glob("schemas/tools/*"))}
    done = toolgen("lint", "schemas", "--fix", cwd=tmp_path)
    count = shown.stderr.split(" ")[0]
    assert (shown.returncode, done.stderr.startswith(f"{count} fixed\n")) == (1, True)
    changes = ""
    for path, text in before.items():
        name = path.relative_to(tmp_path).as_posix()
        pair = (text.splitlines(keepends=True), path.read_text().splitlines(keepends=True))
        changes += "".join(difflib.unified_diff(*pair, name, f"{name} (fixed)"))
    assert shown.stdout == changes


DEPENDENT: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"additionalProperties": False}, {"properties": {"x": {"type": "string"}}}),
    ({"additionalProperties": False}, {"patternProperties": {"^x": {"type": "string"}}}),
    ({"properties": {"x": {"type": "string"}}}, {"additionalProperties": False}),
    ({"properties": {"x": {"type": "string"}}}, {"unevaluatedProperties": False}),
    ({"allOf": [{"properties": {"x": {"type": "string"}}}]}, {"unevaluatedProperties": False}),
    ({"prefixItems": [{"type": "string"}]}, {"items": {"type": "integer"}}),
    ({"items": {"type": "integer"}}, {"prefixItems": [{"type": "string"}]}),
    ({"prefixItems": [{"type": "string"}]}, {"unevaluatedItems": {"type": "integer"}}),
    ({"contains": {"type": "string"}}, {"minContains": 2}),
    ({"maxContains": 1}, {"contains": {"type": "string"}}),
    ({"if": {"type": "string"}}, {"then": {"minLength": 2}}),
    ({"else": {"minLength": 2}}, {"if": {"type": "integer"}}),
]
"""Keywords around a union of one, and keywords of its branch, of which some depend on the others."""

INDEPENDENT: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"unevaluatedProperties": False}, {"properties": {"x": {"type": "string"}}}),
    ({"properties": {"x": {"type": "string"}}}, {"required": ["x"]}),
    ({"additionalProperties": {"type": "string"}}, {"minProperties": 1}),
    ({"items": {"type": "string"}}, {"contains": {"minLength": 3}, "minContains": 2}),
]


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_a_branch_stays_if_keywords_of_one_side_depend_on_the_other(tmp_path: Path, suffix: str) -> None:
    properties = {
        f"p{i}": {"x-order": i, **around, ("anyOf", "oneOf")[i % 2]: [branch]}
        for i, (around, branch) in enumerate([*DEPENDENT, *INDEPENDENT])
    }
    value = {"name": "find", "description": "Finds.", "parameters": {"type": "object", "properties": properties}}
    text = json.dumps(value, indent=2) if suffix == "json" else yaml.safe_dump(value, sort_keys=False)
    file = project(tmp_path, **{f"find_{suffix}": text}) / f"schemas/tools/find.{suffix}"
    toolgen("lint", "schemas", "--fix", cwd=tmp_path)

    fixed = yaml.safe_load(file.read_text())["parameters"]["properties"]
    assert {name for name in properties if fixed[name] == properties[name]} == {f"p{i}" for i in range(len(DEPENDENT))}
    for i, (around, branch) in enumerate(INDEPENDENT, len(DEPENDENT)):
        assert fixed[f"p{i}"] == {"x-order": i, **around, **branch}


@pytest.mark.parametrize(
    ("ref", "stays"),
    [
        ("#/properties/o~1ne/anyOf/0", {"o/ne"}),
        ("#/$defs/Two/oneOf/0", {"Two"}),
        ("find.yaml#/parameters/properties/o~1ne/anyOf/0", {"o/ne"}),
        ("../types/t.yaml#/anyOf/0", {"t"}),
        ("#/$defs/Two", set()),
    ],
)
def test_a_branch_that_a_reference_leads_to_stays(tmp_path: Path, ref: str, stays: set[str]) -> None:
    two, text = {"oneOf": [{"type": "string"}]}, {"anyOf": [{"type": "string"}]}
    properties = {"o/ne": text, "ref": {"$ref": ref}, "two": {"$ref": "#/$defs/Two"}, "t": {"$ref": "../types/t.yaml"}}
    parameters = {"type": "object", "properties": properties, "$defs": {"Two": two}}
    value = {"name": "find", "description": "Finds.", "parameters": parameters}
    folder = project(tmp_path, find_json=json.dumps(value)) / "schemas"
    (folder / "tools/find.json").rename(folder / "tools/find.yaml")
    (folder / "types").mkdir()
    (folder / "types/t.yaml").write_text(yaml.safe_dump(text))
    assert toolgen("lint", "schemas", "--fix", cwd=tmp_path).returncode == 0

    fixed = yaml.safe_load((folder / "tools/find.yaml").read_text())["parameters"]
    branches = {"o/ne": fixed["properties"]["o/ne"], "Two": fixed["$defs"]["Two"]}
    branches["t"] = yaml.safe_load((folder / "types/t.yaml").read_text())
    assert {name for name, schema in branches.items() if schema != {"type": "string"}} == stays


HIDDEN = 'name: a\ndescription: Gets\u200b a\u202e thing.   # why\u2066\nparameters: {type: object, properties: {b: {type: string, description: "B\u00ad."}}}\n'


def test_hidden_characters_are_taken_out_where_that_is_asked_for(tmp_path: Path) -> None:
    file = (
        project(tmp_path, a_yaml=HIDDEN, b_json=json.dumps({"name": "b", "description": "Gets\u200b b."}))
        / "schemas/tools/a.yaml"
    )
    assert toolgen("lint", "schemas", "--unsafe-fixes", cwd=tmp_path).returncode == 2
    assert "0 fixed\n" in toolgen("lint", "schemas", "--fix", cwd=tmp_path).stderr
    assert file.read_text() == HIDDEN
    assert "-description: Gets" in toolgen("lint", "schemas", "--diff", "--unsafe-fixes", cwd=tmp_path).stdout
    done = toolgen("lint", "schemas", "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert "2 fixed\n" in done.stderr
    assert file.read_text() == HIDDEN.replace("\u200b", "").replace("\u202e", "").replace("\u00ad", "")
    assert done.stderr.count("[hidden-text]") == 1  # the escape in the other file is for its author
    assert "0 fixed\n" in toolgen("lint", "schemas", "--fix", "--unsafe-fixes", cwd=tmp_path).stderr


def sarif_fixes(folder: Path) -> list[tuple[str, str, list[dict[str, Any]]]]:
    """Of each finding that has a fix in SARIF: its code, the file, and what is to be replaced there."""
    report = json.loads(toolgen("lint", "schemas", "--format", "sarif", cwd=folder).stdout)
    fixes = []
    for result in report["runs"][0]["results"]:
        for fix in result.get("fixes", ()):
            (change,) = fix["artifactChanges"]
            assert change["artifactLocation"] == result["locations"][0]["physicalLocation"]["artifactLocation"]
            fixes.append((result["ruleId"], change["artifactLocation"]["uri"], change["replacements"]))
    return fixes


def replaced(text: str, replacements: list[dict[str, Any]]) -> str:
    """A text after replacements as SARIF 2.1.0 defines them (3.57): columns count from 1, and the end is exclusive."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    for each in sorted(replacements, key=lambda each: -each["deletedRegion"]["startLine"]):
        region = each["deletedRegion"]
        start = starts[region["startLine"] - 1] + region["startColumn"] - 1
        end = starts[region["endLine"] - 1] + region["endColumn"] - 1
        assert 0 <= start <= end <= len(text)
        text = text[:start] + each["insertedContent"]["text"] + text[end:]
    return text


ONE_FAULT = {
    "enum-without-type": "name: a\ndescription: A.\nparameters:\n  type: object\n  properties:\n    é:\n      enum: [x]  # é\n",
    "enum-without-type, flow": JSON.replace('"enum": [1, 2.5]', '"type": "number"'),
    "enum-without-type, last line": "name: a\ndescription: A.\nparameters:\n  type: object\n  properties: {b: {enum: [x]}}",
    "enum-without-type, block without a line end": "name: a\ndescription: A.\nparameters:\n  properties:\n    b:\n      enum: [x]",
    "union-of-one": "name: a\ndescription: A.\nparameters:\n  type: object\n  properties:\n    b:\n      anyOf:\n        - type: string\n          minLength: 2  # two\n      description: B.\n",
    "default-null": "name: a\ndescription: A.\nparameters:\n  type: object\n  properties:\n    b:\n      type: string\n      default: null\n",
    "allow-unused": "name: a\ndescription: A.\n# toolgen: allow union-of-one\nparameters: {type: object}\n",
    "allow-unused, last line": "name: a\ndescription: A.\nparameters: {type: object}  # toolgen: allow union-of-one",
}


@pytest.mark.parametrize("case", ONE_FAULT)
def test_a_fix_in_sarif_gives_the_bytes_of_fix(tmp_path: Path, case: str) -> None:
    text, name = ONE_FAULT[case], "list_json" if ONE_FAULT[case].startswith("{") else "a_yaml"
    source = f"schemas/tools/{name.replace('_', '.')}"
    file = project(tmp_path, **{name: text}) / source
    ((code, path, replacements),) = sarif_fixes(tmp_path)
    assert (code, path) == (case.split(",")[0], source)
    assert "1 fixed\n" in toolgen("lint", "schemas", "--fix", cwd=tmp_path).stderr
    assert replaced(text, replacements).encode() == file.read_bytes() != text.encode()
    assert sarif_fixes(tmp_path) == []


def test_fixes_in_sarif_are_made_one_after_the_other_too(tmp_path: Path) -> None:
    """Each finding has the fix of its own. What only an author or `--unsafe-fixes` fixes has none, nor has a faulty project."""
    files = {"find_yaml": YAML, "list_json": JSON, "hidden_yaml": HIDDEN}
    project(tmp_path / "fixed", **files)
    toolgen("lint", "schemas", "--fix", cwd=tmp_path / "fixed")
    project(tmp_path / "sarif", **files)
    for _ in range(20):
        fixes = sarif_fixes(tmp_path / "sarif")
        assert {code for code, _, _ in fixes} <= FIXABLE
        if not fixes:
            break
        _, path, replacements = fixes[0]
        file = tmp_path / "sarif" / path
        file.write_text(replaced(file.read_text(), replacements))
    for name in files:
        path = f"schemas/tools/{name.replace('_', '.')}"
        assert (tmp_path / "sarif" / path).read_text() == (tmp_path / "fixed" / path).read_text()
    project(tmp_path / "faulty", find_yaml=YAML, bad_yaml="name: bad\nparameters: 5\n")
    assert sarif_fixes(tmp_path / "faulty") == []


def spoiled(schema: Any) -> int:
    """Put what can be fixed wherever it goes: enums without a type, unions of one, defaults of null; how many there are."""
    count = 0
    if isinstance(schema, list):
        return sum(map(spoiled, schema))
    if not isinstance(schema, dict):
        return 0
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        count += spoiled(inner)
        if not isinstance(inner, dict) or "$ref" in inner:
            continue
        if "enum" in inner and isinstance(inner.pop("type", None), str):
            count += 1
        elif inner.get("type") == "string" and "default" not in inner and name not in schema.get("required", ()):
            inner["default"] = None
            count += 1
        elif isinstance(inner.get("type"), str):
            properties[name] = {"anyOf": [inner]}
            count += 1
    for word in ("items", "$defs", "additionalProperties"):
        count += spoiled(schema.get(word))
    return count


@pytest.mark.slow
def test_fixes_change_no_value_leave_none_to_fix_and_are_made_once(tmp_path: Path) -> None:
    """On GitHub's tools and the declarations of the corpus, each with faults put in."""
    listed = json.loads((ROOT / "tests/corpus/github-tools.json").read_text())["result"]["tools"]
    schemas = [(tool["name"], tool["inputSchema"]) for tool in listed]
    refused = {line.split("\t")[0] for line in (ROOT / "tests/corpus/refused.tsv").read_text().splitlines()}
    schemas += [
        (f"corpus_{n}", copy.deepcopy(row["parameters"]))
        for n, row in enumerate(DECLARATIONS)
        if row["id"] not in refused
    ]
    count = sum(spoiled(schema) for _, schema in schemas)
    folder = project(tmp_path) / "schemas/tools"
    for number, (name, schema) in enumerate(schemas):
        value = {"name": name, "description": "A tool.", "parameters": schema}
        text = json.dumps(value, indent=2) if number % 2 else yaml.safe_dump(value, sort_keys=False)
        (folder / f"{name}.{'json' if number % 2 else 'yaml'}").write_text(text, "utf-8")
    done = toolgen("lint", "schemas", "--fix", "--format", "json", cwd=tmp_path)
    remaining = Counter(row["code"] for row in json.loads(done.stdout) if row["code"] in FIXABLE)
    fixed = int(done.stderr.split(" fixed")[0].rpartition("\n")[2])
    assert (remaining, fixed) == (Counter(), count)
    assert count > 500
    texts = {path: path.read_bytes() for path in folder.iterdir()}
    assert toolgen("lint", "schemas", "--fix", cwd=tmp_path).stderr.startswith("0 fixed\n")
    assert {path: path.read_bytes() for path in folder.iterdir()} == texts
    relations = Counter()
    for seed, (name, before) in enumerate(schemas):
        (path,) = folder.glob(f"{name}.*")
        after = yaml.safe_load(path.read_text("utf-8"))["parameters"]
        relations[combine_effects(compare_schemas(before, after))] += 1
        for narrow, wide in ((before, after), (after, before)) if seed % budget(4, 1) == 0 else ():
            judge = Draft202012Validator(wide)
            assert all(is_valid(judge, value) for value in valid_values(narrow, seed)), name
    assert relations == {None: len(schemas)}


def test_a_source_that_cannot_be_written_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "schemas" / "tools").mkdir(parents=True)
    (tmp_path / "schemas" / "tools" / "find.yaml").write_text(YAML)

    def refuse(path: Path, *_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "write_text", refuse)
    done = toolgen("lint", "--fix", cwd=tmp_path)
    assert (done.returncode, "error[output-failed]" in done.stderr) == (2, True), done.stderr
    assert (tmp_path / "schemas" / "tools" / "find.yaml").read_text() == YAML
