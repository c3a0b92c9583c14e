"""The figures of `make size`, which eyes judge."""

from __future__ import annotations

from tests.support.size import measured, readme_tool


def test_every_figure_of_the_goals_is_measured() -> None:
    figures = {figure.name: figure for figure in measured()}
    assert list(figures) == [
        "what init adds to commit",
        "the README's tool, four providers",
        "a further small tool: files that change",
        "GitHub's 117 tools, four providers",
        "generated/ of this repository",
    ]
    assert all(figure.size.files for figure in figures.values())
    assert readme_tool().startswith("name: get_weather\n")
