"""Field readers and writers that only Chat Completions needs, and the output format, which Responses also has."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from ...api_converter import ApiConverter
from ...conversion.extras import ABSENT, Extras, UnsupportedValueError, is_internal_mark
from ...conversion.reader import Reader
from ...conversion.writer import Writer
from ...converter import ObjectReader, ObjectWriter
from ...errors import wrong_type
from ...fields import read_data_url, write_data_url
from ...models import OutputSchema
from ...paths import Path

__all__ = [
    "OutputFormatConverter",
    "has_content",
    "read_file_name",
    "read_inline_data",
    "read_schema_name",
    "restore_missing_message",
    "write_file_name",
    "write_inline_data",
    "write_schema_name",
]


def write_inline_data(
    url: str | None, data: str | None, media_type: str | None, extra: Any, at: Path, writer: Writer
) -> str:
    """Write the data URL.

    Raises:
        UnsupportedValueError: The content is not inline.
    """
    if data is None and (url is None or url[:5] != "data:"):
        raise UnsupportedValueError("only inline data is supported")
    return write_data_url(url, data, media_type, extra, at, writer)


read_inline_data = read_data_url


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
    writer.report_loss(at, "name", "defaulted", "note", "a file needs a name")
    return "document"


read_schema_name = read_file_name


def write_schema_name(name: str | None, extra: Any, at: Path, writer: Writer) -> Any:
    """Write the name of an output schema. A missing name gets a default, because the API requires one."""
    if name is not None:
        return name
    if extra is None or is_internal_mark(extra):
        return ABSENT
    writer.report_loss(at, "name", "defaulted", "note", "a schema needs a name")
    return "output"


def restore_missing_message(choice: dict[str, Any], extras: Extras) -> dict[str, Any]:
    """Return a choice without its message, or with null, if it was read so and the message is still empty."""
    if any(choice["message"][key] for key in choice["message"] if key != "role"):
        return choice
    if "message" in extras.get("$absent", ()):
        return {key: value for key, value in choice.items() if key != "message"}
    return {**choice, "message": None} if extras.get("message", ABSENT) is None else choice


def has_content(wire: dict[str, Any], blank_counts: bool) -> bool:
    """Return whether an assistant message has content or other values. Empty text counts only if `blank_counts` is set."""
    content = wire.get("content")
    return bool(content) or (blank_counts and content == "") or any(wire[key] for key in wire.keys() - _SILENT)


_SILENT = frozenset(["content", "name", "role"])


class OutputFormatConverter(ApiConverter):
    """A converter for an API that has the output format as one object."""

    OUTPUT_FORMATS: ClassVar[dict[str, Any]]
    """The wire's values for the formats `text` and `json`, and under `schema` the type of formats with a schema."""

    read_output_schema: ObjectReader[OutputSchema]
    write_output_schema: ObjectWriter[OutputSchema]

    def read_output_format(
        self, value: Any, at: Path, reader: Reader
    ) -> tuple[Literal["text", "json"] | OutputSchema | None, Any]:
        """Read the output format. Any other value is kept as an extra."""
        if value is None or value is ABSENT:
            return None, ABSENT
        if value == self.OUTPUT_FORMATS["text"]:
            return "text", value
        if value == self.OUTPUT_FORMATS["json"]:
            return "json", ABSENT
        if type(value) is dict and value.get("type") == self.OUTPUT_FORMATS["schema"]:
            return self.read_output_schema(value, at, reader), ABSENT
        return None, value

    def write_output_format(
        self, output_format: Literal["text", "json"] | OutputSchema | None, extra: Any, at: Path, writer: Writer
    ) -> Any:
        """Write the output format. Text is the default."""
        if output_format is None or output_format == "text":
            return extra if output_format is None or extra == self.OUTPUT_FORMATS["text"] else ABSENT
        if output_format == "json":
            return self.OUTPUT_FORMATS["json"]
        return self.write_output_schema(output_format, at, writer)
