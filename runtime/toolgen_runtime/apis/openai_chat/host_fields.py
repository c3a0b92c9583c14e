"""Keys that servers compatible with Chat Completions have, where they differ from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...conversion.extras import ABSENT, is_internal_mark
from ...conversion.reader import Reader
from ...conversion.writer import Writer
from ...errors import wrong_type
from ...fields import read_effort, read_strings_at_most, write_strings_at_most
from ...json_text import compact, is_object_text
from ...models import InvalidCall, Reasoning
from ...paths import Path
from ...tool_call_fields import INVALID_ARGUMENTS_KEY, read_result_call, write_json_arguments, write_nearest_effort
from ...tool_call_fields import read_json_arguments as read_arguments

__all__ = [
    "read_arguments_text",
    "read_effort_object",
    "read_effort_or_switch",
    "read_parsable_arguments",
    "read_result_call_or_next",
    "read_stop_without_reasoning",
    "write_arguments_text",
    "write_effort_object",
    "write_effort_or_switch",
    "write_parsable_arguments",
    "write_result_call_or_next",
    "write_stop_without_reasoning",
]


def read_arguments_text(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read the arguments. That they were an object is not kept, because the next request needs them as text.

    Text that is not an object is also kept as an extra: the same server gets it again.

    Raises:
        ConversionError: The value is neither a string nor an object.
    """
    if type(value) is dict:
        return value, None, ABSENT
    arguments, invalid, extra = read_arguments(value, at, reader)
    return arguments, invalid, extra if invalid is None else {"$whole": invalid.text}


def write_arguments_text(
    arguments: dict[str, Any], invalid: InvalidCall | None, extra: Any, at: Path, writer: Writer
) -> Any:
    """Write the arguments. In a request, text that is not an object is wrapped in one, unless this server gave it.

    Raises:
        ConversionError: The arguments cannot be written as JSON.
    """
    if is_internal_mark(extra):
        if invalid is not None and invalid.text == extra.get("$whole"):
            return invalid.text
        extra = ABSENT
    write = write_json_arguments if invalid is None else write_parsable_arguments
    return write(arguments, invalid, extra, at, writer)


def read_parsable_arguments(value: Any, at: Path, reader: Reader) -> tuple[dict[str, Any], InvalidCall | None, Any]:
    """Read the arguments. That they were an object is not kept, because the next request needs them as text.

    Raises:
        ConversionError: The value is neither a string nor an object.
    """
    return (value, None, ABSENT) if type(value) is dict else read_arguments(value, at, reader)


def write_parsable_arguments(
    arguments: dict[str, Any], invalid: InvalidCall | None, extra: Any, at: Path, writer: Writer
) -> Any:
    """Write the arguments. In a request, text that is not an object is wrapped in one, and reported.

    Raises:
        ConversionError: The arguments cannot be written as JSON.
    """
    text = write_json_arguments(arguments, invalid, extra, at, writer)
    if writer.is_response:
        return text
    if type(text) is str and not text.strip():
        return "{}"
    if is_object_text(text):
        return text
    writer.report_loss(at[0], "the text of an invalid call", "rewritten", f"{writer.wire.title} parses the arguments")
    return compact({INVALID_ARGUMENTS_KEY: text})


def read_effort_object(value: Any, at: Path, reader: Reader, keys_by_field: Mapping[str, str]) -> Reasoning | None:
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


def write_effort_object(reasoning: Reasoning | None, at: Path, writer: Writer, keys_by_field: Mapping[str, str]) -> Any:
    """Write the object."""
    if reasoning is None:
        return ABSENT
    if reasoning.budget_tokens == 0 and reasoning.effort is None:
        return {keys_by_field["effort"]: "none"}
    settings = {keys_by_field["effort"]: reasoning.effort, keys_by_field["budgetTokens"]: reasoning.budget_tokens}
    return {key: value for key, value in settings.items() if value is not None}


_SWITCHED_OFF = {"type": "disabled"}


def read_effort_or_switch(
    wire: dict[str, Any], at: Path, reader: Reader, levels: Mapping[str, str]
) -> Reasoning | None:
    """Read the reasoning effort. Thinking that is switched off is the effort `none`.

    Raises:
        ConversionError: The effort is neither a string nor null.
    """
    reasoning = read_effort(wire.get("reasoning_effort", ABSENT), (at, "reasoning_effort"), reader)
    return Reasoning("none") if reasoning is None and wire.get("thinking") == _SWITCHED_OFF else reasoning


def write_effort_or_switch(
    reasoning: Reasoning | None, at: Path, writer: Writer, levels: Mapping[str, str]
) -> dict[str, Any]:
    """Write the reasoning effort, or switch thinking off."""
    if reasoning is not None and (reasoning.budget_tokens == 0 or reasoning.effort == "none"):
        return {"thinking": _SWITCHED_OFF}
    effort = write_nearest_effort(reasoning, at, writer, levels)
    return {} if effort is ABSENT else {"reasoning_effort": effort}


def read_stop_without_reasoning(
    value: Any, at: Path, reader: Reader, reasoning: Reasoning | None, limits: Mapping[str, int]
) -> list[str] | None:
    """Read the stop sequences.

    Raises:
        ConversionError: The value is neither a string, nor a list of strings, nor null.
    """
    return read_strings_at_most(value, at, reader, limits)


def write_stop_without_reasoning(
    texts: list[str] | None, at: Path, writer: Writer, reasoning: Reasoning | None, limits: Mapping[str, int]
) -> Any:
    """Write the stop sequences. Models with an effort reject them, so they are left out."""
    if texts and reasoning is not None:
        writer.report_loss(at, at[1], "dropped", f"{writer.wire.title} rejects it for models that reason", "warning")
        return ABSENT
    return write_strings_at_most(texts, at, writer, limits)


def read_result_call_or_next(value: Any, at: Path, reader: Reader) -> tuple[str, str, Any]:
    """Read the id of a result's call, and the name of the called tool. Without an id, it is the next open call.

    Raises:
        ConversionError: The value is not a string, and every call has a result.
    """
    call = reader.take_open_call(None) if value is None or value is ABSENT else None
    if call is not None:
        return call.id, call.name, {"$synthetic": call.id, **({} if value is ABSENT else {"$wire": value})}
    identifier, name = read_result_call(value, at, reader)
    reader.note_result(identifier)
    return identifier, name, ABSENT


def write_result_call_or_next(identifier: str, name: str, extra: Any, at: Path, writer: Writer) -> Any:
    """Write the id of a result's call, unless it was read without one."""
    if type(extra) is dict and extra.get("$synthetic") == identifier:
        return extra.get("$wire", ABSENT)
    return writer.call_id(identifier)
