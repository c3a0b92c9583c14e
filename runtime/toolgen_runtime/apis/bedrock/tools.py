"""Bedrock's `toolConfig` and its content blocks for results."""

from __future__ import annotations

from typing import Any

from ...conversion.extras import Extras, inner_extras
from ...conversion.reader import Reader
from ...conversion.request_tools import none_if_empty
from ...conversion.tool_results import ResultKind, write_result_text
from ...conversion.values import Read, Write, read_list_or_null, write_list
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...json_text import compact
from ...json_values import is_json
from ...models import TextPart, ToolChoice
from ...paths import ROOT, Path
from .content import block_kind

__all__ = [
    "complete_tool_config",
    "has_tool_blocks",
    "read_json_block",
    "read_result_blocks",
    "write_json_block",
    "write_result_blocks",
]


def has_tool_blocks(messages: Any) -> bool:
    """Return whether the messages contain calls of the app's tools, or their results."""
    return any(kind in ("call", "result") for kind, _ in _blocks(messages))


def _blocks(messages: Any) -> list[tuple[str | None, dict[str, Any]]]:
    blocks = [
        block
        for message in (messages if type(messages) is list else ())
        if type(message) is dict and type(message.get("content")) is list
        for block in message["content"]
        if type(block) is dict
    ]
    return [(block_kind(block), block) for block in blocks]


def complete_tool_config(wire: dict[str, Any], choice: ToolChoice | None, extras: Extras, writer: Writer) -> None:
    """Make `toolConfig` valid for the API: tools if there are calls, and no empty list of them.

    If no tool may be called, the tools are left out, which the API accepts only if there were no calls.
    """
    config = wire.get("toolConfig")
    if type(config) is not dict:
        config = {}
    history = has_tool_blocks(wire.get("messages"))
    if none_if_empty(choice) == "none" and not history:
        if config.get("tools"):
            writer.report_loss((ROOT, "tools"), "tools", "dropped", "the model must not call any tool")
        wire.pop("toolConfig", None)
        return
    if config.get("tools"):
        return
    made = _stand_ins(wire) if history and "toolConfig" not in extras.get("$absent", ()) else []
    if made:
        reason = "the API requires the tools of earlier calls, but only their names are known"
        writer.report_loss((ROOT, "tools"), "tools", "defaulted", reason, "warning")
        wire["toolConfig"] = {**config, "tools": made}
        return
    if config.get("tools") == []:
        config = {key: value for key, value in config.items() if key != "tools"}
    if config:
        wire["toolConfig"] = config
    elif wire.get("toolConfig"):
        del wire["toolConfig"]


def _stand_ins(wire: dict[str, Any]) -> list[dict[str, Any]]:
    """Return tools without parameters for the names of the calls in the history."""
    calls = [inner_extras(block, "toolUse") for kind, block in _blocks(wire.get("messages")) if kind == "call"]
    names = dict.fromkeys(call["name"] for call in calls if type(call.get("name")) is str)
    schema = {"json": {"type": "object", "properties": {}}}
    return [{"toolSpec": {"name": name, "inputSchema": schema}} for name in names]


_FAILED = "error"


def read_result_blocks(
    holder: dict[str, Any], at: Path, reader: Reader, read: Read[Any]
) -> tuple[ResultKind, Any, bool | None]:
    """Read the kind, value and error flag of a result.

    Raises:
        ConversionError: The content is not an array, or the status is not a string.
    """
    content, status = holder.get("content"), holder.get("status")
    if type(content) is not list:
        raise wrong_type((at, "content"), "an array", content)
    if status is not None and type(status) is not str:
        raise wrong_type((at, "status"), "a string", status)
    failed = status == _FAILED
    single = _single(content, failed)
    if single is not None:
        return single
    return "multimodal", read_list_or_null(content, (at, "content"), reader, read), failed or None


def _single(content: list[Any], failed: bool) -> tuple[ResultKind, Any, bool | None] | None:
    """Return kind, value and error flag of content with a single text or value, or None for other content."""
    only = content[0] if len(content) == 1 and type(content[0]) is dict else {}
    if type(only.get("text")) is str:
        return ("error" if failed else "text"), only["text"], None
    if "json" in only:
        return "data", only["json"], failed or None
    return None


def read_json_block(block: dict[str, Any], reader: Reader) -> TextPart | None:
    """Read JSON beside other blocks as its JSON text. The block itself is kept as extras."""
    text = _text_of_json(block)
    return None if text is None else TextPart(text, metadata=reader.as_metadata(block))


def write_json_block(part: TextPart, extras: Extras) -> dict[str, Any] | None:
    """Return the original block of JSON that was read as text, or None if the text was changed."""
    if "json" not in extras or _text_of_json(extras) != part.text:
        return None
    return {key: value for key, value in extras.items() if key[:1] != "$"}


def _text_of_json(block: dict[str, Any]) -> str | None:
    try:
        return compact(block["json"])
    except (TypeError, ValueError, RecursionError):
        return None


def _is_plain(value: Any) -> bool:
    """Return whether a value can be written as `json`: an object without the key that the API reserves."""
    return type(value) is dict and is_json(value, "__type")


def write_result_blocks(
    kind: str, value: Any, is_error: bool | None, at: Path, writer: Writer, write: Write, blank: str
) -> dict[str, Any]:
    """Write content and status. `blank` replaces blank text.

    Raises:
        ConversionError: The value does not have the type of its kind, or cannot be written as JSON.
    """
    value_path = (at[0], "value")
    status = {"status": _FAILED} if is_error or kind == "error" else {}
    if kind == "multimodal":
        content = write_list(value, value_path, writer, write)
        if not content:
            writer.report_loss(at[0], "a result without content", "rewritten", "the API rejects it")
            content = [{"text": blank}]
        return {"content": content, **status}
    if kind == "data" and _is_plain(value):
        return {"content": [{"json": value}], **status}
    text = value if kind == "error" and type(value) is str else write_result_text(kind, value, value_path, writer)
    if kind == "data" and (is_error or type(value) is dict):
        writer.report_loss(at[0], "data", "rewritten", "sent as text, because the API does not accept it as JSON")
    if not text.strip():
        writer.report_loss(value_path, "blank text", "rewritten", "the API rejects it")
        text = blank
    return {"content": [{"text": text}], **status}
