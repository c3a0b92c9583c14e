"""Errors in the arguments of tools.

Errors contain locations, expected and found types, but no values, because they are logged and sent to the model.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = ["ArgumentsError", "Fault", "convert_validation_error", "json_type_name", "unknown_tool_error"]

MAX_FAULTS = 20
"""Maximum number of faults in an error."""

MAX_TEXT = 200
"""Maximum number of characters of a pointer, or of the expected value."""


@dataclass(slots=True)
class Fault:
    """One problem: the location as a JSON pointer, what was expected, and the type that was found."""

    pointer: str
    expected: str
    found: str

    def __hash__(self) -> int:
        """Return a hash that is the same for equal faults."""
        return hash((self.pointer, self.expected, self.found))

    def __str__(self) -> str:
        """Return the fault as one line."""
        return f"{self.pointer or '(root)'}: expected {self.expected}, found {self.found}"


class ArgumentsError(ValueError):
    """The arguments of a call do not fit their tool.

    Attributes:
        tool: The name of the tool.
        faults: The problems, as a list of `Fault`.
        omitted: The number of further faults that are not listed.
    """

    def __init__(self, tool: str, faults: Sequence[Fault], omitted: int = 0) -> None:
        """Set the name of the tool, its faults, and the number of faults that are not listed."""
        super().__init__(tool, tuple(faults), omitted)
        self.tool = tool
        self.faults = tuple(faults)
        self.omitted = omitted

    def __str__(self) -> str:
        """Return one line for each fault."""
        lines = [str(fault) for fault in self.faults]
        if self.omitted:
            lines.append(f"and {self.omitted} more")
        return "\n".join(lines)


def unknown_tool_error(name: object, tool_names: Iterable[str]) -> ArgumentsError:
    """Return the error for an unknown tool. It suggests similar names among those of the tools."""
    from difflib import get_close_matches  # imported here, because unknown names are rare

    similar = get_close_matches(name[:64], list(tool_names), n=3, cutoff=0.5) if isinstance(name, str) else []
    expected = f"a known tool (did you mean {' or '.join(similar)}?)" if similar else "a known tool"
    return ArgumentsError("", [Fault("", expected, "an unknown name")])


def convert_validation_error(value: object, error: ValidationError) -> tuple[list[Fault], int]:
    """List the faults that pydantic found in a value, and count those that are not listed."""
    texts: dict[int, frozenset[str]] = {}
    faults = list(dict.fromkeys(_fault(value, dict(row), texts) for row in error.errors(include_url=False)))
    return faults[:MAX_FAULTS], max(0, len(faults) - MAX_FAULTS)


def _fault(value: object, row: Mapping[str, Any], texts: dict[int, frozenset[str]]) -> Fault:
    """Return the fault for a row of pydantic's errors. `texts` has the texts in each object of the value, by its identity."""
    kind, context, rejected = row["type"], row.get("ctx", {}), row["input"]
    pointer = _pointer(value, row, texts)
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _tag_fault(pointer, rejected, context)
    if kind == "missing":
        return Fault(pointer, "a value", "nothing")
    if kind == "extra_forbidden":
        return Fault(pointer, "no such property", json_type_name(rejected))
    rejected_type = json_type_name(rejected)
    if kind in _LENGTHS:
        rejected_type = f"{rejected_type} of length {len(rejected)}"
    return Fault(pointer, _expected(kind, context, str(row["msg"]))[:MAX_TEXT], rejected_type)


def _expected(kind: str, context: Mapping[str, Any], message: str) -> str:
    """Return what was expected, according to an error of pydantic: its kind, the values for its text, and its message."""
    template = _EXPECTED.get(kind)
    if template is None:
        return message.removeprefix("Input should be ")
    try:
        return template.format(**context)
    except KeyError:
        return kind


