"""Names: legal, distinct by the build's own comparison, the same whatever the order, their own kept for the source."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from toolgen.diagnostics import Findings
from toolgen.importing.declarations import legal_name
from toolgen.importing.selection import ImportSelection
from toolgen.pipeline import resolve_project

from .imports import imported


def tools(*names: str) -> list[dict[str, object]]:
    return [{"name": name, "inputSchema": {"type": "object"}} for name in names]


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("get_weather", "get_weather"),
        ("-_x", "-_x"),
        ("weather.get", "weather_get"),
        ("Summarize Detection", "Summarize_Detection"),
        ("files/read", "files_read"),
        ("../../etc/passwd", "etc_passwd"),
        ("C:\\Windows", "C_Windows"),
        ("%2e%2e%2fx", "2e_2e_2fx"),
        ("~root", "root"),
        ("Größe", "Grosse"),
        ("Ærø Łódź", "AEro_Lodz"),
        ("天気", "u5929_u6c17"),
        ("a\n", "a"),
        ("a" * 65, "a" * 64),
        ("repos-list_" * 6, "repos-list_repos-list_repos-list_repos-list_repos-list_repos"),
        ("listAllOpenPullRequests" * 3, "listAllOpenPullRequestslistAllOpenPullRequestslistAllOpenPull"),
        (
            "list all open pull requests of a repository and of its forks too please",
            "list_all_open_pull_requests_of_a_repository_and_of_its_forks_too",
        ),
        ("", "tool"),
        ("...", "tool"),
    ],
)
def test_legal_names(name: str, legal: str) -> None:
    assert legal_name(name) == legal
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", legal)


def test_a_name_of_a_million_characters_costs_little() -> None:
    assert len(legal_name("天" * 1_000_000)) <= 64


@pytest.mark.parametrize(
    ("format", "key", "name", "sources", "message_end"),
    [
        ("mcp", "inputSchema", "weather.get", ["mcp"], "kept for mcp"),
        ("gemini", "parametersJsonSchema", "weather.get", ["gemini"], "kept for gemini"),
        ("anthropic", "input_schema", "weather_" * 10, ["anthropic"], "kept for anthropic"),
        ("openai", "parameters", "weather_" * 10, ["openai_responses"], "kept for openai_responses"),
        (
            "openai",
            "parameters",
            "weather.get",
            [],
            "kept in tools/import.lock, because openai_chat and openai_responses would refuse it",
        ),
        (
            "anthropic",
            "input_schema",
            "weather.get",
            [],
            "kept in tools/import.lock, because anthropic would refuse it",
        ),
    ],
)
def test_a_name_that_changed_is_kept_for_its_source_if_that_accepts_it(
    tmp_path: Path, format: str, key: str, name: str, sources: list[str], message_end: str
) -> None:
    result = imported(tmp_path, [{"name": name, key: {"type": "object"}}], format)
    ((legal, tool),) = result.tools.items()
    assert tool.get("providers") == ({source: {"name": name} for source in sources} or None)
    assert result.codes == ["import-renamed"]
    assert result.findings[0].message == (
        f"'{name}' is not a valid name and was changed to '{legal}'; the original name is {message_end}"
    )
    findings = Findings()
    assert resolve_project(tmp_path / "schemas", findings) is not None, list(findings)


def test_a_note_about_a_tool_that_was_left_out_after_it_does_not_stay(tmp_path: Path) -> None:
    faulty = {"name": "get_x", "inputSchema": {"type": "object", "properties": {"a": {"type": "file"}}}}
    result = imported(tmp_path, [*tools("get.x"), faulty], choice=ImportSelection(skip_faulty=True))
    assert (list(result.tools), result.codes) == (["get_x"], ["import-left-out", "import-renamed"])


def test_the_kept_name_stands_beside_other_members(tmp_path: Path) -> None:
    tool = {**tools("a.b")[0], "_meta": {"x": 1}}
    assert imported(tmp_path, [tool]).tools["a_b"]["providers"] == {"mcp": {"name": "a.b", "_meta": {"x": 1}}}


def test_names_that_fall_together_are_told_apart_whatever_their_order(tmp_path: Path) -> None:
    names = ("get.x", "get_x", "GET-X", "getX2")
    for i, order in enumerate([*itertools.permutations(names)][::5]):  # each pair in both orders
        result = imported(tmp_path / str(i), tools(*order))
        own = {tool.get("providers", {}).get("mcp", {}).get("name", name): name for name, tool in result.tools.items()}
        assert own == {"GET-X": "GET-X", "getX2": "getX2", "get_x": "get_x_3", "get.x": "get_x_4"}
        assert result.codes == ["import-collision", "import-collision"]


def test_long_names_that_begin_alike(tmp_path: Path) -> None:
    result = imported(tmp_path, tools("a" * 70, "a" * 71, "a" * 64))
    assert set(result.tools) == {"a" * 64, "a" * 62 + "_2", "a" * 62 + "_3"}


def test_one_name_twice_is_refused_at_the_second(tmp_path: Path) -> None:
    result = imported(
        tmp_path, '[{"name": "a", "inputSchema": {"type": "object"}},\n {"name": "a", "inputSchema": {}}]'
    )
    assert (result.brief[0], result.texts) == ("2:11 import-duplicate", {})


@pytest.mark.parametrize(
    "name", ["CON", "aux", "nul", "com1", "LPT9", "import", "None", "-x", "_", "x" * 64, "9", "dispatch"]
)
def test_files_are_portable(tmp_path: Path, name: str) -> None:
    (file,) = imported(tmp_path, tools(name)).texts
    stem = file.removesuffix(".yaml")
    assert re.fullmatch(r"[a-z0-9_]{1,70}", stem)
    assert stem not in {"con", "aux", "nul", "com1", "lpt9"}
