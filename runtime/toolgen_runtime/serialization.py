"""Conversion between values of the format and JSON data, based on the annotations of the types.

`dump` omits values that are None, except required ones. `load` accepts names in snake case and in camel case, but not
both at once. It keeps unknown keys under `unknown` in `metadata`, from where `dump` writes them back. Its errors state
the path of the value.
"""

from __future__ import annotations

import re
import sys
import types
import typing
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, Final, Literal, TypeVar, cast

from .errors import ConversionError, wrong_type
from .paths import ROOT, Path, format_path, path_of_non_finite

__all__ = ["PYDANTIC_CONFIG", "dump", "field_types", "load", "to_camel_case"]
Data = dict[str, Any]


def _assistant(data: Data, at: Path) -> Data:
    """Convert `toolCalls` next to the content to call parts after the content."""
    if "toolCalls" in data and "tool_calls" in data:
        raise ConversionError(format_path((at, "toolCalls")), "is given twice, as toolCalls and as tool_calls")
    key = "toolCalls" if "toolCalls" in data else "tool_calls"
    if key not in data:
        return data
    calls = [] if data[key] is None else data[key]
    if type(calls) is not list:
        raise ConversionError(format_path((at, key)), "must be an array")
    content = data.get("content")
    parts = [{"type": "text", "text": content}] if content and type(content) is str else content or []
    if type(parts) is not list:
        raise ConversionError(format_path((at, "content")), "must be a string or an array")
    message = {name: value for name, value in data.items() if name not in (key, "content")}
    call_parts = [{"type": "tool_call", "call": call} for call in calls]
    return {**message, "content": parts + call_parts if call_parts else content}


def _tool_message(data: Data, at: Path) -> Data:
    """Convert a message with one result, text (`content`) or data (`response`), to a message with a list of results."""
    if "results" in data or not ("toolCallId" in data or "tool_call_id" in data):
        return data
    keys_of_result = ("toolCallId", "tool_call_id", "name", "content", "response")
    message = {key: value for key, value in data.items() if key not in keys_of_result}
    result: Data = {"toolCallId": data.get("toolCallId", data.get("tool_call_id"))}
    if "name" in data:
        result["name"] = data["name"]
    if "response" in data:
        result |= {"kind": "data", "value": data["response"]}
    elif type(data.get("content")) is list:
        result |= {"kind": "multimodal", "value": data["content"]}
    else:
        result |= {"kind": "text", "value": data.get("content")}
    return {**message, "results": [result]}


def _result(data: Data, at: Path) -> Data:
    """Check that the value of a result has the type of its kind."""
    kind, value = data.get("kind"), data.get("value")
    if kind in ("text", "error") and type(value) is not str:
        raise ConversionError(format_path((at, "value")), f"must be a string if kind is {kind}")
    if kind == "multimodal" and type(value) is not list:
        raise ConversionError(format_path((at, "value")), "must be an array of parts if kind is multimodal")
    if kind is not None and "value" not in data:
        raise ConversionError(format_path((at, "value")), "is missing")
    return data


def _text_part(data: Data, at: Path) -> Data:
    if "value" in data and "text" not in data:
        raise ConversionError(format_path((at, "value")), "a text part has its text in `text`")
    return data


def _image_part(data: Data, at: Path) -> Data:
    """Return the data of an image part.

    Raises:
        ConversionError: It has the form of a provider.
    """
    for key in {"image_url", "imageUrl"} & data.keys():
        reason = "an image part has `url`, or `data` and `mediaType`, at the top level"
        raise ConversionError(format_path((at, key)), reason)
    return data


def _definition(data: Data, at: Path) -> Data:
    """Return the data of a tool definition.

    Raises:
        ConversionError: It has the form of a provider.
    """
    if type(data.get("function")) is dict and "name" not in data:
        reason = "a definition has `name`, `description` and `parameters` at the top level"
        raise ConversionError(format_path((at, "function")), reason)
    return data


NORMALIZERS: dict[str, Callable[[Data, Path], Data]] = {
    "AssistantMessage": _assistant,
    "ImagePart": _image_part,
    "TextPart": _text_part,
    "ToolDefinition": _definition,
    "ToolMessage": _tool_message,
    "ToolResult": _result,
}
"""Functions that check or convert the object of a type before its fields are read."""


T = TypeVar("T")
Load = Callable[[Any, Path], Any]
UNKNOWN: Final = "unknown"
_NAME: Final = r"[a-zA-Z0-9_-]{1,64}"


def to_camel_case(name: str) -> str:
    """Return the camel case form of a Python name, as JSON has it."""
    first, *words = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in words)


PYDANTIC_CONFIG: Final[dict[str, Any]] = {
    "alias_generator": to_camel_case,
    "validate_by_name": True,
    "validate_by_alias": True,
    "serialize_by_alias": True,
}
"""The pydantic configuration with which apps use the types in their own models."""


