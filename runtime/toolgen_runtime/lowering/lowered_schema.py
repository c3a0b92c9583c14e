"""What lowering returns: the schema in the dialect, its changes, and its encoding table."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..conversion.encoding import Table
from ..json_values import same_json
from .schemas import Pointer

__all__ = ["LoweredSchema", "SchemaChange"]


class SchemaChange(NamedTuple):
    """One change by lowering: its location in the source, what was changed, and why.

    `checked` names the validation that still enforces the rule. `blocks_strict` means that a tool with `strict: auto`
    should not be strict. `is_unsupported` means that the schema cannot be expressed at all.
    """

    pointer: Pointer
    what: str
    action: Literal["rewritten", "described", "dropped", "moved", "narrowed", "defaulted"]
    reason: str
    checked: str = ""
    blocks_strict: bool = False
    is_unsupported: bool = False


@dataclass(frozen=True, slots=True)
class LoweredSchema:
    """A lowered schema. It is shared, so do not change it."""

    schema: dict[str, Any]
    changes: tuple[SchemaChange, ...]
    encoding_table: Table | None

    @property
    def unsupported_changes(self) -> tuple[SchemaChange, ...]:
        """The changes to schemas that this dialect cannot express."""
        return tuple(record for record in self.changes if record.is_unsupported)

    def only_drops_keywords(self, source: Mapping[str, Any] | bool) -> bool:
        """Return whether the schema is the source without the dropped keywords, apart from what every root has."""
        if isinstance(source, bool) or not source:
            return source == self.schema
        root = {key: self.schema[key] for key in _OF_EVERY_ROOT if key in self.schema}
        same = same_json({**root, **source}, self.schema)
        if same or any(record.action != "dropped" for record in self.changes):
            return same
        rest: Any = copy.deepcopy(dict(source))
        for record in self.changes:
            holder: Any = rest
            for step in record.pointer:
                members: Any = dict(enumerate(holder)) if type(holder) is list else holder
                holder = members.get(step) if type(members) is dict else None
            if type(holder) is dict:
                holder.pop(record.what, None)
        return same_json({**root, **rest}, self.schema)


_OF_EVERY_ROOT = ("type", "properties")
