"""References, patterns, contradictions, values and size of schemas (§4)."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from toolgen.compilation import compile_project
from toolgen.diagnostics import Findings
from toolgen.pipeline import check_project

from .projects import errors, package, prop, tool, write

PLACE = {
    "types/place.json": {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "$defs": {"a b": {"type": "integer"}},
    }
}

OUT = ["http://127.0.0.1:9/x", "HTTPS://x", "ftp://x", "file:///etc/passwd", "file:../types/place.json", "data:application/json,{}",
       "urn:uuid:x", "x:y", "//host/x", "//[::1", "http://[", "https://user:pw@h/", "C:\\x", "c:x", "../types/place.json?x",
       "\\\\host\\x", "/etc/passwd", "/", "../../../etc/passwd", "..\\types\\place.json", "..%5ctypes%5cplace.json", "%2fetc%2fpasswd",
       "%2e%2e/%2e%2e/x", "..%2f..%2fx", "~/x", "~root/x", "../../schemas/types/place.json", "../types/place%00.json",
       "../" * 5000]  # fmt: skip
NOWHERE = ["../types/PLACE.json", "../types/place.json/", " ../types/place.json", "../types/place.json\n", "../types/place\t.json",
           "../types/place.json ", "../types/\u202eplace.json", "../types", "..", ".", "", "%", "..%252ftypes/place.json", "#x", "#/",
           "../types/place.json#/$defs/none", "../types/place.json#/properties/a/type/0", "../types/place.json#none", "../toolgen.yaml",
           "../providers/openai_chat.yaml", "<toolgen>/format/tool.yaml", "a" * 100_000, "#" + "/a" * 10_000,
           "#/properties/p/-", "#/allOf/٠"]  # fmt: skip


@pytest.mark.safety("4.1")
@pytest.mark.parametrize("ref", OUT, ids=lambda r: ascii(r)[:30])
def test_references_that_leave_are_refused(tmp_path: Path, ref: str) -> None:
    faults = errors(tmp_path, {"tools/a.json": prop({"$ref": ref}), **PLACE})

    assert {f.code for f in faults} <= {"reference-remote", "reference-outside"}
    assert len(faults) == 1


@pytest.mark.safety("4.1")
@pytest.mark.parametrize("ref", NOWHERE, ids=lambda r: ascii(r)[:30])
def test_references_to_nothing_are_refused(tmp_path: Path, ref: str) -> None:
    faults = errors(tmp_path, {"tools/a.json": prop({"$ref": ref}), **PLACE})

    assert [f.code for f in faults] == ["reference-dangling"]


@pytest.mark.safety("4.1")
@pytest.mark.parametrize(
    "ref", ["a.json", "../tools/a.json#/name", "#/properties/p/$ref", "../types/place.json#/type", 1, ["#"], None]
)
def test_references_to_what_is_no_schema_are_refused(tmp_path: Path, ref: Any) -> None:
    (error,) = errors(tmp_path, {"tools/a.json": prop({"$ref": ref}), **PLACE})

    assert error.code in ("reference-no-schema", "schema-invalid")


@pytest.mark.safety("4.1")
@pytest.mark.parametrize(
    "base", ["http://127.0.0.1:9/x/", "file:///etc/", "urn:x:", "//host/", "../types/", "http://[", "\\\\host\\"]
)
def test_an_identifier_moves_no_reference(tmp_path: Path, base: str) -> None:
    inner = {"$id": base, "properties": {"a": {"$ref": "passwd"}}}

    (error,) = errors(tmp_path, {"tools/a.json": prop(inner), **PLACE})

    assert error.code.startswith("reference-")


@pytest.mark.safety("4.1")
def test_nothing_but_sources_is_opened(tmp_path: Path) -> None:
    opened: list[str] = []
    watching = True

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if (
            watching
            and isinstance(args[0], str | bytes)
            and event in ("open", "os.open", "socket.connect", "socket.getaddrinfo", "os.listdir", "os.scandir")
        ):
            opened.append(f"{event} {args[0]}")

    schema = {
        "$id": "http://127.0.0.1:9/root",
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {f"p{i}": {"$ref": ref} for i, ref in enumerate([*OUT, *NOWHERE])},
    }
    schemas = write(tmp_path, {"tools/a.json": tool(schema), **PLACE})
    check_project(schemas, Findings())  # what is loaded once
    sys.addaudithook(hook)
    try:
        check_project(schemas, Findings())
    finally:
        watching = False

    package_folder = str(Path(sys.modules["toolgen"].__file__ or "").parents[2])
    assert [o for o in opened if str(tmp_path) not in o and package_folder not in o] == []


@pytest.mark.safety("4.1")
def test_data_and_properties_are_no_references(tmp_path: Path) -> None:
    value = {"$ref": "http://127.0.0.1:9/", "$id": "x", "$dynamicRef": "#x"}
    schema = {
        "properties": {
            "$ref": {"type": "string"},
            "$id": {"type": "string"},
            "$defs": {"type": "object", "properties": {"$ref": {"type": "integer"}}},
            "c": {"const": value},
            "d": {"default": value},
            "e": {"enum": [value]},
            "x": {"examples": [value], "x-any": value},
            "r": {"dependentRequired": {"$ref": ["a"]}, "patternProperties": {"$ref": {"type": "string"}}},
        },
        "required": ["$ref"],
    }
    with package(tmp_path, {"tools/a.json": tool(schema, examples=[{"$ref": "http://127.0.0.1:9/"}])}) as built:
        assert built.parameters() == schema
        parsed = built.module("tools").parse_arguments("probe", {"$ref": "x", "$defs": {"$ref": 1}})
        assert parsed.model_dump(by_alias=True, exclude_unset=True) == {"$ref": "x", "$defs": {"$ref": 1}}


@pytest.mark.safety("4.1", "2.5")
@pytest.mark.parametrize("name", [{"$id": "http://x/a"}, {"$anchor": "x"}])
def test_two_schemas_of_one_identifier_are_refused(tmp_path: Path, name: dict[str, str]) -> None:
    ref = "http://x/a" if "$id" in name else "#x"
    schema = {"properties": {"a": {**name, "type": "string"}, "b": {**name, "type": "integer"}, "c": {"$ref": ref}}}

    assert [f.code for f in errors(tmp_path, {"tools/a.json": tool(schema)})] == ["identifier-duplicate"]


@pytest.mark.safety("4.2")
@pytest.mark.parametrize(
    "files",
    [
        {"tools/a.json": prop({"$ref": "#/properties/p"})},
        {"tools/a.json": prop({"allOf": [{"anyOf": [{"$ref": "#/properties/p"}]}]})},
        {"tools/a.json": prop({"if": {"not": {"$ref": "#/properties/p"}}})},
        {"tools/a.json": tool({"allOf": [{"$ref": "#"}]})},
        {"tools/a.json": prop({}), "types/a.json": {"$ref": "b.json"}, "types/b.json": {"oneOf": [{"$ref": "a.json"}]}},
        {"tools/a.json": prop({}), "types/a.json": {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}},
    ],
)
def test_bare_circles_are_errors(tmp_path: Path, files: dict[str, Any]) -> None:
    faults = errors(tmp_path, files)

    assert {f.code for f in faults} == {"reference-circle"}


@pytest.mark.safety("4.2")
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"$ref": "#"}, {"p": {"p": {}}}),
        ({"type": "array", "items": {"$ref": "#/properties/p"}}, {"p": [[], [[]]]}),
        ({"type": "object", "additionalProperties": {"$ref": "#/properties/p"}}, {"p": {"a": {"b": {}}}}),
        ({"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/properties/p"}}]}, {"p": [[None]]}),
        (
            {"type": "object", "properties": {"a": {"$ref": "#/properties/p"}}, "default": {"a": {}}},
            {"p": {"a": {"a": {}}}},
        ),
    ],
)
def test_recursive_structures_work(tmp_path: Path, schema: dict[str, Any], value: Any) -> None:
    with package(tmp_path, {"tools/a.json": prop(schema)}) as built:
        parsed = built.module("tools").parse_arguments("probe", value)
        assert parsed.model_dump(mode="json", by_alias=True, exclude_unset=True) == value


def _chain(count: int, link: Any) -> dict[str, Any]:
    definitions = {f"d{i}": link({"$ref": f"#/$defs/d{i + 1}"}) for i in range(count)}
    return prop({"$ref": "#/$defs/d0", "default": "x"}, **{"$defs": {**definitions, f"d{count}": {"type": "string"}}})


LINKS = {
    "bare": lambda ref: ref,
    "with a default": lambda ref: {**ref, "default": "x"},
    "allOf": lambda ref: {"allOf": [ref, ref], "default": "x"},
    "anyOf": lambda ref: {"anyOf": [ref, ref], "examples": ["x"]},
    "oneOf": lambda ref: {"oneOf": [ref, {"type": "null"}], "const": "x"},
    "not not": lambda ref: {"not": {"not": ref}, "enum": ["x"]},
    "if": lambda ref: {"if": ref, "then": ref, "else": ref, "default": "x"},
    "properties": lambda ref: {"type": ["object", "string"], "properties": {"a": ref, "b": ref}, "default": {"a": "x"}},
    "items": lambda ref: {"type": ["array", "string"], "items": ref, "prefixItems": [ref, ref], "default": ["x"]},
}


@pytest.mark.safety("4.2", "0.7")
@pytest.mark.parametrize("name", LINKS)
def test_shared_references_cost_linear_time(tmp_path: Path, name: str) -> None:
    start = time.process_time()
    findings = Findings()
    built = compile_project(write(tmp_path, {"tools/a.json": _chain(90, LINKS[name])}), findings, ("openai_chat",))

    assert built is not None or findings.has_errors
    assert time.process_time() - start < 5


@pytest.mark.slow
@pytest.mark.safety("4.2", "0.7")
def test_chains_of_thousands(tmp_path: Path) -> None:
    start = time.process_time()
    with package(tmp_path, {"tools/a.json": _chain(3000, LINKS["bare"])}) as built:
        assert built.module("tools").parse_arguments("probe", {}).p == "x"

    assert time.process_time() - start < 8


REFUSED = ["(?=x)", "(?!x)", "(?<=x)", "(?<!x)", "(a)\\1", "\\k<n>", "a\\Z", "(?>a)", "(?#c)", "\\cA", "[^]", "[]", "(", "a{2,1}", "*",
           "(?P<a>x)(?P<a>y)", "\\N{DASH}", "\\ud83d\\ude00", "(?(1)a|b)", "((a{100}){100}){100}", "(" * 1000 + ")" * 1000, "\\"]  # fmt: skip


@pytest.mark.safety("4.3")
@pytest.mark.parametrize("pattern", REFUSED, ids=lambda p: p[:20])
def test_patterns_that_the_engine_lacks_are_refused(tmp_path: Path, pattern: str) -> None:
    places = {"pattern": pattern, "patternProperties": {pattern: {}}, "propertyNames": {"pattern": pattern}}
    for place, schema in places.items():
        (error,) = errors(tmp_path / place, {"tools/a.json": prop({place: schema})})

        assert error.code == "pattern-unusable", place
        assert "pattern" in error.message, place


@pytest.mark.safety("4.3")
def test_patterns_mean_what_the_engine_says(tmp_path: Path) -> None:
    cases: list[tuple[str, list[str], list[str]]] = [
        ("^a$", ["a"], ["a\n", "b", "aa"]),
        ("^\\d+$", ["1", "\u0661"], ["", "x"]),
        ("a", ["xax"], ["x"]),
        ("^(a+)+$", ["a" * 5000], ["a" * 5000 + "!"]),
        ("^(\\w|\\s)*$", ["é x " * 1000], ["é x " * 1000 + "!"]),
        ("^\\p{L}$", ["é"], ["1"]),
        ("^.$", ["🚀"], ["ab", "\n"]),
        ("^[\U0001f600]$", ["😀"], ["x"]),
        ('^"""\\\\$', ['"""\\'], ['"""']),
    ]
    files = {
        f"tools/{i}.json": {**prop({"type": "string", "pattern": p}), "name": f"t{i}"}
        for i, (p, _, _) in enumerate(cases)
    }
    start = time.process_time()
    with package(tmp_path, files) as built:
        tools = built.module("tools")
        for i, (_, fits, misfits) in enumerate(cases):
            for text in fits:
                assert tools.parse_arguments(f"t{i}", {"p": text}).p == text
            for text in misfits:
                with pytest.raises(tools.ArgumentsError):
                    tools.parse_arguments(f"t{i}", {"p": text})
    assert time.process_time() - start < 10


