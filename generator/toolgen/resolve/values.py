"""Values that a schema states about itself (enum, const, default, examples), judged by that schema."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import extend

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.load import Pointer
from toolgen.resolve.dialect import ANNOTATIONS
from toolgen.resolve.keywords import walk
from toolgen.resolve.patterns import matches
from toolgen.resolve.places import Library, Place


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not matches(pattern, instance):
        yield ValidationError("the text does not match the pattern")


_extend: Any = extend  # the stubs leave its type open

Judge: Any = _extend(Draft202012Validator, {"pattern": _pattern})
"""A JSON Schema validator whose patterns run in the engine of the generated code."""

_TYPES: dict[str, Any] = {
    "array": lambda v: isinstance(v, list),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: type(v) is int or (type(v) is float and v.is_integer()),
    "null": lambda v: v is None,
    "number": lambda v: type(v) in (int, float),
    "object": lambda v: isinstance(v, dict),
    "string": lambda v: isinstance(v, str),
}


def reason_against(judge: Any, value: Any) -> str | None:
    """Why a value is refused, or None. Checks that Python's own pattern engine cannot do are passed over."""
    try:
        error = best_match(judge.iter_errors(value))
    except (re.error, RecursionError):
        return None
    if error is None:
        return None
    where = "/".join(str(step) for step in error.absolute_path)
    text = error.message[:160].encode("unicode_escape").decode("ascii")
    return f"{text} (at /{where})" if where else text


def check_values(
    schema: Any,
    judge: Any,
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
            if reason is None:
                reason = reason_against(judge.evolve(schema=against), value)
            if reason and way == ("default",) and value is None:
                findings.add("default-null", library.span(place, *way))
            elif reason:
                findings.add(
                    "value-contradicts",
                    library.span(place, *way),
                    keyword=Verbatim(way[0]),
                    value=value,
                    reason=Verbatim(reason),
                )


def _source(pointer: Pointer, origins: Mapping[str, Place], root: Place) -> Place | None:
    if pointer[:1] != ("$defs",):
        return Place(root.document, root.pointer + pointer)
    origin = origins.get(str(pointer[1]))
    return None if origin is None else Place(origin.document, origin.pointer + pointer[2:])


def _stated(schema: dict[str, Any]) -> Iterator[tuple[Pointer, Any, dict[str, Any]]]:
    """Each value that a schema states, the way to it, and what it has to satisfy."""
    rules = {k: v for k, v in schema.items() if k not in ANNOTATIONS and k != "$defs"}
    rest = {k: v for k, v in rules.items() if k not in ("enum", "const")}
    if rest and "const" in schema:
        yield ("const",), schema["const"], rest
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
