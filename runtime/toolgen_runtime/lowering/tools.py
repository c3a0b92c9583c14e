"""Lowering of tools' schemas for one wire: the choice of dialect and strict mode, and cached results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from ..conversion.cache import Cache, from_bytes, to_bytes, to_key
from ..conversion.encoding import Table
from ..conversion.extras import contains_schema
from ..conversion.strict_mode import StrictDecision
from ..json_values import is_json
from .dialects import Dialect, count_optional_and_union_properties
from .lower import lower
from .lowered_schema import LoweredSchema, SchemaChange

__all__ = ["Lower", "Lowerings"]


class _CachedResult(NamedTuple):
    """A result of lowering, its schema as bytes if possible, and its share of the limits for all tools of a request."""

    lowered: LoweredSchema
    copy: bytes | None
    cost: Mapping[str, int]


Lower: TypeAlias = Callable[..., LoweredSchema]
"""Lowers a complete schema, as `lower` does."""


class Lowerings:
    """The dialects of a wire, with cached results of lowering."""

    __slots__ = ("_caches", "_depth", "_lower", "_open", "_strict", "auto", "key", "per_request")

    def __init__(self, dialects: Mapping[str, Any], depth: int = 3, lower: Lower = lower) -> None:
        """Set the dialects of the profile, the depth to which unsupported recursion is expanded, and what lowers a schema."""
        chosen = dialects[dialects.get("uses", "open")]
        self._open = Dialect(chosen)
        self._strict = Dialect(dialects["strict"]) if dialects.get("strict") else None
        self._depth = depth
        self._lower = lower
        self._caches: tuple[Cache[_CachedResult], ...] = (Cache(), Cache(), Cache(), Cache())
        self.key: str | None = chosen.get("key")
        self.auto: bool = bool(self._strict and dialects["strict"].get("auto", True))
        self.per_request: Mapping[str, int] = dialects["strict"].get("per_request", {}) if self._strict else {}

    @property
    def has_strict(self) -> bool:
        """Whether the wire has a strict mode, which enforces schemas."""
        return self._strict is not None

    def lower(
        self, schema: Mapping[str, Any] | bool, strict: bool | None, *, is_arguments: bool = True
    ) -> LoweredSchema:
        """Lower the schema of a tool's parameters, or of another value. The result is shared, so do not change it."""
        return self._cached(schema, strict, is_arguments).lowered

    def lower_with_schema_copy(
        self, schema: Mapping[str, Any] | bool, strict: bool | None, *, is_arguments: bool = True
    ) -> tuple[dict[str, Any], LoweredSchema]:
        """Lower a schema, and return a copy of the result that may be changed."""
        lowered, copy, _ = self._cached(schema, strict, is_arguments)
        return (from_bytes(copy) if copy is not None else lowered.schema), lowered

    def encoding_table(self, schema: Mapping[str, Any] | None, strict: bool | None, extras: Any) -> Table | None:
        """Return the encoding table. None if there is none, or if the schema is sent as it was read (`extras`)."""
        if schema is None or contains_schema(extras, schema):
            return None
        return self.lower(schema, strict).encoding_table

    def choose_strictness(self, schema: Mapping[str, Any] | None, budget_used: dict[str, int]) -> StrictDecision:
        """Decide whether a tool with `strict: auto` is strict.

        `budget_used` counts what other tools of the request used of its limits. A tool that becomes strict is added.
        """
        if self._strict is None or not self.auto:
            return StrictDecision(None)
        if schema is None:
            return _not_strict("the tool has no parameters to enforce")
        lowered, _, cost = self._cached(schema, True)
        blocking = tuple(change for change in lowered.changes if change.blocks_strict)
        if blocking:
            return StrictDecision(False, blocking)
        exceeded = [
            limit
            for limit, count in cost.items()
            if limit in self.per_request and budget_used.get(limit, 0) + count > self.per_request[limit]
        ]
        if exceeded:
            return _not_strict(f"earlier strict tools use up the limits of a request: {', '.join(exceeded)}")
        _spend(cost, budget_used)
        return StrictDecision(True)

    def use_limits(self, schema: Mapping[str, Any] | None, budget_used: dict[str, int]) -> None:
        """Add to `budget_used` what a strict tool uses of the limits for all tools of a request."""
        if self.per_request:
            _spend(self._cached(schema or {}, True).cost, budget_used)

    def _cached(
        self, schema: Mapping[str, Any] | bool, strict: bool | None, is_arguments: bool = True
    ) -> _CachedResult:
        """Return the result of lowering a schema from the cache, or lower it. A wire without a strict mode has one dialect."""
        dialect = self._strict if strict and self._strict is not None else self._open
        key, cache = to_key(schema), self._caches[(dialect is self._strict) + 2 * is_arguments]
        cached = cache.get(key)
        if cached is not None:
            return cached
        lowered = self._lower(schema, dialect, self._depth, is_arguments=is_arguments)
        copy = to_bytes(lowered.schema) if is_json(schema) and is_json(lowered.schema) else None
        cost: dict[str, int] = {}
        if dialect is self._strict and self.per_request:
            cost = {"tools": 1, **count_optional_and_union_properties(lowered.schema)}
        result = _CachedResult(lowered, copy, cost)
        if copy is not None:
            cache.put(key, result, len(copy))
        return result


def _spend(cost: Mapping[str, int], budget_used: dict[str, int]) -> None:
    for limit, count in cost.items():
        budget_used[limit] = budget_used.get(limit, 0) + count


def _not_strict(reason: str) -> StrictDecision:
    return StrictDecision(False, (SchemaChange((), "strict", "dropped", reason),))
