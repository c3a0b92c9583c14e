"""The common result of the YAML and the JSON reader: plain data and the place of every key and value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from toolgen.load.report import Place
from toolgen.load.sources import Pointer

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
"""Plain JSON data, as Python has it."""


@dataclass(slots=True)
class Tree:
    """One document. `values` and `keys` are as in `Document`; `blank` is a document with nothing in it."""

    value: Json = None
    values: dict[Pointer, Place] = field(default_factory=dict)
    keys: dict[Pointer, Place] = field(default_factory=dict)
    blank: bool = False


def kind_of(value: Json) -> str:
    """The JSON type of a value, with its article, as a message says it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "a mapping"


def has_surrogate(text: str) -> bool:
    """Whether the text holds half of a surrogate pair, which UTF-8 cannot carry."""
    return not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text)
