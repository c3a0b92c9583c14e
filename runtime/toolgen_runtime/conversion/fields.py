"""Pairs of functions for single keys that several wires have, and for the names, ids and arguments of calls."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from ..errors import ConversionError, wrong_type
from ..json_text import compact, is_compact, is_null_text, loads
from ..json_values import is_json, same_json
from ..models import InvalidCall, Reasoning
from ..paths import Path, format_path
from .extras import ABSENT, Extras, UnsupportedValueError
from .reader import Reader
from .request_tools import has_tools_for_provider
from .writer import Writer

__all__ = [
    "INVALID_ARGUMENTS_KEY",
    "default_media_type",
    "media_type_of",
    "read_cache_control",
    "read_call_id",
    "read_call_id_verbatim",
    "read_data_url",
    "read_described_output_schema",
    "read_effort",
    "read_enum_value",
    "read_flag_about_tools",
    "read_json_arguments",
    "read_nearest_effort",
    "read_nullable_call_id",
    "read_nullable_text",
    "read_number_within",
    "read_object_arguments",
    "read_optional_call_id",
    "read_output_schema",
    "read_result_call",
    "read_result_call_id",
    "read_schema_or_empty",
    "read_string_or_list",
    "read_strings_at_most",
    "read_text_empty_as_none",
    "read_tool_name",
    "read_tool_schema",
    "with_description",
    "write_cache_control",
    "write_call_id",
    "write_call_id_verbatim",
    "write_data_url",
    "write_described_output_schema",
    "write_effort",
    "write_enum_value",
    "write_flag_about_tools",
    "write_json_arguments",
    "write_nearest_effort",
    "write_nullable_call_id",
    "write_number_within",
    "write_object_arguments",
    "write_optional_call_id",
    "write_output_schema",
    "write_result_call",
    "write_result_call_id",
    "write_schema_or_empty",
    "write_string_or_list",
    "write_strings_at_most",
    "write_text_empty_as_none",
    "write_tool_name",
    "write_tool_schema",
]

Limits: TypeAlias = Mapping[str, int]

_DATA = r"data:([\w.+-]+/[\w.+-]+);base64,(.*)"


def read_data_url(value: Any, at: Path, reader: Reader) -> tuple[str | None, str | None, str | None]:
    """Read the URL, data and media type of a URL. A `data:` URL of another form stays a URL.

    Raises:
        ConversionError: The value is not a string.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    match = re.fullmatch(_DATA, value, re.DOTALL) if value[:5] == "data:" else None
    if match is None:
        return value, None, None
    return None, match[2], match[1]


def write_data_url(url: str | None, data: str | None, media_type: str | None, at: Path, writer: Writer) -> str:
    """Write a URL, or data and its media type as a `data:` URL.

    Raises:
        UnsupportedValueError: The part has neither a URL nor data with a media type.
    """
    if data is not None:
        media_type = media_type or default_media_type(data, at, writer)
        if media_type is None:
            raise UnsupportedValueError("data needs a media type")
        return f"data:{media_type};base64,{data}"
    if url is None:
        raise UnsupportedValueError("it has neither a URL nor data")
    if media_type is not None and url[:5] != "data:":
        writer.report_unsupported((at[0], "mediaType"), "mediaType")
    return url


_HEADS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
)
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}
_ENOUGH = 16  # the base64 characters that contain all the bytes that are inspected


def media_type_of(data: str) -> str | None:
    """Return the media type of an image or a recording in base64, or None if its first bytes are not known."""
    import base64  # late: few conversions need it

    try:
        head = base64.b64decode(data[:_ENOUGH], validate=True)
    except ValueError:
        return None
    if head[:4] == b"RIFF":
        return _RIFF.get(head[8:12])
    return next((kind for start, kind in _HEADS if head.startswith(start)), None)


_PDF = "JVBERi"  # how a PDF file begins in base64


def default_media_type(data: str, at: Path, writer: Writer, supported: Collection[str] | None = None) -> str | None:
    """Return the media type that the first bytes of data show, and report it. None if it is not one of `supported`."""
    media_type = "application/pdf" if data.startswith(_PDF) else media_type_of(data)
    if media_type is None or (supported is not None and media_type not in supported):
        return None
    reason = f"the API requires a media type, so it is set to {media_type}"
    writer.report_loss((at[0], "mediaType"), "mediaType", "defaulted", reason)
    return media_type


