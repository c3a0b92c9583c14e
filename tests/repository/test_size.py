"""The generator, its templates and what it generates stay small."""

from __future__ import annotations

import pytest

from tests.support.repository import ROOT
from tests.support.size import GOALS, Size, measured


@pytest.fixture(scope="module")
def sizes() -> dict[str, Size]:
    return measured()


@pytest.mark.parametrize("unit", ["files", "lines"])
@pytest.mark.parametrize("name", GOALS)
def test_it_is_not_larger_than_its_goal(sizes: dict[str, Size], name: str, unit: str) -> None:
    assert getattr(sizes[name], unit) <= getattr(GOALS[name], unit)


def test_no_template_is_a_program() -> None:
    long = {
        path.relative_to(ROOT).as_posix(): lines
        for path in sorted((ROOT / "templates").rglob("*.jinja"))
        if (lines := path.read_text("utf-8").count("\n")) > 200
    }
    assert long == {}


def test_no_module_is_too_long_to_read_at_once() -> None:
    package = ROOT / "generator" / "toolgen"
    long = {
        path.relative_to(package).as_posix(): lines
        for path in sorted(package.rglob("*.py"))
        if path.relative_to(package).parts[0] != "wires" and path.name != "models.py"
        if (lines := path.read_text("utf-8").count("\n")) > 400
    }
    assert long == {}
