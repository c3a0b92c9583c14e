"""Field readers and writers of Chat Completions and related APIs. Its streams join the values of chunks here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...conversion.extras import (
    ABSENT,
    Extras,
    UnsupportedValueError,
    inner_extras,
    is_internal_mark,
    restore_extras,
    unmapped_members,
)
from ...conversion.reader import Reader
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...fields import media_type_of, read_data_url, read_enum_value, write_data_url, write_enum_value
from ...json_text import is_object_text
from ...models import (
    AssistantMessage,
    AssistantPart,
    AudioPart,
    ReasoningPart,
    StreamEvent,
    TextDelta,
    TextPart,
    ToolCallPart,
    ToolResult,
)
from ...paths import ROOT, Path
from ...stream_parts import OpenCall
from ..chat_bases import is_accepted_name, write_accepted_name

__all__ = [
    "StreamedRecording",
    "as_function_message",
    "begins_another_call",
    "extras_of_choice",
    "function_call_ids",
    "has_content",
    "join_custom_call",
    "join_response_texts",
    "join_values",
    "joined_call",
    "own_key",
    "read_audio_format",
    "read_file_name",
    "read_inline_data",
    "read_participant_name",
    "read_reasoning_content",
    "read_recording",
    "restore_missing_message",
    "restore_role",
    "split_recording",
    "with_numbered_calls",
    "write_audio_format",
    "write_file_name",
    "write_inline_data",
    "write_participant_name",
    "write_reasoning_content",
]


def write_inline_data(
    url: str | None, data: str | None, media_type: str | None, extra: Any, at: Path, writer: Writer
) -> str:
    """Write the data URL, or the base64 text without a media type that was read in its place.

    Raises:
        UnsupportedValueError: The content is not inline.
    """
    if data is not None and media_type is None and is_internal_mark(extra) and extra.get("$whole") == data:
        return data
    if data is None and (url is None or url[:5] != "data:"):
        raise UnsupportedValueError("only inline data is supported")
    return write_data_url(url, data, media_type, at, writer)


def read_inline_data(value: Any, at: Path, reader: Reader) -> tuple[str | None, str | None, str | None, Any]:
    """Read the data URL. A text that is no URL is base64 without a media type.

    Raises:
        ConversionError: The value is not a string.
    """
    url, data, media_type = read_data_url(value, at, reader)
    if url is None or ":" in url:
        return url, data, media_type, ABSENT
    return None, url, None, {"$whole": url}


def read_audio_format(
    value: Any, at: Path, reader: Reader, data: str | None, mapping: Mapping[str, str]
) -> tuple[str | None, Any]:
    """Read the format of a recording as its media type.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    return read_enum_value(value, at, reader, mapping)


def write_audio_format(
    media_type: str | None, extra: Any, at: Path, writer: Writer, data: str | None, mapping: Mapping[str, str]
) -> Any:
    """Write the format of a recording. If the media type is not known, the first bytes of the data decide.

    Raises:
        UnsupportedValueError: The API does not support the format.
    """
    if media_type is None and extra is ABSENT:
        media_type = media_type_of(data or "")
        if media_type is None:
            writer.report_loss(at, "mediaType", "defaulted", "the API requires it, so it is set to audio/mpeg")
            media_type = "audio/mpeg"
    return write_enum_value(media_type, extra, at, writer, mapping)


def read_file_name(value: Any, at: Path, reader: Reader) -> tuple[str | None, Any]:
    """Read the name of a file. The extras record that it was absent or null.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    if value is None or value is ABSENT:
        return None, {"$absent": True} if value is ABSENT else None
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    return value, ABSENT


def write_file_name(name: str | None, extra: Any, at: Path, writer: Writer) -> Any:
    """Write the name of a file. A missing name gets a default, because the API rejects data without a name."""
    if name is not None:
        return name
    if extra is None or is_internal_mark(extra):
        return ABSENT
    writer.report_loss(at, "name", "defaulted", "a file needs a name")
    return "document"


def read_participant_name(value: Any, at: Path, reader: Reader) -> tuple[str | None, Any]:
    """Read the name in a message. One that would be written differently is also kept as an extra.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    if value is None or value is ABSENT:
        return None, ABSENT
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    return value, ABSENT if is_accepted_name(value, reader.wire) else {"$whole": value}


