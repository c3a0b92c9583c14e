"""The generated modules of tools: imported with warnings as errors, used, type-checked."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.copies import Copies
from tests.support.package import BESIDE, ISOLATED, printed, write_package
from tests.support.repository import ROOT
from tests.support.sources import linked, samples, tool
from toolgen.render.tools import tool_modules

_TABLE = """
import json, sys
import generated.tools as tools
for name, value in json.load(sys.stdin):
    try:
        model = tools.parse_arguments(name, value)
    except tools.ArgumentsError as error:
        print(json.dumps({"error": str(error)}))
    else:
        dumped = model.model_dump(mode="json", by_alias=True)
        print(json.dumps({"value": dumped, "set": sorted(model.model_fields_set)}))
"""


Run = Callable[..., list[Any]]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Runs code beside the package in a new process, warnings as errors; reads a JSON value of each line."""
    with Copies("pydantic", options=ISOLATED, folder=ROOT) as copies:

        def in_a_copy(folder: Path, code: str, data: Any = None) -> list[Any]:
            done = copies.run("-c", BESIDE + code, typed=json.dumps(data), folder=folder)
            assert (done.stderr, done.returncode) == ("", 0)
            return [json.loads(line) for line in done.stdout.splitlines()]

        yield in_a_copy


def parse(run: Run, folder: Path, parameters: Any, values: list[Any]) -> list[Any]:
    """What parse_arguments makes of each value."""
    write_package({"tools/probe.yaml": tool(parameters)}, folder)
    return run(folder, _TABLE, [["probe", value] for value in values])


def test_the_samples_build_and_import(tmp_path: Path) -> None:
    write_package(samples(), tmp_path)
    code = """
import json, sys
import generated.tools as tools
print(json.dumps([m for m in sys.modules if m.startswith(("pydantic", "generated.tools."))]))
print(json.dumps({name: d.parameters for name, d in tools.DEFINITIONS.items()}))
print(json.dumps([tools.ALIASES, sorted(tools.LOW_RISK), tools.DISPLAY_NAMES, sorted(tools.DEPRECATED)]))
"""
    loaded, parameters, (aliases, low, names, deprecated) = printed(tmp_path, code)

    assert loaded == []
    assert parameters == {t.name: t.parameters for t in linked(samples())[0]}
    assert aliases == {
        "getWeather": "get_weather",
        "save_file": "write_file",
        "search": "search_documents",
        "weather": "get_weather",
    }
    assert "get_weather" in low
    assert "create_order" not in low
    assert names["get_weather"] == "Weather"
    assert deprecated == ["run_query"]


def test_a_module_has_the_same_bytes_alone_and_among_others() -> None:
    everything = samples()
    together = tool_modules(*linked(everything))
    types = {path: text for path, text in everything.items() if path.startswith("types/")}

    for path, text in everything.items():
        if path.startswith("tools/"):
            alone = tool_modules(*linked({path: text, **types}))
            (module,) = [p for p in alone if p.startswith("tools/") and p != "tools/__init__.py"]
            assert alone[module] == together[module]


OPTIONAL = {
    "type": "object",
    "properties": {
        "req": {"type": "integer"},
        "req_null": {"type": ["integer", "null"]},
        "opt": {"type": "string"},
        "opt_null": {"type": ["string", "null"]},
        "dflt": {"type": "string", "default": "d"},
        "dflt_null": {"type": ["string", "null"], "default": "n"},
        "shared": {"$ref": "../types/maybe.yaml"},
    },
    "required": ["req", "req_null"],
    "additionalProperties": False,
}
READ = {"opt": None, "opt_null": None, "dflt": "d", "dflt_null": "n", "shared": None}


