"""copilot-quorum: its types as serde reads them by default, as JSON Schemas that are closed."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator

from tests.support.wires import ToolWire

TEXT = {"type": "string"}
OBJECT = {"type": "object"}


def struct(needed: dict[str, Any], options: dict[str, Any] | None = None) -> dict[str, Any]:
    """A struct; an Option may be null or missing."""
    free = {key: {"anyOf": [schema, {"type": "null"}]} for key, schema in (options or {}).items()}
    return {
        "type": "object",
        "properties": {**needed, **free},
        "required": list(needed),
        "additionalProperties": False,
    }


def enum(*units: str, **variants: Any) -> dict[str, Any]:
    """An enum, externally tagged."""
    return {"anyOf": [{"enum": list(units)}, *(struct({name: content}) for name, content in variants.items())]}


TOOL = struct(
    {
        "name": TEXT,
        "description": TEXT,
        "input_schema": {"type": "object", "required": ["type"], "properties": {"type": {"const": "object"}}},
    }
)
TOOL_CALL = struct({"tool_name": TEXT, "arguments": OBJECT}, {"reasoning": TEXT, "native_id": TEXT})
BLOCK = enum(Text=TEXT, ToolUse=struct({"id": TEXT, "name": TEXT, "input": OBJECT}))
RESULT = struct({"tool_use_id": TEXT, "tool_name": TEXT, "output": TEXT, "is_error": {"type": "boolean"}})
RESPONSE = struct(
    {"content": {"type": "array", "items": BLOCK}},
    {"stop_reason": enum("EndTurn", "ToolUse", "MaxTokens", Other=TEXT), "model": TEXT},
)
DELTA = struct({"index": {"type": "integer", "minimum": 0}}, {"id": TEXT, "name": TEXT, "arguments_delta": TEXT})
EVENT = enum(Delta=TEXT, Completed=TEXT, Error=TEXT, ToolCallDelta=DELTA, CompletedResponse=RESPONSE)


def faults(schema: Any, value: Any) -> list[str]:
    return [f"{error.json_path}: {error.validator}" for error in Draft202012Validator(schema).iter_errors(value)]


def call_faults(call: Any) -> list[str]:
    return faults(BLOCK if "ToolUse" in call else TOOL_CALL, call)


def response_faults(response: Any) -> list[str]:
    return faults(RESPONSE, response)


def event_faults(event: Any) -> list[str]:
    return faults(EVENT, event)


TOOL_WIRE = ToolWire(
    lambda tool: faults(TOOL, tool),
    call_faults,
    lambda result: faults(RESULT, result),
    frozenset(["input_schema", "arguments", "input"]),
)
