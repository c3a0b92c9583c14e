"""Field readers and writers that only Gemini needs, and groups of function declarations in one of two dialects."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ...conversion.extras import ABSENT, Extras, UnsupportedValueError, merge_extras_into
from ...conversion.fields import media_type_of, read_data_url, read_enum_value, read_number_within
from ...conversion.reader import Reader
from ...conversion.values import Write
from ...conversion.writer import Writer
from ...errors import ConversionError, wrong_type
from ...models import OpaquePart, Reasoning, ToolDefinition
from ...paths import Path, format_path

__all__ = [
    "PARAMETERS_KEYS",
    "choose_thinking_setting",
    "from_openapi",
    "generate_content_kwargs",
    "mark_tool_group",
    "modality_tokens",
    "read_enum_value_any_case",
    "read_media_content",
    "read_result_id_by_name",
    "read_schema",
    "read_whole_number",
    "replace_modality_tokens",
    "write_enum_value_any_case",
    "write_media_content",
    "write_result_id_by_name",
    "write_schema",
    "write_tool_groups",
    "write_whole_number",
]


def read_whole_number(value: Any, at: Path, reader: Reader) -> int | None:
    """Read an integer, which may be written as a float. A number with a fraction is none, and is kept as an extra.

    Raises:
        ConversionError: The value is neither a number nor null.
    """
    number = read_number_within(value, at, reader, {})
    return int(number) if type(number) is int or (type(number) is float and number.is_integer()) else None


def write_whole_number(value: int | None, at: Path, writer: Writer) -> Any:
    """Write an integer."""
    return ABSENT if value is None else value


def read_result_id_by_name(value: Any, at: Path, reader: Reader, name: str) -> tuple[str, Any]:
    """Read the id. A result without the id of a known call gets that of the next call of this tool, or a synthetic one.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    if value is not None and value is not ABSENT and type(value) is not str:
        raise wrong_type(at, "a string", value)
    if value:
        identifier, called = reader.match_result(value, name)
        if called:
            reader.note_result(identifier)
            return identifier, ABSENT if identifier == value else {"$synthetic": identifier, "$whole": value}
    identifier = reader.take_open_call_id(name) or reader.id_of_result(None if value is ABSENT else value)
    if identifier == value:
        return identifier, ABSENT
    return identifier, {"$synthetic": identifier, "$whole": value} if type(value) is str else {"$synthetic": identifier}


def write_result_id_by_name(identifier: str, extra: Any, at: Path, writer: Writer, name: str) -> Any:
    """Write the id as it was written for the call, or nothing if the call has none.

    Raises:
        ConversionError: The name of the tool is missing, but the wire requires it.
    """
    if not name:
        raise ConversionError(format_path((at[0], "name")), f"{writer.wire.title} requires the name of the tool")
    if type(extra) is dict and extra.get("$synthetic") == identifier:
        return extra["$whole"] if type(extra.get("$whole")) is str else ABSENT
    return ABSENT if writer.is_id_omitted(identifier) else writer.call_id(identifier)


def read_enum_value_any_case(value: Any, at: Path, reader: Reader, table: Mapping[str, str]) -> str | None:
    """Read an enum value in any case. None for a value that `table` lacks.

    Raises:
        ConversionError: The value is neither a string nor null.
    """
    return read_enum_value(value.upper() if type(value) is str else value, at, reader, table)


def write_enum_value_any_case(value: str | None, at: Path, writer: Writer, table: Mapping[str, str]) -> Any:
    """Write an enum value."""
    if value is None:
        return ABSENT
    for wire_value, meaning in table.items():
        if meaning == value:
            return wire_value
    writer.report_unsupported(at, at[1], "warning")
    return ABSENT


_KEYS = {"inlineData": "data", "fileData": "fileUri"}
_PLAIN = str.maketrans("-_", "+/")


def read_media_content(
    part: dict[str, Any], at: Path, reader: Reader, table: Mapping[str, str]
) -> tuple[str | None, str | None, str | None, str | None]:
    """Read url, data, media type and name.

    Raises:
        ConversionError: The content is not an object, or one of its values is not a string.
    """
    key = "inlineData" if "inlineData" in part else "fileData"
    content = part.get(key)
    if type(content) is not dict:
        raise wrong_type((at, key), "an object", content)
    texts: list[str | None] = []
    for name in (_KEYS[key], "mimeType", "displayName"):
        value = content.get(name)
        if value is not None and type(value) is not str:
            raise wrong_type(((at, key), name), "a string", value)
        texts.append(value)
    text, media_type, display_name = texts
    if key == "fileData":
        return text, None, media_type, display_name
    if text is not None and ("-" in text or "_" in text) and not ("+" in text or "/" in text):
        text = text.translate(_PLAIN)  # base64 for URLs
    return None, text, media_type, display_name