def read_string_or_list(value: Any, at: Path, reader: Reader) -> list[str] | None:
    """Read a list of texts. A single text becomes a list.

    Raises:
        ConversionError: The value is neither a string, nor a list of strings, nor null.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is str:
        return [value]
    if type(value) is not list:
        raise wrong_type(at, "a string or an array", value)
    for i, text in enumerate(value):
        if type(text) is not str:
            raise wrong_type((at, i), "a string", text)
    return value


def write_string_or_list(texts: list[str] | None, at: Path, writer: Writer) -> Any:
    """Write a list of texts, without empty ones."""
    if texts is None:
        return ABSENT
    sent = [text for text in texts if text]
    if not sent or len(sent) < len(texts):
        writer.report_loss(at, at[1], "narrowed" if sent else "dropped", "some APIs reject empty lists and texts")
    return sent or ABSENT


def read_number_within(value: Any, at: Path, reader: Reader, limits: Limits) -> Any:
    """Read a number, or an integer if the limits say so.

    Raises:
        ConversionError: The value is neither such a number nor null.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is not int and (type(value) is not float or "integer" in limits):
        raise wrong_type(at, "an integer" if "integer" in limits else "a number", value)
    return value


def write_number_within(value: float | None, at: Path, writer: Writer, limits: Limits) -> Any:
    """Write a number. One outside the limits becomes the nearest inside."""
    if value is None:
        return ABSENT
    nearest = max(min(value, limits.get("most", value)), limits.get("least", value))
    if nearest is not value:
        side = "most" if nearest == limits.get("most") else "least"
        writer.report_loss(at, at[1], "narrowed", f"{writer.wire.title} accepts at {side} {nearest}", "warning")
    return nearest


def read_strings_at_most(value: Any, at: Path, reader: Reader, limits: Limits) -> list[str] | None:
    """Read a list of texts like `read_string_or_list`. The limit applies to what is written.

    Raises:
        ConversionError: The value is neither a string, nor a list of strings, nor null.
    """
    return read_string_or_list(value, at, reader)


def write_strings_at_most(texts: list[str] | None, at: Path, writer: Writer, limits: Limits) -> Any:
    """Write a list of texts. Those above the limit `most`, if there is one, are left out."""
    most = limits.get("most")
    if texts is not None and most is not None and len(texts) > most:
        writer.report_loss(at, at[1], "narrowed", f"{writer.wire.title} accepts at most {most}", "warning")
        texts = texts[:most]
    return write_string_or_list(texts, at, writer)


def read_enum_value(value: Any, at: Path, reader: Reader, mapping: Mapping[str, str]) -> str | None:
    """Read a value with a table of its meanings. None if it is not in the table.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    word = read_nullable_text(value, at, reader)
    return None if word is None else mapping.get(word)


def write_enum_value(value: str | None, at: Path, writer: Writer, mapping: Mapping[str, str]) -> Any:
    """Write the wire's word for a value.

    Raises:
        UnsupportedValueError: The wire has no such value.
    """
    if value is None:
        return ABSENT
    for wire_value, meaning in mapping.items():
        if meaning == value:
            return wire_value
    raise UnsupportedValueError("the API has no such value")


def read_nullable_text(value: Any, at: Path, reader: Reader) -> str | None:
    """Read a text. None if it is null or absent.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is not str:
        raise wrong_type(at, "a string", value)
    return value


def read_text_empty_as_none(value: Any, at: Path, reader: Reader) -> str | None:
    """Read a text. An empty one becomes None.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    return read_nullable_text(value, at, reader) or None


def write_text_empty_as_none(text: str | None, at: Path, writer: Writer) -> str:
    """Write a text. None becomes an empty text."""
    return text or ""


_PLAIN = {"type": "ephemeral"}


def read_cache_control(value: Any, at: Path, reader: Reader) -> bool | None:
    """Read whether an object asks for caching."""
    return True if type(value) is dict else None


def write_cache_control(cache: bool | None, at: Path, writer: Writer) -> Any:
    """Write the object that asks for caching."""
    return dict(_PLAIN) if cache else ABSENT


def read_effort(value: Any, at: Path, reader: Reader) -> Reasoning | None:
    """Read the reasoning effort.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    effort = read_nullable_text(value, at, reader)
    return None if effort is None else Reasoning(effort=effort)


