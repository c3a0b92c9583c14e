"""Token counts: two spellings of one number, and what cannot be told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolgen.diagnostics import Findings
from toolgen.pipeline import check_project
from toolgen.plan.object_mappings import MappingError
from toolgen.plan.token_usage import plan_usage
from toolgen.resolve import Format

LEAST = {"inputTokens": ["in"], "outputTokens": ["out"], "totalTokens": ["total"]}


@pytest.fixture
def format(tmp_path: Path) -> Format:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "now.yaml").write_text("name: now\n", "utf-8")
    project = check_project(tmp_path, Findings())
    assert project is not None
    return project.catalog.format


def test_a_number_may_have_another_spelling(format: Format) -> None:
    plan = plan_usage({**LEAST, "inputCachedTokens": ["details.cached | cached | num_cached"]}, format)
    others = (("wire", "cached"), ("wire", "num_cached"))
    assert [(c.holder, c.key, c.others) for c in plan.counts if c.others] == [("details_count", "cached", others)]
    assert plan.known["details_count"] == ("cached",)


def test_the_other_spelling_may_stand_in_an_object(format: Format) -> None:
    plan = plan_usage({**LEAST, "inputCachedTokens": ["hits | details.cached"]}, format)
    assert [(c.key, c.others) for c in plan.counts if c.others] == [("hits", (("details_count", "cached"),))]
    assert plan.holders == (("details_count", "details"),)
    assert plan.known["details_count"] == ()


@pytest.mark.parametrize(
    "table",
    [
        {**LEAST, "outputTokens": ["out", "thoughts ?"]},
        {**LEAST, "inputTokens": ["in", "cached ?"], "inputCachedTokens": ["cached"]},
        {"inputTokens": ["in"], "outputTokens": ["out", "thoughts ?"], "reasoningTokens": ["thoughts"]},
    ],
)
def test_a_total_must_be_able_to_show_what_is_separate(format: Format, table: dict[str, list[str]]) -> None:
    with pytest.raises(MappingError, match="can end with"):
        plan_usage(table, format)


def test_a_number_that_must_be_there_has_one_spelling(format: Format) -> None:
    with pytest.raises(MappingError, match="one name"):
        plan_usage({**LEAST, "inputTokens": ["in | other"]}, format)


def test_two_ways_that_differ_in_punctuation_alone_are_refused(format: Format) -> None:
    with pytest.raises(MappingError, match="punctuation"):
        plan_usage({**LEAST, "inputCachedTokens": ["to.tal"], "totalTokens": ["to_tal"]}, format)
