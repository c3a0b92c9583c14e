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
    return _encoded(value, free, 0) if _has_bytes(value, free, 0) else value


def _has_bytes(value: Any, free: Collection[str], depth: int) -> bool:
    """Return whether a value is or contains bytes, not deeper than the model's own values may be."""
    kind = type(value)
    if kind is bytes:
        return True
    if depth > MAX_DEPTH:
        return False
    if kind is dict:
        return any(key not in free and _has_bytes(item, free, depth + 1) for key, item in value.items())
    return kind is list and any(_has_bytes(item, free, depth + 1) for item in value)


def _encoded(value: Any, free: Collection[str], depth: int) -> Any:
    """Return a copy of a value in which bytes are base64, except in the values of `free` keys."""
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
    kwargs: dict[str, Any] = {} if model is None else {"modelId": model}
    for key, value in body.items():
        if key in allowed_names:
            kwargs[key] = value if key in base64_keys.free else _decoded(value, (ROOT, key), base64_keys)
        else:
            reason = "the client does not accept it as an argument"
            writer.report_loss((ROOT, key), "a field of the body", "dropped", reason, "warning")
    return kwargs


def _decoded(value: Any, at: Path, keys: Base64Keys) -> Any:
    """Return a copy of a value with the base64 of these keys as bytes. `at` is its path, for errors."""
    kind = type(value)
    if kind is list:
        return [_decoded(item, (at, i), keys) for i, item in enumerate(value)]
    if kind is not dict:
        return value
    decoded = {}
    for key, item in value.items():
        if key in keys.keys and type(item) is str:
            decoded[key] = _decode_base64(item, (at, key))
        else:
            decoded[key] = item if key in keys.free else _decoded(item, (at, key), keys)
    return decoded


def _decode_base64(text: str, at: Path) -> bytes:
    """Return the bytes of a base64 text.

    Raises:
        ConversionError: The text is not base64.
    """
    import base64  # late: few conversions need it

    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise ConversionError(format_path(at), "must be base64") from error


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
