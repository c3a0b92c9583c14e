"""Every line of `lines.txt` has a test, and no test bears a line that is not there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
_MARK = re.compile(r"mark\.safety\(([^)]*)\)")


def listed() -> list[str]:
    lines = (Path(__file__).parent / "lines.txt").read_text("utf-8").splitlines()
    return [line.split(" ", 1)[0] for line in lines if line and not line.startswith("#")]


def borne() -> set[str]:
    texts = [file.read_text("utf-8") for file in TESTS.rglob("test_*.py")]
    return {line for text in texts for mark in _MARK.findall(text) for line in re.findall(r'"([\d.]+)"', mark)}


def test_every_line_has_a_test() -> None:
    assert sorted(set(listed()) ^ borne()) == []


def test_lines_are_listed_once() -> None:
    assert len(set(listed())) == len(listed()) > 30
