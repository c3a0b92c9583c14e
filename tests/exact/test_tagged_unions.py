"""Unions whose members a constant tells apart, and fields that have other names than their properties."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.exact.test_schema_suite import accepts
from tests.support.generated import Package
from tests.support.package import write_package
from tests.support.sources import tool


def option(tag: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"type": {"const": tag}, **properties},
        "required": ["type", *properties],
    }


PAGE = option("page_id", page_id={"type": "string"})
TEXT = option("text", text={"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]})
PARAMETERS = {
    "type": "object",
    "properties": {
        "parent": {"oneOf": [PAGE, option("databaseId", databaseId={"type": "integer"}), TEXT]},
        "children": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/Leaf"}, TEXT, {"type": "null"}]}},
        "accountSid": {"type": "string"},
        "checked": {
            "type": "object",
            "properties": {"from": {"type": "integer"}, "to": {"type": "integer"}},
            "dependentRequired": {"from": ["to"]},
        },
    },
    "$defs": {"Leaf": {**option("leaf"), "additionalProperties": False}},
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    folder = tmp_path_factory.mktemp("unions")
    return Package(
        {}, folder, write_package({"tools/a.json": tool(PARAMETERS, "movePage")}, folder).rename(folder / "tagged").name
    )


@pytest.fixture(scope="module")
def nested(tmp_path_factory: pytest.TempPathFactory) -> Package:
    folder = tmp_path_factory.mktemp("nested")
    return Package(
        {}, folder, write_package({"tools/a.json": tool(NESTED, "nest")}, folder).rename(folder / "nested").name
    )


def test_classes_are_named_by_tag_and_property(package: Package) -> None:
    names = {name for name in package.module("tools.move_page").__all__ if name[0] == "M"} - {"MovePageHandler"}
    assert names == {
        *("MovePageArguments", "MovePageResult", "MovePageParent", "MovePagePageId", "MovePageDatabaseId"),
        *("MovePageText", "MovePageTextText", "MovePageChildrenItem", "MovePageLeaf", "MovePageChildrenItemText"),
        *("MovePageChildrenItemTextText", "MovePageChecked"),
    }


def _classes(parameters: Any, folder: Path, name: str) -> list[str]:
    """The classes of a tool's module, without that of its handler, in the order of the module."""
    write_package({f"tools/{name}.json": tool(parameters, name)}, folder)
    text = (folder / f"generated/tools/{name}.py").read_text("utf-8")
    return re.findall(r"^class (\w+)\(BaseModel", text, re.MULTILINE)


def test_branches_without_a_tag_are_named_by_their_title_or_only_property(tmp_path: Path) -> None:
    """As Rust's serde writes variants. A name that two branches share, and one of several, tell nothing apart."""

    def branch(*names: str, **more: Any) -> dict[str, Any]:
        properties = {name: {"type": "integer"} for name in names}
        return {"type": "object", "properties": properties, "required": list(names), **more}

    branches_by_name = {
        "action": [branch("Click"), branch("TypeText", required=[]), {"enum": ["Stop"]}],
        "edit": [
            branch("a", "old_str", title="Replace"),
            branch("a", "new_str", required=["new_str"]),
            branch("c", "d"),
        ],
        "who": [branch("id"), branch("id", minProperties=2), branch("a", "b")],
    }
    properties = {name: {"anyOf": branches} for name, branches in branches_by_name.items()}
    assert _classes({"type": "object", "properties": properties}, tmp_path, "act") == [
        *("ActClick", "ActTypeText", "ActReplace", "ActEditOption2", "ActEditOption3"),
        *("ActWhoOption1", "ActWhoOption2", "ActWhoOption3", "ActArguments"),
    ]


@pytest.mark.parametrize("required", [["kind", "card"], ["kind"], ["card"], []])
def test_a_property_that_becomes_optional_renames_no_class(required: list[str], tmp_path: Path) -> None:
    branches = [
        {"type": "object", "properties": {"kind": {"const": kind}, "card": {}}, "required": required}
        for kind in ("debit", "credit")
    ]
    parameters = {"type": "object", "properties": {"by": {"anyOf": branches}}}

    assert _classes(parameters, tmp_path, "pay") == ["PayDebit", "PayCredit", "PayArguments"]


INHERITED = {"type": "object", "properties": {"kind": {"type": "string"}, "note": {"type": "string"}}}


