"""The public functions of every provider's module, once: each binds those that its wire has a notion of.

A converter has three layers. This class has what all wires share; the class of an API (in `apis`) adds how messages,
results and answers are laid out there; and a class made from the provider's profile (in `wires`) adds facts, and a
reader and a writer for each object. `read_x` and `write_x` convert one object of the wire; they are called by
one another, and a class may override those of the class below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

from .clients import ByteKeys
from .conversion.extras import ABSENT, is_mark
from .conversion.reader import Reader
from .conversion.values import plain, read_list, write_list
from .conversion.wire import DeclaredTools, Wire, WireFacts
from .conversion.writer import OnLoss, OnUnsupported, Writer
from .errors import wrong_type
from .models import (
    ApiError,
    Completion,
    Message,
    OpaquePart,
    OutputSchema,
    Request,
    ToolCall,
    ToolCallPart,
    ToolChoice,
    ToolDefinition,
    ToolResult,
)
from .paths import ROOT, Path
from .responses import FinishReason, api_error
from .tool_selection import read_choice, write_choice, write_offered

__all__ = [
    "ApiConverter",
    "Converter",
    "ObjectReader",
    "ObjectWriter",
    "OutputFormatConverter",
    "SdkConverter",
    "ToolConverter",
    "ValueReader",
    "ValueWriter",
]

T = TypeVar("T")

ObjectReader: TypeAlias = Callable[[dict[str, Any], Path, Reader], T]
"""Reads an object of the wire; the path is its place there."""

ObjectWriter: TypeAlias = Callable[[T, Path, Writer], dict[str, Any]]
"""Writes a value of the format as an object of the wire; the path is the value's place in the format."""

ValueReader: TypeAlias = Callable[[Any, Path, Reader], T]
"""Reads a value of the wire that may be of any JSON type."""

ValueWriter: TypeAlias = Callable[[T, Path, Writer], Any]
"""Writes a value of the format; `ABSENT` where the wire has no place for it."""