def write_media_content(
    url: str | None,
    data: str | None,
    media_type: str | None,
    name: str | None,
    at: Path,
    writer: Writer,
    table: Mapping[str, str],
) -> dict[str, Any]:
    """Write the content. `table` has the default media type, and the media types of extensions.

    Raises:
        UnsupportedValueError: The part has neither a URL nor data.
    """
    if url is not None and url[:5] == "data:":
        url, data, named_type = read_data_url(url, at, Reader(writer.wire))
        media_type = named_type or media_type
    if data is None and url is None:
        raise UnsupportedValueError("it has neither a URL nor data")
    key = "inlineData" if data is not None else "fileData"
    content: dict[str, Any] = {_KEYS[key]: url if data is None else data}
    if media_type is None:
        media_type = _media_type(url, data, table)
        writer.report_loss(
            (at[0], "mediaType"),
            "mediaType",
            "defaulted",
            f"the API requires a media type, so it is set to {media_type}",
        )
    content["mimeType"] = media_type
    if name is not None:
        content["displayName"] = name
    return {key: content}


def _media_type(url: str | None, data: str | None, table: Mapping[str, str]) -> str:
    """Return the media type that the extension of the URL or the first bytes of the data name, else the default."""
    default = table["mediaType"]
    if data is None:
        return table.get(re.split("[?#]", url or "")[0].rpartition(".")[2].lower(), default)
    media_type = media_type_of(data)
    if media_type is None or media_type.split("/")[0] != default.split("/")[0]:
        return default
    return media_type


def modality_tokens(details: Any, modality: str) -> int | None:
    """Return the tokens of one modality in a list of `{modality, tokenCount}`, or None if it is not there."""
    if type(details) is not list:
        return None
    counts = [d.get("tokenCount") for d in details if type(d) is dict and d.get("modality") == modality]
    return sum(c for c in counts if type(c) is int) if counts else None


def replace_modality_tokens(details: Any, modality: str, tokens: int | None) -> Any:
    """Return the list with another count for a modality, or the list itself if the count is the same."""
    if tokens == modality_tokens(details, modality):
        return details
    replaced = []
    if type(details) is list:
        replaced = [d for d in details if not (type(d) is dict and d.get("modality") == modality)]
    if tokens is not None:
        replaced.append({"modality": modality, "tokenCount": tokens})
    return replaced


_BOUNDS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_NUMBERS = {"INTEGER": int, "NUMBER": float}
_WHOLE = r"-?(?:0|[1-9][0-9]{0,18})"
_NUMBER = _WHOLE + r"(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?"
"""The JSON syntax of a number, limited to a length that every parser reads."""
_MAPS = ("properties", "defs")


def from_openapi(schema: Any) -> Any:
    """Convert a schema to JSON Schema. `propertyOrdering` is left out, because objects keep their order here."""
    if type(schema) is not dict:
        return schema
    converted: dict[str, Any] = {}
    kind = str(schema.get("type") or "").upper()
    for keyword, value in schema.items():
        if value is None or keyword in ("nullable", "propertyOrdering"):
            continue
        if keyword == "type":
            if kind != "TYPE_UNSPECIFIED":
                converted["type"] = kind.lower()
        elif keyword in _MAPS and type(value) is dict:
            converted["$defs" if keyword == "defs" else keyword] = {
                name: from_openapi(inner) for name, inner in value.items()
            }
        elif keyword == "anyOf" and type(value) is list:
            converted["anyOf"] = [from_openapi(inner) for inner in value]
        elif keyword in ("items", "additionalProperties"):
            converted[keyword] = from_openapi(value)
        elif keyword == "ref":
            converted["$ref"] = str(value).replace("#/defs/", "#/$defs/")
        elif keyword == "example":
            converted["examples"] = [value]
        elif keyword == "enum" and type(value) is list:
            converted["enum"] = [_number(item, kind) for item in value]
        elif keyword in _BOUNDS and type(value) is str and re.fullmatch(_WHOLE, value):
            converted[keyword] = int(value)
        elif not (keyword == "format" and value == "enum"):
            converted[keyword] = value
    return _nullable(converted) if schema.get("nullable") is True else converted


