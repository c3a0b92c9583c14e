"""The same import once more: the source's changes come, the author's stay, and each is said."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from toolgen.diagnostics import Findings
from toolgen.importing.importer import import_document, import_file
from toolgen.importing.selection import ImportSelection
from toolgen.load.loading import parse_json_document

from .imports import Result, imported

TOOL: dict[str, Any] = {
    "name": "probe",
    "description": "A tool.",
    "inputSchema": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer", "description": "B."}},
        "required": ["a"],
    },
}
OTHER: dict[str, Any] = {"name": "other", "inputSchema": {"type": "object"}}
PLACE = Path("schemas", "tools", "probe.yaml")


def changed(*ways: tuple[str, Any]) -> dict[str, Any]:
    """The tool with other values, by dotted ways; None takes a key away."""
    tool = copy.deepcopy(TOOL)
    for way, value in ways:
        *steps, last = way.split(".")
        here = tool
        for step in steps:
            here = here[step]
        if value is None:
            del here[last]
        else:
            here[last] = value
    return tool


def edited(root: Path, *pairs: tuple[str, str]) -> str:
    """Replace texts in the author's file."""
    text = (root / PLACE).read_text("utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    (root / PLACE).write_text(text, "utf-8")
    return text


def texts_of(result: Result) -> list[str]:
    return [f"{f.code} {f.message}" for f in result.findings]


def test_the_same_import_twice_changes_nothing(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL])
    before = {p: (p.read_bytes(), p.stat().st_ino) for p in (tmp_path / "schemas").rglob("*.*")}
    result = imported(tmp_path, [TOOL])
    assert result.added is not None
    assert (result.added.unchanged, result.added.created, result.added.changed) == (("probe.yaml",), (), ())
    assert {p: (p.read_bytes(), p.stat().st_ino) for p in (tmp_path / "schemas").rglob("*.*")} == before


def test_what_nobody_edited_follows_the_source(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL])
    new = changed(
        ("description", "Better."), ("inputSchema.properties.b", None), ("inputSchema.properties.c/d", {"type": "null"})
    )
    result = imported(tmp_path, [new])
    assert result.added is not None
    assert result.added.changed == ("probe.yaml",)
    assert texts_of(result) == [
        "import-source-changed '/description' of 'probe' was changed at the source",
        "import-source-changed '/parameters/properties/b' of 'probe' was removed at the source",
        "import-source-changed '/parameters/properties/c~1d' of 'probe' was added at the source",
    ]
    # It is the very text that a first import would have written.
    assert result.texts == imported(tmp_path / "first", [new]).texts


def test_edits_stay_with_their_comments_beside_what_is_new_at_the_source(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL])
    edited(
        tmp_path,
        ("name: probe\n", "# Ours.\nname: probe  # here, too\nrisk: low\n"),
        ("      description: B.\n", "      description: Of us.\n        # after\n"),
        ("required:\n", "# before\n  required:\n"),
    )
    new = changed(
        ("description", "Better.\nIn lines."),
        ("inputSchema.properties.b.type", "number"),
        ("inputSchema.properties.c", {"type": "string"}),
        ("title", "Probe"),
    )
    result = imported(tmp_path, [new])
    assert (
        result.texts["probe.yaml"]
        == """# Ours.
name: probe  # here, too
risk: low
description: |-
  Better.
  In lines.
parameters:
  type: object
  properties:
    a:
      type: string
    b:
      type: number
      description: Of us.
        # after
    c:
      type: string
  # before
  required:
    - a
display_name: Probe
"""
    )
    assert [c for c in result.codes if c != "import-source-changed"] == []
    assert imported(tmp_path, [new]).codes == []


