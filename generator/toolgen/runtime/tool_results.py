"""Results on wires that express them as text, a list of parts, or one object. Keys mark the kind, to read it back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from .conversion.extras import ABSENT, Extras, inner_extras, merge_extras_into
from .conversion.reader import Reader
from .conversion.values import Read, Write, read_text_or_list, write_list, write_or_describe
from .conversion.writer import Writer, describe_as_text
from .errors import ConversionError, wrong_type
from .json_text import compact, dump_allowing_nan, is_compact, loads
from .json_values import is_json, same_json, walk_values
from .models import OpaquePart, TextPart, ToolResult
from .paths import Path, format_path

__all__ = [
    "MEDIA_FOLLOW_TEXT",
    "describe_result",
    "media_kind",
    "read_result_object",
    "read_result_parts",
    "read_result_text_or_error",
    "report_error_text_sent_with_flag",
    "write_parts_moving_media",
    "write_result_object",
    "write_result_parts",
    "write_result_text",
]


MEDIA_FOLLOW_TEXT = "The result follows in the next message."
"""The text for a result that contains only media, because the text of a result must not be empty."""


def read_result_text_or_error(text: str) -> tuple[Literal["text", "error"], str, Any]:
    """Read the text of a result. The text `{"error": text}` without other keys is an error."""
    if text[:1] == "{" and '"error"' in text:
        try:
            value = loads(text)
        except ValueError:
            return "text", text, ABSENT
        if type(value) is dict and value.keys() == {"error"} and type(value["error"]) is str:
            return "error", value["error"], ABSENT if is_compact(text, value) else text
    return "text", text, ABSENT


def report_error_text_sent_with_flag(result: ToolResult, at: Path, writer: Writer) -> None:
    """Report that an error is sent with the API's error flag. The API that it was read from has it as JSON text."""
    for state in (result.metadata or {}).values():
        if type(state) is dict and any(
            type(v) is str and read_result_text_or_error(v)[0] == "error" for v in state.values()
        ):
            writer.report_loss((at, "kind"), "an error", "rewritten", "note", "it is sent as text with the error flag")
            return


