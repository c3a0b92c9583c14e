"""The message order that APIs require: the results of a turn directly after its calls, in one message."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count, repeat
from typing import TypeAlias

from .conversion.writer import Writer
from .errors import check_list, wrong_class
from .models import (
    AssistantMessage,
    AssistantPart,
    Message,
    OpaquePart,
    SystemMessage,
    ToolCallPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from .paths import Path
from .tool_results import describe_result

__all__ = [
    "Placed",
    "check_messages",
    "is_detached_result",
    "order_for_api",
    "order_restoring_separate_results",
    "results_of",
]

Placed: TypeAlias = tuple[Message, Path, tuple[Path, ...] | None]
"""A message, its path in the given value, and the paths of its results if they came from elsewhere."""

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


def order_for_api(messages: Sequence[Message], at: Path, writer: Writer) -> list[Placed]:
    """Return the messages with the results of each turn directly after its calls, in one message.

    Messages between calls and results move after them, and are reported. A result without an earlier call stays where
    it is, but if only another provider has its call, the result becomes text, which is reported.
    """
    placed = _placed(messages, at)
    return placed if _in_order(messages) else _describe_foreign_results(_reordered(placed, writer), writer)


def order_restoring_separate_results(messages: Sequence[Message], at: Path, writer: Writer) -> list[Placed]:
    """Return the messages like `order_for_api`, but keep results in separate messages if they were read so.

    Results were read separately from another message (`$apart`), or from the same one, after other content (`$within`).
    """
    placed = _placed(messages, at)
    if _in_order(messages) or _are_separate(messages, writer):
        return placed
    return _describe_foreign_results(_reordered(placed, writer), writer)


def _placed(messages: Sequence[Message], at: Path) -> list[Placed]:
    return list(zip(messages, zip(repeat(at), count()), repeat(None)))


def _are_separate(messages: Sequence[Message], writer: Writer) -> bool:
    """Return whether some results were read separately, and each result has an earlier call."""
    called: set[str] = set()
    separate = False
    for message in messages:
        called.update(call_ids(message))
        if type(message) is ToolMessage:
            separate = separate or not _SEPARATE.isdisjoint(writer.peek_extras(message.metadata))
            if not called.issuperset(result.tool_call_id for result in message.results):
                return False
    return separate


def results_of(message: ToolMessage, at: Path, paths: tuple[Path, ...] | None) -> Iterable[tuple[ToolResult, Path]]:
    """Return the results of a message, each with its path."""
    if paths is not None:
        return zip(message.results, paths, strict=True)
    holder = (at, "results")
    return [(result, (holder, i)) for i, result in enumerate(message.results)]


def call_ids(message: Message) -> list[str]:
    """Return the ids of the calls in a message."""
    if type(message) is not AssistantMessage or type(message.content) is not list:
        return []
    return [part.call.id for part in message.content if type(part) is ToolCallPart]


def is_detached_result(call_id: str, last: Message | None) -> bool:
    """Return whether a result does not directly follow the message with its call."""
    return type(last) is not AssistantMessage or call_id not in call_ids(last)


def _in_order(messages: Sequence[Message]) -> bool:
    """Return whether the results of each turn are in the one message after it, and there are no other results."""
    parts: Sequence[AssistantPart] = ()
    for message in messages:
        if type(message) is ToolMessage and not _have_same_ids(message.results, parts):
            return False
        parts = message.content if type(message) is AssistantMessage and type(message.content) is list else ()
    return True


def _have_same_ids(results: Sequence[ToolResult], parts: Sequence[AssistantPart]) -> bool:
    """Return whether the results are those of the calls among some parts, in any order."""
    i = 0
    for part in parts:
        if type(part) is ToolCallPart:
            if i == len(results) or results[i].tool_call_id != part.call.id:
                break
            i += 1
    else:
        if i == len(results):
            return True
    return {result.tool_call_id for result in results} == {part.call.id for part in parts if type(part) is ToolCallPart}


Position: TypeAlias = tuple[int, int]
"""The indexes of a message and of a result in it."""


def _reordered(placed: list[Placed], writer: Writer) -> list[Placed]:
    ordered: list[Placed] = []
    taken: set[Position] = set()
    positions = _result_positions(placed, writer.wire.name)
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
        candidates = [
            next((spot for spot in positions.get(key, ()) if spot[0] > i and spot not in taken), None)
            for key in dict.fromkeys(_answerable_ids(message, writer.wire.name))
        ]
        found = [spot for spot in candidates if spot is not None]
        if _directly_follow(found, placed, i):
            continue
        gathered = [(j, k, results[k]) for j, k in found if (results := _results(placed[j][0]))]
        if gathered:
            taken.update((j, k) for j, k, _ in gathered)
            _report(placed, i, max(j for j, _, _ in gathered), writer)
            paths = tuple(((placed[j][1], "results"), k) for j, k, _ in gathered)
            ordered.append((ToolMessage([result for _, _, result in gathered]), placed[gathered[0][0]][1], paths))
    return ordered


def _result_positions(placed: list[Placed], provider: str) -> dict[str, list[Position]]:
    """Return where the results of each id are. An opaque result of this provider is a user message."""
    found: dict[str, list[Position]] = {}
    for j, (message, _, _) in enumerate(placed):
        for k, result in enumerate(_results(message)):
            found.setdefault(result.tool_call_id, []).append((j, k))
        if type(message) is UserMessage and type(message.content) is list and len(message.content) == 1:
            (part,) = message.content
            if type(part) is OpaquePart and part.provider == provider and type(part.value) is dict:
                key = part.value.get("call_id")
                if type(key) is str:
                    found.setdefault(key, []).append((j, 0))
    return found


def _results(message: Message) -> list[ToolResult]:
    return message.results if type(message) is ToolMessage else []


def _directly_follow(found: list[Position], placed: list[Placed], turn: int) -> bool:
    """Return whether the results of a turn directly follow it in one message, which may have results without a call.

    Opaque results of the turn may divide it into several.
    """
    indexes = sorted({j for j, _ in found})
    return indexes == list(range(turn + 1, turn + 1 + len(indexes))) and not any(
        type(placed[j][0]) is ToolMessage and type(placed[j - 1][0]) is ToolMessage for j in indexes
    )


def _answerable_ids(message: Message, provider: str) -> list[str]:
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


def _describe_foreign_results(placed: list[Placed], writer: Writer) -> list[Placed]:
    """Return the messages with text for the results of calls that only another provider has.

    Such a call is an opaque part, or stored at the provider (`$stored` in the extras of the result). It is not sent, and
    APIs reject a result without its call.
    """
    unsent: set[str] = set()
    called: set[str] = set()
    described: list[Placed] = []
    for message, path, paths in placed:
        if type(message) is AssistantMessage and type(message.content) is list:
            opaque = [part for part in message.content if type(part) is OpaquePart]
            unsent.update(key for part in opaque if (key := _opaque_call_id(part)) is not None)
            answerable = _answerable_ids(message, writer.wire.name)
            called.update(answerable)
            unsent.difference_update(answerable)
        elif type(message) is ToolMessage:
            stored = [result for result in message.results if _is_stored_elsewhere(result, writer.wire.name)]
            unsent.update(result.tool_call_id for result in stored if result.tool_call_id not in called)
        if type(message) is not ToolMessage or unsent.isdisjoint(r.tool_call_id for r in message.results):
            described.append((message, path, paths))
            continue
        pairs = list(results_of(message, path, paths))
        sent = [pair for pair in pairs if pair[0].tool_call_id not in unsent]
        if sent:
            rest = ToolMessage([result for result, _ in sent], message.metadata)
            described.append((rest, path, tuple(there for _, there in sent)))
        for result, there in pairs:
            if result.tool_call_id in unsent:
                reason = "its call is another provider's own, and is not sent"
                writer.report_loss(there, "a result", "described", reason, "warning")
                described.append((UserMessage(describe_result(result)), path, None))
    return described


def _is_stored_elsewhere(result: ToolResult, provider: str) -> bool:
    states = (result.metadata or {}).items()
    return any(name != provider and type(state) is dict and "$stored" in state for name, state in states)


def _report(placed: list[Placed], turn: int, last: int, writer: Writer) -> None:
    for j in range(turn + 1, last):
        message, path, _ = placed[j]
        if type(message) is not ToolMessage:
            writer.report_loss(path, "a message", "moved", "the results of a turn must directly follow its calls")
