"""Limits of providers: from their profiles, from the project, and none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.linting import of_declarations, written
from toolgen.diagnostics import Finding, Findings
from toolgen.pipeline import resolve_project

CODE = "description-too-long"


def too_long(folder: Path, declared: dict[str, Any], **config: Any) -> list[Finding]:
    sources = {"tools/now.json": json.dumps({"name": "now", **declared}), "toolgen.yaml": json.dumps(config)}
    return [f for f in of_declarations(folder, sources) if f.code == CODE]


@pytest.mark.parametrize("text", ["x", "é", "日", "👩"])
@pytest.mark.parametrize(("length", "count"), [(1023, 0), (1024, 0), (1025, 1)])
def test_characters_are_counted_where_the_provider_counts_characters(
    tmp_path: Path, text: str, length: int, count: int
) -> None:
    findings = too_long(tmp_path, {"description": text * length}, providers=["openai_chat", "anthropic"])
    assert len(findings) == count
    for finding in findings:
        assert "1025 characters, but openai_chat accepts 1024" in finding.message


@pytest.mark.parametrize(("length", "count"), [(511, 0), (512, 0), (513, 1)])
def test_bytes_are_counted_where_the_provider_counts_bytes(tmp_path: Path, length: int, count: int) -> None:
    profile = "limits: {description: {most: 1024, unit: bytes, date: 2026-01-01, evidence: a test}}\n"
    sources = {
        "tools/now.json": json.dumps({"name": "now", "description": "é" * length}),
        "toolgen.yaml": "providers: [anthropic]\n",
        "providers/anthropic.yaml": profile,
    }
    findings = [f.message for f in of_declarations(tmp_path, sources) if f.code == CODE]
    assert findings == [
        f"the description of 'now' has {2 * length} bytes, but anthropic accepts 1024 (a test)" for _ in range(count)
    ]


def test_a_description_for_one_provider_counts_there(tmp_path: Path) -> None:
    declared = {"description": "x" * 2000, "providers": {"openai_chat": {"description": "Short."}}}
    assert too_long(tmp_path / "a", declared, providers=["openai_chat"]) == []
    assert len(too_long(tmp_path / "b", declared, providers=["openai_chat", "azure"])) == 1
    declared = {"description": "Short.", "providers": {"openai_chat": {"description": "x" * 2000}}}
    assert "openai_chat" in too_long(tmp_path / "c", declared, providers=["openai_chat", "azure"])[0].message


@pytest.mark.parametrize(("limit", "count"), [(5, 1), (6, 0), (0, 1), (None, 0)])
def test_the_projects_limit_goes_before_the_profiles(tmp_path: Path, limit: int | None, count: int) -> None:
    for name, provider in (("a", "openai_chat"), ("b", "anthropic")):
        findings = too_long(
            tmp_path / name,
            {"description": "Short."},
            providers=[provider],
            limits={provider: {"description": limit}},
        )
        assert len(findings) == count
        assert all("(toolgen.yaml)" in f.message for f in findings)


def test_no_limit_of_the_project_lifts_that_of_the_profile(tmp_path: Path) -> None:
    limits = {"openai_chat": {"description": None}}
    assert too_long(tmp_path, {"description": "x" * 5000}, providers=["openai_chat"], limits=limits) == []


@pytest.mark.parametrize("wrong", [{"descriptions": 5}, {"tools": "many"}, {"tools": -1}])
def test_a_limit_that_no_rule_reads_is_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    config = json.dumps({"limits": {"openai_chat": wrong}})
    schemas = written(tmp_path, {"tools/now.json": '{"name": "now"}', "toolgen.yaml": config})
    findings = Findings()
    assert resolve_project(schemas, findings) is None
    assert {f.span.path for f in findings} == {f"{schemas.as_posix()}/toolgen.yaml"}


@pytest.mark.parametrize("section", ["limits", "budgets"])
def test_a_provider_with_a_slip_of_the_pen_is_told(tmp_path: Path, section: str) -> None:
    config = json.dumps({section: {"openai_cat": {}, "prompt": {}, "ours_alone": {}}})
    schemas = written(tmp_path, {"tools/now.json": '{"name": "now"}', "toolgen.yaml": config})
    findings = Findings()
    assert resolve_project(schemas, findings) is not None
    assert [(f.code, f.message) for f in findings] == [
        ("provider-misspelled", "unknown provider 'openai_cat'; did you mean 'openai_chat'?")
    ]


@pytest.mark.parametrize(
    ("depth", "refusing"), [(5, []), (6, ["azure"]), (10, ["azure"]), (11, ["azure", "openai_chat"])]
)
def test_a_strict_tool_may_be_as_deep_as_the_provider_takes(tmp_path: Path, depth: int, refusing: list[str]) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"p": schema}}
    sources = {
        "tools/now.json": json.dumps({"name": "now", "strict": "always", "parameters": schema}),
        "toolgen.yaml": "providers: [azure, openai_chat, anthropic]\n",
    }
    messages = [f.message for f in of_declarations(tmp_path, sources) if f.code == "schema-too-large"]
    assert [message.split(" levels, but ")[1].split()[0] for message in messages] == refusing


@pytest.mark.slow
def test_definitions_that_all_refer_to_one_another_are_gone_through_once(tmp_path: Path) -> None:
    names = [f"d{n}" for n in range(71)]
    each = {"type": "object", "properties": {name: {"$ref": f"#/$defs/{name}"} for name in names}}
    parameters = {**each, "$defs": dict.fromkeys(names, each)}
    sources = {
        "tools/now.json": json.dumps({"name": "now", "strict": "always", "parameters": parameters}),
        "toolgen.yaml": "providers: [openai_chat]\n",
    }
    messages = {
        f.message.split(", but ")[0] for f in of_declarations(tmp_path, sources) if f.code == "schema-too-large"
    }
    assert messages == {
        "the parameters of 'now' have 5112 properties",
    }


def test_a_provider_that_nothing_resembles_is_told_in_a_tool(tmp_path: Path) -> None:
    tool = json.dumps({"name": "now", "unsupported": ["skynet"], "providers": {"ours_alone": {}}})
    findings = Findings()
    assert resolve_project(written(tmp_path, {"tools/now.json": tool}), findings) is not None
    assert [(f.code, f.level, f.message) for f in findings] == [
        ("provider-name-unknown", "warning", "unknown provider 'skynet'"),
        ("provider-name-unknown", "warning", "unknown provider 'ours_alone'"),
    ]
