"""Checks of what types cannot say: values as JSON Schema compares, counts and matches them.

Generated modules hold functions that take a value and say whether it fits, or what was expected in its place. They
see JSON values, before models are made of them. No test narrows a type: a schema may ask a text for its size as a number,
which no value survives, and a type checker shall not stumble over it.
"""

from __future__ import annotations

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
"""From a value to what was expected in its place; None where it fits."""

Judge = Callable[[Any], bool]


class SchemaCheck:
    """Stands beside a type and refuses what the type alone would take."""

    def __init__(self, check: Check) -> None:
        """Take the check; it runs once the type has taken the value."""
        self.check = check

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Make the schema of the type with the check around it."""
        check = self.check

        def checked(value: Any, validate: Callable[[Any], Any]) -> Any:
            return ensure_valid(value, validate(value), check)

        return core_schema.no_info_wrap_validator_function(checked, handler(source))


def ensure_valid(value: Any, made: T, check: Check) -> T:
    """Return what was made of a value, if the value fits.

    Raises:
        PydanticCustomError: The value does not fit. The error says what was expected.
    """
    value = _by_alias(value, made)
    if check(value) is not None:
        expected = check(_plain(value))  # models that an app made are judged as the JSON that they stand for
        if expected is not None:
            raise PydanticCustomError("unfit", "{expected}", {"expected": expected})
    return made


def _by_alias(value: Any, made: Any) -> Any:
    """The values that a model took, with the properties' own names where the app gave those of the fields."""
    if not isinstance(value, dict) or not isinstance(made, BaseModel):
        return value
    taken = made.model_fields_set - (made.model_extra or {}).keys()
    aliases = {name: alias for name, alias in _aliases(type(made)).items() if name in taken}
    return {aliases[k] if aliases.get(k, k) not in value else k: item for k, item in value.items()}


@cache
def _aliases(model: type[BaseModel]) -> dict[str, str]:
    """The properties of those fields that have another name."""
    fields = model.model_fields.items()
    return {name: field.validation_alias for name, field in fields if isinstance(field.validation_alias, str)}


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def is_object(value: Any) -> bool:
    """Whether a value is an object."""
    return isinstance(value, dict)


def is_array(value: Any) -> bool:
    """Whether a value is an array."""
    return isinstance(value, list)


def is_text(value: Any) -> bool:
    """Whether a value is a string."""
    return isinstance(value, str)


def is_boolean(value: Any) -> bool:
    """Whether a value is true or false."""
    return isinstance(value, bool)


def is_null(value: Any) -> bool:
    """Whether a value is null."""
    return value is None


def is_number(value: Any) -> bool:
    """Whether a value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_integer(value: Any) -> bool:
    """Whether a value is a whole number: 1 and 1.0, not true."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def json_equal(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON: 1 is 1.0, and true is not 1."""
    return bool(_identity(one) == _identity(other))


def equals_one_of(value: Any, values: Sequence[Any]) -> bool:
    """Whether a value is the same as one of several."""
    identity = _identity(value)
    return any(identity == _identity(other) for other in values)


def all_unique(values: Sequence[Any]) -> bool:
    """Whether no two values are the same."""
    return len({_identity(value) for value in values}) == len(values)


def _identity(value: Any) -> Any:
    """Something that is equal and hashes alike for values that are the same in JSON, and for no others."""
    if isinstance(value, bool) or value is None:
        return repr(value), None
    if isinstance(value, list):
        return "array", tuple(_identity(item) for item in value)
    if isinstance(value, dict):
        return "object", frozenset((key, _identity(item)) for key, item in value.items())
    return "string" if isinstance(value, str) else "number", value


def is_multiple(value: float, step: float) -> bool:
    """Whether a number is a whole number of steps, as far as doubles tell; exactly where they overflow."""
    if isinstance(step, float):
        try:
            quotient = value / step
            return int(quotient) == quotient
        except OverflowError:
            return Fraction(value) % Fraction(step) == 0
    return value % step == 0


def matches(pattern: str, text: Any) -> bool:
    """Whether a text has a match of a pattern anywhere, in time that grows with its length alone."""
    return _engine(pattern).isinstance_python(text)


def is_format(name: str, text: Any) -> bool:
    """Whether a string is of a format: `date`, `date-time`, `time` or `uuid`."""
    try:
        FORMATS[name](text)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=512)
def _engine(pattern: str) -> SchemaValidator:
    return SchemaValidator(core_schema.str_schema(pattern=pattern, strict=True))


class _Known(local):
    verdicts: dict[tuple[Judge, int], bool] | None = None


_KNOWN = _Known()


def memoized(judge: Judge) -> Judge:
    """Make a function that several places of a schema call judge each value once, however they are nested."""

    def judged(value: Any) -> bool:
        if _KNOWN.verdicts is None:
            _KNOWN.verdicts = {}
            try:
                return judge(value)
            finally:
                _KNOWN.verdicts = None
        key = (judge, id(value))
        if key not in _KNOWN.verdicts:
            _KNOWN.verdicts[key] = judge(value)
        return _KNOWN.verdicts[key]

    return judged
