"""What conversions raise and warn of.

ConversionError (ValueError)    a value cannot be read, or cannot be written as it was meant
BareApiError (ConversionError)  what was to be an answer is an API's error
ConversionLoss (UserWarning)    something was lost on the way, and nobody listened with `on_loss`
"""

from __future__ import annotations

from typing import Any

from .paths import Path, format_path

__all__ = ["BareApiError", "ConversionError", "ConversionLoss", "type_name", "wrong_type"]


class ConversionError(ValueError):
    """A value that cannot be converted. `path` says where, `reason` why; neither holds the conversation's content."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.path = path
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        """Say how a copy is made, for the text that exceptions keep is made of two."""
        return type(self), (self.path, self.reason), self.__dict__


class BareApiError(ConversionError):
    """What was to be an answer is an API's error. `body` is what `from_error` takes; the text has nothing of it."""

    def __init__(self, path: str, body: Any) -> None:
        super().__init__(path, "is an API error; use from_error to read it")
        self.body = body

    def __reduce__(self) -> tuple[Any, ...]:
        """Say how a copy is made."""
        return type(self), (self.path, self.body), self.__dict__


class ConversionLoss(UserWarning):
    """A loss of severity `warning` that no `on_loss` heard."""


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


def type_name(found: Any) -> str:
    """What a value is in JSON; the name of its class where JSON has no such thing."""
    name = type(found).__name__
    return _NAMES.get(name, name)


def wrong_type(at: Path, expected: str, found: Any) -> ConversionError:
    """The error for a value of the wrong JSON type; null stands for a value that is not there."""
    return ConversionError(format_path(at), f"must be {expected}, found {type_name(found)}")
