"""Results as text, and the text that describes one to the model. A key marks an error, to read it back."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

from ..errors import ConversionError, wrong_type
from ..json_text import compact, loads
from ..models import ToolResult
from ..paths import Path, format_path
from .extras import inner_extras
from .writer import Writer, describe_as_text

__all__ = [
    "ResultKind",
    "describe_result",
    "media_kind",
    "read_result_text_or_error",
    "report_dropped_error_flag",
    "report_error_text_sent_with_flag",
    "write_result_text",
    "wrong_kind",
]

ResultKind: TypeAlias = Literal["text", "data", "error", "multimodal"]


def read_result_text_or_error(text: str) -> tuple[Literal["text", "error"], str]:
    """Read the text of a result. The text `{"error": text}` without other keys is an error."""
    if text[:1] == "{" and '"error"' in text:
        try:
            value = loads(text)
        except ValueError:
            return "text", text
        if type(value) is dict and value.keys() == {"error"} and type(value["error"]) is str:
            return "error", value["error"]
    return "text", text


def report_error_text_sent_with_flag(result: ToolResult, at: Path, writer: Writer) -> None:
    """Report that an error is sent with the API's error flag. The API that it was read from has it as JSON text."""
    for state in (result.metadata or {}).values():
        texts = [inner_extras(state, key).get("$whole") for key in state] if type(state) is dict else []
        if any(type(text) is str and read_result_text_or_error(text)[0] == "error" for text in texts):
            writer.report_loss((at, "kind"), "an error", "rewritten", "it is sent as text with the error flag")
            return


def report_dropped_error_flag(kind: str, is_error: bool | None, at: Path, writer: Writer) -> None:
    """Report the error flag of a result for a wire that has none. The text of an error says that it is one."""
    if is_error is not None:
        matters = is_error and kind in ("data", "multimodal")
        writer.report_unsupported((at[0], "isError"), "isError", "behaviour" if matters else "note")


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
