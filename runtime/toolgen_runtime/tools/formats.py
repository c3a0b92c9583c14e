"""String formats for which Python has types: functions to read them, and the types of their fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import Annotated, Any, TypeAlias
from uuid import UUID

from pydantic import GetCoreSchemaHandler, Strict
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

__all__ = [
    "FORMATS",
    "StrictDate",
    "StrictDateTime",
    "StrictTime",
    "StrictUuid",
    "to_date",
    "to_datetime",
    "to_time",
    "to_uuid",
]

_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
_is_date = re.compile(_DAY).fullmatch
_is_datetime = re.compile(f"{_DAY}T{_CLOCK}", re.IGNORECASE | re.ASCII).fullmatch
_is_time = re.compile(_CLOCK, re.IGNORECASE | re.ASCII).fullmatch
_is_uuid = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII).fullmatch


def to_date(text: str) -> date:
    """Convert a date in the form of RFC 3339, `2024-05-06`.

    Raises:
        ValueError: The string does not have this form, or the day does not exist.
    """
    if not _is_date(text):
        raise ValueError("not a date of RFC 3339")
    return date.fromisoformat(text)


def to_datetime(text: str) -> datetime:
    """Convert a date and time in the form of RFC 3339, `2024-05-06T07:08:09Z`. Digits beyond microseconds are dropped.

    Raises:
        ValueError: The string does not have this form, has no offset, or the date or time does not exist.
    """
    if not _is_datetime(text):
        raise ValueError("not a date-time of RFC 3339")
    return datetime.fromisoformat(text.upper())


def to_time(text: str) -> time:
    """Convert a time of day in the form of RFC 3339, `07:08:09Z`. Digits beyond microseconds are dropped.

    Raises:
        ValueError: The string does not have this form, or has no offset.
    """
    if not _is_time(text):
        raise ValueError("not a time of RFC 3339")
    return time.fromisoformat(text.upper())


def to_uuid(text: str) -> UUID:
    """Convert a UUID in the form of RFC 4122, with groups of hexadecimal digits.

    Raises:
        ValueError: The string does not have this form.
    """
    if not _is_uuid(text):
        raise ValueError("not a UUID of RFC 4122")
    return UUID(text)


FORMATS: Mapping[str, Callable[[str], object]] = {
    "date": to_date,
    "date-time": to_datetime,
    "time": to_time,
    "uuid": to_uuid,
}
"""The function that converts each format. It raises ValueError for other strings."""


class _FormatSchema:
    """Accepts a string of a format, or the corresponding Python object."""

    def __init__(self, kind: type, read: Callable[[str], object], expected: str) -> None:
        self.kind = kind
        self.read = read
        self.expected = expected

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def read(value: object) -> object:
            """Return the value that a text stands for. A value of the right type stays as it is."""
            if isinstance(value, self.kind):
                return value
            try:
                if isinstance(value, str):
                    return self.read(value)
            except ValueError:
                pass
            raise PydanticCustomError("unfit", "{expected}", {"expected": self.expected})

        return core_schema.no_info_before_validator_function(read, handler(source))


StrictDate: TypeAlias = Annotated[date, Strict(), _FormatSchema(date, to_date, "a date such as 2024-05-06")]
"""A date; in JSON a string in the form of RFC 3339."""

StrictDateTime: TypeAlias = Annotated[
    datetime, Strict(), _FormatSchema(datetime, to_datetime, "a date-time such as 2024-05-06T07:08:09Z")
]
"""A date and time with an offset; in JSON a string in the form of RFC 3339."""

StrictTime: TypeAlias = Annotated[time, Strict(), _FormatSchema(time, to_time, "a time such as 07:08:09Z")]
"""A time of day with an offset; in JSON a string in the form of RFC 3339."""

StrictUuid: TypeAlias = Annotated[UUID, Strict(), _FormatSchema(UUID, to_uuid, "a UUID")]
"""A UUID; in JSON a string of hexadecimal digits in five groups."""
