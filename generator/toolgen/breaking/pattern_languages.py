"""The texts that patterns match, compared as languages: a text that tells patterns apart, or a proof that none does.

Whether a character is in a class is asked of the engine that validates values. A pattern becomes an automaton, and several run side by side over
all texts, the shortest first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any

from toolgen.breaking.pattern_reader import Node, UnreadablePatternError, read_pattern
from toolgen.resolve.value_checks import compile_pattern_or_reason, matches

_MAX_STATES = 1500
"""The maximum number of states of one pattern."""
_MAX_STEPS = 3000
"""The maximum number of beginnings of texts that are tried."""
_MAX_TEXTS = 6
_MAX_COUNT = 500
"""The longest length that is compared with patterns."""
_ANY = r"[\s\S]"
_CANDIDATES = "ab0A1Z_- .@/:,zx9B" + "".join(map(chr, [*range(0x20, 0x250), *range(0x20)])) + "αЖ中٣\u2003\u2028😀"
"""Characters of every kind, those first that are good to read."""
_LAST_CANDIDATE = "\u024f"
"""The last character up to which all are candidates."""


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


# One pattern stands at hundreds of places of a document: without these caches `breaking` takes twice as long there.


@lru_cache(maxsize=512)
def texts_outside(inside: tuple[str, ...], outside: tuple[str, ...]) -> tuple[str, ...]:
    """Return texts that all patterns of `inside` match, and not all of `outside`, the shortest first; none if unknown.

    Those that end in a line end are continued too, because engines differ in whether `$` matches before it.
    """
    texts: list[str] = []
    try:
        for pattern in outside:
            texts += islice(_texts(inside, pattern), _MAX_TEXTS)
    except UnreadablePatternError:
        pass
    continued = [f"{text}a" for text in texts if text.endswith("\n")]
    continued = [text for text in continued if _matches_all(inside, text) and not _matches_all(outside, text)]
    return tuple(sorted([*texts, *continued], key=lambda text: text.endswith("\n")))


@lru_cache(maxsize=512)
def is_inside(inside: tuple[str, ...], outside: tuple[str, ...]) -> bool:
    """Return whether it is proved that each text which all patterns of `inside` match is matched by all of `outside`."""
    try:
        return all(next(_texts(inside, pattern), None) is None for pattern in outside)
    except UnreadablePatternError:
        return False


@lru_cache(maxsize=512)
def are_apart(patterns: tuple[str, ...]) -> bool:
    """Return whether it is proved that no text matches all patterns."""
    try:
        return next(_texts(patterns, None), None) is None
    except UnreadablePatternError:
        return False


def _matches_all(patterns: Sequence[str], text: str) -> bool:
    return all(matches(pattern, text) for pattern in patterns)


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
        if isinstance(compile_pattern_or_reason(pattern), str):
            raise UnreadablePatternError
        automaton = cls(atoms)
        any_character = atoms.setdefault(_ANY, len(atoms))
        for state in (automaton._state(), automaton._state()):
            automaton.moves[state].append((any_character, state))
        begin = automaton._state()
        automaton.free[0].append(("", begin))
        automaton.free[automaton._add(read_pattern(pattern), begin)].append(("", 1))
        return automaton

    def _state(self) -> int:
        if len(self.moves) >= _MAX_STATES:
            raise UnreadablePatternError
        self.moves.append([])
        self.free.append([])
        return len(self.moves) - 1

    def _add(self, node: Node, start: int) -> int:
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
        elif node.kind in ("^", "$"):
            self.free[start].append((node.kind, end))
        else:
            raise UnreadablePatternError
        return end

    def _add_repetition(self, node: Node, start: int) -> int:
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
        UnreadablePatternError: A pattern cannot be read, or there is too much to try.
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
                    raise UnreadablePatternError
                known.add(following)
                waiting.append((following, text + character))


def _kinds_of_characters(atoms: Sequence[str], patterns: str) -> dict[str, tuple[bool, ...]]:
    """Return one character of each kind, with the atoms that it is in. Characters of one kind are in the same atoms.

    Raises:
        UnreadablePatternError: There may be kinds without a candidate.
    """
    if max(patterns, default="") > _LAST_CANDIDATE and "\\" in patterns:
        raise UnreadablePatternError  # a class such as `\\w` may divide a range that has no candidate
    near = {chr(ord(each) + distance) for each in patterns for distance in (-1, 0, 1) if 0 < ord(each) < 0xD7FF}
    kinds: dict[tuple[bool, ...], str] = {}
    for character in dict.fromkeys([*_CANDIDATES, *sorted(near)]):
        kinds.setdefault(_memberships(tuple(atoms), character), character)
    return {character: members for members, character in kinds.items()}


def _memberships(atoms: tuple[str, ...], character: str) -> tuple[bool, ...]:
    return tuple(_is_member(atom, character) for atom in atoms)


def _is_member(atom: str, character: str) -> bool:
    return atom == _ANY or matches(f"^{atom}$", character)
