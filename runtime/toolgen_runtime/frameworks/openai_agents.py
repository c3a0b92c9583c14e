"""The declared tools as function tools of the OpenAI Agents SDK.

Calls of tools that are not low-risk need approval, which interrupts the run. It continues from its state
(https://openai.github.io/openai-agents-python/human_in_the_loop). The text of an error result is the output of the
call.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeVar

from agents import FunctionTool, Tool, ToolOutputFileContent, ToolOutputImage, ToolOutputText
from agents.tool_context import ToolContext

from ..models import ContentPart, OpaquePart, TextPart, ToolDefinition, ToolResult
from ..tools.runnable_tools import RunnableTools
from .calls import HandledTools, arguments_schema, result_text

__all__ = ["openai_agents_tools"]

H = TypeVar("H")


def openai_agents_tools(
    declared: RunnableTools[H], handlers: H, names: Collection[str], *, approval: bool, timeout: float | None
) -> list[Tool]:
    """Return the declared tools as function tools that call the handlers.

    Args:
        declared: The declared tools.
        handlers: An object with a method for each of the tools.
        names: Names of the tools. Without names, all tools that are not deprecated.
        approval: Whether calls of tools that are not low-risk need approval.
        timeout: Time limit of each handler, in seconds. None applies the limits that the tools declare.

    Returns:
        The tools.

    Raises:
        ValueError: A name is not that of a declared tool.
        TypeError: A tool has no handler.
    """
    tools = HandledTools(declared, handlers, names, timeout)
    return [_tool(tools, definition, approval) for definition in tools.definitions]


def _tool(tools: HandledTools[Any], definition: ToolDefinition, approval: bool) -> FunctionTool:
    """Return a tool of the framework that runs the handler of a definition."""
    name = definition.name

    async def call(context: ToolContext[Any], arguments: str) -> Any:
        return _output(await tools.run(name, context.tool_call_id, arguments))

    return FunctionTool(
        name=name,
        description=definition.description or "",
        params_json_schema=arguments_schema(definition),
        on_invoke_tool=call,
        strict_json_schema=False,  # the schema is sent as it is declared
        needs_approval=approval and tools.needs_approval(name),
    )


def _output(result: ToolResult) -> Any:
    """Return a result as the output of a tool: text, or a list of the framework's content types."""
    return [_output_item(part) for part in result.value] if result.kind == "multimodal" else result_text(result)


def _output_item(part: ContentPart) -> Any:
    """Return a part as the framework's content type. Opaque parts become text; audio and video become files."""
    if isinstance(part, TextPart):
        return ToolOutputText(text=part.text)
    if isinstance(part, OpaquePart):
        return ToolOutputText(text=str(part.value))
    data_url = None if part.data is None else f"data:{part.media_type};base64,{part.data}"
    if part.type == "image":
        return ToolOutputImage(image_url=data_url or part.url)
    if data_url is not None:
        return ToolOutputFileContent(file_data=data_url, filename=part.name)
    return ToolOutputFileContent(file_url=part.url, filename=part.name)
