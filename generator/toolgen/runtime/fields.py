"""Types of fields that mean what JSON Schema means: whole numbers, numbers, and properties that may be absent."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias, TypeVar, Union, get_args

from pydantic import BeforeValidator, GetCoreSchemaHandler, Strict
from pydantic_core import CoreSchema, core_schema

__all__ = ["Integer", "Number", "Omittable"]

T = TypeVar("T")


def _whole(value: object) -> object:
    """Make a float without a fraction the integer that it is in JSON."""
    return int(value) if type(value) is float and value.is_integer() else value


Integer: TypeAlias = Annotated[int, Strict(), BeforeValidator(_whole)]
"""A whole number: 1 and 1.0, not true and not "1"."""


class _NumberSchema:
    """Keeps integers as they are: as floats, those above 2**53 would lose digits."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.union_schema(
            [
                core_schema.int_schema(strict=True),
                core_schema.float_schema(strict=True, allow_inf_nan=False),
            ],
            custom_error_type="number_type",
            custom_error_message="Input should be a valid number",
        )


Number: TypeAlias = Annotated[float, _NumberSchema()]
"""A number: 1 and 1.5, not true and not "1"."""


class _OmittableSchema:
    """Validates as the type without None: the None of the annotation stands for an absent property only."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        kinds = tuple(kind for kind in get_args(source) if kind is not type(None))
        return handler.generate_schema(Union[kinds])  # noqa: UP007 - the members are known at run time only


Omittable: TypeAlias = Annotated[T | None, _OmittableSchema()]
"""A property that may be absent, and reads as None then, but may not be null."""
