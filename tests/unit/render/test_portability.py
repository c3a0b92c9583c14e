"""PORTABILITY.md: what each provider gets of each tool, by keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.generated import compiled

PROVIDERS = ("openai_chat", "anthropic", "cohere")

PLACE = {"type": "object", "properties": {"city": {"type": "string", "minLength": 1}}, "additionalProperties": False}

FIND: dict[str, Any] = {
    "name": "find",
    "description": "Finds.",
    "unsupported": ["cohere"],
    "parameters": {
        "type": "object",
        "properties": {
            "what": {"type": "string", "minLength": 2},
            "rows": {
                "type": "array",
                "items": {"type": "object", "properties": {"n": {"type": "string", "minLength": 3}}},
            },
            "any": {"anyOf": [{"type": "string", "minLength": 4}, {"type": "integer"}]},
            "own": {"$ref": "#/$defs/own"},
            "place": {"$ref": "../types/place.json"},
        },
        "$defs": {"own": {"type": "string", "minLength": 5}},
    },
}

LABEL: dict[str, Any] = {
    "name": "label",
    "description": "Labels.",
    "parameters": {
        "type": "object",
        "properties": {"all": {"type": "object", "additionalProperties": {"type": "string"}}},
    },
}

NOW: dict[str, Any] = {"name": "now", "description": "The time."}


def report(tmp_path: Path, *tools: dict[str, Any], providers: tuple[str, ...] = PROVIDERS) -> list[str]:
    for path, value in [("types/place.json", PLACE), *((f"tools/{tool['name']}.json", tool) for tool in tools)]:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(json.dumps(value), "utf-8")
    return compiled(tmp_path, providers)["PORTABILITY.md"].splitlines()


def listed(lines: list[str], name: str) -> list[str]:
    """The causes below an entry."""
    start = next(i for i, line in enumerate(lines) if line.startswith(f"- `{name}`"))
    end = next((i for i in range(start + 1, len(lines)) if not lines[i].startswith("  - ")), len(lines))
    return [line.removeprefix("  - ") for line in lines[start + 1 : end]]


def test_each_tool_has_a_row_that_says_whether_a_provider_enforces_it(tmp_path: Path) -> None:
    lines = report(tmp_path, FIND, LABEL, NOW)
    assert [line for line in lines if line.startswith("| ")] == [
        "| tool | openai_chat | anthropic | cohere |",
        "| `find` | lossy, strict | lossy, strict | not offered |",
        "| `label` | ok | ok | ok |",
        "| `now` | ok | ok | ok |",
    ]


def test_a_loss_names_the_keys_the_providers_and_what_still_checks_it(tmp_path: Path) -> None:
    lines = report(tmp_path, FIND, LABEL, NOW)
    why = "minLength is not supported by this provider. Still checked by `parse_arguments`."
    keys = "`$defs.own`, `any.anyOf[0]`, `rows[].n`, `what`"
    assert listed(lines, "find") == [f"minLength at {keys}: described for openai_chat, anthropic; {why}"]
    assert listed(lines, "Place") == [f"minLength at `city`: described for openai_chat, anthropic; {why}"]
    assert "- `find`, and see `Place`" in lines


def test_why_a_provider_does_not_enforce_a_tool_is_listed(tmp_path: Path) -> None:
    (cause,) = listed(report(tmp_path, LABEL), "label")
    assert cause.startswith("strict at `all`: dropped for openai_chat, anthropic; not strict, because of a map: ")


def test_a_loss_of_the_tool_as_a_whole_has_no_key(tmp_path: Path) -> None:
    closed = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    tools = [{**NOW, "name": f"now_{i:02}", "parameters": closed} for i in range(30)]
    lines = report(tmp_path, *tools, providers=("anthropic",))
    why = "earlier strict tools use up the limits of a request: tools. Still checked by `parse_arguments`."
    assert listed(lines, "now_00") == []
    assert listed(lines, "now_29") == [f"strict: dropped for anthropic; {why}"]


def test_every_tool_and_type_has_an_entry_so_that_others_are_not_neighbours(tmp_path: Path) -> None:
    lines = report(tmp_path, FIND, LABEL, NOW)
    entries = [line for line in lines if line.startswith("- ")]
    assert entries == ["- `find`, and see `Place`", "- `label`", "- `now`", "- `Place`"]
    assert [line for line in lines if line.startswith("## ")] == ["## Tools", "## Shared types"]


@pytest.mark.parametrize("name", ["a_first", "go", "zz_last"])
def test_a_new_tool_adds_lines_and_changes_none(tmp_path: Path, name: str) -> None:
    before = report(tmp_path, FIND, LABEL, NOW)
    after = report(tmp_path, FIND, LABEL, NOW, {**FIND, "name": name})
    gone = [line for line in before if line not in after]
    assert gone == []
    assert [line for line in after if line in before] == before or sorted(set(before)) == sorted(
        set(before) & set(after)
    )


def test_positions_in_a_source_are_not_in_the_report(tmp_path: Path) -> None:
    before = report(tmp_path, FIND, LABEL, NOW)
    (tmp_path / "tools/find.json").write_text(json.dumps(FIND, indent=3), "utf-8")
    assert compiled(tmp_path, PROVIDERS)["PORTABILITY.md"].splitlines() == before


def test_many_keys_are_counted(tmp_path: Path) -> None:
    properties = {f"p{i:02}": {"type": "string", "minLength": 2} for i in range(25)}
    tool = {"name": "many", "description": "Many.", "parameters": {"type": "object", "properties": properties}}
    (cause,) = [
        each for each in listed(report(tmp_path, tool, providers=("openai_chat",)), "many") if "minLength" in each
    ]
    assert "`p18`, `p19` and 5 more: described for openai_chat; " in cause
