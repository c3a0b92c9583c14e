"""An import as a whole: checked as a build checks, at places in the file; all of it or nothing."""

from __future__ import annotations

import json
import os
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from tests.support.budgets import budget
from tests.support.generated import Package, compiled, shipped_profiles
from toolgen.diagnostics import Findings
from toolgen.importing.formats import MODULES
from toolgen.importing.importer import import_file
from toolgen.load import limits
from toolgen.pipeline import check_project

from .imports import imported
from .strategies import ANYTHING, TOOLS

_SETTINGS = settings(
    deadline=None,
    max_examples=budget(10, 100),
    derandomize=budget(True, False),
    suppress_health_check=list(HealthCheck),
    database=None,
)

GOOD = {"name": "good", "description": "A tool.", "inputSchema": {"type": "object"}}


def broken(schema: Any) -> str:
    """A file with a good tool, and a tool with this schema on its third line."""
    return f'[{json.dumps(GOOD)},\n {{"name": "bad", "inputSchema":\n{json.dumps(schema)}}}]'


@pytest.mark.parametrize(
    ("inner", "place", "code"),
    [
        ({"type": "objekt"}, '"objekt"', "type-unknown"),
        ({"required": "yes"}, '"yes"', "schema-invalid"),
        ({"pattern": "(?=a)"}, '"(?=a)"', "pattern-unusable"),
        ({"$ref": "#/$defs/b"}, '"#/$defs/b"', "reference-dangling"),
        ({"$ref": "https://host.example/a"}, '"https:', "reference-remote"),
        ({"$ref": "../../x.yaml"}, '"../', "reference-outside"),
        ({"$ref": "good.yaml#/parameters"}, '"good', "reference-dangling"),
        ({"$ref": "../types/there.yaml"}, '"../', "reference-dangling"),
        ({"type": "string", "const": 1}, "1}", "value-contradicts"),
    ],
)
def test_what_a_build_refuses_is_refused_at_its_place(tmp_path: Path, inner: Any, place: str, code: str) -> None:
    (tmp_path / "schemas" / "types").mkdir(parents=True)
    (tmp_path / "schemas" / "types" / "there.yaml").write_text("type: string\n")
    text = broken({"type": "object", "properties": {"a": inner}})
    column = text.splitlines()[2].index(place) + 1
    assert imported(tmp_path, text).brief == [f"3:{column} {code}"]
    assert not (tmp_path / "schemas" / "tools").exists()


def test_arguments_are_an_object(tmp_path: Path) -> None:
    assert imported(tmp_path, broken({"type": "array"})).brief == ["3:10 parameters-not-object"]


def test_a_result_is_checked_at_its_place(tmp_path: Path) -> None:
    text = '[{"name": "a", "inputSchema": {"type": "object"},\n"outputSchema": {"type": "objekt"}}]'
    assert imported(tmp_path, text).brief == ["2:26 type-unknown"]


def test_all_faults_are_told(tmp_path: Path) -> None:
    tools = [{"name": f"t{i}", "inputSchema": {"type": "objekt"}} for i in range(3)]
    assert imported(tmp_path, [*tools, 1]).codes == ["import-shape", *["type-unknown"] * 3]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "not-json"),
        ('[{"name": "a", "name": "b"}]', "duplicate-key"),
        ('[{"name": "a", "n\\u0061me": "b"}]', "duplicate-key"),
        ("[NaN]", "number-out-of-range"),
        ("[1e999]", "number-out-of-range"),
        (f"[{'9' * 5_000}]", "number-out-of-range"),
        ("[" * 100_000, "too-deep"),
        ("[1] x", "not-json"),
        ('["\\ud800"]', "lone-surrogate"),
        (b'["\xff"]', "broken-utf8"),
        (b"\xff\xfe[\x00", "foreign-encoding"),
        ('["\x00"]', "control-character"),
        (b"[" + b"1," * (limits.FILE_BYTES // 2) + b"1]", "source-too-large"),
    ],
)
def test_hostile_files(tmp_path: Path, text: str | bytes, code: str) -> None:
    result = imported(tmp_path, text)
    assert (result.codes, list((tmp_path).iterdir())) == ([code], [tmp_path / "in.json"])


