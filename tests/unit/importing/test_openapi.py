"""What of an OpenAPI document becomes tools and types, and what stops it."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.budgets import budget
from tests.support.generated import Package, compiled
from toolgen.diagnostics import Findings
from toolgen.importing.formats.openapi.operations import choose_media_type
from toolgen.pipeline import check_project

from .imports import Result, imported

PETSTORE = (Path(__file__).parent / "petstore.yaml").read_text("utf-8")
DONE = {"200": {"description": "Done."}}


def document(paths: Any, components: Any = None, version: Any = "3.1.0", **more: Any) -> dict[str, Any]:
    """A document with these paths."""
    parts = {"components": components} if components is not None else {}
    return {"openapi": version, "info": {"title": "T", "version": "1"}, "paths": paths, **parts, **more}


def operation(root: Path, entry: Mapping[str, Any], path: str = "/a", **more: Any) -> tuple[dict[str, Any], Result]:
    """The declaration of a single operation, and the import."""
    source = document({path: {"post": {"operationId": "probe", "responses": DONE, **entry}}}, **more)
    result = imported(root, source, "openapi")
    assert result.added is not None, result.findings
    return result.tools["probe"], result


def body(schema: Any, media: str = "application/json", *, required: bool = True) -> dict[str, Any]:
    return {"requestBody": {"required": required, "content": {media: {"schema": schema}}}}


def lowered(root: Path, schema: Any, version: str = "3.0.3") -> Any:
    """A schema as that of a parameter becomes."""
    entry = {"parameters": [{"name": "p", "in": "query", "schema": schema}]}
    return operation(root, entry, version=version)[0]["parameters"]["properties"]["p"]


@pytest.fixture(scope="module")
def petstore(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return imported(tmp_path_factory.mktemp("petstore"), PETSTORE, "openapi", "in.yaml")


def test_a_reference_in_place_of_an_operation_is_followed(tmp_path: Path) -> None:
    shared = {"operationId": "probe", "parameters": [{"name": "b", "in": "path", "schema": {"type": "string"}}]}
    tool, result = operation(tmp_path, {"$ref": "#/x-shared"}, "/a/{b}", **{"x-shared": {**shared, "responses": DONE}})
    assert list(tool["parameters"]["properties"]) == ["b"]
    assert not result.findings


def test_an_operation_is_a_tool(petstore: Result) -> None:
    assert sorted(petstore.tools) == [
        *("createDog", "deletePet", "get_pets_petId", "listPets"),
        *("movePet", "pets_create", "replacePet", "uploadPhoto"),
    ]
    assert petstore.tools["listPets"] == {
        "name": "listPets",
        "description": "All pets, page by page.",
        "parameters": {
            "type": "object",
            "properties": {
                "limit": {
                    "type": "integer",
                    "format": "int32",
                    "maximum": 100,
                    "exclusiveMinimum": 0,
                    "description": "How many.",
                    "examples": [10],
                },
                "X-Trace": {"type": "string", "format": "uuid"},
            },
        },
        "result": {"type": "array", "items": {"$ref": "../types/Pet.yaml"}},
        "display_name": "List pets",
        "annotations": {"readOnlyHint": True},
    }


def test_what_the_document_says_of_a_path_counts_for_its_operations(petstore: Result) -> None:
    of = {name: petstore.tools[name]["parameters"]["properties"]["petId"] for name in ("get_pets_petId", "deletePet")}
    assert of == {
        "get_pets_petId": {"type": "string", "description": "The pet."},
        "deletePet": {"type": "integer"},
    }
    assert petstore.tools["deletePet"]["parameters"]["required"] == ["petId"]
    assert petstore.tools["deletePet"]["deprecated"] is True
    assert "annotations" not in petstore.tools["deletePet"]
    assert not any("risk" in tool for tool in petstore.tools.values())


def test_named_schemas_are_shared_types_apart_for_requests_where_they_differ(petstore: Result) -> None:
    assert sorted(petstore.types) == ["CatInput", "DogInput", "Pet", "PetInput", "Tag"]
    pet, pet_input = petstore.types["Pet"], petstore.types["PetInput"]
    assert (pet["required"], pet_input["required"]) == (["id", "name"], ["name"])
    assert ("id" in pet["properties"], "id" in pet_input["properties"]) == (True, False)
    assert pet["properties"]["friends"] == {"type": "array", "items": {"$ref": "Pet.yaml"}}
    assert pet_input["properties"]["parent"] == {"anyOf": [{"$ref": "PetInput.yaml"}, {"type": "null"}]}
    assert pet["properties"]["nick"] == {"type": ["string", "null"], "enum": ["a", "b", None]}
    assert pet["properties"]["tag"] == {"$ref": "Tag.yaml", "description": "Its tag."}
    assert petstore.tools["pets_create"]["result"] == {"$ref": "../types/Pet.yaml"}


def test_the_members_of_a_plain_body_stand_beside_the_parameters(petstore: Result) -> None:
    upload = petstore.tools["uploadPhoto"]["parameters"]
    assert (list(upload["properties"]), upload["required"]) == (["petId", "file", "caption"], ["petId", "file"])
    dog = petstore.tools["createDog"]["parameters"]
    assert list(dog["properties"]) == ["name", "nick", "parent", "friends", "tag", "bark", "kind"]
    assert dog["required"] == ["name", "bark"]


def test_any_other_body_is_one_argument(petstore: Result) -> None:
    replace = petstore.tools["replacePet"]["parameters"]
    assert (replace["properties"]["body"], replace["required"]) == (
        {
            "oneOf": [{"$ref": "../types/DogInput.yaml"}, {"$ref": "../types/CatInput.yaml"}],
            "description": "The new pet.",
        },
        ["petId"],
    )


def test_names_that_meet_are_grouped_by_their_places(petstore: Result) -> None:
    move = petstore.tools["movePet"]["parameters"]
    assert move == {
        "type": "object",
        "properties": {
            "path": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
            "query": {"type": "object", "properties": {"id": {"type": "integer"}}},
            "body": {"type": "object", "properties": {"to": {"type": "string"}}},
        },
        "required": ["path"],
    }


def test_what_is_left_out_is_said(petstore: Result) -> None:
    left_out = sorted(f"{f.code} {f.message.partition(' was left out')[0]}" for f in petstore.findings)
    assert [line for line in left_out if line.startswith("import-keyword")] == [
        f"import-keyword the keyword '{keyword}'"
        for keyword in ("discriminator", "example", "nullable", "x-internal", "xml")
    ]
    assert sorted({f.code for f in petstore.findings}) == [
        *("import-grouped", "import-header-ignored", "import-keyword", "import-media", "import-renamed")
    ]


def test_the_record_says_where_a_tool_came_from(tmp_path: Path) -> None:
    imported(tmp_path, PETSTORE, "openapi", "in.yaml")
    record = json.loads((tmp_path / "schemas" / "tools" / "import.lock").read_text())
    source = record["sources"]["openapi Pet store"]
    assert (source["title"], source["version"]) == ("Pet store", "1.2.0")
    assert source["tools"]["pets.create"]["file"] == "tools/pets_create.yaml"
    assert source["tools"]["uploadPhoto"]["origin"] == {
        "method": "POST",
        "path": "/pets/{petId}/photo",
        "arguments": {"petId": "path", "file": "body", "caption": "body"},
        "body": "multipart/form-data",
        "security": [{"key": []}],
        "servers": [{"url": "https://pets.example/v1"}],
    }
    assert source["types"]["#/components/schemas/Pet in requests"]["file"] == "types/PetInput.yaml"


def origin(root: Path) -> dict[str, Any]:
    record = json.loads((root / "schemas" / "tools" / "import.lock").read_text())
    return record["sources"]["openapi T"]["tools"]["probe"]["origin"]


def test_a_handler_learns_how_to_write_a_request(tmp_path: Path) -> None:
    text = {"schema": {"type": "string"}}
    parameters = [
        {"name": "usual", "in": "query", "style": "form", "explode": True, **text},
        {"name": "piped", "in": "query", "style": "pipeDelimited", "explode": False, **text},
        {"name": "joined", "in": "query", "explode": False, **text},
        {"name": "exploded", "in": "header", "explode": True, **text},
        {"name": "deep", "in": "query", "style": "deepObject", "explode": True, **text},
        {"name": "raw", "in": "query", "allowReserved": True, **text},
        {"name": "filter", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}},
    ]
    entry = {"parameters": parameters, "security": [], "servers": [{"url": "https://other.example"}]}
    operation(tmp_path, entry)
    assert origin(tmp_path)["spelling"] == {
        "query": {
            "piped": {"style": "pipeDelimited"},
            "joined": {"explode": False},
            "deep": {"style": "deepObject", "explode": True},
            "raw": {"allowReserved": True},
            "filter": {"media": "application/json"},
        },
        "header": {"exploded": {"explode": True}},
    }
    assert (origin(tmp_path).get("security"), origin(tmp_path)["servers"]) == (None, entry["servers"])


def test_a_body_of_many_nested_parts_is_read_in_one_pass(tmp_path: Path) -> None:
    schemas: dict[str, Any] = {"S0": {"type": "object", "properties": {"a": {"type": "string"}}}}
    for level in range(1, 40):
        schemas[f"S{level}"] = {"allOf": [{"$ref": f"#/components/schemas/S{level - 1}"}] * 2}
    tool, _ = operation(tmp_path, body({"$ref": "#/components/schemas/S39"}), components={"schemas": schemas})
    assert tool["parameters"]["required"] == ["body"]


def test_what_is_imported_is_built_and_runs(tmp_path: Path) -> None:
    imported(tmp_path, PETSTORE, "openapi", "in.yaml")
    package = Package(compiled(tmp_path / "schemas"), tmp_path)
    tools = package.module("tools")
    arguments = {"name": "Rex", "friends": [{"name": "Bo", "parent": None, "friends": []}]}
    assert tools.parse_arguments("pets_create", json.dumps(arguments)).friends[0].name == "Bo"
    with pytest.raises(tools.ArgumentsError):
        tools.parse_arguments("pets_create", '{"name": "Rex", "friends": [{"nick": "c", "name": "x"}]}')


@pytest.mark.parametrize("version", ["3.0.0", "3.0.4", "3.1.0", "3.1.1", "3.2.0", "3.1"])
def test_versions_that_are_read(tmp_path: Path, version: str) -> None:
    assert operation(tmp_path, {}, version=version)[0] == {
        "name": "probe",
        "description": "POST /a.",
        "parameters": {"type": "object", "properties": {}},
    }


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": False}, {"type": "integer", "minimum": 1}),
        ({"type": "integer", "maximum": 1, "exclusiveMaximum": True}, {"type": "integer", "exclusiveMaximum": 1}),
        ({"type": "string", "example": "a"}, {"type": "string", "examples": ["a"]}),
        ({"type": "string", "example": 3}, {"type": "string"}),
        (
            {"nullable": True, "description": "d", "oneOf": [{"type": "string"}, {"type": "integer"}]},
            {"description": "d", "anyOf": [{"oneOf": [{"type": "string"}, {"type": "integer"}]}, {"type": "null"}]},
        ),
        (
            {"type": "object", "nullable": True, "properties": {"nullable": {"type": "string"}, "x-a": {}}},
            {"type": ["object", "null"], "properties": {"nullable": {"type": "string"}, "x-a": {}}},
        ),
        ({"type": "object", "default": {"example": 1}}, {"type": "object", "default": {"example": 1}}),
    ],
)
def test_the_dialect_of_version_3_0(tmp_path: Path, schema: Any, wanted: Any) -> None:
    assert lowered(tmp_path, schema) == wanted


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"const": 1}, {"const": 1}),
        (True, True),
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        ({"type": ["string", "null"], "nullable": True}, {"type": ["string", "null"]}),
        ({"type": ["string", "integer"], "nullable": True}, {"type": ["string", "integer", "null"]}),
        ({"type": "string", "nullable": True, "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        (
            {"oneOf": [{"type": "string"}], "nullable": True},
            {"anyOf": [{"oneOf": [{"type": "string"}]}, {"type": "null"}]},
        ),
        ({"nullable": True}, {}),
        ({"type": "string", "examples": ["a", 1], "example": "b"}, {"type": "string", "examples": ["a", "b"]}),
    ],
)
def test_the_dialect_of_version_3_1(tmp_path: Path, schema: Any, wanted: Any) -> None:
    assert lowered(tmp_path, schema, "3.1.0") == wanted


def test_beside_a_reference_nullable_counts_from_3_1_on(tmp_path: Path) -> None:
    components = {"schemas": {"A": {"type": "string"}}}
    schema = {"$ref": "#/components/schemas/A", "nullable": True}
    entry = {"parameters": [{"name": "p", "in": "query", "schema": schema}]}
    tool, result = operation(tmp_path, entry, components=components, version="3.1.0")
    reference = {"$ref": "../types/A.yaml"}
    assert tool["parameters"]["properties"]["p"] == {"anyOf": [reference, {"type": "null"}]}
    assert result.codes == []


def test_a_back_reference_in_a_shared_type_stops_no_operation(tmp_path: Path) -> None:
    """No pattern of a declaration can say the same, so the model reads it in the description."""
    quoted = {"type": "string", "pattern": r"^(['\"]).*\1$", "description": "A text in quotes."}
    named = {"type": "string", "pattern": r"^(?<q>['\"])x\k<q>$"}
    escaped = {"type": "string", "pattern": r"^\\1$"}
    components = {"schemas": {"Quoted": quoted, "Named": named, "Escaped": escaped}}
    parameters = [
        {"name": name, "in": "query", "schema": {"$ref": f"#/components/schemas/{name}"}}
        for name in components["schemas"]
    ]
    paths = {f"/{i}": {"get": {"operationId": f"get{i}", "parameters": parameters}} for i in range(3)}
    document = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths, "components": components}
    done = imported(tmp_path, document, "openapi")
    assert (sorted(done.tools), done.codes) == (["get0", "get1", "get2"], ["import-weakened"] * 2)
    assert done.types == {
        "Quoted": {"type": "string", "description": rf"A text in quotes. Matches {quoted['pattern']}"},
        "Named": {"type": "string", "description": rf"Matches {named['pattern']}"},
        "Escaped": escaped,
    }


def test_beside_a_reference_keywords_count_from_3_1_on(tmp_path: Path) -> None:
    components = {"schemas": {"A": {"type": "string"}}}
    for version, wanted in (("3.0.3", {}), ("3.1.0", {"minLength": 1})):
        schema = {"$ref": "#/components/schemas/A", "minLength": 1}
        entry = {"parameters": [{"name": "p", "in": "query", "schema": schema}]}
        tool, _ = operation(tmp_path / version, entry, components=components, version=version)
        assert tool["parameters"]["properties"]["p"] == {"$ref": "../types/A.yaml", **wanted}


@pytest.mark.parametrize(
    ("details", "names", "required"),
    [
        (body({"type": "object", "properties": {"a": {}}, "required": ["a"]}), ["a"], ["a"]),
        (body({"type": "object", "properties": {"a": {}}}, required=False), ["a"], []),
        (body({"type": "object", "properties": {"a": {}}, "required": ["a"]}, required=False), ["body"], []),
        (body({"type": "array", "items": {}}), ["body"], ["body"]),
        (body({"type": "object", "additionalProperties": {"type": "string"}}), ["body"], ["body"]),
        (body({"type": "object"}), ["body"], ["body"]),
        (body({"type": "object", "properties": {"a": {}}, "minProperties": 1}), ["body"], ["body"]),
        (body({"type": "string", "format": "binary"}, "application/octet-stream"), ["body"], ["body"]),
        ({"requestBody": {"content": {"text/plain": {}}}}, ["body"], []),
        (body({"type": "object", "properties": {"body": {}}}), ["body"], []),
    ],
)
def test_bodies(tmp_path: Path, details: Any, names: list[str], required: list[str]) -> None:
    parameters = operation(tmp_path, details)[0]["parameters"]
    assert (list(parameters["properties"]), parameters.get("required", [])) == (names, required)


def test_a_closed_body_closes_the_arguments(tmp_path: Path) -> None:
    details = body({"type": "object", "properties": {"a": {}}, "additionalProperties": False})
    details["parameters"] = [{"name": "q", "in": "query", "schema": {}}]
    parameters = operation(tmp_path, details)[0]["parameters"]
    assert (list(parameters["properties"]), parameters["additionalProperties"]) == (["q", "a"], False)


def test_properties_of_responses_are_demanded_of_no_request(tmp_path: Path) -> None:
    """Also where another branch of a composition demands them."""
    base = {
        "type": "object",
        "properties": {"id": {"type": "string", "readOnly": True}, "n": {}, "p": {"writeOnly": True}},
    }
    whole = {"allOf": [{"$ref": "#/components/schemas/Base"}, {"required": ["id", "n"]}]}
    components = {
        "schemas": {
            "Base": base,
            "Whole": whole,
            "List": {"type": "array", "items": {"$ref": "#/components/schemas/Whole"}},
        }
    }
    responses = {
        "200": {"description": "", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/List"}}}}
    }
    details = {**body({"$ref": "#/components/schemas/List"}), "responses": responses}
    tool, result = operation(tmp_path, details, components=components)
    assert tool["parameters"]["properties"]["body"] == {"$ref": "../types/ListInput.yaml"}
    assert result.types["WholeInput"]["allOf"] == [{"$ref": "BaseInput.yaml"}, {"required": ["n"]}]
    assert result.types["Whole"]["allOf"] == [{"$ref": "Base.yaml"}, {"required": ["id", "n"]}]
    assert (list(result.types["BaseInput"]["properties"]), list(result.types["Base"]["properties"])) == (
        ["n", "p"],
        ["id", "n"],
    )


@pytest.mark.parametrize(
    ("schemas", "wanted"),
    [
        ({"200": {"type": "string"}, "default": {"type": "null"}}, {"type": "string"}),
        ({"204": None, "201": {"type": "string"}}, {"type": "string"}),
        ({"200": {"type": "string"}, "202": {"type": "integer"}}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"200": {"type": "string"}, "201": {"type": "string"}}, {"type": "string"}),
        ({"2XX": {"type": "string"}, "404": {"type": "null"}}, {"type": "string"}),
        ({"default": {"type": "string"}}, {"type": "string"}),
        ({"404": {"type": "string"}}, None),
        ({}, None),
    ],
)
def test_the_result_is_the_response_of_success(tmp_path: Path, schemas: Any, wanted: Any) -> None:
    responses = {
        code: {"description": "", **({"content": {"application/json": {"schema": schema}}} if schema else {})}
        for code, schema in schemas.items()
    }
    assert operation(tmp_path, {"responses": responses})[0].get("result") == wanted


def test_media_types_in_their_order() -> None:
    order = [
        "application/json; charset=utf-8",
        "application/problem+json",
        "multipart/form-data",
        "application/x-www-form-urlencoded",
        "*/*",
        "text/plain",
    ]
    for i in range(len(order)):
        assert choose_media_type(dict.fromkeys(reversed(order[i:]))) == order[i]
    assert choose_media_type({}) is None


def test_names_of_types_are_legal_and_apart(tmp_path: Path) -> None:
    names = ["a.b.Pet", "pet", "Pet", "P et", "con", "Field", "FieldType", "天"]
    components = {"schemas": {name: {"type": "string", "title": name} for name in names}}
    parameters = [
        {"name": f"p{i}", "in": "query", "schema": {"$ref": f"#/components/schemas/{name}"}}
        for i, name in enumerate(names)
    ]
    tool, result = operation(tmp_path, {"parameters": parameters}, components=components)
    refs = [
        p["$ref"].removeprefix("../types/").removesuffix(".yaml") for p in tool["parameters"]["properties"].values()
    ]
    assert refs == ["a_b_Pet", "pet", "Pet2", "P_et3", "con_", "Field", "FieldType2", "u5929"]
    assert [result.types[ref]["title"] for ref in refs] == names


def test_references_into_a_type_and_to_schemas_without_a_name(tmp_path: Path) -> None:
    components = {
        "schemas": {
            "A": {
                "type": "object",
                "properties": {"b/c": {"$ref": "#/components/schemas/A/$defs/D"}},
                "$defs": {"D": {"type": "string"}},
            }
        },
        "responses": {"R": {"description": "", "content": {"application/json": {"schema": {"type": "integer"}}}}},
    }
    refs = [
        "#/components/schemas/A/properties/b~1c",
        "#/components/responses/R/content/application~1json/schema",
        "#/components/schemas/A/properties/b%7E1c",
    ]
    parameters = [{"name": f"p{i}", "in": "query", "schema": {"$ref": ref}} for i, ref in enumerate(refs)]
    tool, result = operation(tmp_path, {"parameters": parameters}, components=components)
    inner = "../types/A.yaml#/properties/b~1c"
    shared = "components_responses_R_content_application_json_schema"
    assert [p["$ref"] for p in tool["parameters"]["properties"].values()] == [inner, f"../types/{shared}.yaml", inner]
    assert result.types[shared] == {"type": "integer"}
    assert result.types["A"]["properties"] == {"b/c": {"$ref": "A.yaml#/$defs/D"}}


PATH = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}


@pytest.mark.parametrize(
    ("source", "codes"),
    [
        ({"swagger": "2.0", "paths": {}}, ["import-swagger"]),
        ({"info": {}}, ["import-no-openapi"]),
        ([], ["import-shape"]),
        (document({}, version="4.0.0"), ["import-openapi-version"]),
        (document({}, version=3.0), ["import-openapi-version"]),
        (document({}), ["import-nothing"]),
        (document({"x-a": {}}), ["import-nothing"]),
        (document({}, webhooks={"a": {"post": {}}}), ["import-nothing", "import-webhooks"]),
        (document([]), ["import-shape"]),
        (document({"/a": []}), ["import-shape"]),
        (document({"/a": {"get": []}}), ["import-shape"]),
        (document({"/a": {"$ref": "#/paths/~1b"}, "/b": {"$ref": "#/paths/~1a"}}), ["import-reference"] * 2),
        (document({"/a/{id}": {"get": {"responses": DONE}}}), ["import-path-part"]),
        (document({"/a/{id}": {"get": {"parameters": [PATH, PATH]}}}), ["import-parameter-twice"]),
        (document({"/a": {"get": {"parameters": [{"name": "a", "in": "body"}]}}}), ["import-parameter-place"]),
        (document({"/a": {"get": {"parameters": [{"in": "query"}]}}}), ["import-shape"]),
        (document({"/a": {"get": {"parameters": {}}}}), ["import-shape"]),
        (document({"/a": {"get": {"parameters": [{"$ref": "#/x"}]}}}), ["import-reference"]),
        (document({"/a": {"get": {"parameters": [{"$ref": "x.yaml#/a"}]}}}), ["import-reference-outside"]),
        (document({"/a/{b}": {"get": {"$ref": "operations/b.yaml"}}}), ["import-reference-outside"]),
        (document({"/a": {"get": {"parameters": [{"$ref": 3}]}}}), ["import-shape"]),
        (document({"/a": {"get": {"parameters": [{"name": "a", "in": "query", "schema": 3}]}}}), ["import-shape"]),
        (document({"/a": {"get": {"operationId": 3}}}), ["import-shape"]),
        (document({"/a": {"get": {"operationId": "a"}, "put": {"operationId": "a"}}}), ["import-duplicate"]),
        (document({"/a": {"post": body({"$ref": "https://host.example/a"})}}), ["import-reference-outside"]),
        (document({"/a": {"post": body({"$ref": "#/components/schemas"})}}, {"schemas": {}}), ["import-reference"]),
        (document({"/a": {"post": body({"type": "objekt"})}}), ["type-unknown"]),
        (document({"/a": {"post": body({"items": {"$ref": "#/components/schemas/A"}})}}, {"schemas": {"A": {"type": "x"}}}), ["type-unknown"]),
        (document({}, jsonSchemaDialect="http://json-schema.org/draft-04/schema#"), ["dialect-unknown"]),
    ],
)  # fmt: skip
def test_what_stops_it_is_said(tmp_path: Path, source: Any, codes: list[str]) -> None:
    result = imported(tmp_path, source, "openapi")
    assert (result.added, [c for c in result.codes if c not in ("import-renamed",)]) == (None, codes)
    assert not (tmp_path / "schemas").exists()


def test_faults_are_told_at_their_places(tmp_path: Path) -> None:
    text = """openapi: 3.1.0