def write_effort(reasoning: Reasoning | None, at: Path, writer: Writer) -> Any:
    """Write the reasoning effort. A number of tokens is unsupported, but for 0, which is the effort `none`."""
    if reasoning is None:
        return ABSENT
    if reasoning.budget_tokens == 0 and reasoning.effort is None:
        writer.report_loss(
            (at, "budgetTokens"), "budgetTokens", "rewritten", "the API has efforts, of which this is none"
        )
        return "none"
    if reasoning.budget_tokens is not None:
        writer.report_unsupported((at, "budgetTokens"), "budgetTokens", "warning")
    return ABSENT if reasoning.effort is None else reasoning.effort


def read_tool_schema(value: Any, at: Path, reader: Reader, strict: bool | None = None) -> dict[str, Any] | None:
    """Read the schema of a tool.

    Raises:
        ConversionError: The value is neither an object nor null.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is not dict:
        raise wrong_type(at, "an object", value)
    return value


def write_tool_schema(parameters: dict[str, Any] | None, at: Path, writer: Writer, strict: bool | None = None) -> Any:
    """Write the schema of a tool in the wire's dialect, and report what the dialect expresses differently."""
    return ABSENT if parameters is None else writer.lower_schema(parameters, strict, at)


read_schema_or_empty = read_tool_schema


def write_schema_or_empty(
    parameters: dict[str, Any] | None, at: Path, writer: Writer, strict: bool | None = None
) -> dict[str, Any]:
    """Write the schema of a tool. A tool without parameters gets an object without properties."""
    if parameters is not None:
        return writer.lower_schema(parameters, strict, at)
    if not writer.is_declared_tool:
        writer.report_loss(at, "parameters", "defaulted", "the API requires a schema")
    return {"type": "object", "properties": {}}


def read_output_schema(value: Any, at: Path, reader: Reader, strict: bool | None = True) -> dict[str, Any]:
    """Read an output schema.

    Raises:
        ConversionError: The value is not an object.
    """
    if type(value) is not dict:
        raise wrong_type(at, "an object", None if value is ABSENT else value)
    return value


def write_output_schema(schema: dict[str, Any], at: Path, writer: Writer, strict: bool | None = True) -> Any:
    """Write an output schema. If the API enforces it (`strict`), it is lowered like that of a strict tool."""
    return writer.lower_schema(schema, True, at) if strict is True else schema


def read_described_output_schema(
    wire: dict[str, Any], at: Path, reader: Reader, strict: bool | None = True
) -> dict[str, Any]:
    """Read an output schema, and the text at the key `description` beside it as the description of the schema.

    Raises:
        ConversionError: The schema is not an object.
    """
    schema = read_output_schema(wire.get("schema", ABSENT), (at, "schema"), reader, strict)
    return with_description(schema, wire.get("description"))


def with_description(schema: dict[str, Any], text: Any) -> dict[str, Any]:
    """Return a schema with a text before its own description. Anything but text is left out."""
    texts = [text, schema.get("description")]
    if type(text) is not str or not text:
        return schema
    return {**schema, "description": "\n\n".join(text for text in texts if type(text) is str and text)}


def write_described_output_schema(
    schema: dict[str, Any], at: Path, writer: Writer, strict: bool | None = True
) -> dict[str, Any]:
    """Write an output schema. Its description stays inside it."""
    return {"schema": write_output_schema(schema, at, writer, strict)}


def read_tool_name(value: Any, at: Path, reader: Reader) -> str:
    """Read the name of a tool. Return the name that the app knows the tool by.

    Raises:
        ConversionError: The value is not a string.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", None if value is ABSENT else value)
    return reader.tool_names.get(value, value)


def write_tool_name(name: str, at: Path, writer: Writer) -> str:
    """Write the name of a tool."""
    return writer.tool_name(name, at)


Tools = Sequence[Any] | None


def read_flag_about_tools(value: Any, at: Path, reader: Reader, tools: Tools) -> bool | None:
    """Read a setting of tool calls.

    Raises:
        ConversionError: The value is neither a boolean nor null.
    """
    if value is None or value is ABSENT:
        return None
    if type(value) is not bool:
        raise wrong_type(at, "a boolean", value)
    return value


def write_flag_about_tools(value: bool | None, at: Path, writer: Writer, tools: Tools) -> Any:
    """Write a setting of tool calls. Without tools the API rejects it, so it is left out."""
    if value is None:
        return ABSENT
    if has_tools_for_provider(tools, writer.wire):
        return value
    writer.report_default(at, str(at[1]), "the request has no tools")
    return ABSENT


def read_nearest_effort(value: Any, at: Path, reader: Reader, levels: Mapping[str, str]) -> Reasoning | None:
    """Read the reasoning effort.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    return read_effort(value, at, reader)


