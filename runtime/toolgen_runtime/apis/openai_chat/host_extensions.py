"""What hosts add to Chat Completions: reasoning, and other places for errors and usage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from ...conversion.extras import Extras
from ...conversion.reader import Reader
from ...conversion.wire import DeclaredToolFacts
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...json_text import dump_allowing_nan, loads
from ...json_values import same_json
from ...models import ReasoningPart
from ...paths import Path
from ...responses import value_at_path
from .converter import ChatConverter
from .host_fields import (
    read_arguments_text,
    read_effort_object,
    read_effort_or_switch,
    read_parsable_arguments,
    read_result_call_or_next,
    read_stop_without_reasoning,
    write_arguments_text,
    write_effort_object,
    write_effort_or_switch,
    write_parsable_arguments,
    write_result_call_or_next,
    write_stop_without_reasoning,
)

__all__ = [
    "HostChatConverter",
    "ReasoningKeys",
    "detail_text",
    "reasoning_text_of",
    "value_at",
]


def value_at(body: Any, paths: Iterable[Sequence[str | int]]) -> Any:
    """Return the value at the first key path that leads to one, or None."""
    for path in paths:
        value = value_at_path(body, path)
        if value is not None:
            return value
    return None


def _says(text: str, content: dict[str, Any]) -> bool:
    try:
        return same_json(loads(text), content)
    except ValueError:
        return False


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


class HostChatConverter(ChatConverter):
    """Converts Chat Completions of a host, with its reasoning, errors and usage."""

    read_arguments_text = staticmethod(read_arguments_text)
    write_arguments_text = staticmethod(write_arguments_text)
    read_effort_object = staticmethod(read_effort_object)
    write_effort_object = staticmethod(write_effort_object)
    read_effort_or_switch = staticmethod(read_effort_or_switch)
    write_effort_or_switch = staticmethod(write_effort_or_switch)
    read_parsable_arguments = staticmethod(read_parsable_arguments)
    write_parsable_arguments = staticmethod(write_parsable_arguments)
    read_result_call_or_next = staticmethod(read_result_call_or_next)
    write_result_call_or_next = staticmethod(write_result_call_or_next)
    read_stop_without_reasoning = staticmethod(read_stop_without_reasoning)
    write_stop_without_reasoning = staticmethod(write_stop_without_reasoning)

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
        return value_at(wire, self.BODY_PATHS["error"])

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
        keys, kept = self.REASONING, dict[str, Any]()
        if type(message.get("content")) is dict:
            kept["content"] = message["content"]
            message = {**message, "content": dump_allowing_nan(message["content"])}
        if keys.details is not None and message.get(keys.details) == []:
            kept[keys.details] = []
            message = {key: value for key, value in message.items() if key != keys.details}
        needed = keys.default_key if keys.needed and message.get("tool_calls") else None
        if needed is not None and message.get(needed) is None:
            kept |= {needed: None} if needed in message else {"$absent": [needed]}
            message = {**message, needed: ""}
        return message, kept

    def restore_message(self, message: dict[str, Any], kept: Extras) -> dict[str, Any]:
        """Return a message of a response as it was read, where it still means the same."""
        content = kept.get("content")
        if type(content) is dict and type(message["content"]) is str and _says(message["content"], content):
            message = {**message, "content": content}
        empty = {key: kept[key] for key in self.REASONING.known if key in kept and not message.get(key)}
        absent = [key for key in kept.get("$absent", ()) if not message.get(key)]
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
        keys = self.REASONING
        found: dict[str, Any] = {}
        for key, value in wire.items():
            if value is None or key not in keys.known:
                continue
            if type(value) is not (list if key == keys.details else str):
                raise wrong_type((at, key), "an array" if key == keys.details else "a string", value)
            found[key] = value
        if keys.needed and keys.default_key not in wire:
            extras["$absent"] = [*extras.get("$absent", ()), keys.default_key]
        if not any(found.values()):
            if not (keys.needed and wire.get("tool_calls") and found == {keys.default_key: ""}):
                extras.update(found)
            return None
        source = next((key for key, value in found.items() if reasoning_text_of(value)), keys.details)
        text = reasoning_text_of(found[source]) if source is not None else ""
        own: Extras = {key: value for key, value in found.items() if key != source or key == keys.details}
        beside = [reasoning_text_of(value) for value in own.values()]
        if source is not None and source != keys.details and any(other not in ("", text) for other in beside):
            own[source] = text
        if source != keys.default_key:
            own["$as"] = source
        return ReasoningPart(text, reader.as_metadata(own))

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
            own = writer.own_extras(part.metadata, at)
            key = own["$as"] if type(own.get("$as")) is str else default
            originals = {k: own[k] for k in keys.known if type(own.get(k)) is (list if k == keys.details else str)}
            if key in originals:
                unchanged = reasoning_text_of(originals[key]) == part.text
            else:
                unchanged = all(reasoning_text_of(value) in ("", part.text) for value in originals.values())
            if not unchanged:
                originals = {}
            if key not in keys.keys and key not in originals:
                key = default
            if key is None or not (part.text or own):
                writer.report_unsupported(at, "reasoning")
                continue
            writer.report_adopted_reasoning(part.metadata, at)
            if i:
                writer.report_loss(at, "reasoning", "moved", "the API accepts one reasoning text per message")
            if key in keys.keys:
                wire[key] = wire.get(key, "") + part.text
            else:
                wire.setdefault(key, [])
            for k, value in originals.items():
                if k == keys.details:
                    wire[k] = [*wire.get(k, ()), *value]
                elif k != key:
                    wire.setdefault(k, value)
        alone = wire["content"] is None and "tool_calls" not in wire and not wire.keys().isdisjoint(keys.known)
        if alone and not writer.is_response and "$sent" not in extras:
            wire["content"] = ""  # many servers reject null beside reasoning

    def add_required_keys(self, wire: dict[str, Any], extras: Extras) -> None:
        """Add the key of reasoning to a message with calls, as an empty text, unless it was read without it."""
        key = self.REASONING.default_key if self.REASONING.needed else None
        if key is not None and "tool_calls" in wire and key not in extras.get("$absent", ()) and key not in extras:
            wire.setdefault(key, "")