def write_participant_name(name: str | None, extra: Any, at: Path, writer: Writer) -> Any:
    """Write the name in a message, without characters that the API rejects."""
    return ABSENT if name is None else write_accepted_name(name, extra, at, writer)


def own_key(part: AssistantPart, writer: Writer) -> Any:
    """Return the key of the message from which a part was read, if its kind usually has another key."""
    return inner_extras(part.metadata or {}, writer.wire.name).get("$key")


def read_reasoning_content(extras: Extras, reader: Reader) -> ReasoningPart | None:
    """Take the reasoning out of the extras of a message. Azure has it, for models that are not OpenAI's."""
    text = extras.get("reasoning_content")
    if type(text) is not str or not text:
        return None
    del extras["reasoning_content"]
    return ReasoningPart(text, reader.as_metadata({"$key": "reasoning_content"}))


def write_reasoning_content(wire: dict[str, Any], parts: Iterable[tuple[ReasoningPart, Path]], writer: Writer) -> None:
    """Write reasoning that was read from a message of this API."""
    for part, at in parts:
        writer.own_extras(part.metadata, at)
        wire["reasoning_content"] = wire.get("reasoning_content", "") + part.text


def read_recording(extras: Extras, reader: Reader) -> list[AssistantPart]:
    """Take the recording out of the extras of a message, with its transcript as text. Without data it stays there."""
    audio = extras.get("audio")
    data = audio.get("data") if type(audio) is dict else None
    if type(audio) is not dict or type(data) is not str or not data:
        return []
    del extras["audio"]
    own = reader.as_metadata({**unmapped_members(audio, frozenset(["data"])), "$key": "audio"})
    recording = AudioPart(data=data, media_type=media_type_of(data), metadata=own)
    text = audio.get("transcript")
    if type(text) is not str or not text:
        return [recording]
    return [TextPart(text, metadata=reader.as_metadata({"$key": "audio"})), recording]


def split_recording(
    parts: Sequence[AssistantPart], at: Path, writer: Writer
) -> tuple[list[tuple[int, AssistantPart]], dict[str, Any] | None]:
    """Split the parts of an assistant message: those that are written by themselves, and the value of `audio`.

    A request has only the id of a recording that the API made. A response has the recording and its transcript, which a
    stream has sent as text before.
    """
    left = list(enumerate(parts))
    for i, part in left:
        if type(part) is not AudioPart or part.data is None:
            continue
        own = writer.peek_extras(part.metadata) if own_key(part, writer) == "audio" else {}
        if not writer.is_response and type(own.get("id")) is not str:
            continue
        here = (at, i)
        writer.own_extras(part.metadata, here)
        if part.media_type not in (None, media_type_of(part.data)):
            writer.report_unsupported((here, "mediaType"), "mediaType")
        if not writer.is_response:
            audio: dict[str, Any] = {"id": own["id"]}
        elif own:
            audio = {"data": part.data}
            restore_extras(audio, own)
        else:
            audio = {"id": "", "data": part.data, "expires_at": 0, "transcript": ""}
            writer.report_loss(here, "audio", "rewritten", "the next request cannot refer to it, because it has no id")
        text = own.get("transcript")
        if writer.is_stream and text:
            audio["transcript"] = ""
        rest = [(j, other) for j, other in left if other is not part]
        if not writer.is_stream:
            rest = [entry for entry in rest if not _is_transcript(entry[1], text, writer)]
        return rest, audio
    return left, None


def _is_transcript(part: AssistantPart, text: Any, writer: Writer) -> bool:
    return type(part) is TextPart and part.text == text and own_key(part, writer) == "audio"


def function_call_ids(message: AssistantMessage, writer: Writer) -> list[str]:
    """Return the id of the call that a message has as `function_call`, in a list."""
    parts = message.content if type(message.content) is list else ()
    return [p.call.id for p in parts if type(p) is ToolCallPart and own_key(p, writer) == "function_call"][:1]


def as_function_message(wire: dict[str, Any], result: ToolResult, at: Path, writer: Writer) -> dict[str, Any]:
    """Return the result of such a call as a message of the role `function`: with the name of the tool, and no id."""
    rest = {key: value for key, value in wire.items() if key != "tool_call_id"}
    if rest["content"] == "" and "$null" in writer.peek_extras(result.metadata):
        rest["content"] = None
    return {**rest, "role": "function", "name": writer.tool_name(result.name, (at, "name"))}


