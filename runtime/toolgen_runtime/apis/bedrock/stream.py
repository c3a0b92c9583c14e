"""Stream for Bedrock's ConverseStream, whose deltas extend blocks by index. Text and reasoning have no start event."""

from __future__ import annotations

from typing import Any

from ...conversion.extras import inner_extras
from ...conversion.streams import BaseStream, IndexedBlocks, OpenCall, read_hashable_index
from ...json_text import loads
from ...models import ReasoningDelta, StreamEvent, TextDelta
from ...paths import ROOT, Path
from .client_values import encode_bytes_as_base64, find_exception
from .content import block_kind

__all__ = ["BedrockStream"]

_DELTA: Path = ((ROOT, "contentBlockDelta"), "contentBlockIndex")
_START: Path = ((ROOT, "contentBlockStart"), "contentBlockIndex")


class _Block:
    """A block of the stream: what it started with, and what was added since, by kind.

    `started` means that its start has arrived.
    """

    __slots__ = (
        "call",
        "citations",
        "head",
        "input",
        "redacted",
        "results",
        "signature",
        "started",
        "texts",
        "thoughts",
    )

    def __init__(self, head: dict[str, Any], *, started: bool = True) -> None:
        self.head = head
        self.started = started
        self.call: OpenCall | None = None
        self.texts: list[str] | None = None
        self.thoughts: list[str] | None = None
        self.signature: list[str] = []
        self.redacted: list[str] = []
        self.citations: list[Any] = []
        self.input: list[str] = []
        self.results: list[Any] = []


