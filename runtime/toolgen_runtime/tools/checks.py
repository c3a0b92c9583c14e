"""Checks that types cannot express: compare, count and match values as JSON Schema does.

Generated modules contain functions that check a value, or describe what was expected instead. Their input is the JSON
value before models are created from it. No check narrows a type, because a schema may compare a string with a number:
no value passes this, but type checkers must accept it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from threading import local
from typing import Any, TypeVar

from pydantic import BaseModel, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, SchemaValidator, core_schema

from .formats import FORMATS

__all__ = [
    "SchemaCheck",
    "all_unique",
    "ensure_valid",
    "equals_one_of",
    "is_array",
    "is_boolean",
    "is_format",
    "is_integer",
    "is_multiple",
    "is_null",
    "is_number",
    "is_object",
    "is_text",
    "json_equal",
    "matches",
    "memoized",
]

T = TypeVar("T")

Check = Callable[[Any], str | None]
"""Returns a description of what was expected instead of a value, or None if the value is valid."""

Predicate = Callable[[Any], bool]


class SchemaCheck:
    """An annotation of a type that rejects values that the type alone would accept."""

    def __init__(self, check: Check) -> None:
        """Set the check. It runs after the type has accepted the value."""
        self.check = check

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the core schema of the type, wrapped in the check."""
        check = self.check

        def checked(value: Any, validate: Callable[[Any], Any]) -> Any:
            return ensure_valid(value, validate(value), check)

        return core_schema.no_info_wrap_validator_function(checked, handler(source))


def ensure_valid(value: Any, validated: T, check: Check) -> T:
    """Return the validated form (`validated`) of a value if the value also passes a check.

    Raises:
        PydanticCustomError: The value does not pass. The error states what was expected.
    """
    value = _by_alias(value, validated)
    if check(value) is not None:
        expected = check(_plain(value))  # models that an app made are checked as JSON
        if expected is not None:
            raise PydanticCustomError("unfit", "{expected}", {"expected": expected})
    return validated


def _by_alias(value: Any, validated: Any) -> Any:
    """Return the values that a model was given by property name, even if the app used field names."""
    if not isinstance(value, dict) or not isinstance(validated, BaseModel):
        return value
    given_fields = validated.model_fields_set - (validated.model_extra or {}).keys()
    aliases = {name: alias for name, alias in _aliases(type(validated)).items() if name in given_fields}
    return {key if aliases.get(key, key) in value else aliases[key]: item for key, item in value.items()}


@cache
def _aliases(model: type[BaseModel]) -> dict[str, str]:
    """Return the property names of fields, by field name, where they differ."""
    fields = model.model_fields.items()
    return {name: field.validation_alias for name, field in fields if isinstance(field.validation_alias, str)}


def _plain(value: Any) -> Any:
    """Return a value as JSON: models as objects, and tuples as lists."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def is_object(value: Any) -> bool:
    """Return whether a value is an object."""
    return isinstance(value, dict)


def is_array(value: Any) -> bool:
    """Return whether a value is an array."""
    return isinstance(value, list)


def is_text(value: Any) -> bool:
    """Return whether a value is a string."""
    return isinstance(value, str)


def is_boolean(value: Any) -> bool:
    """Return whether a value is true or false."""
    return isinstance(value, bool)


def is_null(value: Any) -> bool:
    """Return whether a value is null."""
    return value is None


def is_number(value: Any) -> bool:
    """Return whether a value is a number. Booleans are not numbers."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_integer(value: Any) -> bool:
    """Return whether a value is an integer. 1 and 1.0 are, but true is not."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def json_equal(left: Any, right: Any) -> bool:
    """Return whether two values are equal in JSON: 1 equals 1.0, but true does not equal 1."""
    return bool(_identity(left) == _identity(right))


def equals_one_of(value: Any, values: Sequence[Any]) -> bool:
    """Return whether a value is equal to one of several values."""
    identity = _identity(value)
    return any(identity == _identity(listed) for listed in values)


def all_unique(values: Sequence[Any]) -> bool:
    """Return whether all values are different."""
    return len({_identity(value) for value in values}) == len(values)


def _identity(value: Any) -> Any:
    """Return a key that is equal only for values that are equal in JSON."""
    if isinstance(value, bool) or value is None:
        return repr(value), None
    if isinstance(value, list):
        return "array", tuple(_identity(item) for item in value)
    if isinstance(value, dict):
        return "object", frozenset((key, _identity(item)) for key, item in value.items())
    return "string" if isinstance(value, str) else "number", value


def is_multiple(value: float, step: float) -> bool:
    """Return whether a number is a multiple of a step, as decimals or as doubles: 19.99 and 35 * 0.01 are of 0.01."""
    if isinstance(value, int) and isinstance(step, int):
        return value % step == 0
    if abs(value) == math.inf:
        return False
    try:
        as_doubles = (value / step).is_integer()
    except OverflowError:  # an integer that is larger than every double
        as_doubles = False
    return as_doubles or _decimal(value) % _decimal(step) == 0


def _decimal(value: float) -> Fraction:
    """Return the number that JSON writes for a value: 0.1 is a tenth, and not the double next to it."""
    return Fraction(repr(value) if isinstance(value, float) else value)


def matches(pattern: str, text: Any) -> bool:
    """Return whether a string contains a match of a pattern, in time linear in its length."""
    return _pattern_validator(pattern).isinstance_python(text)


def is_format(name: str, text: Any) -> bool:
    """Return whether a string has a format: `date`, `date-time`, `time` or `uuid`."""
    try:
        FORMATS[name](text)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=512)
def _pattern_validator(pattern: str) -> SchemaValidator:
    """Return a validator for the strings that match a pattern, with the regular expressions of pydantic."""
    return SchemaValidator(core_schema.str_schema(pattern=pattern, strict=True))


class _Verdicts(local):
    """What checks decided about the values of one validation in a thread. None while there is no validation."""

    by_check_and_id: dict[tuple[Predicate, int], bool] | None = None


_VERDICTS = _Verdicts()


def memoized(check: Predicate) -> Predicate:
    """Wrap a function that several parts of a schema call, so that it checks each value only once.

    The outermost call begins a validation. Its values live until it ends, so that their ids identify them.
    """

    def check_once(value: Any) -> bool:
        """Return the verdict on a value. During one outermost check, each value is checked once."""
        verdicts = _VERDICTS.by_check_and_id
        if verdicts is None:
            _VERDICTS.by_check_and_id = {}
            try:
                return check(value)
            finally:
                _VERDICTS.by_check_and_id = None
        key = (check, id(value))
        if key not in verdicts:
            verdicts[key] = check(value)
        return verdicts[key]

    return check_once
