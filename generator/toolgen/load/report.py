"""How the readers of one file report: a finding at a place in it, and an end to reading where nothing can follow."""

from __future__ import annotations

from typing import NoReturn

from toolgen.diagnostics import Findings, Related, Span
from toolgen.load import limits

Place = tuple[int, int, int, int]
"""Line, column, end line and end column, counted from 1; the end is exclusive."""

WHOLE: Place = (1, 1, 1, 1)
"""The place of a fault that concerns a whole file."""


class Unreadable(Exception):
    """Nothing more can be read from this file."""


class Report:
    """Adds findings about one file. `count` says how many there were."""

    def __init__(self, path: str, findings: Findings) -> None:
        self.path = path
        self.count = 0
        self._findings = findings

    def fault(
        self,
        code: str,
        place: Place,
        *,
        hint: str | None = None,
        related: tuple[tuple[Place, str], ...] = (),
        **holes: object,
    ) -> None:
        """Add a finding.

        Raises:
            Unreadable: the file has so many that it must be something else than a source.
        """
        self.count += 1
        places = tuple(Related(Span(self.path, *first), message) for first, message in related)
        self._findings.add(code, Span(self.path, *place), hint=hint, related=places, **holes)
        if self.count >= limits.FAULTS_PER_FILE:
            raise Unreadable

    def fatal(self, code: str, place: Place = WHOLE, *, hint: str | None = None, **holes: object) -> NoReturn:
        """Add a finding and end the reading of this file.

        Raises:
            Unreadable: always.
        """
        self.fault(code, place, hint=hint, related=(), **holes)
        raise Unreadable
