"""What an unquoted YAML scalar means, by the core schema of YAML 1.2, without its surprises.

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

import math
import re

from toolgen.diagnostics.finding import Verbatim
from toolgen.load import limits
from toolgen.load.report import Place, Report

Plain = None | bool | int | float | str
"""What a scalar can be."""

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
_BEYOND = Verbatim(f"has more than {limits.DIGITS} digits")
_NO_NUMBER = Verbatim("is no finite number")


def resolved(text: str, place: Place, report: Report) -> Plain:
    """Return what an unquoted scalar stands for; a refused one is reported and reads as null."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        return integer(text, 10, place, report)
    if _BASED.fullmatch(text):
        return integer(text, 0, place, report)
    if _FLOAT.fullmatch(text):
        return decimal(text, place, report)
    if _NOT_FINITE.fullmatch(text):
        report.fault("number-out-of-range", place, text=text, problem=_NO_NUMBER)
        return None
    if _AMBIGUOUS.fullmatch(text):
        report.fault("ambiguous-number", place, text=text)
        return None
    return text


def integer(text: str, base: int, place: Place, report: Report) -> int | None:
    """Return an integer with all its digits; one beyond the limit is reported.

    The digits are counted first: the interpreter's own limit may have been switched off, and then
    reading takes the square of their number.
    """
    digits = len(text) - 1 if text[0] in "+-" else len(text)
    if base != 10 or digits <= limits.DIGITS:
        try:
            value = int(text, base)
        except ValueError:  # a limit that was set lower than the default
            value = _LIMIT
        if abs(value) < _LIMIT:
            return value
    report.fault("number-out-of-range", place, text=text, problem=_BEYOND)
    return None


def decimal(text: str, place: Place, report: Report) -> float | None:
    """Return a float; one that overflows is reported."""
    value = float(text)
    if math.isfinite(value):
        return value
    report.fault("number-out-of-range", place, text=text, problem=_NO_NUMBER)
    return None