@pytest.fixture(scope="module")
def optional(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a package whose tool has properties that may be absent, null or both."""
    folder = tmp_path_factory.mktemp("optional")
    write_package({"tools/probe.yaml": tool(OPTIONAL), "types/maybe.yaml": {"type": ["string", "null"]}}, folder)
    return folder


@pytest.mark.parametrize(
    ("optional_values", "read"),
    [
        ({}, {}),
        ({"opt": "x", "opt_null": "y", "dflt": "z"}, {"opt": "x", "opt_null": "y", "dflt": "z"}),
        ({"opt_null": None, "dflt_null": None}, {"dflt_null": None}),
        ({"shared": None}, {}),
        ({"opt": None}, "/opt: expected a string, found null"),
        ({"dflt": None}, "/dflt: expected a string, found null"),
        ({"other": 1}, "/other: expected no such property, found integer"),
        ({"req": None}, "/req: expected an integer, found null"),
        ({"req": True}, "/req: expected an integer, found boolean"),
        ({"req": "1"}, "/req: expected an integer, found string"),
        ({"req": 1.0}, {"req": 1}),
        ({"req": 1.5}, "/req: expected an integer, found number"),
    ],
)
def test_absent_null_and_given(run: Run, optional: Path, optional_values: dict[str, Any], read: Any) -> None:
    value = {"req": 1, "req_null": None, **optional_values}

    restore_object_content, as_text = run(optional, _TABLE, [["probe", value], ["probe", json.dumps(value)]])

    assert restore_object_content == as_text
    if isinstance(read, str):
        assert restore_object_content == {"error": read}
    else:
        assert restore_object_content == {
            "value": {"req": 1, "req_null": None, **READ, **read},
            "set": sorted(value),
        }


def test_extra_properties_follow_the_schema(run: Run, tmp_path: Path) -> None:
    def object_with(extra: Any) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "additionalProperties": extra,
        }

    schema = {
        "properties": {
            "typed": object_with({"type": "integer"}),
            "open": object_with(True),
            "closed": object_with(False),
        }
    }
    values = [
        {"typed": {"x": 1}},
        {"typed": {"x": "1"}},
        {"open": {"x": "1"}},
        {"closed": {"x": 1}},
        {"x": 1},
    ]

    typed, wrong, accepted, refused, top = parse(run, tmp_path, schema, values)

    assert typed["value"]["typed"] == {"a": None, "x": 1}
    assert wrong == {"error": "/typed/x: expected an integer, found string"}
    assert accepted["value"]["open"] == {"a": None, "x": "1"}
    assert refused == {"error": "/closed/x: expected no such property, found integer"}
    assert top["value"]["x"] == 1


def test_recursion_maps_tuples_numbers_and_formats(run: Run, tmp_path: Path) -> None:
    schema = {
        "properties": {
            "tree": {"$ref": "#/$defs/tree"},
            "map": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string", "maxLength": 2}, "maxItems": 2}},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False, "minItems": 2},
            "number": {"type": "number"},
            "link": {"type": "string", "format": "uri"},
            "when": {"type": "string", "format": "date-time"},
            "day": {"type": "string", "format": "date"},
        },
        "$defs": {"tree": {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}},
    }  # fmt: skip
    good = {
        "tree": {"kids": [{"kids": []}]},
        "map": {"a": ["x"]},
        "pair": ["a", 1],
        "number": 2**60 + 1,
        "link": "https://R.wF",
        "when": "2024-05-06T07:08:09Z",
        "day": "2024-05-06",
    }
    bad = [
        {"tree": {"kids": [{"kids": 1}]}},
        {"map": {"a": ["xxx"]}},
        {"pair": ["a"]},
        {"number": "1"},
        {"number": True},
        {"when": "x"},
        {"day": "2024-05-06T07:08:09Z"},
    ]

    first, *faulty = parse(run, tmp_path, schema, [good, *bad])

    assert first["value"] == good
    assert [o["error"].split(":")[0] for o in faulty] == [
        "/tree/kids/0/kids",
        "/map/a/0",
        "/pair/1",
        "/number",
        "/number",
        "/when",
        "/day",
    ]


def test_json_text_is_read_strictly(run: Run, tmp_path: Path) -> None:
    texts = [
        '{"a": 1', "{} {}", "{'a': 1}", '{"a": NaN}', '{"a": 1e999}', '{"a": 1, "\\u0061": 2}', '{"a": "\\ud800"}',
        "[" * 100_000, '{"a": ' + "9" * 5000 + "}", "", "null", "[]", '"x"', "// x\n{}", "\ufeff{}",
    ]  # fmt: skip

    results = parse(run, tmp_path, {"type": "object"}, [*texts, '{"a": "\\ud83d\\ude80"}'])

    assert ["error" in r for r in results] == [True] * len(texts) + [False]
    assert results[-1]["value"] == {"a": "🚀"}


def test_errors_are_short_and_hold_no_values(run: Run, tmp_path: Path) -> None:
    schema = {"properties": {"a": {"type": "array", "items": {"type": "integer"}}}}

    (many,) = parse(run, tmp_path, schema, [{"a": ["secret"] * 5000}])
    unknown, near = run(tmp_path, _TABLE, [["sesame", {}], ["prob", {}]])

    lines = many["error"].splitlines()
    assert len(lines) == 21
    assert lines[-1] == "and 4980 more"
    assert "secret" not in many["error"]
    assert "known tool" in unknown["error"]
    assert "sesame" not in unknown["error"]
    assert "did you mean probe?" in near["error"]


HOSTILE = [
    '"""', "'''", '\\', 'a\\"', '"', "\n", "\r", "a\rb", "\x0c", "\u2028", "\x00", "\u202e\u2066", "\u200b", "\ufeff",
    "{{ 7 * 7 }}", "{% include 'x' %}", "{# x #}", "{0}", "%s", "\\N{DASH}", "\\x4", "# -*- coding: x -*-", "🚀", "\U0001d4b3",
    "ﬁ", "fi", "class", "None", "import os", "__class__", "__init__", "__dict__", "_x", "1st", "", " ", "self", "cls",
    "model_config", "model_fields", "model_dump", "copy", "json", "dict", "schema", "register", "list", "str", "Any",
    "Literal", "Field", "BaseModel", "Omittable", "Annotated", "ProbeArguments", "ToolDefinition", "DEFINITION", "a-b",
    "a_b", "type", "field", "root", "x" * 300,
]  # fmt: skip


