"""The declared tools as Pydantic AI tools.

Calls of tools that are not low-risk need approval: the run ends with `DeferredToolRequests`, which has to be an output
type of the agent (https://ai.pydantic.dev/deferred-tools). An error result raises `ToolFailed`: the model sees its
text, and the run continues.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Collection
from typing import Any, TypeVar

from pydantic_ai import AudioUrl, BinaryContent, DocumentUrl, ImageUrl, RunContext, Tool, VideoUrl
from pydantic_ai.exceptions import ToolFailed

from ..models import ContentPart, OpaquePart, TextPart, ToolDefinition, ToolResult
from ..tools.runnable_tools import RunnableTools
from .calls import HandledTools, arguments_schema, result_text

__all__ = ["pydantic_ai_tools"]

H = TypeVar("H")

_URLS: dict[str, Any] = {"image": ImageUrl, "audio": AudioUrl, "video": VideoUrl, "document": DocumentUrl}


def pydantic_ai_tools(
    declared: RunnableTools[H], handlers: H, names: Collection[str], *, approval: bool, timeout: float | None
) -> list[Tool[Any]]:
    """Return the declared tools as Pydantic AI tools that call the handlers.

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


def _tool(tools: HandledTools[Any], definition: ToolDefinition, approval: bool) -> Tool[Any]:
    """Return a tool of the framework that runs the handler of a definition. An error result makes it fail."""
    name = definition.name

    async def call(context: RunContext[Any], /, **arguments: Any) -> Any:
        result = await tools.run(name, context.tool_call_id, arguments)
        if result.kind == "error":
            raise ToolFailed(result_text(result))
        return _content(result)

    needs_approval = tools.needs_approval(name)
    tool = Tool.from_schema(
        call, name, definition.description, arguments_schema(definition), takes_ctx=True, sequential=needs_approval
    )
    tool.requires_approval = approval and needs_approval
    return tool


def _content(result: ToolResult) -> Any:
    """Return a result as the framework sends it: JSON unchanged, and parts as the framework's content types."""
    return [_content_item(part) for part in result.value] if result.kind == "multimodal" else result.value


def _content_item(part: ContentPart) -> Any:
    """Return a part as the framework's content type."""
    if isinstance(part, TextPart):
        return part.text
    if isinstance(part, OpaquePart):
        return part.value
    if part.data is not None:
        return BinaryContent(b64decode(part.data), media_type=part.media_type or "application/octet-stream")
    return _URLS[part.type](part.url or "")
