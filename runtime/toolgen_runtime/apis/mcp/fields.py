"""Field readers and writers that only MCP needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...conversion.extras import ABSENT, is_internal_mark
from ...conversion.fields import write_object_arguments
from ...conversion.reader import Reader
from ...conversion.values import optional_object
from ...conversion.writer import Writer
from ...errors import ConversionError, wrong_type
from ...json_values import same_json
from ...models import InvalidCall
from ...paths import Path, format_path

__all__ = [
    "WRAPPER_KEY",
    "is_wrapper_schema",
    "read_block_text",
    "read_call_arguments",
    "read_result_schema",
    "unwrap_result_schema",
    "wrap_result_schema",
    "write_block_text",
    "write_call_arguments",
    "write_result_schema",
]


def read_call_arguments(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read the arguments. The extras record that there were none.

    Raises:
        ConversionError: The value is neither an object nor null.
    """
    if type(value) is dict:
        return value, None, ABSENT
    if value is None or value is ABSENT:
        return {}, None, None if value is None else {"$absent": True}
    raise wrong_type(at, "an object", value)


def write_call_arguments(
    arguments: dict[str, Any], invalid: InvalidCall | None, extra: Any, at: Path, writer: Writer
) -> Any:
    """Write the arguments. An invalid call is refused, because sending a call means running it.

    Raises:
        ConversionError: The call is invalid, or its arguments cannot be written as JSON.
    """
    if invalid is not None:
        writer.report_loss(
            (at[0], "invalid"), "an invalid call", "rewritten", "the server would run it as it is", "behaviour"
        )
    if not arguments and (extra is None or is_internal_mark(extra)):
        return None if extra is None else ABSENT
    return write_object_arguments(arguments, None, at, writer)


def read_result_schema(value: Any, at: Path, reader: Reader) -> Any:
    """Read the schema of a value, without the object that may wrap it on the wire.

    Raises:
        ConversionError: The value is neither an object nor null, or it is nested too deeply.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    try:
        return unwrap_result_schema(value)
    except RecursionError as error:
        raise ConversionError(format_path(at), "is nested too deeply") from error


def write_result_schema(schema: Any, at: Path, writer: Writer) -> Any:
    """Write the schema. If it admits more than objects, it is wrapped in the schema of an object.

    Raises:
        ConversionError: The schema is neither an object nor a boolean, or it is nested too deeply.
    """
    if schema is None:
        return ABSENT
    if type(schema) is not dict and type(schema) is not bool:
        raise wrong_type(at, "an object or a boolean", schema)
    try:
        return wrap_result_schema(schema)
    except RecursionError as error:
        raise ConversionError(format_path(at), "is nested too deeply") from error


def read_block_text(block: dict[str, Any], at: Path, reader: Reader) -> str:
    """Read the text of a block, or of the resource in it.

    Raises:
        ConversionError: It is another block, the text is not a string, or the resource is not an object.
    """
    kind = block.get("type")
    if kind not in ("text", "resource"):
        raise wrong_type((at, "type"), "`text` or `resource`", kind)
    embedded = kind == "resource"
    holder, path = (optional_object(block, "resource", at), (at, "resource")) if embedded else (block, at)
    text = holder.get("text", ABSENT)
    if type(text) is not str:
        raise wrong_type((path, "text"), "a string", text)
    return text


def write_block_text(text: str, at: Path, writer: Writer) -> dict[str, Any]:
    """Write the text as a block."""
    return {"type": "text", "text": text}


WRAPPER_KEY = "result"
"""The key of a wrapped value, as in the official server."""

_INSIDE = f"#/properties/{WRAPPER_KEY}"
_OUTER = ("$schema", "$defs")
"""Keywords of the document, which stay at its root, so that references to `#/$defs/…` remain valid."""

_MAPS = frozenset(["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"])
_DATA = frozenset(["const", "default", "enum", "examples"])


def wrap_result_schema(schema: Any) -> dict[str, Any]:
    """Return the wire's schema for the schema of a value."""
    if type(schema) is dict and _stays(schema):
        return schema if schema.get("type") == "object" else {"type": "object", **schema}
    return _wrapped(schema)


