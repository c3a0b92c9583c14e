"""Stored conversations, held to new schemas: the calls that are counted are exactly those that `parse_call` refuses."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.generated import Package, compiled, shipped_profiles, write_project
from tests.support.repository import ROOT, extended
from toolgen.breaking.comparison import compare_with
from toolgen.breaking.replay import ReplayResult, replay
from toolgen.diagnostics import Findings

RECORDED = ROOT / "tests/traffic/recorded"
PROVIDERS = sorted(file.stem for file in RECORDED.glob("*.jsonl"))

EMPTY = "replay-empty: there is no stored call in this file, so nothing was checked"


def rows(provider: str) -> list[Any]:
    return [json.loads(line) for line in (RECORDED / f"{provider}.jsonl").read_text("utf-8").splitlines()]


def calls_of(module: Any, row: Any) -> list[Any]:
    """The calls of an exchange, by the package's own functions."""
    messages = list(module.from_request(row["request"]).messages)
    if row["events"]:
        messages += [e.completion.message for e in module.iter_events(row["events"]) if e.type == "completed"]
    elif row["response"] and "rejected" not in row["tags"]:
        messages.append(module.from_response(row["response"]).message)
    parts = [p for m in messages if m.role == "assistant" and isinstance(m.content, list) for p in m.content]
    return [part.call for part in parts if part.type == "tool_call"]


def declared(package: Package, provider: str) -> list[dict[str, Any]]:
    """Tools as the recorded requests have them, every second one with a property that nobody gives."""
    parameters_by_tool: dict[str, dict[str, Any]] = {}
    module = package.provider(provider)
    for row in rows(provider):
        for call in calls_of(module, row):
            properties = {key: {} for key in (call.arguments if isinstance(call.arguments, dict) else {})}
            parameters_by_tool.setdefault(call.name, {"type": "object", "properties": properties})
    tools = []
    for at, (name, parameters) in enumerate(sorted(parameters_by_tool.items())):
        if at % 3 == 1:
            parameters["required"] = ["never given"]
            parameters["properties"]["never given"] = {"type": "string"}
        if at % 3 == 2:
            parameters = {"type": "object", "properties": {key: {"type": "null"} for key in parameters["properties"]}}
        if at % 4:
            tools.append({"name": name, "description": "Some tool.", "parameters": parameters})
    return tools


def family(provider: str) -> list[str]:
    """A profile and those that it extends."""
    profiles = [provider]
    while (parent := extended(profiles[-1])) is not None:
        profiles.append(parent)
    return profiles


@pytest.mark.parametrize("provider", PROVIDERS)
def test_it_counts_what_parse_call_refuses(sample: Package, tmp_path: Path, provider: str) -> None:
    tools = [tool for tool in declared(sample, provider) if len(tool["name"]) <= 64 and tool["name"].isidentifier()]
    tools = [*tools, {"name": "never_called", "description": "Some tool.", "parameters": {"type": "object"}}]
    with shipped_profiles(*family(provider)):
        files = compiled(write_project(tmp_path, tuple(tools), {}, [provider]), [provider])
    package = Package(files, tmp_path)
    result = replay(RECORDED / f"{provider}.jsonl", files, provider, findings := Findings())
    assert result is not None
    unknown, refused, fitting = Counter[str](), Counter[str](), Counter[str]()
    for row in rows(provider):
        for call in calls_of(package.provider(provider), row):
            if call.name not in package.module("tools").DEFINITIONS:
                unknown[call.name] += 1
                continue
            try:
                package.module("tools").parse_call(call, on_loss=lambda loss: None)
            except package.module("tools").ArgumentsError:
                refused[call.name] += 1
            else:
                fitting[call.name] += 1
    by_tool = Counter[str]()
    for (tool, _), count in result.refused.items():
        by_tool[tool] += count
    assert (result.unknown, by_tool, result.fitting) == (unknown, refused, fitting)
    assert {finding.code for finding in findings} <= {"replay-unknown", "replay-refused", "replay-respelled"}
    assert sum((unknown + refused + fitting).values()) > 0


TOOL = {
    "name": "find",
    "description": "Find something.",
    "aliases": ["search"],
    "parameters": {
        "type": "object",
        "properties": {
            "count": {"type": "integer"},
            "where": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
    },
}


def stored(name: str, arguments: Any) -> Any:
    call = {"id": "c", "name": name, "arguments": arguments}
    return {"role": "assistant", "content": [{"type": "tool_call", "call": call}]}


def replayed(
    folder: Path, text: str | bytes, provider: str | None = None, file: Path | None = None
) -> tuple[ReplayResult, list[str]]:
    (folder / "stored.jsonl").write_bytes(text.encode() if isinstance(text, str) else text)
    file = file or folder / "stored.jsonl"
    with shipped_profiles("openai_chat"):
        files = compiled(write_project(folder, (TOOL,), {}))
    result = replay(file, files, provider, findings := Findings())
    assert result is not None
    return result, [f"{finding.code}: {finding.message}" for finding in findings]


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    lines = "\r\n".join(json.dumps(stored("find", {})) for _ in range(2))
    result, report = replayed(tmp_path, b"\xef\xbb\xbf" + lines.encode())
    assert (result.fitting, report) == ({"find": 2}, [])


def test_a_line_ends_only_where_json_lines_end(tmp_path: Path) -> None:
    lines = [json.dumps(stored("find", {"text": text}), ensure_ascii=False) for text in ("a\u2028b", "a\x85b")]
    result, _ = replayed(tmp_path, "\n".join(lines))
    assert (result.unreadable, sum(result.fitting.values()) + len(result.refused)) == (0, 2)


def test_a_dash_is_the_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(stored("find", {})).encode())))
    result, _ = replayed(tmp_path, "", file=Path("-"))
    assert result.fitting == {"find": 1}


