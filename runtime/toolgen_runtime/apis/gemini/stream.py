"""Stream for Gemini, whose chunks are complete responses; their parts are joined without an index.

Arguments may be streamed as values for JSON paths (RFC 9535, `$.a.b[0]`).
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from ...conversion.extras import ABSENT
from ...conversion.responses import mark_call_invalid
from ...conversion.streams import BaseStream, OpenCall, read_hashable_index
from ...errors import wrong_type
from ...json_text import compact, dump_allowing_nan, loads
from ...json_values import MAX_DEPTH, is_json
from ...models import Completion, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from ...paths import ROOT, Path
from .content import part_list
from .keys import ENUM_NUMBER_PATHS

__all__ = ["GeminiStream", "PathArguments"]

_TEXT = frozenset(["text", "thought"])

_PIECES = frozenset(["args", "partialArgs", "willContinue"])

_CALL = ((((ROOT, "candidates"), "content"), "parts"), "functionCall")


class GeminiStream(BaseStream):
    """Joins the parts of chunks: unsigned text of one kind grows; calls are complete, or values for JSON paths."""

    def __init__(self, turn: int = 0, *, tools: Any = ()) -> None:
        super().__init__(turn, tools=tools)
        self._top: dict[str, Any] = {}
        self._candidates: dict[Any, _Candidate] = {}

    def result(self) -> Completion:
        """Return the response so far. An open call, or one with updates that do not fit, cannot be run."""
        completion = super().result()
        candidate = self._candidates.get(0)
        if candidate is None:
            return completion
        if self._outcome().reason is None:
            for call, arguments in candidate.updates.items():
                if arguments.rejected:
                    mark_call_invalid(
                        completion.message, call.index, "malformed", dump_allowing_nan(arguments.rejected)
                    )
        if candidate.open is not None:
            mark_call_invalid(completion.message, candidate.open.index)
        return completion

    def _read_event(self, event: dict[str, Any]) -> list[StreamEvent]:
        """Take one chunk of the stream, and return the events of its first candidate."""
        event = self.converter.normalize_body(event)
        events: list[StreamEvent] = []
        self._keep(event)
        if event.get("error"):
            self._record_error(event["error"])
        candidates = event.get("candidates")
        for candidate in candidates if type(candidates) is list else ():
            if type(candidate) is dict:
                self._take_candidate(candidate, events)
        return events

    def _take_candidate(self, wire: dict[str, Any], events: list[StreamEvent]) -> None:
        """Add what a chunk has of a candidate. The events of the first candidate are added to `events`."""
        index = read_hashable_index(wire.get("index") or 0, ((ROOT, "candidates"), "index"))
        candidate = self._candidates.setdefault(index, _Candidate())
        before = candidate.top.get("finishReason")
        candidate.top |= {key: value for key, value in wire.items() if key != "content"}
        if before is not None:
            candidate.top["finishReason"] = self._final_stop_reason(before, candidate.top["finishReason"])
        content = wire.get("content")
        if type(content) is not dict:
            return
        candidate.content = {
            **(candidate.content or {}),
            **{k: v for k, v in content.items() if k != "parts" or v == []},
        }
        reported: list[StreamEvent] = events if index == 0 else []
        for part in part_list(content.get("parts"), ROOT):
            call = part.get("functionCall") if type(part) is dict else None
            if type(call) is dict:
                self._take_call(candidate, part, call, reported)
            elif type(part) is dict and type(part.get("text")) is str:
                _take_text(candidate, part, reported)
            else:
                candidate.parts.append(part)

    def _take_call(
        self, candidate: _Candidate, part: dict[str, Any], call: dict[str, Any], events: list[StreamEvent]
    ) -> None:
        """Read a call, or a piece of the open one. A piece without a name extends the open call, or is too late."""
        is_named = bool(call.get("name"))
        current = candidate.last if candidate.open is None and not is_named else candidate.open
        if is_named or current is None:
            if current is not None:
                self._end_call(candidate, current, events)
            current = self._begin_call(candidate, part, call, events)
        else:
            current.head |= {key: value for key, value in part.items() if key != "functionCall"}
            current.head["functionCall"] |= {key: value for key, value in call.items() if key not in _PIECES}
        if current not in candidate.updates:
            return
        if current is candidate.open:
            self._add_pieces(current, candidate.updates[current], call, events)
            if call.get("willContinue") is not True:
                self._end_call(candidate, current, events)
        elif late := {key: call[key] for key in ("args", "partialArgs") if call.get(key)}:
            candidate.updates[current].rejected.append(late)

    @staticmethod
    def _add_pieces(
        current: OpenCall, arguments: PathArguments, call: dict[str, Any], events: list[StreamEvent]
    ) -> None:
        """Add the arguments of a chunk: complete ones, and updates."""
        whole, updates = call.get("args"), call.get("partialArgs")
        if whole is not None and type(whole) is not dict:
            raise wrong_type((_CALL, "args"), "an object", whole)
        if updates is not None and type(updates) is not list:
            raise wrong_type((_CALL, "partialArgs"), "an array", updates)
        texts = [arguments.merge(whole)] if whole else []
        texts += [arguments.add(update, ((_CALL, "partialArgs"), i)) for i, update in enumerate(updates or ())]
        if text := "".join(texts):
            current.add(text)
            events.append(ToolCallDelta(current.index, arguments_delta=text))

    def _begin_call(
        self, candidate: _Candidate, part: dict[str, Any], call: dict[str, Any], events: list[StreamEvent]
    ) -> OpenCall:
        """Start a call. It is complete unless the chunk states that more follows."""
        begun = OpenCall(candidate.calls, {**part})
        candidate.calls += 1
        candidate.parts.append(begun)
        growing = call.get("willContinue") is True or "partialArgs" in call
        text = "" if growing else dump_allowing_nan(call.get("args") or {})
        if growing:
            begun.head["functionCall"] = {key: value for key, value in call.items() if key not in _PIECES}
            candidate.updates[begun] = PathArguments()
            candidate.open = candidate.last = begun
        begun.add(text)
        if candidate is self._candidates.get(0):
            self._calls.append(begun)
            identifier = self._names.assign_call_id(call.get("id"), ROOT)
            begun.was_announced = type(call.get("name")) is str
            name = self._names.tool_name(call["name"]) if begun.was_announced else None
            events.append(ToolCallDelta(begun.index, identifier, name, text or None))
        return begun

    @staticmethod
    def _end_call(candidate: _Candidate, call: OpenCall, events: list[StreamEvent]) -> None:
        """Close the arguments of the open call, and add the event for what that adds to their text."""
        candidate.open = None
        if text := candidate.updates[call].end():
            call.add(text)
            events.append(ToolCallDelta(call.index, arguments_delta=text))

    def _keep(self, chunk: dict[str, Any]) -> None:
        """Merge the keys of a chunk beside its candidates. Paths of enum numbers are collected from all chunks."""
        before = self._top.get(ENUM_NUMBER_PATHS, [])
        self._top |= {key: value for key, value in chunk.items() if key != "candidates"}
        if before and ENUM_NUMBER_PATHS in chunk:
            self._top[ENUM_NUMBER_PATHS] = before + [path for path in chunk[ENUM_NUMBER_PATHS] if path not in before]

    def _body(self) -> dict[str, Any]:
        """Return the response so far as the body that the API would have returned as a whole."""
        body = {**self._top}
        if body.get("error"):
            body.setdefault("candidates", [])
        if self._candidates:
            body["candidates"] = [self._candidates[index].body() for index in sorted(self._candidates, key=str)]
        return body

    def _ended(self) -> bool:
        """Return whether the first candidate has a finish reason, or the prompt was blocked."""
        candidate = self._candidates.get(0)
        if candidate is not None:
            return bool(candidate.top.get("finishReason"))
        feedback = self._top.get("promptFeedback")
        return type(feedback) is dict and bool(feedback.get("blockReason"))


class _Candidate:
    """One candidate of a response: its parts, and its other keys.

    `open` is the call whose arguments are arriving, `last` the last call with streamed arguments; `calls` counts.
    """

    __slots__ = ("calls", "content", "last", "open", "parts", "top", "updates")

    def __init__(self) -> None:
        self.content: dict[str, Any] | None = None
        self.top: dict[str, Any] = {}
        self.parts: list[dict[str, Any] | _TextRun | OpenCall] = []
        self.calls = 0
        self.open: OpenCall | None = None
        self.last: OpenCall | None = None
        self.updates: dict[OpenCall, PathArguments] = {}

    def body(self) -> dict[str, Any]:
        """Return the candidate as in a complete response."""
        body = {**self.top}
        if self.content is not None:
            body["content"] = (
                {**self.content, "parts": [self._part(part) for part in self.parts]} if self.parts else self.content
            )
        return body

    def _part(self, part: dict[str, Any] | _TextRun | OpenCall) -> dict[str, Any]:
        """Return a part as it is in a response: joined texts, or a call with the arguments that updates gave it."""
        if isinstance(part, _TextRun):
            return {**part.part, "text": "".join(part.pieces)}
        if not isinstance(part, OpenCall):
            return part
        arguments = self.updates.get(part)
        if arguments is None:
            return part.head
        return {**part.head, "functionCall": {**part.head["functionCall"], "args": arguments.value()}}


class _TextRun:
    """Consecutive unsigned text of one kind."""

    __slots__ = ("part", "pieces")

    def __init__(self, part: dict[str, Any]) -> None:
        self.part = part
        self.pieces = [part["text"]]


def _take_text(candidate: _Candidate, part: dict[str, Any], events: list[StreamEvent]) -> None:
    """Add text. A signed part stays separate, because its signature belongs to no other text."""
    text, thought = part["text"], part.get("thought") is True
    if text:
        events.append(ReasoningDelta(text) if thought else TextDelta(text))
    last = candidate.parts[-1] if candidate.parts else None
    if not part.keys() <= _TEXT:
        candidate.parts.append(part)
    elif type(last) is _TextRun and (last.part.get("thought") is True) == thought:
        last.pieces.append(text)
    else:
        candidate.parts.append(_TextRun(part))


Step: TypeAlias = str | int

Steps: TypeAlias = tuple[Step, ...]

_STEP = r"""\.([^.\[\]*]+)|\[\s*(?:(0|[1-9]\d{0,8})|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\]"""

_ESCAPE = r"\\(u[0-9a-fA-F]{4}|.)"

_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}

MAX_GAP = 1_000
"""Limit of array items that the updates of a call may skip. Each one is filled with null, which needs memory."""


class _Text:
    """A string that is still open: the container and the step that lead to it, and its pieces."""

    __slots__ = ("holder", "pieces", "step")

    def __init__(self, holder: Any, step: Step, first: str) -> None:
        self.holder = holder
        self.step = step
        self.pieces = [first]

    def join(self) -> None:
        """Store the text so far in the container."""
        self.holder[self.step] = "".join(self.pieces)


class PathArguments:
    """Arguments that grow by updates of leaves.

    `add` and `end` return the text that each adds, in document order. An update inside a closed container changes only
    the value, and ends the text. `rejected` has the updates that do not fit: an invalid path, a path that leads through
    another value, or a number that JSON does not have.
    """

    __slots__ = ("_chain", "_gaps", "_in_order", "_open", "_quoted", "_value", "rejected")

    def __init__(self) -> None:
        self.rejected: list[Any] = []
        self._value: dict[str, Any] = {}
        self._chain: list[Any] = []
        self._open: dict[Steps, _Text] = {}
        self._quoted: Steps | None = None
        self._gaps = 0
        self._in_order = True

    def add(self, update: Any, at: Path = ROOT) -> str:
        """Apply one update, and return the text that it adds.

        Raises:
            ConversionError: A value has the wrong JSON type.
        """
        if type(update) is not dict:
            raise wrong_type(at, "an object", update)
        value = _leaf(update, at)
        steps = _steps(update.get("jsonPath"), at)
        more = update.get("willContinue") is True
        open_text = self._open.get(steps) if steps else None
        if open_text is not None and (value is ABSENT or type(value) is str):
            return self._go_on(steps, open_text, "" if value is ABSENT else value, more)
        if value is ABSENT:
            return ""
        if open_text is not None or not self._fits(steps, value):
            self.rejected.append(update)
            return ""
        return self._put(steps, value, more)

    def merge(self, arguments: dict[str, Any]) -> str:
        """Apply complete arguments, and return the text that they add."""
        text = ""
        for name, argument in arguments.items():
            try:
                value = loads(compact(argument))
            except (TypeError, ValueError, RecursionError):
                self.rejected.append({name: argument})
                continue
            if self._fits((name,), value):
                text += self._put((name,), value, False)
            else:
                self.rejected.append({name: argument})
        return text

    def end(self) -> str:
        """Return the text that closes everything that is open."""
        for open_text in self._open.values():
            open_text.join()
        self._open.clear()
        text = self._unquoted()
        if not self._in_order:
            return ""
        return text + self._close(0) if self._chain else "{}"

    def value(self) -> dict[str, Any]:
        """Return the arguments so far, as a copy that does not grow."""
        for open_text in self._open.values():
            open_text.join()
        copied: dict[str, Any] = _copied(self._value)
        return copied

    def _go_on(self, steps: Steps, open_text: _Text, piece: str, more: bool) -> str:
        """Extend an open string."""
        text = ""
        if piece:
            open_text.pieces.append(piece)
            self._in_order = self._in_order and self._quoted == steps
            text = compact(piece)[1:-1] if self._in_order else ""
        if not more:
            open_text.join()
            del self._open[steps]
            text += self._unquoted() if self._quoted == steps else ""
        return text

    def _unquoted(self) -> str:
        """Return the end of the string that the last update left open."""
        if self._quoted is None:
            return ""
        self._quoted = None
        return '"' if self._in_order else ""

    def _fits(self, steps: Steps, value: Any) -> bool:
        """Return whether a value fits: every step leads to a container of its kind, or to nothing yet."""
        if not 0 < len(steps) <= MAX_DEPTH or not is_json(value):
            return False
        holder: Any = self._value
        gaps = self._gaps
        for step in steps:
            if holder is not None and type(holder) is not (dict if type(step) is str else list):
                return False
            if isinstance(step, int):
                gaps += max(step - len(holder or ()), 0)
            holder = None if holder is None else _member(holder, step)
        return type(holder) not in (dict, list) and gaps <= MAX_GAP

    def _put(self, steps: Steps, value: Any, more: bool) -> str:
        """Store a value, and return the text between the last leaf and this one, with the value's own text."""
        text = self._unquoted()
        if not self._chain:
            self._chain.append(self._value)
            text = "{"
        holder: Any = self._value
        last = len(steps) - 1
        for depth, step in enumerate(steps):
            inner = _member(holder, step)
            if depth < last and inner is not None:
                if self._in_order and (depth + 1 == len(self._chain) or self._chain[depth + 1] is not inner):
                    self._in_order = False
            else:
                text += self._begin_member(holder, step, depth)
                inner = value if depth == last else [] if type(steps[depth + 1]) is int else {}
                holder[step] = inner
                if depth < last and self._in_order:
                    self._chain.append(inner)
                    text += "[" if type(inner) is list else "{"
            if depth < last:
                holder = inner
        growing = type(value) is str and more
        if growing:
            self._open[steps] = _Text(holder, steps[-1], value)
            self._quoted = steps
        if not self._in_order:
            return ""
        return text + (compact(value)[:-1] if growing else compact(value))

    def _begin_member(self, holder: Any, step: Step, depth: int) -> str:
        """Make room for a member of a container, and return the text before its value."""
        fresh = step not in holder if isinstance(step, str) else step >= len(holder)
        self._in_order = self._in_order and fresh
        text = self._close(depth + 1) + ("," if holder else "") if self._in_order else ""
        if isinstance(step, str):
            return text + compact(step) + ":" if self._in_order else ""
        gap = max(step - len(holder), 0)
        self._gaps += gap
        if fresh:
            holder.extend([None] * (gap + 1))
        return text + "null," * gap if self._in_order else ""

    def _close(self, depth: int) -> str:
        """Close the containers below a depth, and return the text for it."""
        text = ""
        while len(self._chain) > depth:
            text += "]" if type(self._chain.pop()) is list else "}"
        return text


def _member(holder: Any, step: Any) -> Any:
    """Return the member at a step of a container of its kind, or None if it is missing or null."""
    if type(holder) is list:
        return holder[step] if step < len(holder) else None
    return holder.get(step)


def _copied(value: Any) -> Any:
    if type(value) is dict:
        return {name: _copied(inner) for name, inner in value.items()}
    return [_copied(inner) for inner in value] if type(value) is list else value


def _steps(path: Any, at: Path) -> Steps:
    """Return the steps of a path to a single value, or no steps for any other path."""
    if path is None:
        return ()
    if type(path) is not str:
        raise wrong_type((at, "jsonPath"), "a string", path)
    steps: list[Step] = []
    end = 1
    step_at = re.compile(_STEP, re.DOTALL).match  # compiled here, where `re` caches it: few streams need it
    while path[:1] == "$" and (step := step_at(path, end)):
        end = step.end()
        plain, index, single, double = step.groups()
        quoted = double if single is None else single
        name = plain if quoted is None else re.sub(_ESCAPE, _unescaped, quoted, flags=re.DOTALL)
        try:
            # Adjacent halves of a surrogate pair are one character; single halves cannot be sent.
            steps.append(int(index) if name is None else name.encode("utf-16", "surrogatepass").decode("utf-16"))
        except UnicodeDecodeError:
            return ()
    return tuple(steps) if end == len(path) else ()


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else _ESCAPED.get(code, code)


def _leaf(update: dict[str, Any], at: Path) -> Any:
    """Return the value of an update, or ABSENT. Whole numbers arrive as doubles, and infinite ones or NaN as text."""
    text, number, flag = (update.get(key) for key in ("stringValue", "numberValue", "boolValue"))
    if text is not None:
        if type(text) is not str:
            raise wrong_type((at, "stringValue"), "a string", text)
        return text
    if number is not None:
        if type(number) not in (int, float, str):
            raise wrong_type((at, "numberValue"), "a number", number)
        if type(number) is str:
            return float("nan")
        whole = type(number) is float and number.is_integer() and abs(number) < 2**53
        return int(number) if whole else number
    if flag is not None:
        if type(flag) is not bool:
            raise wrong_type((at, "boolValue"), "true or false", flag)
        return flag
    return None if "nullValue" in update else ABSENT