CONTRADICTIONS: list[tuple[dict[str, Any], str]] = [
    ({"type": "any"}, "any"),
    ({"type": "String"}, "String"),
    ({"type": ["string", "int"]}, "int"),
    ({"type": []}, "type"),
    ({"type": None}, "type"),
    ({"type": ["string", "string"]}, "type"),
    ({"enum": []}, "enum"),
    ({"enum": "abc"}, "enum"),
    ({"type": "boolean", "enum": [True, 0]}, "enum"),
    ({"type": "number", "enum": ["1"]}, "enum"),
    ({"type": "integer", "const": 1.5}, "const"),
    ({"const": 1, "enum": [2]}, "const"),
    ({"const": 1, "enum": [True, "1"]}, "const"),
    ({"minLength": 5, "maxLength": 3.0}, "minLength"),
    ({"minItems": 2, "maxItems": 1}, "minItems"),
    ({"minProperties": 2, "maxProperties": 1}, "minProperties"),
    ({"contains": {}, "minContains": 2, "maxContains": 1}, "minContains"),
    ({"minimum": 5, "exclusiveMaximum": 5}, "minimum"),
    ({"type": "integer", "minimum": 1.2, "maximum": 1.8}, "minimum"),
    ({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2}, "exclusiveMinimum"),
    ({"minLength": -1}, "minLength"),
    ({"maxItems": -0.5}, "maxItems"),
    ({"exclusiveMinimum": True}, "exclusiveMinimum"),
    ({"multipleOf": 0}, "multipleOf"),
    ({"multipleOf": -2.5}, "multipleOf"),
    ({"multipleOf": True}, "multipleOf"),
    ({"required": True}, "required"),
    ({"required": {"a": True}}, "required"),
    ({"required": [1]}, "required"),
    ({"required": ["a", "a"]}, "required"),
    ({"required": ["b"], "properties": {"a": {}}, "additionalProperties": False}, "required"),
    ({"required": ["b"], "properties": {"a": {}}, "unevaluatedProperties": False}, "required"),
    ({"required": ["a"], "properties": {"a": False}}, "required"),
    ({"items": 3}, "items"),
    ({"properties": {"a": None}}, "a"),
    ({"dependentRequired": {"a": "b"}}, "a"),
    ({"allOf": []}, "allOf"),
    ({"oneOf": {}}, "oneOf"),
    ({"uniqueItems": "yes"}, "uniqueItems"),
    ({"description": ["x"]}, "description"),
    ({"$defs": {"a": {"type": "x"}}}, "x"),
    ({"definitions": {"a": {"enum": []}}}, "enum"),
    ({"not": {"minimum": "1"}}, "minimum"),
]