class BedrockStream(BaseStream):
    """Joins the events of a stream into a message."""

    def __init__(self, turn: int = 0, *, tools: Any = ()) -> None:
        super().__init__(turn, tools=tools)
        self._message: dict[str, Any] = {"role": "assistant"}
        self._top: dict[str, Any] = {}
        self._blocks = IndexedBlocks()
        self._end = False
        self._rewritten = False

    def _read_event(self, event: dict[str, Any]) -> list[StreamEvent]:
        """Take one event of the stream, and return the events of the format that follow from it."""
        event = encode_bytes_as_base64(event, self.converter.SDK_BYTES.free)
        failure = find_exception(event)
        if failure is not None:
            self._fail(*failure)
        delta = event.get("contentBlockDelta")
        if type(delta) is dict and type(delta.get("delta")) is not dict:
            self._spoil(delta.get("contentBlockIndex", 0))
        elif type(delta) is dict:
            return self._grow(read_hashable_index(delta.get("contentBlockIndex", 0), _DELTA), delta["delta"])
        start = event.get("contentBlockStart")
        if type(start) is dict and type(start.get("start")) is dict:
            index = read_hashable_index(start.get("contentBlockIndex", 0), _START)
            return self._start(index, start["start"], replaces=start.get("replaces") is True)
        if type(event.get("messageStart")) is dict:
            self._message = _unpadded(event["messageStart"])
        if type(event.get("metadata")) is dict:
            self._top |= _unpadded(event["metadata"])
        if type(event.get("messageStop")) is dict:
            return self._close(_unpadded(event["messageStop"]))
        return []

    def _start(self, index: Any, head: dict[str, Any], *, replaces: bool) -> list[StreamEvent]:
        """Start a block. Its index may have been used before.

        If it replaces a block (`BedrockStreamWriter`), it and those after it return no text: it was already returned.
        """
        self._rewritten = self._rewritten or replaces
        kind, used = block_kind(head), inner_extras(head, "toolUse")
        before = self._blocks.get(index)
        if before is not None and not before.started and not replaces and _kind(before) in (None, kind):
            return self._start_late(before, head)
        owner = self._owners.get(str(used.get("toolUseId"))) if before is not None or self._rewritten else None
        is_same_call = before is not None and owner is not None and before.call is owner
        block = self._blocks.add(index, _Block(head), replaces=replaces or is_same_call)
        if owner is not None:
            block.call = owner
            if replaces:
                owner.pieces = []  # the block has all of them
            return []
        if kind == "call":
            return self._start_call(block, used, index if before is None else None)
        if self._rewritten:
            return []
        text = head.get("text") if kind == "text" else None
        return [TextDelta(text)] if type(text) is str and text else []

    def _start_late(self, block: _Block, head: dict[str, Any]) -> list[StreamEvent]:
        """Read the start of a block, which arrived after some of its deltas."""
        block.started = True
        if block.call is not None:
            block.head = head
            return self._name(block.call, inner_extras(head, "toolUse"))
        block.head |= {key: _joined(value, block.head.get(key, value)) for key, value in head.items()}
        return []

    def _start_call(self, block: _Block, head: dict[str, Any], index: Any) -> list[StreamEvent]:
        """Start the call of a block. `index` is that of the block, or None if another block had it before."""
        call = block.call = OpenCall(len(self._calls), head)
        call.wire_index = index if type(index) is int else None
        self._calls.append(call)
        return self._name(call, head)

    def _name(self, call: OpenCall, head: dict[str, Any]) -> list[StreamEvent]:
        """Give a call the id and the name of its start."""
        call.wire_id = head["toolUseId"] if type(head.get("toolUseId")) is str else None
        call.name = head["name"] if type(head.get("name")) is str else None
        return [self._delta(call, None)]

    def _grow(self, index: Any, delta: dict[str, Any]) -> list[StreamEvent]:
        """Extend a block by a delta. A delta of another kind starts a block of its own."""
        block = self._blocks.get(index)
        kind = _kind_of_delta(delta)
        if block is not None and kind is not None and _kind(block) not in (None, kind):
            block = None
        if block is None:
            block = self._blocks.add(index, _Block({}, started=False))
        if "toolUse" in delta:
            events = self._grow_call(block, inner_extras(delta, "toolUse").get("input"))
            if type(delta["toolUse"]) is not dict or type(delta["toolUse"].get("input", "")) is not str:
                self._spoil(index)
            return events
        if type(delta.get("text")) is str:
            block.texts = block.texts if block.texts is not None else []
            block.texts.append(delta["text"])
            return [TextDelta(delta["text"])] if delta["text"] else []
        if type(delta.get("reasoningContent")) is dict:
            return self._grow_reasoning(block, delta["reasoningContent"])
        if "citation" in delta:
            block.citations.append(delta["citation"])
        elif type(delta.get("toolResult")) is list:
            block.results += delta["toolResult"]
        elif block_kind(block.head) is None and _is_empty(block):
            block.head = {key: _joined(block.head.get(key), value) for key, value in {**block.head, **delta}.items()}
        elif "image" in delta:
            block.head = {**block.head, "image": _joined(block.head.get("image"), delta["image"])}
        return []

    def _grow_call(self, block: _Block, piece: Any) -> list[StreamEvent]:
        """Extend the arguments of a call. Those of a tool that the server runs are kept in the block."""
        if block.call is None and not block.head:
            block.head = {"toolUse": {"toolUseId": None, "name": ""}}
            self._start_call(block, block.head["toolUse"], None)
        if type(piece) is not str or not piece:
            return []
        if block.call is None:
            block.input.append(piece)
            return []
        block.call.add(piece)
        return [self._delta(block.call, piece)]

    def _spoil(self, index: Any) -> None:
        """Mark the call of a block as malformed: a delta has the wrong type, so part of its arguments is missing."""
        block = self._blocks.get(index) if type(index) is int else None
        if block is not None and block.call is not None:
            block.call.malformed = True

    def _grow_reasoning(self, block: _Block, delta: dict[str, Any]) -> list[StreamEvent]:
        """Extend reasoning by a text, a signature or redacted content."""
        for key, pieces in (("signature", block.signature), ("redactedContent", block.redacted)):
            if type(delta.get(key)) is str:
                pieces.append(delta[key])
        text = delta.get("text")
        if type(text) is not str:
            return []
        block.thoughts = block.thoughts if block.thoughts is not None else []
        block.thoughts.append(text)
        return [ReasoningDelta(text)] if text else []

    def _close(self, stop: dict[str, Any]) -> list[StreamEvent]:
        """Take the end of the message. Return the events of its calls if it says why the model stopped."""
        before = self._top.get("stopReason")
        self._top |= stop
        if before is not None:
            self._top["stopReason"] = self._final_stop_reason(before, self._top["stopReason"])
        if stop.get("stopReason") is None:
            return []
        self._end = True
        return self._call_events() if self._calls and all(call.was_announced for call in self._calls) else []

    def _fail(self, kind: str, error: Any) -> None:
        """Record an exception of the API under its name. Its message is that of the failure, else the name is."""
        text = error.get("message") if type(error) is dict else error
        self._record_error(error, {"__type": kind, "message": text}, unnamed=kind)
        self._top[kind] = error

    def _body(self) -> dict[str, Any]:
        """Return the response so far as the body that the API would have returned as a whole."""
        blocks = [_whole(block) for block in self._blocks.in_order()]
        return {"output": {"message": {**self._message, "content": blocks}}, **self._top}

    def _ended(self) -> bool:
        return self._end