def dump(value: Any) -> Any:
    """Convert a value of the format, or values, to JSON data. Optional fields that are None are left out.

    Args:
        value: A value of the format, or a list or dict of such values. JSON data is returned as it is.

    Returns:
        JSON data, ready for `json.dumps`.
    """
    kind: Any = type(value)
    if kind is list or kind is tuple:
        return [dump(item) for item in value]
    if kind is dict:
        return {key: dump(item) for key, item in value.items()}
    table = _fields(kind)
    if table is None:
        return value
    data: dict[str, Any] = {}
    for name, python, nested, required in table:
        item = getattr(value, python)
        if item is None and not required:
            continue
        if python == "metadata" and item is not None and _unknown(item):
            item = {key: extras for key, extras in item.items() if key != UNKNOWN}
            if not item:
                continue
        data[name] = dump(item) if nested and type(item) is not dict else item
    for key, item in _unknown(getattr(value, "metadata", None)).items():
        data.setdefault(key, item)
    return data


def _unknown(metadata: Data | None) -> Data:
    """Return the keys in metadata that `load` did not know."""
    return unknown if metadata and type(unknown := metadata.get(UNKNOWN)) is dict else {}


def load(kind: type[T], data: Any) -> T:
    """Read JSON data as a type of the format, or as one of its unions.

    Args:
        kind: A type of the format, or a union of such types.
        data: JSON data: dicts, lists, strings, numbers, booleans and None.

    Returns:
        The value.

    Raises:
        ConversionError: A value is missing, has the wrong type, occurs twice, is of an unknown kind, or is not finite.
        TypeError: `kind` is something else, such as the name of a type.

    Example:
        message = load(Message, {"role": "user", "content": "Hi"})
    """
    if (at := path_of_non_finite(data)) is not None:
        raise ConversionError(format_path(at), "is not a finite number")
    try:
        reader = _loader(cast("Any", kind))
    except (KeyError, TypeError):
        raise TypeError(f"expected a type of the format, such as Message, found {kind!r}") from None
    try:
        return cast("T", reader(data, ROOT))
    except ConversionError as error:
        advice = "; read JSON text with json.loads first" if type(data) in (str, bytes) and not error.path else ""
        raise ConversionError(error.path, error.reason + advice) from None


@cache
def _fields(kind: Any) -> tuple[tuple[str, str, bool, bool], ...] | None:
    """Return JSON name, Python name, whether types may be inside, and whether it is required, by field, of a dataclass."""
    if not _is_dataclass(kind):
        return None
    return tuple((to_camel_case(n), n, _holds_types(hint), required) for n, hint, required in field_types(kind))


@cache
def field_types(kind: Any) -> tuple[tuple[str, Any, bool], ...]:
    """Return the name of each field of a class, its type, and whether it is required."""
    hints = typing.get_type_hints(kind)
    return tuple((field.name, hints[field.name], field.default is MISSING) for field in fields(kind))


def _is_dataclass(hint: Any) -> bool:
    return hasattr(hint, "__dataclass_fields__")


def _holds_types(hint: Any) -> bool:
    """Return whether data of a type may contain objects of the format, so that it has to be converted."""
    if hint is Any or _is_dataclass(hint):
        return True
    if typing.get_origin(hint) is dict:
        return False
    return any(_holds_types(a) for a in typing.get_args(hint) if not isinstance(a, str))


@cache
def _loader(hint: Any) -> Load:
    """Return the function that reads a value of an annotated type."""
    origin = typing.get_origin(hint)
    if hint is Any:
        return lambda data, at: data
    if _is_dataclass(hint):
        return _object_loader(cast("type[Any]", hint))
    if origin is list:
        return _list_loader(_loader(typing.get_args(hint)[0]))
    if origin is Literal:
        return _literal_loader(typing.get_args(hint))
    if origin is dict or hint is dict:
        return _plain_loader(dict, "an object")
    if origin is types.UnionType or origin is typing.Union:
        return _union_loader(typing.get_args(hint))
    if hint is float:
        return _number
    return _plain_loader(hint, _PLAIN[hint])


_PLAIN = {str: "a string", int: "an integer", bool: "a boolean"}


def _plain_loader(kind: type, expected: str) -> Load:
    """Return the loader for values of one JSON type."""

    def read(data: Any, at: Path) -> Any:
        if type(data) is not kind:
            raise wrong_type(at, expected, data)
        return data

    return read


def _number(data: Any, at: Path) -> Any:
    if type(data) is not int and type(data) is not float:
        raise wrong_type(at, "a number", data)
    return data


def _literal_loader(values: tuple[Any, ...]) -> Load:
    """Return the loader for texts that are one of these values."""
    expected = "one of " + ", ".join(map(repr, values))

    def read(data: Any, at: Path) -> Any:
        if type(data) is not str:
            raise wrong_type(at, expected, data)
        if data not in values:
            raise ConversionError(format_path(at), f"must be {expected}")
        return data

    return read


def _list_loader(inner: Load) -> Load:
    """Return the loader for lists of items of one type."""

    def read(data: Any, at: Path) -> Any:
        if type(data) is not list:
            raise wrong_type(at, "an array", data)
        return [inner(item, (at, i)) for i, item in enumerate(data)]

    return read


