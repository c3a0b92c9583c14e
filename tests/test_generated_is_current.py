"""What is committed under `generated` is what the sources give."""

from __future__ import annotations

from tests.support.generated import toolgen


def test_the_committed_package_is_in_step() -> None:
    result = toolgen("check", "schemas")
    assert (result.returncode, result.stdout) == (0, ""), result.stdout[:2000] + result.stderr
