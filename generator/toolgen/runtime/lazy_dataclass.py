"""Dataclasses that are cheap to import: the members of a class are made when they are first needed.

A class is written as for `dataclasses.dataclass(slots=True)`, and type checkers treat it as such. Its `__init__` is made
here. The standard library makes what few apps need, such as the fields or the `repr` of a value, because importing
`dataclasses` takes as long as importing a whole converter.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any, Literal, TypeVar

__all__ = ["dataclass", "replace"]

T = TypeVar("T")

_LAZY: tuple[str, ...] = ("__dataclass_fields__", "__dataclass_params__", "__repr__")
if sys.version_info >= (3, 13):
    _LAZY = (*_LAZY, "__replace__")


def dataclass(*, slots: Literal[True]) -> Callable[[Any], Any]:
    """Return a decorator that returns a class with slots for the fields of another one."""
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


def _completed(stated: Any) -> Any:
    fields = tuple(stated.__annotations__)
    body = {name: member for name, member in vars(stated).items() if name not in (*fields, "__dict__", "__weakref__")}
    values = attrgetter(*fields or ("__class__",))

    def equal(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    kind = type(stated.__name__, (), {"__eq__": equal, **body, "__slots__": fields, "__match_args__": fields})
    kind.__init__ = _Lazy(kind, "__init__", partial(_own_init, stated))  # type: ignore[misc]
    for name in _LAZY:
        setattr(kind, name, _Lazy(kind, name, partial(_standard_members, stated)))
    return kind


class _Lazy:
    """A member that is made at its first use, with others. `make` returns them by name."""

    __slots__ = ("_kind", "_make", "_name")

    def __init__(self, kind: Any, name: str, make: Callable[[], dict[str, Any]]) -> None:
        self._kind = kind
        self._name = name
        self._make = make

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        members = self._make()
        for name, member in members.items():
            setattr(self._kind, name, member)
        member = members[self._name]
        return member.__get__(instance, owner) if callable(member) else member


def _own_init(stated: Any) -> dict[str, Any]:
    """Return the `__init__` of a class: what the standard library makes, without importing it."""
    fields, defaults = stated.__annotations__, vars(stated)
    this = "self_" if "self" in fields else "self"
    parameters = [f"{name}=defaults[{name!r}]" if name in defaults else name for name in fields]
    lines = [f"{this}.{name} = {name}" for name in fields] or ["pass"]
    made: dict[str, Any] = {}
    text = f"def __init__({', '.join([this, *parameters])}):\n " + "\n ".join(lines)
    exec(text, {"defaults": defaults, "__name__": stated.__module__}, made)  # noqa: S102 - the names of fields are names
    made["__init__"].__annotations__ = {**fields, "return": None}
    made["__init__"].__qualname__ = f"{stated.__qualname__}.__init__"
    return made


def _standard_members(stated: Any) -> dict[str, Any]:
    import dataclasses  # on first use only, see above

    members = vars(dataclasses.dataclass(slots=True)(stated))
    return {name: members[name] for name in _LAZY}
