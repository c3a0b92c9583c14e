"""What is committed under `generated` is what the sources give."""

from __future__ import annotations

from tests.support.commands import toolgen
from toolgen.regenerate import out_of_date


def test_the_generated_modules_of_the_generator_are_in_step() -> None:
    assert out_of_date() == []


def test_the_committed_package_is_in_step() -> None:
    result = toolgen("check", "schemas")
    assert (result.returncode, result.stdout) == (0, ""), result.stdout[:2000] + result.stderr
