"""Finds blocks of text that may be calls (fences, tags, lines of JSON), and blocks that repeat untrusted text."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from ..errors import ConversionError
from ..json_text import compact

__all__ = [
    "CALL_TAG",
    "MAX_OPENING_LINE",
    "Block",
    "BlockKind",
    "BlockScanner",
    "find_blocks",
    "find_whole_text_block",
    "flag_quoted_blocks",
    "is_block_delimiter",
    "json_line",
    "may_begin_block",
    "split_lines_with_positions",
]

_BREAKS = {ord(char): f"\\u{ord(char):04x}" for char in "\x7f\x85\u2028\u2029"}
"""Characters that some readers treat as line ends. JSON allows them only in strings."""


def json_line(value: Any, path: str) -> str:
    """Write a value as one line of compact JSON. `path` is its location in error messages.

    Raises:
        ConversionError: The value cannot be written as JSON.
    """
    try:
        return compact(value).translate(_BREAKS)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversionError(path, f"cannot be written as JSON: {type(error).__name__}") from error


_PIECES = re.compile(r"\\+[nrt]?|\s+|(\w+|[^\w\s\\])")


def _pieces(text: str) -> list[str]:
    return [match[1] for match in _PIECES.finditer(text) if match[1] is not None]


def flag_quoted_blocks(blocks: Sequence[str], texts: Iterable[str]) -> list[bool]:
    """Return for each block whether one of the texts contains it. A block of blank text never counts."""
    following: list[dict[str, int]] = [{}]
    ends: list[int] = []
    for block in blocks:
        state = 0
        for piece in _pieces(block):
            if piece not in following[state]:
                following[state][piece] = len(following)
                following.append({})
            state = following[state][piece]
        ends.append(state)
    shorter, order = _shorter(following)
    seen = [False] * len(following)
    for text in texts:
        state = 0
        for piece in _pieces(text):
            while state and piece not in following[state]:
                state = shorter[state]
            state = following[state].get(piece, 0)
            seen[state] = True
    for state in reversed(order):
        if seen[state]:
            seen[shorter[state]] = True
    return [end > 0 and seen[end] for end in ends]


def _shorter(following: list[dict[str, int]]) -> tuple[list[int], list[int]]:
    """Return for each state the longest shorter state that its text ends with, and all states, shortest first."""
    shorter = [0] * len(following)
    waiting = deque(following[0].values())
    order: list[int] = []
    while waiting:
        state = waiting.popleft()
        order.append(state)
        for piece, after in following[state].items():
            rest = shorter[state]
            while rest and piece not in following[rest]:
                rest = shorter[rest]
            shorter[after] = following[rest].get(piece, 0)
            waiting.append(after)
    return shorter, order


BlockKind: TypeAlias = Literal["tool", "json", "tool_call", "whole"]

CALL_TAG = "<tool_call>"
CLOSING_TAG = "</tool_call>"

_FENCE = re.compile(r"( {0,3}(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]{1,4})?)(`{3,}+|~{3,}+)(.*)", re.DOTALL)
_BLANKS = " \t\r"
_KINDS: dict[str, BlockKind] = {"tool": "tool", "json": "json"}
MAX_OPENING_LINE = 64
"""Maximum length of a line that may start a block. A longer line contains something else."""


class Block(NamedTuple):
    """A complete block: its start, its end without the line end, and its content."""

    kind: BlockKind
    start: int
    end: int
    body: str


class BlockScanner:
    """Reads the lines of a text, and returns each block after its last line.

    `open_kind` is the kind of the open block. It is also None inside fences that are not blocks.
    """

    __slots__ = ("_body", "_in_list", "_marks", "_start", "open_kind")

    def __init__(self) -> None:
        self.open_kind: BlockKind | None = None
        self._marks = ""
        self._in_list = False
        self._start = 0
        self._body: list[str] = []

    @property
    def is_in_fence(self) -> bool:
        """Whether the next line is inside a fence."""
        return bool(self._marks)

    def read_line(self, line: str, start: int) -> Block | None:
        """Read the next line, without its line feed. `start` is its position. Return the block that it completes."""
        if self._marks:
            if not self._ends(line):
                if self.open_kind is not None:
                    self._body.append(line)
                return None
            self._marks = ""
            return self._closed("\n".join(self._body), start + len(line))
        fence = _FENCE.fullmatch(line)
        if fence is not None and not (fence[2][0] == "`" and "`" in fence[3]):
            self._open(line, start, fence)
            return None
        bare = line.rstrip(_BLANKS)
        if line.startswith(CALL_TAG):
            self.open_kind, self._start, self._body = "tool_call", start, []
            line, bare = line[len(CALL_TAG) :], bare[len(CALL_TAG) :]
        if self.open_kind is None:
            return None
        if bare.endswith(CLOSING_TAG):
            self._body.append(bare[: -len(CLOSING_TAG)])
            return self._closed(
                "\n".join(self._body), start + len(line) + (len(CALL_TAG) if start == self._start else 0)
            )
        self._body.append(line)
        return None

    def _open(self, line: str, start: int, fence: re.Match[str]) -> None:
        margin, self._marks, info = fence.groups()
        plain = margin == "" and self._marks == "```" and len(line) <= MAX_OPENING_LINE
        self.open_kind = _KINDS.get(info.strip(_BLANKS)) if plain else None
        self._in_list = bool(margin.strip())
        self._start, self._body = start, []

    def _ends(self, line: str) -> bool:
        """Return whether a line closes the open fence: only marks, indented by at most three spaces except in lists."""
        bare = line.rstrip(_BLANKS)
        marks = bare.lstrip(" \t" if self._in_list else " ")
        near = self._in_list or len(bare) - len(marks) <= 3
        return near and len(marks) >= len(self._marks) and not marks.strip(self._marks[0])

    def _closed(self, body: str, end: int) -> Block | None:
        kind, self.open_kind, self._body = self.open_kind, None, []
        return None if kind is None else Block(kind, self._start, end, body)


def split_lines_with_positions(text: str) -> Iterator[tuple[str, int]]:
    """Yield the lines of a text, with their positions."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end], start
        start = end + 1
    yield text[start:], start


def find_blocks(text: str) -> list[Block]:
    """Return the blocks of a text, in order."""
    if "```" not in text and CALL_TAG not in text:
        return []
    scanner = BlockScanner()
    found = (scanner.read_line(line, start) for line, start in split_lines_with_positions(text))
    return [block for block in found if block is not None]


def find_whole_text_block(text: str) -> Block | None:
    """Return a text as one block if it starts like a JSON value that is not indented. None otherwise."""
    begin = text.rfind("\n", 0, len(text) - len(text.lstrip(_BLANKS + "\n"))) + 1
    return (
        Block("whole", begin, len(text.rstrip(_BLANKS + "\n")), text[begin:])
        if text[begin : begin + 1] in ("{", "[")
        else None
    )


def may_begin_block(line: str) -> bool:
    """Return whether a line that starts with this text may start a block."""
    if line.startswith("```"):
        info = line[3:].lstrip(_BLANKS)
        known = any(kind.startswith(info.rstrip(_BLANKS)) for kind in _KINDS)
        return len(line) <= MAX_OPENING_LINE and known
    return line.startswith(CALL_TAG) or CALL_TAG.startswith(line) or "```".startswith(line)


def is_block_delimiter(line: str) -> bool:
    """Return whether a line may start or end a fence, or may start a block."""
    return line.startswith(CALL_TAG) or _FENCE.fullmatch(line) is not None
