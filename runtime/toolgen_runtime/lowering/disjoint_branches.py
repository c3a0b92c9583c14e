"""Whether the branches of a union exclude each other: then `oneOf` and `anyOf` mean the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

from ..json_values import same_json
from .schemas import declared_types, json_type, list_at, listed_values, object_at, required_names

__all__ = ["exclude_each_other"]

_MOST_COMPARISONS = 30_000
"""Maximum number of pairs of schemas that are compared for one union."""
_DEEPEST = 4
"""The depth to which unions and properties are compared."""
_ALL_TYPES = frozenset(["string", "number", "integer", "boolean", "object", "array", "null"])


def exclude_each_other(branches: list[Any], resolve: Callable[[Any], Any]) -> bool:
    """Return whether it is certain that no value matches two of these schemas.

    Args:
        branches: The schemas.
        resolve: Returns a schema without references and `allOf` at its root.
    """
    comparison = _Comparison(resolve)
    return all(comparison.are_apart(first, second) for first, second in combinations(branches, 2))


class _Comparison:
    """Compares schemas by their types, by the values that they list, and by the properties of objects."""

    def __init__(self, resolve: Callable[[Any], Any]) -> None:
        self._resolve = resolve
        self._resolved: dict[
            int, tuple[Any, Any]
        ] = {}  # by the id of the schema, which is kept, so that no other one gets it
        self._left = _MOST_COMPARISONS

    def are_apart(self, first: Any, second: Any, depth: int = 0) -> bool:
        """Return whether it is certain that no value matches both schemas."""
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            return False
        first, second = self._of(first), self._of(second)
        if type(first) is not dict or type(second) is not dict:
            return first is False or second is False
        if _have_no_common_value(first, second):
            return True
        if self._all_branches_are_apart(first, second, depth) or self._all_branches_are_apart(second, first, depth):
            return True
        if declared_types(first) != ("object",) or declared_types(second) != ("object",):
            return False
        return self._excludes_objects_of(first, second, depth) or self._excludes_objects_of(second, first, depth)

    def _of(self, schema: Any) -> Any:
        """Return a resolved schema. Each is resolved once."""
        if id(schema) not in self._resolved:
            self._resolved[id(schema)] = schema, self._resolve(schema)
        return self._resolved[id(schema)][1]

    def _all_branches_are_apart(self, schema: dict[str, Any], other: dict[str, Any], depth: int) -> bool:
        """Return whether a schema has a union in which each branch excludes the other schema."""
        unions = [list_at(schema, keyword) for keyword in ("anyOf", "oneOf")]
        return any(union and all(self.are_apart(branch, other, depth + 1) for branch in union) for union in unions)

    def _excludes_objects_of(self, schema: dict[str, Any], other: dict[str, Any], depth: int) -> bool:
        """Return whether a schema rejects all objects of another one, because of a property that these must have."""
        declared, others = object_at(schema, "properties"), object_at(other, "properties")
        is_closed = schema.get("additionalProperties") is False and not schema.get("patternProperties")
        return any(
            self.are_apart(declared[name], others.get(name, True), depth + 1) if name in declared else is_closed
            for name in required_names(other)
        )


def _have_no_common_value(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Return whether the types or the listed values of two schemas exclude each other."""
    if _admitted_types(first).isdisjoint(_admitted_types(second)):
        return True
    values, other_values = listed_values(first), listed_values(second)
    if values is None or other_values is None:
        return False
    return not any(same_json(value, other) for value in values for other in other_values)


def _admitted_types(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the types of a schema, or of the values that it lists, as far as it says. An integer is also a number."""
    values = listed_values(schema)
    kinds = declared_types(schema) if values is None else [json_type(value) for value in values]
    if not kinds:
        return _ALL_TYPES if values is None else frozenset()
    with_integers = {*kinds, "integer"} if "number" in kinds else {*kinds}
    return frozenset({*with_integers, "null"} if schema.get("nullable") is True else with_integers)