def write_nearest_effort(reasoning: Reasoning | None, at: Path, writer: Writer, levels: Mapping[str, str]) -> Any:
    """Write the reasoning effort. `levels` has the nearest level for each effort that the API does not have."""
    effort = write_effort(reasoning, at, writer)
    if effort not in levels:
        return effort
    severity: Literal["note", "warning"] = "warning" if effort == "none" else "note"
    writer.report_loss((at, "effort"), "effort", "rewritten", f"the nearest level is {levels[effort]}", severity)
    return levels[effort]


def read_call_id(value: Any, at: Path, reader: Reader) -> tuple[str, Any]:
    """Read the id of a call. A missing, blank or repeated id is replaced by a synthetic one, and becomes the extra.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    identifier = reader.assign_call_id(value, at)
    return identifier, ABSENT if identifier == value else _extra_of_id(identifier, value)


read_optional_call_id = read_call_id
read_nullable_call_id = read_call_id


def read_call_id_verbatim(value: Any, at: Path, reader: Reader) -> tuple[str, Any]:
    """Read the id. An id of the server is sent back unchanged, even if another server would reject it.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    identifier, extra = read_call_id(value, at, reader)
    if extra is ABSENT and not reader.wire.is_legal_id(identifier):
        extra = _extra_of_id(identifier, identifier)
    return identifier, extra


def _extra_of_id(identifier: str, wire_id: Any) -> Extras:
    """Return the extra of an id that stands in place of `wire_id`, the value of the wire. ABSENT if there was none."""
    return {"$synthetic": identifier} if wire_id is ABSENT else {"$synthetic": identifier, "$whole": wire_id}


def _is_extra_of(identifier: str, extra: Any) -> bool:
    """Return whether an extra is of this id. An app may have changed the id since it was read."""
    return type(extra) is dict and extra.get("$synthetic") == identifier


def write_call_id(identifier: str, extra: Any, at: Path, writer: Writer) -> Any:
    """Write the id of a call: the original one if a synthetic id replaced it, or a new one if the wire rejects it."""
    if _is_extra_of(identifier, extra) and type(extra.get("$whole")) is str:
        writer.restore_id(identifier, extra["$whole"])
        return extra["$whole"]
    return writer.call_id(identifier)


write_call_id_verbatim = write_call_id


def write_optional_call_id(identifier: str, extra: Any, at: Path, writer: Writer) -> Any:
    """Write the id of a call: the original one if a synthetic id replaced it. A synthetic id itself is not sent."""
    if _is_extra_of(identifier, extra) and type(extra.get("$whole")) is not str:
        writer.omit_id(identifier)
        return ABSENT
    return write_call_id(identifier, extra, at, writer)


def write_nullable_call_id(identifier: str, extra: Any, at: Path, writer: Writer) -> Any:
    """Write the id of a call. If a synthetic id replaced it, the original value or its absence is restored."""
    return extra.get("$whole", ABSENT) if _is_extra_of(identifier, extra) else writer.call_id(identifier)


def read_result_call(value: Any, at: Path, reader: Reader) -> tuple[str, str]:
    """Read the id of a result's call, and the name of the called tool. The name is empty if the call is unknown.

    Raises:
        ConversionError: The value is not a string.
    """
    if type(value) is not str:
        raise wrong_type(at, "a string", None if value is ABSENT else value)
    return reader.match_result(value)


def write_result_call(identifier: str, name: str, at: Path, writer: Writer) -> str:
    """Write the id of a result's call. The name is not on the wire."""
    return writer.call_id(identifier)


