"""`toolgen providers`: what is printed is what lowering goes by, the project's own word before the shipped one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.commands import toolgen
from tests.support.generated import write_project
from tests.support.repository import PROFILES, profile
from toolgen_runtime.lowering.dialects import Dialect
from toolgen_runtime.lowering.lower import lower

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "minLength": 2, "pattern": "a", "format": "date"},
        "b": {"type": ["integer", "null"], "minimum": 1, "enum": [1, 2, None]},
        "c": {"type": "object", "additionalProperties": {"type": "string"}},
        "d": {"$ref": "#/$defs/d", "description": "A d."},
        "e": {"anyOf": [{"type": "string"}, {"type": "array", "items": {}}]},
    },
    "required": ["a"],
    "$defs": {"d": {"type": "object", "properties": {"x": {"const": 1}}}},
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path, providers=PROFILES)
    return tmp_path


def rules(project: Path, *more: str) -> dict[str, Any]:
    """What is printed as JSON."""
    result = toolgen("providers", "--format", "json", *more, cwd=project)
    assert (result.returncode, result.stderr) == (0, "")
    shown: dict[str, Any] = json.loads(result.stdout)
    return shown


def override(project: Path, name: str, facts: dict[str, Any]) -> None:
    """A profile of the project's own."""
    folder = project / "schemas" / "providers"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.yaml").write_text(json.dumps({"extends": name, **facts}), "utf-8")


def test_a_keyword_that_the_project_adds_or_takes_away_shows_with_its_place(project: Path) -> None:
    before = rules(project, "--provider", "openai_chat")["openai_chat"]["dialects"]["strict"]
    assert "minLength" in before["left_out"]
    assert before["stated"]["keywords"].startswith("<toolgen>/providers/openai_chat.yaml:")
    keywords = [*(word for word in before["rules"]["keywords"] if word != "pattern"), "minLength"]
    override(project, "openai_chat", {"dialects": {"strict": {"keywords": keywords}}})
    after = rules(project, "--provider", "openai_chat")["openai_chat"]["dialects"]["strict"]
    assert after["rules"]["keywords"] == keywords
    assert ("minLength" in after["left_out"], "pattern" in after["left_out"]) == (False, True)
    assert after["stated"]["keywords"].startswith("schemas/providers/openai_chat.yaml:1:")
    assert after["rules"]["date"] == before["rules"]["date"]
    text = toolgen("providers", "--provider", "openai_chat", cwd=project).stdout
    (line,) = [line for line in text.splitlines() if "# schemas/providers" in line]
    assert line.strip().startswith("keywords: [")
    assert "minLength" in text.split("keywords: [", 1)[1].split("]")[0]


def test_what_follows_from_a_fact_is_said_too(project: Path) -> None:
    override(project, "openai_chat", {"dialects": {"strict": {"keywords": ["type", "properties"], "maps": "pairs"}}})
    strict = rules(project, "--provider", "openai_chat")["openai_chat"]["dialects"]["strict"]
    assert (strict["rules"]["refs"], strict["rules"]["recursion"]) == ("inline", "unroll")
    assert (strict["rules"]["maps"], strict["rules"]["nullable"]) == ("pairs", "type_list")
    assert not {"refs", "nullable"} & strict["stated"].keys()


def test_the_mode_in_use_is_told_from_the_one_that_is_not(project: Path) -> None:
    purposes = {mode: dialect["tools"] for mode, dialect in rules(project)["gemini"]["dialects"].items()}
    assert purposes == {"open": "not strict", "openapi": None}
    override(project, "gemini", {"dialects": {"uses": "openapi"}})
    purposes = {mode: dialect["tools"] for mode, dialect in rules(project)["gemini"]["dialects"].items()}
    assert purposes == {"open": None, "openapi": "not strict"}


@pytest.mark.parametrize("name", PROFILES)
def test_what_is_printed_is_what_lowering_goes_by(project: Path, name: str) -> None:
    shown = rules(project, "--provider", name)[name]
    for mode, dialect in shown["dialects"].items():
        facts = json.loads(json.dumps(profile(name)["dialects"][mode], default=str))
        assert {key: dialect["rules"].get(key) for key in facts} == facts
        assert {"date", "evidence"} <= dialect["rules"].keys()
        assert lower(SCHEMA, Dialect(dialect["rules"])) == lower(SCHEMA, Dialect(facts))
    modes = {mode for mode, facts in profile(name)["dialects"].items() if type(facts) is dict}
    assert shown["dialects"].keys() == modes


def test_the_text_is_yaml_that_says_the_same(project: Path) -> None:
    shown = rules(project)
    result = toolgen("providers", cwd=project)
    assert (result.returncode, result.stderr) == (0, "")
    read = yaml.safe_load(result.stdout)
    assert list(read) == list(shown) == PROFILES
    for name, provider in shown.items():
        modes = {mode: dialect["rules"] for mode, dialect in provider["dialects"].items()}
        assert read[name].pop("dialects") == modes
        assert read[name] == {key: value for key, value in provider.items() if key not in ("title", "dialects")}


def test_texts_of_a_profile_cannot_break_out_of_their_line(project: Path) -> None:
    wild = 'yes: [x] # {"a"}\n\u2028  maps: pairs\x1b[2J'
    override(project, "mcp", {"title": wild, "dialects": {"open": {"evidence": wild}}})
    read = yaml.safe_load(toolgen("providers", "--provider", "mcp", cwd=project).stdout)
    assert read["mcp"]["dialects"]["open"]["evidence"] == wild
    assert "maps" not in read["mcp"]["dialects"]


def test_the_earlier_name_of_the_command_works_and_is_not_listed(project: Path) -> None:
    options = ["--provider", "mcp", "--format", "json"]
    assert toolgen("rules", *options, cwd=project).stdout == toolgen("providers", *options, cwd=project).stdout
    listed = toolgen("--help").stdout.split("Commands:")[1].split()
    assert "providers" in listed
    assert "rules" not in listed


def test_what_holds_for_a_model_is_printed_with_its_evidence_and_the_projects_own_entries(project: Path) -> None:
    entry = {"match": ["My-Deployment"], "is": "gpt-5.1", "limits": {"output": 1000}}
    override(project, "azure", {"models": [entry]})
    result = toolgen("providers", "--provider", "azure", "--model", "my-deployment", cwd=project)
    assert (result.returncode, result.stderr) == (0, "")
    read = yaml.safe_load(result.stdout)
    assert read["azure"]["limits"] == {"output": 1000}
    assert read["azure"]["reasoning"]["efforts"] == ["none", "low", "medium", "high"]
    assert "max_completion_tokens" in result.stdout
    assert "# gpt-5.1 (2026-11-21): " in result.stdout
    assert "My-Deployment (no date): no evidence" in result.stdout
    unknown = toolgen("providers", "--provider", "azure", "--model", "brand-new", cwd=project)
    assert unknown.stdout == "azure: {}  # the general facts of the API\n"


def test_a_name_in_place_of_the_folder_is_that_of_a_provider(project: Path) -> None:
    assert list(rules(project, "mistral")) == ["mistral"]
    assert rules(project, "mistral", "--model", "codestral-2501") == rules(
        project, "--provider", "mistral", "--model", "codestral-2501"
    )
    result = toolgen("providers", "mistrall", cwd=project)
    assert (result.returncode, "did you mean 'mistral'?" in result.stderr) == (2, True)
    (project / "schemas").rename(project / "mistral")
    assert len(rules(project, "mistral")) == len(PROFILES)
    assert toolgen("providers", cwd=project).returncode == 2
