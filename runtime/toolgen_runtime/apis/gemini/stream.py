"""Stream and stream writer for Gemini, whose chunks are complete responses; their parts are joined without an index."""

from __future__ import annotations

from typing import Any

from ...errors import wrong_type
from ...json_text import dump_allowing_nan
from ...models import Completion, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from ...paths import ROOT, Path
from ...responses import mark_call_invalid
from ...stream_writers import BaseStreamWriter
from ...streams import BaseStream, OpenCall, read_hashable_index
from .parts import ENUM_NUMBER_PATHS, part_list
from .stream_arguments import PathArguments

__all__ = ["GeminiStream", "GeminiStreamWriter"]

_TEXT = frozenset(["text", "thought"])
_PIECES = frozenset(["args", "partialArgs", "willContinue"])
_CALL = ((((ROOT, "candidates"), "content"), "parts"), "functionCall")


class _TextRun:
    """Consecutive unsigned text of one kind."""

    __slots__ = ("part", "pieces")

    def __init__(self, part: dict[str, Any]) -> None:
        self.part = part
        self.pieces = [part["text"]]


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
        if isinstance(part, _TextRun):
            return {**part.part, "text": "".join(part.pieces)}
        if not isinstance(part, OpenCall):
            return part
        arguments = self.updates.get(part)
        if arguments is None:
            return part.head
        return {**part.head, "functionCall": {**part.head["functionCall"], "args": arguments.value()}}


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
        named = bool(call.get("name"))
        known = candidate.last if candidate.open is None and not named else candidate.open
        if named or known is None:
            if known is not None:
                self._end_call(candidate, known, events)
            known = self._begin_call(candidate, part, call, events)
        else:
            known.head |= {key: value for key, value in part.items() if key != "functionCall"}
            known.head["functionCall"] |= {key: value for key, value in call.items() if key not in _PIECES}
        if known not in candidate.updates:
            return
        if known is candidate.open:
            self._add_pieces(known, candidate.updates[known], call, events)
            if call.get("willContinue") is not True:
                self._end_call(candidate, known, events)
        elif late := {key: call[key] for key in ("args", "partialArgs") if call.get(key)}:
            candidate.updates[known].rejected.append(late)

    @staticmethod
    def _add_pieces(known: OpenCall, arguments: PathArguments, call: dict[str, Any], events: list[StreamEvent]) -> None:
        """Add the arguments of a chunk: complete ones, and updates."""
        whole, updates = call.get("args"), call.get("partialArgs")
        if whole is not None and type(whole) is not dict:
            raise wrong_type((_CALL, "args"), "an object", whole)
        if updates is not None and type(updates) is not list:
            raise wrong_type((_CALL, "partialArgs"), "an array", updates)
        texts = [arguments.merge(whole)] if whole else []
        texts += [arguments.add(update, ((_CALL, "partialArgs"), i)) for i, update in enumerate(updates or ())]
        if text := "".join(texts):
            known.add(text)
            events.append(ToolCallDelta(known.index, arguments_delta=text))

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
            identifier, _ = self._names.call_id(call.get("id"), ROOT)
            begun.was_announced = type(call.get("name")) is str
            name = self._names.tool_name(call["name"]) if begun.was_announced else None
            events.append(ToolCallDelta(begun.index, identifier, name, text or None))
        return begun

    @staticmethod
    def _end_call(candidate: _Candidate, call: OpenCall, events: list[StreamEvent]) -> None:
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


class GeminiStreamWriter(BaseStreamWriter):
    """Writes chunks with text as it arrives. Complete calls come at the end, when their signatures are known."""

    def _set_up(self) -> None:
        self._sent: list[tuple[bool, list[str]]] = []
        self._waiting: dict[str, Any] | None = None
        self._calls_begun = False

    def _text(self, text: str) -> list[dict[str, Any]]:
        return self._next({"text": text})

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        return self._next({"text": text, "thought": True})

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        self._calls_begun = True
        return []

    def _next(self, part: dict[str, Any]) -> list[dict[str, Any]]:
        """Send the text that was held back, and hold back the new one, which may turn out to be signed."""
        if self._calls_begun:
            return []
        ready = self._release()
        self._waiting = part
        return ready

    def _release(self) -> list[dict[str, Any]]:
        ready, self._waiting = self._waiting, None
        if ready is None:
            return []
        thought = "thought" in ready
        if not self._sent or self._sent[-1][0] != thought:
            self._sent.append((thought, []))
        self._sent[-1][1].append(ready["text"])
        return [self._chunk([ready])]

    def _chunk(self, parts: list[Any]) -> dict[str, Any]:
        chunk: dict[str, Any] = {"candidates": [{"content": {"role": "model", "parts": parts}}]}
        if self.id is not None:
            chunk["responseId"] = self.id
        if self.model is not None:
            chunk["modelVersion"] = self.model
        return chunk

    def _error(self, message: str) -> list[dict[str, Any]]:
        return [*self._release(), {"error": {"code": 500, "message": message, "status": "INTERNAL"}}]

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        candidates = body.get("candidates")
        if not candidates:
            return [body]
        first = candidates[0]
        content = first.get("content")
        if type(content) is dict and type(content.get("parts")) is list:
            first = {**first, "content": {**content, "parts": self._unsent(content["parts"])}}
        return [{**body, "candidates": [first, *candidates[1:]]}]

    def _unsent(self, parts: list[Any]) -> list[Any]:
        """Return the parts that were not sent yet.

        Sent text is removed in order. A part that should have come before sent text comes late, and a signature of sent
        text comes with an empty text.
        """
        sent = [(thought, "".join(pieces)) for thought, pieces in self._sent]
        unsent: list[Any] = []
        at: Path = ((ROOT, "message"), "content")
        for i, part in enumerate(parts):
            if not sent or not _is_text(part, sent[0][0]):
                unsent.append(part)
                if sent:
                    self.writer.report_loss((at, i), "a part", "moved", "later text was already sent")
                continue
            text = part["text"]
            thought, gone = sent.pop(0)
            taken = min(len(text), len(gone))
            if gone[taken:]:
                sent.insert(0, (thought, gone[taken:]))
            if text[taken:] or not part.keys() <= _TEXT:
                unsent.append({**part, "text": text[taken:]})
                if not part.keys() <= _TEXT:
                    self.writer.report_loss((at, i), "a signature", "moved", "its text was already sent")
        return unsent


def _is_text(part: Any, thought: bool) -> bool:
    """Return whether a part is text of the given kind."""
    return type(part) is dict and type(part.get("text")) is str and bool(part.get("thought")) == thought
