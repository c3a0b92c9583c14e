"""What all frameworks share: selecting the declared tools, and running calls."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Generic, TypeVar

from ..json_text import compact, loads
from ..models import InvalidCall, ToolCall, ToolDefinition, ToolResult
from ..tools.runnable_tools import RunnableTools

__all__ = ["HandledTools", "arguments_schema", "result_text"]

H = TypeVar("H")


class HandledTools(Generic[H]):
    """Declared tools with their handlers. `definitions` has the definitions for the framework, in order of name."""

    def __init__(self, tools: RunnableTools[H], handlers: H, names: Collection[str], timeout: float | None) -> None:
        """Select the named tools. Without names, select all that are not deprecated.

        Raises:
            ValueError: A name is not that of a declared tool.
            TypeError: A tool has no handler.
        """
        unknown = sorted(set(names) - set(tools.entries))
        if unknown:
            raise ValueError(f"unknown tool {', '.join(unknown)}")
        chosen = [name for name in tools.entries if (name in names if names else name not in tools.deprecated)]
        self.definitions: Sequence[ToolDefinition] = [tools.definitions[name] for name in chosen]
        self._low_risk = tools.low_risk
        self._dispatcher = tools.make_dispatcher(handlers, offered=chosen, timeout=timeout)
        self._inline = tools.make_dispatcher(handlers, offered=chosen, timeout=timeout, inline=True)

    def needs_approval(self, name: str) -> bool:
        """Return whether calls of a tool need approval, because it is not declared as `risk: low`."""
        return name not in self._low_risk

    async def run_call(self, call: ToolCall) -> ToolResult:
        """Run a call."""
        return await self._dispatcher.run_one(call)

    async def run(self, name: str, call_id: str | None, arguments: dict[str, Any] | str) -> ToolResult:
        """Run a call. Its arguments are an object, or the text that the model wrote."""
        return await self.run_call(_make_call(name, call_id, arguments))

    def run_inline(self, name: str, call_id: str | None, arguments: dict[str, Any] | str) -> ToolResult:
        """Run a call from synchronous code."""
        return self._inline.run_one_blocking(_make_call(name, call_id, arguments))


def arguments_schema(definition: ToolDefinition) -> dict[str, Any]:
    """Return the schema of a tool's arguments. Frameworks require one, with the type object."""
    return {"type": "object", "properties": {}, **(definition.parameters or {})}


def result_text(result: ToolResult) -> str:
    """Return a result that has no parts as text: strings unchanged, anything else as compact JSON."""
    return result.value if isinstance(result.value, str) else compact(result.value)


def _make_call(name: str, call_id: str | None, arguments: dict[str, Any] | str) -> ToolCall:
    """Return a call. Text that is not a JSON object makes it invalid."""
    call = ToolCall(call_id or "call", name, {})
    if not isinstance(arguments, str):
        call.arguments = arguments
        return call
    try:
        value = loads(arguments or "{}")
    except ValueError:
        call.invalid = InvalidCall(arguments, "malformed")
        return call
    if isinstance(value, dict):
        call.arguments = value
    else:
        call.invalid = InvalidCall(arguments, "not_an_object")
    return call
