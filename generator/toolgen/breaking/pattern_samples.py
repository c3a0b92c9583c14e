"""Texts made from a pattern: what it may match, with each choice and each repetition varied once."""

from __future__ import annotations

from dataclasses import dataclass

MAX_TEXTS = 24
"""The maximum number of texts that are made from one pattern."""
_MAX_REPEATED = 2000
"""The maximum number of repetitions that are written out."""
_MAX_DEPTH = 20

_CLASSES = {"d": "07", "w": "aZ0_", "s": " \t", "D": "a-", "W": "- ", "S": "a0"}
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r"}


class _NotReadableError(Exception):
    """The pattern has a construct for which no text is made."""


def texts_of_pattern(pattern: str) -> list[str]:
    """Return texts that a pattern may match, the simplest first; none if it has constructs that are not read here.

    They are samples: whoever uses them validates them.
    """
    try:
        reader = _Reader(pattern)
        texts = reader.alternatives(0)
        if reader.position < len(pattern):
            return []
    except (_NotReadableError, IndexError, ValueError):
        return []
    return list(dict.fromkeys(texts))[:MAX_TEXTS]


@dataclass
class _Reader:
    """Reads a pattern from left to right, and makes texts of its parts."""

    pattern: str
    position: int = 0

    def _next(self) -> str:
        return self.pattern[self.position : self.position + 1]

    def _take(self) -> str:
        character = self.pattern[self.position]
        self.position += 1
        return character

    def alternatives(self, depth: int) -> list[str]:
        """Return texts of each alternative: the first ones of all, then their variants."""
        if depth > _MAX_DEPTH:
            raise _NotReadableError
        branches = [self._sequence(depth)]
        while self._next() == "|":
            self._take()
            branches.append(self._sequence(depth))
        firsts = [branch[0] for branch in branches]
        return [*firsts, *(text for branch in branches for text in branch[1:])][:MAX_TEXTS]

    def _sequence(self, depth: int) -> list[str]:
        """Return the texts of parts in a row: all usual ones, then those with one part varied."""
        parts: list[list[str]] = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._repeated(self._atom(depth)))
        usual = [part[0] for part in parts]
        texts = ["".join(usual)]
        for i, part in enumerate(parts):
            texts += ["".join([*usual[:i], variant, *usual[i + 1 :]]) for variant in part[1:]]
        return texts[:MAX_TEXTS]

    def _repeated(self, texts: list[str]) -> list[str]:
        """Return the texts of a part with the quantifier that follows: the fewest repetitions, one more, and the most."""
        least, most = self._quantifier()
        if (least, most) == (1, 1):
            return texts
        counts = [least or min(most, 1), least, least + 1, most, *([0] if least == 0 else [])]
        usual = texts[0]
        counted = [usual * count for count in dict.fromkeys(counts) if least <= count <= most]
        return [*counted, *(text + usual * (counts[0] - 1) for text in texts[1:] if counts[0])]

    def _quantifier(self) -> tuple[int, int]:
        symbol = self._next()
        if symbol and symbol in "*+?":
            self._take()
            limits = {"*": (0, 3), "+": (1, 3), "?": (0, 1)}[symbol]
        elif symbol == "{":
            end = self.pattern.index("}", self.position)
            least, comma, most = self.pattern[self.position + 1 : end].partition(",")
            self.position = end + 1
            limits = int(least or 0), int(most) if most else int(least or 0) + (2 if comma else 0)
        else:
            return 1, 1
        if self._next() == "?":  # not greedy
            self._take()
        if limits[1] > _MAX_REPEATED:
            limits = (min(limits[0], _MAX_REPEATED), _MAX_REPEATED)
        return limits

    def _atom(self, depth: int) -> list[str]:
        character = self._take()
        if character in "^$":
            return [""]
        if character == ".":
            return ["a", "0"]
        if character == "(":
            return self._group(depth)
        if character == "[":
            return self._class()
        if character == "\\":
            return self._escaped()
        if character in "*+?{":
            raise _NotReadableError
        return [character]

    def _group(self, depth: int) -> list[str]:
        if self._next() == "?":
            self._take()
            kind = self._take()
            if kind in "P<":
                if self._next() in "=!" and kind == "<":
                    raise _NotReadableError
                self.position = self.pattern.index(">", self.position) + 1
            elif kind != ":":
                raise _NotReadableError
        texts = self.alternatives(depth + 1)
        if self._take() != ")":
            raise _NotReadableError
        return texts

    def _escaped(self) -> list[str]:
        character = self._take()
        if character in _CLASSES:
            return list(_CLASSES[character])
        if character in "bBAzZ":
            return [""]
        if character.isalnum() and character not in _CONTROLS:
            raise _NotReadableError
        return [_CONTROLS.get(character, character)]

    def _class(self) -> list[str]:
        """Return the first and the last character of each range of a class."""
        negated = self._next() == "^"
        if negated:
            self._take()
        characters: list[str] = []
        while self._next() != "]" or not characters:
            first = self._take()
            if first == "[":
                raise _NotReadableError
            listed = self._escaped() if first == "\\" else [first]
            if self._next() == "-" and self.pattern[self.position + 1] != "]" and len(listed) == 1:
                self._take()
                last = self._take()
                characters += [listed[0], self._escaped()[0] if last == "\\" else last]
            else:
                characters += listed
        self._take()
        if negated:
            characters = [each for each in ("a", "Z", "0", "-", " ", "é") if each not in characters] or ["~"]
        return list(dict.fromkeys(characters))
