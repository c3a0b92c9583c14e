"""Results of calls as content for the model and a value for programs, side by side.

A value goes out twice: as an object in `structuredContent`, and as JSON text for those that read content alone. A value
that is not an object stands inside one there and alone in the text, so that the text says which of the two it is.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from ...conversion.extras import ABSENT, Extras, extra_members, inner_extras
from ...conversion.reader import Reader
from ...conversion.values import Read, Write, read_list, write_list
from ...conversion.writer import Writer
from ...errors import ConversionError, wrong_type
from ...json_text import compact, loads, same_json
from ...models import ToolResult
from ...paths import ROOT, Path, format_path
from ...tool_results import result_block_kind
from .fields import WRAPPED

__all__ = ["read_call_result", "write_call_result"]

Kind: TypeAlias = Literal["text", "data", "error", "multimodal"]

_KNOWN = frozenset(["content", "isError", "structuredContent"])
_PAIR = ("content", "structuredContent")


def read_call_result(
    wire: dict[str, Any], wrapped: bool | None, at: Path, reader: Reader, read: Read[Any]
) -> tuple[Kind, Any, bool | None, Extras]:
    """Read kind, value, error flag and extras. `wrapped` says whether the tool's values stand inside an object.

    Content and value are kept where our own writing would differ.

    Raises:
        ConversionError: The value is not a result, or a value has the wrong JSON type.
    """
    if wire.get("resultType") == "input_required":
        raise ConversionError(format_path((at, "resultType")), "asks for input, so there is no result yet")
    content = wire.get("content")
    if type(content) is not list and not (content is None and wire.get("structuredContent") is not None):
        raise wrong_type((at, "content"), "an array", content if "content" in wire else ABSENT)
    failed = wire.get("isError")
    if failed is not None and type(failed) is not bool:
        raise wrong_type((at, "isError"), "a boolean", failed)
    rest = extra_members(wire, _KNOWN)
    if failed is False:
        rest["isError"] = False
    pair = {key: wire[key] for key in _PAIR if key in wire}
    try:
        found = _value(content or [], wire.get("structuredContent", ABSENT), bool(failed), wrapped)
        if found is None:
            if "structuredContent" in wire:
                rest["$result"] = pair
            return "multimodal", read_list(content, (at, "content"), reader, read), failed or None, rest
        kind, value = found
        if not _is_ours(kind, value, wrapped, pair):
            rest["$result"] = pair
    except RecursionError as error:
        raise ConversionError(format_path((at, "structuredContent")), "is nested too deeply") from error
    return kind, value, True if failed and kind == "data" else None, rest


def write_call_result(
    result: ToolResult, wrapped: bool | None, own: Extras, writer: Writer, write: Write
) -> dict[str, Any]:
    """Write content, value and error flag; what came is kept while it says the same.

    Raises:
        ConversionError: The value does not have the type of its kind, or cannot be written as JSON.
    """
    failed = result.kind == "error" or bool(result.is_error)
    try:
        wire = _content(result, failed, wrapped, inner_extras(own, "$result"), writer, write)
    except (TypeError, RecursionError) as error:
        raise ConversionError("value", f"cannot be written as JSON: {type(error).__name__}") from error
    if failed:
        wire["isError"] = True
    elif wrapped is not None and "structuredContent" not in wire:
        reason = "the schema of the tool promises a value, and clients may reject a result without one"
        writer.report_loss((ROOT, "kind"), "structuredContent", "dropped", "warning", reason)
    return wire


def _content(
    result: ToolResult, failed: bool, wrapped: bool | None, kept: Extras, writer: Writer, write: Write
) -> dict[str, Any]:
    """Write content and value."""
    kind, value, at = result.kind, result.value, (ROOT, "value")
    if kind == "multimodal":
        if type(value) is not list:
            raise wrong_type(at, "an array", value)
        content = write_list(value, at, writer, write)
        if same_json(content, kept.get("content")):
            return dict(kept)
        if len(value) < 2 and _value(content, ABSENT, failed, wrapped) is not None:
            for field in ("kind", "value"):
                writer.report_loss((ROOT, field), field, "rewritten", "note", "a single text is sent without a list")
        return {"content": content}
    if _says(kept, kind, value, failed, wrapped):
        return dict(kept)
    if kind != "data" and type(value) is not str:
        raise wrong_type(at, "a string", value)
    try:
        return _written(kind, value, wrapped)
    except ValueError as error:
        raise ConversionError(format_path(at), f"cannot be written as JSON: {type(error).__name__}") from error


def _written(kind: str, value: Any, wrapped: bool | None) -> dict[str, Any]:
    if kind == "error":
        return {"content": _text(value)}
    if kind == "text":
        return {"content": _text(value), **({"structuredContent": {WRAPPED: value}} if wrapped else {})}
    bare = type(value) is dict and not wrapped
    return {"content": _text(compact(value)), "structuredContent": value if bare else {WRAPPED: value}}


def _is_ours(kind: str, value: Any, wrapped: bool | None, pair: dict[str, Any]) -> bool:
    """Whether we would write a value just so; what JSON cannot hold is not ours."""
    try:
        return same_json(_written(kind, value, wrapped), pair)
    except ValueError:
        return False


def _text(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


def _says(kept: Extras, kind: str, value: Any, failed: bool, wrapped: bool | None) -> bool:
    """Whether what came still means this value."""
    if not kept:
        return False
    known = _value(kept.get("content") or [], kept.get("structuredContent", ABSENT), failed, wrapped)
    return known is not None and known[0] == kind and same_json(known[1], value)


def _value(content: list[Any], structured: Any, failed: bool, wrapped: bool | None) -> tuple[Kind, Any] | None:
    """Kind and value of a result without media; None where content has more than texts, or several."""
    texts = [text for block in content if (text := _text_in(block)) is not None]
    if len(texts) != len(content):
        return None
    if structured is ABSENT or (structured is None and texts and not _repeats(texts, None)):
        if len(texts) > 1:
            return None
        return "error" if failed else "text", texts[0] if texts else ""
    if wrapped is not False and type(structured) is dict and structured.keys() == {WRAPPED}:
        value = structured[WRAPPED]
        if not failed and type(value) is str and texts == [value]:
            return "text", value
        if wrapped or _repeats(texts, value):
            return "data", value
    return "data", structured


def _text_in(block: Any) -> str | None:
    """The text of a block, or of the resource that it embeds."""
    if type(block) is not dict or result_block_kind(block) != "text":
        return None
    text = (block if block["type"] == "text" else block["resource"]).get("text")
    return text if type(text) is str else None


def _repeats(texts: list[str], value: Any) -> bool:
    """Whether texts say a value as JSON, as it stands, or item by item, as servers do."""
    if len(texts) == 1 and _repeats_one(texts[0], value):
        return True
    each = type(value) is list and len(value) == len(texts) > 0
    return each and all(map(_repeats_one, texts, value))


def _repeats_one(text: str, value: Any) -> bool:
    if type(value) is str and text == value:
        return True
    try:
        return same_json(loads(text), value)
    except ValueError:
        return False
