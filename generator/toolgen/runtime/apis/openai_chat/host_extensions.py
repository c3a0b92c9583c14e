"""What hosts add to Chat Completions: reasoning, other places for errors and usage, and content that streams as parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...conversion.extras import Extras, inner_extras
from ...conversion.reader import Reader
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...json_text import dump_allowing_nan, loads
from ...json_values import same_json
from ...models import ReasoningDelta, ReasoningPart, StreamEvent, TextDelta
from ...paths import Path
from ...responses import value_at_path

__all__ = [
    "ReasoningKeys",
    "StreamedPartList",
    "add_required_reasoning",
    "deciding_reason",
    "detail_text",
    "encode_object_content",
    "read_reasoning",
    "reasoning_text_of",
    "restore_object_content",
    "value_at",
    "write_reasoning",
]


def value_at(body: Any, paths: Iterable[Sequence[str | int]]) -> Any:
    """Return the value at the first key path that leads to one, or None."""
    for way in paths:
        value = value_at_path(body, way)
        if value is not None:
            return value
    return None


def deciding_reason(
    word: str | None, body: dict[str, Any], paths: Mapping[str, Any], reasons: Mapping[str, Any]
) -> str | None:
    """Return the stop reason that counts: a cut that the model reports goes before a normal end of its gateway."""
    native = value_at(body, paths.get("native_reason", ()))
    normal = reasons.get(word or "") in ("stop", "tool_calls")
    return native if normal and type(native) is str and reasons.get(native) == "length" else word


def encode_object_content(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message whose content is text, not an object: some hosts parse the JSON that was requested."""
    content = message.get("content")
    return {**message, "content": dump_allowing_nan(content)} if type(content) is dict else message


def restore_object_content(choice: dict[str, Any], extras: Extras) -> None:
    """Restore the original object as the content of a choice's message, if the text still means the same."""
    content = inner_extras(extras, "message").get("content")
    message = choice["message"]
    if type(content) is dict and type(message["content"]) is str and _says(message["content"], content):
        choice["message"] = {**message, "content": content}


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


def read_reasoning(
    wire: dict[str, Any], extras: Extras, at: Path, reader: Reader, keys: ReasoningKeys
) -> ReasoningPart | None:
    """Read the reasoning of a message. Its text is that of the first key with a text.

    Empty texts and lists are not reasoning and become extras of the message, which also record that a needed key was
    absent. Empty text under a needed key means that there is no reasoning, and is not kept.

    Raises:
        ConversionError: A text is not a string, or the details are not a list.
    """
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
    if source is not None and source != keys.details and any(said not in ("", text) for said in beside):
        own[source] = text
    if source != keys.default_key:
        own["$key"] = source
    return ReasoningPart(text, reader.as_metadata(own))


def write_reasoning(
    wire: dict[str, Any],
    parts: Sequence[tuple[ReasoningPart, Path]],
    message_extras: Extras,
    writer: Writer,
    keys: ReasoningKeys,
) -> None:
    """Write the reasoning of a message. The extras of a text are only used while the text is unchanged.

    The key from which the text was read comes first, because reading takes the text of the first key. A response has
    reasoning from another wire under the first key, if there is no default.
    """
    default = keys.keys[0] if writer.is_response and keys.default_key is None else keys.default_key
    for i, (part, at) in enumerate(parts):
        extras = writer.own_extras(part.metadata, at)
        key = extras.get("$key", default)
        kept = {k: extras[k] for k in keys.known if type(extras.get(k)) is (list if k == keys.details else str)}
        if key in kept:
            unchanged = reasoning_text_of(kept[key]) == part.text
        else:
            unchanged = all(reasoning_text_of(value) in ("", part.text) for value in kept.values())
        if not unchanged:
            kept = {}
        if key not in keys.keys and key not in kept:
            key = default
        if key is None or not (part.text or extras):
            writer.report_unsupported(at, "reasoning")
            continue
        writer.report_adopted_reasoning(part.metadata, at)
        if i:
            writer.report_loss(at, "reasoning", "moved", "note", "the API accepts one reasoning text per message")
        if key in keys.keys:
            wire[key] = wire.get(key, "") + part.text
        else:
            wire.setdefault(key, [])
        for k, value in kept.items():
            if k == keys.details:
                wire[k] = [*wire.get(k, ()), *value]
            elif k != key:
                wire.setdefault(k, value)
    alone = wire["content"] is None and "tool_calls" not in wire and not wire.keys().isdisjoint(keys.known)
    if alone and not writer.is_response and "$bare" not in message_extras:
        wire["content"] = ""  # many servers reject null beside reasoning


def add_required_reasoning(wire: dict[str, Any], extras: Extras, keys: ReasoningKeys) -> None:
    """Add the key that the API requires to a message with calls, as an empty text, unless it was read without it."""
    key = keys.default_key
    if key is not None and "tool_calls" in wire and key not in extras.get("$absent", ()) and key not in extras:
        wire.setdefault(key, "")


class StreamedPartList:
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
            self.parts.append(_text_of(self.text))
            self.text.clear()

    def assemble(self) -> list[Any]:
        """Return the content so far."""
        parts = [part.assemble() if type(part) is _Thought else part for part in self.parts]
        return [*parts, _text_of(self.text)] if self.text else parts


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
        text = piece if self.kind is str else piece["text"] if _is_text(piece) else None
        if text is None:
            self.items.append(piece)
            return ""
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
        items = [_text_of(self.runs[i]) if i in self.runs else item for i, item in enumerate(self.items)]
        return {"type": "thinking", **self.head, "thinking": items}


def _is_text(part: Any) -> bool:
    """Return whether a part is text and nothing else."""
    return type(part) is dict and len(part) == 2 and part.get("type") == "text" and type(part.get("text")) is str


def _text_of(pieces: list[str]) -> dict[str, str]:
    return {"type": "text", "text": "".join(pieces)}
