"""The texts that patterns match, compared as languages: a text that tells patterns apart, or a proof that none does.

A pattern is read if it has literals, classes, groups, alternatives, repetitions and anchors. Whether a character is in a
class is asked of the engine that validates values. A pattern becomes an automaton, and several run side by side over
all texts, the shortest first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from toolgen.resolve.value_checks import compile_pattern_or_reason, matches

_MAX_STATES = 1500
"""The maximum number of states of one pattern."""
_MAX_STEPS = 3000
"""The maximum number of beginnings of texts that are tried."""
_MAX_DEPTH = 20
_MAX_TEXTS = 6
_MAX_COUNT = 500
"""The longest length that is compared with patterns."""
_ANY = r"[\s\S]"
_CANDIDATES = "ab0A1Z_- .@/:,zx9B" + "".join(map(chr, [*range(0x20, 0x250), *range(0x20)])) + "αЖ中٣\u2003\u2028😀"
"""Characters of every kind, those first that are good to read."""
_LAST_CANDIDATE = "\u024f"
"""The last character up to which all are candidates."""


class _NotComparableError(Exception):
    """A pattern has a construct that is not read here, or is too large."""


def languages_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return patterns that all match the strings of a schema, and only those, as far as pattern and lengths say it."""
    patterns = (schema["pattern"],) if "pattern" in schema else ()
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if not least and most is None:
        return patterns
    if max(least, most or 0) > _MAX_COUNT:
        return patterns if "pattern" in schema else ("",)
    return *patterns, f"^{_ANY}{{{int(least)},{'' if most is None else int(most)}}}$"


def pattern_of_texts(texts: Sequence[str]) -> str:
    """Return a pattern that matches some texts, and no others."""
    escaped = ("".join(each if each.isalnum() else f"\\{each}" for each in text) for text in texts)
    return f"^(?:{'|'.join(escaped)})$"


@lru_cache(maxsize=512)
def texts_outside(inside: tuple[str, ...], outside: tuple[str, ...]) -> tuple[str, ...]:
    """Return texts that all patterns of `inside` match, and not all of `outside`, the shortest first; none if unknown.

    Those that end in a line end are continued too, because engines differ in whether `$` matches before it.
    """
    texts: list[str] = []
    try:
        for pattern in outside:
            texts += islice(_texts(inside, pattern), _MAX_TEXTS)
    except _NotComparableError:
        pass
    continued = [f"{text}a" for text in texts if text.endswith("\n")]
    continued = [text for text in continued if _matches_all(inside, text) and not _matches_all(outside, text)]
    return tuple(sorted([*texts, *continued], key=lambda text: text.endswith("\n")))


@lru_cache(maxsize=512)
def is_inside(inside: tuple[str, ...], outside: tuple[str, ...]) -> bool:
    """Return whether it is proved that each text which all patterns of `inside` match is matched by all of `outside`."""
    try:
        return all(next(_texts(inside, pattern), None) is None for pattern in outside)
    except _NotComparableError:
        return False


@lru_cache(maxsize=512)
def are_apart(patterns: tuple[str, ...]) -> bool:
    """Return whether it is proved that no text matches all patterns."""
    try:
        return next(_texts(patterns, None), None) is None
    except _NotComparableError:
        return False


def _matches_all(patterns: Sequence[str], text: str) -> bool:
    return all(matches(pattern, text) for pattern in patterns)


class _Node(NamedTuple):
    """A part of a pattern: an `atom` (one character), a `row`, a `choice`, a repetition, or an anchor (`^`, `$`)."""

    kind: str
    text: str = ""
    parts: tuple[_Node, ...] = ()
    least: int = 1
    most: int | None = 1


