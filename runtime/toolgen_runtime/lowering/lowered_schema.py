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
        return tuple(change for change in self.changes if change.is_unsupported)

    def only_drops_keywords(self, source: Mapping[str, Any] | bool) -> bool:
        """Return whether the schema is the source without labels and dropped keywords, apart from what every root has."""
        if isinstance(source, bool):
            return False
        schema = _without_labels(self.schema)
        of_every_root = {key: self.schema[key] for key in ("type", "properties") if key in self.schema}
        if same_json({**of_every_root, **_without_labels(source)}, schema):
            return True
        if any(change.action != "dropped" for change in self.changes):
            return False
        remaining = copy.deepcopy(dict(source))
        for change in self.changes:
            holder = _value_at(remaining, change.pointer)
            if type(holder) is dict:
                holder.pop(change.what, None)
        return same_json({**of_every_root, **_without_labels(remaining)}, schema)


_LABELS = frozenset(["$comment", "$schema", "title"])


def _without_labels(value: Any) -> Any:
    """Return a schema without what names it or the dialect in which it is written. A property may have these names."""
    if isinstance(value, Mapping):
        return {
            key: _without_labels(member)
            for key, member in value.items()
            if not (key in _LABELS and isinstance(member, str))
        }
    return [_without_labels(item) for item in value] if isinstance(value, list) else value


def _value_at(schema: Any, pointer: Pointer) -> Any:
    """Return the value at a path. None if there is none."""
    value = schema
    for step in pointer:
        members: Any = dict(enumerate(value)) if type(value) is list else value
        value = members.get(step) if type(members) is dict else None
    return value
