"""Texts made from a pattern: what it may match, with each choice and each repetition varied once."""

from __future__ import annotations

import re

from toolgen.breaking.pattern_reader import Node, UnreadablePatternError, read_pattern

MAX_TEXTS = 24
"""The maximum number of texts that are made from one pattern."""
_MAX_REPEATED = 2000
"""The maximum number of repetitions that are written out."""

_CLASSES = {"d": "07", "w": "aZ0_", "s": " \t", "D": "a-", "W": "- ", "S": "a0"}
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r"}


def texts_of_pattern(pattern: str) -> list[str]:
    """Return texts that a pattern may match, the simplest first; none if it has constructs that are not read.

    They are samples: whoever uses them validates them.
    """
    try:
        return list(dict.fromkeys(_texts_of(read_pattern(pattern))))[:MAX_TEXTS]
    except UnreadablePatternError:
        return []


def _texts_of(node: Node) -> list[str]:
    if node.kind == "choice":
        branches = [_texts_of(part) for part in node.parts]
        firsts = [branch[0] for branch in branches]
        return [*firsts, *(text for branch in branches for text in branch[1:])][:MAX_TEXTS]
    if node.kind == "row":
        return _texts_of_row(node.parts)
    if node.kind == "repetition":
        return _repeated(node)
    return _characters_of(node.text) if node.kind == "atom" else [""]


def _texts_of_row(nodes: tuple[Node, ...]) -> list[str]:
    """Return the texts of parts in a row: all usual ones, then those with one part varied."""
    parts = [_texts_of(part) for part in nodes]
    usual = [part[0] for part in parts]
    texts = ["".join(usual)]
    for i, part in enumerate(parts):
        texts += ["".join([*usual[:i], variant, *usual[i + 1 :]]) for variant in part[1:]]
    return texts[:MAX_TEXTS]


def _repeated(node: Node) -> list[str]:
    """Return the texts of a repeated part: with the fewest repetitions, one more, and the most."""
    (part,) = node.parts
    texts, least = _texts_of(part), min(node.least, _MAX_REPEATED)
    most = min(max(3, least + 2) if node.most is None else node.most, _MAX_REPEATED)
    counts = [least or min(most, 1), least, least + 1, most, *([0] if least == 0 else [])]
    usual = texts[0]
    counted = [usual * count for count in dict.fromkeys(counts) if least <= count <= most]
    return [*counted, *(text + usual * (counts[0] - 1) for text in texts[1:] if counts[0])]


def _characters_of(atom: str) -> list[str]:
    """Return characters of an atom: of a class, the first and the last one of each range."""
    if atom == ".":
        return ["a", "0"]
    if atom.startswith("\\"):
        return [*_CLASSES.get(atom[1], _CONTROLS.get(atom[1], atom[1]))]
    if not atom.startswith("["):
        return [atom]
    is_negated = atom.startswith("[^")
    members = re.findall(r"\\.|[^\\]", atom[2 if is_negated else 1 : -1], re.DOTALL)
    ends = [member for i, member in enumerate(members) if member != "-" or i in (0, len(members) - 1)]
    characters = [character for member in ends for character in _characters_of(member if member != "." else r"\.")]
    if is_negated:
        characters = [each for each in ("a", "Z", "0", "-", " ", "é") if each not in characters] or ["~"]
    return list(dict.fromkeys(characters))