@dataclass
class _Reader:
    """Reads a pattern from left to right."""

    pattern: str
    position: int = 0

    def read(self) -> _Node:
        """Return the whole pattern as a node."""
        if isinstance(compile_pattern_or_reason(self.pattern), str):
            raise _NotComparableError
        try:
            node = self._choice(0)
        except (IndexError, ValueError) as error:
            raise _NotComparableError from error
        if self.position < len(self.pattern):
            raise _NotComparableError
        return node

    def _next(self) -> str:
        return self.pattern[self.position : self.position + 1]

    def _take(self) -> str:
        character = self.pattern[self.position]
        self.position += 1
        return character

    def _choice(self, depth: int) -> _Node:
        if depth > _MAX_DEPTH:
            raise _NotComparableError
        rows = [self._row(depth)]
        while self._next() == "|":
            self._take()
            rows.append(self._row(depth))
        return rows[0] if len(rows) == 1 else _Node("choice", parts=tuple(rows))

    def _row(self, depth: int) -> _Node:
        parts: list[_Node] = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._repeated(self._part(depth)))
        return _Node("row", parts=tuple(parts))

    def _repeated(self, node: _Node) -> _Node:
        symbol = self._next()
        if not symbol or symbol not in "*+?{":
            return node
        self._take()
        if symbol == "{":
            end = self.pattern.index("}", self.position)
            least, comma, most = self.pattern[self.position : end].partition(",")
            self.position = end + 1
            limits = int(least), int(most) if most else None if comma else int(least)
        else:
            limits = (int(symbol == "+"), 1 if symbol == "?" else None)
        if self._next() == "?":  # not greedy
            self._take()
        if self._next() and self._next() in "*+?{":
            raise _NotComparableError
        return _Node("repetition", parts=(node,), least=limits[0], most=limits[1])

    def _part(self, depth: int) -> _Node:
        character = self._take()
        if character in "^$":
            return _Node(character)
        if character == "(":
            return self._group(depth)
        if character == "[":
            return _Node("atom", self._class())
        if character == "\\":
            return self._escaped()
        if character in "*+?{":
            raise _NotComparableError
        return _Node("atom", character if character not in "]}" else f"\\{character}")

    def _group(self, depth: int) -> _Node:
        if self._next() == "?":
            self._take()
            if self._take() != ":":
                raise _NotComparableError
        node = self._choice(depth + 1)
        if self._take() != ")":
            raise _NotComparableError
        return node

    def _escaped(self) -> _Node:
        character = self._take()
        if character in "Az":
            return _Node("^" if character == "A" else "$")
        if character.isalnum() and character not in "dDwWsSntr":
            raise _NotComparableError
        return _Node("atom", f"\\{character}")

    def _class(self) -> str:
        """Return the text of a class, in brackets. A class inside a class is not read."""
        start = self.position - 1
        if self._next() == "^":
            self._take()
        first = self.position
        while self._next() != "]" or self.position == first:
            character = self._take()
            if character == "[" or (character in "&-~" and self._next() == character):
                raise _NotComparableError
            if character == "\\" and (self._take().isalnum() and self.pattern[self.position - 1] not in "dDwWsSntr"):
                raise _NotComparableError
        self._take()
        return self.pattern[start : self.position]


