"""Dataclasses that are cheap to import: the standard library completes a class only when that is first needed.

A class states its fields as for `dataclasses.dataclass(slots=True)`, and type checkers treat it as such. Its `__init__`
is written out. `make_slots` removes the defaults from the class body, because they would conflict with the slots.
Importing `dataclasses` takes as long as importing a whole converter, and few apps need the fields or `repr` of a value.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Literal, TypeVar

__all__ = ["dataclass", "make_slots", "replace"]

T = TypeVar("T")

_LAZY: tuple[str, ...] = ("__dataclass_fields__", "__dataclass_params__", "__repr__")
if sys.version_info >= (3, 13):
    _LAZY = (*_LAZY, "__replace__")


def make_slots(body: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of the fields in a class body, and remove their defaults. `__init__` has them."""
    fields = body["__match_args__"] = tuple(body.get("__annotations__", ()))
    for name in fields:
        body.pop(name, None)
    return fields


def dataclass(*, slots: Literal[True]) -> Callable[[Any], Any]:
    """Return a decorator that completes a class that has slots and an `__init__`."""
    return _completed


def replace(value: T, /, **changes: Any) -> T:
    """Copy a value and replace some of its fields, like `dataclasses.replace`."""
    kind: Any = type(value)
    if vars(kind).get("__slots__") is not kind.__match_args__:
        import dataclasses  # a class of the app that is derived from one of these

        changed: T = dataclasses.replace(value, **changes)  # type: ignore[type-var]
        return changed
    made: T = kind(**{name: getattr(value, name) for name in kind.__slots__} | changes)
    return made


def _completed(kind: Any) -> Any:
    kind.__init__.__annotations__ = {**kind.__annotations__, "return": None}
    if "__eq__" not in vars(kind):
        kind.__eq__ = _equality(attrgetter(*kind.__slots__ or ("__class__",)))
    if "__hash__" not in vars(kind):
        kind.__hash__ = None
    for name in _LAZY:
        setattr(kind, name, _Lazy(kind, name))
    return kind


def _equality(values: Callable[[Any], Any]) -> Callable[[Any, Any], bool]:
    def equal(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return equal


class _Lazy:
    """A member that the standard library creates. The first use of one such member creates all of them."""

    __slots__ = ("_kind", "_name")

    def __init__(self, kind: Any, name: str) -> None:
        self._kind = kind
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        import dataclasses  # on first use only, see above

        made = vars(dataclasses.dataclass(slots=True)(_as_stated(self._kind)))
        for name in _LAZY:
            setattr(self._kind, name, made[name])
        member = made[self._name]
        return member.__get__(instance, owner) if callable(member) else member


def _as_stated(kind: Any) -> type:
    """Return the class as its source states it: fields with defaults, and no slots."""
    defaults = kind.__init__.__defaults__ or ()
    body = dict(zip(kind.__slots__[-len(defaults) :], defaults, strict=False))
    own = {name: vars(kind)[name] for name in ("__module__", "__doc__", "__init__")}
    return type(
        kind.__name__, (), {**body, **own, "__qualname__": kind.__qualname__, "__annotations__": kind.__annotations__}
    )
