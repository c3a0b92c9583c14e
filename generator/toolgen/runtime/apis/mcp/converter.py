"""The Model Context Protocol: tools, calls and results alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...conversion.extras import add_extras, extra_at, inner_extras, restore_extras
from ...conversion.reader import Reader
from ...conversion.values import plain
from ...conversion.writer import OnLoss, OnUnsupported, Writer
from ...converter import ToolConverter, ValueReader, ValueWriter
from ...models import ContentPart, OpaquePart, ToolCall, ToolDefinition, ToolResult
from ...paths import ROOT, Path
from .fields import is_wrapper, object_schema_of
from .results import read_call_result, write_call_result

__all__ = ["McpConverter"]


class McpConverter(ToolConverter):
    """The Model Context Protocol: tools, calls and results alone."""

    read_block: ValueReader[ContentPart]
    write_block: ValueWriter[Any]
    read_tool_call: Callable[[dict[str, Any], Path, Reader, str], ToolCall]

    def to_tool_result(
        self,
        result: ToolResult,
        *,
        tools: Iterable[ToolDefinition | OpaquePart] = (),
        on_loss: OnLoss | None = None,
        on_unsupported: OnUnsupported = "error",
    ) -> dict[str, Any]:
        """Write one result: what `tools/call` answers. `tools` are those that are not declared at build time.

        Args:
            result: the result.
            tools: definitions of tools that this package does not declare.
            on_loss: called with each `Loss`; without it, a warning of Python's says what was lost.
            on_unsupported: "error" raises where the wire cannot keep what was asked for, "weaken" reports it.

        Raises:
            ConversionError: its value cannot be written.
        """
        writer = Writer(self.wire, on_loss, on_unsupported)
        own = writer.own_extras(result.metadata, ROOT)
        wire = write_call_result(result, self.is_wrapped(result.name, tools), own, writer, self.write_block)
        restore_extras(wire, own)
        writer.finish()
        return wire

    def from_tool_result(
        self, result: Any, tool_call_id: str, name: str, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> ToolResult:
        """Read what a call gave: its JSON, or the official client's object. The caller says which call of which tool it was.

        Args:
            result: the result.
            tool_call_id: the id of the call that it answers.
            name: the name of the tool.
            tools: definitions of tools that this package does not declare.

        Raises:
            ConversionError: it asks for input instead, or a value has the wrong JSON type.
        """
        reader = Reader(self.wire, tools=tools)
        wire = plain(result, ROOT)
        kind, value, is_error, rest = read_call_result(
            wire, self.is_wrapped(name, tools), ROOT, reader, self.read_block
        )
        return ToolResult(tool_call_id, name, kind, value, is_error, metadata=reader.metadata(rest))

    def is_wrapped(self, name: str, tools: Iterable[ToolDefinition | OpaquePart]) -> bool | None:
        """Whether the values of a tool stand inside an object on the wire; None where no schema says it."""
        for tool in tools:
            if type(tool) is ToolDefinition and tool.name == name and tool.result is not None:
                kept = extra_at(inner_extras(tool.metadata or {}, self.wire.name), "outputSchema")
                return is_wrapper(object_schema_of(tool.result, kept))
        schema = self.entries.get(name, {}).get("outputSchema")
        return None if schema is None else is_wrapper(schema)

    def to_sdk(
        self, call: ToolCall, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> dict[str, Any]:
        """Write a call as keyword arguments of the official client's own call.

        Args:
            call: the call.
            on_loss: called with each `Loss`; without it, a warning of Python's says what was lost.
            on_unsupported: "error" raises where the wire cannot keep what was asked for, "weaken" reports it.

        Raises:
            ConversionError: as `to_tool_call`.
        """
        writer = Writer(self.wire, on_loss, on_unsupported)
        written = self.sdk_call(self.write_tool_call(call, ROOT, writer), self.SDK_KEYWORDS, writer)
        writer.finish()
        return written

    def from_tool_call(
        self,
        wire: Any,
        id: str | None = None,
        *,
        turn: int = 0,
        tools: Iterable[ToolDefinition | OpaquePart] = (),
    ) -> ToolCall:
        """Read one call: its JSON, or the official client's object.

        `id` is what the result shall refer to, for the wire has none; without one it is made of `turn`.

        Args:
            wire: the value as the API has it.
            id: the id of the response, where the completion has none.
            turn: the number of assistant messages before it; ids that are made here count by it.
            tools: definitions of tools that this package does not declare.

        Raises:
            ConversionError: a value has the wrong JSON type.
        """
        return self.read_single_call(plain(wire, ROOT), id, ROOT, Reader(self.wire, turn, tools))

    def from_tool_calls(
        self, response: Any, turn: int = 0, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> list[ToolCall]:
        """Read several calls, or one that stands without its list.

        Args:
            response: the body of a response, or the official client's object.
            turn: the number of assistant messages before it; ids that are made here count by it.
            tools: definitions of tools that this package does not declare.

        Raises:
            ConversionError: as `from_tool_call`.
        """
        reader = Reader(self.wire, turn, tools)
        wires = response if type(response) is list else [response]
        return [self.read_single_call(plain(wire, (ROOT, i)), None, (ROOT, i), reader) for i, wire in enumerate(wires)]

    def read_single_call(self, wire: dict[str, Any], given: str | None, at: Path, reader: Reader) -> ToolCall:
        """Read a call under an id that is given, or made here and marked so."""
        identifier, _ = reader.call_id(given, (at, "id"))
        call = self.read_tool_call(wire, at, reader, identifier)
        if identifier != given:
            add_extras(call, reader.wire.name, {"$synthetic": identifier})
        return call
