"""Payloads made at build time: parameters of all kinds, descriptions of any length, and what a further tool changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.providers import laws
from tests.support.every_row import over
from tests.support.generated import Package, compiled, write_project
from tests.support.repository import OWN_CODE, PROFILES, table

each_provider = pytest.mark.parametrize("provider", OWN_CODE)

DEEP: dict[str, Any] = {"type": "object", "description": "An item.", "properties": {"name": {"type": "string"}}}
for _ in range(5):
    DEEP = {"type": "array", "description": "A list.", "items": DEEP}

PARAMETERS: dict[str, dict[str, Any]] = {
    "a_string": {"type": "string", "description": "A text."},
    "a_choice": {"type": "string", "description": "One of two.", "enum": ["celsius", "fahrenheit"]},
    "a_number": {"type": "number", "description": "A number."},
    "an_integer": {"type": "integer", "description": "A count."},
    "a_boolean": {"type": "boolean", "description": "A switch."},
    "a_path": {"type": "string", "description": "A file.", "format": "path"},
    "an_array": DEEP,
    "an_object": {
        "type": "object",
        "description": "A place.",
        "properties": {
            "street": {"type": "string", "description": "Street."},
            "floor": {"type": "integer", "description": "Floor."},
        },
        "required": ["street"],
    },
}
KINDS = {
    "name": "kinds",
    "description": "Takes all kinds.",
    "parameters": {"type": "object", "properties": PARAMETERS, "required": ["a_string", "an_object"]},
    "strict": "never",
}
LENGTHS = (1023, 1024, 1025, 20_000)
TOOLS = (
    KINDS,
    *({"name": f"long_{length}", "description": "é🌍x" * (length // 3) + "x" * (length % 3)} for length in LENGTHS),
    {
        "name": "brief",
        "description": "x" * 2000,
        "providers": {name: {"description": "In short."} for name in PROFILES},
    },
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Package:
    folder = tmp_path_factory.mktemp("payloads")
    return Package(compiled(write_project(folder, TOOLS, {}), PROFILES), folder)


@pytest.fixture(scope="module")
def with_one_more(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """The package with a further tool, in files whose order is not that of the names."""
    folder = tmp_path_factory.mktemp("payloads")
    schemas = write_project(folder, ({"name": "c_between", "description": "Comes between."}, *TOOLS), {})
    for name, file in (("c_between", "z"), ("brief", "y")):
        (schemas / "tools" / f"{name}.json").rename(schemas / "tools" / f"{file}.json")
    return Package(compiled(schemas, OWN_CODE), folder)


@pytest.fixture(scope="module")
def built_again(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """The package, built in another folder and for other profiles."""
    folder = tmp_path_factory.mktemp("payloads")
    return Package(compiled(write_project(folder, TOOLS, {}), OWN_CODE), folder)


@pytest.fixture(scope="module")
def in_other_words(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """The package with one letter of one description changed."""
    folder = tmp_path_factory.mktemp("payloads")
    words = ({**KINDS, "description": "Takes all kindz."}, *TOOLS[1:])
    return Package(compiled(write_project(folder, words, {}), OWN_CODE), folder)


def offered(package: Package, provider: str) -> dict[str, Any]:
    """The payload as definitions, by name."""
    module = package.provider(provider)
    return {definition.name: definition for definition in module.from_tools(module.TOOLS)}


def described(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with an empty description where one has none."""
    schema_described = {"description": "", **schema}
    if "items" in schema_described:
        schema_described["items"] = described(schema_described["items"])
    if "properties" in schema_described:
        schema_described["properties"] = {
            name: described(inner) for name, inner in schema_described["properties"].items()
        }
    return schema_described


@over("parameter", list(PARAMETERS))
@each_provider
def test_a_parameter_of_each_kind_reaches_the_provider(built: Package, provider: str, parameter: str) -> None:
    parameters = offered(built, provider)["kinds"].parameters
    assert parameters["type"] == "object"
    assert parameters["required"] == ["a_string", "an_object"]
    expected, sent = PARAMETERS[parameter], parameters["properties"][parameter]
    if "format" in expected and "format" not in sent:  # the provider does not know it, and the model is told in words
        expected = {**expected, "description": f"{expected['description']} Format: {expected['format']}."}
        del expected["format"]
    if table(provider).get("described"):
        expected = described(expected)
    assert laws.exact(sent) == laws.exact(expected)


@pytest.mark.parametrize(
    ("parameter", "good", "bad"),
    [
        ("a_string", "x", 1),
        ("a_choice", "celsius", "kelvin"),
        ("a_number", 1.5, "1.5"),
        ("an_integer", 3, 3.5),
        ("a_boolean", False, 0),
        ("a_path", "a/b.txt", ["a"]),
        ("an_array", [[[[[{"name": "x"}]]]]], [[[[[{"name": 1}]]]]]),
        ("an_object", {"street": "x"}, {"floor": 1}),
    ],
)
def test_a_parameter_of_each_kind_is_checked(built: Package, parameter: str, good: Any, bad: Any) -> None:
    tools = built.module("tools")
    least = {"a_string": "x", "an_object": {"street": "x"}}
    parsed = tools.parse_arguments("kinds", {**least, parameter: good})
    assert parsed.model_dump(mode="json", exclude_unset=True)[parameter] == good
    with pytest.raises(tools.ArgumentsError, match=f"/{parameter}"):
        tools.parse_arguments("kinds", {**least, parameter: bad})


@over("length", LENGTHS)
@each_provider
def test_a_description_of_any_length_is_sent_whole(built: Package, models: Any, provider: str, length: int) -> None:
    declared = next(tool["description"] for tool in TOOLS if tool["name"] == f"long_{length}")
    assert len(declared) == length
    assert offered(built, provider)[f"long_{length}"].description == declared
    module, losses = built.provider(provider), []
    late = built.module("models").ToolDefinition("late", declared, {"type": "object", "properties": {}})
    assert module.from_tools(module.to_tools([late], on_loss=losses.append))[0].description == declared
    assert losses == []


@each_provider
def test_a_description_may_be_another_for_a_provider(built: Package, provider: str) -> None:
    assert offered(built, provider)["brief"].description == "In short."
    assert built.module("tools").DEFINITIONS["brief"].description == "x" * 2000


@each_provider
def test_a_further_tool_moves_no_other(built: Package, with_one_more: Package, provider: str) -> None:
    """The text of each entry and their order stay, so a prompt cache loses nothing before the new one."""
    more = with_one_more.provider(provider)
    module = built.provider(provider)
    before = [json.dumps(module.tools(name)) for name in module.ToolName.__args__]
    after = [json.dumps(more.tools(name)) for name in more.ToolName.__args__]
    assert list(more.ToolName.__args__) == sorted([*module.ToolName.__args__, "c_between"])
    assert [entry for entry in after if entry != json.dumps(more.tools("c_between"))] == before
    assert json.dumps(more.TOOLS).startswith(json.dumps(module.tools("brief"))[:-3])
    assert more.FINGERPRINT != module.FINGERPRINT


@each_provider
def test_a_fingerprint_is_that_of_the_tools_and_their_words(
    built: Package, built_again: Package, in_other_words: Package, provider: str
) -> None:
    assert built_again.provider(provider).FINGERPRINT == built.provider(provider).FINGERPRINT
    assert in_other_words.provider(provider).FINGERPRINT != built.provider(provider).FINGERPRINT