@pytest.mark.parametrize(
    ("branches", "classes", "value", "fault"),
    [
        (
            [{"allOf": [INHERITED, {"properties": {"kind": {"enum": [kind]}}, "required": ["kind"]}]} for kind in "ab"],
            ["TellA", "TellB"],
            {"kind": "c"},
            ("/by/kind", "'a', 'b'", "string"),
        ),
        (
            [{"type": "object", "properties": {"n": {"allOf": [{"enum": [n]}]}}, "required": ["n"]} for n in (1, 2)],
            ["TellBy1", "TellBy2"],
            {"n": True},
            ("/by/n", "1", "boolean"),
        ),
        (
            [option("a"), {**option("b"), "properties": {"type": {"const": "b", "minLength": 1}}}],
            ["TellA", "TellB"],
            {"type": "c"},
            ("/by/type", "'a'", "string"),
        ),
    ],
)
def test_constants_tell_branches_apart_wherever_they_are(
    branches: list[Any], classes: list[str], value: Any, fault: tuple[str, str, str], tmp_path: Path
) -> None:
    parameters = {"type": "object", "properties": {"by": {"oneOf": branches}}}
    assert _classes(parameters, tmp_path, "tell") == [*classes, "TellArguments"]
    assert "exactly one of" not in (tmp_path / "generated/tools/tell.py").read_text("utf-8")

    built = Package({}, tmp_path, (tmp_path / "generated").rename(tmp_path / tmp_path.name).name)
    tools = built.module("tools")
    with pytest.raises(tools.ArgumentsError) as caught:
        tools.parse_arguments("tell", {"by": value})
    assert tuple(getattr(caught.value.faults[0], name) for name in ("pointer", "expected", "found")) == fault


@pytest.mark.parametrize(
    ("arguments", "faults"),
    [
        ({"parent": {"type": "page_id", "page_id": "x"}}, []),
        ({"parent": {"type": "page_id", "page_id": 5}}, [("/parent/page_id", "a string", "integer")]),
        ({"parent": {"type": "page_id"}}, [("/parent/page_id", "a value", "nothing")]),
        ({"parent": {"type": "text", "text": {"size": "x"}}}, [("/parent/text/size", "an integer", "string")]),
        ({"parent": {"type": "text", "text": {}}}, [("/parent/text/size", "a value", "nothing")]),
        ({"parent": {"type": "text", "text": "text"}}, [("/parent/text", "an object", "string")]),
        ({"parent": {"type": "other"}}, [("/parent/type", "'page_id', 'databaseId', 'text'", "string")]),
        ({"parent": {}}, [("/parent/type", "a value", "nothing")]),
        ({"parent": "page_id"}, [("/parent", "an object", "string")]),
        ({"children": [None, {"type": "leaf"}]}, []),
        ({"children": [{"type": "leaf", "x": 1}]}, [("/children/0/x", "no such property", "integer")]),
    ],
)
def test_an_error_is_about_the_branch_that_the_tag_selects(
    package: Package, arguments: dict[str, Any], faults: list[tuple[str, str, str]]
) -> None:
    tools = package.module("tools")
    faults_found = []
    for form in (arguments, json.dumps(arguments)):
        try:
            tools.parse_arguments("movePage", form)
            faults_found.append([])
        except tools.ArgumentsError as error:
            faults_found.append([(f.pointer, f.expected, f.found) for f in error.faults])
    assert faults_found == [faults, faults]


def test_apps_may_use_the_names_of_fields_and_models_may_not(package: Package) -> None:
    tools, module = package.module("tools"), package.module("tools.move_page")
    instance = module.MovePageArguments(account_sid="x", checked=module.MovePageChecked(from_=1, to=2))
    assert instance.model_dump(mode="json", by_alias=True, exclude_unset=True) == {
        "accountSid": "x",
        "checked": {"from": 1, "to": 2},
    }
    assert module.MovePageArguments(accountSid="y").account_sid == "y"
    with pytest.raises(ValueError, match="together with"):
        module.MovePageChecked(from_=1)
    parsed = tools.parse_arguments("movePage", {"account_sid": "x", "checked": {"from_": 1}})
    assert (parsed.account_sid, parsed.checked.from_) == (None, None)
    assert parsed.model_fields_set == {"checked"}
    assert parsed.checked.model_fields_set == set()
    assert not accepts(tools, "movePage", {"account_sid": "x", "accountSid": 5})
    assert not accepts(tools, "movePage", {"checked": {"from": 1, "from_": 1}})


