"""Arguments that come as values for JSON paths (RFC 9535, `$.a.b[0]`), and the JSON text that they amount to."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, TypeAlias

from .json_text import compact

__all__ = ["PathArguments"]

Step: TypeAlias = str | int

_STEP = re.compile(r"""\.([^.\[]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")
MAX_GAP = 1_000
"""Places that an update may leave out of an array; one further away is not filled up, for it costs memory."""

_SCALARS = ("numberValue", "boolValue")


class PathArguments:
    """Arguments that grow by updates of leaves.

    `add` and `end` give the text that each brings. The text follows the document's order; an update that goes back to
    what is closed changes the value alone, and the text stops there.
    """

    __slots__ = ("_containers", "_counts", "_in_order", "_pieces", "_string", "_value")

    def __init__(self) -> None:
        self._value: dict[str, Any] = {}
        self._containers: list[Step] = []
        self._counts: list[set[Step]] = []
        self._string: tuple[Step, ...] | None = None
        self._pieces: list[str] = []
        self._in_order = True

    def add(self, update: dict[str, Any]) -> str:
        """Take one update and give the text that it brings."""
        steps = _steps(update.get("jsonPath"))
        value = _leaf(update)
        if not steps or (value is None and "nullValue" not in update):
            return "" if update.get("willContinue") else self._end_string()
        if self._string == steps and type(value) is str:
            self._pieces.append(value)
            text = compact(value)[1:-1] if self._in_order else ""
        else:
            text = self._end_string() + self._place(steps)
            self._set(steps, value)
            if type(value) is str:
                self._string = steps
                self._pieces = [value]
                text += compact(value)[:-1] if self._in_order else ""
            else:
                text += compact(value) if self._in_order else ""
        if self._string is not None and not update.get("willContinue"):
            text += self._end_string()
        return text

    def end(self) -> str:
        """The text that closes what is open."""
        text = self._end_string()
        if not self._in_order:
            return ""
        if not self._counts:
            return "{}"
        text += self._close(0) + "}"
        return text

    def value(self) -> dict[str, Any]:
        """The arguments so far."""
        if self._string is not None:
            self._set(self._string, "".join(self._pieces))
        return self._value

    def _end_string(self) -> str:
        if self._string is None:
            return ""
        self._set(self._string, "".join(self._pieces))
        self._string = None
        return '"' if self._in_order else ""

    def _place(self, steps: tuple[Step, ...]) -> str:
        """The text between the last leaf and the next: brackets closed and opened, and the key."""
        if not self._in_order:
            return ""
        text = ""
        if not self._counts:
            self._counts.append(set())
            text = "{"
        shared = 0
        while shared < len(self._containers) and shared < len(steps) - 1 and self._containers[shared] == steps[shared]:
            shared += 1
        text += self._close(shared)
        for depth in range(shared, len(steps)):
            step, known = steps[depth], self._counts[-1]
            if step in known or (type(step) is int and step < len(known)):
                self._in_order = False
                return ""
            gap = range(len(known), step) if type(step) is int else ()
            text += ("," if known else "") + "null," * len(gap)
            text += compact(step) + ":" if type(step) is str else ""
            known.update((*gap, step))
            if depth < len(steps) - 1:
                text += "[" if type(steps[depth + 1]) is int else "{"
                self._containers.append(step)
                self._counts.append(set())
        return text

    def _close(self, depth: int) -> str:
        """Close the containers below a depth."""
        text = ""
        while len(self._containers) > depth:
            self._containers.pop()
            members = self._counts.pop()
            text += "]" if any(type(member) is int for member in members) else "}"
        return text

    def _set(self, steps: tuple[Step, ...], value: Any) -> None:
        """Put a value at its place; a place that another kind of container holds already is left as it is."""
        holder: Any = self._value
        for step, following in pairwise(steps):
            holder = _inner(holder, step, [] if type(following) is int else {})
        _inner(holder, steps[-1], value, replace=True)


def _inner(holder: Any, step: Step, value: Any, *, replace: bool = False) -> Any:
    """What stands at a step of a container; `value` where nothing does, or where it replaces what does."""
    if type(step) is int and isinstance(holder, list):
        if step > len(holder) + MAX_GAP:
            return None
        holder.extend([None] * (step + 1 - len(holder)))
        if replace or holder[step] is None:
            holder[step] = value
        return holder[step]
    if type(step) is str and isinstance(holder, dict):
        if replace or holder.get(step) is None:
            holder[step] = value
        return holder[step]
    return None


def _steps(path: Any) -> tuple[Step, ...]:
    if type(path) is not str:
        return ()
    return tuple(
        int(index) if index else _unescaped(single or double) if single or double else name
        for name, index, single, double in _STEP.findall(path.removeprefix("$"))
    )


def _unescaped(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name)


def _leaf(update: dict[str, Any]) -> Any:
    """The value of an update; whole numbers come as doubles."""
    if "stringValue" in update:
        return update["stringValue"]
    for key in _SCALARS:
        if key in update:
            value = update[key]
            return int(value) if type(value) is float and value.is_integer() and abs(value) < 2**53 else value
    return None