@dataclass
class _Automaton:
    """States of a pattern, with the moves that a character permits and those that need none, or only an anchor.

    The first state waits for the beginning of a match, the second one has seen its end.
    """

    atoms: dict[str, int]
    moves: list[list[tuple[int, int]]] = field(default_factory=list[list[tuple[int, int]]])
    free: list[list[tuple[str, int]]] = field(default_factory=list[list[tuple[str, int]]])

    @classmethod
    def of(cls, pattern: str, atoms: dict[str, int]) -> _Automaton:
        """Return the automaton of a pattern. `atoms` has the classes of characters of all automata, by their texts."""
        automaton = cls(atoms)
        any_character = atoms.setdefault(_ANY, len(atoms))
        for state in (automaton._state(), automaton._state()):
            automaton.moves[state].append((any_character, state))
        begin = automaton._state()
        automaton.free[0].append(("", begin))
        automaton.free[automaton._add(_Reader(pattern).read(), begin)].append(("", 1))
        return automaton

    def _state(self) -> int:
        if len(self.moves) >= _MAX_STATES:
            raise _NotComparableError
        self.moves.append([])
        self.free.append([])
        return len(self.moves) - 1

    def _add(self, node: _Node, start: int) -> int:
        """Add the states of a node after a state, and return its last one."""
        if node.kind == "row":
            for part in node.parts:
                start = self._add(part, start)
            return start
        if node.kind == "repetition":
            return self._add_repetition(node, start)
        end = self._state()
        if node.kind == "choice":
            for part in node.parts:
                self.free[self._add(part, start)].append(("", end))
        elif node.kind == "atom":
            self.moves[start].append((self.atoms.setdefault(node.text, len(self.atoms)), end))
        else:
            self.free[start].append((node.kind, end))
        return end

    def _add_repetition(self, node: _Node, start: int) -> int:
        (part,) = node.parts
        for _ in range(node.least):
            start = self._add(part, start)
        end = self._state()
        if node.most is None:
            self.free[start].append(("", end))
            self.free[self._add(part, end)].append(("", end))
            return end
        for _ in range(node.most - node.least):
            self.free[start].append(("", end))
            start = self._add(part, start)
        self.free[start].append(("", end))
        return end

    def closure(self, states: frozenset[int], anchors: str = "") -> frozenset[int]:
        """Return the states that are reached without a character, where some anchors hold."""
        reached = set(states)
        waiting = [*states]
        while waiting:
            for anchor, state in self.free[waiting.pop()]:
                if (not anchor or anchor in anchors) and state not in reached:
                    reached.add(state)
                    waiting.append(state)
        return frozenset(reached)

    def after(self, states: frozenset[int], members: Sequence[bool]) -> frozenset[int]:
        """Return the states after a character. `members` says which atoms it is in."""
        return self.closure(
            frozenset(target for state in states for atom, target in self.moves[state] if members[atom])
        )

    def accepts(self, states: frozenset[int], anchors: str) -> bool:
        """Return whether a text that ends here matches."""
        return 1 in states or 1 in self.closure(states, anchors)


def _texts(inside: Sequence[str], outside: str | None) -> Iterator[str]:
    """Yield texts that all patterns of `inside` match and `outside` does not, the shortest first. None matches nothing.

    If the iterator ends, there are no others that begin otherwise.

    Raises:
        _NotComparableError: A pattern cannot be read, or there is too much to try.
    """
    atoms: dict[str, int] = {}
    wanted = [_Automaton.of(pattern, atoms) for pattern in inside]
    unwanted = [] if outside is None else [_Automaton.of(outside, atoms)]
    automata = [*wanted, *unwanted]
    kinds = _kinds_of_characters([*atoms], "".join([*inside, outside or ""]))
    begin = tuple(automaton.closure(frozenset([0]), "^") for automaton in automata)
    waiting = deque([(begin, "")])
    known = {begin}
    while waiting:
        sets, text = waiting.popleft()
        if unwanted and 1 in sets[-1]:  # whatever follows, it matches
            continue
        anchors = "$" if text else "^$"
        accepted = [automaton.accepts(states, anchors) for automaton, states in zip(automata, sets, strict=True)]
        if all(accepted[: len(wanted)]) and not (unwanted and accepted[-1]):
            yield text
        for character, members in kinds.items():
            following = tuple(each.after(states, members) for each, states in zip(automata, sets, strict=True))
            if following not in known:
                if len(known) >= _MAX_STEPS:
                    raise _NotComparableError
                known.add(following)
                waiting.append((following, text + character))


def _kinds_of_characters(atoms: Sequence[str], patterns: str) -> dict[str, tuple[bool, ...]]:
    """Return one character of each kind, with the atoms that it is in. Characters of one kind are in the same atoms.

    Raises:
        _NotComparableError: There may be kinds without a candidate.
    """
    if max(patterns, default="") > _LAST_CANDIDATE and "\\" in patterns:
        raise _NotComparableError  # a class such as `\\w` may divide a range that has no candidate
    near = {chr(ord(each) + distance) for each in patterns for distance in (-1, 0, 1) if 0 < ord(each) < 0xD7FF}
    kinds: dict[tuple[bool, ...], str] = {}
    for character in dict.fromkeys([*_CANDIDATES, *sorted(near)]):
        kinds.setdefault(_memberships(tuple(atoms), character), character)
    return {character: members for members, character in kinds.items()}


def _memberships(atoms: tuple[str, ...], character: str) -> tuple[bool, ...]:
    return tuple(_is_member(atom, character) for atom in atoms)


@lru_cache(maxsize=100_000)
def _is_member(atom: str, character: str) -> bool:
    return atom == _ANY or matches(f"^{atom}$", character)
