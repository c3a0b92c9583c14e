"""Reads the text of a model as it arrives. Text is reported immediately, and calls when they are complete.

Text is held back only if it may be a call or part of one: a line that starts like a block; an open block; blank text
that may precede a call; and everything after a complete ` ```json ` fence or `<tool_call>` block that would be a call,
or from the start if the text may be one JSON value. The latter two wait until the end, or until a ` ```tool ` fence
contains a call, which makes them text. So no event ever has to be taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..json_text import dump_allowing_nan
from ..models import (
    AssistantMessage,
    OpaquePart,
    ReasoningDelta,
    ReasoningPart,
    StreamEvent,
    TextDelta,
    TextPart,
    ToolCall,
    ToolCallDelta,
    ToolCallPart,
    ToolDefinition,
)
from .text_calls import ParsedTextCall, accepted_names, find_text_calls
from .text_parser import CallMaker, parse_response_text, strip_newlines_after_call, strip_newlines_before_call
from .tool_blocks import MAX_OPENING_LINE, Block, BlockKind, BlockScanner, may_begin_block

__all__ = ["ResponseReader"]


_AFTER_FIRST = {"{": '"', "[": "{"}
"""The character that must come next if a value with this first character may be a call."""


class ResponseReader:
    """Reads one response of a model. Call `feed` for each text, and `finish` at the end. `message` returns it so far.

    The events report text and calls. At the end, `message` returns the same as `read_response_text` for the complete text.
    """

    def __init__(
        self,
        tools: Iterable[ToolDefinition | OpaquePart] = (),
        untrusted: Iterable[str] = (),
        turn: int = 0,
        *,
        names: Mapping[str, str] | None = None,
        used: Iterable[str] = (),
    ) -> None:
        """Set the offered tools, or their names. `used` are the ids of earlier calls."""
        self._used = frozenset(used)
        self._untrusted = tuple(untrusted)
        self._turn = turn
        self._names = accepted_names(tools) if names is None else names
        self._pieces: list[str] = []
        self._length = 0
        # What decides whether the whole text may be one JSON value; None once it is known.
        self._json_start: str | None = "" if self._names else None
        # Whether the rest is held back, because of something that is a call if no ```tool fence follows.
        self._waits_for_end = False
        self._scanner = BlockScanner()
        self._line: list[str] = []
        self._line_head = ""
        self._line_start = 0
        self._line_is_text = False  # known to start no block
        self._held: list[str] = []
        self._held_start = 0
        self._segment = _Segment()
        self._maker = CallMaker(turn, set(self._used))
        self._reported_calls = 0

    def feed(self, text: str) -> list[StreamEvent]:
        """Read more text, and return its events, in constant time for each character."""
        events: list[StreamEvent] = []
        first, *following = text.split("\n")
        self._read_piece(first, events)
        for piece in following:
            self._read_piece("\n", events)
            self._read_piece(piece, events)
        return events

    def finish(self) -> list[StreamEvent]:
        """Return the events of the text that was held back."""
        return list(self._unreported_events(self.message()))

    def message(self) -> AssistantMessage:
        """Return the response so far."""
        maker = CallMaker(self._turn, set(self._used))
        return parse_response_text("".join(self._pieces), self._names, self._untrusted, maker)

    def _unreported_events(self, message: AssistantMessage) -> Iterator[StreamEvent]:
        """Yield events for the part of a message that has not been reported."""
        reported_length = self._segment.reported_length
        call_index, reasoning = 0, ""
        content = message.content
        for part in [TextPart(content)] if isinstance(content, str) else content or []:
            if isinstance(part, TextPart):
                text = part.text[reported_length:]
                reported_length = max(0, reported_length - len(part.text))
                if text:
                    yield TextDelta(text)
            elif isinstance(part, ReasoningPart):
                reasoning = part.text
            elif isinstance(part, ToolCallPart):
                if call_index >= self._reported_calls:
                    yield from _call_events(call_index, part.call, reasoning)
                call_index, reasoning = call_index + 1, ""

    def _read_piece(self, piece: str, events: list[StreamEvent]) -> None:
        """Read a piece of a line, or the line feed after it. Add its events to `events`."""
        if not piece:
            return
        self._pieces.append(piece)
        self._held.append(piece)
        self._length += len(piece)
        self._follow_json_start(piece)
        if piece == "\n":
            self._end_line(events)
        else:
            self._line.append(piece)
            self._line_head += piece[: MAX_OPENING_LINE + 1 - len(self._line_head)]
            if self._scanner.is_in_fence or not may_begin_block(self._line_head):
                self._line_is_text = True
        if not self._holds_back():
            self._report_held_text(events)

    def _holds_back(self) -> bool:
        """Return whether the held text may be a call, or may follow one."""
        if self._waits_for_end or self._json_start is not None:
            return True
        if self._scanner.open_kind is not None and self._may_be_call(self._scanner.open_kind):
            return True
        return bool(self._line) and not self._line_is_text

    def _may_be_call(self, kind: BlockKind) -> bool:
        """Return whether blocks of a kind may still be calls."""
        return kind == "tool" or bool(self._names and not self._reported_calls)

    def _end_line(self, events: list[StreamEvent]) -> None:
        """Read the end of a line, which may complete a block."""
        block = self._scanner.read_line("".join(self._line), self._line_start)
        self._line, self._line_head, self._line_is_text = [], "", False
        self._line_start = self._length
        if block is None or not self._may_be_call(block.kind):
            return
        calls = find_text_calls(block.body, self._names, explicit=block.kind == "tool")
        if calls and block.kind == "tool":
            self._report_calls(block, calls, events)
        elif calls:
            self._waits_for_end = True

    def _report_calls(self, block: Block, calls: Sequence[ParsedTextCall], events: list[StreamEvent]) -> None:
        """Report the text before a block, which nothing can make a call any more, and the calls of the block."""
        held = "".join(self._held)
        self._held = [held[: block.start - self._held_start]]
        self._report_held_text(events)
        events += self._segment.begin_next()
        self._held, self._held_start = [held[block.end - self._length :]], block.end
        self._waits_for_end, self._json_start = False, None
        for parsed in calls:
            call = self._maker.make_call(parsed)
            events += _call_events(self._reported_calls, call, parsed.reasoning or "")
            self._reported_calls += 1

    def _report_held_text(self, events: list[StreamEvent]) -> None:
        """Report the held text as text."""
        text = "".join(self._held)
        self._held, self._held_start = [], self._length
        events += self._segment.add_text(text)

    def _follow_json_start(self, piece: str) -> None:
        """Note whether the whole text may still be one JSON value, which is not indented."""
        if self._json_start is None:
            return
        start = self._json_start + piece
        bare = start.lstrip(" \t\r\n")
        margin = start[: len(start) - len(bare)].rpartition("\n")[2]
        if not bare:
            self._json_start = margin[:1]
        elif margin or bare[0] not in _AFTER_FIRST:
            self._json_start = None
        elif second := bare[1:].lstrip(" \t\r\n"):
            self._json_start = None
            self._waits_for_end = second[0] == _AFTER_FIRST[bare[0]]
        else:
            self._json_start = bare[0]


class _Segment:
    """The text between two calls. Blank text waits until it is known whether text or a call follows.

    `reported_length` is the number of characters that were reported, in all segments.
    """

    __slots__ = ("_blanks", "_follows_call", "_has_text", "reported_length")

    def __init__(self) -> None:
        self.reported_length = 0
        self._follows_call = False
        self._blanks: list[str] = []
        self._has_text = False

    def add_text(self, text: str) -> list[StreamEvent]:
        """Read text that is not a call."""
        if not text.strip():
            self._blanks.append(text)
            return []
        text = "".join((*self._blanks, text))
        if self._follows_call and not self._has_text:
            text = strip_newlines_after_call(text)
        self._has_text = True
        stripped = text.rstrip()
        self._blanks = [text[len(stripped) :]]
        return self._report(stripped)

    def begin_next(self) -> list[StreamEvent]:
        """Start a new segment after a call."""
        events = self._report(strip_newlines_before_call("".join(self._blanks))) if self._has_text else []
        self._follows_call, self._blanks, self._has_text = True, [], False
        return events

    def _report(self, text: str) -> list[StreamEvent]:
        self.reported_length += len(text)
        return [TextDelta(text)] if text else []


def _call_events(index: int, call: ToolCall, reasoning: str) -> list[StreamEvent]:
    """Return the events of a call: its reasoning, then one delta."""
    arguments = dump_allowing_nan(call.arguments) if call.invalid is None else call.invalid.text
    delta = ToolCallDelta(index, call.id, call.name, arguments)
    return [ReasoningDelta(reasoning), delta] if reasoning else [delta]
