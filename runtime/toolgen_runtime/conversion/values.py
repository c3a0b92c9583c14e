"""Values that many wire objects have (lists, optional texts, joined texts, opaque messages), and those of official clients."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ..errors import ConversionError, wrong_type
from ..models import AudioPart, DocumentPart, ImagePart, OpaquePart, SystemMessage, TextPart, UserMessage, VideoPart
from ..paths import ROOT, Path, format_path
from .extras import ABSENT, UnsupportedValueError
from .reader import Reader
from .writer import Writer

__all__ = [
    "call_kwargs",
    "collect_texts",
    "drop_inline_block",
    "is_empty_on_wire",
    "is_inline_system_message",
    "items_or_single",
    "mark_empty_list",
    "opaque_message",
    "optional_object",
    "optional_text",
    "read_list_or_null",
    "read_text_or_list",
    "snake_case_kwargs",
    "to_plain_object",
    "wire_message_of",
    "write_list",
    "write_or_describe",
    "write_placed",
    "write_system_unless_empty",
    "write_text_or_list",
    "write_user_or_opaque",
]

_MEDIA = (AudioPart, DocumentPart, ImagePart, VideoPart)


def to_plain_object(value: Any, at: Path) -> dict[str, Any]:
    """Return an object as a dict. An object of an official client is dumped: only keys that were set, by wire name.

    Raises:
        ConversionError: The value is not an object.
    """
    if type(value) is dict:
        return value
    dump = getattr(value, "model_dump", None)
    convert = getattr(value, "to_dict", None) or getattr(value, "dict", None)
    plain = value
    if dump is not None:
        try:
            plain = dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
        except (ValueError, RecursionError) as error:  # pydantic's own depth limit
            reason = f"the client's type cannot dump it: {type(error).__name__}"
            raise ConversionError(format_path(at), reason) from error
    elif convert is not None:
        plain = convert()
    if type(plain) is not dict:
        raise ConversionError(format_path(at), "must be an object of JSON or of the official client")
    return plain


def optional_text(wire: dict[str, Any], key: str, at: Path) -> str | None:
    """Read a text. None if the key is null or absent.

    Raises:
        ConversionError: The value is not a string.
    """
    value = wire.get(key)
    if value is not None and type(value) is not str:
        raise wrong_type((at, key), "a string", value)
    return value


def optional_object(wire: dict[str, Any], key: str, at: Path) -> dict[str, Any]:
    """Read an object. It is empty if the key is null or absent.

    Raises:
        ConversionError: The value is not an object.
    """
    value = wire.get(key)
    if value is None:
        return {}
    if type(value) is not dict:
        raise wrong_type((at, key), "an object", value)
    return value


T = TypeVar("T")

Read = Callable[[Any, Path, Reader], T]
Write = Callable[[Any, Path, Writer], Any]


def items_or_single(value: Any, at: Path) -> list[tuple[Any, Path]]:
    """Return the items of a list, each with its path. A value that is no list is the only item, at the path itself."""
    return [(item, (at, i)) for i, item in enumerate(value)] if type(value) is list else [(value, at)]


def read_list_or_null(value: Any, at: Path, reader: Reader, read: Read[T]) -> list[T] | None:
    """Read an array, or null.

    Raises:
        ConversionError: The value is neither an array nor null.
    """
    if value is None:
        return None
    if type(value) is not list:
        raise wrong_type(at, "an array", value)
    return [read(item, (at, i), reader) for i, item in enumerate(value)]


def read_text_or_list(value: Any, at: Path, reader: Reader, read: Read[T]) -> str | list[T]:
    """Read a text or an array.

    Raises:
        ConversionError: The value is neither a string nor an array.
    """
    if type(value) is str:
        return value
    if type(value) is not list:
        raise wrong_type(at, "a string or an array", value)
    return [read(item, (at, i), reader) for i, item in enumerate(value)]


def write_list(values: Iterable[Any], at: Path, writer: Writer, write: Write) -> list[Any]:
    """Write values. Unsupported ones are reported; media among them are replaced by a description."""
    return write_placed(((value, (at, i)) for i, value in enumerate(values)), writer, write)


def write_placed(placed: Iterable[tuple[Any, Path]], writer: Writer, write: Write) -> list[Any]:
    """Write values like `write_list`, each with its path."""
    written = []
    for value, here in placed:
        try:
            item = write(value, here, writer)
        except UnsupportedValueError as reason:
            item = _write_unsupported(value, here, writer, write, str(reason))
        if item is not ABSENT:
            written.append(item)
    return written


def write_or_describe(value: Any, at: Path, writer: Writer, write: Write) -> Any:
    """Write one value of a list like `write_list`. ABSENT if nothing is written."""
    try:
        return write(value, at, writer)
    except UnsupportedValueError as reason:
        return _write_unsupported(value, at, writer, write, str(reason))


def _write_unsupported(value: Any, at: Path, writer: Writer, write: Write, reason: str) -> Any:
    """Write the description of an unsupported medium. Report any other value as a loss."""
    if isinstance(value, _MEDIA):
        return write(writer.describe_part(value, at, reason), at, writer)
    writer.report_loss(at, type(value).__name__, "dropped", f"{writer.wire.title}: {reason}", "warning")
    return ABSENT


def write_text_or_list(value: Any, at: Path, writer: Writer, write: Write) -> str | list[Any]:
    """Write a text or a list of parts. If no part can be written, write an empty text."""
    if type(value) is str:
        return value
    written = write_list(value, at, writer, write)
    return written if written or not value else ""


def collect_texts(parts: Sequence[Any], at: Path, writer: Writer) -> list[str]:
    """Return the texts of parts. Other parts are described and reported."""
    texts: list[str] = []
    for i, part in enumerate(parts):
        if type(part) is TextPart:
            texts.append(writer.write_text_part_as_string(part, (at, i)))
        else:
            texts.append(writer.describe_part(part, (at, i)).text)
    return texts


def opaque_message(wire: Any, reader: Reader) -> UserMessage:
    """Return a message whose only part is an opaque message of the wire."""
    return UserMessage([OpaquePart(reader.wire.name, wire)], metadata=reader.as_metadata({"$whole": True}))


def is_inline_system_message(message: SystemMessage, writer: Writer) -> bool:
    """Return whether a system message after others stays there: by the model, or because it was or has to be there."""
    if writer.model_facts.inline_system is not None:
        return writer.model_facts.inline_system
    if writer.peek_extras(message.metadata).get("$inline"):
        return True
    return type(message.content) is list and any(
        type(part) is OpaquePart and part.provider == writer.wire.name for part in message.content
    )


def write_system_unless_empty(message: SystemMessage, at: Path, writer: Writer, write: Write) -> list[Any]:
    """Write a system message as a list of one. Of another provider's settings without content, nothing is left: none."""
    if message.content == [] and message.metadata and not writer.can_read(message.metadata):
        writer.own_extras(message.metadata, at)
        writer.report_loss(at, "a system message", "dropped", "it has no text")
        return []
    return [write(message, at, writer)]