def test_what_is_no_file_is_never_waited_for(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "folder").mkdir()
    for name in ("loop", "folder", "missing"):
        findings = Findings()
        assert import_file(tmp_path / name, "mcp", tmp_path / "schemas", findings) is None
        assert [f.code for f in findings] == ["not-a-file" if name == "folder" else "unreadable-source"]


def test_what_is_no_file_is_called_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    findings = Findings()
    assert import_file(tmp_path / "folder", "mcp", tmp_path / "schemas", findings) is None
    (finding,) = findings
    assert finding.message.endswith(" is a folder, not a regular file")
    assert finding.hint == "pass the file that contains the tools"


@pytest.mark.parametrize("text", [json.dumps([GOOD]), yaml.safe_dump([GOOD])])
def test_a_pipe_is_read_to_its_end(tmp_path: Path, text: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(text,))
    writer.start()
    findings = Findings()
    assert import_file(tmp_path / "pipe", "mcp", tmp_path / "schemas", findings) is not None, list(findings)
    writer.join()


@pytest.mark.parametrize(("device", "code"), [("/dev/null", "empty-source"), ("/dev/zero", "source-too-large")])
def test_a_device_is_read_up_to_the_largest_size_of_a_file(tmp_path: Path, device: str, code: str) -> None:
    findings = Findings()
    assert import_file(Path(device), "mcp", tmp_path / "schemas", findings) is None
    assert [finding.code for finding in findings] == [code]


def test_the_number_of_an_open_file_is_not_the_name_of_a_source(tmp_path: Path) -> None:
    for _ in range(2):
        end, writer = os.pipe()
        os.write(writer, json.dumps([GOOD]).encode())
        os.close(writer)
        assert import_file(Path(f"/dev/fd/{end}"), "mcp", tmp_path, Findings()) is not None
    assert "sources" in (record := json.loads((tmp_path / "tools/import.lock").read_text()))
    assert [*record["sources"]] == ["mcp -"]


@pytest.mark.parametrize(
    ("file", "out"), [("file", "file"), ("file", "file/below"), ("schemas/tools", "schemas"), ("s/types", "s")]
)
def test_a_file_in_the_place_of_a_folder_is_named(tmp_path: Path, file: str, out: str) -> None:
    (tmp_path / "in.json").write_text(json.dumps([GOOD]))
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("mine")
    findings = Findings()
    assert import_file(tmp_path / "in.json", "mcp", tmp_path / out, findings) is None
    (finding,) = findings
    assert (finding.code, finding.span.path) == ("not-a-file", (tmp_path / file).as_posix())
    assert finding.message.endswith("is a regular file, not a folder")
    assert "--out" in (finding.hint or "")
    assert (tmp_path / file).read_text() == "mine"


def test_a_second_import_of_the_same_changes_nothing(tmp_path: Path) -> None:
    first = imported(tmp_path, [GOOD])
    inode = (tmp_path / "schemas" / "tools" / "good.yaml").stat().st_ino
    second = imported(tmp_path, [GOOD])
    assert first.added is not None
    assert second.added is not None
    assert (first.added.created, second.added.created, second.added.unchanged) == (("good.yaml",), (), ("good.yaml",))
    assert (tmp_path / "schemas" / "tools" / "good.yaml").stat().st_ino == inode


def test_a_file_with_another_text_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "schemas" / "tools" / "good.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("name: good\nrisk: low\n")
    result = imported(tmp_path, [GOOD, {**GOOD, "name": "other"}])
    assert (result.codes, sorted(result.texts)) == (["import-exists"], ["good.yaml"])
    assert result.findings[0].span.path.endswith("schemas/tools/good.yaml")
    assert file.read_text().endswith("risk: low\n")


