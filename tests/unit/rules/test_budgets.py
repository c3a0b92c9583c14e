"""Budgets: what the tools take by provider, in bytes, and in tokens where they can be counted."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support.linting import written
from toolgen.compilation import LintResult, lint_project
from toolgen.diagnostics import Findings

TOOLS = {"now": "The time.", "later": "Die Zeit, später 🕰."}


def linted(folder: Path, **budget: int) -> tuple[LintResult, list[tuple[str, str]]]:
    config = {
        "providers": ["openai_chat", "gemini"],
        "budgets": {"openai_chat": budget},
        "lint": {"description-too-short": "off"},
    }
    sources = {f"tools/{n}.json": json.dumps({"name": n, "description": d}) for n, d in TOOLS.items()}
    findings = Findings()
    result = lint_project(written(folder, sources | {"toolgen.yaml": json.dumps(config, indent=1)}), findings)
    assert result is not None
    return result, [(f.code, f.message) for f in findings]


def test_bytes_are_those_of_compact_json_in_utf_8(tmp_path: Path) -> None:
    result, messages = linted(tmp_path)
    assert messages == []
    entries = {
        name: {"type": "function", "function": {"name": name, "description": text, "strict": False}}
        for name, text in TOOLS.items()
    }
    sizes = {n: len(json.dumps([e], ensure_ascii=False, separators=(",", ":")).encode()) for n, e in entries.items()}
    assert result.sizes["openai_chat"] == {**sizes, "*": sum(sizes.values()) - 1}
    assert set(result.sizes) == {"openai_chat", "gemini"}


def test_a_budget_is_kept_up_to_its_last_byte(tmp_path: Path) -> None:
    sizes = linted(tmp_path / "a")[0].sizes["openai_chat"]
    assert linted(tmp_path / "b", bytes=sizes["*"], tool_bytes=max(sizes["now"], sizes["later"]))[1] == []
    _, messages = linted(tmp_path / "c", bytes=sizes["*"] - 1, tool_bytes=sizes["later"] - 1)
    assert sorted(messages) == [
        (
            "budget-exceeded",
            f"the tool later takes up {sizes['later']} bytes for openai_chat, and the budget is {sizes['later'] - 1}",
        ),
        (
            "budget-exceeded",
            f"the tools take up {sizes['*']} bytes for openai_chat, and the budget is {sizes['*'] - 1}",
        ),
    ]


class _Encoding:
    def encode(self, text: str, disallowed_special: tuple[str, ...]) -> list[str]:
        assert disallowed_special == ()
        return text.split(" ")


@pytest.fixture
def tiktoken(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A stand-in for tiktoken, with the two functions of it that are used."""
    loading: Any = ModuleType("tiktoken.load")
    package: Any = ModuleType("tiktoken")
    package.__path__ = []
    package.__spec__ = loading.__spec__ = sys.__spec__
    package.load = loading
    loading.read_file = lambda address: pytest.fail(f"fetched {address}")
    package.get_encoding = lambda name: _Encoding()
    monkeypatch.setitem(sys.modules, "tiktoken", package)
    monkeypatch.setitem(sys.modules, "tiktoken.load", loading)
    return package


def test_tokens_are_counted_where_a_tokenizer_is_installed(tmp_path: Path, tiktoken: ModuleType) -> None:
    # Words of the two descriptions, which stand in one text without other blanks: 2 + 4, and 1 in common.
    assert linted(tmp_path / "a", tokens=5)[1] == []
    assert sorted(linted(tmp_path / "b", tokens=4, tool_tokens=2)[1]) == [
        (
            "budget-exceeded",
            "the tool later takes up 4 tokens (tiktoken o200k_base) for openai_chat, and the budget is 2",
        ),
        ("budget-exceeded", "the tools take up 5 tokens (tiktoken o200k_base) for openai_chat, and the budget is 4"),
    ]


def test_a_vocabulary_that_is_not_stored_is_not_fetched(tmp_path: Path, tiktoken: Any) -> None:
    before = tiktoken.load.read_file
    tiktoken.get_encoding = lambda name: tiktoken.load.read_file(f"https://example.com/{name}")
    _, messages = linted(tmp_path, tokens=4)
    assert [code for code, _ in messages] == ["tokens-not-counted"]
    assert "o200k_base" in messages[0][1]
    assert tiktoken.load.read_file is before


def test_a_vocabulary_that_a_tokenizer_does_not_know_is_no_traceback(tmp_path: Path, tiktoken: Any) -> None:
    def get_encoding(name: str) -> None:
        raise ValueError(f"Unknown encoding {name}")

    tiktoken.get_encoding = get_encoding
    assert linted(tmp_path, tokens=4)[1] == [
        (
            "tokens-not-counted",
            "the budget is in tokens, but tokens cannot be counted: this tiktoken does not know the vocabulary o200k_base",
        )
    ]


def test_without_a_tokenizer_a_budget_in_tokens_is_said_not_to_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert linted(tmp_path, tokens=0)[1] == [
        ("tokens-not-counted", "the budget is in tokens, but tokens cannot be counted: tiktoken is not installed")
    ]