def drop_inline_block(part: Any, at: Path, writer: Writer) -> bool:
    """Return whether a part is a block of this provider, and report it as dropped.

    The part is that of a system message which was among the messages, and now comes before all others.
    """
    is_block = type(part) is OpaquePart and part.provider == writer.wire.name
    if is_block:
        writer.report_loss(at, "a block", "dropped", "the API accepts it only after other messages", "warning")
    return is_block


def wire_message_of(message: UserMessage, writer: Writer) -> Any:
    """Return the wire's message from a message of `opaque_message`. ABSENT for any other message."""
    if not message.metadata or not writer.peek_extras(message.metadata).get("$whole"):
        return ABSENT
    if type(message.content) is not list:
        return ABSENT
    if len(message.content) != 1 or type(message.content[0]) is not OpaquePart:
        return ABSENT
    return message.content[0].value


def mark_empty_list(message: UserMessage, reader: Reader) -> UserMessage:
    """Return a message that was read, with a mark if its content is an empty list, which the API accepted there."""
    if message.content == []:
        reader.mark_sent(message)
    return message


def write_user_or_opaque(message: UserMessage, at: Path, writer: Writer, write: Callable[..., dict[str, Any]]) -> Any:
    """Write a user message, or the opaque message that it contains. An empty list, which APIs reject, becomes text."""
    whole = wire_message_of(message, writer) if message.metadata else ABSENT
    if whole is not ABSENT:
        return whole
    wire = write(message, at, writer)
    if wire.get("content") == [] and not writer.peek_extras(message.metadata):
        writer.report_loss((at, "content"), "an empty list", "rewritten", "the API rejects it")
        wire["content"] = ""
    return wire


def is_empty_on_wire(content: Any, wire: Mapping[str, Any]) -> bool:
    """Return whether a message with parts has no content on the wire."""
    return type(content) is list and bool(content) and not any(wire[key] for key in wire.keys() - {"name", "role"})


def call_kwargs(body: dict[str, Any], allowed_names: Collection[str]) -> dict[str, Any]:
    """Convert a body to keyword arguments. Keys that the client's call does not accept go into its `extra_body`."""
    kwargs = {key: value for key, value in body.items() if key in allowed_names}
    extra_body = {key: value for key, value in body.items() if key not in allowed_names}
    if extra_body:
        kwargs["extra_body"] = extra_body
    return kwargs


_CAPITAL = r"(?<=[a-z])([A-Z])"


def snake_case_kwargs(params: dict[str, Any], allowed_names: Collection[str], writer: Writer) -> dict[str, Any]:
    """Convert the parameters to the client's keyword arguments in snake case. Report those that it does not accept."""
    kwargs: dict[str, Any] = {}
    for key, value in params.items():
        keyword = re.sub(_CAPITAL, lambda match: f"_{match[1].lower()}", key.removeprefix("_"))
        if keyword in allowed_names:
            kwargs[keyword] = value
        else:
            writer.report_loss((ROOT, key), key, "dropped", "the client does not accept it as an argument", "warning")
    return kwargs
