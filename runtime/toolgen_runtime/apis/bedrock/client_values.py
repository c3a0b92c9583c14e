"""Conversion between bytes and base64 for boto3's client, and detection of errors among its responses."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from ...conversion.writer import Writer
from ...errors import ConversionError
from ...json_values import MAX_DEPTH
from ...paths import ROOT, Path, format_path

__all__ = ["Base64Keys", "converse_kwargs", "encode_bytes_as_base64", "find_exception", "is_api_error"]


class Base64Keys:
    """Keys with base64 strings in a body. The values of `free` keys belong to the user or the model, and stay."""

    __slots__ = ("free", "keys")

    def __init__(self, keys: Iterable[str], free: Iterable[str]) -> None:
        self.keys = frozenset(keys)
        self.free = frozenset(free)


def encode_bytes_as_base64(value: Any, free: Collection[str]) -> Any:
    """Return the value with bytes encoded as base64, except in the values of `free` keys, which are JSON of the model.

    The argument is not modified; without bytes, it is the result.
    """
    return _encoded(value, free, 0) if _has_bytes([value], free, MAX_DEPTH + 1) else value


def _has_bytes(holder: Any, free: Collection[str], left: int) -> bool:
    """Return whether an object or array contains bytes, at most `left` levels below it."""
    if type(holder) is dict:
        for key, item in holder.items():
            kind = type(item)
            if kind is dict or kind is list:
                if key not in free and left and _has_bytes(item, free, left - 1):
                    return True
            elif kind is bytes:
                return True
    else:
        for item in holder:
            kind = type(item)
            if kind is dict or kind is list:
                if left and _has_bytes(item, free, left - 1):
                    return True
            elif kind is bytes:
                return True
    return False


def _encoded(value: Any, free: Collection[str], depth: int) -> Any:
    kind = type(value)
    if depth > MAX_DEPTH:  # deeper values are the model's own and contain no bytes
        return value
    if kind is dict:
        return {key: item if key in free else _encoded(item, free, depth + 1) for key, item in value.items()}
    if kind is list:
        return [_encoded(item, free, depth + 1) for item in value]
    if kind is not bytes:
        return value
    import base64  # late: few conversions need it

    return base64.b64encode(value).decode()


def converse_kwargs(
    model: str | None, body: dict[str, Any], allowed_names: Collection[str], base64_keys: Base64Keys, writer: Writer
) -> dict[str, Any]:
    """Convert a body to arguments of a client that names the model, expects bytes, and rejects unknown arguments.

    Raises:
        ConversionError: A value that should be base64 is not.
    """
    found: dict[str, Any] = {} if model is None else {"modelId": model}
    for key, value in body.items():
        if key in allowed_names:
            found[key] = value if key in base64_keys.free else _decoded(value, (ROOT, key), base64_keys)
        else:
            writer.report_loss(
                (ROOT, key), "a field of the body", "dropped", "the client does not accept it as an argument", "warning"
            )
    return found


def _decoded(value: Any, at: Path, keys: Base64Keys) -> Any:
    kind = type(value)
    if kind is list:
        return [_decoded(item, (at, i), keys) for i, item in enumerate(value)]
    if kind is not dict:
        return value
    found = {}
    for key, item in value.items():
        if key in keys.keys and type(item) is str:
            import base64  # late: few conversions need it

            try:
                found[key] = base64.b64decode(item, validate=True)
            except ValueError as error:
                raise ConversionError(format_path((at, key)), "must be base64") from error
        else:
            found[key] = item if key in keys.free else _decoded(item, (at, key), keys)
    return found


def find_exception(wire: dict[str, Any]) -> tuple[str, Any] | None:
    """Return the key that names an error, which ends in `Exception`, and its value."""
    for key, value in wire.items():
        if key[-9:] == "Exception":
            return key, value
    return None


def is_api_error(wire: dict[str, Any]) -> bool:
    """Return whether an object without a response is an error of the API or of its client."""
    has_message = type(wire.get("message")) is str or type(wire.get("Message")) is str
    return has_message or "__type" in wire or "Error" in wire or find_exception(wire) is not None
