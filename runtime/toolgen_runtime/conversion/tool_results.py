"""Results as text, and the text that describes one to the model. A key marks an error, to read it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

from ..errors import ConversionError, wrong_type
from ..json_text import compact, loads
from ..models import ContentPart, TextPart, ToolResult
from ..paths import Path, format_path
from .extras import inner_extras
from .writer import Writer, describe_as_text

__all__ = [
    "ResultKind",
    "describe_result",
    "media_kind",
    "read_result_parts_or_error",
    "read_result_text_or_error",
    "report_error_text_sent_with_flag",
    "say_failure_in_value",
    "write_result_text",
    "wrong_kind",
]

ResultKind: TypeAlias = Literal["text", "data", "error", "multimodal"]


def read_result_text_or_error(text: str) -> tuple[Literal["text", "error", "data"], Any, bool | None]:
    """Read kind, value and error flag of a result that is text. `{"error": value}` without other keys is a failure.

    Its kind is `error` if the value is a text, otherwise `data` with the error flag.
    """
    if text[:1] == "{" and '"error"' in text:
        try:
            value = loads(text)
        except ValueError:
            return "text", text, None
        if type(value) is dict and value.keys() == {"error"}:
            failure = value["error"]
            return ("error", failure, None) if type(failure) is str else ("data", failure, True)
    return "text", text, None


def read_result_parts_or_error(parts: Sequence[ContentPart]) -> tuple[Literal["multimodal"], Any, bool | None]:
    """Read kind, value and error flag of a result with parts. The text before media may be that of a failure.

    It is then written as `say_failure_in_value` writes it, and no other part is a text.
    """
    first, media = parts[0] if parts else None, parts[1:]
    if type(first) is TextPart and media and not any(type(part) is TextPart for part in media):
        kind, failure, _ = read_result_text_or_error(first.text)
        if kind == "error" and first.text == compact({"error": failure}):
            return "multimodal", [replace(first, text=failure), *media], True
    return "multimodal", parts, None


def report_error_text_sent_with_flag(result: ToolResult, at: Path, writer: Writer) -> None:
    """Report that an error is sent with the API's error flag. The API that it was read from has it as JSON text."""
    for state in (result.metadata or {}).values():
        texts = [inner_extras(state, key).get("$whole") for key in state] if type(state) is dict else []
        if any(type(text) is str and read_result_text_or_error(text)[0] == "error" for text in texts):
            writer.report_loss((at, "kind"), "an error", "rewritten", "it is sent as text with the error flag")
            return


def say_failure_in_value(kind: str, value: Any, is_error: bool | None, at: Path, writer: Writer) -> tuple[str, Any]:
    """Return kind and value of a result for a wire without an error flag. The text of a failed one says that it failed.

    Media of a failed result stay parts, after that text.
    """
    if is_error is None:
        return kind, value
    if not is_error or kind == "error":
        writer.report_unsupported((at[0], "isError"), "isError", "note")
        return kind, value
    writer.report_loss((at[0], "isError"), "isError", "rewritten", "the API has no such flag, so the text says it")
    if kind == "text":
        return "error", value
    if kind == "data":
        return "data", {"error": value}
    if kind != "multimodal" or type(value) is not list:
        return kind, value
    texts = {i: part for i, part in enumerate(value) if type(part) is TextPart}
    failure = "\n".join(part.text for part in texts.values())
    if len(texts) == 1 < len(value):
        (text,) = (replace(part, text=compact({"error": failure})) for part in texts.values())
    else:
        for i, part in texts.items():
            writer.own_extras(part.metadata, ((at[0], "value"), i))
        text = TextPart(compact({"error": failure}))
    if len(texts) == len(value):
        return "error", failure
    return "multimodal", [text, *(part for part in value if type(part) is not TextPart)]


def wrong_kind(at: Path) -> ConversionError:
    """Return the error for a result whose kind is not one of the format. The path is that of its value."""
    return ConversionError(format_path((at[0], "kind")), "is not one of text, data, error and multimodal")


def write_result_text(kind: str, value: Any, at: Path, writer: Writer) -> str:
    """Write the text of a result of kind text, data or error.

    Raises:
        ConversionError: The value does not have the type of its kind, or cannot be written as JSON, or there is no such
            kind.
    """
    if kind == "text" or kind == "error":
        if type(value) is not str:
            raise wrong_type(at, "a string", value)
        return value if kind == "text" else compact({"error": value})
    if kind != "data":
        raise wrong_kind(at)
    try:
        return compact(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversionError(format_path(at), f"cannot be written as JSON: {type(error).__name__}") from error


def describe_result(result: ToolResult) -> str:
    """Write a result as text for the model, if it cannot be next to its call. The text is never blank.

    Raises:
        TypeError: A field has the wrong type. `Writer` names it.
    """
    if type(result.tool_call_id) is not str or result.kind not in get_args(ResultKind):
        raise TypeError("a field of a result is wrong")
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
