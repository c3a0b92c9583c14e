"""Code that the readers of YAML and JSON share: reporting, decoding bytes as text, and resolving unquoted scalars.

Sources are UTF-8, with or without a byte order mark. UTF-16 and UTF-32 are recognized and refused. Lines end with LF or
CRLF, which are equivalent; a lone CR is refused like every other control character.

Unquoted YAML scalars follow the core schema of YAML 1.2, with these exceptions:

| written | read as |
|---|---|
| `null` `~` (and `Null`, `NULL`), nothing | null |
| `true` `false` (and `True`, `TRUE`, …) | a boolean; no other word is one |
| `12` `-12` `+12` `0o17` `0xFF` | an integer, exact |
| `1.5` `.5` `1.` `1e3` `1.5E-3` | a float |
| `yes` `no` `on` `off` `y` `n` | text: in a declaration these are words for a model |
| `2024-01-01` `12:30:00` `1.2.3` | text: JSON has no dates, and nobody means 45000 seconds |
| `012` `-007` `1_000` `1_0.5` `0b101` `-0x1F` | refused: a number to the eye, but readers differ on which |
| `.inf` `.nan` `1e999` | refused: JSON has no such number |
"""

from __future__ import annotations

import codecs
import math
import re
from typing import NoReturn

from toolgen.diagnostics import Findings, Related, Span
from toolgen.diagnostics.finding import RawText, quote_name
from toolgen.load import limits

Location = tuple[int, int, int, int]
"""Line, column, end line and end column, counted from 1. The end is exclusive."""

WHOLE: Location = (1, 1, 1, 1)
"""The location of a fault that concerns a whole file."""


class Unreadable(Exception):
    """Nothing more can be read from this file."""


class FaultReporter:
    """Adds findings about one file. `count` is the number of its faults.

    A `foreign` file is one that is imported: its author is somebody else, so what can be read in one way is no fault.
    """

    def __init__(self, path: str, findings: Findings, *, foreign: bool = False) -> None:
        self.path = path
        self.count = 0
        self._findings = findings
        self._foreign = foreign

    def add(
        self,
        code: str,
        location: Location,
        *,
        hint: str | None = None,
        related: tuple[tuple[Location, str], ...] = (),
        **values: object,
    ) -> None:
        """Add a finding.

        Raises:
            Unreadable: the file has so many findings that it is probably not a source.
        """
        self.count += 1
        spans = tuple(Related(Span(self.path, *where), message) for where, message in related)
        self._findings.add(code, Span(self.path, *location), hint=hint, related=spans, **values)
        if self.count >= limits.FAULTS_PER_FILE:
            raise Unreadable

    def abort(self, code: str, location: Location = WHOLE, *, hint: str | None = None, **values: object) -> NoReturn:
        """Add a finding and stop reading this file.

        Raises:
            Unreadable: always.
        """
        self.add(code, location, hint=hint, related=(), **values)
        raise Unreadable

    def without_surrogates(self, text: str, location: Location) -> str:
        """Return a text. Half of a surrogate pair, which UTF-8 cannot encode, is reported and replaced by U+FFFD."""
        if text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text):
            return text
        self.add("lone-surrogate", location)
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def report_ambiguous_number(self, text: str, location: Location) -> str | None:
        """Report a number on which readers of YAML disagree. Return its text in a foreign file, else None: it is refused."""
        if not self._foreign:
            self.add("ambiguous-number", location, text=text)
            return None
        repair = f"{quote_name(text)} is read as a string, because YAML readers disagree on its value"
        self._findings.add("import-repaired", Span(self.path, *location), hint=None, related=(), what=RawText(repair))
        return text


_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def decode_text(data: bytes, reporter: FaultReporter) -> str:
    """Return the text of a source, without a byte order mark and with LF at the end of each line.

    Raises:
        Unreadable: the bytes are not such a text; the finding is reported.
    """
    body = data.removeprefix(codecs.BOM_UTF8)
    for mark, name in _MARKS:
        if body.startswith(mark):
            reporter.abort("foreign-encoding", encoding=RawText(name))
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        before = body[: error.start].decode("utf-8")
        line = before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        wrong = body[error.start : error.end].hex(" ")
        reporter.abort("broken-utf8", (line, column, line, column + 1), bytes=RawText(wrong))
    text = text.replace("\r\n", "\n")
    reject_characters(_CONTROL, text, reporter)
    return text


def reject_characters(pattern: re.Pattern[str], text: str, reporter: FaultReporter) -> None:
    """Refuse a text that contains a character of a pattern, and report the first one.

    Raises:
        Unreadable: it contains one; the finding is reported.
    """
    match = pattern.search(text)
    if match is None:
        return
    at = match.start()
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    character = RawText(f"U+{ord(text[at]):04X}")
    reporter.abort("control-character", (line, column, line, column + 1), character=character)


Plain = None | bool | int | float | str
"""The possible values of a scalar."""

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_AMBIGUOUS = re.compile(
    r"[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+"
    r"|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9_]+)?)"
)

_LIMIT = 10**limits.DIGITS
_BEYOND = RawText(f"has more than {limits.DIGITS} digits")
_NO_NUMBER = RawText("is not a finite number")


def resolve_scalar(text: str, location: Location, reporter: FaultReporter) -> Plain:
    """Return the value of an unquoted scalar; null, with a finding, for a refused one."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        return parse_integer(text, 10, location, reporter)
    if _BASED.fullmatch(text):
        return parse_integer(text, 0, location, reporter)
    if _FLOAT.fullmatch(text):
        return parse_float(text, location, reporter)
    if _NOT_FINITE.fullmatch(text):
        reporter.add("number-out-of-range", location, text=text, problem=_NO_NUMBER)
        return None
    if _AMBIGUOUS.fullmatch(text):
        return reporter.report_ambiguous_number(text, location)
    return text


def parse_integer(text: str, base: int, location: Location, reporter: FaultReporter) -> int | None:
    """Return an integer with all its digits. Report one that exceeds the limit.

    The digits are counted first: the interpreter's own limit may be switched off, and the time for
    reading is quadratic in their number.
    """
    digits = len(text) - 1 if text[0] in "+-" else len(text)
    if base != 10 or digits <= limits.DIGITS:
        try:
            value = int(text, base)
        except ValueError:  # the limit was set lower than the default
            value = _LIMIT
        if abs(value) < _LIMIT:
            return value
    reporter.add("number-out-of-range", location, text=text, problem=_BEYOND)
    return None


def parse_float(text: str, location: Location, reporter: FaultReporter) -> float | None:
    """Return a float. Report one that overflows."""
    value = float(text)
    if math.isfinite(value):
        return value
    reporter.add("number-out-of-range", location, text=text, problem=_NO_NUMBER)
    return None