USER = {"type": "object", "properties": {"user-id": {"type": "string", "default": "d"}, "a b": {"type": "null"}}}
NESTED = {
    "type": "object",
    "properties": {
        "user-id": {"type": "string"},
        "one": USER,
        "many": {"type": "array", "items": USER},
        "pair": {"type": "array", "prefixItems": [USER, {"type": "integer"}], "items": False, "minItems": 2},
        "map": {"type": "object", "additionalProperties": USER},
        "any": {},
    },
    "additionalProperties": {"anyOf": [USER, {"type": ["string", "null"]}]},
}
CLASH = {"user_id": "x"}


@pytest.mark.parametrize(
    "arguments",
    [
        CLASH,
        {"user_id": None},
        {"user_id": "x", "user-id": "y"},
        {"user_id": CLASH},
        {"one": CLASH},
        {"one": {"user_id": [1], "user-id": "d", "a_b": 1}},
        {"one": {"a_b": 1, "a b": None}},
        {"many": [{"user-id": "y"}, CLASH]},
        {"pair": [CLASH, 1]},
        {"map": {"user_id": CLASH}},
        {"any": CLASH, "one": {}},
        {"z": CLASH},
        {"z": {**CLASH, "user-id": "y"}, "user_id": None},
    ],
)
def test_an_undeclared_key_with_the_name_of_a_field_does_not_set_the_field(
    nested: Package, arguments: dict[str, Any]
) -> None:
    tools = nested.module("tools")
    for form in (arguments, json.dumps(arguments), json.dumps(arguments, indent=1).encode()):
        parsed = tools.parse_arguments("nest", form)
        assert parsed.model_dump(mode="json", by_alias=True, exclude_unset=True) == arguments
        assert parsed.model_fields_set >= {name.replace("-", "_") for name in arguments if name != "user_id"}
        assert ("user_id" in parsed.model_fields_set) is ("user-id" in arguments)
        assert json.loads(parsed.model_dump_json(by_alias=True, exclude_unset=True)) == arguments


def test_a_key_that_clashes_with_a_field_may_not_occur_twice(nested: Package) -> None:
    tools = nested.module("tools")
    assert not accepts(tools, "nest", '{"user_id":"x","user_id":"x"}')
    assert not accepts(tools, "nest", '{"one":{"user_id":"x","user_id":"x"}}')
    assert not accepts(tools, "nest", '{"one":{"user_id":"x","user-id":"d","user-id":"d"}}')


BRANCHES: list[Any] = [
    {"type": "object", "required": ["k"]},
    {"properties": {"k": {"type": "string"}}, "required": ["k"]},
    {"type": ["object", "null"]},
    {"type": "array"},
    {"type": "null"},
    {"type": "string"},
    {"minimum": 2},
    {"$ref": "#/$defs/List"},
    {"$ref": "#/$defs/Keyed"},
    {"anyOf": [{"type": "object", "required": ["j"]}, {"type": "string"}]},
    {"const": 1},
    False,
]
SOME = [{"k": "x"}, {"k": 1}, {"j": 1}, {}, [], [1], None, "a", 1, 1.5, True]


def test_the_type_beside_a_choice_holds_for_each_of_its_branches(tmp_path: Path) -> None:
    """Whatever the branches admit, the type of the schema around them holds."""
    schemas = [
        {"type": kind, keyword: list(pair)}
        for kind in ("object", ["object"], ["object", "null"], ["object", "array"], ["object", "string", "integer"])
        for keyword in ("anyOf", "oneOf")
        for pair in combinations(BRANCHES, 2)
    ]
    defs = {"List": {"type": "array"}, "Keyed": {"type": "object", "properties": {"k": {"type": "string"}}}}
    schemas = [s for s in schemas if Draft202012Validator({**s, "$defs": defs}).is_valid({"k": "x"})]
    parameters = {"type": "object", "properties": {f"p{i}": s for i, s in enumerate(schemas)}, "$defs": defs}
    built = write_package({"tools/a.json": tool(parameters, "choose")}, tmp_path).rename(tmp_path / "beside")
    tools = Package({}, tmp_path, built.name).module("tools")

    wrong = [
        (schema, value)
        for i, schema in enumerate(schemas)
        for value in SOME
        if accepts(tools, "choose", {f"p{i}": value})
        is not Draft202012Validator({**schema, "$defs": defs}).is_valid(value)
    ]
    assert wrong == []
