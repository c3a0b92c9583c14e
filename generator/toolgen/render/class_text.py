"""Classes and named types as they are printed: what plans hold as shapes is Python text here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldText:
    """A field: its annotation, and what follows the equals sign, if anything does."""

    name: str
    annotation: str
    value: str | None
    description: str | None


@dataclass(frozen=True, slots=True)
class ClassText:
    """A class, of a tool's models or of the format.

    `closed` refuses further properties, `extras` is the type of those where they have one, and `check` the function
    that says what the fields do not: dataclasses of the format have none of the three.
    """

    name: str
    description: str | None
    fields: tuple[FieldText, ...]
    closed: bool = False
    extras: str | None = None
    check: str | None = None


@dataclass(frozen=True, slots=True)
class AliasText:
    """A type under a name."""

    name: str
    description: str | None
    annotation: str
