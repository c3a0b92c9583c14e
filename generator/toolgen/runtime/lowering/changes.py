"""What lowering says of itself: the schema, what it did to it, and how values are encoded then."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from ..conversion.encoding import Table
from ..json_text import same_json

__all__ = ["NEVER", "LoweredSchema", "SchemaChange", "Way"]

Way = tuple[str | int, ...]
"""The way to a value: a JSON pointer in parts."""

NEVER: Final[dict[str, Any]] = {"not": {}}
"""The schema of no value; told by identity."""


class SchemaChange(NamedTuple):
    """One thing that lowering did: where in the source, to what, and why.

    `checked` names what still enforces the rule. `stops` says that a tool which may go without strict mode had better,
    and `refused` that there is no spelling at all.
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
    """A schema as a dialect takes it. It is shared: not to be changed."""

    schema: dict[str, Any]
    records: tuple[SchemaChange, ...]
    spelling: Table | None

    @property
    def refusals(self) -> tuple[SchemaChange, ...]:
        """What cannot be said in this dialect at all."""
        return tuple(record for record in self.records if record.refused)

    def says_all(self, source: Mapping[str, Any] | bool) -> bool:
        """Whether the source without the keywords that were dropped is the schema, but for what every root has."""
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
