"""Which of some texts stand in others, in time that grows with both together and not with their product.

Blanks and backslashes do not count, nor line ends that are written as escapes: what was quoted, indented or put into JSON
on its way is the same text. The search is Aho's and Corasick's, over words and signs.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence

__all__ = ["repeated"]

_PIECES = re.compile(r"\\+[nrt]?|\s+|(\w+|[^\w\s\\])")


def _pieces(text: str) -> list[str]:
    return [match[1] for match in _PIECES.finditer(text) if match[1] is not None]


def repeated(blocks: Sequence[str], texts: Iterable[str]) -> list[bool]:
    """For each block whether it stands in one of the texts. One without any sign stands nowhere."""
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
    """For each state the longest shorter one that its text ends with; and the states, the shorter first."""
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