paths:
  /a:
    parameters:
    - {name: q, in: query, schema: {type: objekt}}
    get:
      responses:
        200: {content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}
components:
  schemas:
    A:
      properties:
        b: {minimum: x}
"""
    result = imported(tmp_path, text, "openapi", "in.yaml")
    assert [line for line in result.brief if "renamed" not in line] == ["5:43 type-unknown", "13:22 bound-invalid"]


def test_large_schemas_that_are_repeated_come_to_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.importing.formats.openapi.schemas.TOTAL_VALUES", 2_000)
    components = {"schemas": {"Big": {"type": "object", "properties": {f"m{i}": {} for i in range(100)}}}}
    paths = {f"/a{i}": {"post": body({"$ref": "#/components/schemas/Big"})} for i in range(40)}
    assert imported(tmp_path, document(paths, components), "openapi").codes == ["too-many-values"]


def test_circles_come_to_an_end(tmp_path: Path) -> None:
    components = {
        "schemas": {
            "A": {"$ref": "#/components/schemas/B"},
            "B": {"$ref": "#/components/schemas/A"},
            "C": {"allOf": [{"$ref": "#/components/schemas/C"}]},
        }
    }
    for name in "AC":
        source = document({"/a": {"post": body({"$ref": f"#/components/schemas/{name}"})}}, components)
        assert "reference-circle" in imported(tmp_path / name, source, "openapi").codes


def test_other_methods_of_3_2(tmp_path: Path) -> None:
    item = {"query": {"operationId": "find"}, "additionalOperations": {"COPY": {"operationId": "copy"}}}
    result = imported(tmp_path, document({"/a": item}, version="3.2.0"), "openapi")
    assert {name: tool.get("annotations") for name, tool in result.tools.items()} == {
        "find": {"readOnlyHint": True},
        "copy": None,
    }


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if not isinstance(value, dict | list):
        return [at]
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    return [at, *(place for key, item in inner for place in _places(item, (*at, key)))]


_WHOLE = yaml.safe_load(PETSTORE)
_SOMETHING: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([None, True, 0, "", "#", "#/paths", [], {}, [None], {"$ref": "#/components/schemas/Pet"}]),
    st.sampled_from(_places(_WHOLE)).map(lambda place: _at(_WHOLE, place)),
)


def _at(value: Any, place: tuple[Any, ...]) -> Any:
    for step in place:
        value = value[step]
    return value


@pytest.mark.slow
@given(st.sampled_from(_places(_WHOLE)[1:]), _SOMETHING)
@settings(
    deadline=None,
    max_examples=budget(12, 60),
    derandomize=budget(True, False),
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_no_damage_to_a_document_is_more_than_findings(place: tuple[Any, ...], value: Any) -> None:
    damaged = copy.deepcopy(_WHOLE)
    _at(damaged, place[:-1])[place[-1]] = copy.deepcopy(value)
    with tempfile.TemporaryDirectory() as folder:
        result = imported(Path(folder), damaged, "openapi")
        if result.added is not None:
            findings = Findings()
            assert check_project(Path(folder) / "schemas", findings) is not None, list(findings)


def test_a_number_on_which_readers_of_yaml_disagree_is_text_and_reported(tmp_path: Path) -> None:
    text = """\
openapi: 3.1.0
info: {title: T, version: "1"}
paths:
  /a:
    get:
      operationId: probe
      parameters:
        - {name: code, in: query, schema: {type: string, examples: [02894]}}
        - {name: month, in: query, schema: {type: integer, maximum: 12}, example: 08}
      responses: {"200": {description: Done.}}
"""
    result = imported(tmp_path, text, "openapi", "in.yaml")

    assert result.tools["probe"]["parameters"]["properties"] == {
        "code": {"type": "string", "examples": ["02894"]},
        "month": {"type": "integer", "maximum": 12},
    }
    assert result.brief[:2] == ["8:69 import-repaired", "9:83 import-repaired"]
    assert "'02894' is read as a string" in result.findings[0].message
    wrong = imported(tmp_path / "wrong", text.replace("maximum: 12", "maximum: 012"), "openapi", "in.yaml")
    assert (wrong.added, "9:69 bound-invalid" in wrong.brief) == (None, True)
