"""Stream writer for Bedrock's ConverseStream."""

from __future__ import annotations

from typing import Any

from ...conversion.extras import inner_extras
from ...conversion.responses import substitute_normal_stop_reason
from ...conversion.stream_writers import BaseStreamWriter, OpenBlocks, SentCall
from ...json_text import compact
from ...models import Completion, ToolCallDelta
from ...paths import ROOT
from .client_values import find_exception
from .content import block_kind

__all__ = ["BedrockStreamWriter"]


class BedrockStreamWriter(BaseStreamWriter):
    """Writes blocks as they arrive. A block stops before the next one starts, unless it is a call that is not complete.

    Consecutive text of one kind is one block. Signatures and citations are known only at the end, so their deltas may
    come after the block has stopped. A block of the complete response is written at the end, as a whole, if it was not
    streamed, or if its deltas came in a different order than the response has.
    """

    HAS_BLOCKS = True

    def _set_up(self) -> None:
        """Create the state of the blocks: what was sent of each, those of calls by the call's index, and the open ones."""
        self._started = False
        self._blocks: list[dict[str, Any]] = []
        self._block_indexes: dict[int, int] = {}
        self._open_blocks = OpenBlocks()

    def _begin(self) -> list[dict[str, Any]]:
        """Return the event that starts the response, before any other event. Empty if it was sent."""
        if self._started:
            return []
        self._started = True
        return [{"messageStart": {"role": "assistant"}}]

    def _piece(self, kind: str, text: str) -> list[dict[str, Any]]:
        """Return the events for a piece of text or reasoning. A block of another kind ends before."""
        events = self._begin()
        if not self._blocks or block_kind(self._blocks[-1]) != kind:
            events += map(_stop, self._open_blocks.start(len(self._blocks)))
            self._blocks.append(_block_of(kind, ""))
        self._blocks[-1] = _block_of(kind, _text_of(self._blocks[-1]) + text)
        return [*events, _text_delta(len(self._blocks) - 1, kind, text)]

    def _text(self, text: str) -> list[dict[str, Any]]:
        return self._piece("text", text)

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        return self._piece("reasoning", text)

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        """Return the events for a piece of a call. Its block starts with the delta that has its id and its name."""
        events = self._begin()
        call = self.sent_call(event.index)
        if event.id is not None and event.name is not None:
            name = self.writer.tool_name(event.name, ROOT)
            head = {"toolUse": {"toolUseId": self.writer.call_id(event.id), "name": name}}
            self._block_indexes[event.index] = len(self._blocks)
            events += self._replace(len(self._blocks), head, call)
        if event.arguments_delta:
            call.arguments += event.arguments_delta
            events.append(_delta(self._block_indexes[event.index], {"toolUse": {"input": event.arguments_delta}}))
        return events

    def _has_error(self, body: dict[str, Any]) -> bool:
        """Return whether the response has an exception of the API."""
        return find_exception({key: value for key, value in body.items() if key != "output"}) is not None

    def _error(self, message: str) -> list[dict[str, Any]]:
        return [*self._begin(), {"internalServerException": {"message": message}}]

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        """Return the events for what was not sent, and for the end of the response."""
        events = self._begin()
        calls = {block_index: self.calls[index] for index, block_index in self._block_indexes.items()}
        message = inner_extras(inner_extras(body, "output"), "message")
        content = message.get("content") or []
        if not self.writer.peek_extras(completion.metadata):
            content = self._as_sent(content)
        for index in sorted(range(len(content)), key=lambda block_index: block_index not in self._open_blocks):
            events += self._unsent(index, content[index], calls.get(index))
            events += map(_stop, self._open_blocks.stop([index]))
        events += map(_stop, self._open_blocks.stop(range(len(self._blocks))))
        top = {key: value for key, value in body.items() if key != "output"}
        failure = find_exception(top)
        if failure is not None:
            events.append({failure[0]: top.pop(failure[0])})
        last = ("stopReason", "additionalModelResponseFields")
        stop = {key: value for key, value in top.items() if key in last}
        metadata = {key: value for key, value in top.items() if key not in last}
        if completion.finish_reason == "other" and failure is None and stop.get("stopReason") is None:
            stop["stopReason"] = substitute_normal_stop_reason(self.converter.FINISH_REASONS, self.writer)
        if stop:
            events.append({"messageStop": stop})
        if metadata:
            events.append({"metadata": metadata})
        return events

    def _as_sent(self, content: list[Any]) -> list[Any]:
        """Match another provider's parts to the blocks that were sent: adjacent texts are joined."""
        blocks: list[Any] = []
        for block in content:
            kind = block_kind(block)
            if kind in ("text", "reasoning") and len(block) == 1 and blocks and block_kind(blocks[-1]) == kind:
                blocks[-1] = _block_of(kind, _text_of(blocks[-1]) + _text_of(block))
            else:
                blocks.append(block)
        return blocks

    def _unsent(self, index: int, block: dict[str, Any], call: SentCall | None) -> list[dict[str, Any]]:
        """Return the events for the part of a block that was not sent yet."""
        kind = block_kind(block) if type(block) is dict else None
        events: list[dict[str, Any]] | None = None
        if index < len(self._blocks):
            if call is not None and kind == "call":
                events = self._unsent_arguments(index, block, call)
            elif kind in ("text", "citations", "reasoning"):
                events = self._unsent_text(index, block, "reasoning" if kind == "reasoning" else "text")
        return self._replace(index, block) if events is None else events

    def _unsent_arguments(self, index: int, block: dict[str, Any], call: SentCall) -> list[dict[str, Any]] | None:
        """Return the events for the arguments of a call. None if the call is not the one that was sent."""
        used = block["toolUse"]
        if len(block) != 1 or not used.keys() <= {"toolUseId", "name", "input"}:
            return None
        if inner_extras(self._blocks[index], "toolUse").get("toolUseId") != used.get("toolUseId"):
            return None
        arguments = compact(used.get("input", {}))
        if call.arguments or arguments == "{}":
            return []
        return [_delta(index, {"toolUse": {"input": arguments}})]

    def _unsent_text(self, index: int, block: dict[str, Any], kind: str) -> list[dict[str, Any]] | None:
        """Return the events for the end of a text, its signature and its citations. None if it does not go on so."""
        before = self._blocks[index]
        sent, text = _text_of(before), _text_of(block)
        if block_kind(before) != kind or not _is_plain(block) or not text.startswith(sent):
            return None
        events = [_text_delta(index, kind, text[len(sent) :])] if text != sent else []
        signature = inner_extras(inner_extras(block, "reasoningContent"), "reasoningText").get("signature")
        if signature is not None:
            events.append(_delta(index, {"reasoningContent": {"signature": signature}}))
        for citation in inner_extras(block, "citationsContent").get("citations", ()):
            events.append(_delta(index, {"citation": citation}))
        return events

    def _replace(self, index: int, block: dict[str, Any], call: SentCall | None = None) -> list[dict[str, Any]]:
        """Start a block, or start it again, with its complete content. Then the event says that it replaces a block."""
        stops = [_stop(stopped) for stopped in self._open_blocks.start(index, call)]
        replaces = {"replaces": True} if index < len(self._blocks) else {}
        self._blocks[index : index + 1] = [block]
        return [*stops, {"contentBlockStart": {"contentBlockIndex": index, "start": block, **replaces}}]


