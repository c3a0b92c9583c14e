"""A call's arguments as JSON text in requests, and as text or an object in answers."""

from __future__ import annotations

from typing import Any

from ...models import InvalidCall
from ..conversion.reader import Reader
from ..conversion.residue import ABSENT
from ..paths import Path
from .json_arguments import read as read_arguments
from .json_arguments import write

__all__ = ["read", "write"]


def read(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read the arguments; that they were an object is not kept, for the next request must have them as text.

    Raises:
        ConversionError: the value is neither text nor an object.
    """
    if type(value) is dict:
        return value, None, ABSENT
    return read_arguments(value, at, reader)
