"""Which tools of a file are imported: by name, by tag, and those without a fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.importing.imports import imported
from toolgen.importing.selection import ImportSelection


def tool(name: str, parameters: Any = None) -> dict[str, Any]:
    return {"name": name, "description": "Does it.", "inputSchema": parameters or {"type": "object", "properties": {}}}


SOUND, FAULTY = {"type": "string"}, {"type": "string", "pattern": "(?=a)b"}
PETS: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets": {
            "get": {"operationId": "listPets", "tags": ["pets"], "parameters": [{"$ref": "#/components/parameters/Limit"}]},
            "post": {"operationId": "addPet", "tags": ["pets", "admin"], "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}},
        },
        "/shops/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": SOUND}],
            "get": {"operationId": "getShop", "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Shop"}}}}}},
        },
    },
    "components": {
        "parameters": {"Limit": {"name": "limit", "in": "query", "schema": {"type": "integer"}}},
        "schemas": {
            "Pet": {"type": "object", "properties": {"name": {"$ref": "#/components/schemas/Name"}}},
            "Name": SOUND,
            "Shop": {"type": "object", "properties": {"pet": {"$ref": "#/components/schemas/Pet"}}},
        },
    },
}  # fmt: skip


def changed(*way: str, to: Any) -> dict[str, Any]:
    """The document with another value at a place."""
    import copy

    document = copy.deepcopy(PETS)
    holder: Any = document
    for step in way[:-1]:
        holder = holder[step]
    holder[way[-1]] = to
    return document


@pytest.mark.parametrize(
    ("choice", "names", "types"),
    [
        (ImportSelection(only=("list*",)), ["listPets"], []),
        (ImportSelection(only=("listPets", "getShop")), ["getShop", "listPets"], ["Name", "Pet", "Shop"]),
        (ImportSelection(tags=("admin",)), ["addPet"], ["Name"]),
        (ImportSelection(tags=("pets",), only=("add*", "get*")), ["addPet"], ["Name"]),
        (ImportSelection(), ["addPet", "getShop", "listPets"], ["Name", "Pet", "Shop"]),
    ],
)
def test_tools_are_chosen_with_the_types_that_they_need(
    tmp_path: Path, choice: ImportSelection, names: list[str], types: list[str]
) -> None:
    done = imported(tmp_path, PETS, "openapi", choice=choice)
    assert (sorted(done.tools), sorted(done.types)) == (names, types)


@pytest.mark.parametrize("choice", [ImportSelection(only=("lst*",)), ImportSelection(tags=("pet",))])
def test_what_fits_no_tool_is_an_error(tmp_path: Path, choice: ImportSelection) -> None:
    done = imported(tmp_path, PETS, "openapi", choice=choice)
    assert (done.codes, done.tools) == (["import-not-found"], {})


@pytest.mark.parametrize(
    ("document", "imported_names"),
    [
        (changed("components", "schemas", "Name", to=FAULTY), ["listPets"]),
        (changed("components", "schemas", "Shop", to={"type": "text"}), ["addPet", "listPets"]),
        (changed("components", "parameters", "Limit", to={"name": 5, "in": "query"}), ["addPet", "getShop"]),
        (changed("paths", "/shops/{id}", "parameters", to=[]), ["addPet", "listPets"]),
        (changed("paths", "/pets", "get", "operationId", to="addPet"), ["addPet", "getShop"]),
        (changed("paths", "/pets", "get", "operationId", to=7), ["addPet", "getShop"]),
    ],
)
def test_faulty_tools_are_left_out_and_named(tmp_path: Path, document: Any, imported_names: list[str]) -> None:
    stopped = imported(tmp_path / "all", document, "openapi")
    assert (stopped.added, stopped.tools) == (None, {})
    done = imported(tmp_path / "some", document, "openapi", choice=ImportSelection(skip_faulty=True))
    assert sorted(done.tools) == imported_names
    left_out = [finding for finding in done.findings if finding.code == "import-left-out"]
    assert len(left_out) == 3 - len(imported_names)
    assert all(finding.level == "warning" for finding in left_out)


def test_a_fault_of_a_tool_that_is_not_asked_for_does_not_matter(tmp_path: Path) -> None:
    source = {"tools": [tool("good"), tool("bad", {"type": "object", "properties": {"a": FAULTY}})]}
    assert imported(tmp_path / "a", source).codes == ["pattern-unusable"]
    done = imported(tmp_path / "b", source, choice=ImportSelection(only=("good",)))
    assert (done.codes, sorted(done.tools)) == ([], ["good"])


def test_where_every_tool_is_faulty_nothing_is_imported(tmp_path: Path) -> None:
    done = imported(tmp_path, {"tools": [tool("bad", {"type": "object", "properties": {"a": FAULTY}})]}, choice=ImportSelection(skip_faulty=True))  # fmt: skip
    assert (done.codes, done.tools) == (["import-left-out", "import-nothing"], {})


def test_what_was_not_asked_for_again_is_not_gone(tmp_path: Path) -> None:
    imported(tmp_path, PETS, "openapi")
    done = imported(tmp_path, PETS, "openapi", choice=ImportSelection(only=("listPets",)))
    assert done.codes == []
    assert sorted(done.tools) == ["addPet", "getShop", "listPets"]
    assert imported(tmp_path, PETS, "openapi").codes == []
    less = changed("paths", "/shops/{id}", to={})
    assert (
        imported(tmp_path, less, "openapi", choice=ImportSelection(only=("listPets",))).codes == ["import-gone"] * 3
    )  # the tool, Shop, and Pet, which it alone refers to


def test_a_check_writes_nothing_and_says_what_changed(tmp_path: Path) -> None:
    first = imported(tmp_path, PETS, "openapi", check=True)
    assert (first.differs, first.tools, first.codes) == (True, {}, [])
    imported(tmp_path, PETS, "openapi")
    assert imported(tmp_path, PETS, "openapi", check=True).differs is False
    news = changed("paths", "/pets", "get", "summary", to="All pets.")
    for _ in range(2):
        done = imported(tmp_path, news, "openapi", check=True)
        assert (done.differs, done.codes) == (True, ["import-source-changed"])
        assert done.tools["listPets"]["description"] == "GET /pets."


REPAIRS = {
    "required": ({"type": "object", "required": ["a", "a"], "properties": {"a": {}}}, {"type": "object", "required": ["a"], "properties": {"a": {}}}),
    "enum": ({"type": "string", "enum": ["a", True, None]}, {"type": "string", "enum": ["a"]}),
    "enum of numbers": ({"type": "string", "enum": [4, 4.5]}, {"type": "string", "enum": ["4", "4.5"]}),
    "empty enum": ({"type": "string", "enum": []}, {"type": "string"}),
    "empty union": ({"type": "string", "anyOf": []}, {"type": "string"}),
    "empty tuple": (
        {"type": "array", "prefixItems": [], "items": False, "maxItems": 0},
        {"type": "array", "items": False, "maxItems": 0},
    ),
    "empty older tuple": (
        {"type": "array", "items": [], "additionalItems": {"type": "string"}},
        {"type": "array", "items": {"type": "string"}},
    ),
    "no alternative": ({"description": "X", "oneOf": []}, {"description": "X"}),
    "no parts": ({"type": "string", "allOf": []}, {"type": "string"}),
    "a required property": (
        {"type": "object", "properties": {"a": {"type": "string", "required": True}, "b": {}}, "required": ["b"]},
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["b", "a"]},
    ),
    "an optional property": ({"properties": {"a": {"required": False}}}, {"properties": {"a": {}}}),
    "pattern": ({"type": "string", "format": "email", "pattern": "^(?!a)b"}, {"type": "string", "format": "email"}),
    "type in capitals": ({"type": "STRING", "minLength": 1}, {"type": "string", "minLength": 1}),
    "types in capitals": ({"type": ["Array", "null"], "items": {}}, {"type": ["array", "null"], "items": {}}),
    "a type of Python": ({"type": "dict", "properties": {}}, {"type": "object", "properties": {}}),
    "types of Python": ({"type": ["str", "Int", "float", "list", "bool", "NoneType"], "items": {}}, {"type": ["string", "integer", "number", "array", "boolean", "null"], "items": {}}),
    "two names of a type": ({"type": ["list", "tuple"], "items": {}}, {"type": "array", "items": {}}),
    "any type": ({"type": "any", "title": "X"}, {"title": "X"}),
    "any type of several": ({"type": ["Any", "null"]}, {}),
    "empty properties": ({"type": "object", "properties": []}, {"type": "object", "properties": {}}),
    "required that is null": ({"type": "object", "properties": {"a": {}}, "required": None}, {"type": "object", "properties": {"a": {}}}),
    "a rule that is null": ({"type": "string", "maxLength": None, "default": None}, {"type": "string", "default": None}),
    "items that are null": ({"type": "array", "items": None}, {"type": "array"}),
    "no union": ({"type": "string", "anyOf": None}, {"type": "string"}),
    "nothing required": ({"type": "array", "items": {"required": False}}, {"type": "array", "items": {}}),
    "nullable": ({"type": "integer", "nullable": True}, {"type": ["integer", "null"]}),
    "a nullable union": ({"anyOf": [{"type": "integer"}], "nullable": True}, {"anyOf": [{"anyOf": [{"type": "integer"}]}, {"type": "null"}]}),
    "recursion": (
        {"type": "object", "$recursiveAnchor": True, "properties": {"next": {"$recursiveRef": "#"}}},
        {"type": "object", "properties": {"next": {"$ref": "#/properties/x"}}},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("wrong", "repaired"), REPAIRS.values(), ids=REPAIRS)
def test_common_mistakes_are_repaired_and_listed(tmp_path: Path, wrong: Any, repaired: Any) -> None:
    done = imported(tmp_path, {"tools": [tool("probe", {"type": "object", "properties": {"x": wrong}})]})
    assert [code for code in done.codes if code != "default-null"] == ["import-repaired"]
    assert done.tools["probe"]["parameters"]["properties"]["x"] == repaired


@pytest.mark.parametrize(
    "format", ["mcp", "openai", "anthropic", "gemini", "agent_sdk", "kagami", "modular_prompt", "copilot_quorum"]
)
def test_every_format_repairs_odd_spellings(tmp_path: Path, format: str) -> None:
    schema = {
        "type": "object",
        "nullable": True,
        "properties": {"a": {"type": "string", "nullable": True, "required": True, "minLength": None}},
        "required": None,
    }
    key = {
        "mcp": "inputSchema",
        "anthropic": "input_schema",
        "copilot_quorum": "input_schema",
        "gemini": "parametersJsonSchema",
    }.get(format, "parameters")
    probe: dict[str, Any] = {"name": "probe", "description": "Does it.", key: schema}
    done = imported(
        tmp_path, [{"type": "function", "function": probe} if format == "modular_prompt" else probe], format
    )
    assert done.codes == ["import-repaired"] * 5
    assert done.tools["probe"]["parameters"] == {
        "type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]
    }  # fmt: skip


@pytest.mark.parametrize("required", [True, "a", 1])
def test_required_that_may_be_meant_otherwise_is_not_repaired(tmp_path: Path, required: Any) -> None:
    wrong = {"type": "object", "properties": {"a": {}}, "required": required}
    assert imported(tmp_path, {"tools": [tool("probe", wrong)]}).codes == ["schema-invalid"]


def test_the_hint_of_the_first_error_says_what_can_be_imported(tmp_path: Path) -> None:
    faulty = {"type": "object", "properties": {"a": FAULTY, "b": FAULTY}}
    source = {"tools": [tool("good"), tool("bad", faulty), tool("fine")]}
    hints = [finding.hint or "" for finding in imported(tmp_path / "a", source).findings]
    assert ["--skip-faulty imports the 2 tools without errors" in hint for hint in hints] == [True, False]
    none_left = imported(tmp_path / "b", {"tools": [tool("bad", faulty)]})
    assert not any("--skip-faulty" in (finding.hint or "") for finding in none_left.findings)
    chosen = imported(tmp_path / "c", source, choice=ImportSelection(only=("bad", "fine")))
    assert "--skip-faulty imports the 1 tool without errors" in str(chosen.findings[0].hint)


def test_what_may_be_meant_otherwise_is_not_repaired(tmp_path: Path) -> None:
    wrong = {"type": "object", "properties": {"x": {"type": "string", "pattern": "^(?!a)b"}}}
    assert imported(tmp_path, {"tools": [tool("probe", wrong)]}).codes == ["pattern-unusable"]


@pytest.mark.parametrize("kind", ["date", "file", "Optional[str]"])
def test_a_type_that_says_more_than_a_type_is_not_repaired(tmp_path: Path, kind: str) -> None:
    wrong = {"type": "object", "properties": {"x": {"type": kind}}}
    assert imported(tmp_path, {"tools": [tool("probe", wrong)]}).codes == ["type-unknown"]


def test_a_schema_among_types_is_not_lost(tmp_path: Path) -> None:
    kinds = ["str", {"type": "object"}]
    wrong = {"type": "object", "properties": {"x": {"type": kinds}}}
    assert imported(tmp_path, {"tools": [tool("probe", wrong)]}).codes == ["type-unknown"]


@pytest.mark.parametrize(
    ("fault", "code", "name"),
    [
        ('"title": "\\ud800"', "lone-surrogate", "in.json"),
        ('"\\ud800": 1', "lone-surrogate", "in.json"),
        ('"x": 1, "x": 2', "duplicate-key", "in.json"),
        ('"x": 1, "x": 2', "duplicate-key", "in.yaml"),
        ('"x": 1e999', "number-out-of-range", "in.json"),
        ('"x": 1e999', "number-out-of-range", "in.yaml"),
    ],
)
def test_a_fault_of_the_text_concerns_only_the_tool_around_it(tmp_path: Path, fault: str, code: str, name: str) -> None:
    tools = [json.dumps(tool("good")), json.dumps(tool("bad"))[:-1] + f", {fault}}}", json.dumps(tool("fine"))]
    text = f'{{"tools": [{", ".join(tools)}]}}'
    stopped = imported(tmp_path / "a", text, name=name)
    assert (stopped.codes, stopped.tools) == ([code], {})
    done = imported(tmp_path / "b", text, name=name, choice=ImportSelection(skip_faulty=True))
    assert (done.codes, sorted(done.tools)) == (["import-left-out"], ["fine", "good"])
    chosen = imported(tmp_path / "c", text, name=name, choice=ImportSelection(only=("good",)))
    assert (chosen.codes, sorted(chosen.tools)) == ([], ["good"])


def test_a_fault_of_the_text_outside_tools_stops_the_import(tmp_path: Path) -> None:
    text = f'{{"x": "\\ud800", "tools": [{json.dumps(tool("good"))}]}}'
    done = imported(tmp_path, text, choice=ImportSelection(skip_faulty=True))
    assert (done.codes, done.tools) == (["lone-surrogate"], {})
