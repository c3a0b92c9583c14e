"""Errors and warnings of conversions.

ConversionError (ValueError)    a value cannot be converted
BareApiError (ConversionError)  an API error where a response was expected
ConversionLoss (UserWarning)    a loss, if no `on_loss` was given
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from .paths import Path, format_path

if TYPE_CHECKING:
    from .models import Loss

__all__ = [
    "BareApiError",
    "ConversionError",
    "ConversionLoss",
    "check_list",
    "is_collection",
    "type_name",
    "wrong_class",
    "wrong_type",
]


class ConversionError(ValueError):
    """A value that cannot be converted.

    Attributes:
        path: Where the value is, such as `messages[0].content[1]`.
        reason: What is wrong. It contains nothing from the conversation.
        loss: The loss that was refused, if the API cannot express the value. None if the value itself is wrong.
    """

    def __init__(self, path: str, reason: str, loss: Loss | None = None) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.path = path
        self.reason = reason
        self.loss = loss

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the parts of a copy, because the message is made from two arguments."""
        return type(self), (self.path, self.reason), self.__dict__


class BareApiError(ConversionError):
    """An API error where a response was expected.

    Attributes:
        body: The error's body, for `from_error`. The exception's message contains nothing of it.
    """

    def __init__(self, path: str, body: Any) -> None:
        super().__init__(path, "is an API error; use from_error to read it")
        self.body = body

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the parts of a copy."""
        return type(self), (self.path, self.body), self.__dict__


class ConversionLoss(UserWarning):
    """A loss that is not a note, issued as a warning because no `on_loss` was given."""


_NAMES = {
    "NoneType": "null",
    "_Absent": "nothing",
    "bool": "a boolean",
    "int": "a number",
    "float": "a number",
    "str": "a string",
    "list": "an array",
    "dict": "an object",
}


def type_name(value: Any) -> str:
    """Return the JSON type of a value, or the name of its class if JSON has no such type."""
    name = type(value).__name__
    return _NAMES.get(name, name)


def wrong_type(at: Path, expected: str, value: Any) -> ConversionError:
    """Return the error for a value of the wrong JSON type. A missing value counts as null."""
    return ConversionError(format_path(at), f"must be {expected}, found {type_name(value)}")


def wrong_class(at: Path, expected: str, value: Any) -> ConversionError:
    """Return the error for a value that is not an object of the format. A dict may be the JSON of one."""
    advice = "; `load` of `models` makes objects of JSON" if type(value) is dict else ""
    return ConversionError(format_path(at), f"must be {expected}, found {type_name(value)}{advice}")


def is_collection(value: Any) -> bool:
    """Return whether a value can stand for a list: it can be read several times, and is neither text nor a mapping."""
    return isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping)


def check_list(values: Any, classes: frozenset[type], at: Path, name: str, expected: str) -> None:
    """Check that a value is a list, or another collection, of objects of the format.

    Args:
        values: The value.
        classes: The classes that its items may have.
        at: Its path.
        name: The plural of what the items are, for the error about a value that is not a list.
        expected: What an item must be, for the error about an item.

    Raises:
        ConversionError: It is not. An iterator is not a collection, because it can be read only once.
    """
    if type(values) is not list and not is_collection(values):
        raise wrong_class(at, f"a list of {name}", values)
    if not classes.issuperset(map(type, values)):
        i, value = next((i, value) for i, value in enumerate(values) if type(value) not in classes)
        raise wrong_class((at, i), expected, value)
