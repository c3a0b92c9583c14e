"""Answers that are texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...conversion.extras import extra_members, restore_extras
from ...conversion.reader import Reader
from ...conversion.values import optional_text, plain
from ...conversion.writer import Writer
from ...errors import BareApiError
from ...history import has_tool_calls
from ...models import AssistantMessage, Completion
from ...paths import ROOT, Path, format_path
from .assistant_text import AssistantTextWriter, read_assistant_text

__all__ = ["TextAnswer", "answer_object", "read_text_answer", "write_text_answer"]


class TextAnswer(dict[str, Any]):
    """The object that stands for an answer which is a text alone."""


def answer_object(value: Any, at: Path) -> dict[str, Any]:
    """The object with the answer's `content`.

    Raises:
        ConversionError: it is neither a text nor an object.
    """
    return TextAnswer(content=value) if type(value) is str else plain(value, at)


_KNOWN = frozenset(["content"])


def read_text_answer(wire: dict[str, Any], at: Path, reader: Reader, names: Mapping[str, str]) -> Completion:
    """Read an answer, where tools go by these names.

    Raises:
        BareApiError: it is an API error.
        ConversionError: its content is not a string.
    """
    if wire.get("content") is None and wire.get("error"):
        raise BareApiError(format_path(at), wire)
    content = optional_text(wire, "content", at)
    message = AssistantMessage(None) if content is None else read_assistant_text(content, names, reader)
    rest = {} if type(wire) is TextAnswer else {**extra_members(wire, _KNOWN), "$whole": True}
    if "content" not in wire:
        rest["$absent"] = ["content"]
    return Completion(message, "tool_calls" if has_tool_calls(message) else "stop", metadata=reader.metadata(rest))


def write_text_answer(completion: Completion, writer: Writer) -> Any:
    """Write an answer as a text, or as the object in which it came.

    Raises:
        ConversionError: arguments of a call hold what JSON cannot.
    """
    own = writer.own_extras(completion.metadata, ROOT)
    for field in ("id", "model", "stopReason", "usage"):
        if getattr(completion, "stop_reason" if field == "stopReason" else field, None) is not None:
            writer.report_unsupported((ROOT, field), field)
    if completion.finish_reason not in ("stop", "tool_calls"):
        writer.report_unsupported((ROOT, "finishReason"), "finishReason", "warning")
    at = (ROOT, "message")
    message = completion.message
    if getattr(message, "name", None) is not None:
        writer.report_unsupported((at, "name"), "name")
    text = AssistantTextWriter(writer, None).written(message, writer.own_extras(message.metadata, at), at)
    if "$whole" not in own:
        return text or ""
    wire: dict[str, Any] = {} if text is None and "$absent" in own else {"content": text}
    restore_extras(wire, own)
    return wire
