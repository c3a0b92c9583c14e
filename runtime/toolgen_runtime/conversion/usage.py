"""Counts of tokens: a table says where an API has them, and one pair of functions reads and writes them by it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..models import Usage
from ..paths import Path
from ..responses import read_count
from ..serialization import to_camel_case
from .extras import restore_extras, unmapped_members
from .fields import read_fields, write_fields
from .reader import Reader
from .values import optional_object
from .writer import Writer

__all__ = ["UsageTable"]

_FIELDS: Mapping[str, str] = {to_camel_case(name): name for name in Usage.__match_args__ if name != "metadata"}
"""The names of the counts in Python, by those in JSON."""

_KeyPath = tuple[str, ...]


class _Count(NamedTuple):
    """Where an API has a count, see `UsageTable`. `parts` are the fields, in Python, for those of `plus` that have one."""

    paths: tuple[_KeyPath, ...]
    plus: tuple[_KeyPath, ...]
    by_total: bool
    parts: tuple[str, ...]


class UsageTable:
    """Where an API has the counts of `Usage`: the section `usage` of a profile.

    For each field, by its name in JSON, it has

    - `path`: the keys that lead to the count, with dots between them
    - `or`: paths to the count if there is none at `path`
    - `plus`: paths to counts that the field includes, and that the API counts separately
    - `by_total`: whether the field only includes them if the total shows that they are separate.

    The class of the API reads and writes a field without a path. A field that is not in the table is lost, but the total
    is then the sum of input and output.

    `keys` are the keys of a usage that lead to counts.
    """

    def __init__(self, fields: Mapping[str, Mapping[str, Any]]) -> None:
        fields_at = {row["path"]: _FIELDS[name] for name, row in fields.items() if "path" in row}
        self.counts: dict[str, _Count] = {}
        for name, row in fields.items():
            paths = [row["path"], *row.get("or", ())] if "path" in row else []
            plus, by_total = row.get("plus", ()), bool(row.get("by_total"))
            parts = () if by_total else tuple(fields_at[path] for path in plus if path in fields_at)
            self.counts[_FIELDS[name]] = _Count(_key_paths(paths), _key_paths(plus), by_total, parts)
        self.keys = tuple(dict.fromkeys(path[0] for count in self.counts.values() for path in count.paths + count.plus))
        self._known = frozenset(self.keys)
        self._without_path: dict[str, Any] = {name: None for name, count in self.counts.items() if not count.paths}

    def read(self, wire: dict[str, Any], at: Path, reader: Reader) -> Usage:
        """Read a usage, by the rule of extras.

        Raises:
            ConversionError: A count is not an integer.
        """
        extras = unmapped_members(wire, self._known)
        usage = read_fields(wire, self.keys, at, extras, reader, _read_counts, _write_counts, self)
        usage.metadata = reader.as_metadata(extras)
        return usage

    def write(self, usage: Usage, at: Path, writer: Writer) -> dict[str, Any]:
        """Write a usage, by the rule of extras. Counts that the API lacks are reported."""
        extras = writer.own_extras(usage.metadata, at)
        counts = replace(usage, metadata=None, **self._without_path)
        wire: dict[str, Any] = {}
        write_fields(wire, self.keys, counts, at, extras, writer, _read_counts, _write_counts, self)
        restore_extras(wire, extras)
        return wire


def _key_paths(paths: Iterable[str]) -> tuple[_KeyPath, ...]:
    return tuple(tuple(path.split(".")) for path in paths)


def _read_counts(wire: dict[str, Any], at: Path, reader: Reader, table: UsageTable) -> Usage:
    counts: dict[str, Any] = dict.fromkeys(_FIELDS.values())
    separate: dict[str, int] = {}
    for name, count in table.counts.items():
        counts[name] = next((number for path in count.paths if (number := _count_at(wire, path, at)) is not None), None)
        separate[name] = sum(_count_at(wire, path, at) or 0 for path in count.plus)
        if separate[name] and not count.by_total:
            counts[name] = (counts[name] or 0) + separate[name]
    for name in ("input_tokens", "output_tokens"):
        counts[name] = counts[name] or 0
    for name, count in table.counts.items():
        total = counts["input_tokens"] + counts["output_tokens"] + separate[name]
        if count.by_total and counts["total_tokens"] == total:
            counts[name] += separate[name]
    if counts["total_tokens"] is None:
        counts["total_tokens"] = counts["input_tokens"] + counts["output_tokens"]
    return Usage(**counts)


def _count_at(wire: dict[str, Any], path: _KeyPath, at: Path) -> int | None:
    *outer, key = path
    for step in outer:
        wire, at = optional_object(wire, step, at), (at, step)
    return read_count(wire, key, at)


def _write_counts(usage: Usage, at: Path, writer: Writer, table: UsageTable) -> dict[str, Any]:
    wire: dict[str, Any] = {}
    for json_name, name in _FIELDS.items():
        number, count = getattr(usage, name), table.counts.get(name)
        if number is None:
            continue
        if count is None:
            if name != "total_tokens" or number != usage.input_tokens + usage.output_tokens:
                writer.report_unsupported((at, json_name), json_name)
            continue
        *outer, key = count.paths[0]
        holder = wire
        for step in outer:
            holder = holder.setdefault(step, {})
        holder[key] = number - sum(getattr(usage, part) or 0 for part in count.parts)
    return wire