@pytest.mark.safety("4.4")
@pytest.mark.parametrize(("schema", "word"), CONTRADICTIONS, ids=lambda v: json.dumps(v)[:50])
def test_contradictions_are_refused(tmp_path: Path, schema: dict[str, Any], word: str) -> None:
    places: dict[str, Any] = {
        "property": {"tools/a.json": prop({"type": "array", "items": schema})},
        "result": {"tools/a.json": tool(result={"anyOf": [schema, {"type": "null"}]})},
        "type": {"tools/a.json": prop({"$ref": "../types/t.json"}), "types/t.json": schema},
    }
    for place, files in places.items():
        (error, *more) = errors(tmp_path / place, files)

        assert more == [], place
        assert word in error.message, place
        assert error.span.column > 1, place


@pytest.mark.safety("4.4")
@pytest.mark.parametrize(
    ("schema", "word"),
    [
        ({"pattern": "^a$", "default": "a\n"}, "default"),
        ({"type": "string", "examples": [1]}, "examples"),
        ({"enum": [1], "default": True}, "default"),
        ({"const": False, "default": 0}, "default"),
        ({"items": {"type": "string"}, "default": [1]}, "default"),
        ({"required": ["a"], "type": "object", "default": {}}, "default"),
        ({"uniqueItems": True, "default": [{"a": 1}, {"a": 1.0}]}, "default"),
        ({"patternProperties": {"^x": {"type": "string"}}, "default": {"xa": 1}}, "default"),
        ({"additionalProperties": {"type": "string"}, "default": {"b": 1}}, "default"),
        ({"type": "string", "format": "date", "default": "today"}, "default"),
    ],
)
def test_defaults_and_examples_that_do_not_fit_are_warned_of(tmp_path: Path, schema: dict[str, Any], word: str) -> None:
    findings = Findings()
    built = compile_project(write(tmp_path, {"tools/a.json": prop(schema)}), findings, ("openai_chat",))

    assert built is not None
    warnings = [f for f in findings if f.code != "parameter-without-description"]
    assert [(f.code, f.level, word in f.message) for f in warnings] == [("value-unfit", "warning", True)]


