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


_WORDS = re.compile(r"\\+[nrt]?|\s+|(\w+|[^\w\s\\])")


def _words(text: str) -> list[str]:
    """Return the words and punctuation of a text, without white space and escapes, which a model may write anew."""
    return [match[1] for match in _WORDS.finditer(text) if match[1] is not None]


def flag_quoted_blocks(blocks: Sequence[str], texts: Iterable[str]) -> list[bool]:
    """Return for each block whether one of the texts contains it. A block of blank text never counts.

    All blocks are searched at once, in linear time (Aho and Corasick, 1975). A state is a prefix of a block, and
    `transitions` has for each state the state after each further word.
    """
    transitions: list[dict[str, int]] = [{}]
    block_states: list[int] = []
    for block in blocks:
        state = 0
        for word in _words(block):
            if word not in transitions[state]:
                transitions[state][word] = len(transitions)
                transitions.append({})
            state = transitions[state][word]
        block_states.append(state)
    suffixes, shortest_first = _suffix_states(transitions)
    is_quoted = [False] * len(transitions)
    for text in texts:
        state = 0
        for word in _words(text):
            while state and word not in transitions[state]:
                state = suffixes[state]
            state = transitions[state].get(word, 0)
            is_quoted[state] = True
    for state in reversed(shortest_first):
        if is_quoted[state]:
            is_quoted[suffixes[state]] = True
    return [state > 0 and is_quoted[state] for state in block_states]


class _SuffixStates(NamedTuple):
    """For each state the longest other state that its text ends with, and all states but the first by length."""

    suffixes: list[int]
    shortest_first: list[int]


def _suffix_states(transitions: list[dict[str, int]]) -> _SuffixStates:
    """Find the suffix of each state, so that a search that cannot continue with a word goes on there."""
    suffixes = [0] * len(transitions)
    waiting = deque(transitions[0].values())
    shortest_first: list[int] = []
    while waiting:
        state = waiting.popleft()
        shortest_first.append(state)
        for word, next_state in transitions[state].items():
            suffix = suffixes[state]
            while suffix and word not in transitions[suffix]:
                suffix = suffixes[suffix]
            suffixes[next_state] = transitions[suffix].get(word, 0)
            waiting.append(next_state)
    return _SuffixStates(suffixes, shortest_first)


BlockKind: TypeAlias = Literal["tool", "json", "tool_call", "whole"]

CALL_TAG = "<tool_call>"
_CLOSING_TAG = "</tool_call>"

_FENCE = re.compile(r"( {0,3}(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]{1,4})?)(`{3,}+|~{3,}+)(.*)", re.DOTALL)
_BLANKS = " \t\r"
_KINDS: dict[str, BlockKind] = {"tool": "tool", "json": "json"}
"""The kind of a block, by the language of its fence."""
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

    __slots__ = ("_body", "_is_in_list", "_marks", "_start", "open_kind")

    def __init__(self) -> None:
        self.open_kind: BlockKind | None = None
        self._marks = ""
        self._is_in_list = False
        self._start = 0
        self._body: list[str] = []

    @property
    def is_in_fence(self) -> bool:
        """Whether the next line is inside a fence."""
        return bool(self._marks)

    def read_line(self, line: str, start: int) -> Block | None:
        """Read the next line, without its line feed. `start` is its position. Return the block that it completes."""
        end = start + len(line)
        if self._marks:
            if self._is_closing_fence(line):
                self._marks = ""
                return self._close(end)
            if self.open_kind is not None:
                self._body.append(line)
            return None
        fence = _FENCE.fullmatch(line)
        if fence is not None and not (fence[2][0] == "`" and "`" in fence[3]):
            self._open_fence(line, start, fence)
            return None
        if line.startswith(CALL_TAG):
            self.open_kind, self._start, self._body = "tool_call", start, []
            line = line[len(CALL_TAG) :]
        if self.open_kind is None:
            return None
        bare = line.rstrip(_BLANKS)
        if bare.endswith(_CLOSING_TAG):
            self._body.append(bare[: -len(_CLOSING_TAG)])
            return self._close(end)
        self._body.append(line)
        return None

    def _open_fence(self, line: str, start: int, fence: re.Match[str]) -> None:
        """Open a fence, which is a block if it has a language that we know and is not indented."""
        margin, self._marks, info = fence.groups()
        is_plain = margin == "" and self._marks == "```" and len(line) <= MAX_OPENING_LINE
        self.open_kind = _KINDS.get(info.strip(_BLANKS)) if is_plain else None
        self._is_in_list = bool(margin.strip())
        self._start, self._body = start, []

    def _is_closing_fence(self, line: str) -> bool:
        """Return whether a line closes the open fence: only marks, indented by at most three spaces except in lists."""
        bare = line.rstrip(_BLANKS)
        marks = bare.lstrip(" \t" if self._is_in_list else " ")
        is_near_margin = self._is_in_list or len(bare) - len(marks) <= 3
        return is_near_margin and len(marks) >= len(self._marks) and not marks.strip(self._marks[0])

    def _close(self, end: int) -> Block | None:
        """Close the open block or fence. Return it if it is a block."""
        kind, body = self.open_kind, "\n".join(self._body)
        self.open_kind, self._body = None, []
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
    blocks = (scanner.read_line(line, start) for line, start in split_lines_with_positions(text))
    return [block for block in blocks if block is not None]


def find_whole_text_block(text: str) -> Block | None:
    """Return a text as one block if it starts like a JSON value that is not indented. None otherwise."""
    blank_length = len(text) - len(text.lstrip(_BLANKS + "\n"))
    start = text.rfind("\n", 0, blank_length) + 1
    if text[start : start + 1] not in ("{", "["):
        return None
    return Block("whole", start, len(text.rstrip(_BLANKS + "\n")), text[start:])


def may_begin_block(line: str) -> bool:
    """Return whether a line that starts with this text may start a block."""
    if line.startswith("```"):
        info = line[3:].strip(_BLANKS)
        return len(line) <= MAX_OPENING_LINE and any(kind.startswith(info) for kind in _KINDS)
    return line.startswith(CALL_TAG) or CALL_TAG.startswith(line) or "```".startswith(line)


def is_block_delimiter(line: str) -> bool:
    """Return whether a line may start or end a fence, or may start a block."""
    return line.startswith(CALL_TAG) or _FENCE.fullmatch(line) is not None