def _is_plain(block: dict[str, Any]) -> bool:
    """Return whether deltas can express all of a block of text or reasoning."""
    thought = inner_extras(inner_extras(block, "reasoningContent"), "reasoningText")
    cited = inner_extras(block, "citationsContent")
    if len(block) != 1 or len(inner_extras(block, "reasoningContent")) > 1:
        return False
    if not thought.keys() <= {"text", "signature"}:
        return False
    if "signature" in thought and type(thought["signature"]) is not str:
        return False
    if not cited:
        return True
    citations = cited.get("citations")
    return type(citations) is list and citations != [] and [*cited["content"][1:]] == [] and len(cited) == 2


def _text_of(block: dict[str, Any]) -> str:
    """Return the text of a block of text, with or without citations, or of reasoning."""
    thought = inner_extras(inner_extras(block, "reasoningContent"), "reasoningText")
    texts = [item.get("text") for item in inner_extras(block, "citationsContent").get("content", ())]
    text = block.get("text", thought.get("text", "".join(texts)))
    return text if type(text) is str else ""


def _block_of(kind: str | None, text: str) -> dict[str, Any]:
    """Return a block of text, or of reasoning if the kind is another one, with nothing but this text."""
    return {"text": text} if kind == "text" else {"reasoningContent": {"reasoningText": {"text": text}}}


def _stop(index: int) -> dict[str, Any]:
    return {"contentBlockStop": {"contentBlockIndex": index}}


def _delta(index: int, delta: dict[str, Any]) -> dict[str, Any]:
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}}


def _text_delta(index: int, kind: str | None, text: str) -> dict[str, Any]:
    return _delta(index, {"text": text} if kind == "text" else {"reasoningContent": {"text": text}})
