"""What servers that are compatible with Chat Completions add to it: reasoning, and other places for errors and usage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from ...conversion.extras import ABSENT, Extras, is_internal_mark
from ...conversion.fields import (
    INVALID_ARGUMENTS_KEY,
    read_effort,
    read_json_arguments,
    read_result_call,
    write_json_arguments,
    write_nearest_effort,
)
from ...conversion.reader import Reader
from ...conversion.responses import value_at_path
from ...conversion.wire import DeclaredToolFacts
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...json_text import compact, dump_allowing_nan, is_null_text, is_object_text, loads
from ...json_values import same_json
from ...models import InvalidCall, Reasoning, ReasoningDelta, ReasoningPart, StreamEvent
from ...paths import Path
from .converter import ChatConverter
from .stream import GROWING_KEYS, ChatStream, ChatStreamWriter

__all__ = ["CompatibleConverter", "CompatibleStream", "CompatibleStreamWriter", "ReasoningKeys"]


class ReasoningKeys:
    """The keys of reasoning in the messages of a wire.

    `keys` have it as text; `details` is the key of a list of opaque objects; `default_key` is the key for reasoning from
    another wire (None: such reasoning is not sent); and `needed` means that messages with calls must have it.
    """

    __slots__ = ("default_key", "details", "keys", "known", "needed")

    def __init__(
        self, keys: Sequence[str], *, details: str | None = None, default_key: str | None = None, needed: bool = False
    ) -> None:
        self.keys = tuple(keys)
        self.details = details
        self.default_key = default_key
        self.needed = needed
        self.known = self.keys if details is None else (*self.keys, details)


class CompatibleConverter(ChatConverter):
    """Converts Chat Completions of a host, with its reasoning, errors and usage."""

    IS_HOST = True
    REASONING: ClassVar[ReasoningKeys]
    """The keys of reasoning in a message."""
    BODY_PATHS: ClassVar[dict[str, Any]]
    """Key paths of errors and usage in bodies."""

    def __init__(self, declared: DeclaredToolFacts | None = None) -> None:
        super().__init__(declared)
        self.assistant_keys = self.assistant_keys.union(self.REASONING.known)

    def body_error(self, wire: dict[str, Any]) -> Any:
        """Return the error in a body of status 200, or None."""
        return value_at(wire, self.BODY_PATHS["error"]) or super().body_error(wire)

    def body_usage(self, wire: dict[str, Any]) -> Any:
        """Return the usage in a body, or None."""
        return value_at(wire, self.BODY_PATHS["usage"])

    def deciding_reason(self, stop_reason: str | None, wire: dict[str, Any]) -> str | None:
        """Return the stop reason that counts: a cut that the model reports goes before a normal end of its gateway."""
        native = value_at(wire, self.BODY_PATHS.get("native_reason", ()))
        normal = self.FINISH_REASONS.get(stop_reason or "") in ("stop", "tool_calls")
        return native if normal and type(native) is str and self.FINISH_REASONS.get(native) == "length" else stop_reason

    def normalize_message(self, message: dict[str, Any]) -> tuple[dict[str, Any], Extras]:
        """Return a message of a response as a request may have it, and what it had instead.

        Its content is text, not an object: some hosts parse the JSON that was requested. It has no empty list of details,
        and where calls need a key of reasoning, its text is at least empty.
        """
        keys, extras = self.REASONING, dict[str, Any]()
        if type(message.get("content")) is dict:
            extras["content"] = message["content"]
            message = {**message, "content": dump_allowing_nan(message["content"])}
        if keys.details is not None and message.get(keys.details) == []:
            extras[keys.details] = []
            message = {key: value for key, value in message.items() if key != keys.details}
        needed = keys.default_key if keys.needed and message.get("tool_calls") else None
        if needed is not None and message.get(needed) is None:
            extras |= {needed: None} if needed in message else {"$absent": [needed]}
            message = {**message, needed: ""}
        return message, extras

    def restore_message(self, message: dict[str, Any], extras: Extras) -> dict[str, Any]:
        """Return a message of a response as it was read, where it still means the same."""
        content = extras.get("content")
        if type(content) is dict and type(message["content"]) is str and _is_text_of(message["content"], content):
            message = {**message, "content": content}
        empty = {key: extras[key] for key in self.REASONING.known if key in extras and not message.get(key)}
        absent = [key for key in extras.get("$absent", ()) if not message.get(key)]
        return {key: value for key, value in {**message, **empty}.items() if key not in absent}

    def read_message_reasoning(
        self, wire: dict[str, Any], extras: Extras, at: Path, reader: Reader
    ) -> ReasoningPart | None:
        """Read the reasoning of a message. Its text is that of the first key with a text.

        Empty texts and lists are not reasoning and become extras of the message, which also record that a needed key was
        absent. Empty text under a needed key means that there is no reasoning, and is not kept.

        Raises:
            ConversionError: A text is not a string, or the details are not a list.
        """
        keys, values = self.REASONING, self.reasoning_values(wire, at)
        if keys.needed and keys.default_key not in wire:
            extras["$absent"] = [*extras.get("$absent", ()), keys.default_key]
        if not any(values.values()):
            if not (keys.needed and wire.get("tool_calls") and values == {keys.default_key: ""}):
                extras.update(values)
            return None
        source = next((key for key, value in values.items() if reasoning_text_of(value)), keys.details)
        text = "" if source is None else reasoning_text_of(values[source])
        part_extras: Extras = {key: value for key, value in values.items() if key != source or key == keys.details}
        if source is not None and source != keys.details:
            further_texts = {reasoning_text_of(value) for value in part_extras.values()}
            if further_texts - {"", text}:
                part_extras[source] = text
        if source != keys.default_key:
            part_extras["$as"] = source
        return ReasoningPart(text, reader.as_metadata(part_extras))

    def reasoning_values(self, wire: dict[str, Any], at: Path) -> dict[str, Any]:
        """Return the values that a message has under the keys of reasoning, without nulls.

        Raises:
            ConversionError: A text is not a string, or the details are not a list.
        """
        values = {key: value for key, value in wire.items() if value is not None and key in self.REASONING.known}
        for key, value in values.items():
            is_details = key == self.REASONING.details
            if type(value) is not (list if is_details else str):
                raise wrong_type((at, key), "an array" if is_details else "a string", value)
        return values

    def write_message_reasoning(
        self, wire: dict[str, Any], parts: list[tuple[ReasoningPart, Path]], extras: Extras, writer: Writer
    ) -> None:
        """Write the reasoning of a message. The extras of a text are only used while the text is unchanged.

        The key from which the text was read comes first, because reading takes the text of the first key. A response has
        reasoning from another wire under the first key, if there is no default.
        """
        keys = self.REASONING
        default = keys.keys[0] if writer.is_response and keys.default_key is None else keys.default_key
        for i, (part, at) in enumerate(parts):
            part_extras = writer.own_extras(part.metadata, at)
            source = part_extras["$as"] if type(part_extras.get("$as")) is str else default
            originals = self.unchanged_reasoning(part, part_extras, source)
            key = source if source in keys.keys or source in originals else default
            if key is None or not (part.text or part_extras):
                writer.report_unsupported(at, "reasoning")
                continue
            writer.report_adopted_reasoning(part.metadata, at)
            if i:
                writer.report_loss(at, "reasoning", "moved", "the API accepts one reasoning text per message")
            if key in keys.keys:
                wire[key] = wire.get(key, "") + part.text
            else:
                wire.setdefault(key, [])
            self.restore_reasoning_values(wire, originals, key)
        is_alone = wire["content"] is None and "tool_calls" not in wire and not wire.keys().isdisjoint(keys.known)
        if is_alone and not writer.is_response and "$sent" not in extras:
            wire["content"] = ""  # many servers reject null beside reasoning

    def restore_reasoning_values(self, wire: dict[str, Any], originals: dict[str, Any], text_key: str) -> None:
        """Add what a part of reasoning was read from, except the text, which was written under `text_key`."""
        for key, value in originals.items():
            if key == self.REASONING.details:
                wire[key] = [*wire.get(key, ()), *value]
            elif key != text_key:
                wire.setdefault(key, value)

    def unchanged_reasoning(self, part: ReasoningPart, extras: Extras, source: str | None) -> dict[str, Any]:
        """Return the values in the extras of a part, by key of reasoning. Empty if the part has another text by now.

        `source` is the key from which the text was read.
        """
        keys = self.REASONING
        originals = {
            key: extras[key] for key in keys.known if type(extras.get(key)) is (list if key == keys.details else str)
        }
        if source in originals:
            is_unchanged = reasoning_text_of(originals[source]) == part.text
        else:
            is_unchanged = all(reasoning_text_of(value) in ("", part.text) for value in originals.values())
        return originals if is_unchanged else {}

    def add_required_keys(self, wire: dict[str, Any], extras: Extras) -> None:
        """Add the key of reasoning to a message with calls, as an empty text, unless it was read without it."""
        key = self.REASONING.default_key if self.REASONING.needed else None
        if key is not None and "tool_calls" in wire and key not in extras.get("$absent", ()) and key not in extras:
            wire.setdefault(key, "")

    def read_arguments_text(
        self, value: Any, at: Path, reader: Reader
    ) -> tuple[dict[str, Any], InvalidCall | None, Any]:
        """Read the arguments. That they were an object is not kept, because the next request needs them as text.

        Text that is not an object is also kept as an extra: the same server gets it again.

        Raises:
            ConversionError: The value is neither a string nor an object.
        """
        if type(value) is dict:
            return value, None, ABSENT
        arguments, invalid, extra = read_json_arguments(value, at, reader)
        return arguments, invalid, extra if invalid is None or extra is not ABSENT else {"$whole": invalid.text}

    def write_arguments_text(
        self, arguments: dict[str, Any], invalid: InvalidCall | None, extra: Any, at: Path, writer: Writer
    ) -> Any:
        """Write the arguments. In a request, text that is not an object is wrapped in one, unless this server gave it.

        Raises:
            ConversionError: The arguments cannot be written as JSON.
        """
        if is_internal_mark(extra):
            if invalid is not None and invalid.text == extra.get("$whole"):
                return invalid.text
            extra = ABSENT
        if invalid is None or invalid.text == extra:
            return write_json_arguments(arguments, invalid, extra, at, writer)
        return self.write_parsable_arguments(arguments, invalid, extra, at, writer)

    def read_parsable_arguments(
        self, value: Any, at: Path, reader: Reader
    ) -> tuple[dict[str, Any], InvalidCall | None, Any]:
        """Read the arguments. That they were an object is not kept, because the next request needs them as text.

        Raises:
            ConversionError: The value is neither a string nor an object.
        """
        return (value, None, ABSENT) if type(value) is dict else read_json_arguments(value, at, reader)

    def write_parsable_arguments(
        self, arguments: dict[str, Any], invalid: InvalidCall | None, extra: Any, at: Path, writer: Writer
    ) -> Any:
        """Write the arguments. In a request, text that is not an object is wrapped in one, and reported.

        Raises:
            ConversionError: The arguments cannot be written as JSON.
        """
        text = write_json_arguments(arguments, invalid, extra, at, writer)
        if writer.is_response:
            return text
        if type(text) is str and (not text.strip() or (invalid is None and is_null_text(text))):
            return "{}"
        if is_object_text(text):
            return text
        writer.report_loss(
            at[0], "the text of an invalid call", "rewritten", f"{writer.wire.title} parses the arguments"
        )
        return compact({INVALID_ARGUMENTS_KEY: text})

    def read_effort_object(
        self, value: Any, at: Path, reader: Reader, keys_by_field: Mapping[str, str]
    ) -> Reasoning | None:
        """Read the object. None for one without effort and number of tokens.

        Raises:
            ConversionError: The object, its effort or its number of tokens has the wrong type.
        """
        if value is None or value is ABSENT:
            return None
        if type(value) is not dict:
            raise wrong_type(at, "an object", value)
        effort, budget = value.get(keys_by_field["effort"]), value.get(keys_by_field["budgetTokens"])
        if effort is not None and type(effort) is not str:
            raise wrong_type((at, keys_by_field["effort"]), "a string", effort)
        if budget is not None and type(budget) is not int:
            raise wrong_type((at, keys_by_field["budgetTokens"]), "an integer", budget)
        return None if effort is None and budget is None else Reasoning(effort, budget)

    def write_effort_object(
        self, reasoning: Reasoning | None, at: Path, writer: Writer, keys_by_field: Mapping[str, str]
    ) -> Any:
        """Write the object."""
        if reasoning is None:
            return ABSENT
        if reasoning.budget_tokens == 0 and reasoning.effort is None:
            return {keys_by_field["effort"]: "none"}
        settings = {keys_by_field["effort"]: reasoning.effort, keys_by_field["budgetTokens"]: reasoning.budget_tokens}
        return {key: value for key, value in settings.items() if value is not None}

    def read_effort_or_switch(
        self, wire: dict[str, Any], at: Path, reader: Reader, levels: Mapping[str, str]
    ) -> Reasoning | None:
        """Read the reasoning effort. Thinking that is switched off is the effort `none`.

        Raises:
            ConversionError: The effort is neither a string nor null.
        """
        reasoning = read_effort(wire.get("reasoning_effort", ABSENT), (at, "reasoning_effort"), reader)
        return Reasoning("none") if reasoning is None and wire.get("thinking") == _SWITCHED_OFF else reasoning

    def write_effort_or_switch(
        self, reasoning: Reasoning | None, at: Path, writer: Writer, levels: Mapping[str, str]
    ) -> dict[str, Any]:
        """Write the reasoning effort, or switch thinking off."""
        if reasoning is not None and (reasoning.budget_tokens == 0 or reasoning.effort == "none"):
            return {"thinking": _SWITCHED_OFF}
        effort = write_nearest_effort(reasoning, at, writer, levels)
        return {} if effort is ABSENT else {"reasoning_effort": effort}

    def read_result_call_or_next(self, value: Any, at: Path, reader: Reader) -> tuple[str, str, Any]:
        """Read the id of a result's call, and the name of the called tool. Without an id, it is the next open call.

        Raises:
            ConversionError: The value is not a string, and every call has a result.
        """
        call = reader.take_open_call(None) if value is None or value is ABSENT else None
        if call is not None:
            return call.id, call.name, {"$synthetic": call.id, **({} if value is ABSENT else {"$whole": value})}
        identifier, name = read_result_call(value, at, reader)
        reader.note_result(identifier)
        return identifier, name, ABSENT

    def write_result_call_or_next(self, identifier: str, name: str, extra: Any, at: Path, writer: Writer) -> Any:
        """Write the id of a result's call, unless it was read without one."""
        if type(extra) is dict and extra.get("$synthetic") == identifier:
            return extra.get("$whole", ABSENT)
        return writer.call_id(identifier)


