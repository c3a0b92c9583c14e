"""Findings: messages of a stage about a location in a source."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

from toolgen.diagnostics.codes import CODES


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of characters in a source. Lines and columns count from 1, and the end is exclusive.

    `path` is relative to where the command was run, with forward slashes.
    The span of a whole file is line 1, column 1.
    """

    path: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1

    def __str__(self) -> str:
        """Return the location as messages state it: path, line and column."""
        return f"{self.path}:{self.line}:{self.column}"


Level = Literal["note", "warning", "error"]

MAX_TEXT = 1_500
"""The maximum length of a message. People read findings in a terminal."""


@dataclass(frozen=True, slots=True)
class Related:
    """Another location that explains a finding, such as the first of two declarations."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence about one location. `code` is a key of the table in `codes`.

    `details` is a JSON object, as text, with further keys for the output formats that programs read.
    """

    span: Span
    code: str
    level: Level
    message: str
    hint: str | None = None
    related: tuple[Related, ...] = ()
    details: str = ""


def escape_unprintable(text: str) -> str:
    """Escape everything in a text that is not printable: controls, direction marks, surrogates, line separators."""
    return text if text.isprintable() else "".join(map(escape_char, text))


def escape_char(char: str) -> str:
    """Return a character, or its escape if it is not printable."""
    return char if char.isprintable() else char.encode("unicode_escape").decode("ascii")


def escape_text(text: str, limit: int = 80) -> str:
    """Return text from a source in a form for messages: truncated and escaped."""
    return escape_unprintable(text if len(text) <= limit else text[: limit - 1] + "…")


def quote_name(value: object, limit: int = 80) -> str:
    """Return text from a source in a form for messages: truncated, escaped, in single quotes."""
    return f"'{escape_text(str(value), limit)}'"


def join_names(names: list[str]) -> str:
    """Join names with commas and "and"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def closest_names(name: str, candidates: Iterable[str], *, limit: int = 1, cutoff: float = 0.6) -> list[str]:
    """Return the names that are similar to a name, the most similar first, ignoring case and dashes."""
    plain = {_plain(each): each for each in candidates}
    return [plain[each] for each in difflib.get_close_matches(_plain(name[:80]), plain, n=limit, cutoff=cutoff)]


def did_you_mean(name: str, candidates: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return a hint with the most similar candidate; None if none is similar."""
    near = closest_names(name, candidates, cutoff=cutoff)
    return f"did you mean {quote_name(near[0])}?" if near else None


def did_you_mean_or_known(name: str, known_names: Iterable[str], plural: str) -> str:
    """Return a hint with the most similar known name, or else with the first known names. `plural` says what they name."""
    names = list(known_names)
    first = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
    return did_you_mean(name, names) or f"known {plural}: {first}"


_LISTED = 30


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


@dataclass(slots=True)
class Findings:
    """Collects the findings of one run. Stages add to it and continue; the pipeline stops after a stage with errors.

    `texts` has the loaded sources, by path, for excerpts.
    """

    items: list[Finding] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    def add(
        self,
        code: str,
        span: Span,
        *,
        hint: str | None = None,
        related: tuple[Related, ...] = (),
        **values: object,
    ) -> None:
        """Add a finding. `values` fill the placeholders of the code's message; strings among them are quoted here.

        Raises:
            KeyError: The code has no row, or a placeholder of its message is missing.
        """
        row = CODES[code]
        safe = {k: v if isinstance(v, int | RawText) else quote_name(v) for k, v in values.items()}
        message = row.message.format(**safe)[:MAX_TEXT]
        self.items.append(Finding(span, code, row.level, message, hint or row.hint, related))

    def change_last_level(self, level: Level) -> None:
        """Give the last finding another level than that of its code."""
        self.items[-1] = replace(self.items[-1], level=level)

    @property
    def has_errors(self) -> bool:
        """Return whether there is an error among the findings."""
        return any(f.level == "error" for f in self.items)

    @contextmanager
    def aside(self, code: str) -> Iterator[list[Finding]]:
        """Set the findings of a code aside, so that they stop none of the stages in the block. Yield them."""
        set_aside = [finding for finding in self.items if finding.code == code]
        self.items[:] = [finding for finding in self.items if finding.code != code]
        try:
            yield set_aside
        finally:
            self.items += set_aside

    def __iter__(self) -> Iterator[Finding]:
        """Iterate over the findings without duplicates, sorted by location, then code."""
        return iter(sorted(dict.fromkeys(self.items), key=lambda f: (f.span, f.code, f.message)))

    def __len__(self) -> int:
        return len(self.items)


class RawText(str):
    """Text from toolgen itself, such as the name of a type, which needs no quotes in a message."""

    __slots__ = ()