def _union_loader(members: tuple[Any, ...]) -> Load:
    """Return a reader of a union: it chooses by JSON type, then by the tag that the classes share."""
    optional = type(None) in members
    texts = next((m for m in members if m is str or typing.get_origin(m) is Literal), None)
    lists = next((m for m in members if typing.get_origin(m) is list), None)
    classes = [m for m in members if _is_dataclass(m)]
    scalars = [m for m in members if m not in (texts, lists, type(None)) and m not in classes]
    tag, tagged = _tags(classes)
    labels = (("a string", texts), ("an array", lists), ("an object", classes))
    expected = " or ".join(label for label, accepted in labels if accepted)

    def read(data: Any, at: Path) -> Any:
        """Load a value by the member of the union that its JSON type and its tag say."""
        kind = type(data)
        if data is None and optional:
            return None
        if kind is str and texts is not None:
            if classes and texts is not str and data not in typing.get_args(texts):
                literals = ", ".join(map(repr, typing.get_args(texts)))
                field = field_types(classes[0])[0][0]
                example = data if field == "name" and re.fullmatch(_NAME, str(data)) else "…"
                reason = f"must be one of {literals}, or an object such as {{{field}: {example}}}"
                raise ConversionError(format_path(at), reason)
            return _loader(texts)(data, at)
        if kind is list and lists is not None:
            return _loader(lists)(data, at)
        if type(data) is dict and classes:
            return _loader(_class_of(data, at, classes, tag, tagged))(data, at)
        if scalars:
            return _loader(scalars[0])(data, at)
        raise wrong_type(at, expected, data)

    return read


def _tags(classes: list[Any]) -> tuple[str, dict[str, Any]]:
    """Return the field that tells the classes of a union apart (`type` or `role`), and the class of each of its values.

    The name of the field is empty if there is none.
    """
    for tag in ("type", "role"):
        tagged = {
            value: c
            for c in classes
            for name, hint, _ in field_types(c)
            if name == tag and typing.get_origin(hint) is Literal
            for value in typing.get_args(hint)
        }
        if tagged and len(tagged) >= len(classes) - 1:
            return tag, tagged
    return "", {}


def _class_of(data: dict[str, Any], at: Path, classes: list[Any], tag: str, tagged: dict[str, Any]) -> Any:
    """Return the class of an object: by its tag, else the class without a tag, else by its required fields."""
    if len(classes) == 1:
        return classes[0]
    untagged = [c for c in classes if c not in tagged.values()]
    if tag and tag in data:
        kind = data[tag]
        if type(kind) is not str:
            raise wrong_type((at, tag), "a string", kind)
        if kind in tagged:
            return tagged[kind]
        if not untagged:
            raise ConversionError(format_path((at, tag)), f"{kind[:40]!r} is not one of {', '.join(map(repr, tagged))}")
    if len(untagged) == 1 and tagged:
        return untagged[0]
    for candidate in untagged:
        required = [name for name, _, required in field_types(candidate) if required]
        if all(name in data or to_camel_case(name) in data for name in required):
            return candidate
    if tagged:
        raise ConversionError(format_path((at, tag)), "is missing")
    raise ConversionError(format_path(at), f"is not {' or '.join(c.__name__ for c in classes)}")


def _object_loader(kind: Any) -> Load:
    """Return the loader for objects of a class of the format. Keys may be in camel case or in snake case."""
    table = [
        (name, to_camel_case(name), _loader(hint), required, type(None) in typing.get_args(hint))
        for name, hint, required in field_types(kind)
    ]
    names = {name for python, json, *_ in table for name in (python, json)}
    has_metadata = "metadata" in names
    normalize = NORMALIZERS.get(kind.__name__)
    refined = _refined(kind)

    def read(data: Any, at: Path) -> Any:
        if type(data) is not dict:
            raise wrong_type(at, "an object", data)
        if normalize is not None:
            data = normalize(data, at)
        values: dict[str, Any] = {}
        for python, json, reader, required, optional in table:
            if json != python and json in data and python in data:
                raise ConversionError(format_path((at, json)), f"is given twice, as {json} and as {python}")
            key = json if json in data else python
            if key not in data:
                if required:
                    raise ConversionError(format_path((at, json)), "is missing")
            elif data[key] is not None or required or not optional:
                values[python] = reader(data[key], (at, key))
        unknown = {key: item for key, item in data.items() if key not in names}
        if unknown:
            if not has_metadata:
                raise ConversionError(format_path((at, min(unknown))), f"is not a field of {kind.__name__}")
            metadata = values.get("metadata") or {}
            values["metadata"] = {**metadata, UNKNOWN: {**_unknown(metadata), **unknown}}
        if refined is not None:
            tag, value, field, inner = refined
            if values.get(tag) == value:
                values[field] = inner(values[field], (at, field))
        return kind(**values)

    return read


def _refined(kind: type[Any]) -> tuple[str, str, str, Load] | None:
    """Return tag, value, field and reader of a field whose type depends on a tag: multimodal results contain parts."""
    if kind.__name__ != "ToolResult":
        return None
    parts = vars(sys.modules[kind.__module__])["ContentPart"]
    return "kind", "multimodal", "value", _list_loader(_loader(parts))
