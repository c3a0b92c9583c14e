"""The form of a row in the table of finding codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Example:
    """The text of a YAML source under `tools/`, as it has the finding, and fixed."""

    failing: str
    fixed: str


@dataclass(frozen=True, slots=True)
class Code:
    """What a finding code means.

    `message` has named holes that `Findings.add` fills; `hint` says what to do and is shown unless the
    reporting place has a better one; `why` is what `toolgen explain` prints, and `fix` what it says in the place of a
    hint that only the reporting place can give. A code whose finding takes several files, or none, has no example.
    """

    id: str
    level: Literal["note", "warning", "error"]
    message: str
    hint: str | None = None
    why: str = ""
    fix: str = ""
    example: Example | None = None
