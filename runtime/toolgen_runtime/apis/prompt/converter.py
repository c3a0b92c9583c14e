"""Converter for the text protocol: tools in the system text, calls in assistant text, results in user text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...conversion.converter import TOOLS, SdkConverter, ValueReader
from ...conversion.extras import ABSENT, NO_EXTRAS
from ...conversion.reader import Reader, check_tools
from ...conversion.request_tools import check_tool_names
from ...conversion.values import read_list_or_null, write_list
from ...conversion.writer import OnLoss, OnUnsupported, Writer
from ...errors import wrong_type
from ...models import (
    AssistantMessage,
    Completion,
    Message,
    OpaquePart,
    ToolCall,
    ToolCallPart,
    ToolChoice,
    ToolDefinition,
    ToolResult,
)
from ...paths import ROOT, Path
from ...prompting.text_calls import accepted_names
from ...prompting.text_parser import CallMaker, parse_response_text, read_response_text
from ...prompting.tool_definitions_as_text import read_tool_entries, tool_entries_text
from ..selected_tools import write_selected_tools
from .assistant_text import AssistantTextWriter, read_text_response, write_text_response
from .messages import read_text_messages, write_results, write_text_messages

__all__ = ["PromptConverter"]


class PromptConverter(SdkConverter):
    """Converts to and from plain text: tools in the system text, calls in assistant text, results in user text."""

    RESPONSE_KEYS = frozenset(["content"])
    KEEPS_UNPAIRED_RESULTS = True

    read_tool_entry: ValueReader[ToolDefinition | OpaquePart]

    def collect_tool_entries(self, payload: Any) -> list[Any]:
        """Return the entries of single tools from the text of all."""
        return read_tool_entries(payload) if payload else []

    def accepted_declared_names(self) -> dict[str, str]:
        """Return the declared tools by each name that a text may use for them."""
        aliases = {alias: name for alias, name in self.wire.declared.aliases.items() if name in self.entries}
        return aliases | {name: name for name in self.entries}

    def tools(self, names: Sequence[str]) -> str:
        """Write some declared tools as text, in the given order.

        Args:
            names: The names of the tools, in the desired order.

        Returns:
            The text for the start of a system message.

        Raises:
            KeyError: A name is not that of a declared tool.
            TypeError: A name is not a string.
        """
        check_tool_names(names, self.entries, self.wire.title)
        return tool_entries_text([self.entries[name] for name in names])

    def to_tools(
        self,
        definitions: Sequence[ToolDefinition | OpaquePart],
        *,
        on_loss: OnLoss | None = None,
        on_unsupported: OnUnsupported = "error",
    ) -> str:
        """Write tool definitions as text for the start of a system message.

        Args:
            definitions: The tools.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The text; empty if there are no tools.

        Raises:
            ConversionError: A tool excludes this provider, or its schema cannot be written as JSON.
        """
        check_tools(definitions, ROOT)
        with Writer(self.wire, on_loss, on_unsupported, definitions, TOOLS) as writer:
            return tool_entries_text(write_list(definitions, ROOT, writer, self.write_tool_definition))

    def from_tools(
        self, wire: Any, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> list[ToolDefinition | OpaquePart]:
        """Read the tool definitions at the start of a system message.

        Args:
            wire: The JSON value of the wire.
            tools: Definitions of tools that the package does not declare, to decode their arguments.

        Returns:
            The definitions; empty if the text does not start with tools.

        Raises:
            ConversionError: The value is not a string.
        """
        if type(wire) is not str:
            raise wrong_type(ROOT, "a string", wire)
        return (
            read_list_or_null(read_tool_entries(wire), ROOT, Reader(self.wire, tools=tools), self.read_tool_entry) or []
        )

    def parse_text(
        self,
        text: str,
        tools: Iterable[ToolDefinition | OpaquePart] | None = None,
        untrusted: Iterable[str] = (),
        turn: int = 0,
    ) -> AssistantMessage:
        """Read the calls in the text of a model.

        A block that also occurs in one of the `untrusted` texts becomes a call that must not be run.

        Args:
            text: The text of the model.
            tools: The tools that the model was offered. If None, the declared ones.
            untrusted: Texts of tools and users. A block that also occurs in one of them is not run.
            turn: Index of the assistant message in the conversation, from 0. Synthetic ids contain it.

        Returns:
            The message, with text and calls in order.

        Raises:
            ConversionError: The text is not a string, or one of the tools is not an object of the format.

        Example:
            message = parse_text(text, untrusted=[page])
        """
        if not isinstance(text, str):
            raise wrong_type((ROOT, "text"), "a string", text)
        if tools is None:
            return parse_response_text(text, self.accepted_names(()), untrusted, CallMaker(turn, set()))
        offered = tuple(tools)
        check_tools(offered, (ROOT, "tools"))
        return read_response_text(text, offered, untrusted, turn)

    def to_tool_call(
        self, call: ToolCall, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> str:
        """Write a call of the history as text.

        Args:
            call: The call.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The text of the call, a block of its own.

        Raises:
            ConversionError: The arguments cannot be written as JSON.
        """
        with Writer(self.wire, on_loss, on_unsupported, call, ToolCall) as writer:
            message = AssistantMessage([ToolCallPart(call)])
            return AssistantTextWriter(writer, None).write_message(message, NO_EXTRAS, ROOT) or ""

    def to_tool_result(
        self, result: ToolResult, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> str:
        """Write a result of the history as text of a user message.

        Args:
            result: The result.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The text of the result.

        Raises:
            ConversionError: The value of the result cannot be written.
        """
        with Writer(self.wire, on_loss, on_unsupported, result, ToolResult) as writer:
            return write_results([(result, ROOT)], writer)

    def accepted_names(self, tools: Iterable[ToolDefinition | OpaquePart]) -> dict[str, str]:
        """Return the names that a text may use for the declared tools and for `tools`."""
        names_of_tools = accepted_names(tools)
        wire_names = {self.wire.wire_name(name): name for name in (*self.entries, *names_of_tools.values())}
        return self.accepted_declared_names() | names_of_tools | wire_names

    def read_messages(self, wire: Any, at: Path, reader: Reader) -> list[Message]:
        """Read the messages, without the tools before them."""
        return read_text_messages(wire, at, reader, self.read_tool_entry, self.accepted_names)[0]

    def write_messages(self, messages: Sequence[Message], at: Path, writer: Writer) -> list[Any]:
        """Write the messages."""
        return write_text_messages(messages, [], ABSENT, at, writer)

    def read_conversation(
        self, value: Any, at: Path, reader: Reader
    ) -> tuple[list[Message], list[ToolDefinition | OpaquePart] | None, ToolChoice | None, Any]:
        """Read the messages and the tools before them. The wire has no tool choice."""
        messages, tools, extra = read_text_messages(value, at, reader, self.read_tool_entry, self.accepted_names)
        return messages, tools, None, extra

    def write_conversation(
        self,
        messages: Sequence[Message],
        tools: Sequence[Any] | None,
        choice: ToolChoice | None,
        extra: Any,
        at: Path,
        writer: Writer,
    ) -> list[Any]:
        """Write the messages after the tools, except those that must not be called."""
        entries = write_selected_tools(tools, choice, at[0], writer, self.TOOL_CHOICES, self.write_tool_definition)
        return write_text_messages(messages, [] if entries is ABSENT else entries, extra, at, writer)

    def read_response(self, wire: dict[str, Any], at: Path, reader: Reader) -> Completion:
        """Read a response. It has no stop reason: it ended with calls, or normally."""
        return read_text_response(wire, at, reader, self.accepted_names(reader.tools))

    def to_response(
        self,
        completion: Completion,
        *,
        id: str | None = None,
        created: int | None = None,
        on_loss: OnLoss | None = None,
        on_unsupported: OnUnsupported = "error",
    ) -> Any:
        """Convert a completion to the text of a response.

        Args:
            completion: The completion.
            id: Ignored, because a text has no id.
            created: Ignored, because a text has no time.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The text as a string, or an object with it if the completion was read from one.

        Raises:
            ConversionError: The wire cannot express a value, and `on_unsupported` is "error".
        """
        return super().to_response(completion, id=id, created=created, on_loss=on_loss, on_unsupported=on_unsupported)

    def write_response(
        self, completion: Completion, identifier: str | None, created: int | None, writer: Writer
    ) -> Any:
        """Write a response as a string, or as an object if it was read from one."""
        return write_text_response(completion, writer)
