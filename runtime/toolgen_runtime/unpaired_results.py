"""Results and their calls: which results an API would reject because it does not get their call, and what it gets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, repeat
from typing import TypeAlias

from .conversion.extras import inner_extras
from .conversion.writer import Writer
from .models import (
    AssistantMessage,
    ContentPart,
    Message,
    OpaquePart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from .paths import ROOT, Path
from .tool_results import describe_result

__all__ = ["Placed", "describe_unpaired", "is_stored", "pair_results", "provider_call_ids", "results_of"]

Placed: TypeAlias = tuple[Message, Path, tuple[Path, ...] | None]
"""A message, its path in the given value, and the paths of its results if they came from elsewhere."""

_HAS_RESULT = "its call has another result"
_FOREIGN = "its call is another provider's own, and is not sent"
_UNKNOWN = "its call is not in the history"


def results_of(message: ToolMessage, at: Path, paths: tuple[Path, ...] | None) -> Iterable[tuple[ToolResult, Path]]:
    """Return the results of a message, each with its path."""
    if paths is not None:
        return zip(message.results, paths, strict=True)
    return zip(message.results, zip(repeat((at, "results")), count()), strict=False)


def provider_call_ids(message: Message, provider: str) -> list[str]:
    """Return the ids of the calls in a message, also of those that are opaque parts of this provider."""
    if type(message) is not AssistantMessage or type(message.content) is not list:
        return []
    found = [
        part.call.id
        if type(part) is ToolCallPart
        else _opaque_call_id(part)
        if type(part) is OpaquePart and part.provider == provider
        else None
        for part in message.content
    ]
    return [identifier for identifier in found if identifier is not None]


def _opaque_call_id(part: OpaquePart) -> str | None:
    """Return the id that a result of this part would have, if the part is a call."""
    if type(part.value) is not dict:
        return None
    identifier = part.value.get("call_id", part.value.get("id"))
    return identifier if type(identifier) is str else None


def pair_results(placed: list[Placed], provider: str) -> Iterator[tuple[int, ToolResult, Path, str | None]]:
    """Yield each result with the index of its message and its path, and the reason if it has no call.

    A result belongs to the last call before it with its id. This provider does not get a call that is another provider's
    opaque part, or stored at another one (`$stored` in the extras of the result).
    """
    open_ids: set[str] = set()
    reasons: dict[str, str] = {}
    for i, (message, path, paths) in enumerate(placed):
        if type(message) is AssistantMessage and type(message.content) is list:
            foreign = [_opaque_call_id(part) for part in message.content if type(part) is OpaquePart]
            open_ids.difference_update(key for key in foreign if key is not None)
            reasons.update((key, _FOREIGN) for key in foreign if key is not None)
            ids = provider_call_ids(message, provider)
            open_ids.update(ids)
            reasons.update(zip(ids, repeat(_HAS_RESULT)))
        elif type(message) is ToolMessage:
            for result, there in results_of(message, path, paths):
                key = result.tool_call_id
                reason = None if key in open_ids else reasons.get(key, _UNKNOWN)
                open_ids.discard(key)
                yield i, result, there, _FOREIGN if reason and _is_stored_elsewhere(result, provider) else reason


def describe_unpaired(
    placed: list[Placed], at: Path, writer: Writer, *, keeps_unpaired: bool = False, server_has_calls: bool = False
) -> list[Placed]:
    """Return the messages with text for results that an API would reject. The text follows all results of the turn.

    If `server_has_calls`, a result without its call stays if no assistant message is before it, or a reference to
    something that the server has.
    """
    provider = writer.wire.name
    before = {SystemMessage, ToolMessage} if at == ROOT else set()
    if server_has_calls:
        before = {SystemMessage, ToolMessage, UserMessage}
    start = next((i for i, (message, _, _) in enumerate(placed) if type(message) not in before), len(placed))
    reference = len(placed)
    if server_has_calls:
        reference = next((i for i, (message, _, _) in enumerate(placed) if _is_own_item(message, provider)), reference)
    kept: dict[int, list[tuple[ToolResult, Path]]] = {}
    left: dict[int, list[str]] = {}
    for i, result, there, reason in pair_results(placed, provider):
        if (
            reason is None
            or is_stored(result, provider)
            or (keeps_unpaired and reason is not _FOREIGN)
            or (reason is _UNKNOWN and (i < start or i > reference))
        ):
            kept.setdefault(i, []).append((result, there))
        else:
            writer.report_loss(there, "a result", "described", reason, "warning")
            left.setdefault(i, []).append(describe_result(result))
    described: list[Placed] = []
    waiting: list[Placed] = []
    for i, (message, path, paths) in enumerate(placed):
        if type(message) is not ToolMessage:
            described += waiting
            waiting = []
        if i not in left:
            described.append((message, path, paths))
            continue
        if i in kept:
            rest = ToolMessage([result for result, _ in kept[i]], message.metadata)
            described.append((rest, path, tuple(there for _, there in kept[i])))
        else:
            writer.report_loss(path, "a message", "rewritten", "it becomes a message of the user")
        texts = left[i]
        content: str | list[ContentPart] = texts[0] if len(texts) == 1 else [TextPart(text) for text in texts]
        waiting.append((UserMessage(content), path, None))
    return described + waiting


def _is_own_item(message: Message, provider: str) -> bool:
    """Return whether a message is an item of the provider, such as a reference to what its server has."""
    parts = message.content if type(message) is UserMessage and type(message.content) is list else ()
    return any(type(part) is OpaquePart and part.provider == provider for part in parts)


def is_stored(result: ToolResult, provider: str) -> bool:
    """Return whether a result was read from this provider without its call, which the provider may have."""
    return "$stored" in inner_extras(result.metadata or {}, provider)


def _is_stored_elsewhere(result: ToolResult, provider: str) -> bool:
    return any(name != provider and is_stored(result, name) for name in result.metadata or ())
