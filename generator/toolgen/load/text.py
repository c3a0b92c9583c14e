"""Bytes become text, or are refused with their place.

Sources are UTF-8, with or without a byte order mark; UTF-16 and UTF-32 are refused by name. A line ends with LF or
CRLF, which give the same text; a lone CR is a control character like the others, and all of them are refused.
"""

from __future__ import annotations

import codecs
import re

from toolgen.diagnostics.finding import Verbatim
from toolgen.load.report import Report

_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def decoded(data: bytes, report: Report) -> str:
    """Return the text of a source, without a byte order mark and with LF at the end of each line.

    Raises:
        Unreadable: the bytes are no such text; the finding is made.
    """
    body = data.removeprefix(codecs.BOM_UTF8)
    for mark, name in _MARKS:
        if body.startswith(mark):
            report.fatal("foreign-encoding", encoding=Verbatim(name))
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        before = body[: error.start].decode("utf-8")
        line = before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        wrong = body[error.start : error.end].hex(" ")
        report.fatal("broken-utf8", (line, column, line, column + 1), bytes=Verbatim(wrong))
    text = text.replace("\r\n", "\n")
    refuse(_CONTROL, text, report)
    return text


def refuse(pattern: re.Pattern[str], text: str, report: Report) -> None:
    """Refuse a text in which a pattern of one character is found, at its first place.

    Raises:
        Unreadable: it was found; the finding is made.
    """
    match = pattern.search(text)
    if match is None:
        return
    at = match.start()
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    character = Verbatim(f"U+{ord(text[at]):04X}")
    report.fatal("control-character", (line, column, line, column + 1), character=character)
