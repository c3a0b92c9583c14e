"""Converter for the Model Context Protocol: only tools, calls and results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...conversion.converter import NativeToolConverter, ObjectWriter, ValueReader, ValueWriter
from ...conversion.extras import inner_extras, merge_extras_into, restore_extras
from ...conversion.reader import Reader
from ...conversion.values import items_or_single, to_plain_object
from ...conversion.writer import OnLoss, OnUnsupported, Writer
from ...json_values import same_json
from ...models import ContentPart, OpaquePart, ToolCall, ToolDefinition, ToolResult
from ...paths import ROOT, Path
from .fields import (
    is_wrapper_schema,
    read_block_text,
    read_call_arguments,
    read_result_schema,
    unwrap_result_schema,
    wrap_result_schema,
    write_block_text,
    write_call_arguments,
    write_result_schema,
)
from .results import read_call_result, read_media_block, write_call_result, write_media_block

__all__ = ["McpConverter"]


class McpConverter(NativeToolConverter):
    """Converts tools, calls and results of the Model Context Protocol."""

    read_call_arguments = staticmethod(read_call_arguments)
    write_call_arguments = staticmethod(write_call_arguments)
    read_result_schema = staticmethod(read_result_schema)
    write_result_schema = staticmethod(write_result_schema)
    read_block_text = staticmethod(read_block_text)
    write_block_text = staticmethod(write_block_text)
    read_media_block = staticmethod(read_media_block)
    write_media_block = staticmethod(write_media_block)

    read_block: ValueReader[ContentPart]
    read_tool_call: Callable[[dict[str, Any], Path, Reader, str], ToolCall]
    sdk_call: Callable[..., dict[str, Any]]
    write_block: ValueWriter[Any]
    write_tool_call: ObjectWriter[ToolCall]

    def to_tool_result(
        self,
        result: ToolResult,
        *,
        tools: Iterable[ToolDefinition | OpaquePart] = (),
        on_loss: OnLoss | None = None,
        on_unsupported: OnUnsupported = "error",
    ) -> dict[str, Any]:
        """Convert a result to the response of `tools/call`.

        Args:
            result: The result.
            tools: Definitions of tools that the package does not declare, to decode their arguments.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The JSON object of the wire.

        Raises:
            ConversionError: The value of the result cannot be written.
        """
        with Writer(self.wire, on_loss, on_unsupported, result, ToolResult) as writer:
            extras = writer.own_extras(result.metadata, ROOT)
            wire = write_call_result(result, self.is_wrapped(result.name, tools), extras, writer, self.write_block)
            restore_extras(wire, extras)
            return wire

    def from_tool_result(
        self, result: Any, tool_call_id: str, name: str, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> ToolResult:
        """Convert a result: its JSON, or the official client's object.

        Args:
            result: The result.
            tool_call_id: The id of the call.
            name: The name of the tool.
            tools: Definitions of tools that the package does not declare, to decode their arguments.

        Returns:
            The result.

        Raises:
            ConversionError: The value asks for input instead of a result, or a value has the wrong JSON type.
        """
        reader = Reader(self.wire, tools=tools)
        wire = to_plain_object(result, ROOT)
        kind, value, is_error, extras = read_call_result(
            wire, self.is_wrapped(name, tools), ROOT, reader, self.read_block
        )
        return ToolResult(tool_call_id, name, kind, value, is_error, metadata=reader.as_metadata(extras))

    def is_wrapped(self, name: str, tools: Iterable[ToolDefinition | OpaquePart]) -> bool | None:
        """Return whether a tool's values are wrapped in an object on the wire, or None if it has no schema."""
        for tool in tools:
            if type(tool) is ToolDefinition and tool.name == name and tool.result is not None:
                extra = inner_extras(inner_extras(tool.metadata or {}, self.wire.name), "outputSchema")
                schema = extra.get("$whole")
                is_original = type(schema) is dict and same_json(unwrap_result_schema(schema), tool.result)
                return is_wrapper_schema(schema if is_original else wrap_result_schema(tool.result))
        schema = self.entries.get(name, {}).get("outputSchema")
        return None if schema is None else is_wrapper_schema(schema)

    def to_sdk(
        self, call: ToolCall, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> dict[str, Any]:
        """Convert a call to keyword arguments for the official client.

        Args:
            call: The call.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The keyword arguments for the client's method.

        Raises:
            ConversionError: As for `to_tool_call`.
        """
        with Writer(self.wire, on_loss, on_unsupported, call, ToolCall) as writer:
            return self.sdk_call(self.write_tool_call(call, ROOT, writer), self.SDK_KEYWORDS, writer)

    def from_tool_call(
        self,
        wire: Any,
        id: str | None = None,
        *,
        turn: int = 0,
        tools: Iterable[ToolDefinition | OpaquePart] = (),
    ) -> ToolCall:
        """Convert a call: its JSON, or the official client's object.

        Args:
            wire: The JSON value of the wire.
            id: The id of the call, because the wire has none. If None, a synthetic id is made from `turn`.
            turn: Index of the assistant message in the conversation, from 0. Synthetic ids contain it.
            tools: Definitions of tools that the package does not declare, to decode their arguments.

        Returns:
            The call. If its `invalid` is set, it must not be run.

        Raises:
            ConversionError: A value has the wrong JSON type.
        """
        return self.read_single_call(to_plain_object(wire, ROOT), id, ROOT, Reader(self.wire, turn, tools))

    def from_tool_calls(
        self, response: Any, turn: int = 0, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> list[ToolCall]:
        """Convert a list of calls, or a single call.

        Args:
            response: The JSON of the calls, or the official client's objects.
            turn: Index of the assistant message in the conversation, from 0. Synthetic ids contain it.
            tools: Definitions of tools that the package does not declare, to decode their arguments.

        Returns:
            The calls, in the order of the model. A call with `invalid` set must not be run.

        Raises:
            ConversionError: As for `from_tool_call`.
        """
        reader = Reader(self.wire, turn, tools)
        return [
            self.read_single_call(to_plain_object(wire, at), None, at, reader)
            for wire, at in items_or_single(response, ROOT)
        ]

    def read_single_call(self, wire: dict[str, Any], requested_id: str | None, at: Path, reader: Reader) -> ToolCall:
        """Read a call with the given id, or with a synthetic one, which is marked."""
        identifier = reader.assign_call_id(requested_id, (at, "id"))
        call = self.read_tool_call(wire, at, reader, identifier)
        if identifier != requested_id:
            merge_extras_into(call, reader.wire.name, {"$synthetic": identifier})
        return call