def test_of_two_changes_to_one_key_the_authors_stays_and_it_is_said_once(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL])
    edited(tmp_path, ("description: A tool.", "description: Ours."), ("type: integer", "type: boolean"))
    new = changed(("description", "Theirs."), ("inputSchema.properties.b", None), ("title", "Probe"))
    result = imported(tmp_path, [new])
    assert result.tools["probe"] == {
        "name": "probe",
        "description": "Ours.",
        "parameters": {
            **TOOL["inputSchema"],
            "properties": {"a": {"type": "string"}, "b": {"type": "boolean", "description": "B."}},
        },
        "display_name": "Probe",
    }
    kept_findings = [f for f in result.findings if f.code == "import-kept"]
    assert [(f.level, f.span.path.endswith("tools/probe.yaml"), f.span.line) for f in kept_findings] == [
        ("warning", True, 2),
        ("warning", True, 8),
    ]
    assert kept_findings[0].message == (
        "'/description' of 'probe' changed both here and at the source, where it is now '\"Theirs.\"'; your version was kept"
    )
    assert kept_findings[1].message.endswith("at the source, where it is now gone; your version was kept")
    assert imported(tmp_path, [new]).codes == []


def test_both_sides_may_add_to_what_is_required(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL])
    edited(tmp_path, ("required:\n    - a\n", "required:\n    - a\n    - b\n"))
    new = changed(("inputSchema.required", ["c"]), ("inputSchema.properties.c", {}))
    result = imported(tmp_path, [new])
    assert result.tools["probe"]["parameters"]["required"] == ["b", "c"]
    assert "import-kept" not in result.codes


def test_the_same_edit_on_both_sides_is_no_quarrel(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL])
    text = edited(tmp_path, ("description: A tool.", 'description: "Better."'))
    result = imported(tmp_path, [changed(("description", "Better."))])
    assert (result.texts["probe.yaml"], result.codes) == (text, ["import-source-changed"])


def test_what_is_gone_at_the_source_stays_and_is_said_once(tmp_path: Path) -> None:
    first = imported(tmp_path, [TOOL, OTHER])
    result = imported(tmp_path, [OTHER])
    assert (result.texts, result.codes) == (first.texts, ["import-gone"])
    assert "'probe' no longer exists at the source" in result.findings[0].message
    assert imported(tmp_path, [OTHER]).codes == []
    edited(tmp_path, ("name: probe\n", "name: probe\nrisk: low\n"))
    back = imported(tmp_path, [OTHER, changed(("description", "Back."))])
    assert (back.tools["probe"]["risk"], back.tools["probe"]["description"]) == ("low", "Back.")


def test_what_is_new_at_the_source_is_made(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL])
    result = imported(tmp_path, [TOOL, OTHER])
    assert result.added is not None
    assert (result.added.created, result.codes) == (("other.yaml",), ["import-new"])


def test_what_the_author_took_away_does_not_come_back(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL, OTHER])
    (tmp_path / PLACE).unlink()
    assert (imported(tmp_path, [TOOL, OTHER]).codes, (tmp_path / PLACE).exists()) == ([], False)
    new = changed(("description", "Better."))
    assert (imported(tmp_path, [new, OTHER]).codes, (tmp_path / PLACE).exists()) == (["import-taken-away"], False)
    assert imported(tmp_path, [new, OTHER]).codes == []


def test_a_file_that_was_moved_is_found_by_the_name_of_its_tool(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL])
    folder = tmp_path / "schemas" / "tools" / "sub"
    folder.mkdir()
    (tmp_path / PLACE).rename(folder / "mine.yaml")
    imported(tmp_path, [changed(("description", "Better."))])
    assert yaml.safe_load((folder / "mine.yaml").read_text())["description"] == "Better."
    assert not (tmp_path / PLACE).exists()
    assert imported(tmp_path, [changed(("description", "Best."))]).codes == ["import-source-changed"]


def test_a_tool_may_have_another_name_here(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL])
    edited(tmp_path, ("name: probe", "name: inspect"))
    result = imported(tmp_path, [changed(("description", "Better."))])
    assert (result.tools["inspect"]["description"], result.codes) == ("Better.", ["import-source-changed"])


def test_names_that_were_given_stay_whatever_else_comes(tmp_path: Path) -> None:
    dotted = {**OTHER, "name": "a.b"}
    assert imported(tmp_path, [dotted]).tools.keys() == {"a_b"}
    result = imported(tmp_path, [dotted, {**OTHER, "name": "a_b"}])
    assert {name: tool.get("providers") for name, tool in result.tools.items()} == {
        "a_b": {"mcp": {"name": "a.b"}},
        "a_b_2": {"mcp": {"name": "a_b"}},
    }


