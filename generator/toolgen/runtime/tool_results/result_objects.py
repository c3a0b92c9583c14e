"""Results as objects: a plain object stands for itself, `output` and `error` say what another value is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from ..conversion.residue import ABSENT, Residue
from ..conversion.values import Write, write_list
from ..conversion.writer import Writer
from ..errors import ConversionError, wrong_type
from ..json_texts.strict import walked
from ..json_texts.text import compact, is_json, loose, same
from ..models import TextPart, ToolResult
from ..paths import Path, spelled

__all__ = ["caption_of", "in_words", "read_result_object", "write_captioned", "write_result_object"]

Kind: TypeAlias = Literal["text", "data", "error", "multimodal"]


def read_result_object(response: dict[str, Any]) -> tuple[Kind, Any, bool | None, Residue]:
    """Read kind, value and error flag: `output` alone is a result, `error` alone a failure, else the object is the result.

    The object is kept where our own writing would differ.
    """
    kind, value, is_error = _read(response)
    return kind, value, is_error, {} if _write(kind, value, is_error) == response else {"$response": response}


_OWN = frozenset(["error", "output"])
"""Keys that the API reads as its own."""


def write_result_object(
    kind: str, value: Any, is_error: bool | None, kept: Any, at: Path, writer: Writer
) -> dict[str, Any]:
    """Write a result of kind text, data or error; the object that came is kept while it says the same.

    Raises:
        ConversionError: the value is of another type than its kind says, or JSON cannot hold it.
    """
    if type(kept) is dict:
        known = _read(kept)
        if known[0] == kind and known[2] == (is_error or None) and same(known[1], value):
            return kept
    if kind in ("text", "error"):
        if type(value) is not str:
            raise wrong_type(at, "a string", value)
    elif is_error is None and type(value) is dict and value.keys().isdisjoint(_OWN) and is_json(value, "$ref"):
        return value
    else:
        try:
            text = compact(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise ConversionError(spelled(at), f"cannot be written as JSON: {type(error).__name__}") from error
        if is_error and type(value) is str:
            writer.lost((at[0], "kind"), "data", "rewritten", "note", "a text that says what failed is an error")
        elif not is_error and '"$ref":' in text and _refers(value):
            writer.lost(at[0], "data", "rewritten", "note", "as text, for the API would follow the references in it")
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
        return {"output": loose(value)}
    if type(value) is dict and not value.keys() & _OWN:
        return value
    return {"output": value}


def _refers(value: Any) -> bool:
    """Whether a value holds a key that the API reads as a reference."""
    return any(type(one) is dict and "$ref" in one for one in walked(value))


def in_words(result: ToolResult) -> str:
    """A result as text for the model, where it cannot stand with its call."""
    if result.kind == "multimodal":
        return "\n".join(part.text for part in result.value if type(part) is TextPart)
    return (
        str(result.value)
        if result.kind == "text"
        else compact({"error": result.value} if result.kind == "error" else result.value)
    )


def caption_of(response: dict[str, Any]) -> tuple[list[TextPart], bool | None, Residue]:
    """The text that stands with a result's media, whether it reports a failure, and what our own writing would not give."""
    kind, value, is_error = _read(response)
    if kind == "error":
        is_error = True
    text = value if kind in ("text", "error") else loose(value) if value != {} or is_error else ""
    kept = {} if _caption(text, is_error) == response else {"$response": response}
    return [TextPart(text)] if text else [], is_error, kept


def _caption(text: str, is_error: bool | None) -> dict[str, Any]:
    if is_error:
        return {"error": text}
    return {"output": text} if text else {}


def write_captioned(
    parts: Sequence[Any], is_error: bool | None, own: Residue, at: Path, writer: Writer, write: Write
) -> dict[str, Any]:
    """Write a result of several parts: texts into `response`, the others into `parts`."""

    def write_media(part: Any, here: Path, writer: Writer) -> Any:
        return ABSENT if type(part) is TextPart else write(part, here, writer)

    texts = [part.text for part in parts if type(part) is TextPart]
    for i, part in enumerate(parts):
        if type(part) is not TextPart:
            continue
        writer.own(part.metadata, (at, i))
        if i > 0:
            writer.lost((at, i), "TextPart", "moved", "note", "the texts of a result stand together, before its media")
    if len(texts) > 1:
        writer.lost(at, "TextPart", "rewritten", "note", "the texts of a result are one text")
    text = "\n".join(texts)
    kept = own.get("$response")
    if type(kept) is not dict or caption_of(kept)[:2] != ([TextPart(text)] if text else [], is_error or None):
        kept = _caption(text, is_error)
    return {"response": kept, "parts": write_list(parts, at, writer, write_media)}
