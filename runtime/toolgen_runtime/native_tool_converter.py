"""Converters for wires on which tools, calls and results are objects of their own, which can be converted alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

from .conversion.extras import ABSENT
from .conversion.reader import Reader, check_tools
from .conversion.writer import OnLoss, OnUnsupported, Writer
from .converter import TOOLS, Converter, ObjectWriter, SdkConverter
from .models import (
    OpaquePart,
    OutputSchema,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from .paths import ROOT
from .request_tools import check_tool_names

__all__ = ["NativeToolConverter", "NativeToolSdkConverter", "OutputFormat"]

OutputFormat: TypeAlias = Literal["text", "json"] | OutputSchema | None


class NativeToolConverter(Converter):
    """A converter for a wire on which tools, calls and results are objects."""

    write_tool_call: ObjectWriter[ToolCall]
    write_tool_result: ObjectWriter[ToolResult]

    def tools(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Return the entries of some declared tools. They are shared, so do not change them.

        Args:
            names: The names of the tools, in the desired order.

        Returns:
            The value of `tools` in a request.

        Raises:
            KeyError: A name is not that of a declared tool.
            TypeError: A name is not a string.
        """
        try:
            return [*map(self.fixed_entry_of, names)]
        except (KeyError, TypeError):
            check_tool_names(names, self.entries, self.wire.title)
        found = [self.wire.declared.definitions[name] for name in names]
        return self.to_tools(found, on_loss=lambda loss: None, on_unsupported="weaken")

    def to_tools(
        self,
        definitions: Sequence[ToolDefinition | OpaquePart],
        *,
        on_loss: OnLoss | None = None,
        on_unsupported: OnUnsupported = "error",
    ) -> list[Any]:
        """Convert tool definitions to the wire.

        Args:
            definitions: The tools.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The value of `tools` in a request body.

        Raises:
            ConversionError: A tool excludes this provider, or its schema is not valid.
        """
        check_tools(definitions, ROOT)
        with Writer(self.wire, on_loss, on_unsupported, definitions, TOOLS) as writer:
            return list(self.write_tools(definitions, ABSENT, ROOT, writer))

    def from_tools(
        self, wire: Any, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> list[ToolDefinition | OpaquePart]:
        """Convert tool definitions from the wire.

        Args:
            wire: The JSON value of the wire.
            tools: Definitions of tools that the package does not declare, to decode their arguments.

        Returns:
            The definitions. The provider's own tools are opaque parts.

        Raises:
            ConversionError: A value has the wrong JSON type.
        """
        return self.read_tools(self.normalize_body(wire), ROOT, Reader(self.wire, tools=tools))[0] or []

    def to_tool_call(
        self, call: ToolCall, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> dict[str, Any]:
        """Convert a call to the wire.

        Args:
            call: The call.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The JSON object of the wire.

        Raises:
            ConversionError: The arguments cannot be written as JSON.
        """
        with Writer(self.wire, on_loss, on_unsupported, call, ToolCall) as writer:
            return self.write_tool_call(call, ROOT, writer)

    def to_tool_result(
        self, result: ToolResult, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> dict[str, Any]:
        """Convert a result to the wire.

        Args:
            result: The result.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The JSON object of the wire.

        Raises:
            ConversionError: The value cannot be written, or the wire cannot express the error flag.
        """
        with Writer(self.wire, on_loss, on_unsupported, result, ToolResult) as writer:
            return self.write_tool_result(result, ROOT, writer)


class NativeToolSdkConverter(NativeToolConverter, SdkConverter):
    """A converter for an API with an official client, on whose wire tools, calls and results are objects."""
