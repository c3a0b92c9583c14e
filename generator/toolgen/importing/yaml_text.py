"""Declarations as YAML that people edit, and that every YAML reader understands in the same way.

Everything is in block style. A string is plain only if no version of YAML could read it as something else. A string
with several lines, or a long one, is a block if that preserves every character. All others are in double quotes.
Characters that are invisible, or that end a line for some reader, are always escaped.

An existing text is edited where its value changes, so that comments and the author's style are kept.
Only members of mappings in block style are edited, line by line: a removed member is removed with its lines, an added
one follows the last one, and a changed one is written anew. If that is not possible, or does not lead to the right
value, there is no edited text, and the caller writes the whole file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.importing.merge import is_unchanged_json
from toolgen.load import Document, Pointer
from toolgen.load.loading import read_yaml_values

WIDTH = 100
"""The width of the text in a folded block in columns, without its indentation."""

_LONGEST_KEY = 400
"""The maximum length of a key before its colon: readers search at most 1,024 bytes for the colon."""

_STEP = 2

_UNSEEN = (
    r"\x7f-\xa0\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufdd0-\ufdef\ufe00-\ufe0e\ufeff\uffa0\ufff0-\uffff"
    r"\ud800-\uf8ff\U000e0000-\U0010ffff"
)
"""Control characters, unusual spaces, zero-width characters and private use. The list is fixed, because that of
the interpreter changes with its version.
"""

_ESCAPED = re.compile(rf'["\\\x00-\x1f{_UNSEEN}]')
"""Characters that are escaped in double quotes."""

_INVISIBLE = re.compile(rf"[\x00-\x09\x0b-\x1f{_UNSEEN}]")
"""Characters that are allowed neither in a plain string nor in a block."""

_PLAIN = re.compile(r"[A-Za-z][^\n]*")
_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$./-]*")
_OTHER_MEANING = re.compile(r": |:$| #|\s$")
"""Text that ends a plain string, or is cut off at its end."""

_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "none"])
"""Words that some version of YAML, or a reader, interprets as a boolean, null or a number."""


def dump_declaration(declaration: Mapping[str, Any]) -> str:
    """Return a declaration as YAML: JSON data without lone surrogates, infinities or NaN."""
    return "".join(f"{line}\n" for line in _mapping(declaration, 0))


def _mapping(value: Mapping[str, Any], indent: int) -> Iterator[str]:
    """Yield the lines of a mapping in block style."""
    pad = " " * indent
    for key, item in value.items():
        name = _key(key)
        if len(name) <= _LONGEST_KEY:
            yield from _member(f"{pad}{name}:", item, indent)
        else:
            yield f"{pad}? {name}"
            yield from _member(f"{pad}:", item, indent)


def _member(head: str, item: Any, indent: int) -> Iterator[str]:
    """Yield the lines of a member: the value is on the key's line or below it."""
    if isinstance(item, Mapping) and item:
        yield head
        yield from _mapping(item, indent + _STEP)
    elif isinstance(item, list | tuple) and item:
        yield head
        yield from _sequence(item, indent + _STEP)
    else:
        yield from _scalar(f"{head} ", item, indent)


def _sequence(value: list[Any] | tuple[Any, ...], indent: int) -> Iterator[str]:
    """Yield the lines of a sequence in block style. A nested collection begins after the dash of its item."""
    pad = " " * indent
    for item in value:
        if isinstance(item, Mapping) and item:
            lines: Iterator[str] = _mapping(item, indent + _STEP)
        elif isinstance(item, list | tuple) and item:
            lines = _sequence(item, indent + _STEP)
        else:
            yield from _scalar(f"{pad}- ", item, indent)
            continue
        first = next(lines)
        yield f"{pad}- {first[indent + _STEP :]}"
        yield from lines


def _scalar(head: str, value: Any, indent: int) -> Iterator[str]:
    """Yield the lines of a scalar or of an empty collection, the first one after `head`."""
    if isinstance(value, str):
        yield from _text(head, value, indent + _STEP)
    elif isinstance(value, Mapping):
        yield f"{head}{{}}"
    elif isinstance(value, list | tuple):
        yield f"{head}[]"
    else:
        yield head + _constant(value)