@pytest.mark.parametrize("name", ["good", "GOOD", "g-o-o-d"])
def test_a_name_that_the_project_has_in_another_file_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "schemas" / "tools" / "sub"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(f"name: {name}\n")
    result = imported(tmp_path, [GOOD])
    assert result.codes == ["tool-duplicate" if name == "good" else "tool-names-collide"]
    assert result.findings[0].span.path.endswith("in.json")
    assert "schemas/tools/sub/mine.yaml" in result.findings[0].message


def test_an_alias_that_the_project_has_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "schemas" / "tools"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("name: mine\naliases: [good]\n")
    assert imported(tmp_path, [GOOD]).codes == ["alias-collides"]


def test_faults_that_the_project_has_already_are_no_matter_of_an_import(tmp_path: Path) -> None:
    folder = tmp_path / "schemas" / "tools"
    folder.mkdir(parents=True)
    (folder / "broken.yaml").write_text("name: [\n")
    (folder / "notes.txt").write_text("mine")
    assert imported(tmp_path, [GOOD]).codes == []
    assert ((folder / "broken.yaml").read_text(), (folder / "notes.txt").read_text()) == ("name: [\n", "mine")


def test_what_the_project_holds_to_be_an_error_is_one(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "toolgen.yaml").write_text("lint: {tool-without-description: error}\n")
    assert imported(tmp_path, [{"name": "a", "inputSchema": {"type": "object"}}]).brief == [
        "1:11 tool-without-description"
    ]
    assert imported(tmp_path, [GOOD]).codes == []


def test_a_declaration_that_could_not_be_read_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.importing.import_plan.dump_declaration", lambda value: "name: other\n")
    assert imported(tmp_path, [GOOD]).codes == ["import-unreadable"]


def test_what_is_deeper_in_a_declaration_than_in_its_file_is_refused(tmp_path: Path) -> None:
    codes = set()
    for depth in range(limits.DEPTH - 6, limits.DEPTH + 1):
        value: Any = 1
        for _ in range(depth):
            value = [value]
        codes.add(tuple(imported(tmp_path / str(depth), [{**GOOD, "_meta": value}]).codes))
    assert codes == {(), ("import-unreadable",), ("too-deep",)}


@given(TOOLS)
@_SETTINGS
def test_what_is_imported_is_what_the_project_reads(tools: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder, shipped_profiles("mcp"):
        result = imported(Path(folder), tools)
        if result.added is None:
            return
        findings = Findings()
        project = check_project(Path(folder) / "schemas", findings)
        assert project is not None, list(findings)
        read = {_own(d.value): d.value for d in project.sources.tools}
        assert set(read) == {tool["name"] for tool in tools if tool["name"]} | ({None} & set(read))
        for tool in tools:
            value = read[tool["name"] or None]
            assert json.dumps(value["parameters"]) == json.dumps(_typed(tool["inputSchema"]))
            assert json.dumps(value.get("result")) == json.dumps(tool.get("outputSchema"))
            assert value.get("description") == tool.get("description")
            assert json.dumps(value.get("annotations")) == json.dumps(tool.get("annotations"))


def _own(declaration: Any) -> str | None:
    if declaration["name"] == "tool" and "name" not in declaration.get("providers", {}).get("mcp", {}):
        return None
    return str(declaration.get("providers", {}).get("mcp", {}).get("name", declaration["name"]))


def _typed(schema: dict[str, Any]) -> dict[str, Any]:
    return schema if "type" in schema else {"type": "object", **schema}


@pytest.mark.slow
@given(TOOLS)
@settings(_SETTINGS, max_examples=budget(3, 12))
def test_what_is_imported_is_built_and_runs(tools: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        if imported(Path(folder), tools).added is not None:
            package = Package(compiled(Path(folder) / "schemas"), Path(folder))
            definitions = package.module("tools").DEFINITIONS
            assert len([definitions[name] for name in definitions]) == len(tools)


@given(ANYTHING)
@_SETTINGS
def test_no_value_is_more_than_findings(value: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for format in MODULES:
            imported(Path(folder) / format, value, format)
