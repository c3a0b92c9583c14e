"""Values of the wire that many objects have: lists, optional members, one text of several, values kept whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ..errors import ConversionError, wrong_type
from ..models import AudioPart, DocumentPart, ImagePart, OpaquePart, TextPart, UserMessage, VideoPart
from ..paths import Path, format_path
from .extras import ABSENT, UnsupportedValueError, inner_extras
from .reader import Reader
from .writer import Writer

__all__ = [
    "collect_texts",
    "is_empty_on_wire",
    "join_texts",
    "opaque_message",
    "opaque_value",
    "optional_text",
    "read_list",
    "read_text_or_list",
    "require_value",
    "to_plain_object",
    "with_default",
    "write_list",
    "write_one",
    "write_text_or_list",
    "write_user_turn",
]

_MEDIA = (AudioPart, DocumentPart, ImagePart, VideoPart)


def to_plain_object(value: Any, at: Path) -> dict[str, Any]:
    """The object itself where it is one, else what a client's object dumps: the keys that were set, by wire name.

    Raises:
        ConversionError: The value is neither of them.
    """
    if type(value) is dict:
        return value
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        try:
            found = dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
        except (ValueError, RecursionError) as error:  # pydantic's own bound of depth
            raise ConversionError(
                format_path(at), f"the client's type cannot dump it: {type(error).__name__}"
            ) from error
    else:
        convert = getattr(value, "to_dict", None) or getattr(value, "dict", None)
        found = convert() if convert is not None else value
    if type(found) is not dict:
        raise ConversionError(format_path(at), "must be an object of JSON or of the official client")
    return found


def optional_text(wire: dict[str, Any], key: str, at: Path) -> str | None:
    """A text; None where it is null or not there.

    Raises:
        ConversionError: The value is something else.
    """
    value = wire.get(key)
    if value is not None and type(value) is not str:
        raise wrong_type((at, key), "a string", value)
    return value


T = TypeVar("T")
Read = Callable[[Any, Path, Reader], T]
Write = Callable[[Any, Path, Writer], Any]


def read_list(value: Any, at: Path, reader: Reader, read: Read[T]) -> list[T] | None:
    """Read an array, or null.

    Raises:
        ConversionError: The value is something else.
    """
    if value is None:
        return None
    if type(value) is not list:
        raise wrong_type(at, "an array", value)
    return [read(item, (at, i), reader) for i, item in enumerate(value)]


def read_text_or_list(value: Any, at: Path, reader: Reader, read: Read[T]) -> str | list[T]:
    """Read a text or an array.

    Raises:
        ConversionError: The value is something else.
    """
    if type(value) is str:
        return value
    if type(value) is not list:
        raise wrong_type(at, "a string or an array", value)
    return [read(item, (at, i), reader) for i, item in enumerate(value)]


def write_list(values: Iterable[Any], at: Path, writer: Writer, write: Write) -> list[Any]:
    """Write values; one that the wire cannot say is reported, and described where it is part of a content."""
    written = []
    for i, value in enumerate(values):
        here = (at, i)
        try:
            item = write(value, here, writer)
        except UnsupportedValueError as reason:
            item = _write_unsupported(value, here, writer, write, str(reason))
        if item is not ABSENT:
            written.append(item)
    return written


def write_one(value: Any, at: Path, writer: Writer, write: Write) -> Any:
    """Write one value of a list as `write_list` does; ABSENT where nothing is written."""
    try:
        return write(value, at, writer)
    except UnsupportedValueError as reason:
        return _write_unsupported(value, at, writer, write, str(reason))


def _write_unsupported(value: Any, at: Path, writer: Writer, write: Write, reason: str) -> Any:
    """Write what a value is in words where it is a medium; report it as lost where it is not."""
    if isinstance(value, _MEDIA):
        return write(writer.describe_part(value, at, reason), at, writer)
    writer.report_loss(at, writer.type_name(value), "dropped", "warning", f"{writer.wire.title}: {reason}")
    return ABSENT


def write_text_or_list(value: Any, at: Path, writer: Writer, write: Write) -> str | list[Any]:
    """Write a text or the parts of one; the empty text where no part could be said."""
    if type(value) is str:
        return value
    written = write_list(value, at, writer, write)
    return written if written or not value else ""


def with_default(value: Any, default: Any, at: Path, writer: Writer) -> Any:
    """A value that the wire demands, or the profile's default for it, which is reported."""
    if value is not None:
        return value
    writer.report_loss(at, "a required value", "defaulted", "note", f"the API requires it, so it is set to {default}")
    return default


def require_value(value: Any, what: str) -> Any:
    """A value that the wire cannot do without.

    Raises:
        UnsupportedValueError: The value is missing.
    """
    if value is None:
        raise UnsupportedValueError(f"it needs {what}")
    return value


def join_texts(content: str | Sequence[Any], at: Path, writer: Writer) -> str:
    """The texts of a content as lines of one text; another part is described, and reported."""
    if type(content) is str:
        return content
    texts = collect_texts(content, at, writer)
    if len(texts) > 1:
        writer.report_loss(at, "content", "rewritten", "note", "the API accepts one text, so the texts were joined")
    return "\n".join(texts)


def collect_texts(parts: Sequence[Any], at: Path, writer: Writer) -> list[str]:
    """The texts among parts; another part is described, and reported."""
    texts: list[str] = []
    for i, part in enumerate(parts):
        if type(part) is TextPart:
            texts.append(writer.text_only(part, (at, i)))
        else:
            texts.append(writer.describe_part(part, (at, i)).text)
    return texts


def opaque_message(wire: Any, reader: Reader) -> UserMessage:
    """A message that holds the wire's message as its one part."""
    return UserMessage([OpaquePart(reader.wire.name, wire)], metadata=reader.metadata({"$whole": True}))


def opaque_value(message: UserMessage, writer: Writer) -> Any:
    """The wire's message that such a message holds; ABSENT for every other message."""
    if not inner_extras(message.metadata or {}, writer.wire.name).get("$whole") or type(message.content) is not list:
        return ABSENT
    if len(message.content) != 1 or type(message.content[0]) is not OpaquePart:
        return ABSENT
    return message.content[0].value


def write_user_turn(message: UserMessage, at: Path, writer: Writer, write: Callable[..., dict[str, Any]]) -> Any:
    """Write what a user says: the wire's own message where it holds one."""
    whole = opaque_value(message, writer)
    return write(message, at, writer) if whole is ABSENT else whole


def is_empty_on_wire(content: Any, wire: Mapping[str, Any]) -> bool:
    """Whether a message with parts says nothing on the wire."""
    return type(content) is list and bool(content) and not any(wire[key] for key in wire.keys() - {"name", "role"})
