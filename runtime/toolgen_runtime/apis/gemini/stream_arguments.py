"""Arguments that are streamed as values for JSON paths (RFC 9535, `$.a.b[0]`), and their JSON text."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from ...conversion.extras import ABSENT
from ...errors import wrong_type
from ...json_text import compact, loads
from ...json_values import MAX_DEPTH, is_json
from ...paths import ROOT, Path

__all__ = ["PathArguments"]

Step: TypeAlias = str | int
Steps: TypeAlias = tuple[Step, ...]

_STEP = r"""\.([^.\[\]*]+)|\[\s*(?:(0|[1-9]\d{0,8})|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\]"""
_ESCAPE = r"\\(u[0-9a-fA-F]{4}|.)"
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
MAX_GAP = 1_000
"""Limit of array items that the updates of a call may skip. Each one is filled with null, which needs memory."""


class _Text:
    """A string that is still open: the container and the step that lead to it, and its pieces."""

    __slots__ = ("holder", "pieces", "step")

    def __init__(self, holder: Any, step: Step, first: str) -> None:
        self.holder = holder
        self.step = step
        self.pieces = [first]

    def join(self) -> None:
        """Store the text so far in the container."""
        self.holder[self.step] = "".join(self.pieces)


class PathArguments:
    """Arguments that grow by updates of leaves.

    `add` and `end` return the text that each adds, in document order. An update inside a closed container changes only
    the value, and ends the text. `rejected` has the updates that do not fit: an invalid path, a path that leads through
    another value, or a number that JSON does not have.
    """

    __slots__ = ("_chain", "_gaps", "_in_order", "_open", "_quoted", "_value", "rejected")

    def __init__(self) -> None:
        self.rejected: list[Any] = []
        self._value: dict[str, Any] = {}
        self._chain: list[Any] = []
        self._open: dict[Steps, _Text] = {}
        self._quoted: Steps | None = None
        self._gaps = 0
        self._in_order = True

    def add(self, update: Any, at: Path = ROOT) -> str:
        """Apply one update, and return the text that it adds.

        Raises:
            ConversionError: A value has the wrong JSON type.
        """
        if type(update) is not dict:
            raise wrong_type(at, "an object", update)
        value = _leaf(update, at)
        steps = _steps(update.get("jsonPath"), at)
        more = update.get("willContinue") is True
        known = self._open.get(steps) if steps else None
        if known is not None and (value is ABSENT or type(value) is str):
            return self._go_on(steps, known, "" if value is ABSENT else value, more)
        if value is ABSENT:
            return ""
        if known is not None or not self._fits(steps, value):
            self.rejected.append(update)
            return ""
        return self._put(steps, value, more)

    def merge(self, arguments: dict[str, Any]) -> str:
        """Apply complete arguments, and return the text that they add."""
        text = ""
        for name, given in arguments.items():
            try:
                value = loads(compact(given))
            except (TypeError, ValueError, RecursionError):
                self.rejected.append({name: given})
                continue
            if self._fits((name,), value):
                text += self._put((name,), value, False)
            else:
                self.rejected.append({name: given})
        return text

    def end(self) -> str:
        """Return the text that closes everything that is open."""
        for known in self._open.values():
            known.join()
        self._open.clear()
        text = self._unquoted()
        if not self._in_order:
            return ""
        return text + self._close(0) if self._chain else "{}"

    def value(self) -> dict[str, Any]:
        """Return the arguments so far, as a copy that does not grow."""
        for known in self._open.values():
            known.join()
        copied: dict[str, Any] = _copied(self._value)
        return copied

    def _go_on(self, steps: Steps, known: _Text, piece: str, more: bool) -> str:
        """Extend an open string."""
        text = ""
        if piece:
            known.pieces.append(piece)
            self._in_order = self._in_order and self._quoted == steps
            text = compact(piece)[1:-1] if self._in_order else ""
        if not more:
            known.join()
            del self._open[steps]
            text += self._unquoted() if self._quoted == steps else ""
        return text

    def _unquoted(self) -> str:
        """Return the end of the string that the last update left open."""
        if self._quoted is None:
            return ""
        self._quoted = None
        return '"' if self._in_order else ""

    def _fits(self, steps: Steps, value: Any) -> bool:
        """Return whether a value fits: every step leads to a container of its kind, or to nothing yet."""
        if not 0 < len(steps) <= MAX_DEPTH or not is_json(value):
            return False
        holder: Any = self._value
        gaps = self._gaps
        for step in steps:
            if holder is not None and type(holder) is not (dict if type(step) is str else list):
                return False
            if isinstance(step, int):
                gaps += max(step - len(holder or ()), 0)
            holder = None if holder is None else _member(holder, step)
        return type(holder) not in (dict, list) and gaps <= MAX_GAP

    def _put(self, steps: Steps, value: Any, more: bool) -> str:
        """Store a value, and return the text between the last leaf and this one, with the value's own text."""
        text = self._unquoted()
        if not self._chain:
            self._chain.append(self._value)
            text = "{"
        holder: Any = self._value
        last = len(steps) - 1
        for depth, step in enumerate(steps):
            inner = _member(holder, step)
            if depth < last and inner is not None:
                if self._in_order and (depth + 1 == len(self._chain) or self._chain[depth + 1] is not inner):
                    self._in_order = False
            else:
                text += self._begin_member(holder, step, depth)
                inner = value if depth == last else [] if type(steps[depth + 1]) is int else {}
                holder[step] = inner
                if depth < last and self._in_order:
                    self._chain.append(inner)
                    text += "[" if type(inner) is list else "{"
            if depth < last:
                holder = inner
        growing = type(value) is str and more
        if growing:
            self._open[steps] = _Text(holder, steps[-1], value)
            self._quoted = steps
        if not self._in_order:
            return ""
        return text + (compact(value)[:-1] if growing else compact(value))

    def _begin_member(self, holder: Any, step: Step, depth: int) -> str:
        """Make room for a member of a container, and return the text before its value."""
        fresh = step not in holder if isinstance(step, str) else step >= len(holder)
        self._in_order = self._in_order and fresh
        text = self._close(depth + 1) + ("," if holder else "") if self._in_order else ""
        if isinstance(step, str):
            return text + compact(step) + ":" if self._in_order else ""
        gap = max(step - len(holder), 0)
        self._gaps += gap
        if fresh:
            holder.extend([None] * (gap + 1))
        return text + "null," * gap if self._in_order else ""

    def _close(self, depth: int) -> str:
        """Close the containers below a depth, and return the text for it."""
        text = ""
        while len(self._chain) > depth:
            text += "]" if type(self._chain.pop()) is list else "}"
        return text


def _member(holder: Any, step: Any) -> Any:
    """Return the member at a step of a container of its kind, or None if it is missing or null."""
    if type(holder) is list:
        return holder[step] if step < len(holder) else None
    return holder.get(step)


def _copied(value: Any) -> Any:
    if type(value) is dict:
        return {name: _copied(inner) for name, inner in value.items()}
    return [_copied(inner) for inner in value] if type(value) is list else value


def _steps(path: Any, at: Path) -> Steps:
    """Return the steps of a path to a single value, or no steps for any other path."""
    if path is None:
        return ()
    if type(path) is not str:
        raise wrong_type((at, "jsonPath"), "a string", path)
    found: list[Step] = []
    end = 1
    step_at = re.compile(_STEP, re.DOTALL).match  # compiled here, where `re` caches it: few streams need it
    while path[:1] == "$" and (step := step_at(path, end)):
        end = step.end()
        plain, index, single, double = step.groups()
        quoted = double if single is None else single
        name = plain if quoted is None else re.sub(_ESCAPE, _unescaped, quoted, flags=re.DOTALL)
        try:
            # Adjacent halves of a surrogate pair are one character; single halves cannot be sent.
            found.append(int(index) if name is None else name.encode("utf-16", "surrogatepass").decode("utf-16"))
        except UnicodeDecodeError:
            return ()
    return tuple(found) if end == len(path) else ()


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else _ESCAPED.get(code, code)


def _leaf(update: dict[str, Any], at: Path) -> Any:
    """Return the value of an update, or ABSENT. Whole numbers arrive as doubles, and infinite ones or NaN as text."""
    text, number, flag = (update.get(key) for key in ("stringValue", "numberValue", "boolValue"))
    if text is not None:
        if type(text) is not str:
            raise wrong_type((at, "stringValue"), "a string", text)
        return text
    if number is not None:
        if type(number) not in (int, float, str):
            raise wrong_type((at, "numberValue"), "a number", number)
        if type(number) is str:
            return float("nan")
        whole = type(number) is float and number.is_integer() and abs(number) < 2**53
        return int(number) if whole else number
    if flag is not None:
        if type(flag) is not bool:
            raise wrong_type((at, "boolValue"), "true or false", flag)
        return flag
    return None if "nullValue" in update else ABSENT
