"""Words in schemas that say nothing: what is reported of them, and what is left alone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.sources import faults, sources
from toolgen.diagnostics import Findings
from toolgen.parse import parse
from toolgen.resolve.resolution import resolve_tools


def reported(parameters: Any, **types: Any) -> list[tuple[str, str | None]]:
    """Code and hint of what is found in a tool with these parameters."""
    findings = Findings()
    files = {f"types/{name}.yaml": value for name, value in types.items()}
    parsed = parse(sources({"tools/probe.json": {"name": "probe", "parameters": parameters}, **files}), findings)
    assert parsed is not None
    resolve_tools(parsed, findings)
    return [(finding.code, finding.hint) for finding in findings]


def of(property: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"p": property}, **more}


@pytest.mark.parametrize(
    ("schema", "hint"),
    [
        ({"type": "string", "minLenght": 1}, "did you mean 'minLength'?"),
        ({"type": "string", "nullable": True}, 'JSON Schema has no such keyword; use `type: [string, "null"]`'),
        ({"type": "string", "id": {"type": "string"}}, "declare it under `properties`"),
        ({"type": "string", "zebra": 1}, "correct or remove it; prefix your own keywords with `x-`"),
    ],
)
def test_a_keyword_that_does_not_exist(schema: Any, hint: str) -> None:
    assert reported(of(schema)) == [("keyword-unknown", hint)]


@pytest.mark.parametrize(
    "schema",
    [
        {"x-order": 1},
        {"$comment": "", "title": "", "readOnly": True, "contentEncoding": "base64", "$anchor": "a"},
        {"definitions": {}, "dependencies": {}},
        {"properties": {"minLenght": {"type": "string"}}},
        {"default": {"minLenght": 1}, "examples": [{"nullable": True}], "const": {"minLenght": 1}},
        {"type": "string", "format": "int64"},
        {"type": "string", "format": "path"},
    ],
)
def test_what_is_left_alone(schema: Any) -> None:
    assert [code for code, _ in reported(of(schema)) if code in ("keyword-unknown", "format-unknown")] == []


def test_a_word_is_reported_once_for_a_file() -> None:
    often = {"type": "object", "properties": {f"p{i}": {"type": "string", "zebra": i} for i in range(9)}}
    assert len(reported(often)) == 1
    referring = of({"$ref": "../types/t.yaml", "zebra": 1})
    assert [code for code, _ in reported(referring, t={"type": "string", "zebra": 1})] == ["keyword-unknown"] * 2


@pytest.mark.parametrize("container", ["$defs", "definitions"])
def test_names_in_a_group_of_definitions_are_no_keywords(container: str) -> None:
    group = {"point": of({"$ref": f"#/{container}/geo/units/degree"}), "units": {"degree": {}, "metre": {}}}
    assert reported(of({"$ref": f"#/{container}/geo/point"}, **{container: {"geo": group}})) == []
    unused = of({"type": "string"}, **{container: {"geo": group}})
    assert {code for code, _ in reported(unused)} == {"keyword-unknown"}
    misspelled = {"type": "object", "propertes": {"y": {}}, "properties": {"x": {"type": "string"}}}
    referring = of({"$ref": f"#/{container}/p/properties/x"}, **{container: {"p": misspelled}})
    assert [code for code, _ in reported(referring)] == ["keyword-unknown"]


def test_a_keyword_that_is_null() -> None:
    cut = "name: probe\nparameters: {type: object, properties: {p: {type: string, description: One, two}}}\n"
    assert [f.code for f in faults({"tools/probe.yaml": cut}, idle=True)] == ["keyword-null"]
    said_so = cut.replace("two", "two: null")
    assert [f.code for f in faults({"tools/probe.yaml": said_so}, idle=True)] == ["keyword-unknown"]
    assert [code for code, _ in reported(of({"type": "string", "x-note": None}))] == []
    assert [code for code, _ in reported(of({"const": None, "default": None}))] == []


def test_a_dialect_of_its_own_words() -> None:
    draft_04 = {"$schema": "http://json-schema.org/draft-04/schema#", "id": "http://x/y", **of({"type": "string"})}
    assert reported(draft_04) == []
    assert [code for code, _ in reported({**draft_04, "$schema": "https://json-schema.org/draft/2020-12/schema"})] == [
        "keyword-unknown"
    ]


@pytest.mark.parametrize("bare", [{"id": {"type": "string"}}, {"a": {"type": "string"}, "b": {}}])
def test_parameters_without_the_object_around_them(bare: Any) -> None:
    ((code, hint),) = reported(bare)
    first = next(iter(bare))
    assert (code, f"properties: {{{first}: …}}" in (hint or "")) == ("parameters-bare", True)


@pytest.mark.parametrize("sound", [{}, {"x-a": {}}, {"type": "object", "id": {"type": "string"}}, {"id": 1}])
def test_parameters_that_are_a_schema_after_all(sound: Any) -> None:
    assert [code for code, _ in reported(sound) if code == "parameters-bare"] == []


@pytest.mark.parametrize(
    "schema",
    [
        of({}, required=["q"]),
        {"type": "object", "properties": {"o": of({}, required=["p", "q"])}},
        {"type": "object", "properties": {"o": {"type": "array", "items": of({}, required=["q"])}}},
    ],
)
def test_a_required_name_that_no_property_has(schema: Any) -> None:
    assert [code for code, _ in reported(schema)] == ["required-undeclared"]


@pytest.mark.parametrize(
    "schema",
    [
        of({}, required=["p"]),
        {"type": "object", "required": ["q"]},
        of({}, required=["q"], patternProperties={"q": {}}),
        of({}, required=["q"], additionalProperties={"type": "string"}),
        of({}, required=["q"], allOf=[{"properties": {"q": {}}}]),
        of({}, anyOf=[{"required": ["p"]}, of({}, required=["q"])]),
        {"type": "object", "properties": {"q": {}}, "allOf": [of({}, required=["q"])]},
    ],
)
def test_a_required_name_that_another_keyword_may_know(schema: Any) -> None:
    assert [code for code, _ in reported(schema) if code == "required-undeclared"] == []


@pytest.mark.parametrize(
    ("types", "reason"),
    [
        (["string", "string"], "has non-unique elements"),
        ([], "[] should be non-empty"),
        (["string", 3], "3 is not one of"),
    ],
)
def test_a_list_of_types_is_explained_by_the_rule_it_breaks(types: Any, reason: str) -> None:
    findings = Findings()
    parsed = parse(sources({"tools/probe.json": {"name": "probe", "parameters": of({"type": types})}}), findings)
    assert parsed is not None
    resolve_tools(parsed, findings)
    (finding,) = findings
    assert finding.code == "schema-invalid"
    assert reason in finding.message
