"""Gemini's content parts: the names of keys, signatures, and results with several parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...conversion.extras import ABSENT
from ...conversion.message_order import call_ids
from ...conversion.reader import Reader
from ...conversion.values import Read, Write, read_list_or_null, write_list
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...json_text import dump_allowing_nan
from ...models import Message, OpaquePart, TextPart, ToolResult
from ...paths import Path
from ..result_objects import read_result_object

__all__ = [
    "ENUM_NUMBER_PATHS",
    "KeyNormalization",
    "add_placeholder_signature",
    "convert_enum_names_to_numbers",
    "normalize_keys",
    "order_results_by_calls",
    "part_kind",
    "part_list",
    "read_parts",
    "read_result_text_beside_media",
    "write_multimodal_result",
    "write_parts_of",
]

_UNDERSCORE = r"(?<=[^_])_([a-z0-9])"
_NO_NUMBERS: Mapping[str, Sequence[str]] = {}


class KeyNormalization:
    """How keys are normalized: a `free` key has a value of the user, and an object under a `maps` key has names as keys.

    Values of `upper` keys are read in any case. `numbers` has the enum values of a key in the order of their numbers:
    with `enum-encoding=int` the API reads and writes numbers.
    """

    __slots__ = ("free", "maps", "numbers", "upper")

    def __init__(
        self,
        free_keys: Iterable[str],
        map_keys: Iterable[str],
        upper_keys: Iterable[str] = (),
        enum_numbers: Mapping[str, Sequence[str]] = _NO_NUMBERS,
    ) -> None:
        self.free = frozenset(free_keys)
        self.maps = frozenset(map_keys)
        self.upper = frozenset(upper_keys)
        self.numbers = enum_numbers


def normalize_keys(value: Any, key_normalization: KeyNormalization) -> Any:
    """Return the value with its keys in camelCase. If a key is present in both forms, both stay.

    Enum values that are numbers become words; a body lists their paths under NUMBERED. The argument is not modified. If
    nothing changes, it is returned itself.
    """
    if _is_normalized(value, key_normalization):
        return value
    numbered: list[list[str | int]] = []
    found = _normalized(value, key_normalization, [], numbered)
    return (
        {**found, ENUM_NUMBER_PATHS: numbered}
        if numbered and type(found) is dict and ENUM_NUMBER_PATHS not in found
        else found
    )


ENUM_NUMBER_PATHS = "$numbers"
"""The key of a body under which reading lists the paths of enum values that were numbers."""


def convert_enum_names_to_numbers(body: dict[str, Any], key_normalization: KeyNormalization) -> dict[str, Any]:
    """Return the body with numbers for the enum values that were read as numbers, at the paths under NUMBERED.

    The argument is not modified.
    """
    paths = body.get(ENUM_NUMBER_PATHS)
    if type(paths) is not list or not all(type(path) is list and path for path in paths):
        return body
    tree: dict[Any, Any] = {}
    for path in paths:
        branch = tree
        for step in path:
            branch = branch.setdefault(step, {}) if type(step) in (str, int) else {}
    numbered: dict[str, Any] = _numbered(
        {key: body[key] for key in body if key != ENUM_NUMBER_PATHS}, tree, key_normalization
    )
    return numbered


def _numbered(value: Any, tree: dict[Any, Any], key_normalization: KeyNormalization) -> Any:
    """Return a copy of an object or array in which the words at the ends of `tree` are numbers."""
    found: Any = value.copy()
    for step, further in tree.items():
        if type(found) is dict:
            inner: Any = found.get(step)
        else:
            inner = found[step] if type(step) is int and 0 <= step < len(found) else None
        if type(inner) is dict or type(inner) is list:
            found[step] = _numbered(inner, further, key_normalization)
        elif type(inner) is str and type(step) is str and step in key_normalization.numbers:
            found[step] = _number_of(inner, key_normalization.numbers[step])
    return found


def _number_of(name: str, names: Sequence[str]) -> Any:
    """Return the number of an enum name. Digits without a name are the number itself."""
    for number, known in enumerate(names):
        if known.upper() == name.upper():
            return number
    return int(name) if name.isascii() and name.isdigit() and len(name) < 10 else name


def _is_normalized(value: Any, key_normalization: KeyNormalization) -> bool:
    """Return whether there is nothing to change."""
    kind = type(value)
    if kind is dict:
        for key, item in value.items():
            if "_" in key:
                return False
            kind = type(item)
            if kind is str:
                if key in key_normalization.upper and not item.isupper():
                    return False
            elif kind is dict or kind is list:
                if key not in key_normalization.free and not _is_normalized(item, key_normalization):
                    return False
            elif kind is int and key in key_normalization.numbers:
                return False
    elif kind is list:
        for item in value:
            if not _is_normalized(item, key_normalization):
                return False
    return True


def _normalized(
    value: Any, key_normalization: KeyNormalization, at: list[str | int], numbered: list[list[str | int]]
) -> Any:
    """Return the value with normalized keys and enum values. `at` is its path; paths of enum numbers are added to `numbered`."""
    kind = type(value)
    if kind is list:
        return [_normalized(item, key_normalization, [*at, i], numbered) for i, item in enumerate(value)]
    if kind is not dict:
        return value
    found: dict[str, Any] = {}
    for key, item in value.items():
        name = re.sub(_UNDERSCORE, lambda hit: hit[1].upper(), key) if "_" in key else key
        if name != key and name in value:
            name = key
        if name in key_normalization.free:
            found[name] = item
        elif name in key_normalization.maps and type(item) is dict:
            found[name] = {
                member: _normalized(inner, key_normalization, [*at, name, member], numbered)
                for member, inner in item.items()
            }
        elif name in key_normalization.upper and type(item) is str:
            found[name] = item.upper()
        elif type(item) is int and name in key_normalization.numbers:
            names = key_normalization.numbers[name]
            found[name] = names[item] if 0 <= item < len(names) else str(item)
            numbered.append([*at, name])
        else:
            found[name] = _normalized(item, key_normalization, [*at, name], numbered)
    return found


def add_placeholder_signature(wire: dict[str, Any], sentinel: str, at: Path, writer: Writer) -> None:
    """Add the documented placeholder signature to the first call of a message, if none of its calls is signed."""
    calls = [part for part in wire.get("parts") or () if type(part) is dict and "functionCall" in part]
    if calls and not any("thoughtSignature" in call for call in calls):
        calls[0]["thoughtSignature"] = sentinel
        writer.report_loss(at, "a signature", "defaulted", "the calls come from another provider")


_MEDIA = ("image", "audio", "video")


def part_kind(part: dict[str, Any]) -> str | None:
    """Return `text`, `reasoning`, `tool_call`, `image`, `audio`, `video` or `document`, or None for other parts."""
    if "functionCall" in part:
        return "tool_call" if type(part["functionCall"]) is dict else None
    if part.get("text") is not None:
        return "reasoning" if part.get("thought") is True else "text"
    content = part.get("inlineData", part.get("fileData"))
    if type(content) is not dict or part.get("thought") is True:
        return None
    if content.get("data") is None and content.get("fileUri") is None:
        return None
    kind = str(content.get("mimeType") or "").split("/", 1)[0].lower()
    return kind if kind in _MEDIA else "document"


def part_list(value: Any, at: Path) -> list[Any]:
    """Return the parts of a content as a list. A single part may be without a list, and there may be none.

    Raises:
        ConversionError: The value is something else.
    """
    if value is None or value is ABSENT or value == {}:
        return []
    if type(value) is dict:
        return [value]
    if type(value) is not list:
        raise wrong_type(at, "an array", value)
    return value


def read_parts(value: Any, at: Path, reader: Reader, read: Read[Any]) -> tuple[str | list[Any], Any]:
    """Read the parts. A single text becomes a string. For no parts, the original value is kept as an extra.

    Raises:
        ConversionError: The value is not a list of parts.
    """
    parts = read_list_or_null(part_list(value, at), at, reader, read)
    if not parts:
        return [], {"$absent": True} if value is ABSENT else value
    only = parts[0]
    if len(parts) == 1 and type(only) is TextPart and only.text and only.metadata is None:
        return only.text, ABSENT
    return parts, ABSENT


def write_parts_of(content: Any, extra: Any, at: Path, writer: Writer, write: Write) -> Any:
    """Write the parts, or return ABSENT if there are none. An empty value is only written if it was read."""
    if type(content) is str:
        content = [TextPart(content)] if content else []
    parts = write_list(content or [], at, writer, write)
    return parts or (extra if extra in ([], {}) else ABSENT)


def read_result_text_beside_media(response: dict[str, Any]) -> tuple[list[TextPart], bool | None]:
    """Return the text for a result with media, and whether it is a failure."""
    kind, value, is_error = read_result_object(response)
    if kind == "error":
        is_error = True
    text = value if kind in ("text", "error") else dump_allowing_nan(value) if value != {} or is_error else ""
    return [TextPart(text)] if text else [], is_error


def write_multimodal_result(
    parts: Sequence[Any], is_error: bool | None, at: Path, writer: Writer, write: Write
) -> dict[str, Any]:
    """Write a result with several parts: the texts into `response`, and the others into `parts`."""
    texts: list[str] = []

    def write_medium(part: Any, here: Path, writer: Writer) -> Any:
        if type(part) is OpaquePart and part.provider != writer.wire.name:
            part = writer.describe_part(part, here)
        if type(part) is not TextPart:
            return write(part, here, writer)
        texts.append(part.text)
        return ABSENT

    media = write_list(parts, at, writer, write_medium)
    for i, part in enumerate(parts):
        if type(part) is not TextPart:
            continue
        writer.write_text_part_as_string(part, (at, i))
        if i > 0:
            writer.report_loss((at, i), "TextPart", "moved", "the texts of a result must come before its media")
    if len(texts) > 1:
        writer.report_loss(at, "TextPart", "rewritten", "the API accepts one text per result, so the texts were joined")
    text = "\n".join(texts)
    if is_error:
        return {"response": {"error": text}, "parts": media}
    return {"response": {"output": text} if text else {}, "parts": media}


def order_results_by_calls(
    results: Iterable[tuple[ToolResult, Path]], before: Message | None, writer: Writer
) -> list[tuple[ToolResult, Path]]:
    """Sort the results by their calls if one was sent without its id, and the order alone identifies it.

    It does if the turn has several calls of the same tool. Otherwise the name identifies the result.
    """
    found = list(results)
    if before is None or writer.unsent.isdisjoint(result.tool_call_id for result, _ in found):
        return found
    order = {identifier: i for i, identifier in enumerate(call_ids(before))}
    last: dict[str, int] = {}
    for result, _ in found:
        position = order.get(result.tool_call_id, len(order))
        if position < last.get(result.name, 0):
            break
        last[result.name] = position
    else:
        return found
    ordered = sorted(found, key=lambda pair: order.get(pair[0].tool_call_id, len(order)))
    for (old, path), (new, _) in zip(found, ordered, strict=True):
        if old is not new:
            writer.report_loss(path, "a result", "moved", "results without ids must have the order of their calls")
    return ordered
