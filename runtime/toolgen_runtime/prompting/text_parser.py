"""Finds the calls in the text of a model, in four stages. The first stage that finds a call wins; all else stays text.

1. ` ```tool ` fences. 2. ` ```json ` fences. 3. `<tool_call>` blocks. 4. The whole text as one JSON value.

A message with calls consists of its texts and calls, in order. Up to two line feeds between text and a call belong
to neither, and blank text is dropped. If the message would be written differently, its original text is kept in the
extras as `$text`, with the names that it uses.
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
from .text_calls import (
    PROVIDER,
    ParsedTextCall,
    ResponsePiece,
    accepted_names,
    call_text,
    find_text_calls,
    join_response_text,
)
from .tool_blocks import Block, BlockKind, find_blocks, find_whole_text_block, flag_quoted_blocks

__all__ = [
    "CallMaker",
    "parse_response_text",
    "read_response_text",
    "strip_newlines_after_call",
    "strip_newlines_before_call",
]

_STAGES: tuple[BlockKind, ...] = ("tool", "json", "tool_call")

_LEADING_LINE_FEEDS = re.compile(r"\A(?:\r?\n){0,2}")


class _CallBlock(NamedTuple):
    """A block that contains calls."""

    start: int
    end: int
    body: str
    calls: list[ParsedTextCall]


class CallMaker:
    """Makes calls with unique ids: the id in the text, or one made from turn and index.

    `used` has the ids of calls in earlier messages.
    """

    __slots__ = ("_position", "_turn", "_used", "_written")

    def __init__(self, turn: int, used: set[str]) -> None:
        self._turn = turn
        self._position = 0
        self._used = used
        self._written: set[str] = set()

    def make_call(self, text_call: ParsedTextCall) -> ToolCall:
        """Make a call from one that was found in text."""
        identifier = text_call.identifier
        if identifier is not None and not identifier.strip():
            identifier = None
        call = ToolCall("", text_call.name, text_call.arguments, text_call.invalid)
        if identifier is not None and identifier not in self._used:
            call.id = identifier
        else:
            call.id = self._synthetic_id()
            call.metadata = {PROVIDER: {"$synthetic": call.id}}
        if identifier in self._written and call.invalid is None:
            call.invalid = InvalidCall(dump_allowing_nan(call.arguments), "duplicate_id")
        if identifier is not None:
            self._written.add(identifier)
        self._used.add(call.id)
        self._position += 1
        return call

    def _synthetic_id(self) -> str:
        """Return an unused id for the next call."""
        identifier = synthetic_id(self._turn, self._position)
        while identifier in self._used:
            identifier += "_"
        return identifier


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
    blocks = _find_call_blocks(text, names)
    if not blocks:
        is_unambiguous = join_response_text([ResponsePiece(text, False)]) == text
        return AssistantMessage(
            text, metadata=None if is_unambiguous else {PROVIDER: {"$text": {"text": text, "names": {}}}}
        )
    distrusted = _distrusted_calls(blocks, untrusted)
    parts: list[AssistantPart] = []
    pieces: list[ResponsePiece] = []
    end = 0
    for i, block in enumerate(blocks):
        before = text[end : block.start]
        if i:
            before = strip_newlines_after_call(before)
        _add_text(strip_newlines_before_call(before), parts, pieces)
        for parsed, is_distrusted in zip(block.calls, distrusted[i], strict=True):
            call = maker.make_call(parsed)
            if is_distrusted:
                arguments = dump_allowing_nan(call.arguments) if call.invalid is None else call.invalid.text
                call.invalid = InvalidCall(arguments, "untrusted")
            if parsed.reasoning:
                parts.append(ReasoningPart(parsed.reasoning))
            parts.append(ToolCallPart(call))
            pieces.append(ResponsePiece(_written_call(call, parsed, wire_name), True))
        end = block.end
    _add_text(strip_newlines_after_call(text[end:]), parts, pieces)
    if join_response_text(pieces) == text:
        return AssistantMessage(parts)
    used_names = {
        parsed.wire_name: parsed.name for block in blocks for parsed in block.calls if parsed.wire_name in names
    }
    return AssistantMessage(parts, metadata={PROVIDER: {"$text": {"text": text, "names": used_names}}})


def _find_call_blocks(text: str, names: Mapping[str, str]) -> list[_CallBlock]:
    """Return the blocks with calls, of the first stage that finds any."""
    blocks = find_blocks(text)
    stages = [[block for block in blocks if block.kind == kind] for kind in _STAGES]
    whole = find_whole_text_block(text)
    if whole is not None:
        stages.append([whole])
    for stage in stages:
        call_blocks = [_parse_block(block, names) for block in stage]
        with_calls = [block for block in call_blocks if block.calls]
        if with_calls:
            return with_calls
    return []


def _parse_block(block: Block, names: Mapping[str, str]) -> _CallBlock:
    calls = find_text_calls(block.body, names, explicit=block.kind == "tool")
    return _CallBlock(block.start, block.end, block.body, calls)


def strip_newlines_after_call(text: str) -> str:
    """Remove up to two line feeds from the start of a text that follows a call."""
    return _LEADING_LINE_FEEDS.sub("", text, count=1)


def strip_newlines_before_call(text: str) -> str:
    """Remove up to two line feeds from the end of a text that precedes a call."""
    for _ in range(2):
        if text.endswith("\n"):
            text = text.removesuffix("\n").removesuffix("\r")
    return text


def _add_text(text: str, parts: list[AssistantPart], pieces: list[ResponsePiece]) -> None:
    """Add a text to the parts of a message, and to the pieces of its written form, unless it is blank."""
    if text.strip():
        parts.append(TextPart(text))
        pieces.append(ResponsePiece(text, False))


def _written_call(call: ToolCall, parsed: ParsedTextCall, wire_name: Callable[[str], str]) -> str:
    """Return a call as it would be written. If it cannot be written, return an empty text, which never matches."""
    try:
        return call_text(replace(call, name=wire_name(call.name)), parsed.reasoning or None)
    except ConversionError:
        return ""


def _distrusted_calls(blocks: Sequence[_CallBlock], untrusted: Iterable[str]) -> list[list[bool]]:
    """Return for each call of each block whether it, or its block, occurs in an untrusted text."""
    texts = [untrusted] if isinstance(untrusted, str) else list(untrusted)
    if not texts:
        return [[False] * len(block.calls) for block in blocks]
    searched = [text for block in blocks for text in (block.body, *(call.text for call in block.calls))]
    flags = iter(flag_quoted_blocks(searched, texts))
    distrusted: list[list[bool]] = []
    for block in blocks:
        is_block_quoted = next(flags)
        distrusted.append([next(flags) or is_block_quoted for _ in block.calls])
    return distrusted
