"""The part of a request that is sent to a stateful client."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

from ...conversion.request_tools import report_lost_choice
from ...conversion.wire import ProviderWire
from ...conversion.writer import OnLoss, Writer
from ...errors import ConversionError
from ...history import text_of, tool_calls_of
from ...models import (
    AllowedToolChoice,
    ApiError,
    AssistantMessage,
    AudioPart,
    DocumentPart,
    ImagePart,
    Loss,
    Message,
    OpaquePart,
    Request,
    TextPart,
    ToolCall,
    ToolDefinition,
    ToolMessage,
    UserMessage,
    VideoPart,
)
from ...paths import ROOT, Path, format_path
from .stream import CopilotStream

__all__ = [
    "KnownMessages",
    "SessionInput",
    "StatefulProviderModule",
    "write_prompt_and_attachments",
    "write_session_input",
]

_USUAL: dict[type, str] = {
    ImagePart: "image/png",
    AudioPart: "audio/wav",
    VideoPart: "video/mp4",
    DocumentPart: "application/octet-stream",
}
"""Default media types of parts that do not name one."""


def write_prompt_and_attachments(messages: Sequence[tuple[Path, UserMessage]], writer: Writer) -> dict[str, Any]:
    """Write messages, each with its path, as the arguments `prompt` and `attachments`. Base64 data becomes a blob.

    An opaque part of the provider is attached unchanged. A part that has only a URL is unsupported.
    """
    texts: list[str] = []
    attachments: list[Any] = []
    for at, message in messages:
        writer.own_extras(message.metadata, at)
        if message.name is not None:
            writer.report_unsupported((at, "name"), "name")
        parts = [TextPart(message.content)] if isinstance(message.content, str) else message.content
        pieces: list[str] = []
        for i, part in enumerate(parts):
            here = ((at, "content"), i)
            if isinstance(part, TextPart):
                pieces.append(part.text)
            elif (attachment := _attachment(part, writer)) is not None:
                attachments.append(attachment)
            else:
                writer.report_unsupported(here, part.type, "warning")
        texts.append("".join(pieces))
    if len(texts) > 1:
        writer.report_loss(messages[0][0], "messages", "rewritten", "they were joined into one prompt")
    prompt = "\n\n".join(texts)
    return {"prompt": prompt, "attachments": attachments} if attachments else {"prompt": prompt}


def _attachment(part: Any, writer: Writer) -> dict[str, Any] | None:
    """Return a part other than text as an attachment, or None if it cannot be one."""
    if isinstance(part, OpaquePart):
        return part.value if part.provider == writer.wire.name and type(part.value) is dict else None
    if part.data is None:
        return None
    blob = {"type": "blob", "data": part.data, "mimeType": part.media_type or _USUAL[type(part)]}
    return blob if part.name is None else {**blob, "displayName": part.name}


class KnownMessages:
    """Digests of the messages of the last request and of its response. Ids and metadata are not included."""

    def __init__(self) -> None:
        """Start with a client that has no messages."""
        self._digests: list[bytes] = []

    def first_new_index(self, messages: Sequence[Message], writer: Writer) -> int:
        """Return the index of the first message to send, after all known messages and after the last response.

        Earlier messages that the client does not have are reported, and so are messages that the client has and the
        request does not.

        Raises:
            ConversionError: There is such a message, and `on_unsupported` is "error".
        """
        same_count = 0
        for message, digest in zip(messages, self._digests, strict=False):
            if _digest(message) != digest:
                break
            same_count += 1
        indexes = [i for i, message in enumerate(messages) if isinstance(message, AssistantMessage)]
        begin = max(same_count, indexes[-1] + 1) if indexes else same_count
        if same_count < len(self._digests):
            reason = "the client continues its own conversation, but this is another one; open a new client"
            writer.report_loss((ROOT, "messages"), "a new conversation", "dropped", reason, "behaviour")
        for i in range(same_count, begin):
            reason = "the client holds the conversation itself, and this message is not part of it"
            writer.report_loss(((ROOT, "messages"), i), "a message", "dropped", reason, "behaviour")
        return begin

    def record(self, messages: Sequence[Message], response: AssistantMessage) -> None:
        """Record a request and its response."""
        self._digests = [_digest(message) for message in [*messages, response]]


def _digest(message: Message) -> bytes:
    """Return a digest of a message's content, or of its role alone if the content is nested too deeply."""
    content: Any
    if isinstance(message, AssistantMessage):
        content = [text_of(message), [(call.name, call.arguments) for call in tool_calls_of(message)]]
    elif isinstance(message, ToolMessage):
        content = [(result.name, result.kind, result.value) for result in message.results]
    else:
        content = message.content
    try:
        text = repr((message.role, content))
    except RecursionError:
        text = message.role
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class StatefulProviderModule(Protocol):
    """The part of a provider's module that sessions use."""

    WIRE: ProviderWire

    @property
    def Stream(self) -> type[CopilotStream]:
        """Return the class of its streams."""
        ...

    to_tools: Callable[..., list[Any]]
    to_tool_result: Callable[..., dict[str, Any]]
    from_error: Callable[..., ApiError]


_SENT = frozenset(["messages", "model", "tools", "tool_choice", "parallel_tool_calls", "stream", "metadata"])
"""Fields of a request that are used. A live session does not accept any other settings with a message."""

_UNDERSCORE = re.compile(r"_([a-z])")