def test_sources_are_told_apart_by_their_names(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL], name="one.json")
    assert imported(tmp_path, [OTHER], name="two.json").codes == []
    result = imported(tmp_path, [OTHER, changed(("title", "x"))], name="two.json")
    assert (result.added, result.codes) == (None, ["import-exists", "import-new"])
    (tmp_path / "two.json").write_text(json.dumps([changed(("title", "x"))]))
    findings = Findings()
    assert import_file(tmp_path / "two.json", "mcp", tmp_path / "schemas", findings, source="one.json") is not None
    assert [f.code for f in findings] == ["import-source-changed"]


@pytest.mark.parametrize(
    ("folder", "is_open"),
    [
        ("/dev/fd", True),
        ("/proc/self/fd", True),
        ("/development", False),
        ("/processes", False),
        ("/dev/shm/app", False),
    ],
)
def test_only_open_files_have_no_name(tmp_path: Path, folder: str, is_open: bool) -> None:
    """The number of an open file is another one each time, so all pipes of a format are one source."""
    findings = Findings()
    for name, tool in (("63", TOOL), ("64", OTHER)):
        document = parse_json_document(json.dumps([tool]), f"{folder}/{name}", findings)
        done = import_document(
            document, "mcp", tmp_path / "schemas", findings, source=None, selection=ImportSelection(), check=False
        )
        assert done is not None
    assert ("import-gone" in [finding.code for finding in findings]) == is_open


def test_braces_are_written_anew_and_that_is_said(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL])
    (tmp_path / PLACE).write_text("# ours\n" + json.dumps({**imported(tmp_path, [TOOL]).tools["probe"], "risk": "low"}))
    result = imported(tmp_path, [changed(("description", "Better."))])
    assert result.codes == ["import-rewritten", "import-source-changed"]
    assert (result.tools["probe"]["risk"], result.tools["probe"]["description"]) == ("low", "Better.")


def test_braces_inside_of_a_key_are_no_matter_of_the_others(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL])
    (tmp_path / PLACE).write_text(
        """name: probe
# of the text
description: A tool.
parameters: {type: object, properties: {a: {type: string}, b: {type: integer, description: B.}}, required: [a]}
risk: low # ours
"""
    )
    result = imported(tmp_path, [changed(("inputSchema.properties.b.type", "number"), ("description", None))])
    assert (
        result.texts["probe.yaml"]
        == """name: probe
# of the text
parameters:
  type: object
  properties:
    a:
      type: string
    b:
      type: number
      description: B.
  required:
    - a
risk: low # ours
"""
    )


def test_a_file_that_cannot_be_read_stops_it(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL, OTHER])
    text = edited(tmp_path, ("name: probe", "name: [probe"))
    result = imported(tmp_path, [changed(("description", "Better.")), changed(("name", "third"))])
    assert (result.added, result.codes) == (None, ["import-new", "not-yaml"])
    assert ((tmp_path / PLACE).read_text(), "third.yaml" in result.texts) == (text, False)


def test_two_changes_that_are_wrong_together_stop_it(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL])
    edited(tmp_path, ("type: integer\n", "type: integer\n      const: 3\n"))
    before = (tmp_path / PLACE).read_text()
    result = imported(tmp_path, [changed(("inputSchema.properties.b.type", "string"))])
    assert (result.added, result.brief[-1]) == (None, "10:14 value-contradicts")
    assert (tmp_path / PLACE).read_text() == before