def test_a_property_named_like_a_keyword_has_an_attribute_and_keeps_its_name_on_the_wire(
    run: Run, tmp_path: Path
) -> None:
    write_package({"tools/probe.yaml": tool({"type": "object", "properties": {"class": {"type": "string"}}})}, tmp_path)
    code = """
import json
import generated.tools as tools
arguments = tools.parse_arguments("probe", {"class": "x"})
print(json.dumps([arguments.class_, arguments.model_dump(by_alias=True)]))
"""

    assert run(tmp_path, code) == [["x", {"class": "x"}]]


def test_hostile_texts_are_data(run: Run, tmp_path: Path) -> None:
    properties: dict[str, Any] = {
        text: {
            "description": text,
            "title": text,
            "type": "object",
            "properties": {text: {"type": "string", "enum": [text, "z"], "default": text}},
            "customTypePath": "antigravity.fly",
            "x-python-import": {"module": "antigravity", "name": "fly"},
        }
        for text in HOSTILE
    }
    schema = {
        "type": "object",
        "description": "\n".join(HOSTILE),
        "properties": properties,
        "$defs": {text: {"type": "object", "properties": {text: True}} for text in HOSTILE},
    }
    value = {text: {text: text} for text in HOSTILE}
    files = {
        "tools/probe.yaml": {
            **tool(schema),
            "description": "\n".join(HOSTILE),
            "display_name": '"\\',
        }
    }
    package = write_package(files, tmp_path)
    code = f"{_TABLE}\nprint(json.dumps(tools.DEFINITIONS['probe'].parameters))\nprint(json.dumps(tools.DEFINITIONS['probe'].description))"

    parsed, parameters, description = run(tmp_path, code, [["probe", value]])

    assert parsed["value"] == value
    assert parameters["properties"] == properties
    assert description == "\n".join(HOSTILE)
    text = (package / "tools" / "probe.py").read_text("utf-8")
    assert "import antigravity" not in text
    assert "from antigravity" not in text
    assert all(c.isprintable() or c == "\n" for c in text)


@pytest.mark.parametrize(
    "name",
    ["class", "import", "None", "match", "json", "typing", "pydantic", "models", "tools", "types", "__init__", "_", "-",
     "2fa", "con", "COM1", "dispatch", "parse_arguments", "overload", "annotations", "A" * 64, "print"],
)  # fmt: skip
def test_tools_of_any_legal_name_work(run: Run, tmp_path: Path, name: str) -> None:
    write_package({"tools/a.yaml": tool({"properties": {"a": {"type": "string"}}}, name)}, tmp_path)

    (parsed,) = run(tmp_path, _TABLE, [[name, {"a": "x"}]])

    assert parsed["value"] == {"a": "x"}


@pytest.mark.parametrize("count", [20, pytest.param(100, marks=pytest.mark.slow)])
def test_circles_and_chains_of_any_length_import(run: Run, tmp_path: Path, count: int) -> None:
    def ring(close: bool) -> dict[str, Any]:
        nodes: dict[str, Any] = {
            f"n{i}": {"type": "object", "properties": {"next": {"$ref": f"#/$defs/n{i + 1}"}}} for i in range(count)
        }
        nodes[f"n{count}"] = nodes["n0"] if close else {"type": "object", "properties": {"end": {"type": "string"}}}
        if close:
            nodes[f"n{count - 1}"]["properties"]["next"] = {"$ref": "#/$defs/n0"}
            del nodes[f"n{count}"]
        return {"properties": {"start": {"$ref": "#/$defs/n0"}}, "$defs": nodes}

    files = {
        "tools/ring.yaml": tool(ring(True), "ring"),
        "tools/chain.yaml": tool(ring(False), "chain"),
    }
    write_package(files, tmp_path)
    value = {"start": {"next": {"next": {}}}}

    results = run(tmp_path, _TABLE, [["ring", value], ["chain", value]])

    assert [sorted(r) for r in results] == [["set", "value"]] * 2


@pytest.mark.slow
@pytest.mark.parametrize("checker", [["mypy", "--strict"], ["pyright", "--pythonpath", sys.executable]])
def test_generated_code_is_typed(tmp_path: Path, checker: list[str]) -> None:
    write_package(samples(), tmp_path)
    (tmp_path / "use.py").write_text(
        "from generated.tools import parse_arguments\n"
        "from generated.tools.get_weather import GetWeatherArguments\n"
        'weather: GetWeatherArguments = parse_arguments("get_weather", {})\n'
        'count: int | None = parse_arguments("read_file", {}).start_line\n'
        'order = parse_arguments("create_order", "{}")\n'
        "city: str = order.ship_to.city\n"
    )

    done = subprocess.run(
        [sys.executable, "-m", *checker, "use.py", "generated/tools", "generated/types.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout
