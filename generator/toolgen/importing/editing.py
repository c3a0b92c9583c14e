"""A YAML text changed where its value changes, so that comments and the author's style stay.

Only members of mappings in block style are touched, line by line: one that goes, goes with its lines; one that comes
stands behind the last one; one that changes is written anew. Where that is not possible, or does not give the wanted
value, there is no edited text, and the caller writes all of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.importing.comparing import same
from toolgen.importing.yaml_text import yaml_text
from toolgen.load import Document, Pointer
from toolgen.load.foreign import read_back


class _NotInLinesError(Exception):
    """A mapping whose members do not stand on lines of their own."""


def edited(text: str, document: Document, value: Any) -> str | None:
    """The text of a document with another value; None where it cannot be had by changes of whole lines."""
    editor = _Editor(text.split("\n"), document)
    try:
        editor.mapping((), document.value, value)
    except _NotInLinesError:
        return None
    result = editor.text()
    return result if same(read_back(result, document.source, Findings()), value) else None


@dataclass(slots=True)
class _Editor:
    lines: list[str]
    document: Document
    changes: list[tuple[int, int, list[str]]] = field(default_factory=list)
    """Lines that are replaced, from and up to a line counted from 0, by others."""

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
            elif not same(value, new[key]):
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
        """The lines of each member, comments behind it not counted."""
        spans: dict[str, tuple[int, int]] = {}
        former = -1
        for key, value in mapping.items():
            line, column = self.document.keys[(*at, key)][:2]
            start = line - 1
            if start < former or self.lines[start][: column - 1].strip(" "):
                raise _NotInLinesError
            former = self._end((*at, key), value, start, column - 1)
            spans[key] = (start, former)
        return spans

    def _end(self, at: Pointer, value: Any, start: int, indent: int) -> int:
        """The line behind a member: where the next text at its depth or above it begins, or the value ends."""
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
    """Whether a line is blank, or a comment that stands no deeper than the key before it."""
    text = line.strip()
    return not text or (text.startswith("#") and len(line) - len(line.lstrip(" ")) <= indent)


def _written(key: str, value: Any, indent: int) -> list[str]:
    return [" " * indent + line if line else line for line in yaml_text({key: value}).splitlines()]
