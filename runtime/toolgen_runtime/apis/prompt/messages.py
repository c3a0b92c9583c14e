"""Messages of the text protocol: tools at the start of the system text, results in user messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...conversion.extras import ABSENT, NO_EXTRAS, Extras, merge_extras_into, restore_extras, unmapped_members
from ...conversion.message_order import order_for_api, results_of
from ...conversion.reader import Reader
from ...conversion.values import Read, collect_texts, opaque_message, wire_message_of
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...models import (
    AssistantMessage,
    Message,
    OpaquePart,
    SystemMessage,
    TextPart,
    ToolDefinition,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from ...paths import Path
from ...prompting.text_calls import (
    ResultEntry,
    make_result,
    read_result_entries,
    result_entries_text,
    write_result_entry,
)
from ...prompting.tool_definitions_as_text import TOOLS_SEPARATOR, split_leading_tool_entries, tool_entries_text
from .assistant_text import AssistantTextWriter, read_assistant_text

__all__ = ["read_text_message", "read_text_messages", "write_results", "write_text_messages"]

_KNOWN = frozenset(["content", "role"])


def read_text_messages(
    wires: Any,
    at: Path,
    reader: Reader,
    read_tool: Read[ToolDefinition | OpaquePart],
    accepted_names: Callable[[Iterable[ToolDefinition | OpaquePart]], Mapping[str, str]],
) -> tuple[list[Message], list[ToolDefinition | OpaquePart] | None, Any]:
    """Read the messages, the tools before the first system text, and the extras of a message that has only tools.

    `accepted_names` returns the names of the tools in the assistant's text.

    Raises:
        ConversionError: A message is not an object, or its content is not a string.
    """
    if type(wires) is not list:
        raise wrong_type(at, "an array", wires)
    reader.used.clear()  # the text has the ids of an app or a model, so none stands for no id
    offered = _offered(wires[0] if wires else None)
    entries, text = offered or ([], "")
    tools = [read_tool(entry, ((at, 0), i), reader) for i, entry in enumerate(entries)]
    names = accepted_names([*reader.tools, *tools])
    has_only_tools = offered is not None and not text
    extras = unmapped_members(wires[0], _KNOWN) if has_only_tools else {}
    if text:
        wires = [{**wires[0], "content": text[len(TOOLS_SEPARATOR) :]}, *wires[1:]]
    indexes = range(1 if has_only_tools else 0, len(wires))
    messages = [read_text_message(wires[i], (at, i), reader, names) for i in indexes]
    return messages, None if offered is None else tools, extras or ABSENT


def _offered(first: Any) -> tuple[list[dict[str, Any]], str] | None:
    """Return the tools at the start of a system text, and the text after them, or None without tools."""
    if type(first) is not dict or first.get("role") != "system" or type(first.get("content")) is not str:
        return None
    entries_and_text = split_leading_tool_entries(first["content"])
    return (
        entries_and_text if entries_and_text is not None and entries_and_text[1][:1] in ("", TOOLS_SEPARATOR) else None
    )


def read_text_message(wire: Any, at: Path, reader: Reader, names: Mapping[str, str]) -> Message:
    """Read a message. A message of another role becomes an opaque part.

    Raises:
        ConversionError: The message is not an object, or its content is not a string.
    """
    if type(wire) is not dict:
        raise wrong_type(at, "an object", wire)
    role, content = wire.get("role"), wire.get("content", ABSENT)
    if role not in ("system", "user", "assistant"):
        return opaque_message(wire, reader)
    extras = unmapped_members(wire, _KNOWN)
    if role == "assistant":
        return _assistant(content, extras, at, reader, names)
    if type(content) is not str:
        raise wrong_type((at, "content"), "a string", content)
    if role == "system":
        return SystemMessage(content, metadata=reader.as_metadata(extras))
    entries = read_result_entries(content)
    if entries is None or any(entry.identifier is None for entry in entries):
        return UserMessage(content, metadata=reader.as_metadata(extras))
    results = [_result(entry, reader) for entry in entries]
    return ToolMessage(results, metadata=reader.as_metadata(extras))


def _assistant(content: Any, extras: Extras, at: Path, reader: Reader, names: Mapping[str, str]) -> AssistantMessage:
    """Read the content of an assistant message, which may be null."""
    if type(content) is str:
        message = read_assistant_text(content, names, reader)
    elif content is None:
        message = AssistantMessage(None)
        del extras["content"]
    else:
        raise wrong_type((at, "content"), "a string", content)
    merge_extras_into(message, reader.wire.name, extras)
    reader.next_turn()
    return message


def _result(entry: ResultEntry, reader: Reader) -> ToolResult:
    """Return a result, with the tool's own name."""
    name = reader.tool_name(entry.name)
    identifier, called = reader.match_result(entry.identifier or "", name)
    reader.note_result(identifier)
    return make_result(entry._replace(name=name or called), identifier)