_SWITCHED_OFF = {"type": "disabled"}


def value_at(body: Any, paths: Iterable[Sequence[str | int]]) -> Any:
    """Return the value at the first key path that leads to one, or None."""
    for path in paths:
        value = value_at_path(body, path)
        if value is not None:
            return value
    return None


def _is_text_of(text: str, content: dict[str, Any]) -> bool:
    """Return whether a text is the JSON of an object."""
    try:
        return same_json(loads(text), content)
    except ValueError:
        return False


def detail_text(detail: Any) -> str:
    """Return the text of a detail, or an empty string if it is encrypted or of an unknown kind."""
    if type(detail) is not dict:
        return ""
    for key in ("text", "summary"):
        if type(detail.get(key)) is str:
            return str(detail[key])
    return ""


def reasoning_text_of(value: Any) -> str:
    """Return the text under a key of reasoning: the value itself, or the text of all details."""
    return "".join(map(detail_text, value)) if type(value) is list else value


class CompatibleStream(ChatStream):
    """Joins chunks into a `chat.completion`, with reasoning and its details.

    The text of the reasoning is that of the first key with a text. A server that uses several keys repeats the same
    text under each.
    """

    converter: ClassVar[CompatibleConverter]

    def __init__(self, turn: int = 0, *, tools: Any = ()) -> None:
        super().__init__(turn, tools=tools)
        self._source: str | None = None
        self._thoughts: dict[str, list[str]] = {}
        self._details: list[_Detail] | None = None
        self._last_details: dict[tuple[Any, Any], _Detail] = {}

    def _read_delta(self, delta: dict[str, Any]) -> list[StreamEvent]:
        """Add a delta to the message so far, its reasoning first. Return the events for what is new."""
        reasoning_keys = self.converter.REASONING.known
        if delta.keys().isdisjoint(reasoning_keys):
            return super()._read_delta(delta)
        self._message.setdefault("role", "assistant")
        events: list[StreamEvent] = []
        for key in reasoning_keys:
            value = delta.get(key)
            if type(value) is str and key != self.converter.REASONING.details:
                self._thoughts.setdefault(key, []).append(value)
                events += self._reasoning_events(key, [value])
            elif type(value) is list and key == self.converter.REASONING.details:
                self._details = self._details or []
                for fragment in value:
                    self._add_detail(fragment, self._details)
                events += self._reasoning_events(key, map(detail_text, value))
            elif key in delta:
                self._message.setdefault(key, value)
        events += super()._read_delta({key: value for key, value in delta.items() if key not in reasoning_keys})
        return events

    def _reasoning_events(self, key: str, texts: Iterable[str]) -> list[StreamEvent]:
        """Return the events for texts under a key of reasoning. The first key with a text is the only one with events."""
        streamed_texts = [text for text in texts if text]
        if not streamed_texts or self._source not in (None, key):
            return []
        self._source = key
        return [ReasoningDelta(text) for text in streamed_texts]

    def _add_detail(self, fragment: Any, details: list[_Detail]) -> None:
        """Add a fragment of a detail to the details.

        Fragments with the same index and type are joined, unless their ids differ. Those without an index stay
        separate.
        """
        index, kind = (fragment.get("index"), fragment.get("type")) if type(fragment) is dict else (None, None)
        if type(index) is not int or type(kind) is not str:
            details.append(_Detail(fragment))
            return
        last_detail = self._last_details.get((index, kind))
        if last_detail is not None and last_detail.accepts(fragment):
            last_detail.add(fragment)
        else:
            self._last_details[index, kind] = _Detail(fragment)
            details.append(self._last_details[index, kind])

    def _read_call_piece(self, piece: dict[str, Any], slot: Any) -> list[StreamEvent]:
        """Add a piece to its call. Arguments that are an object become text."""
        function = piece.get("function")
        if type(function) is dict and type(function.get("arguments")) is dict:
            text = dump_allowing_nan(function["arguments"])
            return super()._read_call_piece({**piece, "function": {**function, "arguments": text}}, slot)
        return super()._read_call_piece(piece, slot)

    def _joined_choice(self, index: Any) -> dict[str, Any]:
        """Return a choice as in a complete response, with the reasoning under the keys that the host has for it."""
        choice = super()._joined_choice(index)
        thoughts: dict[str, Any] = {key: "".join(pieces) for key, pieces in self._thoughts.items()}
        if self._details is not None and self.converter.REASONING.details is not None:
            thoughts[self.converter.REASONING.details] = [detail.assemble() for detail in self._details]
        if self._source is not None:  # the first key of the message with a text is the one that was streamed
            thoughts = {self._source: thoughts[self._source], **thoughts}
        choice["message"] = {**choice["message"], **thoughts}
        return choice