@pytest.mark.parametrize(("data", "reason"), [(b"\xff\xfe", "it is not UTF-8"), (None, "the standard input is closed")])
def test_a_file_that_cannot_be_read_stops_the_comparison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes | None, reason: str
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    file = Path("-") if data is None else tmp_path / "stored.json"
    (tmp_path / "stored.json").write_bytes(data or b"")
    schemas = write_project(tmp_path, (TOOL,), {})
    with shipped_profiles("openai_chat"):
        assert compare_with(schemas, findings := Findings(), None, None, replay_files=[file]) is None
    assert [finding.message.endswith(f"cannot be read: {reason}") for finding in findings] == [True]


def test_what_is_read_through_an_alias_or_in_other_words_is_a_note(tmp_path: Path) -> None:
    lines = [stored("search", {"count": 1}), [stored("find", {"count": None})], {"messages": [stored("find", {})]}]
    result, report = replayed(tmp_path, "\n".join(map(json.dumps, lines)))
    assert result.fitting == {"find": 3}
    assert report == [
        "replay-respelled: find: stored calls that are valid only through the alias search: 1",
        "replay-respelled: find: stored calls that are valid only through the value at /count: 1",
    ]


def test_what_a_model_wrote_is_never_shown(tmp_path: Path) -> None:
    result, report = replayed(tmp_path, json.dumps([stored("find", {"where": {"my secret": "x", "other": "y"}})]))
    assert result.refused == {("find", "/where/*"): 1}
    assert "secret" not in "".join(report)


def test_what_cannot_be_read_is_counted(tmp_path: Path) -> None:
    broken = {"role": "assistant", "content": [{"type": "tool_call", "call": {"name": "find"}}]}
    result, report = replayed(tmp_path, "no json\n\n" + json.dumps(broken))
    assert (result.unreadable, report) == (2, ["replay-unread: stored values that cannot be read: 2"])


@pytest.mark.parametrize("body", [{"choices": [{"message": {"role": "assistant"}}]}, [], {"messages": []}])
def test_a_file_without_calls_is_a_warning(tmp_path: Path, body: Any) -> None:
    result, report = replayed(tmp_path, json.dumps(body))
    assert (result, report) == (ReplayResult(), [EMPTY])


@pytest.mark.parametrize("body", [{"role": "assistant"}, 3, "text", {"request": {}, "response": None}])
def test_a_body_that_is_none_is_counted(tmp_path: Path, body: Any) -> None:
    result, _ = replayed(tmp_path, json.dumps(body), "openai_chat")
    assert result.unreadable == 1


def test_a_response_that_is_an_error_has_no_calls(tmp_path: Path) -> None:
    result, report = replayed(tmp_path, json.dumps({"error": {"message": "slow down", "code": 429}}), "openai_chat")
    assert (result.unreadable, report) == (0, [EMPTY])


def test_your_conversations_settle_what_nobody_can_tell(tmp_path: Path) -> None:
    """Of a pattern with a flag there is neither a proof nor a value; the stored calls decide."""
    sides = []
    for name, pattern in (("old", "(?i)^[a-z]{3,40}[0-9]{29,30}$"), ("new", "(?i)^[a-z]{2,41}[0-9]{30}$")):
        schema = {"type": "object", "properties": {"id": {"type": "string", "pattern": pattern}}}
        tool = {"name": "find", "description": "Find something.", "parameters": schema}
        sides.append(write_project(tmp_path / name, (tool,), {}))
    calls = [stored("find", {"id": "abc" + "1" * 30}), stored("find", {"id": "abc" + "1" * 29})]
    (tmp_path / "stored.json").write_text(json.dumps(calls), "utf-8")
    with shipped_profiles("openai_chat"):
        compared = compare_with(
            sides[1], findings := Findings(), None, sides[0], replay_files=[tmp_path / "stored.json"]
        )
    assert compared is not None
    (undecided,) = [finding for finding in findings if finding.code == "cannot-tell"]
    assert "1 of 2 stored calls are rejected" in str(undecided.hint)


def test_a_provider_that_the_project_has_not_is_built_for_the_replay(tmp_path: Path) -> None:
    schemas = write_project(tmp_path, (TOOL,), {})
    body = {"content": [{"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"count": "x"}}]}
    row = {"role": "assistant", "type": "message", "id": "m", "model": "m", "stop_reason": "tool_use", **body}
    (tmp_path / "stored.json").write_text(json.dumps(row), "utf-8")
    for provider, code in (("anthropic", "replay-refused"), ("antropic", "provider-unknown")):
        with shipped_profiles("openai_chat", "anthropic"):
            compare_with(
                schemas, findings := Findings(), None, None, replay_files=[tmp_path / "stored.json"], provider=provider
            )
        assert [finding.code for finding in findings] == [code]
