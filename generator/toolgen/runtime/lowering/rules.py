"""Rules about single values, keyword by keyword: taken, said by another keyword, described, or dropped."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .describing import sentence
from .records import Way
from .references import LISTS, MAPS, SINGLE
from .words import ANNOTATIONS, IDENTITY, STRUCTURE, VALIDATED

if TYPE_CHECKING:
    from .engine import Run

__all__ = ["keep_rules"]

_INCLUSIVE = {"exclusiveMinimum": ("minimum", 1), "exclusiveMaximum": ("maximum", -1)}
_WITH_SCHEMAS = frozenset([*MAPS, *LISTS, *SINGLE])


def keep_rules(
    run: Run, said: Mapping[str, Any], way: Way, kind: str | None, out: dict[str, Any], sentences: list[str]
) -> None:
    """Put every rule of a schema that has no module of its own into `out`, or its words into `sentences`."""
    dialect = run.dialect
    for keyword, value in said.items():
        if keyword in STRUCTURE or keyword in out:
            continue
        if keyword in IDENTITY:
            if keyword != "$defs" and keyword != "definitions" and dialect.takes(keyword):
                out[keyword] = value
        elif (
            keyword in _INCLUSIVE
            and not dialect.takes(keyword)
            and _makes_inclusive(run, said, keyword, kind, way, out)
        ):
            continue
        elif keyword in dialect.most and type(value) is int and value > dialect.most[keyword]:
            out[keyword] = dialect.most[keyword]
            _leave(run, keyword, value, way, sentences, f"more than {dialect.most[keyword]} is not taken here")
        elif not dialect.takes(keyword) or (keyword in _WITH_SCHEMAS and (dialect.refs != "keep" or dialect.closed)):
            _leave(run, keyword, value, way, sentences, run.reason(keyword))
        elif keyword == "format" and not dialect.takes_format(kind, value):
            _leave(run, keyword, value, way, sentences, f"this format of {kind or 'a value'} is not taken here")
        elif keyword == "pattern" and dialect.patterns is not None and not dialect.patterns.fullmatch(str(value)):
            _leave(run, keyword, value, way, sentences, "not every pattern is taken here")
        elif not (keyword == "default" and value is None and dialect.closed):
            out[keyword] = value


def _makes_inclusive(
    run: Run, said: Mapping[str, Any], keyword: str, kind: str | None, way: Way, out: dict[str, Any]
) -> bool:
    """Say a bound on integers that is exclusive by one that is not; whether it was done."""
    other, step = _INCLUSIVE[keyword]
    value = said[keyword]
    if kind != "integer" or not run.dialect.takes(other) or type(value) is bool or type(value) not in (int, float):
        return False
    bound = math.floor(value) + 1 if step > 0 else math.ceil(value) - 1
    beside = said.get(other)
    if type(beside) is int or type(beside) is float:
        bound = max(bound, beside) if step > 0 else min(bound, beside)
    out[other] = bound
    run.note(way, keyword, "rewritten", f"{other} says the same of integers")
    return True


def _leave(run: Run, keyword: str, value: Any, way: Way, sentences: list[str], reason: str) -> None:
    text = sentence(keyword, value) if run.says(way) else ""
    if text:
        sentences.append(text)
    elif keyword in ANNOTATIONS and (value is None or value == "" or value == []):
        return
    checked = "parse_arguments" if keyword in VALIDATED else ""
    run.note(way, keyword, "described" if text else "dropped", reason, checked=checked)
