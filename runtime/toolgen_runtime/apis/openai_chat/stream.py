"""Stream and stream writer for Chat Completions: `choices[].delta`, with pieces of calls identified by index or id."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from ...conversion.extras import inner_extras, objects_in
from ...conversion.reader import NO_IDS
from ...conversion.responses import substitute_normal_stop_reason
from ...conversion.stream_writers import BaseStreamWriter, SentCall
from ...conversion.streams import BaseStream, OpenCall, order_by_index, read_hashable_index
from ...errors import wrong_type
from ...json_text import dump_allowing_nan, is_object_text
from ...models import Completion, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from ...paths import ROOT

__all__ = ["GROWING_KEYS", "ChatCall", "ChatStream", "ChatStreamWriter"]

_NOISE = ("choices", "obfuscation")
_REPEATED = ("role", "name", "channel")
"""The keys of a delta whose value is no piece of text. Some servers repeat it in each chunk."""


class ChatStream(BaseStream):
    """Joins chunks into a `chat.completion`."""

    _has_thoughts: ClassVar[bool] = False
    """Whether the reasoning of the API is in the parts of the content."""

    def __init__(self, turn: int = 0, *, tools: Any = ()) -> None:
        super().__init__(turn, tools=tools)
        self._top: dict[str, Any] = {}
        self._text: list[str] = []
        self._parts: _StreamedPartList | None = None
        self._refusal: list[str] = []
        self._reasoning: list[str] = []
        self._message: dict[str, Any] = {}
        self._choice: dict[str, Any] = {}
        self._entries: list[ChatCall] = []
        self._by_id: dict[str, ChatCall] = {}
        self._slots: dict[Any, ChatCall] = {}
        self._named: dict[Any, dict[str, Any]] = {}
        self._further: dict[Any, ChatStream] = {}
        self._end: Any = None
        self._closed = False
        self._has_content = False

    def _read_event(self, event: dict[str, Any]) -> list[StreamEvent]:
        """Read a chunk. Usage alone, without choices, ends the response if no text or call follows."""
        events: list[StreamEvent] = []
        choices = event.get("choices")
        self._merge_top(event)
        for choice in objects_in(choices):
            if choice.get("index"):
                self._add_to_further_choice(choice)
            else:
                events += self._read_choice(choice)
        closes = choices == [] and type(event.get("usage")) is dict
        self._closed = bool(self._message or self._text or self._parts) if closes else self._closed and not events
        if (error := self.converter.body_error(event)) is not None:
            self._record_error(error)
        return events

    def _read_choice(self, choice: dict[str, Any]) -> list[StreamEvent]:
        """Read the first choice of a chunk. With the stop reason, complete calls can be run."""
        delta = choice.get("delta")
        events = self._read_delta(delta) if type(delta) is dict else []
        self._merge_choice(choice)
        stop_reason = choice.get("finish_reason")
        if stop_reason and self._end is None:
            self._end = stop_reason
            are_whole = (call.was_announced and is_object_text("".join(call.pieces)) for call in self._calls)
            if self._calls and all(are_whole):
                events += self._call_events()
        return events

    def _merge_choice(self, choice: dict[str, Any]) -> None:
        """Merge the keys beside the delta. An empty value replaces nothing."""
        for key, value in choice.items():
            if key in ("delta", "index") or (value in (None, "") and key in self._choice):
                continue
            before = self._choice.get(key)
            if key == "finish_reason":
                self._choice[key] = self._final_stop_reason(before, value)
            else:
                self._choice[key] = _join_values(before, value) if key == "logprobs" else value

    def _read_delta(self, delta: dict[str, Any]) -> list[StreamEvent]:
        """Add a delta to the message so far. Return the events for its text, its reasoning and its calls."""
        events: list[StreamEvent] = []
        for key, value in delta.items():
            if key == "content":
                events += self._read_content(value)
            elif key == "tool_calls":
                events += self._read_call_pieces(value) if type(value) is list else []
            elif key == "refusal" and type(value) is str:
                self._refusal.append(value)
            elif key == "refusal":
                self._message.setdefault(key, value)
            elif key in _REPEATED:
                self._message[key] = value or self._message.get(key)
            elif key == "reasoning_content" and type(value) is str and not self.converter.IS_HOST:
                self._message.setdefault("role", "assistant")
                self._reasoning.append(value)
                events += [ReasoningDelta(value)] if value else []
            else:
                self._message[key] = _join_values(self._message.get(key), value)
        return events

    def _read_content(self, value: Any) -> list[StreamEvent]:
        """Read the content of a delta: text, or parts of the content."""
        if type(value) is str:
            self._has_content = True
            if value:
                self._text.append(value)
            return [TextDelta(value)] if value else []
        if type(value) is not list:
            return []
        self._has_content = True
        self._parts = self._parts or _StreamedPartList(self._text)
        return [event for part in value for event in self._parts.add(part, self._has_thoughts)]

    def _read_call_pieces(self, pieces: list[Any]) -> list[StreamEvent]:
        """Read the pieces of calls in a delta. Each is identified by its index, or by its position among them."""
        events: list[StreamEvent] = []
        for position, piece in enumerate(pieces):
            if type(piece) is dict:
                piece = _without_negative_index(piece)
                slot = piece["index"] if type(piece.get("index")) is int else ("at", position)
                events += self._read_call_piece(piece, slot)
        return events

    def _read_call_piece(self, piece: dict[str, Any], slot: Any) -> list[StreamEvent]:
        """Add a piece to its call. Return an event if it has arguments, or if the call was not announced.

        `slot` is the index of the piece, or stands for its position in the chunk.
        """
        named_piece = _merge_with_name_sent_before(self._named, slot, piece)
        call = self._find_or_begin_call(named_piece, slot)
        self._merge_call_keys(call, named_piece)
        text = _add_arguments(call, named_piece)
        is_custom = call.index < 0
        if is_custom or (not text and call.was_announced):
            return []
        return [self._delta(call, text)]

    def _find_or_begin_call(self, piece: dict[str, Any], slot: Any) -> ChatCall:
        """Return the call that a piece belongs to. It begins with the piece if there is none.

        Another id means another call. Without an id the index decides, and without both the position in the chunk.
        A piece with a name and arguments for a call that is already complete starts another call, and so does a piece
        with a name whose id is known from another index. `slot` is the index, or stands for the position.
        """
        index = piece.get("index")
        identifier = _piece_id(piece)
        name = _function_of(piece).get("name")
        call = self._slots.get(slot)
        if identifier is not None and (call is None or call.wire_id not in (None, identifier)):
            same = self._by_id.get(identifier) if type(identifier) is str else None
            moved = same is not None and None not in (index, same.wire_index) and name
            if same is None or moved or _begins_another_call(same, piece):
                return self._begin_call(piece, slot)
            self._slots[slot] = same
            return same
        if call is not None and not _begins_another_call(call, piece):
            return call
        if identifier is None and index is None and not name and self._entries:
            return self._entries[-1]
        return self._begin_call(piece, slot)

    def _begin_call(self, piece: dict[str, Any], slot: Any) -> ChatCall:
        """Begin a call with its first piece. A custom call, which has no function, is no event."""
        is_custom = "custom" in piece and "function" not in piece
        call = ChatCall(-1, {}) if is_custom else ChatCall(len(self._calls), {"function": {}})
        call.wire_index = piece["index"] if type(piece.get("index")) is int else None
        self._entries.append(call)
        if not is_custom:
            self._calls.append(call)
        self._slots[slot] = call
        return call

    def _merge_call_keys(self, call: ChatCall, piece: dict[str, Any]) -> None:
        """Merge all keys of a piece except the arguments. A second, different name makes the call malformed."""
        for key, value in piece.items():
            if key not in ("function", "index") and value not in (None, ""):
                call.head[key] = _join_custom_call(call.head.get(key), value) if key == "custom" else value
        call.malformed |= piece.get("function") is not None and type(piece["function"]) is not dict
        function = _function_of(piece)
        head = call.head.get("function")
        for key, value in function.items():
            if key == "name" and call.name and value and value != call.name:
                call.malformed = True
            elif key != "arguments" and value not in (None, "") and type(head) is dict:
                head[key] = value
        identifier = _piece_id(piece)
        if not call.wire_id and type(identifier) is str:
            call.wire_id = identifier
            self._by_id.setdefault(identifier, call)
        if not call.name and type(function.get("name")) is str:
            call.name = function["name"] or None

    def _add_to_further_choice(self, choice: dict[str, Any]) -> None:
        """Collect another choice of the response, which becomes an extra of the first one."""
        index = read_hashable_index(choice["index"], ((ROOT, "choices"), "index"))
        if index not in self._further:
            self._further[index] = type(self)(self._turn)
        self._further[index]._read_event({"choices": [{**choice, "index": 0}]})

    def _merge_top(self, event: dict[str, Any]) -> None:
        """Merge the keys beside the choices. Objects grow, except usage, which counts from the start each time."""
        for key, value in event.items():
            if key in _NOISE or (value is None and key in self._top):
                continue
            before = self._top.get(key)
            if type(before) is dict and type(value) is dict and key != "usage":
                value = {**before, **value}
            self._top[key] = value

    def _body(self) -> dict[str, Any]:
        """Return the response so far as the body that the API would have returned as a whole."""
        body = {**self._top}
        if body.get("object") == "chat.completion.chunk":
            body["object"] = "chat.completion"
        if self._message or self._choice or self._entries or self._has_content or self._text:
            choices = [self._joined_choice(0)]
            choices += [self._further[i]._joined_choice(i) for i in sorted(self._further, key=str)]
            body["choices"] = choices
        else:
            body["choices"] = []
        return body

    def _joined_choice(self, index: Any) -> dict[str, Any]:
        """Return the choice so far, as a response in one piece has it."""
        message = {"role": "assistant", **self._message}
        if self._parts is not None:
            message["content"] = self._parts.assemble()
        else:
            message["content"] = "".join(self._text) if self._text or self._has_content else None
        if self._reasoning:
            message["reasoning_content"] = "".join(self._reasoning)
        if self._refusal:
            message["refusal"] = "".join(self._refusal)
        if self._entries:
            message["tool_calls"] = [self._joined_call(call) for call in order_by_index(self._entries)]
        return {"index": index, "finish_reason": None, **self._choice, "message": message}

    def _joined_call(self, call: OpenCall) -> dict[str, Any]:
        """Return a call as a response in one piece has it."""
        whole: dict[str, Any] = {"type": "function", **call.head} if "function" in call.head else {**call.head}
        if type(whole.get("function")) is dict:
            whole["function"] = {"name": "", "arguments": "".join(call.pieces), **whole["function"]}
        return whole

    def _ended(self) -> bool:
        """Return whether the response has ended. Some have no reason, but no text or call follows usage on its own."""
        return self._closed or self._end is not None


def _join_values(old: Any, new: Any) -> Any:
    """Join the values of two chunks under an unknown key: texts and lists grow, other values replace."""
    if type(old) is str and type(new) is str:
        return old + new
    if type(old) is list and type(new) is list:
        return _join_lists(old, new)
    if type(old) is dict and type(new) is dict:
        return {**old, **{key: _join_values(old.get(key), value) for key, value in new.items()}}
    return old if new is None else new


def _join_lists(old: list[Any], new: list[Any]) -> list[Any]:
    """Return a list with the new items: those with the index of an earlier item are joined to it, others come last."""
    joined = [*old]
    for item in new:
        is_indexed = type(item) is dict and type(item.get("index")) is int
        same_items = (i for i, earlier in enumerate(joined) if _is_same_item(earlier, item))
        place = next(same_items, None) if is_indexed else None
        if place is None:
            joined.append(item)
        else:
            joined[place] = _join_items(joined[place], item)
    return joined


GROWING_KEYS = ("text", "summary", "data")
"""Keys of an item of a list whose values arrive in pieces."""


def _is_same_item(earlier: Any, item: dict[str, Any]) -> bool:
    """Return whether an item of a list continues or repeats one: both have the same index and type, and no other id."""
    is_same = type(earlier) is dict and all(earlier.get(key) == item.get(key) for key in ("index", "type"))
    return is_same and earlier.get("id") in (None, item.get("id", earlier.get("id")))


def _join_items(earlier: dict[str, Any], item: dict[str, Any]) -> dict[str, Any]:
    """Join two items of a list that are the same one: texts that arrive in pieces grow, other values replace."""
    stated = {key: value for key, value in item.items() if value is not None or key not in earlier}
    pieces = {key: _join_values(earlier.get(key), value) for key, value in stated.items() if key in GROWING_KEYS}
    return {**earlier, **stated, **pieces}


def _piece_id(piece: dict[str, Any]) -> Any:
    """Return the id of a piece of a call, or None if it has none."""
    identifier = piece.get("id")
    return None if identifier in ("", *NO_IDS) else identifier


def _without_negative_index(piece: dict[str, Any]) -> dict[str, Any]:
    """Return a piece of a call without an index below 0, which servers send that have none."""
    index = piece.get("index")
    if type(index) is not int or index >= 0:
        return piece
    return {key: value for key, value in piece.items() if key != "index"}


def _function_of(piece: dict[str, Any]) -> dict[str, Any]:
    """Return the function of a piece of a call. Empty if it has none."""
    function = piece.get("function")
    return function if type(function) is dict else {}


def _add_arguments(call: ChatCall, piece: dict[str, Any]) -> str | None:
    """Add the arguments of a piece to its call, unless it repeats the call. Return their text, or None if there is none.

    Arguments that are an object also replace those of the call. Those of another type make the call malformed.
    """
    arguments = _function_of(piece).get("arguments")
    if type(arguments) is dict:
        call.head["function"] = {**(call.head.get("function") or {}), "arguments": arguments}
    if arguments is None or type(arguments) is str:
        text = arguments
    else:
        call.malformed |= type(arguments) is not dict
        text = dump_allowing_nan(arguments)
    if not text or _repeats_call(call, piece):
        return None
    call.add(text)
    return text


def _merge_with_name_sent_before(named: dict[Any, dict[str, Any]], slot: Any, piece: dict[str, Any]) -> dict[str, Any]:
    """Return a piece of a call with the name that came alone before it: with its arguments, it may begin another call.

    `named` has the pieces with a name and no arguments, by their place.
    """
    function = inner_extras(piece, "function")
    if not function.get("arguments"):
        if function.get("name"):
            named[slot] = piece
        return piece
    head = named.pop(slot, None)
    if head is None or _piece_id(piece) not in (None, _piece_id(head)):
        return piece
    return {**head, **piece, "function": {**head["function"], **function}}


class ChatCall(OpenCall):
    """An incomplete call of a stream, which knows whether its arguments are one whole object."""

    __slots__ = ("_depth", "_escape", "_is_quoted", "_is_whole", "_seen")

    def __init__(self, index: int, head: dict[str, Any]) -> None:
        super().__init__(index, head)
        self._depth = self._seen = 0
        self._escape = ""
        self._is_quoted = False
        self._is_whole: bool | None = None

    def is_whole(self) -> bool:
        """Return whether the pieces are one whole object. Each piece is examined once, so that a stream is linear."""
        new = self.pieces[self._seen :]
        closes = bool(new and self._is_whole)
        for piece in new:
            text, self._escape = self._escape + piece, ""
            for mark in re.findall(_STRUCTURE, text):
                if mark == "\\":
                    self._escape = mark  # the next piece has the rest
                elif mark == '"':
                    self._is_quoted = not self._is_quoted
                elif mark[0] != "\\" and not self._is_quoted:
                    self._depth += 1 if mark in "{[" else -1
                    closes = closes or self._depth <= 0
        self._seen += len(new)
        if closes and self._is_whole is not False:
            self._is_whole = is_object_text("".join(self.pieces))
        return self._is_whole is True


_STRUCTURE = r'(?s:\\.)|\\|["{}\[\]]'


def _begins_another_call(call: ChatCall, piece: dict[str, Any]) -> bool:
    """Return whether a piece has a name, and arguments or another name, although its call is already complete."""
    function = _function_of(piece)
    name, text = function.get("name"), function.get("arguments")
    more = (text and not (type(text) is str and text.isspace())) or call.name not in (None, name)
    return bool(name and more) and call.is_whole() and not _repeats_call(call, piece)


def _repeats_call(call: ChatCall, piece: dict[str, Any]) -> bool:
    """Return whether a piece says all of a call again, as in a chunk that a server sends twice."""
    function = _function_of(piece)
    if not call.wire_id or piece.get("id") != call.wire_id or function.get("name") != call.name:
        return False
    text = function.get("arguments")
    if type(text) is not str or len(text) < len(call.pieces):
        return False
    return text == "".join(call.pieces) and is_object_text(text)


def _join_custom_call(old: Any, new: Any) -> Any:
    """Join two pieces of a custom call. Only its input grows.

    Raises:
        ConversionError: Both have input, and one of them is not a string.
    """
    if type(old) is not dict or type(new) is not dict:
        return new
    merged = {**old, **{key: value for key, value in new.items() if value not in (None, "")}}
    before, piece = old.get("input") or "", new.get("input") or ""
    for text in (before, piece):
        if before and piece and type(text) is not str:
            raise wrong_type(((ROOT, "custom"), "input"), "a string", text)
    merged["input"] = before + piece if before and piece else before or piece
    return merged


class _StreamedPartList:
    """Content whose deltas are lists of parts, in the order of their arrival.

    Consecutive pieces of text are one text, also inside a thought. The last text stays open in `text`, the list to which
    the stream adds text that is in no part.
    """

    __slots__ = ("parts", "text", "thought")

    def __init__(self, text: list[str]) -> None:
        self.text = text
        self.parts: list[Any] = []
        self.thought: _Thought | None = None

    def add(self, part: Any, with_thoughts: bool) -> list[StreamEvent]:
        """Add a part of a delta, and return events for its text, and for its thoughts if the API has them as parts."""
        if _is_text(part):
            if not part["text"]:
                return []
            self.text.append(part["text"])
            return [TextDelta(part["text"])]
        kind = part.get("type") if type(part) is dict else None
        if kind == "thinking" and type(part.get("thinking")) in (list, str):
            texts = self._add_thought(part)
            return [ReasoningDelta(text) for text in texts if text] if with_thoughts else []
        self._close_text()
        self.parts.append(part)
        return [TextDelta(part["text"])] if kind == "text" and type(part.get("text")) is str and part["text"] else []

    def _add_thought(self, part: dict[str, Any]) -> list[str]:
        """Add a piece of a thought. One without text extends the last thought, even if other parts came after it."""
        pieces = part["thinking"]
        thought = self.thought
        is_last = thought is not None and not self.text and self.parts[-1] is thought
        if thought is None or thought.kind is not type(pieces) or (pieces and not is_last):
            self._close_text()
            thought = self.thought = _Thought(type(pieces))
            self.parts.append(thought)
        thought.head.update({key: value for key, value in part.items() if key != "thinking"})
        return [thought.take(piece) for piece in ([pieces] if type(pieces) is str else pieces)]

    def _close_text(self) -> None:
        """Close the open text, because another part follows it."""
        if self.text:
            self.parts.append(_text_part(self.text))
            self.text.clear()

    def assemble(self) -> list[Any]:
        """Return the content so far."""
        parts = [part.assemble() if type(part) is _Thought else part for part in self.parts]
        return [*parts, _text_part(self.text)] if self.text else parts


class _Thought:
    """A thought of a stream: its object without texts, and its items. `runs` are those of them that are joined pieces.

    `kind` is the type of its texts: a list of parts, or a string.
    """

    __slots__ = ("head", "items", "kind", "runs")

    def __init__(self, kind: type) -> None:
        self.kind = kind
        self.head: dict[str, Any] = {}
        self.items: list[Any] = []
        self.runs: dict[int, list[str]] = {}

    def take(self, piece: Any) -> str:
        """Add a piece of a delta, and return its text."""
        if self.kind is not str and not _is_text(piece):
            self.items.append(piece)
            return ""
        text = piece if self.kind is str else piece["text"]
        last = len(self.items) - 1
        if last not in self.runs:
            last += 1
            self.items.append(None)
            self.runs[last] = []
        self.runs[last].append(text)
        return str(text)

    def assemble(self) -> dict[str, Any]:
        """Return the thought so far."""
        if self.kind is str:
            return {"type": "thinking", **self.head, "thinking": "".join(self.runs[0])}
        items = [_text_part(self.runs[i]) if i in self.runs else item for i, item in enumerate(self.items)]
        return {"type": "thinking", **self.head, "thinking": items}


def _is_text(part: Any) -> bool:
    """Return whether a part is text and nothing else."""
    return type(part) is dict and len(part) == 2 and part.get("type") == "text" and type(part.get("text")) is str


def _text_part(pieces: list[str]) -> dict[str, str]:
    """Return the part of a content whose text arrived in pieces."""
    return {"type": "text", "text": "".join(pieces)}


class ChatStreamWriter(BaseStreamWriter):
    """Writes `chat.completion.chunk` objects. The first has the role. Usage comes last, without choices if all went well."""

    ENDS_WITH_USAGE: ClassVar[bool] = False
    """Whether a stream with usage needs no finish reason."""

    _has_role = False
    """Whether a chunk with the role was written."""

    def _chunk(self, delta: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Return a chunk with one choice. `more` are keys of the choice."""
        if not self._has_role:
            self._has_role, delta = True, {"role": "assistant", **delta}
        chunk: dict[str, Any] = {"object": "chat.completion.chunk"}
        if self.id is not None:
            chunk["id"] = self.id
        if self.created is not None:
            chunk["created"] = self.created
        if self.model is not None:
            chunk["model"] = self.model
        chunk["choices"] = [{"index": 0, "delta": delta, "finish_reason": None, **more}]
        return chunk

    def _text(self, text: str) -> list[dict[str, Any]]:
        return [self._chunk({"content": text})]

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        """Return the chunk for a piece of a call. The first one has its id and its name."""
        call = self.sent_call(event.index)
        piece: dict[str, Any] = {"index": event.index}
        function: dict[str, Any] = {}
        if event.id is not None and event.name is not None:
            piece |= {"id": self.writer.call_id(event.id), "type": "function"}
            function["name"] = self.writer.tool_name(event.name, ROOT)
        function["arguments"] = event.arguments_delta or ""
        call.arguments += function["arguments"]
        return [self._chunk({"tool_calls": [{**piece, "function": function}]})]

    def _error(self, message: str) -> list[dict[str, Any]]:
        return [{"error": {"message": message}}]

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        """Return a chunk for each choice with what was not sent yet, and usage after them."""
        top = {key: value for key, value in body.items() if key not in ("choices", "object", "usage")}
        top |= {} if self.created is None else {"created": self.created}  # as in the chunks before
        usage = {"usage": body["usage"]} if "usage" in body else {}
        choices = objects_in(body.get("choices"))
        has_end = bool(choices and choices[0].get("finish_reason")) or (self.ENDS_WITH_USAGE and bool(usage))
        if choices and completion.finish_reason == "other" and not has_end:
            choices[0]["finish_reason"] = substitute_normal_stop_reason(self.converter.FINISH_REASONS, self.writer)
        chunks = [{**self._chunk_of_choice(choice, i), **top} for i, choice in enumerate(choices)]
        if chunks and completion.finish_reason == "error":
            chunks[-1] |= usage  # in a chunk of its own it would end the response
        elif usage or not chunks:
            chunks.append({**self._chunk({}), **top, "choices": [], **usage})
        return chunks

    def _chunk_of_choice(self, choice: dict[str, Any], position: int) -> dict[str, Any]:
        """Return the chunk for a choice at the end of the stream. Of the first choice, pieces may have been sent."""
        message = inner_extras(choice, "message")
        delta = self._unsent_delta(message) if position == 0 else _whole_delta(message)
        if position == 0 and self._has_role and delta.get("role") == "assistant":
            del delta["role"]
        members = {key: value for key, value in choice.items() if key not in ("message", "index")}
        return {**self._chunk(delta), "choices": [{"index": choice.get("index", position), "delta": delta, **members}]}

    def _unsent_delta(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the part of the message that was not sent yet."""
        delta = {key: value for key, value in message.items() if key not in ("content", "tool_calls")}
        content = message.get("content")
        sent = "".join(self.text)
        if type(content) is str:
            if content[len(sent) :] or not content:
                delta["content"] = content[len(sent) :]
        elif type(content) is list:
            unsent_parts = _parts_after(sent, content)
            if unsent_parts:
                delta["content"] = unsent_parts
        pieces = self._unsent_calls(objects_in(message.get("tool_calls")))
        if pieces:
            delta["tool_calls"] = pieces
        return delta

    def _unsent_calls(self, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return pieces with the parts of calls that were not sent yet."""
        pieces: list[dict[str, Any]] = []
        position = 0
        for entry in entries:
            if type(entry.get("function")) is not dict:
                pieces.append({"index": len(entries) + len(pieces), **entry})
                continue
            piece = _unsent_piece(entry, self.sent_call(position))
            if piece != {"function": {"arguments": ""}}:
                pieces.append({"index": position, **piece})
            position += 1
        return pieces


def _unsent_piece(entry: dict[str, Any], sent_call: SentCall) -> dict[str, Any]:
    """Return what a call has that was not sent of it. Its id, type and name were sent with its first piece."""
    function = entry["function"]
    text = str(function.get("arguments", ""))
    members = {key: value for key, value in entry.items() if key not in ("id", "type") or not sent_call.is_begun}
    unsent_function = {key: value for key, value in function.items() if key != "name" or not sent_call.is_begun}
    is_continued = text.startswith(sent_call.arguments)
    unsent_function["arguments"] = text[len(sent_call.arguments) :] if is_continued else ""
    return {**members, "function": unsent_function}


def _parts_after(sent: str, content: list[Any]) -> list[Any]:
    """Return the parts of a content without the texts that were sent as one, in the order of the parts."""
    unsent = []
    for part in content:
        text = part.get("text") if type(part) is dict else None
        if type(text) is str and text and sent.startswith(text):
            sent = sent[len(text) :]
        else:
            unsent.append(part)
    return unsent


def _whole_delta(message: dict[str, Any]) -> dict[str, Any]:
    """Return the delta that has all of a message. Its calls have their index."""
    calls = objects_in(message.get("tool_calls"))
    return {**message, "tool_calls": [{"index": i, **call} for i, call in enumerate(calls)]} if calls else message
