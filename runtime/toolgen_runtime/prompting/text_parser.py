"""Finds the calls in the text of a model, in four stages. The first stage that finds a call wins; all else stays text.

1. ` ```tool ` fences. 2. ` ```json ` fences. 3. `<tool_call>` blocks. 4. The whole text as one JSON value.

A message with calls consists of its texts and calls, in order. Up to two line feeds between text and a call belong
to neither, and blank text is dropped. If the message would be written differently, its original text is kept in the
extras as `$text`, and the names that it uses as `$names`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..conversion.wire import synthetic_id
from ..errors import ConversionError
from ..json_text import dump_allowing_nan
from ..models import (
    AssistantMessage,
    AssistantPart,
    InvalidCall,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolDefinition,
)
from .text_calls import ParsedTextCall, accepted_names, find_text_calls
from .tool_blocks import Block, BlockKind, find_blocks, find_whole_text_block, flag_quoted_blocks
from .tool_definitions_as_text import PROVIDER, call_text, join_response_text

__all__ = [
    "CallBlock",
    "CallMaker",
    "call_blocks",
    "parse_response_text",
    "read_response_text",
    "strip_newlines_after_call",
    "strip_newlines_before_call",
]

_STAGES: tuple[BlockKind, ...] = ("tool", "json", "tool_call")


class CallBlock(NamedTuple):
    """A block that contains calls."""

    start: int
    end: int
    body: str
    calls: list[ParsedTextCall]


class CallMaker:
    """Makes calls with unique ids: the id in the text, or one made from turn and index.

    `used` has the ids of calls in earlier messages.
    """

    __slots__ = ("_given", "_position", "_turn", "_used")

    def __init__(self, turn: int, used: set[str]) -> None:
        self._turn = turn
        self._position = 0
        self._used = used
        self._given: set[str] = set()

    def make_call(self, text_call: ParsedTextCall) -> ToolCall:
        """Make a call from one that was found in text."""
        position, self._position = self._position, self._position + 1
        call = ToolCall("", text_call.name, text_call.arguments, text_call.invalid)
        given = text_call.identifier
        if given is not None and given.strip() and given not in self._used:
            call.id = given
        else:
            call.id = synthetic_id(self._turn, position)
            while call.id in self._used:
                call.id += "_"
            call.metadata = {PROVIDER: {"$synthetic": call.id}}
        if given is not None and given.strip():
            if given in self._given and call.invalid is None:
                call.invalid = InvalidCall(dump_allowing_nan(call.arguments), "duplicate_id")
            self._given.add(given)
        self._used.add(call.id)
        return call


def read_response_text(
    text: str, tools: Iterable[ToolDefinition | OpaquePart] = (), untrusted: Iterable[str] = (), turn: int = 0
) -> AssistantMessage:
    """Read the text of a model. `tools` are the offered tools; `turn` is the number of earlier assistant messages.

    A block that also occurs in one of the `untrusted` texts becomes a call that must not be run.
    """
    return parse_response_text(text, accepted_names(tools), untrusted, CallMaker(turn, set()))


def parse_response_text(
    text: str,
    names: Mapping[str, str],
    untrusted: Iterable[str],
    maker: CallMaker,
    wire_name: Callable[[str], str] = str,
) -> AssistantMessage:
    """Read the text of a model, with the accepted names of tools. `wire_name` returns the name as it is written."""
    blocks = call_blocks(text, names)
    if not blocks:
        extras = {"$text": text, "$names": {}} if join_response_text([(text, False)])[1] else None
        return AssistantMessage(text, metadata=None if extras is None else {PROVIDER: extras})
    distrusted = _distrusted(blocks, untrusted)
    parts: list[AssistantPart] = []
    pieces: list[tuple[str, bool]] = []
    end = 0
    for i, block in enumerate(blocks):
        before = text[end : block.start]
        _say(strip_newlines_before_call(strip_newlines_after_call(before) if i else before), parts, pieces)
        for parsed, doubted in zip(block.calls, distrusted[i], strict=True):
            call = maker.make_call(parsed)
            if doubted:
                unread = call.invalid
                call.invalid = InvalidCall(
                    dump_allowing_nan(call.arguments) if unread is None else unread.text, "untrusted"
                )
            if parsed.reasoning:
                parts.append(ReasoningPart(parsed.reasoning))
            parts.append(ToolCallPart(call))
            pieces.append((_written(call, parsed, wire_name), True))
        end = block.end
    _say(strip_newlines_after_call(text[end:]), parts, pieces)
    if join_response_text(pieces)[0] == text:
        return AssistantMessage(parts)
    used = {parsed.wire_name: parsed.name for block in blocks for parsed in block.calls if parsed.wire_name in names}
    return AssistantMessage(parts, metadata={PROVIDER: {"$text": text, "$names": used}})


def call_blocks(text: str, names: Mapping[str, str]) -> list[CallBlock]:
    """Return the blocks with calls, of the first stage that finds any."""
    blocks = find_blocks(text)
    for stage in _STAGES:
        found = [_called(block, names) for block in blocks if block.kind == stage]
        calls = [block for block in found if block.calls]
        if calls:
            return calls
    whole = find_whole_text_block(text)
    last = None if whole is None else _called(whole, names)
    return [last] if last is not None and last.calls else []


def strip_newlines_after_call(text: str) -> str:
    """Remove up to two line feeds from the start of a text that follows a call."""
    return _FEEDS.sub("", text, count=1)


def strip_newlines_before_call(text: str) -> str:
    """Remove up to two line feeds from the end of a text that precedes a call."""
    for _ in range(2):
        text = text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text
    return text


_FEEDS = re.compile(r"\A(?:\r?\n){0,2}")


def _called(block: Block, names: Mapping[str, str]) -> CallBlock:
    explicit = block.kind == "tool"
    return CallBlock(block.start, block.end, block.body, find_text_calls(block.body, names, explicit=explicit))


def _say(text: str, parts: list[AssistantPart], pieces: list[tuple[str, bool]]) -> None:
    if text.strip():
        parts.append(TextPart(text))
        pieces.append((text, False))


def _written(call: ToolCall, parsed: ParsedTextCall, wire_name: Callable[[str], str]) -> str:
    """Return a call as it would be written. If it cannot be written, return an empty text, which never matches."""
    try:
        return call_text(replace(call, name=wire_name(call.name)), parsed.reasoning or None)
    except ConversionError:
        return ""


def _distrusted(blocks: Sequence[CallBlock], untrusted: Iterable[str]) -> list[list[bool]]:
    """Return for each call whether it, or its block, occurs in an untrusted text."""
    texts = [untrusted] if isinstance(untrusted, str) else list(untrusted)
    if not texts:
        return [[False] * len(block.calls) for block in blocks]
    found = iter(
        flag_quoted_blocks(
            [needle for block in blocks for needle in (block.body, *(c.text for c in block.calls))], texts
        )
    )
    distrusted: list[list[bool]] = []
    for block in blocks:
        whole = next(found)
        distrusted.append([next(found) or whole for _ in block.calls])
    return distrusted
