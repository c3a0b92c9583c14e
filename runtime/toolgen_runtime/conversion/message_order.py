"""The message order that APIs require: the results of a turn directly after its calls, in one message.

An API would reject a result whose call it does not get. Such a result becomes text (`describe_unpaired`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count, repeat
from typing import NamedTuple

from ..errors import check_list, wrong_class
from ..models import (
    AssistantMessage,
    AssistantPart,
    ContentPart,
    Message,
    OpaquePart,
    RefusalPart,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from ..paths import ROOT, Path
from .extras import inner_extras, merge_extras_into
from .reader import Reader
from .tool_results import describe_result
from .writer import Writer

__all__ = [
    "Placed",
    "call_ids",
    "check_messages",
    "is_detached_result",
    "mark_texts_behind_calls",
    "mark_unpaired_results",
    "order_for_api",
    "order_restoring_separate_results",
    "provider_call_ids",
    "results_of",
    "texts_before_calls",
]

_MESSAGES = frozenset([SystemMessage, UserMessage, AssistantMessage, ToolMessage])
_CONTENTS = frozenset([str, list, type(None)])
_SEPARATE = frozenset(["$apart", "$within"])

_HAS_RESULT = "its call has another result"
_FOREIGN = "its call is another provider's own, and is not sent"
_UNKNOWN = "its call is not in the history"


class Placed(NamedTuple):
    """A message and its path in the given value. `result_paths` are those of its results if they came from elsewhere."""

    message: Message
    path: Path
    result_paths: tuple[Path, ...] | None = None


class _PairedResult(NamedTuple):
    """A result in the message at `message_index`. `reason` says why it has no call; None if it has one."""

    message_index: int
    result: ToolResult
    path: Path
    reason: str | None


class _Position(NamedTuple):
    """The indexes of a message and of a result in it. An opaque result is the only part of its message."""

    message: int
    result: int


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
    if _is_ordered(messages):
        return placed
    placed = _with_distinct_ids(_without_empty(placed, writer), writer)
    return _with_unpaired_as_text(_reordered(placed, writer), at, writer, keeps_unpaired=keeps_unpaired)


def order_restoring_separate_results(
    messages: Sequence[Message], at: Path, writer: Writer, *, server_has_calls: bool = False
) -> list[Placed]:
    """Return the messages like `order_for_api`, but keep results in separate messages if they were read so.

    Results were read separately from another message (`$apart`), or from the same one, after other content (`$within`).
    Adjacent messages with calls are one turn of these APIs: the results of all may follow the last one.
    If the server may have calls before the messages (`server_has_calls`), results before all assistant messages stay.
    """
    placed = _placed(messages, at)
    if _is_ordered(messages):
        return placed
    placed = _with_distinct_ids(_without_empty(placed, writer), writer)
    if not _are_separate(messages, writer):
        placed = _reordered(placed, writer, joins_turns=True)
    return _with_unpaired_as_text(placed, at, writer, server_has_calls=server_has_calls)


def mark_unpaired_results(messages: list[Message], provider: str) -> list[Message]:
    """Mark results of a request that have no call, or share it with another result (`$sent`). Return the messages.

    The provider may have the call, so it gets such a result back as it was.
    """
    if not _is_ordered(messages):
        for paired in _pair_results(_placed(messages, ROOT), provider):
            if paired.reason is not None:
                merge_extras_into(paired.result, provider, {"$sent": True})
    return messages


def results_of(message: ToolMessage, at: Path, paths: tuple[Path, ...] | None) -> Iterable[tuple[ToolResult, Path]]:
    """Return the results of a message, each with its path: that of `paths`, else the one in the message."""
    if paths is not None:
        return zip(message.results, paths, strict=True)
    return zip(message.results, zip(repeat((at, "results")), count()), strict=False)


def call_ids(message: Message) -> list[str]:
    """Return the ids of the calls in a message."""
    if type(message) is not AssistantMessage or type(message.content) is not list:
        return []
    return [part.call.id for part in message.content if type(part) is ToolCallPart]


def provider_call_ids(message: Message, provider: str) -> list[str]:
    """Return the ids of the calls in a message, also of those that are opaque parts of this provider."""
    if type(message) is not AssistantMessage or type(message.content) is not list:
        return []
    ids: list[str | None] = []
    for part in message.content:
        if type(part) is ToolCallPart:
            ids.append(part.call.id)
        elif type(part) is OpaquePart and part.provider == provider:
            ids.append(_opaque_call_id(part))
    return [identifier for identifier in ids if identifier is not None]


def _opaque_call_id(part: OpaquePart) -> str | None:
    """Return the id that a result of this part would have, if the part is a call."""
    if type(part.value) is not dict:
        return None
    identifier = part.value.get("call_id", part.value.get("id"))
    return identifier if type(identifier) is str else None


def is_detached_result(call_id: str, last: Message | None) -> bool:
    """Return whether a result does not directly follow the message with its call."""
    return type(last) is not AssistantMessage or call_id not in call_ids(last)


def _placed(messages: Sequence[Message], at: Path) -> list[Placed]:
    return [Placed(message, (at, i)) for i, message in enumerate(messages)]


def _is_ordered(messages: Sequence[Message]) -> bool:
    """Return whether each message of results has one result of each call of the message before it, and no id repeats."""
    before: Message | None = None
    for message in messages:
        if type(message) is ToolMessage:
            if type(before) is not AssistantMessage or type(before.content) is not list:
                return False
            called = call_ids(before)
            result_ids = {result.tool_call_id for result in message.results}
            if not 0 < len(result_ids) == len(called) == len(message.results) or result_ids != {*called}:
                return False
        before = message
    return True


def _are_separate(messages: Sequence[Message], writer: Writer) -> bool:
    """Return whether some results were read separately, and each result has an earlier call."""
    provider = writer.wire.name
    called: set[str] = set()
    is_separate = False
    for message in messages:
        called.update(call_ids(message))
        if type(message) is ToolMessage:
            is_separate = is_separate or not _SEPARATE.isdisjoint(writer.peek_extras(message.metadata))
            if any(r.tool_call_id not in called and not _was_sent(r, provider) for r in message.results):
                return False
    return is_separate


def _was_sent(result: ToolResult, provider: str) -> bool:
    """Return whether a result was read from a request of this provider without its call, which the provider may have."""
    return "$sent" in inner_extras(result.metadata or {}, provider)


def _was_sent_to_another(result: ToolResult, provider: str) -> bool:
    return any(name != provider and _was_sent(result, name) for name in result.metadata or ())


def _without_empty(placed: list[Placed], writer: Writer) -> list[Placed]:
    """Return the messages without those that should have results and have none, which are reported."""
    filled: list[Placed] = []
    for entry in placed:
        if type(entry.message) is ToolMessage and len(entry.message.results) == 0:
            writer.report_loss(entry.path, "a message", "dropped", "it has no results")
        else:
            filled.append(entry)
    return filled


def _with_distinct_ids(placed: list[Placed], writer: Writer) -> list[Placed]:
    """Return the messages with new ids for calls whose id another call of their message has, and for their results."""
    distinct: list[Placed] = []
    used = {identifier for entry in placed for identifier in call_ids(entry.message)}
    waiting: dict[str, deque[str]] = {}  # by an id that repeats: the ids of its calls that have no result so far
    for entry in placed:
        message = entry.message
        ids = call_ids(message)
        for identifier in ids:
            waiting.pop(identifier, None)
        if len(set(ids)) < len(ids) and type(message) is AssistantMessage and type(message.content) is list:
            content = _with_distinct_call_ids(message.content, (entry.path, "content"), used, waiting, writer)
            message = replace(message, content=content)
        elif type(message) is ToolMessage:
            message = _with_distinct_result_ids(message, waiting)
        distinct.append(entry._replace(message=message))
    return distinct


def _with_distinct_call_ids(
    parts: list[AssistantPart], at: Path, used: set[str], waiting: dict[str, deque[str]], writer: Writer
) -> list[AssistantPart]:
    """Return the parts of a message with different ids for its calls, and add them to `used` and `waiting`."""
    distinct: list[AssistantPart] = []
    for i, part in enumerate(parts):
        if type(part) is ToolCallPart:
            original = identifier = part.call.id
            if original in waiting:
                numbers = count(len(waiting[original]) + 1)
                identifier = next(name for n in numbers if (name := f"{original}_{n}") not in used)
                used.add(identifier)
                path = (((at, i), "call"), "id")
                writer.report_loss(path, "a call's id", "rewritten", "another call of the message has it")
                part = replace(part, call=replace(part.call, id=identifier))
            waiting.setdefault(original, deque()).append(identifier)
        distinct.append(part)
    return distinct


def _with_distinct_result_ids(message: ToolMessage, waiting: dict[str, deque[str]]) -> ToolMessage:
    """Return a message whose results have the new ids of their calls, which no longer wait then."""
    if waiting.keys().isdisjoint(result.tool_call_id for result in message.results):
        return message
    results: list[ToolResult] = []
    for result in message.results:
        new_ids = waiting.get(result.tool_call_id)
        results.append(replace(result, tool_call_id=new_ids.popleft()) if new_ids else result)
    return replace(message, results=results)


def _reordered(placed: list[Placed], writer: Writer, *, joins_turns: bool = False) -> list[Placed]:
    """Return the messages with the results of each turn in one message after it. What moves is reported."""
    ordered: list[Placed] = []
    turns = _results_of_turns(placed, writer.wire.name, joins_turns=joins_turns)
    moved = {position for positions in turns.values() for position in positions}
    for i, entry in enumerate(placed):
        if type(entry.message) is ToolMessage:
            ordered += _without_moved(entry, entry.message, {j for message, j in moved if message == i})
            continue
        ordered.append(entry)
        results = {position: _result_at(placed, position) for position in turns.get(i, ())}
        gathered = {position: result for position, result in results.items() if result is not None}
        if gathered:
            _report_moves(placed, i, [*gathered], writer)
            first = next(iter(gathered))
            paths = tuple(_path_of(placed, position) for position in gathered)
            ordered.append(Placed(ToolMessage([*gathered.values()]), placed[first.message].path, paths))
    return ordered


def _without_moved(entry: Placed, message: ToolMessage, moved: set[int]) -> list[Placed]:
    """Return a message of results without those at the indexes `moved`; nothing if none remains."""
    if not moved:
        return [entry]
    remaining = [j for j in range(len(message.results)) if j not in moved]
    if not remaining:
        return []
    results = [message.results[j] for j in remaining]
    paths = tuple(((entry.path, "results"), j) for j in remaining)
    return [Placed(ToolMessage(results, message.metadata), entry.path, paths)]


def _report_moves(placed: list[Placed], turn: int, positions: list[_Position], writer: Writer) -> None:
    """Report what moves so that the results of a turn directly follow its calls."""
    reason = "the results of a turn must directly follow its calls"
    for entry in placed[turn + 1 : max(positions).message]:
        if type(entry.message) is not ToolMessage:
            writer.report_loss(entry.path, "a message", "moved", reason)
    for position in positions:
        if position.message < turn:
            writer.report_loss(_path_of(placed, position), "a result", "moved", reason)


def _results_of_turns(placed: list[Placed], provider: str, *, joins_turns: bool) -> dict[int, list[_Position]]:
    """Return where the results of each turn are, by the index of its message, for turns that they do not directly follow.

    The result of a call is the next one with its id, or one before all calls with this id.
    """
    positions = _result_positions(placed, provider)
    turns: dict[int, list[_Position]] = {}
    called: set[str] = set()
    end = 0
    for i, entry in enumerate(placed):
        of_turn: list[_Position] = []
        for identifier in dict.fromkeys(provider_call_ids(entry.message, provider)):
            queue = positions.get(identifier) or deque()
            early = [queue.popleft() for _ in range(len(queue)) if queue[0].message < i]
            if queue:
                of_turn.append(queue.popleft())
            elif identifier not in called:
                of_turn += [position for position in early[:1] if _may_move(placed, position, provider)]
            called.add(identifier)
        end = max(end, i + 1)
        while joins_turns and end < len(placed) and call_ids(placed[end].message):
            end += 1
        if not _directly_follow(of_turn, placed, end):
            turns[i] = of_turn
    return turns


def _result_positions(placed: list[Placed], provider: str) -> dict[str, deque[_Position]]:
    """Return where the results of each id are. An opaque result of this provider is a user message."""
    positions: dict[str, deque[_Position]] = {}
    for i, entry in enumerate(placed):
        message = entry.message
        if type(message) is ToolMessage:
            for j, result in enumerate(message.results):
                positions.setdefault(result.tool_call_id, deque()).append(_Position(i, j))
        elif type(message) is UserMessage and (identifier := _opaque_result_id(message, provider)) is not None:
            positions.setdefault(identifier, deque()).append(_Position(i, 0))
    return positions


def _opaque_result_id(message: UserMessage, provider: str) -> str | None:
    """Return the id of the call, if a message is an opaque result of this provider."""
    if type(message.content) is not list or len(message.content) != 1:
        return None
    (part,) = message.content
    if type(part) is not OpaquePart or part.provider != provider or type(part.value) is not dict:
        return None
    identifier = part.value.get("call_id")
    return identifier if type(identifier) is str else None


def _result_at(placed: list[Placed], position: _Position) -> ToolResult | None:
    """Return the result at a position. None if it is an opaque part."""
    message = placed[position.message].message
    return message.results[position.result] if type(message) is ToolMessage else None


def _path_of(placed: list[Placed], position: _Position) -> Path:
    return (placed[position.message].path, "results"), position.result


def _may_move(placed: list[Placed], position: _Position, provider: str) -> bool:
    """Return whether a result is neither an opaque part, nor was read without its call."""
    result = _result_at(placed, position)
    return result is not None and not _was_sent(result, provider)


def _directly_follow(positions: list[_Position], placed: list[Placed], end: int) -> bool:
    """Return whether the results of a turn are in one message at its end, which may have results without a call.

    Opaque results of the turn may divide it into several.
    """
    indexes = sorted({position.message for position in positions})
    return indexes == list(range(end, end + len(indexes))) and not any(
        type(placed[i].message) is ToolMessage and type(placed[i - 1].message) is ToolMessage for i in indexes
    )


def _pair_results(placed: list[Placed], provider: str) -> Iterator[_PairedResult]:
    """Yield each result, and the reason if it has no call.

    A result belongs to the last call before it with its id. This provider does not get a call that is another provider's
    opaque part, or that only another provider may have (`$sent` in its extras of the result).
    """
    open_ids: set[str] = set()
    reasons: dict[str, str] = {}
    for i, (message, path, result_paths) in enumerate(placed):
        if type(message) is AssistantMessage and type(message.content) is list:
            opaque_ids = [_opaque_call_id(part) for part in message.content if type(part) is OpaquePart]
            foreign_ids = [identifier for identifier in opaque_ids if identifier is not None]
            open_ids.difference_update(foreign_ids)
            reasons.update(zip(foreign_ids, repeat(_FOREIGN)))
            ids = provider_call_ids(message, provider)
            open_ids.update(ids)
            reasons.update(zip(ids, repeat(_HAS_RESULT)))
        elif type(message) is ToolMessage:
            for result, result_path in results_of(message, path, result_paths):
                identifier = result.tool_call_id
                reason = None if identifier in open_ids else reasons.get(identifier, _UNKNOWN)
                open_ids.discard(identifier)
                if reason is not None and _was_sent_to_another(result, provider):
                    reason = _FOREIGN
                yield _PairedResult(i, result, result_path, reason)


def _with_unpaired_as_text(
    placed: list[Placed], at: Path, writer: Writer, *, keeps_unpaired: bool = False, server_has_calls: bool = False
) -> list[Placed]:
    """Return the messages with text for results that an API would reject. The text follows all results of the turn.

    If `server_has_calls`, a result without its call stays if no assistant message is before it, or a reference to
    something that the server has.
    """
    provider = writer.wire.name
    indexes = _indexes_without_calls(placed, at, provider, server_has_calls=server_has_calls)
    results: dict[int, list[_PairedResult]] = {}
    texts: dict[int, list[str]] = {}
    for paired in _pair_results(placed, provider):
        if (
            paired.reason is None
            or _was_sent(paired.result, provider)
            or (keeps_unpaired and paired.reason is not _FOREIGN)
            or (paired.reason is _UNKNOWN and paired.message_index in indexes)
        ):
            results.setdefault(paired.message_index, []).append(paired)
        else:
            writer.report_loss(paired.path, "a result", "described", paired.reason, "warning")
            texts.setdefault(paired.message_index, []).append(describe_result(paired.result))
    written: list[Placed] = []
    waiting: list[Placed] = []
    for i, entry in enumerate(placed):
        message = entry.message
        if type(message) is not ToolMessage:
            written += waiting
            waiting = []
        if i not in texts:
            written.append(entry)
            continue
        if i in results:
            remaining = ToolMessage([paired.result for paired in results[i]], message.metadata)
            written.append(Placed(remaining, entry.path, tuple(paired.path for paired in results[i])))
        else:
            writer.report_loss(entry.path, "a message", "rewritten", "it becomes a message of the user")
        waiting.append(Placed(_user_message(texts[i]), entry.path))
    return written + waiting


def _indexes_without_calls(placed: list[Placed], at: Path, provider: str, *, server_has_calls: bool) -> set[int]:
    """Return the indexes of messages whose results may belong to calls that are not among the messages."""
    earlier: set[type[Message]] = {SystemMessage, ToolMessage} if at == ROOT or server_has_calls else set()
    if server_has_calls:
        earlier.add(UserMessage)
    end = len(placed)
    start = next((i for i, entry in enumerate(placed) if type(entry.message) not in earlier), end)
    indexes = set(range(start))
    if server_has_calls:
        reference = next((i for i, entry in enumerate(placed) if _is_own_item(entry.message, provider)), end)
        indexes.update(range(reference + 1, end))
    return indexes


def _is_own_item(message: Message, provider: str) -> bool:
    """Return whether a message is an item of the provider, such as a reference to what its server has."""
    parts = message.content if type(message) is UserMessage and type(message.content) is list else ()
    return any(type(part) is OpaquePart and part.provider == provider for part in parts)


def _user_message(texts: list[str]) -> UserMessage:
    content: str | list[ContentPart] = texts[0] if len(texts) == 1 else [TextPart(text) for text in texts]
    return UserMessage(content)


def mark_texts_behind_calls(parts: Iterable[AssistantPart], reader: Reader) -> None:
    """Mark the texts that the API itself has behind calls, so that `texts_before_calls` leaves them there."""
    is_behind = False
    for part in parts:
        if is_behind and type(part) is TextPart:
            merge_extras_into(part, reader.wire.name, {"$inline": True})
        is_behind = is_behind or type(part) is ToolCallPart


def texts_before_calls(parts: Sequence[AssistantPart], at: Path, writer: Writer) -> list[tuple[AssistantPart, Path]]:
    """Return the parts of an assistant message with their paths. Texts behind calls are moved before the first one.

    The APIs of Anthropic's models reject text between calls and their results.
    """
    first = next((i for i, part in enumerate(parts) if type(part) is ToolCallPart), len(parts))
    moved = [i for i, part in enumerate(parts) if i > first and _is_text_to_move(part, writer)]
    for i in moved:
        writer.report_loss((at, i), "a text", "moved", "text must come before calls")
    others = [i for i in range(first, len(parts)) if i not in moved]
    return [(parts[i], (at, i)) for i in (*range(first), *moved, *others)]


def _is_text_to_move(part: AssistantPart, writer: Writer) -> bool:
    """Return whether a part behind a call is text that was not read there from the API itself."""
    if type(part) is not TextPart and type(part) is not RefusalPart:
        return False
    return bool(part.text.strip()) and "$inline" not in writer.peek_extras(part.metadata)
