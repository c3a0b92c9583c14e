"""The message order that APIs require: the results of a turn directly after its calls, in one message.

An API would reject a result whose call it does not get. Such a result becomes text (`describe_unpaired`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count, repeat
from typing import TypeAlias

from ..errors import check_list, wrong_class
from ..models import (
    AssistantMessage,
    AssistantPart,
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
from ..paths import ROOT, Path
from .extras import inner_extras, merge_extras_into
from .tool_results import describe_result
from .writer import Writer

__all__ = [
    "Placed",
    "check_messages",
    "describe_unpaired",
    "is_detached_result",
    "is_stored",
    "mark_unpaired_results",
    "order_for_api",
    "order_restoring_separate_results",
    "pair_results",
    "provider_call_ids",
    "results_of",
]

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
    opaque part, or stored at another one (`$sent` in the extras of the result).
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
    return "$sent" in inner_extras(result.metadata or {}, provider)


def _is_stored_elsewhere(result: ToolResult, provider: str) -> bool:
    return any(name != provider and is_stored(result, name) for name in result.metadata or ())


_MESSAGES = frozenset([SystemMessage, UserMessage, AssistantMessage, ToolMessage])
_CONTENTS = frozenset([str, list, type(None)])
_SEPARATE = frozenset(["$apart", "$within"])


def check_messages(messages: Sequence[Message], at: Path) -> None:
    """Check that a value is a list of messages, and that what the assistant said is a text or a list of parts.

    Raises:
        ConversionError: It is not.
    """
    check_list(messages, _MESSAGES, at, "messages", "a message such as UserMessage")
    if not _CONTENTS.issuperset([type(message.content) for message in messages if type(message) is AssistantMessage]):
        for i, message in enumerate(messages):
            if type(message) is AssistantMessage and type(message.content) not in _CONTENTS:
                raise wrong_class(((at, i), "content"), "a string or a list", message.content)


def order_for_api(
    messages: Sequence[Message], at: Path, writer: Writer, *, keeps_unpaired: bool = False
) -> list[Placed]:
    """Return the messages with the results of each turn directly after its calls, in one message.

    Messages between calls and results move after them, and are reported. A result that the API would reject, because it
    does not get its call or has another result of it, becomes text, which is reported. It stays a result if it was read
    like that, or if this wire `keeps_unpaired` results and no other provider has its call. Results that begin a list of
    only messages stay too, because their calls may have been converted before.
    """
    placed = _placed(messages, at)
    if _in_order(messages):
        return placed
    placed = _with_distinct_ids(_without_empty(placed, writer), writer)
    return describe_unpaired(_reordered(placed, writer), at, writer, keeps_unpaired=keeps_unpaired)


def order_restoring_separate_results(
    messages: Sequence[Message], at: Path, writer: Writer, *, server_has_calls: bool = False
) -> list[Placed]:
    """Return the messages like `order_for_api`, but keep results in separate messages if they were read so.

    Results were read separately from another message (`$apart`), or from the same one, after other content (`$within`).
    Adjacent messages with calls are one turn of these APIs: the results of all may follow the last one.
    If the server may have calls before the messages (`server_has_calls`), results before all assistant messages stay.
    """
    placed = _placed(messages, at)
    if _in_order(messages):
        return placed
    placed = _with_distinct_ids(_without_empty(placed, writer), writer)
    if not _are_separate(messages, writer):
        placed = _reordered(placed, writer, joins_turns=True)
    return describe_unpaired(placed, at, writer, server_has_calls=server_has_calls)


def mark_unpaired_results(messages: list[Message], provider: str) -> list[Message]:
    """Return messages that were read, with a mark (`$sent`) on results without their call, or beside another one of it.

    The provider may have the call, so it gets such a result back as it was.
    """
    if not _in_order(messages):
        for _, result, _, reason in pair_results(_placed(messages, ROOT), provider):
            if reason is not None:
                merge_extras_into(result, provider, {"$sent": True})
    return messages


def _placed(messages: Sequence[Message], at: Path) -> list[Placed]:
    return list(zip(messages, zip(repeat(at), count()), repeat(None)))


def _without_empty(placed: list[Placed], writer: Writer) -> list[Placed]:
    """Return the messages without those that should have results and have none."""
    for message, path, _ in placed:
        if type(message) is ToolMessage and len(message.results) == 0:
            writer.report_loss(path, "a message", "dropped", "it has no results")
    return [one for one in placed if type(one[0]) is not ToolMessage or one[0].results]


def _are_separate(messages: Sequence[Message], writer: Writer) -> bool:
    """Return whether some results were read separately, and each result has an earlier call."""
    called: set[str] = set()
    separate = False
    for message in messages:
        called.update(call_ids(message))
        if type(message) is ToolMessage:
            separate = separate or not _SEPARATE.isdisjoint(writer.peek_extras(message.metadata))
            if not called.issuperset(r.tool_call_id for r in message.results if not is_stored(r, writer.wire.name)):
                return False
    return separate


def call_ids(message: Message) -> list[str]:
    """Return the ids of the calls in a message."""
    if type(message) is not AssistantMessage or type(message.content) is not list:
        return []
    return [part.call.id for part in message.content if type(part) is ToolCallPart]


def is_detached_result(call_id: str, last: Message | None) -> bool:
    """Return whether a result does not directly follow the message with its call."""
    return type(last) is not AssistantMessage or call_id not in call_ids(last)


def _in_order(messages: Sequence[Message]) -> bool:
    """Return whether each message of results has one result of each call of the message before it, and no id repeats."""
    before: Message | None = None
    for message in messages:
        if type(message) is ToolMessage:
            if type(before) is not AssistantMessage or type(before.content) is not list:
                return False
            called = [part.call.id for part in before.content if type(part) is ToolCallPart]
            result_ids = {result.tool_call_id for result in message.results}
            if not 0 < len(result_ids) == len(called) == len(message.results) or result_ids != {*called}:
                return False
        before = message
    return True


Position: TypeAlias = tuple[int, int]
"""The indexes of a message and of a result in it."""


def _reordered(placed: list[Placed], writer: Writer, *, joins_turns: bool = False) -> list[Placed]:
    ordered: list[Placed] = []
    turns = _results_of_turns(placed, writer.wire.name, joins_turns)
    taken = {spot for spots in turns.values() for spot in spots}
    for i, (message, path, _) in enumerate(placed):
        if type(message) is ToolMessage:
            left = [(r, (((path, "results")), j)) for j, r in enumerate(message.results) if (i, j) not in taken]
            if len(left) == len(message.results):
                ordered.append((message, path, None))
            elif left:
                rest = ToolMessage([r for r, _ in left], message.metadata)
                ordered.append((rest, path, tuple(p for _, p in left)))
            continue
        ordered.append((message, path, None))
        gathered = [(j, k, results[k]) for j, k in turns.get(i, ()) if (results := _results(placed[j][0]))]
        if gathered:
            _report(placed, i, gathered, writer)
            paths = tuple(((placed[j][1], "results"), k) for j, k, _ in gathered)
            ordered.append((ToolMessage([result for _, _, result in gathered]), placed[gathered[0][0]][1], paths))
    return ordered


def _results_of_turns(placed: list[Placed], provider: str, joins_turns: bool) -> dict[int, list[Position]]:
    """Return where the results of each turn are, by the index of its message, for turns that they do not directly follow.

    The result of a call is the next one with its id, or one before all calls with this id.
    """
    positions = _result_positions(placed, provider)
    turns: dict[int, list[Position]] = {}
    met: set[str] = set()
    end = 0
    for i, (message, _, _) in enumerate(placed):
        found: list[Position] = []
        for key in dict.fromkeys(provider_call_ids(message, provider)):
            spots = positions.get(key) or deque()
            early = [spots.popleft() for _ in range(len(spots)) if spots[0][0] < i]
            if spots:
                found.append(spots.popleft())
            elif key not in met:
                found += [spot for spot in early[:1] if not _is_fixed(placed, *spot, provider)]
            met.add(key)
        end = max(end, i + 1)
        while joins_turns and end < len(placed) and call_ids(placed[end][0]):
            end += 1
        if not _directly_follow(found, placed, end):
            turns[i] = found
    return turns


def _result_positions(placed: list[Placed], provider: str) -> dict[str, deque[Position]]:
    """Return where the results of each id are. An opaque result of this provider is a user message."""
    found: dict[str, deque[Position]] = {}
    for j, (message, _, _) in enumerate(placed):
        for k, result in enumerate(_results(message)):
            found.setdefault(result.tool_call_id, deque()).append((j, k))
        if type(message) is UserMessage and type(message.content) is list and len(message.content) == 1:
            (part,) = message.content
            if type(part) is OpaquePart and part.provider == provider and type(part.value) is dict:
                key = part.value.get("call_id")
                if type(key) is str:
                    found.setdefault(key, deque()).append((j, 0))
    return found


def _is_fixed(placed: list[Placed], j: int, k: int, provider: str) -> bool:
    """Return whether a result is an opaque part, or was read without its call."""
    results = _results(placed[j][0])
    return not results or is_stored(results[k], provider)


def _results(message: Message) -> list[ToolResult]:
    return message.results if type(message) is ToolMessage else []


def _directly_follow(found: list[Position], placed: list[Placed], end: int) -> bool:
    """Return whether the results of a turn are in one message at its end, which may have results without a call.

    Opaque results of the turn may divide it into several.
    """
    indexes = sorted({j for j, _ in found})
    return indexes == list(range(end, end + len(indexes))) and not any(
        type(placed[j][0]) is ToolMessage and type(placed[j - 1][0]) is ToolMessage for j in indexes
    )


def _with_distinct_ids(placed: list[Placed], writer: Writer) -> list[Placed]:
    """Return the messages with new ids for calls whose id another call of their message has, and for their results."""
    distinct: list[Placed] = []
    used = {key for message, _, _ in placed for key in call_ids(message)}
    waiting: dict[str, deque[str]] = {}
    for message, path, paths in placed:
        ids = call_ids(message)
        for key in ids:
            waiting.pop(key, None)
        if len(set(ids)) < len(ids) and type(message) is AssistantMessage and type(message.content) is list:
            content: list[AssistantPart] = []
            for k, part in enumerate(message.content):
                if type(part) is ToolCallPart:
                    key = identifier = part.call.id
                    if key in waiting:
                        numbers = count(len(waiting[key]) + 1)
                        identifier = next(name for n in numbers if (name := f"{key}_{n}") not in used)
                        used.add(identifier)
                        at = ((((path, "content"), k), "call"), "id")
                        writer.report_loss(at, "a call's id", "rewritten", "another call of the message has it")
                        part = replace(part, call=replace(part.call, id=identifier))
                    waiting.setdefault(key, deque()).append(identifier)
                content.append(part)
            message = replace(message, content=content)
        elif type(message) is ToolMessage and not waiting.keys().isdisjoint(r.tool_call_id for r in message.results):
            results = [
                replace(r, tool_call_id=waiting[r.tool_call_id].popleft()) if waiting.get(r.tool_call_id) else r
                for r in message.results
            ]
            message = replace(message, results=results)
        distinct.append((message, path, paths))
    return distinct


def _report(placed: list[Placed], turn: int, gathered: list[tuple[int, int, ToolResult]], writer: Writer) -> None:
    """Report what moves so that the results of a turn directly follow its calls."""
    reason = "the results of a turn must directly follow its calls"
    for j in range(turn + 1, max(j for j, _, _ in gathered)):
        message, path, _ = placed[j]
        if type(message) is not ToolMessage:
            writer.report_loss(path, "a message", "moved", reason)
    for j, k, _ in gathered:
        if j < turn:
            writer.report_loss(((placed[j][1], "results"), k), "a result", "moved", reason)