def restore_missing_message(choice: dict[str, Any], extras: Extras) -> dict[str, Any]:
    """Return a choice without its message, or with null, if it was read so and the message is still empty."""
    if any(choice["message"][key] for key in choice["message"] if key != "role"):
        return choice
    if "message" in extras.get("$absent", ()):
        return {key: value for key, value in choice.items() if key != "message"}
    return {**choice, "message": None} if extras.get("message", ABSENT) is None else choice


def restore_role(message: dict[str, Any], extras: Extras) -> None:
    """Restore the role that a server gave in a response: another one, or none."""
    if "role" in extras.get("$absent", ()):
        del message["role"]
    else:
        message["role"] = extras.get("role", message["role"])


def has_content(wire: dict[str, Any], blank_counts: bool) -> bool:
    """Return whether an assistant message has content or other values. Empty text counts only if `blank_counts` is set."""
    content = wire.get("content")
    return bool(content) or (blank_counts and content == "") or any(wire[key] for key in wire.keys() - _SILENT)


_SILENT = frozenset(["content", "name", "role"])
_CHOICE = frozenset(["finish_reason", "message"])


def extras_of_choice(choice: dict[str, Any], has_objects: bool) -> Extras:
    """Return the extras of a choice. `has_objects` means that the content of its message may be an object."""
    found = unmapped_members(choice, _CHOICE)
    absent = [key for key in ("finish_reason", "index", "message") if key not in choice]
    if absent:
        found["$absent"] = absent
    if choice.get("finish_reason") == "":
        found["finish_reason"] = ""
    content = inner_extras(choice, "message").get("content")
    if has_objects and type(content) is dict:
        found["message"] = {"content": content}
    return found


def join_response_texts(parts: list[Any], at: Path, writer: Writer) -> list[Any]:
    """Return the content of a response as one text if it has only texts, because clients expect a string."""
    found = [part.get("text") if type(part) is dict and part.keys() == {"type", "text"} else part for part in parts]
    texts = [text for text in found if type(text) is str]
    if len(texts) < 2 or len(texts) < len(parts):
        return parts
    writer.report_loss(at, "content", "rewritten", "clients expect one text, so the texts were joined")
    return ["".join(texts)]


def join_values(old: Any, new: Any) -> Any:
    """Join the values of two chunks under an unknown key: texts and lists grow, other values replace."""
    if type(old) is str and type(new) is str:
        return old + new
    if type(old) is list and type(new) is list:
        return old + new
    if type(old) is dict and type(new) is dict:
        return {**old, **{key: join_values(old.get(key), value) for key, value in new.items()}}
    return old if new is None else new


def join_custom_call(old: Any, new: Any) -> Any:
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


def joined_call(call: OpenCall) -> dict[str, Any]:
    """Return a call of a stream as it is in a message."""
    whole: dict[str, Any] = {"type": "function", **call.head} if "function" in call.head else {**call.head}
    if type(whole.get("function")) is dict:
        whole["function"] = {"name": "", "arguments": "".join(call.pieces), **whole["function"]}
    return whole


class StreamedRecording:
    """A recording whose data and transcript arrive in pieces. Its other values arrive once, or again and again."""

    __slots__ = ("_head", "_pieces")

    def __init__(self) -> None:
        self._head: dict[str, Any] = {}
        self._pieces: dict[str, list[str]] = {"data": [], "transcript": []}

    def add(self, delta: dict[str, Any]) -> list[StreamEvent]:
        """Add a piece, and return events for its text."""
        for key, value in delta.items():
            if key in self._pieces and type(value) is str:
                self._pieces[key].append(value)
            if value not in (None, "") or key not in self._head:
                self._head[key] = value
        text = delta.get("transcript")
        return [TextDelta(text)] if type(text) is str and text else []

    def assemble(self) -> dict[str, Any]:
        """Return the recording so far."""
        return self._head | {key: "".join(pieces) for key, pieces in self._pieces.items() if pieces}


def begins_another_call(call: OpenCall, function: dict[str, Any]) -> bool:
    """Return whether a piece has a name and arguments, although its call is already complete."""
    return bool(function.get("name") and function.get("arguments")) and is_object_text("".join(call.pieces))


def with_numbered_calls(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message as a delta, in which each call has an index."""
    calls = message.get("tool_calls")
    if not calls:
        return message
    return {**message, "tool_calls": [{"index": i, **call} for i, call in enumerate(calls)]}
