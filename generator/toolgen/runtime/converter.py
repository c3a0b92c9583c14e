"""The public functions of every provider's module, once: each binds those that its wire has a notion of.

A converter has three layers. This class has what all wires share; the class of an API (in `apis`) adds how messages,
results and answers are laid out there; and a class made from the provider's profile (in `wires`) adds facts, a reader and
a writer for each object. `read_x` and `write_x` convert one object; a class may override those of the class below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias, TypeVar

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
    "ListReader",
    "ListWriter",
    "ObjectReader",
    "ObjectWriter",
    "SdkConverter",
    "ToolConverter",
    "ValueReader",
    "ValueWriter",
]

T = TypeVar("T")

# Readers get the value's path on the wire, writers its path in the format; a value writer gives `ABSENT` where the wire
# has no place for the value.
ObjectReader: TypeAlias = Callable[[dict[str, Any], Path, Reader], T]
ObjectWriter: TypeAlias = Callable[[T, Path, Writer], dict[str, Any]]
ListReader: TypeAlias = Callable[[Any, Path, Reader], list[Any] | None]
ListWriter: TypeAlias = Callable[[Iterable[Any], Path, Writer], list[Any]]
ValueReader: TypeAlias = Callable[[Any, Path, Reader], T]
ValueWriter: TypeAlias = Callable[[T, Path, Writer], Any]


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
            zip(self.wire.declared.names, self.split_payload(self.wire.declared.payload), strict=True)
        )
        self.entry_of = self.entries.__getitem__
        self.crowded_out = self.wire.declared.crowded_out

    def normalize(self, wire: Any) -> Any:
        """Bring a body to the one form that is read; most wires have no other."""
        return wire

    def split_payload(self, payload: Any) -> list[Any]:
        """The entries of single tools in the value of the wire's `tools`."""
        return list(payload)

    def to_tool_choice(
        self, choice: ToolChoice, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> Any:
        """Write a tool choice; None where it is said by leaving it out.

        Args:
            choice: the choice to write.
            on_loss: called with each `Loss`; without it, a warning of Python's says what was lost.
            on_unsupported: "error" raises where the wire cannot keep what was asked for, "weaken" reports it.

        Raises:
            ConversionError: the wire cannot keep the choice, and it was not allowed to weaken it.
        """
        writer = Writer(self.wire, on_loss, on_unsupported)
        written = self.write_tool_choice(choice, ABSENT, ROOT, writer)
        writer.finish()
        return None if written is ABSENT else written

    def from_tool_choice(self, wire: Any, *, tools: Iterable[ToolDefinition | OpaquePart] = ()) -> ToolChoice | None:
        """Read a tool choice; None for one that the format has no word for.

        Args:
            wire: the value as the API has it.
            tools: definitions of tools that this package does not declare.
        """
        return self.read_tool_choice(self.normalize(wire), ROOT, Reader(self.wire, tools=tools))[0]

    def to_messages(
        self, messages: Sequence[Message], *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> list[Any]:
        """Write messages as the wire's own.

        Args:
            messages: messages of the format, in their order.
            on_loss: called with each `Loss`; without it, a warning of Python's says what was lost.
            on_unsupported: "error" raises where the wire cannot keep what was asked for, "weaken" reports it.

        Raises:
            ConversionError: a value cannot be written as it was meant.
        """
        writer = Writer(self.wire, on_loss, on_unsupported)
        written = self.write_messages(messages, ABSENT, ROOT, writer)
        writer.finish()
        return written

    def from_messages(self, wire: Any, *, tools: Iterable[ToolDefinition | OpaquePart] = ()) -> list[Message]:
        """Read the wire's messages; the assistant's are counted as turns from 0.

        Args:
            wire: the value as the API has it.
            tools: definitions of tools that this package does not declare.

        Raises:
            ConversionError: a value has the wrong JSON type.
        """
        return self.read_messages(self.normalize(wire), ROOT, Reader(self.wire, tools=tools))[0]

    def to_request(
        self, request: Request, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> dict[str, Any]:
        """Write the body of a request, JSON-ready.

        Args:
            request: the request to write.
            on_loss: called with each `Loss`; without it, a warning of Python's says what was lost.
            on_unsupported: "error" raises where the wire cannot keep what was asked for, "weaken" reports it.

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

        Args:
            body: the JSON body.
            model: the model, for a body that names none.
            tools: definitions of tools that this package does not declare.

        Raises:
            ConversionError: a value has the wrong JSON type.
        """
        if type(body) is not dict:
            raise wrong_type(ROOT, "an object", body)
        request = self.read_request(self.normalize(body), ROOT, Reader(self.wire, tools=tools))
        if request.model is None:
            request.model = model
        return request

    def from_response(
        self, response: Any, turn: int = 0, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> Completion:
        """Read a response.

        Args:
            response: the body of a response, or the official client's object.
            turn: the number of assistant messages before it; ids that are made here count by it.
            tools: definitions of tools that this package does not declare.

        Raises:
            ConversionError: it is an API error (see `from_error`), or a value has the wrong JSON type.
        """
        return self.read_response(
            self.normalize(self.client_data(response, ROOT)), ROOT, Reader(self.wire, turn, tools)
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
        """Write a response.

        Args:
            completion: the completion to write.
            id: the id of the response, where the completion has none.
            created: seconds since 1970, where the completion has none.
            on_loss: called with each `Loss`; without it, a warning of Python's says what was lost.
            on_unsupported: "error" raises where the wire cannot keep what was asked for, "weaken" reports it.

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

        Args:
            response: the body of a response, or the official client's object.
            turn: the number of assistant messages before it; ids that are made here count by it.
            tools: definitions of tools that this package does not declare.

        Raises:
            ConversionError: as `from_response`.
        """
        content = self.from_response(response, turn, tools=tools).message.content
        return [part.call for part in content if type(part) is ToolCallPart] if type(content) is list else []

    def from_error(self, status: int, body: Any) -> ApiError:
        """Read an error that the API answered with. `body` is its JSON, or its text.

        Args:
            status: the HTTP status.
            body: the JSON body.
        """
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
        if self.crowded_out and not self.crowded_out.isdisjoint(names):  # fewer tools leave each of them more room
            found = [self.wire.declared.definitions[name] for name in names]
            return self.to_tools(found, on_loss=lambda loss: None, on_unsupported="weaken")
        return list(map(self.entry_of, names))

    def to_tools(
        self,
        definitions: Sequence[ToolDefinition | OpaquePart],
        *,
        on_loss: OnLoss | None = None,
        on_unsupported: OnUnsupported = "error",
    ) -> list[Any]:
        """Write tool definitions as the wire's `tools`.

        Args:
            definitions: the tools to write.
            on_loss: called with each `Loss`; without it, a warning of Python's says what was lost.
            on_unsupported: "error" raises where the wire cannot keep what was asked for, "weaken" reports it.

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

        Args:
            wire: the value as the API has it.
            tools: definitions of tools that this package does not declare.

        Raises:
            ConversionError: a value has the wrong JSON type.
        """
        return self.read_tools(self.normalize(wire), ROOT, Reader(self.wire, tools=tools))[0] or []

    def to_tool_call(
        self, call: ToolCall, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> dict[str, Any]:
        """Write one call.

        Args:
            call: the call.
            on_loss: called with each `Loss`; without it, a warning of Python's says what was lost.
            on_unsupported: "error" raises where the wire cannot keep what was asked for, "weaken" reports it.

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

        Args:
            result: the result.
            on_loss: called with each `Loss`; without it, a warning of Python's says what was lost.
            on_unsupported: "error" raises where the wire cannot keep what was asked for, "weaken" reports it.

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

        Args:
            request: the request to write.
            on_loss: called with each `Loss`; without it, a warning of Python's says what was lost.
            on_unsupported: "error" raises where the wire cannot keep what was asked for, "weaken" reports it.

        Raises:
            ConversionError: a value cannot be written as it was meant.
        """
        body = self.to_request(request, on_loss=on_loss, on_unsupported=on_unsupported)
        return self.sdk_call(body, self.SDK_KEYWORDS)


class ApiConverter(ToolConverter, SdkConverter):
    """A converter of an API that an official client calls."""
