"""Token counts: which tables of a profile fit the format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from toolgen.diagnostics import Findings
from toolgen.pipeline import check_project
from toolgen.plan.wires import MappingError, plan_usage
from toolgen.resolve import Format

LEAST: dict[str, Any] = {
    "inputTokens": {"path": "in"},
    "outputTokens": {"path": "out"},
    "totalTokens": {"path": "total"},
}


@pytest.fixture
def format(tmp_path: Path) -> Format:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "now.yaml").write_text("name: now\n", "utf-8")
    project = check_project(tmp_path, Findings())
    assert project is not None
    return project.catalog.format


def test_the_table_of_a_profile_stays_as_it_is(format: Format) -> None:
    table = {**LEAST, "inputCachedTokens": {"path": "details.cached", "or": ["cached"]}, "inputImageTokens": {}}
    assert plan_usage(table, format) == table


def test_a_field_that_the_format_no_longer_has_is_left_out(format: Format) -> None:
    assert plan_usage({**LEAST, "audioTokens": {"path": "audio"}}, format) == LEAST


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"inputTokens": {}}, "no number is part of inputTokens"),
        ({"totalTokens": {}}, "no number is part of totalTokens"),
        ({"inputCachedTokens": {"or": ["cached"]}}, "needs a path"),
        ({"inputTokens": {"path": "in", "plus": ["cached"], "by_total": True}}, "by_total is for"),
        ({"outputTokens": {"path": "out", "by_total": True}}, "by_total is for"),
    ],
)
def test_a_row_that_cannot_be_read_is_refused(format: Format, row: dict[str, Any], reason: str) -> None:
    with pytest.raises(MappingError, match=reason):
        plan_usage({**LEAST, **row}, format)


def test_only_a_total_can_show_what_is_separate(format: Format) -> None:
    table = {"inputTokens": {"path": "in"}, "outputTokens": {"path": "out", "plus": ["thoughts"], "by_total": True}}
    with pytest.raises(MappingError, match="where there is a total"):
        plan_usage(table, format)
