"""Strings of the formats that Python has types for: read as RFC 3339 and RFC 4122 spell them, or left as they are."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.exact.test_schema_suite import accepts
from tests.support.generated import Package
from tests.support.package import write_package
from tests.support.schema_suite import ROWS, files_of
from tests.support.sources import tool

FORMATS = {"date", "date-time", "time", "uuid"}

FORMAT_ROWS = [
    (position, row)
    for position, row in enumerate(ROWS)
    if row["schema"].get("format") in FORMATS and row["id"].startswith("validation_of")
]
"""Rows of the suite's optional tests, in which formats are asserted."""

LEAP_SECONDS = (":60", "23:59:60")
"""Seconds that RFC 3339 knows and Python does not; jsonschema refuses them too."""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """The rows, and a tool with defaults and a union, in one package that checks formats."""
    folder = tmp_path_factory.mktemp("formats")
    files: dict[str, Any] = {}
    for position, row in FORMAT_ROWS:
        files |= files_of(position, row)
    day = {"type": "string", "format": "date"}
    properties = {
        "to_date": {"type": "string", "default": "x"},
        "day": {**day, "default": "2024-05-06"},
        "maybe": {"anyOf": [day, {"type": "null"}], "default": "2024-05-07"},
        "days": {"type": "array", "items": day, "default": ["2024-05-08"]},
        "shared": {"$ref": "../types/day.json", "default": "2024-05-09"},
        "wrong": {**day, "default": "today"},
        "number": {"type": "integer", "default": "ten"},
        "at": {"type": "string", "format": "date-time", "default": "2024-05-06T07:08:09Z"},
        "clock": {"type": "string", "format": "time", "default": "07:08:09z"},
        "key": {"type": "string", "format": "uuid", "default": "2EB8AA08-AA98-11EA-B4AA-73B441D16380"},
        "one": {"type": "string", "format": "date", "enum": ["2024-05-06"]},
        "long": {"type": "string", "format": "date", "maxLength": 9},
        "any": {"format": "date"},
        "no": {"not": {"format": "date"}},
        "mail": {"type": "string", "format": "email"},
    }
    files |= {"types/day.json": day, "tools/all.json": tool({"type": "object", "properties": properties}, "all")}
    return Package({}, folder, write_package(files, folder).rename(folder / "checked").name)


@pytest.mark.parametrize(("position", "row"), FORMAT_ROWS, ids=[row["id"] for _, row in FORMAT_ROWS])
def test_strings_are_decided_as_the_suite_says(package: Package, position: int, row: dict[str, Any]) -> None:
    tools = package.module("tools")
    assert len(row["tests"]) > 20
    for case in row["tests"]:
        expected = case["valid"] and not any(second in str(case["data"]) for second in LEAP_SECONDS)
        value = {"value": case["data"]}
        for form in (value, json.dumps(value)):
            assert accepts(tools, f"t{position}", form) is expected, case


def test_defaults_are_what_their_type_is(package: Package) -> None:
    defaults = package.module("tools").parse_arguments("all", {})
    assert (defaults.to_date, defaults.day, defaults.maybe) == ("x", date(2024, 5, 6), date(2024, 5, 7))
    assert (defaults.days, defaults.shared) == ([date(2024, 5, 8)], date(2024, 5, 9))
    assert (defaults.wrong, defaults.number) == (None, None)
    assert defaults.at == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert defaults.clock == time(7, 8, 9, tzinfo=UTC)
    assert defaults.key == UUID("2eb8aa08-aa98-11ea-b4aa-73b441d16380")


@pytest.mark.parametrize(
    ("arguments", "fits"),
    [
        ({"one": "2024-05-06"}, True),
        ({"one": "2024-05-07"}, False),
        ({"long": "2024-05-06"}, False),
        ({"any": 5}, True),
        ({"any": "2024-05-06"}, True),
        ({"any": "x"}, False),
        ({"no": "x"}, True),
        ({"no": "2024-05-06"}, False),
        ({"mail": "x"}, True),
        ({"day": 5}, False),
        ({"day": None}, False),
        ({"maybe": None}, True),
        ({"day": "2024-05-06T00:00:00Z"}, False),
        ({"key": "2EB8AA08AA9811EAB4AA73B441D16380"}, False),
        ({"at": "2024-05-06T07:08:09.123456789+23:59"}, True),
        ({"at": "2024-05-06T07:08:09"}, False),
        ({"at": 1714979289}, False),
    ],
)
def test_a_format_is_checked_wherever_it_stands(package: Package, arguments: dict[str, Any], fits: bool) -> None:
    tools = package.module("tools")
    assert [accepts(tools, "all", form) for form in (arguments, json.dumps(arguments))] == [fits, fits]


def test_what_is_wrong_is_said_in_words_of_json(package: Package) -> None:
    tools = package.module("tools")
    with pytest.raises(tools.ArgumentsError) as caught:
        tools.parse_arguments("all", {"day": "6 May", "at": 5})
    assert [(f.pointer, f.expected, f.found) for f in caught.value.faults] == [
        ("/day", "a date such as 2024-05-06", "string"),
        ("/at", "a date-time such as 2024-05-06T07:08:09Z", "integer"),
    ]


def test_models_take_python_and_give_json(package: Package) -> None:
    model = type(package.module("tools").parse_arguments("all", {}))
    instance = model(day=date(2024, 5, 6), at=datetime(2024, 5, 6, 7, tzinfo=UTC))
    dumped = instance.model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert dumped == {"day": "2024-05-06", "at": "2024-05-06T07:00:00Z"}


def test_formats_can_stay_text(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"day": {"type": "string", "format": "date", "default": "today"}}}
    files = {"tools/a.json": tool(schema, "a"), "toolgen.yaml": "formats: text\n"}
    package = Package({}, tmp_path, write_package(files, tmp_path).rename(tmp_path / "as_text").name)
    tools = package.module("tools")
    assert tools.parse_arguments("a", {}).day == "today"
    assert tools.parse_arguments("a", {"day": "x"}).day == "x"
    assert tools.DEFINITIONS["a"].parameters == schema