@pytest.mark.safety("4.5")
def test_values_equal_in_python_alone_stay_distinct(tmp_path: Path) -> None:
    values = [1, True, "1", "true", 0, False, "0", "", None, "null", [1], [True], {"a": 1}, {"a": True}]
    schema = {"properties": {"all": {"enum": values}, "one": {"const": 1}, "yes": {"const": True}, "two": {"enum": [0, 2]},
                             "words": {"enum": ["1", "True"]}, "no": {"enum": [False, "0"]}}}  # fmt: skip
    with package(tmp_path, {"tools/a.json": tool(schema)}) as built:
        tools = built.module("tools")
        spelled = json.dumps(built.parameters())
        assert spelled == json.dumps(schema)
        assert json.loads(json.dumps(built.module("providers.openai_chat").TOOLS))[0]["function"]["parameters"] == {
            "type": "object",
            **schema,
        }
        for value in values:
            assert json.dumps(tools.parse_arguments("probe", {"all": value}).all) == json.dumps(value)
        for key, wrong in (
            ("one", True),
            ("yes", 1),
            ("two", False),
            ("words", 1),
            ("words", True),
            ("no", 0),
            ("one", "1"),
        ):
            with pytest.raises(tools.ArgumentsError):
                tools.parse_arguments("probe", {key: wrong})


CARRIED: dict[str, Any] = {
    "$comment": "c",
    "title": "t",
    "oneOf": [{"type": "integer"}, {"type": "string"}],
    "not": {"const": "x"},
    "if": {"type": "string"},
    "then": {"minLength": 1},
    "else": {"minimum": 1},
    "dependentRequired": {"a": ["b"]},
    "dependentSchemas": {"a": {"required": ["b"]}},
    "patternProperties": {"^x": {"type": "string"}},
    "propertyNames": {"maxLength": 5},
    "minProperties": 1,
    "contains": {"type": "integer"},
    "minContains": 0,
    "unevaluatedItems": False,
    "unevaluatedProperties": False,
    "contentEncoding": "base64",
    "contentMediaType": "text/plain",
    "contentSchema": {"type": "string"},
    "format": "something",
    "deprecated": True,
    "readOnly": True,
    "nullable": True,
    "x-vendor": {"a": [1]},
    "minimun": 3,
    "example": 1,
}


@pytest.mark.safety("4.6")
def test_keywords_without_counterpart_are_carried(tmp_path: Path) -> None:
    schema = {"properties": {key: {key: value} for key, value in CARRIED.items()} | {"all": CARRIED}}
    with package(tmp_path, {"tools/a.json": tool(schema)}, ("openai_chat", "mcp")) as built:
        assert built.parameters() == schema
        assert built.module("providers.mcp").TOOLS[0]["inputSchema"]["properties"] == schema["properties"]
        sent = built.module("providers.openai_chat").TOOLS[0]["function"]["parameters"]["properties"]
        names = {"description": "Each name of a property: At most 5 characters."}  # OpenAI refuses the keyword
        every = {key: value for key, value in CARRIED.items() if key != "propertyNames"}
        assert sent == {**schema["properties"], "propertyNames": names, "all": {**every, **names}}