class _Detail:
    """A detail of the stream. `head` is its first fragment, and `pieces` are the texts that grow."""

    __slots__ = ("head", "pieces")

    def __init__(self, fragment: Any) -> None:
        self.head = fragment
        self.pieces: dict[str, list[str]] = {}
        if type(fragment) is dict:
            self.head = dict(fragment)
            self.pieces = {key: [fragment[key]] for key in GROWING_KEYS if type(fragment.get(key)) is str}

    def accepts(self, fragment: dict[str, Any]) -> bool:
        """Return whether a fragment with the same index and type belongs to this detail: it has no other id."""
        identifier, fragment_id = self.head.get("id"), fragment.get("id")
        return not (identifier and fragment_id and identifier != fragment_id)

    def add(self, fragment: dict[str, Any]) -> None:
        """Add another fragment. An empty value replaces nothing."""
        for key, value in fragment.items():
            if key in GROWING_KEYS and type(value) is str:
                self.pieces.setdefault(key, []).append(value)
            if value not in (None, "") or key not in self.head:
                self.head[key] = value

    def assemble(self) -> Any:
        """Return the detail so far."""
        if not self.pieces:
            return self.head
        return {**self.head, **{key: "".join(pieces) for key, pieces in self.pieces.items()}}


class CompatibleStreamWriter(ChatStreamWriter):
    """Writes `chat.completion.chunk` objects. Reasoning is under one key, with its details at the end."""

    ENDS_WITH_USAGE = True

    converter: ClassVar[CompatibleConverter]

    def _reasoning(self, text: str) -> list[dict[str, Any]]:
        return [self._chunk({self._reasoning_key(): text})]

    def _reasoning_key(self) -> str:
        """Return the key under which reasoning is sent."""
        return self.converter.REASONING.default_key or self.converter.REASONING.keys[0]

    def _unsent_delta(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the part of the message that was not sent yet. Reasoning that was sent is left out under every key."""
        sent = "".join(self.reasoning)
        if not sent:
            return super()._unsent_delta(message)
        reasoning_keys = self.converter.REASONING.known
        texts = (reasoning_text_of(message.get(key) or "") for key in reasoning_keys)
        text = next(filter(None, texts), "")
        reasoning = {key: value for key, value in message.items() if key in reasoning_keys and value != text}
        if text != sent and text.startswith(sent):
            reasoning = {self._reasoning_key(): text[len(sent) :], **reasoning}
        members = {key: value for key, value in message.items() if key not in reasoning_keys}
        return super()._unsent_delta({**members, **reasoning})