_EXPECTED = {
    "bool_type": "true or false",
    "dict_type": "an object",
    "int_type": "an integer",
    "list_type": "an array",
    "literal_error": "{expected}",
    "model_attributes_type": "an object",
    "model_type": "an object",
    "none_required": "null",
    "number_type": "a number",
    "string_pattern_mismatch": "text that matches {pattern}",
    "string_too_long": "text of at most {max_length} characters",
    "string_too_short": "text of at least {min_length} characters",
    "string_type": "a string",
    "too_long": "at most {max_length} items",
    "too_short": "at least {min_length} items",
    "tuple_type": "an array",
    "unfit": "{expected}",
}

_LENGTHS = frozenset({"string_too_long", "string_too_short", "too_long", "too_short"})
_NOWHERE = object()


def _inner(value: object, step: int | str) -> object:
    """Return the member or item that a step of a location leads to."""
    if isinstance(value, Mapping):
        return value.get(step, _NOWHERE)
    if isinstance(value, list | tuple) and isinstance(step, int) and step < len(value):
        return value[step]
    return _NOWHERE


MAX_READINGS = 32
"""Maximum number of interpretations of a fault's location that are compared."""


class _Reading(NamedTuple):
    """An interpretation of a fault's location: the steps in the value, and the value that they lead to."""

    steps: list[str]
    target: object


def _pointer(value: object, row: Mapping[str, Any], texts: dict[int, frozenset[str]]) -> str:
    """Return the JSON pointer of a fault, without the steps that only name a branch of a union.

    The name of a branch may also be a key of the value. Then the rejected value decides which one is meant.
    """
    readings = _readings(value, row["loc"], texts, is_missing=row["type"] in ("missing", "extra_forbidden"))
    steps = readings[0].steps
    if len(readings) > 1:
        steps = next((reading.steps for reading in readings if reading.target == row["input"]), steps)
    text = "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps)
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


def _readings(
    value: object, loc: Sequence[int | str], texts: dict[int, frozenset[str]], *, is_missing: bool
) -> list[_Reading]:
    """Return the interpretations of a location, at most `MAX_READINGS`. The last step may be a key that is missing."""
    readings: list[_Reading] = []
    waiting: list[tuple[int, _Reading]] = [(0, _Reading([], value))]
    while waiting and len(readings) < MAX_READINGS:
        i, (steps, holder) = waiting.pop()
        if i == len(loc):
            readings.append(_Reading(steps, holder))
            continue
        step = loc[i]
        inner = _inner(holder, step)
        if inner is not _NOWHERE:
            if isinstance(holder, Mapping) and step in _texts_in(holder, texts):
                waiting.append((i + 1, _Reading(steps, holder)))
            waiting.append((i + 1, _Reading([*steps, str(step)], inner)))
        elif is_missing and i == len(loc) - 1:
            waiting.append((i + 1, _Reading([*steps, str(step)], holder)))
        else:
            waiting.append((i + 1, _Reading(steps, holder)))
    return readings


def _texts_in(holder: Mapping[Any, Any], texts: dict[int, frozenset[str]]) -> frozenset[str]:
    """Return the texts that an object has as values. They are found once, and kept in `texts`."""
    if id(holder) not in texts:
        texts[id(holder)] = frozenset(item for item in holder.values() if type(item) is str)
    return texts[id(holder)]


def _tag_fault(pointer: str, rejected: object, context: Mapping[str, Any]) -> Fault:
    """Return the fault of an object whose tag does not match."""
    name = str(context.get("discriminator", "")).split(" | ")[0].strip("'")
    tag = rejected.get(name, _NOWHERE) if isinstance(rejected, Mapping) else _NOWHERE
    expected = str(context.get("expected_tags", "a value"))
    tag_type = "nothing" if tag is _NOWHERE else json_type_name(tag)
    return Fault(f"{pointer}/{name}"[:MAX_TEXT], expected[:MAX_TEXT], tag_type)


def json_type_name(value: object) -> str:
    """Return the JSON type of a value. NaN and the infinities have none."""
    if value is None:
        return "null"
    for kinds, name in _TYPES:
        if isinstance(value, kinds):
            return _NOT_FINITE if isinstance(value, float) and not math.isfinite(value) else name
    return "a value that is not JSON"


_NOT_FINITE = "a number that is not finite"

_TYPES: tuple[tuple[Any, str], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (Mapping, "object"),
    ((list, tuple), "array"),
)
