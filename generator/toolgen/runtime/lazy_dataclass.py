"""Dataclasses that cost little at import: what the standard library makes of a class is made when it is first asked for.

A class states its fields as for `dataclasses.dataclass(slots=True)`, and type checkers are told that it is one. Its
`__init__` is written out. `dataclasses` and what it imports cost as much as a whole converter, and most apps
ask for nothing of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Literal, TypeVar

__all__ = ["dataclass", "replace"]

T = TypeVar("T")

_LAZY = ("__dataclass_fields__", "__dataclass_params__", "__repr__")
if sys.version_info >= (3, 13):
    _LAZY = (*_LAZY, "__replace__")

_FIELDS: dict[type, tuple[str, ...]] = {}
"""The names of the fields of each class that was made here."""


def dataclass(*, slots: Literal[True]) -> Callable[[Any], Any]:
    """Make a class with slots of one that states its fields and has an `__init__`."""
    return _slotted


def replace(value: T, /, **changes: Any) -> T:
    """Copy a value with other values in some of its fields, as `dataclasses.replace` does."""
    kind = type(value)
    if kind not in _FIELDS:  # an app's own class, derived from one of these
        import dataclasses

        changed: T = dataclasses.replace(value, **changes)  # type: ignore[type-var]
        return changed
    return kind(**{name: getattr(value, name) for name in _FIELDS[kind]} | changes)


class _Lazy:
    """A member that the standard library makes; all of a class take their places when one is first asked for."""

    __slots__ = ("_name", "_stated", "_target")

    def __init__(self, stated: type) -> None:
        self._stated = stated

    def __set_name__(self, target: type, name: str) -> None:
        self._target = target
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        import dataclasses  # not before somebody asks, see above

        made = vars(dataclasses.dataclass(slots=True)(self._stated))
        for name in _LAZY:
            setattr(self._target, name, made[name])
        member = made[self._name]
        return member.__get__(instance, owner) if callable(member) else member


def _slotted(stated: Any) -> Any:
    """The class with slots; slots and defaults cannot stand in one body, so it is made anew."""
    fields = tuple(stated.__annotations__)
    members = {name: member for name, member in vars(stated).items() if name not in fields}
    del members["__dict__"], members["__weakref__"]
    members["__init__"].__annotations__ = {**stated.__annotations__, "return": None}
    members["__qualname__"] = stated.__qualname__
    members["__slots__"] = members["__match_args__"] = fields
    members["__eq__"] = _equality(fields)
    for name in _LAZY:
        members[name] = _Lazy(stated)
    target = type(stated)(stated.__name__, stated.__bases__, members)
    _FIELDS[target] = fields
    return target


def _equality(fields: tuple[str, ...]) -> Callable[[Any, Any], bool]:
    values = attrgetter(*fields)

    def __eq__(self: Any, other: Any) -> bool:  # noqa: N807  # it becomes the method
        if other.__class__ is not self.__class__:
            return NotImplemented
        return bool(values(self) == values(other))

    return __eq__