class Converter:
    """Converts between the format and one provider's wire."""

    FACTS: ClassVar[WireFacts]
    TOOL_CHOICES: ClassVar[dict[str, Any]] = {}
    """The wire's spelling of each tool choice."""
    FINISH_REASONS: ClassVar[dict[str, FinishReason]] = {}
    """The format's reason for each word of the wire's."""
    ERRORS: ClassVar[dict[str, Any]] = {}
    """How the API's errors are recognized."""
    DEFAULTS: ClassVar[dict[str, Any]] = {}
    """What the wire demands and a request may lack."""
    DEFAULT_KEYS: ClassVar[tuple[str, ...]] = ()
    """The names under `DEFAULTS` that must be there."""
    SDK_KEYWORDS: ClassVar[frozenset[str]] = frozenset()
    """The keyword arguments of the official client's own call."""
    SDK_BYTES: ClassVar[ByteKeys]
    """What is base64 in the body, and bytes in the client."""

    client_data: Callable[[Any, Path], Any] = staticmethod(plain)
    """Turns an object of the official client into plain data."""
    sdk_call: Callable[..., dict[str, Any]]
    """Turns a body into keyword arguments of the official client's own call."""

    read_tool_entry: ValueReader[ToolDefinition | OpaquePart]
    write_tool_entry: ValueWriter[Any]
    read_request: ObjectReader[Request]
    write_request: ObjectWriter[Request]
    read_messages: Callable[[Any, Path, Reader], tuple[list[Message], Any]]
    write_messages: Callable[[Sequence[Message], Any, Path, Writer], list[Any]]
    read_response: ObjectReader[Completion]
    write_response: Callable[[Completion, str | None, int | None, Writer], Any]

    def __init__(self, declared: DeclaredTools | None = None) -> None:
        self.wire = Wire(self.FACTS, declared or DeclaredTools())
        self.entries: Mapping[str, Any] = dict(
            zip(self.wire.declared.names, self.entries_of(self.wire.declared.payload), strict=True)
        )

    def normalized(self, wire: Any) -> Any:
        """Bring a body to the one form that is read; most wires have no other."""
        return wire

    def entries_of(self, payload: Any) -> list[Any]:
        """The entries of single tools in the value of the wire's `tools`."""
        return list(payload)

    def to_tool_choice(
        self, choice: ToolChoice, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> Any:
        """Write a tool choice; None where it is said by leaving it out.

        Raises:
            ConversionError: the wire cannot keep the choice, and it was not allowed to weaken it.
        """
        writer = Writer(self.wire, on_loss, on_unsupported)
        written = self.write_tool_choice(choice, ABSENT, ROOT, writer)
        writer.finish()
        return None if written is ABSENT else written

    def from_tool_choice(self, wire: Any, *, tools: Iterable[ToolDefinition | OpaquePart] = ()) -> ToolChoice | None:
        """Read a tool choice; None for one that the format has no word for."""
        return self.read_tool_choice(self.normalized(wire), ROOT, Reader(self.wire, tools=tools))[0]

    def to_messages(
        self, messages: Sequence[Message], *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> list[Any]:
        """Write messages as the wire's own.

        Raises:
            ConversionError: a value cannot be written as it was meant.
        """
        writer = Writer(self.wire, on_loss, on_unsupported)
        written = self.write_messages(messages, ABSENT, ROOT, writer)
        writer.finish()
        return written

    def from_messages(self, wire: Any, *, tools: Iterable[ToolDefinition | OpaquePart] = ()) -> list[Message]:
        """Read the wire's messages; the assistant's are counted as turns from 0.

        Raises:
            ConversionError: a value has the wrong JSON type.
        """
        return self.read_messages(self.normalized(wire), ROOT, Reader(self.wire, tools=tools))[0]

    def to_request(
        self, request: Request, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> dict[str, Any]:
        """Write the body of a request, JSON-ready.

        Raises:
            ConversionError: a value cannot be written as it was meant.
        """
        writer = Writer(self.wire, on_loss, on_unsupported, tools=request.tools or ())
        written = self.write_request(request, ROOT, writer)
        writer.finish()
        return written

    def from_request(
        self, body: Any, model: str | None = None, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> Request:
        """Read the body of a request. `model` is its model where the body names none.

        Raises:
            ConversionError: a value has the wrong JSON type.
        """
        if type(body) is not dict:
            raise wrong_type(ROOT, "an object", body)
        request = self.read_request(self.normalized(body), ROOT, Reader(self.wire, tools=tools))
        if request.model is None:
            request.model = model
        return request

    def from_response(
        self, response: Any, turn: int = 0, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> Completion:
        """Read a response: its body, or the official client's object. `turn` counts the assistant messages before it.

        Raises:
            ConversionError: it is an API error (see `from_error`), or a value has the wrong JSON type.
        """
        return self.read_response(
            self.normalized(self.client_data(response, ROOT)), ROOT, Reader(self.wire, turn, tools)
        )

    def to_response(
        self,
        completion: Completion,
        *,
        id: str | None = None,
        created: int | None = None,
        on_loss: OnLoss | None = None,
        on_unsupported: OnUnsupported = "error",
    ) -> Any:
        """Write a response. `id` and `created` (seconds since 1970) stand in for what the completion lacks.

        Raises:
            ConversionError: a value cannot be written as it was meant.
        """
        writer = Writer(self.wire, on_loss, on_unsupported, answer=True)
        written = self.write_response(completion, id, created, writer)
        writer.finish()
        return written

    def from_tool_calls(
        self, response: Any, turn: int = 0, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> list[ToolCall]:
        """Read the calls of a response.

        Raises:
            ConversionError: as `from_response`.
        """
        content = self.from_response(response, turn, tools=tools).message.content
        return [part.call for part in content if type(part) is ToolCallPart] if type(content) is list else []

    def from_error(self, status: int, body: Any) -> ApiError:
        """Read an error that the API answered with. `body` is its JSON, or its text."""
        return api_error(self.wire.name, status, body, self.ERRORS)

    def read_tools(self, value: Any, at: Path, reader: Reader) -> tuple[list[ToolDefinition | OpaquePart] | None, Any]:
        """Read the tools on offer."""
        return read_list(None if value is ABSENT else value, at, reader, self.read_tool_entry), ABSENT

    def write_tools(self, definitions: Sequence[Any] | None, kept: Any, at: Path, writer: Writer) -> Any:
        """Write the tools on offer."""
        return ABSENT if definitions is None else write_list(definitions, at, writer, self.write_offered)

    def write_offered(self, definition: Any, at: Path, writer: Writer) -> Any:
        """Write a tool as its declaration offers it to this provider."""
        return write_offered(definition, at, writer, self.write_tool_entry)

    def read_tool_choice(self, value: Any, at: Path, reader: Reader) -> tuple[ToolChoice | None, Any]:
        """Read how the tools are to be used; what the table lacks is kept."""
        if value is None or value is ABSENT:
            return None, ABSENT
        return read_choice(value, reader, self.TOOL_CHOICES)

    def write_tool_choice(self, choice: ToolChoice | None, kept: Any, at: Path, writer: Writer) -> Any:
        """Write how the tools are to be used."""
        if choice is None:
            return ABSENT if is_mark(kept) else kept
        return write_choice(choice, kept, at, writer, self.TOOL_CHOICES)


class ToolConverter(Converter):
    """A converter of a wire on which tools, calls and results are objects."""

    write_tool_call: ObjectWriter[ToolCall]
    write_tool_result: ObjectWriter[ToolResult]

    def tools(self, *names: str) -> list[dict[str, Any]]:
        """The value of the wire's `tools` for some declared tools, in the order given; the entries are shared."""
        return [self.entries[name] for name in names]

    def to_tools(
        self,
        definitions: Sequence[ToolDefinition | OpaquePart],
        *,
        on_loss: OnLoss | None = None,
        on_unsupported: OnUnsupported = "error",
    ) -> list[Any]:
        """Write tool definitions as the wire's `tools`.

        Raises:
            ConversionError: a tool may not be sent to this provider, or its schema is not a schema.
        """
        writer = Writer(self.wire, on_loss, on_unsupported)
        written: list[Any] = self.write_tools(definitions, ABSENT, ROOT, writer)
        writer.finish()
        return written

    def from_tools(
        self, wire: Any, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> list[ToolDefinition | OpaquePart]:
        """Read the wire's `tools`; the provider's own tools stay opaque.

        Raises:
            ConversionError: a value has the wrong JSON type.
        """
        return self.read_tools(self.normalized(wire), ROOT, Reader(self.wire, tools=tools))[0] or []

    def to_tool_call(
        self, call: ToolCall, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> dict[str, Any]:
        """Write one call.

        Raises:
            ConversionError: its arguments hold what JSON cannot.
        """
        writer = Writer(self.wire, on_loss, on_unsupported)
        written = self.write_tool_call(call, ROOT, writer)
        writer.finish()
        return written

    def to_tool_result(
        self, result: ToolResult, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> dict[str, Any]:
        """Write one result.

        Raises:
            ConversionError: its value cannot be written, or the wire cannot keep its error flag.
        """
        writer = Writer(self.wire, on_loss, on_unsupported)
        written = self.write_tool_result(result, ROOT, writer)
        writer.finish()
        return written


class SdkConverter(Converter):
    """A converter of a wire whose requests an official client sends."""

    def to_sdk(
        self, request: Request, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> dict[str, Any]:
        """Write a request as keyword arguments of the official client's own call.

        Raises:
            ConversionError: a value cannot be written as it was meant.
        """
        body = self.to_request(request, on_loss=on_loss, on_unsupported=on_unsupported)
        return self.sdk_call(body, self.SDK_KEYWORDS)


class ApiConverter(ToolConverter, SdkConverter):
    """A converter of an API that an official client calls."""


class OutputFormatConverter(ApiConverter):
    """A converter of an API that takes the format of its answers as one object."""

    OUTPUT_FORMATS: ClassVar[dict[str, Any]]
    """The wire's spelling of the output formats `text` and `json`, and under `schema` the type of those with a schema."""

    read_output_schema: ObjectReader[OutputSchema]
    write_output_schema: ObjectWriter[OutputSchema]

    def read_output_format(
        self, value: Any, at: Path, reader: Reader
    ) -> tuple[Literal["text", "json"] | OutputSchema | None, Any]:
        """Read what the answer shall be; what is not one of the format's is kept."""
        if value is None or value is ABSENT:
            return None, ABSENT
        if value == self.OUTPUT_FORMATS["text"]:
            return "text", value
        if value == self.OUTPUT_FORMATS["json"]:
            return "json", ABSENT
        if type(value) is dict and value.get("type") == self.OUTPUT_FORMATS["schema"]:
            return self.read_output_schema(value, at, reader), ABSENT
        return None, value

    def write_output_format(
        self, output_format: Literal["text", "json"] | OutputSchema | None, kept: Any, at: Path, writer: Writer
    ) -> Any:
        """Write what the answer shall be; text is what it is by default."""
        if output_format is None or output_format == "text":
            return kept if output_format is None or kept == self.OUTPUT_FORMATS["text"] else ABSENT
        if output_format == "json":
            return self.OUTPUT_FORMATS["json"]
        return self.write_output_schema(output_format, at, writer)