def read_result_call_id(value: Any, at: Path, reader: Reader) -> tuple[str, Any]:
    """Read the id of a result's call. The id on the wire becomes the extra if the call has a different id.

    A blank id without a call is replaced by a synthetic one.

    Raises:
        ConversionError: The value is not a string.
    """
    identifier, name = read_result_call(value, at, reader)
    if not name and not reader.is_opaque_call(identifier):
        identifier = reader.id_of_result(identifier)
    return identifier, ABSENT if identifier == value else _extra_of_id(identifier, value)


def write_result_call_id(identifier: str, extra: Any, at: Path, writer: Writer) -> str:
    """Write the id of a result's call, as it was written with the call."""
    if _is_extra_of(identifier, extra) and type(extra.get("$whole")) is str:
        return str(extra["$whole"])
    return writer.call_id(identifier)


def _read_arguments_text(text: str) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read the text of arguments. The extra is the text if it would be written differently, or may mean no arguments."""
    try:
        arguments = loads(text)
    except ValueError:
        if not text or text.isspace():
            return {}, None, text
        return {}, InvalidCall(text, "malformed"), ABSENT
    if arguments is None:
        return {}, InvalidCall(text, "not_an_object"), text  # `Reader.decode_call` knows whether the tool needs any
    if type(arguments) is not dict:
        return {}, InvalidCall(text, "not_an_object"), ABSENT
    return arguments, None, ABSENT if is_compact(text, arguments) else text


def read_json_arguments(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read arguments that are JSON text. Absent, null and blank arguments are empty.

    The call is invalid and its text is kept if the text is not valid JSON, has a duplicate key or is not an object.

    Raises:
        ConversionError: The value is neither a string nor an object.
    """
    if type(value) is str:
        return _read_arguments_text(value)
    if value is None or value is ABSENT:
        return {}, None, ABSENT
    if type(value) is dict:
        return value, None, value
    raise wrong_type(at, "a string", value)


def write_json_arguments(
    arguments: dict[str, Any], invalid: InvalidCall | None, extra: Any, at: Path, writer: Writer
) -> Any:
    """Write arguments as JSON text. An invalid call is written with its original text.

    Raises:
        ConversionError: The arguments cannot be written as JSON.
    """
    if (
        extra is not ABSENT
        and _has_arguments(extra, arguments)
        and (invalid is None or _has_arguments(invalid.text, arguments))
    ):
        return extra
    if invalid is not None:
        return invalid.text
    try:
        return compact(arguments)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversionError(format_path(at), f"cannot be written as JSON: {type(error).__name__}") from error


def _has_arguments(value: Any, arguments: dict[str, Any]) -> bool:
    """Return whether a value of the wire, a text or an object, has these arguments."""
    if type(value) is not str:
        return same_json(value, arguments)
    if not value or value.isspace() or is_null_text(value):
        return not arguments
    try:
        return same_json(loads(value), arguments)
    except ValueError:
        return False


INVALID_ARGUMENTS_KEY = "INVALID_JSON"
"""The key for text that is not an object (Anthropic, fine-grained tool streaming)."""


def read_object_arguments(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None]:
    """Read an object of arguments. Absent, null and blank ones are empty; text is from a broken or unchecked stream.

    Raises:
        ConversionError: The value is neither an object nor text.
    """
    if type(value) is dict:
        return value, None
    if value is None or value is ABSENT:
        return {}, None
    if type(value) is not str:
        raise wrong_type(at, "an object", value)
    if not value or value.isspace():
        return {}, None
    try:
        arguments = loads(value)
    except ValueError:
        return {}, InvalidCall(value, "malformed")
    if type(arguments) is not dict:
        return {}, InvalidCall(value, "not_an_object")
    return arguments, None


def write_object_arguments(arguments: dict[str, Any], invalid: InvalidCall | None, at: Path, writer: Writer) -> Any:
    """Write arguments as an object. The text of a call that could not be read is wrapped in one, and reported.

    Raises:
        ConversionError: The arguments cannot be written as JSON.
    """
    if invalid is not None and not arguments and invalid.text.strip() not in ("", "{}"):
        writer.report_loss(at[0], "the text of an invalid call", "rewritten", "the API requires an object")
        return {INVALID_ARGUMENTS_KEY: invalid.text}
    try:
        if not is_json(arguments):
            compact(arguments)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversionError(format_path(at), f"cannot be written as JSON: {type(error).__name__}") from error
    return arguments
