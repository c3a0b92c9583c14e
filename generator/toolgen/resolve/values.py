"""Values that a schema states about itself (enum, const, default, examples), judged by that schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.load import Pointer
from toolgen.resolve.dialect import ANNOTATIONS
from toolgen.resolve.judge import Judge, TooManyStepsError
from toolgen.resolve.keywords import walk
from toolgen.resolve.places import Library, Place

_TYPES: dict[str, Any] = {
    "array": lambda v: isinstance(v, list),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: type(v) is int or (type(v) is float and v.is_integer()),
    "null": lambda v: v is None,
    "number": lambda v: type(v) in (int, float),
    "object": lambda v: isinstance(v, dict),
    "string": lambda v: isinstance(v, str),
}


def check_values(
    schema: Any,
    judge: Judge,
    origins: Mapping[str, Place],
    root: Place,
    library: Library,
    findings: Findings,
) -> None:
    """Check the values inside a self-contained schema.

    `judge` knows the definitions; `origins` gives the source of those that are to be checked, `root` that of the
    rest.
    """
    for pointer, sub in walk(schema):
        if not isinstance(sub, dict):
            continue
        place = _source(pointer, origins, root)
        if place is None:
            continue
        for way, value, against in _stated(sub):
            reason = _quick(against, value)
            try:
                reason = judge.reason(value, against) if reason is None else reason
                advised = bool(reason) and _is_advised(way, value, against, judge)
            except TooManyStepsError:
                findings.add("values-too-many", library.span(place, *way), keyword=Verbatim(way[0]))
                return
            if reason and way == ("default",) and value is None:
                findings.add("default-null", library.span(place, *way))
            elif reason:
                findings.add(
                    "value-unfit" if advised else "value-contradicts",
                    library.span(place, *way),
                    keyword=Verbatim(way[0]),
                    value=value,
                    reason=Verbatim(reason),
                )


_OF_TYPE = frozenset(["$ref", "allOf", "anyOf", "const", "enum", "type"])
"""Keywords that a type in Python says of a value without parts."""


def typed(schema: Any) -> Any:
    """What a schema says of types alone. A default that it refuses would stand in the code where its type cannot."""
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key in _OF_TYPE}
    if "oneOf" in schema and "anyOf" not in schema:
        kept["anyOf"] = schema["oneOf"]
    return {key: [typed(sub) for sub in value] if key in ("allOf", "anyOf") else value for key, value in kept.items()}


def _is_advised(way: Pointer, value: Any, against: dict[str, Any], judge: Judge) -> bool:
    """Whether a value that is refused does no harm to code: an example, or a default of the right type."""
    if way[0] == "examples":
        return True
    return way[0] == "default" and not isinstance(value, dict | list) and judge.reason(value, typed(against)) is None


def _source(pointer: Pointer, origins: Mapping[str, Place], root: Place) -> Place | None:
    if pointer[:1] != ("$defs",):
        return Place(root.document, root.pointer + pointer)
    origin = origins.get(str(pointer[1]))
    return None if origin is None else Place(origin.document, origin.pointer + pointer[2:])


def _stated(schema: dict[str, Any]) -> Iterator[tuple[Pointer, Any, dict[str, Any]]]:
    """Each value that a schema states, the way to it, and what it has to satisfy."""
    rules = {k: v for k, v in schema.items() if k not in ANNOTATIONS and k != "$defs"}
    rest = {k: v for k, v in rules.items() if k not in ("enum", "const")}
    beside = {k: v for k, v in rules.items() if k != "const"}
    if beside and "const" in schema:
        yield ("const",), schema["const"], beside
    if rest and isinstance(schema.get("enum"), list):
        for i, value in enumerate(schema["enum"]):
            yield ("enum", i), value, rest
    if rules and "default" in schema:
        yield ("default",), schema["default"], rules
    if rules and isinstance(schema.get("examples"), list):
        for i, value in enumerate(schema["examples"]):
            yield ("examples", i), value, rules


def _quick(schema: dict[str, Any], value: Any) -> str | None:
    """Judge by `type` alone where nothing else is asked: an empty text says that all is well."""
    if set(schema) != {"type"}:
        return None
    named = schema["type"]
    types = named if isinstance(named, list) else [named]
    return "" if any(_TYPES[t](value) for t in types) else f"it is not of type {' or '.join(types)}"