def test_an_author_may_refer_to_types_of_the_project(tmp_path: Path) -> None:
    imported(tmp_path, [TOOL])
    (tmp_path / "schemas" / "types").mkdir()
    (tmp_path / "schemas" / "types" / "mine.yaml").write_text("type: integer\n")
    edited(tmp_path, ("type: integer\n", '$ref: "../types/mine.yaml"\n'))
    result = imported(tmp_path, [changed(("description", "Better."))])
    assert result.tools["probe"]["parameters"]["properties"]["b"]["$ref"] == "../types/mine.yaml"


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "[" * 100_000,
        '{"sources": []}',
        '{"sources": {"a": 1}}',
        '{"sources": {"a": {"tools": {"b": {"file": "tools/../../x.yaml", "value": {}}}, "types": {}}}}',
        '{"sources": {"a": {"tools": {"b": {"file": "/x.yaml", "value": {}}}, "types": {}}}}',
        '{"sources": {"a": {"tools": {"b": {"file": "tools/x.py", "value": {}}}, "types": {}}}}',
        '{"sources": {"a": {"tools": {"b": {"file": "tools/x.yaml", "value": '
        + "[" * 300
        + "]" * 300
        + '}}, "types": {}}}}',
        '{"sources": {"a": {"tools": {"b": {"file": "tools/x.yaml", "value": NaN}}, "types": {}}}}',
        '{"sources": {"mcp in.json": {"tools": {"probe": {"file": "tools/x.yaml", "value": 3}}, "types": {}}}}',
    ],
)
def test_a_record_that_is_none_stops_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "schemas" / "tools").mkdir(parents=True)
    (tmp_path / "schemas" / "tools" / "import.lock").write_text(text)
    assert imported(tmp_path, [TOOL]).codes == ["import-record"]
    assert [p.name for p in (tmp_path / "schemas" / "tools").iterdir()] == ["import.lock"]


def test_types_are_put_together_as_tools_are(tmp_path: Path) -> None:
    def source(color: Any, **more: Any) -> dict[str, Any]:
        parameters = [{"name": "c", "in": "query", "schema": {"$ref": "#/components/schemas/Color"}}]
        return {
            "openapi": "3.1.0",
            "info": {"title": "T", "version": "1"},
            "paths": {"/a": {"get": {"operationId": "a", "parameters": parameters}}, **more},
            "components": {"schemas": {"Color": color}},
        }

    imported(tmp_path, source({"type": "string", "enum": ["red", "blue"]}), "openapi")
    file = tmp_path / "schemas" / "types" / "Color.yaml"
    file.write_text("# ours\n" + file.read_text() + "description: A color.\n")
    result = imported(tmp_path, source({"type": "string", "enum": ["red", "green"]}), "openapi", "renamed.json")
    assert result.type_texts["Color.yaml"] == "# ours\ntype: string\nenum:\n  - red\n  - green\ndescription: A color.\n"
    assert texts_of(result) == [
        "import-source-changed '/enum' of '#/components/schemas/Color' was changed at the source",
    ]
    # A type that nothing refers to any more stays.
    paths = {"/a": {"get": {"operationId": "a"}}}
    result = imported(tmp_path, source({"type": "string"}, **paths), "openapi")
    assert (result.codes, list(result.types)) == (["import-gone", "import-source-changed"], ["Color"])


def test_another_path_of_an_operation_is_said(tmp_path: Path) -> None:
    for path in ("/v1/a", "/v2/a"):
        source = {
            "openapi": "3.1.0",
            "info": {"title": "T"},
            "paths": {path: {"get": {"operationId": "a", "summary": "A."}}},
        }
        result = imported(tmp_path, source, "openapi")
    assert texts_of(result) == ["import-source-changed 'origin/path' of 'a' was changed at the source"]
    assert imported(tmp_path, source, "openapi").codes == []


def test_a_file_that_was_moved_refers_to_the_types_from_where_it_is(tmp_path: Path) -> None:
    def source(*names: str) -> dict[str, Any]:
        parameters = [{"name": n, "in": "query", "schema": {"$ref": f"#/components/schemas/{n}"}} for n in names]
        paths = {"/a": {"get": {"operationId": "a", "parameters": parameters}}}
        schemas = {"A": {"type": "string"}, "B": {"type": "integer"}}
        return {"openapi": "3.1.0", "info": {"title": "T"}, "paths": paths, "components": {"schemas": schemas}}

    first = imported(tmp_path, source("A"), "openapi")
    moved = tmp_path / "schemas" / "tools" / "sub" / "a.yaml"
    moved.parent.mkdir()
    (tmp_path / "schemas" / "tools" / "a.yaml").unlink()
    moved.write_text("# ours\n" + first.texts["a.yaml"].replace("../types", "../../types"))
    assert imported(tmp_path, source("A"), "openapi").codes == []
    result = imported(tmp_path, source("A", "B"), "openapi")
    assert result.codes == ["import-new", "import-source-changed"]
    assert moved.read_text().startswith("# ours\n")
    refs = [p["$ref"] for p in yaml.safe_load(moved.read_text())["parameters"]["properties"].values()]
    assert refs == ["../../types/A.yaml", "../../types/B.yaml"]