@pytest.mark.safety("4.6")
@pytest.mark.parametrize("keyword", ["$dynamicRef", "$recursiveRef"])
def test_what_cannot_be_carried_is_refused_by_name(tmp_path: Path, keyword: str) -> None:
    faults = errors(tmp_path, {"tools/a.json": prop({keyword: "#"})})

    assert [f.code for f in faults] == ["reference-dynamic"]
    assert keyword in faults[0].message


@pytest.mark.safety("4.7")
def test_tools_may_have_definitions_of_one_name(tmp_path: Path) -> None:
    def item(kind: str) -> dict[str, Any]:
        definition = {"type": "object", "properties": {"v": {"type": kind}}, "required": ["v"]}
        return prop({"$ref": "#/$defs/Item"}, **{"$defs": {"Item": definition}})

    files = {
        "tools/a.json": {**item("string"), "name": "a"},
        "tools/b.json": {**item("integer"), "name": "b"},
        "tools/c.json": {**prop({"$ref": "../types/item.json"}), "name": "c"},
        "types/item.json": {"type": "object", "properties": {"v": {"type": "boolean"}}, "required": ["v"]},
    }
    with package(tmp_path, files) as built:
        tools = built.module("tools")
        for name, value in (("a", "x"), ("b", 1), ("c", True)):
            assert tools.parse_arguments(name, {"p": {"v": value}}).p.v == value
            for wrong in ("x", 1, True):
                if type(wrong) is not type(value):
                    with pytest.raises(tools.ArgumentsError):
                        tools.parse_arguments(name, {"p": {"v": wrong}})


@pytest.mark.slow
@pytest.mark.safety("4.8", "0.7")
@pytest.mark.parametrize("shape", ["tools", "properties", "objects", "definitions"])
def test_large_projects_stay_fast(tmp_path: Path, shape: str) -> None:
    inner = {
        "type": "object",
        "properties": {"a": {"enum": ["x", "y"]}, "b": {"type": "array", "items": {"type": "integer"}}},
    }
    many = range(2000)
    files: dict[str, Any] = {
        "tools": {f"tools/{i}.json": {**prop(inner), "name": f"t{i}"} for i in range(500)},
        "properties": {"tools/a.json": tool({"properties": {f"p{i}": {"type": "string", "description": f"{i}"} for i in range(5000)}})},
        "objects": {"tools/a.json": tool({"properties": {f"p{i}": inner for i in range(1000)}})},
        "definitions": {
            "tools/a.json": tool(
                {"properties": {f"p{i}": {"$ref": f"#/$defs/d{i}"} for i in many}, "$defs": {f"d{i}": {"type": "string"} for i in many}}
            )
        },
    }[shape]  # fmt: skip
    findings = Findings()
    start = time.process_time()
    built = compile_project(write(tmp_path, files), findings)

    assert built is not None
    assert time.process_time() - start < 10
