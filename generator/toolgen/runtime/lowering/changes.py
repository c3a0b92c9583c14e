"""Results of lowering: the schema, the changes to it, and how values are encoded."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from ..conversion.encoding import Table
from ..json_text import same_json

__all__ = ["NEVER", "LoweredSchema", "SchemaChange", "Way"]

Way = tuple[str | int, ...]
"""The path of a value: a JSON pointer as a tuple."""

NEVER: Final[dict[str, Any]] = {"not": {}}
"""The schema that admits no value; compared by identity."""


class SchemaChange(NamedTuple):
    """One change by lowering: where in the source, what it did, and why.

    `checked` names what still enforces the rule. `stops` means that a tool with `strict: auto` should not be strict,
    and `refused` that the schema cannot be expressed at all.
    """

    way: Way
    what: str
    action: Literal["rewritten", "described", "dropped", "moved", "narrowed", "defaulted"]
    reason: str
    checked: str = ""
    stops: bool = False
    refused: bool = False


@dataclass(frozen=True, slots=True)
class LoweredSchema:
    """A lowered schema. It is shared, so do not change it."""

    schema: dict[str, Any]
    records: tuple[SchemaChange, ...]
    spelling: Table | None

    @property
    def refusals(self) -> tuple[SchemaChange, ...]:
        """Return the changes for schemas that this dialect cannot express."""
        return tuple(record for record in self.records if record.refused)

    def says_all(self, source: Mapping[str, Any] | bool) -> bool:
        """Whether the schema is the source without the dropped keywords, apart from what every root has."""
        if isinstance(source, bool):
            return False
        if not self.records:
            return same_json(
                {**{key: self.schema[key] for key in _OF_EVERY_ROOT if key in self.schema}, **source}, self.schema
            )
        if any(record.action != "dropped" for record in self.records):
            return False
        rest: Any = copy.deepcopy(dict(source))
        for record in self.records:
            holder: Any = rest
            for step in record.way:
                holder = holder[step] if _has(holder, step) else None
            if type(holder) is dict:
                holder.pop(record.what, None)
        return same_json(
            {**{key: self.schema[key] for key in _OF_EVERY_ROOT if key in self.schema}, **rest}, self.schema
        )


_OF_EVERY_ROOT = ("type", "properties")


def _has(holder: Any, step: str | int) -> bool:
    if type(holder) is list:
        return type(step) is int and step < len(holder)
    return type(holder) is dict and step in holder
