"""The Model Context Protocol: what the official package's types say of tools, calls and results, in its two newest revisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jsonschema import Draft202012Validator, SchemaError
from mcp import types
from mcp.shared.tool_name_validation import validate_tool_name
from mcp_types.methods import validate_server_result
from pydantic import BaseModel, ValidationError

from tests.support.wires import ToolWire

ENVELOPES: dict[str, dict[str, Any]] = {
    "2025-11-25": {},
    "2026-07-28": {"resultType": "complete"},
}
"""By revision, what a result has around it that servers write by themselves."""

LISTING = {"2025-11-25": {}, "2026-07-28": {"ttlMs": 0, "cacheScope": "private"}}


def refused(check: Callable[[], object]) -> list[str]:
    """What a check raises, as a list of one."""
    try:
        check()
    except (SchemaError, ValidationError) as error:
        return [f"{type(error).__name__}: {str(error).splitlines()[0]}"]
    return []


def unread(kind: type[BaseModel], value: dict[str, Any]) -> list[str]:
    """The keys that a type leaves out: they disappear in silence."""
    known_keys = {field.alias or name for name, field in kind.model_fields.items()}
    return [f"unknown key {key}" for key in value if key not in known_keys]


def tool_faults(tool: Any) -> list[str]:
    faults = unread(types.Tool, tool) + refused(lambda: types.Tool.model_validate(tool))
    for version, envelope in ENVELOPES.items():
        listing = {"tools": [tool], **envelope, **LISTING[version]}
        faults += refused(lambda v=version, message=listing: validate_server_result("tools/list", v, message))  # type: ignore[misc]  # mypy infers no type for defaults of a lambda
    for key in ("inputSchema", "outputSchema"):
        if key in tool:
            faults += refused(lambda schema=tool[key]: Draft202012Validator.check_schema(schema))  # type: ignore[misc]  # mypy infers no type for defaults of a lambda
    return faults + ([] if validate_tool_name(tool.get("name", "")).is_valid else ["name"])


def call_faults(call: Any) -> list[str]:
    kind = types.CallToolRequestParams
    return unread(kind, call) + refused(lambda: kind.model_validate(call))


def result_faults(result: Any) -> list[str]:
    faults = unread(types.CallToolResult, result) + refused(lambda: types.CallToolResult.model_validate(result))
    for version, envelope in ENVELOPES.items():
        faults += refused(
            lambda v=version, message={**envelope, **result}: validate_server_result("tools/call", v, message)  # type: ignore[misc]  # mypy infers no type for defaults of a lambda
        )
    return faults


TOOL_WIRE = ToolWire(
    tool_faults,
    call_faults,
    result_faults,
    frozenset(["inputSchema", "outputSchema", "arguments", "structuredContent", "_meta", "icons", "annotations"]),
    "xUnknown",
)
