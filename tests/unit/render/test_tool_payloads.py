"""Payloads of declared tools: each tool is lowered once for a provider and a mode."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolgen.diagnostics import Findings
from toolgen.pipeline import check_project
from toolgen.render.package import package_payloads, render_package
from toolgen_runtime.lowering.lower import lower

PROVIDERS = ("openai_responses", "openai_chat", "anthropic", "gemini", "mcp")
TOOLS = 2_100
"""More than the number of schemas that a converter remembers when it runs."""


def write_tools(schemas: Path, count: int) -> None:
    """Declare tools that all differ: some may be strict, some cannot, and some decide it themselves."""
    (schemas / "tools").mkdir(parents=True)
    text = []
    for n in range(count):
        properties: dict[str, Any] = {f"number_{n}": {"type": "integer", "minimum": n}}
        if n % 3 == 0:
            properties["more"] = {"type": "object", "additionalProperties": {"type": "string"}}
        strict = {"strict": "never"} if n % 5 == 0 else {}
        parameters = {"type": "object", "properties": properties}
        text.append(json.dumps({"name": f"tool_{n}", "description": "A tool.", **strict, "parameters": parameters}))
    (schemas / "tools" / "all.yaml").write_text("\n---\n".join(text))


def test_a_tool_is_lowered_at_most_once_for_a_provider_and_a_mode(tmp_path: Path) -> None:
    write_tools(tmp_path, 40)
    project = check_project(tmp_path, Findings(), PROVIDERS)
    assert project is not None
    lowered: list[tuple[str, int]] = []
    dialects: list[Any] = []  # kept, because another dialect could get the id of one that is gone

    def counted(schema: Any, dialect: Any, depth: int, *, is_arguments: bool) -> Any:
        dialects.append(dialect)
        lowered.append((json.dumps(schema), id(dialect)))
        return lower(schema, dialect, depth, is_arguments=is_arguments)

    package = render_package(project.catalog, lower=counted)
    assert len(lowered) == len(set(lowered)) <= 40 * len(PROVIDERS) * 2
    assert package.payloads.keys() == set(PROVIDERS)


@pytest.mark.slow
def test_the_number_of_tools_does_not_change_how_often_one_is_lowered(tmp_path: Path) -> None:
    write_tools(tmp_path, TOOLS)
    project = check_project(tmp_path, Findings(), ("openai_chat",))
    assert project is not None
    count = 0

    def counted(*arguments: Any, **more: Any) -> Any:
        nonlocal count
        count += 1
        return lower(*arguments, **more)

    package_payloads(project.catalog, lower=counted)
    assert TOOLS <= count <= TOOLS * 2