def unwrap_result_schema(schema: Any) -> Any:
    """Return the schema of the value for the wire's schema."""
    inner = _unwrapped(schema)
    if inner is not ABSENT:
        return inner
    if "$ref" in schema and schema.get("type") == "object":
        referring = {keyword: value for keyword, value in schema.items() if keyword != "type"}
        return referring if _admits_objects_alone(referring) else schema
    return schema


def is_wrapper_schema(schema: Any) -> bool:
    """Return whether a schema on the wire is that of an object that wraps the value."""
    return type(schema) is dict and _unwrapped(schema) is not ABSENT


def _stays(schema: dict[str, Any]) -> bool:
    """Return whether the schema of a value is also that of the wire, because it admits only objects."""
    return _admits_objects_alone(schema) and not _looks_wrapped(schema)


def _looks_wrapped(schema: dict[str, Any]) -> bool:
    """Return whether a schema is one that `_wrapped` makes: an object with nothing but the wrapped value."""
    properties = schema.get("properties")
    if type(properties) is not dict or properties.keys() != {WRAPPER_KEY}:
        return False
    if schema.get("type") != "object" or schema.get("required") != [WRAPPER_KEY]:
        return False
    return schema.keys() - {"type", "properties", "required"} <= set(_OUTER)


def _admits_objects_alone(schema: dict[str, Any]) -> bool:
    """Return whether the type is object, here or at the end of references within `$defs`."""
    definitions = schema.get("$defs")
    target: Any = schema
    for _ in range(len(definitions) + 1 if type(definitions) is dict else 1):
        if type(target) is not dict:
            return False
        if target.get("type") == "object":
            return True
        reference = target.get("$ref")
        if type(reference) is not str or reference[:8] != "#/$defs/" or type(definitions) is not dict:
            return False
        target = definitions.get(reference[8:])
    return type(target) is dict and target.get("type") == "object"


def _wrapped(schema: Any) -> dict[str, Any]:
    """Return the schema of an object whose only member has this schema. Keywords such as `$defs` stay outside."""
    inner, outer = schema, {}
    if type(schema) is dict and "$id" not in schema:
        inner = _with_references(schema, _inwards)
        outer = {keyword: inner.pop(keyword) for keyword in _OUTER if keyword in inner}
    return {"type": "object", "properties": {WRAPPER_KEY: inner}, "required": [WRAPPER_KEY], **outer}


def _unwrapped(schema: dict[str, Any]) -> Any:
    """Return the schema inside, or ABSENT if it would be wrapped differently."""
    if not _looks_wrapped(schema):
        return ABSENT
    inner = schema["properties"][WRAPPER_KEY]
    if type(inner) is dict and "$id" not in inner:
        inner = {**inner, **{keyword: schema[keyword] for keyword in _OUTER if keyword in schema}}
        inner = _with_references(inner, _outwards)
    if type(inner) is dict and _stays(inner):
        return ABSENT
    return inner if type(inner) in (bool, dict) and same_json(_wrapped(inner), schema) else ABSENT


def _inwards(reference: str) -> str:
    """Return a reference within the document for the place inside the wrapper. Those to `$defs` stay."""
    if reference == "#" or (reference[:2] == "#/" and reference[:8] != "#/$defs/"):
        return _INSIDE + reference[1:]
    return reference


def _outwards(reference: str) -> str:
    """Return the reference that `_inwards` has rewritten."""
    if reference == _INSIDE or reference.startswith(f"{_INSIDE}/"):
        return f"#{reference[len(_INSIDE) :]}"
    return reference


def _with_references(schema: Any, rewrite: Callable[[str], str]) -> Any:
    """Return the schema with its references rewritten. References below an `$id` are relative to it, and stay."""
    if type(schema) is list:
        return [_with_references(item, rewrite) for item in schema]
    if type(schema) is not dict or "$id" in schema:
        return schema
    rewritten: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "$ref" and type(value) is str:
            rewritten[keyword] = rewrite(value)
        elif keyword in _MAPS and type(value) is dict:
            rewritten[keyword] = {name: _with_references(item, rewrite) for name, item in value.items()}
        else:
            rewritten[keyword] = value if keyword in _DATA else _with_references(value, rewrite)
    return rewritten
