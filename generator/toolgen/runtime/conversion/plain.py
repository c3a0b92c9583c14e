"""What an official client returns, as plain JSON data."""

from __future__ import annotations

from typing import Any

from ..errors import ConversionError, wrong_type
from ..paths import Path, spelled

__all__ = ["optional_text", "plain"]


def plain(value: Any, at: Path) -> dict[str, Any]:
    """The object itself where it is one, else what a client's object dumps: the keys that were set, by wire name.

    Raises:
        ConversionError: it is neither.
    """
    if type(value) is dict:
        return value
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        try:
            found = dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
        except (ValueError, RecursionError) as error:  # pydantic's own bound of depth
            raise ConversionError(spelled(at), f"cannot be dumped by the client's type: {type(error).__name__}") from error
    else:
        convert = getattr(value, "to_dict", None) or getattr(value, "dict", None)
        found = convert() if convert is not None else value
    if type(found) is not dict:
        raise ConversionError(spelled(at), "must be an object, or an object of the official client")
    return found


def optional_text(wire: dict[str, Any], key: str, at: Path) -> str | None:
    """A text; None where it is null or not there.

    Raises:
        ConversionError: it is something else.
    """
    value = wire.get(key)
    if value is not None and type(value) is not str:
        raise wrong_type((at, key), "a string", value)
    return value
