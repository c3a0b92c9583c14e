"""The form of a row in the table of finding codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Example:
    """The text of a YAML source under `tools/`, with the finding and fixed."""

    failing: str
    fixed: str


@dataclass(frozen=True, slots=True)
class Code:
    """A finding code.

    `message` has named placeholders that `Findings.add` fills. `hint` says what to do; it is shown unless the reporting
    code has a better one. `toolgen explain` prints `why`, and `fix` instead of a hint that only the reporting code can
    provide. A code whose finding needs several files, or none, has no example.
    """

    id: str
    level: Literal["note", "warning", "error"]
    message: str
    hint: str | None = None
    why: str = ""
    fix: str = ""
    example: Example | None = None
