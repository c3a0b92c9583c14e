"""How large a lowered schema is, held against what a dialect takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .dialects import Dialect
from .nullable import admits_null
from .references import subschemas

__all__ = ["exceeded", "sums"]

_WORDS = {
    "properties": "properties",
    "depth": "levels of objects",
    "values": "listed values",
    "characters": "characters of names and listed values",
}


def exceeded(schema: Mapping[str, Any], dialect: Dialect) -> list[str]:
    """What of a schema is more than the dialect takes, in words."""
    if not dialect.limits:
        return []
    found: dict[str, int] = dict.fromkeys(("properties", "depth", "values", "characters"), 0)
    for depth, inner in _walked(schema, 0):
        properties = inner.get("properties")
        names = list(properties) if type(properties) is dict else []
        defined = list(inner["$defs"]) if type(inner.get("$defs")) is dict else []
        values = inner["enum"] if type(inner.get("enum")) is list else []
        found["properties"] += len(names)
        found["depth"] = max(found["depth"], depth + bool(names))
        found["values"] += len(values)
        found["characters"] += sum(len(str(text)) for text in [*names, *defined, *values])
    return [
        f"{found[what]} {_WORDS[what]}, and {most} are taken"
        for what, most in dialect.limits.items()
        if found[what] > most
    ]


def sums(schema: Mapping[str, Any]) -> dict[str, int]:
    """What a provider counts over all tools of a request: optional properties, and properties of several types."""
    found = {"optional": 0, "unions": 0}
    for _, inner in _walked(schema, 0):
        properties = inner.get("properties")
        if type(properties) is dict:
            required = inner.get("required", ())
            found["optional"] += sum(name not in required for name in properties)
            found["unions"] += sum(
                type(value) is dict and ("anyOf" in value or type(value.get("type")) is list or admits_null(value))
                for value in properties.values()
            )
    return found


def _walked(schema: Any, depth: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Every schema with the number of objects that it stands in."""
    waiting: list[tuple[int, Any]] = [(depth, schema)]
    while waiting:
        level, inner = waiting.pop()
        if isinstance(inner, Mapping):
            yield level, inner
            further = level + (1 if type(inner.get("properties")) is dict else 0)
            for way, value in subschemas(inner):
                waiting.append((0 if way[0] == "$defs" else further, value))
