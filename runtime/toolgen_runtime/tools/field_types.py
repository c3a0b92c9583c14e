"""Field types with the semantics of JSON Schema: numbers, exact values, and optional properties."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias, TypeVar, Union, get_args

from pydantic import BeforeValidator, GetCoreSchemaHandler, Strict
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

__all__ = ["Exact", "Integer", "Number", "Omittable"]

T = TypeVar("T")


def _whole(value: object) -> object:
    """Convert a float without a fraction to an integer, because JSON does not distinguish them."""
    return int(value) if type(value) is float and value.is_integer() else value


Integer: TypeAlias = Annotated[int, Strict(), BeforeValidator(_whole)]
"""An integer: 1 and 1.0, but not true or "1"."""


class _NumberSchema:
    """Keeps integers as integers, because floats above 2**53 would lose digits."""

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
"""A number: 1 and 1.5, but not true or "1"."""


_TOO_LARGE = 2**63
"""The first integer that pydantic cannot compare with those of a `Literal`."""


class _ExactSchema:
    """Distinguishes true from 1, which are equal in Python, and refuses integers that pydantic cannot compare."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        values = get_args(source)
        kinds = {type(value) is bool for value in values if isinstance(value, int)}
        listed = [repr(value) for value in values]
        expected = " or ".join([", ".join(listed[:-1]), listed[-1]] if listed[1:] else listed)

        def same_kind(value: object) -> object:
            if isinstance(value, int | float) and ((type(value) is bool) not in kinds or abs(value) >= _TOO_LARGE):
                raise PydanticKnownError("literal_error", {"expected": expected})
            return value

        return core_schema.no_info_before_validator_function(same_kind, handler(source))


Exact = _ExactSchema()
"""An annotation of a `Literal` of integers or booleans: 1 is not true, and true is not 1."""


class _OmittableSchema:
    """Validates the type without None, because None only means that the property is absent."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        kinds = tuple(kind for kind in get_args(source) if kind is not type(None))
        return handler.generate_schema(Union[kinds])  # noqa: UP007 - the members are known at run time only


Omittable: TypeAlias = Annotated[T | None, _OmittableSchema()]
"""An optional property. It is None if it is absent, but must not be null."""
