"""Field readers and writers that only Responses needs, and the items of which conversations and responses consist.

A response has several items in a row (reasoning, messages, calls), which the format has as parts of one message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from ...conversion.extras import (
    ABSENT,
    Extras,
    UnsupportedValueError,
    inner_extras,
    merge_extras_into,
    objects_in,
    restore_extras,
)
from ...conversion.fields import read_data_url
from ...conversion.reader import Reader
from ...conversion.values import write_user_or_opaque
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...models import (
    AssistantMessage,
    AssistantPart,
    Completion,
    OpaquePart,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCall,
    ToolCallPart,
    UserMessage,
)
from ...paths import Path

__all__ = [
    "add_required_item_keys",
    "add_required_keys",
    "classify_item",
    "content_part_kind",
    "drop_reasoning_at_end",
    "has_approval_request",
    "has_opaque_client_call",
    "link_calls_to_reasoning",
    "make_assistant_message",
    "program_callers",
    "read_always_written_flag",
    "read_file_source",
    "read_value_with_default",
    "reasoning_text",
    "restore_reasoning_item",
    "without_unusable_id",
    "write_always_written_flag",
    "write_file_source",
    "write_message_item",
    "write_reasoning_item",
    "write_short_message",
    "write_user_or_opaque_item",
    "write_value_with_default",
]


def read_value_with_default(value: Any, at: Path, reader: Reader, table: Mapping[str, Any]) -> Any:
    """Read the value.

    Raises:
        ConversionError: The value has another type than the default in `table`.
    """
    if value is ABSENT or value is None:
        return None
    if type(value) is not type(table["value"]):
        raise wrong_type(at, "a boolean" if type(table["value"]) is bool else "a string", value)
    return value


def write_value_with_default(value: Any, at: Path, writer: Writer, table: Mapping[str, Any]) -> Any:
    """Write the value. Without one, write the default in `table`."""
    if value is not None:
        return value
    default = table["value"]
    writer.report_loss(at, "an expected value", "defaulted", f"the API expects it, so it is set to {default}")
    return default


Fields = tuple[str | None, str | None, str | None, str | None]


def read_file_source(part: dict[str, Any], at: Path, reader: Reader, default_names: Mapping[str, str]) -> Fields:
    """Read url, data, media type and name.

    Raises:
        ConversionError: One of the values is not a string.
    """
    for key in ("file_data", "file_url", "filename"):
        if part.get(key) is not None and type(part[key]) is not str:
            raise wrong_type((at, key), "a string", part[key])
    text, url, name = part.get("file_data"), part.get("file_url"), part.get("filename")
    if text is None:
        return url, None, None, name
    if text[:5] != "data:":
        return url, text, None, name
    other_url, data, media_type = read_data_url(text, (at, "file_data"), reader)
    if other_url is not None:  # a data URL of another kind
        return None, None, None, name
    return url, data, media_type, name


def write_file_source(
    url: str | None,
    data: str | None,
    media_type: str | None,
    name: str | None,
    at: Path,
    writer: Writer,
    default_names: Mapping[str, str],
) -> dict[str, Any]:
    """Write the content. `default_names` has default file names by media type, and under `*` for data without one.

    Raises:
        UnsupportedValueError: The part has neither a URL nor data.
    """
    written: dict[str, Any] = {} if name is None else {"filename": name}
    if url is not None and url[:5] == "data:" and data is None:
        written["file_data"] = url
        media_type = read_data_url(url, at, Reader(writer.wire))[2]
    elif data is not None:
        written["file_data"] = data if media_type is None else f"data:{media_type};base64,{data}"
    if url is not None and url[:5] != "data:":
        written["file_url"] = url
        if data is None and media_type is not None:
            writer.report_unsupported((at[0], "mediaType"), "mediaType")
    if "file_data" in written and name is None:
        written["filename"] = default_names.get(media_type or "", default_names["*"])
        writer.report_loss(
            (at[0], "name"), "name", "defaulted", f"the API requires a file name, so it is set to {written['filename']}"
        )
    if not written.keys() & {"file_data", "file_url"}:
        raise UnsupportedValueError("it has neither a URL nor data")
    return written


def read_always_written_flag(value: Any, at: Path, reader: Reader) -> bool | None:
    """Read the flag, which is off by default.

    Raises:
        ConversionError: The value is neither a boolean nor null.
    """
    if value is ABSENT or value is None:
        return None
    if type(value) is not bool:
        raise wrong_type(at, "a boolean", value)
    return value or None


def write_always_written_flag(value: bool | None, at: Path, writer: Writer) -> bool:
    """Write the flag. Without a value it is off."""
    if value is False and not writer.is_declared_tool:
        writer.report_loss(at, at[1], "rewritten", "off is the default")
    return bool(value)


Kind = Literal["message", "call", "reasoning", "model_item", "result", "user", "system", "app_item"]

_CLIENT_CALLS = frozenset(["custom_tool_call", "shell_call", "local_shell_call", "apply_patch_call", "computer_call"])
"""Calls that the app runs itself, besides function calls (`openai.types.responses`, SDK 3.57.0)."""

_PARTS = frozenset(["input_audio", "input_file", "input_image", "input_text", "output_text", "refusal"])
"""Types of the parts of a message."""

_APP_ITEMS = frozenset(["additional_tools", "compaction_trigger", "configuration_update", "item_reference"])
"""Items that only the app makes, besides results and messages."""


def classify_item(item: dict[str, Any]) -> Kind:
    """Return who an item is from, and its kind: any other is a `model_item` or an `app_item`.

    A message may have no type. Results of tools that the server runs are items of the model.
    """
    kind, role = item.get("type"), item.get("role")
    if kind == "function_call":
        return "call"
    if kind == "function_call_output":
        return "result" if type(item.get("call_id")) is str else "app_item"
    if kind == "reasoning":
        return "reasoning" if type(item.get("summary")) is list else "model_item"
    if kind in (None, "message"):
        if role == "assistant":
            return "message" if type(item.get("content")) in (str, list) and item["content"] != [] else "model_item"
        if role == "user":
            return "user"
        return "system" if role in ("system", "developer") else "app_item"
    if type(kind) is not str or "role" in item or kind in _APP_ITEMS:
        return "app_item"
    served = item.get("execution") == "server" or kind == "program_output"
    return "app_item" if kind.endswith(("_output", "_response")) and not served else "model_item"


def content_part_kind(part: dict[str, Any]) -> str | None:
    """Return `text`, `image` or `document` for a part of a message or a result, or None for any other part.

    Content that is only an id at the provider has no meaning elsewhere.
    """
    kind = part.get("type")
    if kind == "input_text":
        return "text"
    if kind == "input_image":
        return "image" if part.get("image_url") is not None else None
    if kind == "input_file":
        return "document" if part.get("file_url") is not None or part.get("file_data") is not None else None
    return None


def has_opaque_client_call(parts: Sequence[Any], provider: str) -> bool:
    """Return whether a response asks the app to run something other than a function."""
    values = [part.value for part in parts if type(part) is OpaquePart and part.provider == provider]
    return any(type(value) is dict and _calls_client(value) for value in values)


def has_approval_request(parts: Sequence[Any], provider: str) -> bool:
    """Return whether a response waits for the app to approve a call that the API itself runs."""
    values = [part.value for part in parts if type(part) is OpaquePart and part.provider == provider]
    return any(type(value) is dict and value.get("type") == "mcp_approval_request" for value in values)


def _calls_client(item: dict[str, Any]) -> bool:
    """Return whether an item of the API is a call that the app must answer."""
    kind = item.get("type")
    if kind == "tool_search_call":
        return item.get("execution") == "client"
    return type(kind) is str and kind in _CLIENT_CALLS


def write_user_or_opaque_item(
    message: UserMessage, at: Path, writer: Writer, write: Callable[..., dict[str, Any]]
) -> Any:
    """Write a user message, or the item itself if the message contains an item of this wire."""
    if type(message.content) is list and len(message.content) == 1:
        (part,) = message.content
        if type(part) is OpaquePart and part.provider == writer.wire.name and type(part.value) is dict:
            kind = part.value.get("type")
            if type(kind) is str and kind not in _PARTS and classify_item(part.value) == "app_item":
                return part.value
    return write_user_or_opaque(message, at, writer, write)


def reasoning_text(item: dict[str, Any]) -> str:
    """Return the readable text of a reasoning item: its own text, then the summary."""
    texts = [part.get("text") for key in ("content", "summary") for part in objects_in(item.get(key))]
    return "".join(text for text in texts if type(text) is str)


def restore_reasoning_item(part: ReasoningPart, extras: Extras) -> dict[str, Any]:
    """Return the original reasoning item, if it still has the text of the part. Other text becomes its summary."""
    item: dict[str, Any] = {"type": "reasoning", **extras}
    if reasoning_text(item) != part.text or "summary" not in item:
        item.pop("content", None)
        item["summary"] = [{"type": "summary_text", "text": part.text}] if part.text else []
    return item


def program_callers(items: Sequence[Any]) -> dict[str, Any]:
    """Return the program of the model that made a call, by the id of the call. The result of the call repeats it."""
    calls = [item for item in items if type(item) is dict and "caller" in item and type(item.get("call_id")) is str]
    return {call["call_id"]: call["caller"] for call in calls if inner_extras(call, "caller").get("type") == "program"}


def make_assistant_message(parts: list[AssistantPart], reader: Reader) -> AssistantMessage:
    """Return the message for the items of one turn. A single text becomes a string.

    The extras record that it ends with reasoning.
    """
    reader.next_turn()
    link_calls_to_reasoning(parts, reader)
    only = parts[0]
    if len(parts) == 1 and type(only) is TextPart and only.text and only.metadata is None:
        return AssistantMessage(only.text)
    return AssistantMessage(
        parts, None, reader.as_metadata({"$sent": True} if type(parts[-1]) is ReasoningPart else {})
    )


def link_calls_to_reasoning(parts: list[AssistantPart], reader: Reader) -> None:
    """Record with each call the reasoning before it: the API accepts the id of a call only together with that."""
    reasoning_id = None
    for part in parts:
        if type(part) is ReasoningPart:
            reasoning_id = inner_extras(part.metadata or {}, reader.wire.name).get("id")
        elif type(part) is ToolCallPart and reasoning_id:
            merge_extras_into(part.call, reader.wire.name, {"$after": reasoning_id})


def without_unusable_id(
    item: dict[str, Any], call: ToolCall, items: list[Any], at: Path, writer: Writer
) -> dict[str, Any]:
    """Return the item of a call, without its id if the reasoning before it is not among the items of its message any more."""
    needed = None if writer.is_response or "id" not in item else writer.peek_extras(call.metadata).get("$after")
    if needed is None or any(type(other) is dict and other.get("id") == needed for other in items):
        return item
    writer.report_loss((at, "call"), "the id of an item", "dropped", "the API rejects it without its reasoning")
    return {key: value for key, value in item.items() if key != "id"}


def drop_reasoning_at_end(items: list[Any], message: tuple[Path, Extras | None] | None, writer: Writer) -> None:
    """Drop reasoning after which nothing of the model follows, as in a response that was cut off.

    `message` has the path and the metadata of the message before. What was read so stays.
    """
    while message is not None and items and _is_cut_reasoning(items[-1]):
        if "$sent" in writer.peek_extras(message[1]):
            break
        items.pop()
        reason = "the API rejects it without the item that it led to"
        writer.report_loss((message[0], "content"), "reasoning", "dropped", reason)


def _is_cut_reasoning(item: Any) -> bool:
    """Return whether an item is reasoning that the server did not complete. Some servers put it after the text."""
    is_cut = type(item) is dict and item.get("type") == "reasoning" and item.get("status") != "completed"
    return is_cut and classify_item(item) == "reasoning"


def write_message_item(content: list[Any], extras: Extras, part: AssistantPart) -> dict[str, Any]:
    """Return a message item with its content and extras. A new one gets the keys that the API requires."""
    item_extras = inner_extras(extras, "$around")
    if "$around" in inner_extras(item_extras, "content") and type(part) is TextPart:
        item: dict[str, Any] = {"role": "assistant", "content": part.text}
    else:
        item = {"role": "assistant", "content": content}
    if "$around" in extras:
        restore_extras(item, item_extras)
        return item
    return {"type": "message", "status": "completed", **item}


def write_short_message(part: Any, at: Path, writer: Writer) -> list[Any]:
    """Write text as a message in its short form."""
    if type(part) is RefusalPart:
        writer.report_loss((at, "type"), "a refusal", "rewritten", "it is sent as text")
    elif type(part) is not TextPart:
        writer.report_unsupported(at, writer.part_class_name(part, at), "warning")
        return []
    return [{"role": "assistant", "content": writer.write_text_part_as_string(part, at)}]


def write_reasoning_item(part: ReasoningPart, at: Path, writer: Writer, *, short: bool) -> list[Any]:
    """Write reasoning as the original item. Reasoning from elsewhere is dropped, except in a response."""
    extras = writer.own_extras(part.metadata, at)
    if extras or not short:
        return [restore_reasoning_item(part, extras)]
    writer.report_loss(at, "reasoning", "dropped", "the API only accepts its own items")
    return []


def add_required_item_keys(items: list[Any], response_id: str) -> None:
    """Add the keys that the API requires to the items of a response that was not read from this wire."""
    for i, item in enumerate(items):
        kind = item.get("type") if type(item) is dict else None
        if kind == "message" and "id" not in item:
            item["id"] = f"msg_{response_id}_{i}"
            for part in item["content"]:
                if type(part) is dict and part.get("type") == "output_text":
                    part.setdefault("annotations", [])
        elif kind == "reasoning":
            item.setdefault("id", f"rs_{response_id}_{i}")


def add_required_keys(wire: dict[str, Any], completion: Completion) -> dict[str, Any]:
    """Return a response with the keys that the client's types require but that have no meaning here."""
    failed = {"code": "server_error", "message": "the response failed"} if wire.get("status") == "failed" else None
    if completion.usage is not None:
        usage = wire["usage"]
        counted = {"cached_tokens": 0, "cache_write_tokens": 0}
        usage["input_tokens_details"] = counted | inner_extras(usage, "input_tokens_details")
        usage["output_tokens_details"] = {"reasoning_tokens": 0} | inner_extras(usage, "output_tokens_details")
    demanded_here = {"error": failed, "incomplete_details": None, "instructions": None, "metadata": {}}
    choices_here = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return {**demanded_here, **choices_here, **wire}
