"""The public functions of all provider modules. Each module binds those that its wire supports.

A converter has three layers. This class contains what all wires share. The class of an API (in `apis`) adds how its
messages, results and responses are arranged. A class that is generated from the provider's profile (`wire.py` or
`hosts/<name>.py` there) adds facts, a reader and a writer for each object. `read_x` and `write_x` convert one object. A
class may override those of its base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

from ..errors import ConversionError, wrong_type
from ..models import (
    ApiError,
    Completion,
    Message,
    OpaquePart,
    OutputSchema,
    Request,
    ToolCall,
    ToolChoice,
    ToolDefinition,
    ToolResult,
    UserMessage,
)
from ..paths import ROOT, Path, format_path
from ..shipped_providers import API_OF
from .extras import ABSENT, UNREAD_CHOICE, merge_extras_into
from .fit_to_model import fit_body_to_model, fit_request_to_model
from .message_order import check_messages, mark_unpaired_results
from .reader import Reader, check_tools
from .request_tools import (
    check_request,
    check_tool_names,
    has_tools_for_provider,
    offers_chosen_tools,
    read_choice,
    report_choice_without_tools,
    report_lost_choice,
    without_rejected_output_format,
    write_choice,
    write_tool_with_provider_settings,
    write_tools,
)
from .responses import FinishReason, calls_in, classify_api_error
from .values import read_list_or_null, to_plain_object
from .wire import DeclaredToolFacts, ProviderWire, WireFacts
from .writer import OnLoss, OnUnsupported, Writer

__all__ = [
    "TOOLS",
    "Converter",
    "NativeToolConverter",
    "NativeToolSdkConverter",
    "ObjectReader",
    "ObjectWriter",
    "OutputFormat",
    "SdkConverter",
    "ValueReader",
    "ValueWriter",
]

_MESSAGE_KEYS = ("messages", "contents", "input")
"""The keys of bodies that have the messages."""

T = TypeVar("T")

MESSAGES: Any = list[Message]
TOOLS: Any = list[ToolDefinition | OpaquePart]
"""The types of arguments that are lists."""

# Readers get the value's path on the wire, writers its path in the format. A value writer returns `ABSENT` if the wire
# has no key for the value.
ObjectReader: TypeAlias = Callable[[dict[str, Any], Path, Reader], T]
ObjectWriter: TypeAlias = Callable[[T, Path, Writer], dict[str, Any]]
ValueReader: TypeAlias = Callable[[Any, Path, Reader], T]
ValueWriter: TypeAlias = Callable[[T, Path, Writer], Any]


class Converter:
    """Converts between the neutral format and the wire of one provider."""

    FACTS: ClassVar[WireFacts]
    TOOL_CHOICES: ClassVar[dict[str, Any]] = {}
    """The wire's value for each tool choice."""
    FINISH_REASONS: ClassVar[dict[str, FinishReason]] = {}
    """The format's stop reason for each stop reason of the wire."""
    RESPONSE_KEYS: ClassVar[frozenset[str]] = frozenset()
    """Keys of a response. A body without content and without all of them is not a response of this API."""
    ERRORS: ClassVar[dict[str, Any]] = {}
    """The table by which the API's errors are recognized."""
    DEFAULTS: ClassVar[dict[str, Any]] = {}
    """Values that the wire requires. They are written if the request does not set them."""
    DEFAULT_KEYS: ClassVar[tuple[str, ...]] = ()
    """The required keys of `DEFAULTS`."""
    CHOOSES_WITHOUT_TOOLS: ClassVar[bool] = False
    """Whether the API accepts a tool choice in a request without tools."""
    MISSING_USER_TEXT: ClassVar[str | None] = None
    """What the user says in a request that would have no message, unless the profile has a default `user`."""
    KEEPS_UNPAIRED_RESULTS: ClassVar[bool] = False
    """Whether results without a call, and further results of a call, are sent. Other APIs reject them."""
    SDK_KEYWORDS: ClassVar[frozenset[str]] = frozenset()
    """The arguments that the official client's call accepts."""

    client_data: Callable[[Any, Path], Any] = staticmethod(to_plain_object)
    """Converts an object of the official client to JSON data."""
    sdk_call: Callable[..., dict[str, Any]]
    """Converts a body to arguments for the official client's call."""

    read_tool_entry: ValueReader[ToolDefinition | OpaquePart]
    write_tool_entry: ValueWriter[Any]
    read_request: ObjectReader[Request]
    write_request: ObjectWriter[Request]
    read_messages: ValueReader[list[Message]]
    write_messages: Callable[[Sequence[Message], Path, Writer], list[Any]]
    read_response: ObjectReader[Completion]
    write_response: Callable[[Completion, str | None, int | None, Writer], Any]

    def __init__(self, declared: DeclaredToolFacts | None = None) -> None:
        declared = declared or DeclaredToolFacts()
        self.wire = ProviderWire(self.FACTS, declared)
        entries = self.collect_tool_entries(declared.payload)
        self.entries: Mapping[str, Any] = dict(zip(declared.names, entries, strict=True))
        self.wire.declared_entries = self.entries
        self.strict_if_fewer_tools = declared.strict_if_fewer_tools
        fixed = {name: entry for name, entry in self.entries.items() if name not in self.strict_if_fewer_tools}
        self.fixed_entry_of = fixed.__getitem__

    def normalize_body(self, wire: Any) -> Any:
        """Convert a body to the form that the readers expect. Most wires have only one form."""
        return wire

    def collect_tool_entries(self, payload: Any) -> list[Any]:
        """Return the entry of each declared tool in the value of the wire's `tools`."""
        return list(payload)

    def to_tool_choice(
        self, choice: ToolChoice, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> Any:
        """Convert a tool choice to the wire.

        Args:
            choice: The tool choice.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The JSON value of the wire. None if the choice is made by leaving the key out.

        Raises:
            ConversionError: The wire does not support the choice, and `on_unsupported` is "error".
        """
        with Writer(self.wire, on_loss, on_unsupported, choice, ToolChoice) as writer:
            written = self.write_tool_choice(choice, ROOT, writer)
            return None if written is ABSENT else written

    def from_tool_choice(self, wire: Any, *, tools: Iterable[ToolDefinition | OpaquePart] = ()) -> ToolChoice | None:
        """Convert a tool choice from the wire.

        Args:
            wire: The JSON value of the wire.
            tools: Definitions of tools that the package does not declare, whose names may be written differently on the wire.

        Returns:
            The tool choice. None if the format has no equivalent.
        """
        return self.read_tool_choice(self.normalize_body(wire), ROOT, Reader(self.wire, tools=tools))

    def to_messages(
        self, messages: Sequence[Message], *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> list[Any]:
        """Convert messages to the wire.

        Args:
            messages: The messages of a conversation, in order. Results that begin them stay results, because their
                calls may have been converted before.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The JSON messages of the wire. Their number may differ, because some wires merge or split messages.

        Raises:
            ConversionError: The wire cannot express a value, and `on_unsupported` is "error".
        """
        check_messages(messages, ROOT)
        with Writer(self.wire, on_loss, on_unsupported, messages, MESSAGES) as writer:
            return self.write_messages(messages, ROOT, writer)

    def from_messages(self, wire: Any, *, tools: Iterable[ToolDefinition | OpaquePart] = ()) -> list[Message]:
        """Convert messages from the wire.

        Args:
            wire: The JSON value of the wire.
            tools: Definitions of tools that the package does not declare, to decode their arguments.

        Returns:
            The messages. Assistant messages count as turns from 0, for synthetic ids.

        Raises:
            ConversionError: A value has the wrong JSON type.
        """
        messages = self.read_messages(self.normalize_body(wire), ROOT, Reader(self.wire, tools=tools))
        return messages if self.KEEPS_UNPAIRED_RESULTS else mark_unpaired_results(messages, self.wire.name)

    def to_request(
        self, request: Request, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> dict[str, Any]:
        """Convert a request to the JSON body for the API.

        Args:
            request: The request.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The body, ready for `json.dumps`.

        Raises:
            ConversionError: The wire cannot express a value, and `on_unsupported` is "error".

        Example:
            body = to_request(Request([UserMessage("Hi")], model="some-model"))
        """
        with Writer(self.wire, on_loss, on_unsupported, request, Request, tools=check_request(request)) as writer:
            return self.write_checked_request(request, writer)

    def write_checked_request(self, request: Request, writer: Writer) -> dict[str, Any]:
        """Write a request. If none of its messages is left, the user says the default for that, if there is one."""
        writer.was_read = not API_OF.keys().isdisjoint(request.metadata or ())
        writer.model_facts = self.wire.model_facts(request.model)
        has_messages = bool(request.messages)
        request = fit_request_to_model(request, writer)
        report_lost_choice(request, ROOT, writer)
        written = without_rejected_output_format(self.write_request(request, ROOT, writer), request, ROOT, writer)
        written = fit_body_to_model(written, request, writer)
        _report_reasoning_extras(request, writer)
        read = writer.peek_extras(request.metadata)  # a body that was read may continue a conversation of the server
        key = next((key for key in _MESSAGE_KEYS if written.get(key) == []), None)
        if key is None or read or not has_messages:
            return written
        reason, at = f"none is left beside the system text, and {self.wire.title} needs one", (ROOT, "messages")
        text = self.DEFAULTS.get("user", self.MISSING_USER_TEXT)
        if text is None:
            writer.report_loss(at, "messages", "dropped", reason, "warning")
            return written
        writer.report_loss((at, 0), "a message", "defaulted", reason)
        written[key] = self.write_messages([UserMessage(text)], at, writer)
        return written

    def from_request(
        self, body: Any, model: str | None = None, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> Request:
        """Convert the JSON body of a request.

        Args:
            body: The JSON body.
            model: The model, if the body does not name one.
            tools: Definitions of tools that the package does not declare, to decode their arguments.

        Returns:
            The request.

        Raises:
            ConversionError: A value has the wrong JSON type.
        """
        if type(body) is not dict:
            raise wrong_type(ROOT, "an object", body)
        reader = Reader(self.wire, tools=tools)
        request = self.read_request(self.normalize_body(body), ROOT, reader)
        if reader.unread_choice is not None:
            merge_extras_into(request, self.wire.name, {UNREAD_CHOICE: format_path(reader.unread_choice)})
        if not self.KEEPS_UNPAIRED_RESULTS:
            mark_unpaired_results(request.messages, self.wire.name)
        request.model = model if request.model is None else request.model
        if request.messages and [] in map(body.get, _MESSAGE_KEYS):
            merge_extras_into(request, self.wire.name, {"$sent": True})
        return request

    def from_response(
        self, response: Any, turn: int = 0, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> Completion:
        """Convert a response of the API.

        Args:
            response: The JSON body of a response, or the official client's response object.
            turn: Index of the assistant message in the conversation, from 0. Synthetic ids contain it.
            tools: Definitions of tools that the package does not declare, to decode their arguments.

        Returns:
            The completion. `completion.message` has the text and the calls, in the order of the model.

        Raises:
            ConversionError: The body is an API error (use `from_error`) or no response of this API, or a value has the
                wrong JSON type.
        """
        body = self.normalize_body(self.client_data(response, ROOT))
        completion = self.read_response(body, ROOT, Reader(self.wire, turn, tools))
        if completion.message.content is None and self.RESPONSE_KEYS and self.RESPONSE_KEYS.isdisjoint(body):
            expected = " or ".join(sorted(self.RESPONSE_KEYS))
            raise ConversionError("", f"must be a response of {self.wire.title}, found no key {expected}")
        return completion

    def to_response(
        self,
        completion: Completion,
        *,
        id: str | None = None,
        created: int | None = None,
        on_loss: OnLoss | None = None,
        on_unsupported: OnUnsupported = "error",
    ) -> dict[str, Any]:
        """Convert a completion to a response of the API, for apps that act as the provider.

        Args:
            completion: The completion.
            id: The id of the response, if the completion has none.
            created: The creation time in seconds since 1970, if the completion has none.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The JSON body of the response.

        Raises:
            ConversionError: The wire cannot express a value, and `on_unsupported` is "error".
        """
        with Writer(self.wire, on_loss, on_unsupported, completion, Completion, is_response=True) as writer:
            written: dict[str, Any] = self.write_response(completion, id, created, writer)
            return written

    def from_tool_calls(
        self, response: Any, turn: int = 0, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> list[ToolCall]:
        """Extract the tool calls from a response of the API.

        Args:
            response: The JSON body of a response, or the official client's response object.
            turn: Index of the assistant message in the conversation, from 0. Synthetic ids contain it.
            tools: Definitions of tools that the package does not declare, to decode their arguments.

        Returns:
            The calls, in the order of the model. A call with `invalid` set must not be run.

        Raises:
            ConversionError: As for `from_response`.
        """
        return calls_in(self.from_response(response, turn, tools=tools).message)

    def from_error(self, status: int, body: Any) -> ApiError:
        """Convert an error response of the API.

        Args:
            status: The HTTP status code.
            body: The body of the error response: JSON data, or text.

        Returns:
            The error: its kind, its message, and whether a retry may help.
        """
        return classify_api_error(self.wire.name, status, body, self.ERRORS)

    def read_tools(self, value: Any, at: Path, reader: Reader) -> tuple[list[ToolDefinition | OpaquePart] | None, Any]:
        """Read the offered tools. An empty list is also kept as an extra, because the API accepted it."""
        definitions = read_list_or_null(None if value is ABSENT else value, at, reader, self.read_tool_entry)
        return definitions, {"$whole": value} if value == [] else ABSENT

    def write_tools(self, definitions: Sequence[Any] | None, extra: Any, at: Path, writer: Writer) -> Any:
        """Write the offered tools."""
        if definitions is None:
            return ABSENT
        return write_tools(definitions, extra, at, writer, self.write_tool_definition)

    def write_tool_definition(self, definition: Any, at: Path, writer: Writer) -> Any:
        """Write a tool as its declaration offers it to this provider."""
        return write_tool_with_provider_settings(definition, at, writer, self.write_tool_entry)

    def read_tool_choice(self, value: Any, at: Path, reader: Reader) -> ToolChoice | None:
        """Read the tool choice. None for a value that is not in the table, such as a choice of the provider's own tools."""
        if value is None or value is ABSENT:
            return None
        choice = read_choice(value, reader, self.TOOL_CHOICES)
        if choice is None:
            reader.unread_choice = at
        return choice

    def write_tool_choice(self, choice: ToolChoice | None, at: Path, writer: Writer) -> Any:
        """Write the tool choice."""
        return ABSENT if choice is None else write_choice(choice, at, writer, self.TOOL_CHOICES)

    def has_choosable_tools(self, tools: Sequence[Any] | None) -> bool:
        """Return whether a request offers tools that a tool choice is about."""
        return has_tools_for_provider(tools, self.wire)

    def can_choose(self, choice: ToolChoice | None, tools: Sequence[Any] | None) -> bool:
        """Return whether a request offers tools, and one of those that a tool choice names, if it names any.

        An API that accepts a choice without tools also gets one beside tools that it must not get.
        """
        if self.CHOOSES_WITHOUT_TOOLS and not self.has_choosable_tools(tools):
            # The choice may be about tools of another provider, which are not sent.
            return all(type(tool) is ToolDefinition or tool.provider == self.wire.name for tool in tools or ())
        return self.has_choosable_tools(tools) and offers_chosen_tools(choice, tools, self.wire)

    def read_tool_choice_with_tools(
        self, value: Any, at: Path, reader: Reader, tools: Sequence[Any] | None
    ) -> ToolChoice | None:
        """Read the tool choice of a request."""
        return self.read_tool_choice(value, at, reader)

    def write_tool_choice_with_tools(
        self, choice: ToolChoice | None, at: Path, writer: Writer, tools: Sequence[Any] | None
    ) -> Any:
        """Write the tool choice of a request. Without its tools the API rejects it, so it is left out."""
        if choice is None or self.can_choose(choice, tools):
            return self.write_tool_choice(choice, at, writer)
        report_choice_without_tools(choice, at, writer, has_others=self.has_choosable_tools(tools))
        return ABSENT


class SdkConverter(Converter):
    """A converter for a wire whose requests an official client sends."""

    def to_sdk(
        self, request: Request, *, on_loss: OnLoss | None = None, on_unsupported: OnUnsupported = "error"
    ) -> dict[str, Any]:
        """Convert a request to keyword arguments for the official client.

        Args:
            request: The request.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.
            on_unsupported: What to do if the wire cannot express what is asked for: "error" raises, "weaken" reports a
                loss.

        Returns:
            The keyword arguments for the client's method.

        Raises:
            ConversionError: The wire cannot express a value, and `on_unsupported` is "error".
        """
        with Writer(self.wire, on_loss, on_unsupported, request, Request, tools=check_request(request)) as writer:
            return self.write_sdk_kwargs(request, writer)

    def write_sdk_kwargs(self, request: Request, writer: Writer) -> dict[str, Any]:
        """Write the keyword arguments for the official client."""
        return self.sdk_call(self.write_checked_request(request, writer), self.SDK_KEYWORDS)


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
        definitions = [self.wire.declared.definitions[name] for name in names]
        return self.to_tools(definitions, on_loss=lambda loss: None, on_unsupported="weaken")

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
        with Writer(self.wire, on_loss, on_unsupported, definitions, TOOLS, tools=definitions) as writer:
            return list(self.write_tools(definitions, ABSENT, ROOT, writer))

    def from_tools(
        self, wire: Any, *, tools: Iterable[ToolDefinition | OpaquePart] = ()
    ) -> list[ToolDefinition | OpaquePart]:
        """Convert tool definitions from the wire.

        Args:
            wire: The JSON value of the wire.
            tools: Definitions of tools that the package does not declare, whose names may be written differently on the wire.

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


def _report_reasoning_extras(request: Request, writer: Writer) -> None:
    """Report the extras of other providers' reasoning settings, unless the wire has such an object and has done it."""
    at: Path = (ROOT, "reasoning")
    metadata = request.reasoning.metadata if request.reasoning is not None else None
    if metadata and not any(loss.path.startswith(format_path((at, "metadata"))) for loss in writer.losses):
        writer.own_extras(metadata, at)