def write_result_text(kind: str, value: Any, extra: Any, at: Path, writer: Writer) -> str:
    """Write the text of a result of kind text, data or error.

    Raises:
        ConversionError: The value does not have the type of its kind, or cannot be written as JSON.
    """
    if kind == "text" or kind == "error":
        if type(value) is not str:
            raise wrong_type(at, "a string", value)
        if kind == "text":
            return value
        if type(extra) is str and read_result_text_or_error(extra)[:2] == ("error", value):
            return extra
        return compact({"error": value})
    try:
        return compact(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversionError(format_path(at), f"cannot be written as JSON: {type(error).__name__}") from error


def read_result_parts(value: Any, at: Path, reader: Reader, read: Read[Any]) -> str | list[Any]:
    """Read the parts of a result. Media in it are marked, because not every server accepts media inside a result."""
    parts = read_text_or_list(value, at, reader, read)
    for part in parts:
        if type(part) is not str and type(part) is not TextPart and type(part) is not OpaquePart:
            merge_extras_into(part, reader.wire.name, {"$inline": True})
    return parts


def write_result_parts(parts: Sequence[Any], extra: Any, at: Path, writer: Writer, write: Write) -> str | list[Any]:
    """Write the parts of a result. Without parts it is an empty text, unless an empty list was read."""
    written = write_list(parts, at, writer, write)
    return written or _without_parts(extra, at, writer)


def _without_parts(extra: Any, at: Path, writer: Writer) -> str | list[Any]:
    if extra == []:
        return []
    writer.report_loss(at, "a result without parts", "rewritten", "note", "the API rejects an empty list")
    return ""


def write_parts_moving_media(
    parts: Sequence[Any], extra: Any, at: Path, writer: Writer, write: Write
) -> str | list[Any]:
    """Write the parts of a result like `write_result_parts`, but only texts, and media that were read inside one.

    Other media are appended to `writer.media`.
    """
    after = len(writer.media)
    texts = []
    for i, part in enumerate(parts):
        inside = "$inline" in inner_extras(part.metadata or {}, writer.wire.name)
        if type(part) is TextPart or type(part) is OpaquePart or inside:
            item = write_or_describe(part, (at, i), writer, write)
            texts += [] if item is ABSENT else [item]
        else:
            writer.media.append((part, (at, i)))
            writer.report_loss(
                (at, i),
                writer.type_name(part),
                "moved",
                "note",
                "it was moved into a user message after the results",
            )
    if len(writer.media) == after:
        return texts or _without_parts(extra, at, writer)
    if len(texts) == 1 and texts[0].keys() == {"type", "text"}:
        return str(texts[0]["text"])
    return texts or MEDIA_FOLLOW_TEXT


def describe_result(result: ToolResult) -> str:
    """Write a result as text for the model, if it cannot be next to its call. The text is never blank."""
    if result.kind == "multimodal":
        text = "\n".join(map(describe_as_text, result.value))
    elif result.kind == "text":
        text = str(result.value)
    else:
        text = compact({"error": result.value} if result.kind == "error" else result.value)
    return text if text.strip() else "[empty result]"


_KINDS = ("audio", "image", "video")


def media_kind(media_type: Any) -> str:
    """Return the kind of part for a media type: `image`, `audio` or `video`, otherwise `document`."""
    kind = media_type.split("/", 1)[0].lower() if type(media_type) is str else ""
    return kind if kind in _KINDS else "document"


Kind: TypeAlias = Literal["text", "data", "error", "multimodal"]


def read_result_object(response: dict[str, Any]) -> tuple[Kind, Any, bool | None, Extras]:
    """Read kind, value and error flag of a result object: `output` alone is the result, `error` alone a failure.

    Any other object is data as a whole. The original object becomes extras if it would be written differently.
    """
    kind, value, is_error = _read(response)
    return kind, value, is_error, {} if _write(kind, value, is_error) == response else {"$response": response}


_OWN = frozenset(["error", "output"])
"""Keys with a special meaning for the API."""


def write_result_object(
    kind: str, value: Any, is_error: bool | None, extra: Any, at: Path, writer: Writer
) -> dict[str, Any]:
    """Write a result of kind text, data or error as an object. The original object is used while it means the same.

    Raises:
        ConversionError: The value does not have the type of its kind, or cannot be written as JSON.
    """
    if type(extra) is dict:
        known = _read(extra)
        if known[0] == kind and known[2] == (is_error or None) and same_json(known[1], value):
            return extra
    if kind in ("text", "error"):
        if type(value) is not str:
            raise wrong_type(at, "a string", value)
    elif is_error is None and type(value) is dict and value.keys().isdisjoint(_OWN) and is_json(value, "$ref"):
        return value
    else:
        try:
            text = compact(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise ConversionError(format_path(at), f"cannot be written as JSON: {type(error).__name__}") from error
        if is_error and type(value) is str:
            writer.report_loss(
                (at[0], "kind"), "data", "rewritten", "note", "a failure that has text is sent as an error"
            )
        elif not is_error and '"$ref":' in text and _refers(value):
            writer.report_loss(
                at[0], "data", "rewritten", "note", "sent as text, because the API would resolve the references in it"
            )
            return {"output": text}
        if not is_error:
            return value if type(value) is dict and not value.keys() & _OWN else {"output": value}
    return _write(kind, value, is_error)


def _read(response: dict[str, Any]) -> tuple[Kind, Any, bool | None]:
    if response.keys() == {"output"}:
        value = response["output"]
        return ("text" if type(value) is str else "data"), value, None
    if response.keys() == {"error"}:
        value = response["error"]
        return ("error", value, None) if type(value) is str else ("data", value, True)
    return "data", response, None


def _write(kind: str, value: Any, is_error: bool | None) -> dict[str, Any]:
    if kind == "error" or (kind == "data" and is_error):
        return {"error": value}
    if kind == "data" and _refers(value):
        return {"output": dump_allowing_nan(value)}
    if type(value) is dict and not value.keys() & _OWN:
        return value
    return {"output": value}


def _refers(value: Any) -> bool:
    """Return whether a value contains a key that the API resolves as a reference."""
    return any(type(one) is dict and "$ref" in one for one in walk_values(value))