def _number(item: Any, kind: str) -> Any:
    """Convert an enum value, which is a string on the wire whatever its type."""
    if type(item) is str and kind in _NUMBERS and re.fullmatch(_WHOLE if kind == "INTEGER" else _NUMBER, item):
        value = _NUMBERS[kind](item)
        return value if value - value == 0 else item  # infinite
    return item


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that also permits null. One with neither a type nor `anyOf` is returned as it is."""
    if "type" in schema:
        wider = {**schema, "type": [schema["type"], "null"]}
        if type(schema.get("enum")) is list:
            wider["enum"] = [*schema["enum"], None]
        return wider
    if type(schema.get("anyOf")) is list:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    return schema


def mark_tool_group(entries: Sequence[ToolDefinition], before: Sequence[Any], extras: Extras, reader: Reader) -> None:
    """Mark the first declaration of a tool, if earlier tools have declarations, or this one has other keys."""
    if entries and (extras or any(type(tool) is ToolDefinition for tool in before)):
        first = entries[0]
        merge_extras_into(first, reader.wire.name, {"$around": extras})


def choose_thinking_setting(reasoning: Reasoning, at: Path, writer: Writer) -> Reasoning:
    """Return reasoning settings with either a level or a number of tokens. The API rejects both together."""
    if reasoning.effort is None or reasoning.budget_tokens is None:
        return reasoning
    reason = "the API accepts either a level or a number of tokens"
    writer.report_loss((at, "effort"), "effort", "dropped", reason)
    return Reasoning(None, reasoning.budget_tokens, reasoning.metadata)


def write_tool_groups(definitions: Sequence[Any], at: Path, writer: Writer, key: str, write: Write) -> list[Any]:
    """Write declarations into one tool under `key`, at the index of the first. A marked one starts another tool.

    Hosted tools of other providers, or that the API rejects, are unsupported. Those of this provider stay in order.
    """
    wires: list[Any] = []
    group: list[Any] | None = None
    for i, tool in enumerate(definitions):
        if type(tool) is OpaquePart:
            if not writer.is_sendable(tool):
                writer.report_unsupported((at, i), "a provider's own tool", "warning")
                continue
            wires.append(tool.value)
            if group is not None and _joins_later(definitions[i + 1 :], writer):
                writer.report_loss(
                    (at, i), "a provider's own tool", "moved", "the API requires the declarations to come first"
                )
            continue
        written = write(tool, (at, i), writer)
        if written is ABSENT:
            continue
        group_extras = writer.peek_extras(tool.metadata).get("$around")
        if type(group_extras) is dict:
            group = []
            wires.append({key: group, **writer.without_rejected(group_extras, ((at, i), "metadata"))})
        elif group is None:
            group = []
            wires.append({key: group})
        group.append(written)
    return wires


def _joins_later(definitions: Sequence[Any], writer: Writer) -> bool:
    following = next((tool for tool in definitions if type(tool) is ToolDefinition), None)
    return following is not None and "$around" not in writer.peek_extras(following.metadata)


PARAMETERS_KEYS = ("parametersJsonSchema", "parameters")
"""The keys for the schema of a tool's arguments, in each dialect."""


def read_schema(holder: dict[str, Any], keys: tuple[str, str], at: Path, reader: Reader) -> Any:
    """Read a schema as JSON Schema.

    Raises:
        ConversionError: The value is not an object.
    """
    for key in keys:
        value = holder.get(key)
        if value is None:
            continue
        if type(value) is not dict:
            raise wrong_type((at, key), "an object", value)
        return from_openapi(value) if key == keys[1] else value
    return None


def write_schema(schema: Any, keys: tuple[str, str], at: Path, writer: Writer) -> dict[str, Any]:
    """Write a schema under the key of the profile's dialect. Unsupported keywords are reported."""
    if schema is None:
        return {}
    key = keys[0] if writer.wire.schema_lowering.key is None else keys[1]
    return {key: writer.lower_schema(schema, None, at, is_arguments=keys is PARAMETERS_KEYS)}


def generate_content_kwargs(model: str | None, body: dict[str, Any], allowed_names: Collection[str]) -> dict[str, Any]:
    """Convert a body to arguments for a client that accepts a model, contents and a config.

    Keys that the config does not have go into the body unchanged, through the client's HTTP options. The client must
    not run tools itself. It gets its own config, because it rewrites schemas in place.
    """
    settings = {key: value for key, value in body.items() if key not in ("contents", "generationConfig")}
    settings |= body.get("generationConfig") or {}
    config = {key: value for key, value in settings.items() if key in allowed_names}
    extra = {key: value for key, value in body.items() if key in settings and key not in allowed_names}
    generation = {key: value for key, value in (body.get("generationConfig") or {}).items() if key not in allowed_names}
    if generation:
        extra["generationConfig"] = generation
    if extra:
        config["httpOptions"] = {"extraBody": extra}
    if config.get("tools") is not None:
        config["tools"] = config["tools"] if type(config["tools"]) is list else [config["tools"]]
        config["automaticFunctionCalling"] = {"disable": True}
    from copy import deepcopy  # late: other clients do not need it

    named_model: dict[str, Any] = {} if model is None else {"model": model}
    return {**named_model, "contents": body["contents"], "config": deepcopy(config)}
