"""What generated classes are made of, before they are text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from toolgen.plan.names import ClassName, PythonName
from toolgen.plan.scalars import Shape

Presence = Literal["required", "omittable", "optional"]
"""`omittable` may be absent but not null, and reads as None then; `optional` may be both, or has a default."""


@dataclass(frozen=True, slots=True)
class Check:
    """The keywords of a schema that its type does not say. `root` is what references in it lead into."""

    schema: Any
    keywords: tuple[str, ...]
    root: Any


@dataclass(frozen=True, slots=True)
class FieldPlan:
    """A field. `default` is the value of an absent property; it is None for one without a default."""

    name: PythonName
    wire: str
    shape: Shape
    presence: Presence
    default: Any = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class ClassPlan:
    """A class of an object. `closed` refuses other properties; else `extras` is the shape of each of them.

    `check` has what the fields do not say, and no keywords where they say all.
    """

    name: ClassName
    description: str | None
    fields: tuple[FieldPlan, ...]
    closed: bool
    extras: Shape
    check: Check


@dataclass(frozen=True, slots=True)
class AliasPlan:
    """A named type that is no object of its own, with a check of what the type does not say."""

    name: ClassName
    description: str | None
    shape: Shape
    check: Check


@dataclass(frozen=True, slots=True)
class ModelsPlan:
    """The classes and aliases of one module, leaf first, and the shared types they refer to."""

    items: tuple[ClassPlan | AliasPlan, ...]
    shared: tuple[str, ...] = ()
    rebuilt: tuple[ClassName, ...] = field(default=())
    """Classes that refer to one below them: pydantic completes them at the end of the module."""