def _constant(value: bool | int | float | None) -> str:
    """Return null, a boolean or a number, as every version of YAML reads it."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int):
        return str(value)
    digits = repr(value)
    if "." in digits:
        return digits
    # YAML 1.1 reads `1e+16` as a string. With a point, every version reads a number.
    return digits.replace("e", ".0e")


def _key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) and key.lower() not in _WORDS else double_quote_yaml(key)


def _text(head: str, text: str, indent: int) -> Iterator[str]:
    """Yield the lines of a string after `head`: as a folded or literal block, plain, or in double quotes."""
    pad = " " * indent
    lines = _folded(text)
    if lines is not None:
        yield f"{head}>-"
        yield from (pad + line for line in lines)
    elif _is_literal(text):
        body = text.rstrip("\n")
        ends = len(text) - len(body)
        indentation = str(_STEP) if text.lstrip("\n")[:1] == " " else ""
        chomping = ("-", "", "+")[min(ends, 2)]
        yield f"{head}|{indentation}{chomping}"
        yield from (pad + line if line else "" for line in body.split("\n"))
        yield from [""] * (ends - 1)
    elif _is_plain(text):
        yield head + text
    else:
        yield head + double_quote_yaml(text)


def _is_plain(text: str) -> bool:
    """Return whether every version of YAML reads a text without quotes as this string."""
    return (
        _PLAIN.fullmatch(text) is not None
        and text.lower() not in _WORDS
        and _OTHER_MEANING.search(text) is None
        and _INVISIBLE.search(text) is None
    )


def _is_literal(text: str) -> bool:
    return "\n" in text.rstrip("\n") and _INVISIBLE.search(text) is None


def _folded(text: str) -> list[str] | None:
    """Return the lines of a folded block, whose line ends read as spaces; None if a text is short or unsuitable."""
    if len(text) <= WIDTH or "\n" in text or text[0] == " " or text[-1] == " " or _INVISIBLE.search(text):
        return None
    lines = [""]
    for word in re.split(r"(?<! ) (?! )", text):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return lines if len(lines) > 1 else None


def double_quote_yaml(text: str) -> str:
    """Return a text in double quotes, on one line."""
    return f'"{_ESCAPED.sub(_escape, text)}"'


_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def _escape(match: re.Match[str]) -> str:
    """Return the escape sequence of a character in double quotes."""
    char = match[0]
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    if code < 0x100:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


class _NotInLinesError(Exception):
    """The members of a mapping are not on lines of their own."""


def edit_yaml(text: str, document: Document, value: Any) -> str | None:
    """Return the text of a document with another value; None if that is not possible by changing whole lines."""
    editor = _Editor(text.split("\n"), document)
    try:
        editor.mapping((), document.value, value)
    except _NotInLinesError:
        return None
    edited = editor.text()
    wanted: list[Any] | None = read_yaml_values(text, document.source, Findings())
    if wanted is None:
        return None
    wanted[document.index if len(wanted) > 1 else 0] = value  # an import gives its only document the index 1
    return edited if is_unchanged_json(read_yaml_values(edited, document.source, Findings()), wanted) else None


@dataclass(slots=True)
class _Editor:
    """Collects the changes of lines that give a document another value."""

    lines: list[str]
    document: Document
    changes: list[tuple[int, int, list[str]]] = field(default_factory=list)
    """Replaced lines: the first one, counted from 0, the end (exclusive), and the new lines."""

    def text(self) -> str:
        lines = list(self.lines)
        for start, end, new in sorted(self.changes, key=lambda change: change[:2], reverse=True):
            lines[start:end] = new
        return "\n".join(lines)

    def mapping(self, at: Pointer, old: Any, new: Any) -> None:
        """Change the members of a mapping."""
        if not isinstance(old, Mapping) or not isinstance(new, Mapping) or not old or not new:
            raise _NotInLinesError
        spans = self._members(at, old)
        indent = self.document.keys[(*at, next(iter(old)))][1] - 1
        for key, value in old.items():
            start, end = spans[key]
            if key not in new:
                self.changes.append((start, end, []))
            elif not is_unchanged_json(value, new[key]):
                before = len(self.changes)
                try:
                    self.mapping((*at, key), value, new[key])
                except _NotInLinesError:
                    del self.changes[before:]
                    self.changes.append((start, end, _written(key, new[key], indent)))
        last = max(end for _, end in spans.values())
        added = [line for key in new if key not in old for line in _written(key, new[key], indent)]
        if added:
            self.changes.append((last, last, added))

    def _members(self, at: Pointer, mapping: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
        """Return the lines of each member, without comments after it."""
        spans: dict[str, tuple[int, int]] = {}
        previous = -1
        for key, value in mapping.items():
            line, column = self.document.keys[(*at, key)][:2]
            start = line - 1
            if start < previous or self.lines[start][: column - 1].strip(" "):
                raise _NotInLinesError
            previous = self._end((*at, key), value, start, column - 1)
            spans[key] = (start, previous)
        return spans

    def _end(self, at: Pointer, value: Any, start: int, indent: int) -> int:
        """Return the line after a member: where text at its depth or above begins, or the value ends."""
        end = start + 1
        last = max(self.document.values[at][2], start + 1)
        while end < len(self.lines):
            line = self.lines[end]
            depth = len(line) - len(line.lstrip(" "))
            is_item = line[indent : indent + 1] == "-" and isinstance(value, list)
            if line.strip() and depth <= indent and not (depth == indent and is_item) and end >= last - 1:
                break
            end += 1
        while end > start + 1 and _is_aside(self.lines[end - 1], indent):
            end -= 1
        return end


def _is_aside(line: str, indent: int) -> bool:
    """Return whether a line is blank, or a comment that is not indented more than the key before it."""
    text = line.strip()
    return not text or (text.startswith("#") and len(line) - len(line.lstrip(" ")) <= indent)


def _written(key: str, value: Any, indent: int) -> list[str]:
    return [" " * indent + line if line else line for line in dump_declaration({key: value}).splitlines()]