def test_a_type_that_was_taken_away_is_made_again_where_something_refers_to_it(tmp_path: Path) -> None:
    parameters = [{"name": n, "in": "query", "schema": {"$ref": f"#/components/schemas/{n}"}} for n in "AB"]
    schemas = {"A": {"type": "string"}, "B": {"type": "integer"}}
    source = {
        "openapi": "3.1.0",
        "info": {"title": "T"},
        "paths": {"/a": {"get": {"operationId": "a", "parameters": parameters}}},
        "components": {"schemas": schemas},
    }
    first = imported(tmp_path, source, "openapi")
    for name in "AB":
        (tmp_path / "schemas" / "types" / f"{name}.yaml").unlink()
    file = tmp_path / "schemas" / "tools" / "a.yaml"
    file.write_text(first.texts["a.yaml"].replace('$ref: "../types/A.yaml"', "type: string"))
    result = imported(tmp_path, source, "openapi")
    assert (result.codes, list(result.types)) == (["import-made-again"], ["B"])
    assert imported(tmp_path, source, "openapi").codes == []
    (tmp_path / "schemas" / "types" / "B.yaml").write_text("type: [")
    assert imported(tmp_path, source, "openapi").codes == ["not-yaml"]


def test_an_import_that_was_killed_between_types_and_tools_is_finished_by_the_next(tmp_path: Path) -> None:
    def source(kind: str, *names: str) -> dict[str, Any]:
        parameters = [{"name": n, "in": "query", "schema": {"$ref": f"#/components/schemas/{n}"}} for n in names]
        paths = {"/a": {"get": {"operationId": "a", "parameters": parameters}}}
        schemas = {name: {"type": kind} for name in names}
        return {"openapi": "3.1.0", "info": {"title": "T"}, "paths": paths, "components": {"schemas": schemas}}

    imported(tmp_path, source("string", "A"), "openapi")
    tools = tmp_path / "schemas" / "tools"
    before = {path: path.read_bytes() for path in tools.iterdir()}
    whole = imported(tmp_path, source("integer", "A", "B"), "openapi")
    for path, data in before.items():
        path.write_bytes(data)
    again = imported(tmp_path, source("integer", "A", "B"), "openapi")
    assert (again.texts, again.type_texts) == (whole.texts, whole.type_texts)
    assert "import-kept" not in again.codes


def test_what_is_gone_and_contradicts_what_changed_says_that_its_file_can_be_deleted(tmp_path: Path) -> None:
    def source(numbers: list[int], schemas: Any) -> dict[str, Any]:
        parameters = [{"name": "c", "in": "query", "schema": {"$ref": "#/components/schemas/Used"}}]
        return {
            "openapi": "3.1.0",
            "info": {"title": "T", "version": "1"},
            "paths": {"/a": {"get": {"operationId": "a", "parameters": parameters}}},
            "components": {"schemas": {"Kind": {"type": "integer", "enum": numbers}, **schemas}},
        }

    first_branch, second_branch = ({"allOf": [{"$ref": "#/components/schemas/Kind"}], "enum": [n]} for n in (1, 2))
    used = {"oneOf": [{"$ref": "#/components/schemas/One"}, {"$ref": "#/components/schemas/Two"}]}
    imported(tmp_path, source([1, 2], {"One": first_branch, "Two": second_branch, "Used": used}), "openapi")
    news = source([1], {"One": first_branch, "Used": {"oneOf": [{"$ref": "#/components/schemas/One"}]}})
    stopped = imported(tmp_path, news, "openapi")
    (fault,) = (finding for finding in stopped.findings if finding.level == "error")
    assert (fault.code, Path(fault.span.path).name) == ("value-contradicts", "Two.yaml")
    assert fault.hint is not None
    assert "delete the file, and import again" in fault.hint
    (tmp_path / "schemas" / "types" / "Two.yaml").unlink()
    assert list(imported(tmp_path, news, "openapi").types) == ["Kind", "One", "Used"]
