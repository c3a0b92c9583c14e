"""What a request is for a client that holds the conversation itself: what is new of it, and what cannot be said."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

from ...models import (
    AllowedToolChoice,
    Loss,
    Request,
    ToolCall,
    ToolDefinition,
    ToolMessage,
    UserMessage,
)
from ..conversion.residue import within
from ..conversion.writer import OnLoss, Writer
from ..errors import ConversionError
from ..format.history import tool_calls_of
from ..paths import ROOT, Path, spelled
from .known_messages import KnownMessages
from .prompts import text_and_blobs

__all__ = ["HostedRequest", "hosted_request"]

_SENT = frozenset(["messages", "model", "tools", "tool_choice", "parallel_tool_calls", "stream", "metadata"])
"""Fields of a request that are looked at; all others are settings that a live session does not take with a message."""

_UNDERSCORE = re.compile(r"_([a-z])")


@dataclass(frozen=True, slots=True)
class HostedRequest:
    """A request piece by piece: keywords of a message, answers (and where they stand) by the ids of what they answer, tools.

    `tools` is None where the tools stay as they are, `prompt` where the user says nothing.
    """

    prompt: dict[str, Any] | None
    answers: dict[str, tuple[str, dict[str, Any]]]
    tools: list[Any] | None


def hosted_request(
    request: Request,
    known: KnownMessages,
    waiting: Mapping[str, ToolCall],
    writer: Writer,
    request_key: str,
    write_tools: Callable[..., list[Any]],
    write_result: Callable[..., dict[str, Any]],
) -> HostedRequest:
    """Write what is new of a request; `waiting` are the calls that wait, by the ids of their requests, which calls have
    under `request_key`.

    Raises:
        ConversionError: it cannot be sent as it is meant: a call that waits has no result, or there is nothing to send.
    """
    _report(request, writer)
    begin = known.new_in(request.messages, writer)
    said: list[tuple[Path, UserMessage]] = []
    answers: dict[str, tuple[str, dict[str, Any]]] = {}
    asked = _asked(request, waiting, request_key, writer)
    for i, message in enumerate(request.messages[begin:], begin):
        at: Path = ((ROOT, "messages"), i)
        if isinstance(message, UserMessage):
            said.append((at, message))
        elif isinstance(message, ToolMessage):
            for j, result in enumerate(message.results):
                here = ((at, "results"), j)
                if result.tool_call_id not in asked:
                    writer.lost(here, "a result", "dropped", "warning", "no call waits for it")
                    continue
                identifier, call = asked[result.tool_call_id]
                params = write_result(result, calls=[call], on_loss=_within(here, writer), on_unsupported="weaken")
                answers[identifier] = (spelled(here), params)
        else:
            writer.lost(at, "a system text", "dropped", "behaviour", "the client's session has its own, from when it was made")
    tools = _tools(request, writer, write_tools)
    prompt = text_and_blobs(said, writer) if said else None
    writer.finish()
    missing = [call.name for identifier, call in waiting.items() if identifier not in answers]
    if missing:
        raise ConversionError("messages", f"{len(missing)} calls of the answer before wait for their results")
    if not said and not answers:
        raise ConversionError("messages", "there is nothing to send: no new message of the user, and no call that waits")
    return HostedRequest(prompt, answers, tools)


def _report(request: Request, writer: Writer) -> None:
    """Report the settings that are not said with a message."""
    if request.parallel_tool_calls is False:
        writer.no_place((ROOT, "parallelToolCalls"), "parallelToolCalls", "behaviour")
    for field in fields(request):
        if field.name not in _SENT and getattr(request, field.name) not in (None, "text"):
            name = _UNDERSCORE.sub(lambda hit: hit[1].upper(), field.name)
            writer.no_place((ROOT, name), name, "warning" if field.name == "output_format" else "note")
    writer.own(request.metadata, ROOT)


def _asked(request: Request, waiting: Mapping[str, ToolCall], key: str, writer: Writer) -> dict[str, tuple[str, ToolCall]]:
    """The calls that wait, with the ids of their requests, by their ids in the request: who keeps it may have renamed them."""
    found = {call.id: (identifier, call) for identifier, call in waiting.items()}
    for message in request.messages:
        for call in tool_calls_of(message):
            identifier = within(call.metadata or {}, writer.wire.name).get(key)
            if type(identifier) is str and identifier in waiting:
                found[call.id] = (identifier, call)
    return found


def _tools(request: Request, writer: Writer, write: Callable[..., list[Any]]) -> list[Any] | None:
    """Each tool that the choice leaves on offer; None where the request says nothing of tools."""
    choice = request.tool_choice
    allowed: Collection[str] | None = None
    if isinstance(choice, AllowedToolChoice):
        allowed = choice.names
    if choice == "none":
        allowed = ()
    elif choice not in (None, "auto") and not (isinstance(choice, AllowedToolChoice) and choice.mode == "auto"):
        writer.no_place((ROOT, "toolChoice"), "toolChoice", "behaviour")
    if request.tools is None:
        return None
    written: list[Any] = []
    for i, tool in enumerate(request.tools):
        at: Path = ((ROOT, "tools"), i)
        if allowed is None or (isinstance(tool, ToolDefinition) and tool.name in allowed):
            written += write([tool], on_loss=_within(at, writer), on_unsupported="weaken")
    return written


def _within(at: Path, writer: Writer) -> OnLoss:
    """A listener that reports what is lost in a value, or in a list of it alone, which stands at a place of the request."""

    def heard(loss: Loss) -> None:
        inner = loss.path.removeprefix("[0]").removeprefix(".")
        writer.lost((at, inner) if inner else at, loss.what, loss.action, loss.severity, loss.reason)

    return heard
