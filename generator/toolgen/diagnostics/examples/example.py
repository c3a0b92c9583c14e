"""The form of an example."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """The text of a YAML source under `tools/`, as it has the finding, and mended."""

    failing: str
    mended: str
