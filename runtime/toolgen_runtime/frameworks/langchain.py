"""The declared tools as LangChain tools.

An error result is a `ToolMessage` with the status `error`. `interrupt_settings` lists the tools about which
`HumanInTheLoopMiddleware` has to ask (https://docs.langchain.com/oss/python/langchain/human-in-the-loop). The
`metadata` of a tool contains its risk.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal, TypeVar

from langchain_core.tools import BaseTool, ToolException
from pydantic import PrivateAttr

from ..models import ContentPart, OpaquePart, TextPart, ToolDefinition, ToolResult
from ..tools.runnable_tools import RunnableTools
from .calls import HandledTools, arguments_schema, result_text

__all__ = ["DeclaredTool", "interrupt_settings", "langchain_tools"]

H = TypeVar("H")


class DeclaredTool(BaseTool):
    """A declared tool. The content of its message is for the model, and its artifact is the `ToolResult`."""

    handle_tool_error: Any = True
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    _tools: HandledTools[Any] = PrivateAttr()

    def __init__(self, tools: HandledTools[Any], definition: ToolDefinition) -> None:
        """Store the definition of the tool, and the tools with which its calls are run."""
        super().__init__(
            name=definition.name,
            description=definition.description or "",
            args_schema=arguments_schema(definition),
            metadata={"risk": "high" if tools.needs_approval(definition.name) else "low"},
        )
        self._tools = tools

    def _to_args_and_kwargs(self, tool_input: Any, tool_call_id: str | None) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Pass the arguments as one object, because keywords could collide with LangChain's own, such as `config`."""
        return (tool_input, tool_call_id), {}

    def _run(self, arguments: Any, tool_call_id: str | None) -> tuple[Any, ToolResult]:
        result = self._tools.run_inline(self.name, tool_call_id, arguments)
        return _content(result), result

    async def _arun(self, arguments: Any, tool_call_id: str | None) -> tuple[Any, ToolResult]:
        result = await self._tools.run(self.name, tool_call_id, arguments)
        return _content(result), result


def langchain_tools(
    declared: RunnableTools[H], handlers: H, names: Collection[str], *, timeout: float | None
) -> list[BaseTool]:
    """Return the declared tools as LangChain tools that call the handlers.

    Args:
        declared: The declared tools.
        handlers: An object with a method for each of the tools.
        names: Names of the tools. Without names, all tools that are not deprecated.
        timeout: Time limit of each handler, in seconds. None applies the limits that the tools declare.

    Returns:
        The tools.

    Raises:
        ValueError: A name is not that of a declared tool.
        TypeError: A tool has no handler.
    """
    tools = HandledTools(declared, handlers, names, timeout)
    return [DeclaredTool(tools, definition) for definition in tools.definitions]


def interrupt_settings(declared: RunnableTools[Any]) -> dict[str, bool]:
    """Return the value for `HumanInTheLoopMiddleware(interrupt_on=…)`: every tool that is not low-risk.

    Args:
        declared: The declared tools.

    Returns:
        For each such tool, True.
    """
    return {name: True for name in declared.entries if name not in declared.low_risk}


def _content(result: ToolResult) -> Any:
    """Return a result as content for the model: text, or a list of content blocks.

    Raises:
        ToolException: The result is an error.
    """
    if result.kind == "error":
        raise ToolException(result_text(result))
    if result.kind != "multimodal":
        return result_text(result)
    return [_content_block(part) for part in result.value]


def _content_block(part: ContentPart) -> Any:
    """Return a part as a content block of LangChain. An opaque part is one already."""
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    if isinstance(part, OpaquePart):
        return part.value
    block: dict[str, Any] = {"type": "file" if part.type == "document" else part.type}
    block |= {"url": part.url} if part.data is None else {"base64": part.data}
    if part.media_type:
        block["mime_type"] = part.media_type
    return block
