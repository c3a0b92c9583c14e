"""The paths that the lock file of a package accounts for: a build deletes a file of a removed tool, and no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.generated import PROBES, write_project
from tests.support.repository import PROFILES
from toolgen.compilation import compile_project
from toolgen.diagnostics import Findings

NEVER = (
    "own.py",
    "tools/own.py",
    "tools/deep/get_weather.py",
    "tools/get_weather.pyi",
    "providers/own.py",
    "runtime.py",
    "wires/openai_chat.py",
    "docs/index.html",
)
"""Paths at which no package of these tests has a file."""

SETTINGS: dict[str, dict[str, object]] = {
    "all providers": {"providers": PROFILES},
    "copied": {"runtime": "copied", "providers": ["anthropic", "prompt", "mcp"]},
    "frameworks": {"frameworks": ["langchain", "mcp"], "providers": ["openai_chat", "mcp"]},
    "tools alone": {"parts": ["tools"]},
    "converters alone": {"parts": ["converters"], "runtime": "copied"},
}


@pytest.mark.parametrize("own_profile", [False, True], ids=["", "own profile"])
@pytest.mark.parametrize("settings", SETTINGS)
def test_each_file_of_a_package_is_accounted_for_by_its_lock_file(
    tmp_path: Path, settings: str, own_profile: bool
) -> None:
    schemas = write_project(tmp_path, PROBES)
    (schemas / "toolgen.yaml").write_text(json.dumps(SETTINGS[settings]), "utf-8")
    if own_profile:
        (schemas / "providers").mkdir()
        (schemas / "providers/openai_chat.yaml").write_text("dialects: {strict: {maps: pairs}}\n", "utf-8")
    built = compile_project(schemas, Findings())
    assert built is not None
    output = built.output_at(tmp_path / "generated", "toolgen build")
    is_made = output.paths_of_lock(built.lock)
    assert [path for path in built.files if not is_made(path)] == []
    assert [path for path in NEVER if is_made(path)] == []
    parts = SETTINGS[settings].get("parts", ["tools", "converters"])
    assert isinstance(parts, list)
    assert is_made("tools/get_weather.py") == ("tools" in parts)
    assert is_made("providers/anthropic.py") == ("converters" in parts and "anthropic" in built.lock.payloads)
    assert is_made("runtime/models.py") == (built.lock.runtime == "copied")
