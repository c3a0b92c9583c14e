"""Reads the text of a model as it arrives. Text is reported immediately, and calls when they are complete.

Text is held back only if it may be a call or part of one: a line that starts like a block; an open block; blank text
that may precede a call; and everything after a complete ` ```json ` fence or `<tool_call>` block that would be a call,
or from the start if the text may be one JSON value. The latter two wait until the end, or until a ` ```tool ` fence
contains a call, which makes them text. So no event ever has to be taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

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
from .text_calls import accepted_names, find_text_calls
from .text_parser import CallMaker, parse_response_text, strip_newlines_after_call, strip_newlines_before_call
from .tool_blocks import MAX_OPENING_LINE, BlockKind, BlockScanner, may_begin_block

__all__ = ["ResponseReader"]


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
        self._whole: list[str] = []
        self._head: str | None = "" if self._names else None
        self._waits = False
        self._scanner = BlockScanner()
        self._line: list[str] = []
        self._line_head = ""
        self._line_start = 0
        self._line_says = False
        self._held: list[str] = []
        self._held_start = 0
        self._length = 0
        self._segment = _Segment()
        self._maker = CallMaker(turn, set(self._used))
        self._told = 0

    def feed(self, text: str) -> list[StreamEvent]:
        """Read more text, and return its events, in constant time for each character."""
        events: list[StreamEvent] = []
        first, *others = text.split("\n")
        self._grow(first, events)
        for piece in others:
            self._grow("\n", events)
            self._grow(piece, events)
        return events

    def finish(self) -> list[StreamEvent]:
        """Return the events of the text that was held back."""
        return list(self._untold(self.message()))

    def message(self) -> AssistantMessage:
        """Return the response so far."""
        return parse_response_text(
            "".join(self._whole), self._names, self._untrusted, CallMaker(self._turn, set(self._used))
        )

    def _untold(self, message: AssistantMessage) -> Iterator[StreamEvent]:
        """Yield events for the part of a message that has not been reported."""
        reported, call_index, reasoning = self._segment.reported, 0, ""
        content = message.content
        parts = [TextPart(content)] if isinstance(content, str) else content or []
        for part in parts:
            if type(part) is TextPart:
                text = part.text[reported:]
                reported = max(0, reported - len(part.text))
                if text:
                    yield TextDelta(text)
            elif type(part) is ReasoningPart:
                reasoning = part.text
            elif type(part) is ToolCallPart:
                if call_index >= self._told:
                    yield from _call_told(call_index, part.call, reasoning)
                call_index, reasoning = call_index + 1, ""

    def _grow(self, piece: str, events: list[StreamEvent]) -> None:
        """Read a piece of a line, or the line feed after it."""
        if not piece:
            return
        self._whole.append(piece)
        self._held.append(piece)
        self._length += len(piece)
        self._check_json_start(piece)
        if piece == "\n":
            self._end_line(events)
        else:
            self._line.append(piece)
            self._line_head += piece[: MAX_OPENING_LINE + 1 - len(self._line_head)]
            self._line_says = self._line_says or self._scanner.is_in_fence or not may_begin_block(self._line_head)
        if not self._holds_back():
            self._say(events)

    def _holds_back(self) -> bool:
        """Return whether the held text may be a call, or may follow one."""
        if self._waits or self._head is not None:
            return True
        if self._scanner.open_kind is not None and self._matters(self._scanner.open_kind):
            return True
        return bool(self._line) and not self._line_says

    def _matters(self, kind: BlockKind) -> bool:
        """Return whether blocks of a kind may still be calls."""
        return kind == "tool" or bool(self._names and not self._told)

    def _end_line(self, events: list[StreamEvent]) -> None:
        """Read a complete line."""
        block = self._scanner.read_line("".join(self._line), self._line_start)
        self._line, self._line_head, self._line_says = [], "", False
        self._line_start = self._length
        if block is None or not self._matters(block.kind):
            return
        calls = find_text_calls(block.body, self._names, explicit=block.kind == "tool")
        if calls and block.kind == "tool":
            held = "".join(self._held)
            self._held = [held[: block.start - self._held_start]]
            self._say(events)
            events += self._segment.begin_next()
            self._held, self._held_start = [held[block.end - self._length :]], block.end
            self._waits, self._head = False, None
            for parsed in calls:
                events += _call_told(self._told, self._maker.make_call(parsed), parsed.reasoning or "")
                self._told += 1
        elif calls:
            self._waits = True

    def _say(self, events: list[StreamEvent]) -> None:
        """Report the held text as text."""
        text = "".join(self._held)
        self._held, self._held_start = [], self._length
        events += self._segment.add_text(text)

    def _check_json_start(self, piece: str) -> None:
        """Check whether the whole text may be one JSON value."""
        if self._head is None:
            return
        head = self._head + piece
        bare = head.lstrip(" \t\r\n")
        margin = head[: len(head) - len(bare)].rpartition("\n")[2]
        if not bare:
            self._head = margin[:1]
        elif margin or bare[0] not in _SECOND:
            self._head = None
        elif second := bare[1:].lstrip(" \t\r\n"):
            self._head, self._waits = None, second[0] == _SECOND[bare[0]]
        else:
            self._head = bare[0]


_SECOND = {"{": '"', "[": "{"}
"""The character that must come next if a value with this first character may be a call."""


class _Segment:
    """The text between two calls. Blank text waits until it is known whether text or a call follows.

    `reported` is the number of characters that were reported, in all segments.
    """

    __slots__ = ("_after", "_blanks", "_speaks", "reported")

    def __init__(self) -> None:
        self.reported = 0
        self._after = False
        self._blanks: list[str] = []
        self._speaks = False

    def add_text(self, text: str) -> list[StreamEvent]:
        """Read text that is not a call."""
        if not text.strip():
            self._blanks.append(text)
            return []
        text = "".join((*self._blanks, text))
        if self._after and not self._speaks:
            text = strip_newlines_after_call(text)
        self._speaks = True
        stripped = text.rstrip()
        self._blanks = [text[len(stripped) :]]
        return self._told(stripped)

    def begin_next(self) -> list[StreamEvent]:
        """Start a new segment after a call."""
        events = self._told(strip_newlines_before_call("".join(self._blanks))) if self._speaks else []
        self._after, self._blanks, self._speaks = True, [], False
        return events

    def _told(self, text: str) -> list[StreamEvent]:
        self.reported += len(text)
        return [TextDelta(text)] if text else []


def _call_told(index: int, call: ToolCall, reasoning: str) -> list[StreamEvent]:
    """Return the events of a call: its reasoning, then one delta."""
    arguments = dump_allowing_nan(call.arguments) if call.invalid is None else call.invalid.text
    delta = ToolCallDelta(index, call.id, call.name, arguments)
    return [ReasoningDelta(reasoning), delta] if reasoning else [delta]