def write_text_messages(
    messages: Sequence[Message], tool_entries: list[Any], extra: Any, at: Path, writer: Writer
) -> list[Any]:
    """Write messages, with entries of tools before the system text. A message of only tools gets the extras `extra`.

    Raises:
        ConversionError: A value has the wrong type, or cannot be written as JSON.
    """
    wires: list[Any] = []
    text_writer = AssistantTextWriter(writer)
    offer = tool_entries_text(tool_entries)
    for message, here, paths in order_for_api(messages, at, writer, keeps_unpaired=True):
        whole = wire_message_of(message, writer) if type(message) is UserMessage else ABSENT
        if whole is not ABSENT:
            wires.append(whole)
            continue
        extras = writer.own_extras(message.metadata, here)
        if getattr(message, "name", None) is not None:
            writer.report_unsupported((here, "name"), "name")
        if type(message) is AssistantMessage:
            wires.append(_message("assistant", text_writer.write_message(message, extras, here), extras))
        elif type(message) is ToolMessage:
            wires.append(_message("user", write_results(results_of(message, here, paths), writer), extras))
        elif type(message) is SystemMessage:
            text = _system(message, offer if not wires else "", here, writer)
            wires.append(_message("system", text, extras))
        elif type(message) is UserMessage:
            wires.append(_message("user", _user(message, here, writer), extras))
        else:
            raise wrong_type(here, "a message", message)
    if offer and not (messages and type(messages[0]) is SystemMessage):
        wires.insert(0, _message("system", offer, extra if type(extra) is dict else NO_EXTRAS))
    return wires


def _message(role: str, content: str | None, extras: Extras) -> dict[str, Any]:
    wire: dict[str, Any] = {"role": role, "content": content}
    restore_extras(wire, extras)
    return wire


def _system(message: SystemMessage, offer: str, at: Path, writer: Writer) -> str:
    """Write the system text after the tools. Text that looks like tools is changed, so that it is not read as tools."""
    text = _plain(message.content, (at, "content"), writer)
    if getattr(message, "cache", None):
        writer.report_unsupported((at, "cache"), "cache")
    if offer:
        return offer + TOOLS_SEPARATOR + text
    if _offered({"role": "system", "content": text}) is not None:
        writer.report_loss((at, "content"), "content", "rewritten", "it would be read as a list of tools", "warning")
        return " " + text
    return text


def _user(message: UserMessage, at: Path, writer: Writer) -> str:
    """Write the user's text. Text that looks like results is changed, so that it is not read as results."""
    text = _plain(message.content, (at, "content"), writer)
    if read_result_entries(text) is not None:
        writer.report_loss((at, "content"), "content", "rewritten", "it would be read as results of calls", "warning")
        return " " + text
    return text


def _plain(content: Any, at: Path, writer: Writer) -> str:
    """Return a text, or the joined texts of the parts."""
    if type(content) is str:
        return content
    texts = collect_texts(content, at, writer)
    writer.report_loss(at, "content", "rewritten", "the format has one text, so the texts were joined")
    return "".join(texts)


def write_results(results: Iterable[tuple[ToolResult, Path]], writer: Writer) -> str:
    """Write results as the text of a user message. Media in them are described.

    Raises:
        ConversionError: A value does not have the type of its kind, or cannot be written as JSON.
    """
    entries: list[dict[str, Any]] = []
    for result, at in results:
        writer.own_extras(result.metadata, at)
        entry = {**write_result_entry(result), "id": writer.call_id(result.tool_call_id)}
        entry["name"] = writer.tool_name(result.name, (at, "name")) if result.name else ""
        for i, part in enumerate(result.value if result.kind == "multimodal" else ()):
            if type(part) is TextPart:
                writer.write_text_part_as_string(part, ((at, "value"), i))
            else:
                writer.describe_part(part, ((at, "value"), i))
        entries.append(entry)
    return result_entries_text(entries)