def _unpadded(payload: dict[str, Any]) -> dict[str, Any]:
    """Return a payload without the random padding that hides its length."""
    return {key: value for key, value in payload.items() if key != "p"}


def _is_empty(block: _Block) -> bool:
    """Return whether no delta has extended a block. Those of calls do not count."""
    return block.texts is None and block.thoughts is None and not (block.redacted or block.citations or block.results)


def _kind(block: _Block) -> str | None:
    """Return the kind of a block: `call`, `text`, `reasoning`, another one of `block_kind`, or None."""
    if block.call is not None:
        return "call"
    if block.texts is not None or block.citations:
        return "text"
    if block.thoughts is not None or block.signature or block.redacted:
        return "reasoning"
    kind = "result" if block.results else block_kind(block.head)
    return {"citations": "text", "redacted": "reasoning"}.get(str(kind), kind)


def _kind_of_delta(delta: dict[str, Any]) -> str | None:
    """Return the kind of the block that a delta extends, as `_kind`. None if it may be any other kind."""
    if "toolUse" in delta:
        return "call"
    if type(delta.get("text")) is str or "citation" in delta:
        return "text"
    return "reasoning" if type(delta.get("reasoningContent")) is dict else None


def _joined(before: Any, piece: Any) -> Any:
    """Return an object merged with another piece of it."""
    return {**before, **piece} if type(before) is dict and type(piece) is dict else piece


def _whole(block: _Block) -> dict[str, Any]:
    """Return the complete block. Arguments that are not a valid JSON object stay text."""
    text = "".join(block.texts or ())
    if block.citations:
        return {"citationsContent": {"content": [{"text": text}], "citations": block.citations}}
    if block.texts is not None:
        before = block.head.get("text")
        return {**block.head, "text": before + text if type(before) is str else text}
    if block.redacted:
        return {"reasoningContent": {"redactedContent": _joined_base64(block.redacted)}}
    if block.thoughts is not None or block.signature:
        thought: dict[str, Any] = {"text": "".join(block.thoughts or ())}
        if block.signature:
            thought["signature"] = "".join(block.signature)
        return {"reasoningContent": {"reasoningText": thought}}
    if block.results or "toolResult" in block.head:
        head = inner_extras(block.head, "toolResult")
        return {**block.head, "toolResult": {**head, "content": [*(head.get("content") or []), *block.results]}}
    if "toolUse" in block.head:
        return _whole_call(block)
    return block.head


def _whole_call(block: _Block) -> dict[str, Any]:
    """Return the complete block of a call. Arguments that are not a JSON object stay text."""
    text = "".join(block.call.pieces if block.call is not None else block.input)
    head = inner_extras(block.head, "toolUse")
    if not text.strip() and "input" in head:
        return block.head
    value: Any = {}
    if text.strip():
        try:
            value = loads(text)
        except ValueError:
            value = text
    return {**block.head, "toolUse": {**head, "input": value if type(value) is dict else text}}


def _joined_base64(pieces: list[str]) -> str:
    """Return the base64 of all bytes. Each piece is base64 on its own."""
    if not any(piece[-1:] == "=" for piece in pieces[:-1]):
        return "".join(pieces)
    import base64  # late: few conversions need it

    try:
        return base64.b64encode(b"".join(base64.b64decode(piece, validate=True) for piece in pieces)).decode()
    except ValueError:
        return "".join(pieces)
