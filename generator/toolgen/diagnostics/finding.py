"""Findings: what a stage has to say about a place in a source."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from toolgen.diagnostics.codes import CODES


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of characters in a source; lines and columns count from 1.

    `path` is as one would open it where the command was run, with forward slashes.
    A span of a whole file is line 1, column 1. The end is exclusive.
    """

    path: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1


Level = Literal["note", "warning", "error"]

MAX_TEXT = 1_500
"""Characters of a message: a finding is read by a person, in a terminal."""


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that explains a finding, such as the first of two declarations."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence about one place. `code` is a key of the table in `codes`.

    `details` is a JSON object, as text, that documents for programs have besides the rest.
    """

    span: Span
    code: str
    level: Level
    message: str
    hint: str | None = None
    related: tuple[Related, ...] = ()
    details: str = ""


def quote_name(value: object, limit: int = 80) -> str:
    """Text from a source as it may stand in a message: escaped, clipped, in single quotes."""
    text = value if isinstance(value, str) else str(value)
    clipped = text if len(text) <= limit else text[: limit - 1] + "…"
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in clipped)
    return f"'{safe}'"


def join_names(names: list[str]) -> str:
    """Names as a sentence has them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def closest_names(word: str, known: Iterable[str], *, limit: int = 1, cutoff: float = 0.6) -> list[str]:
    """The known words that one may have been meant to be, whatever its case and dashes, the nearest first."""
    plain = {_plain(each): each for each in known}
    return [plain[each] for each in difflib.get_close_matches(_plain(word[:80]), plain, n=limit, cutoff=cutoff)]


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A hint that names the nearest of the known words; None where none is near."""
    near = closest_names(word, known)
    return f"did you mean {quote_name(near[0])}?" if near else None


def _plain(word: str) -> str:
    return word.lower().replace("-", "_")


@dataclass(slots=True)
class Findings:
    """Collects the findings of one run. Stages add to it and go on; the pipeline stops after a stage with errors.

    `texts` holds what was loaded, by path, for excerpts.
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
        **holes: object,
    ) -> None:
        """Add a finding. `holes` fill the message of the code's row; text in them is quoted here.

        Raises:
            KeyError: the code has no row, or a hole of its message is not given.
        """
        row = CODES[code]
        safe = {k: v if isinstance(v, int | RawText) else quote_name(v) for k, v in holes.items()}
        message = row.message.format(**safe)[:MAX_TEXT]
        self.items.append(Finding(span, code, row.level, message, hint or row.hint, related))

    @property
    def errors(self) -> bool:
        """Whether one of the findings is an error."""
        return any(f.level == "error" for f in self.items)

    def __iter__(self) -> Iterator[Finding]:
        """The findings by place, then code, each once."""
        return iter(sorted(dict.fromkeys(self.items), key=lambda f: (f.span, f.code, f.message)))

    def __len__(self) -> int:
        return len(self.items)


class RawText(str):
    """Text of our own (a type's name, a list of words) that needs no quotes in a message."""

    __slots__ = ()