@dataclass(frozen=True, slots=True)
class SessionInput:
    """The new part of a request: the prompt, the results (with their paths) by request id, and the tools.

    `tools` is None if the tools do not change, and `prompt` is None without a user message.
    """

    prompt: dict[str, Any] | None
    results: dict[str, tuple[str, dict[str, Any]]]
    tools: list[Any] | None


def write_session_input(
    request: Request,
    known_messages: KnownMessages,
    waiting: Mapping[str, ToolCall],
    writer: Writer,
    *,
    request_id_key: str,
    write_tools: Callable[..., list[Any]],
    write_result: Callable[..., dict[str, Any]],
) -> SessionInput:
    """Write the new part of a request.

    `waiting` has the waiting calls by request id, which the extras of calls have under `request_id_key`.

    Raises:
        ConversionError: The request cannot be sent: a waiting call has no result, or there is nothing to send.
    """
    _report_unsent_settings(request, writer)
    begin = known_messages.first_new_index(request.messages, writer)
    new_messages: list[tuple[Path, UserMessage]] = []
    results: dict[str, tuple[str, dict[str, Any]]] = {}
    asked = _asked(request, waiting, request_id_key, writer)
    for i, message in enumerate(request.messages[begin:], begin):
        at: Path = ((ROOT, "messages"), i)
        if isinstance(message, UserMessage):
            new_messages.append((at, message))
        elif isinstance(message, ToolMessage):
            results |= _write_results(message, at, asked, writer, write_result)
        else:
            reason = "the client's session already has the one that it was created with"
            writer.report_loss(at, "a system text", "dropped", reason, "behaviour")
    tools = _tools(request, writer, write_tools)
    prompt = write_prompt_and_attachments(new_messages, writer) if new_messages else None
    writer.report_remaining_losses()
    missing = [call.name for identifier, call in waiting.items() if identifier not in results]
    if missing:
        reason = f"{len(missing)} calls of the previous response are waiting for their results"
        raise ConversionError("messages", reason)
    if not new_messages and not results:
        raise ConversionError("messages", "there is nothing to send: no new user message and no waiting call")
    return SessionInput(prompt, results, tools)


def _write_results(
    message: ToolMessage,
    at: Path,
    asked: Mapping[str, tuple[str, ToolCall]],
    writer: Writer,
    write_result: Callable[..., dict[str, Any]],
) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the results of a message with their paths, by request id. Those of calls that do not wait are reported."""
    results: dict[str, tuple[str, dict[str, Any]]] = {}
    for i, result in enumerate(message.results):
        here = ((at, "results"), i)
        if result.tool_call_id not in asked:
            writer.report_loss(here, "a result", "dropped", "no call is waiting for it", "warning")
            continue
        request_id, call = asked[result.tool_call_id]
        params = write_result(result, calls=[call], on_loss=_within(here, writer), on_unsupported="weaken")
        results[request_id] = (format_path(here), params)
    return results


def _report_unsent_settings(request: Request, writer: Writer) -> None:
    """Report the settings, and the extras of the request, that cannot be sent with a message."""
    if request.parallel_tool_calls is False:
        writer.report_unsupported((ROOT, "parallelToolCalls"), "parallelToolCalls", "behaviour")
    for field in fields(request):
        if field.name not in _SENT and getattr(request, field.name) not in (None, "text"):  # text is the default
            name = _UNDERSCORE.sub(lambda hit: hit[1].upper(), field.name)
            writer.report_unsupported((ROOT, name), name, "warning" if field.name == "output_format" else "note")
    writer.own_extras(request.metadata, ROOT)


def _asked(
    request: Request, waiting: Mapping[str, ToolCall], key: str, writer: Writer
) -> dict[str, tuple[str, ToolCall]]:
    """Return the waiting calls with their request ids, by the ids in the history, which may have been renamed."""
    calls = {call.id: (identifier, call) for identifier, call in waiting.items()}
    for message in request.messages:
        for call in tool_calls_of(message):
            identifier = writer.peek_extras(call.metadata).get(key)
            if type(identifier) is str and identifier in waiting:
                calls[call.id] = (identifier, call)
    return calls


def _tools(request: Request, writer: Writer, write: Callable[..., list[Any]]) -> list[Any] | None:
    """Write the tools that the choice allows. Return None if the request has no tools."""
    choice = request.tool_choice
    allowed: Collection[str] | None = None
    if isinstance(choice, AllowedToolChoice):
        allowed = choice.names
    if choice == "none":
        allowed = ()
    elif choice not in (None, "auto") and not (isinstance(choice, AllowedToolChoice) and choice.mode == "auto"):
        writer.report_unsupported((ROOT, "toolChoice"), "toolChoice", "behaviour")
    report_lost_choice(request, ROOT, writer)
    if request.tools is None:
        return None
    written: list[Any] = []
    for i, tool in enumerate(request.tools):
        at: Path = ((ROOT, "tools"), i)
        if allowed is None or (isinstance(tool, ToolDefinition) and tool.name in allowed):
            written += write([tool], on_loss=_within(at, writer), on_unsupported="weaken")
    return written


def _within(at: Path, writer: Writer) -> OnLoss:
    """Return a callback that reports losses of a value, or of a list of it alone, at its path in the request."""

    def report(loss: Loss) -> None:
        inner = loss.path.removeprefix("[0]").removeprefix(".")
        writer.report_loss((at, inner) if inner else at, loss.what, loss.action, loss.reason, loss.severity)

    return report
