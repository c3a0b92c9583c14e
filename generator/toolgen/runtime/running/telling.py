"""What a run tells of its answers and results, as events that a screen can show."""

from __future__ import annotations

import time
from typing import Any

from ...models import (
    AgentEvent,
    AgentReasoning,
    AgentText,
    AgentToolResult,
    Completion,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolResult,
)
from ..json_texts.json_text import compact

__all__ = ["answer_events", "result_event"]


def answer_events(completion: Completion) -> list[AgentEvent]:
    """Tell what an answer says, part by part."""
    now = time.time() * 1000
    content = completion.message.content
    parts = [TextPart(content)] if isinstance(content, str) else content or []
    told: list[AgentEvent] = []
    for part in parts:
        if isinstance(part, TextPart) and part.text:
            told.append(AgentText(part.text, now))
        elif isinstance(part, ReasoningPart) and part.text:
            told.append(AgentReasoning(part.text, now))
    return told


def result_event(result: ToolResult) -> AgentToolResult:
    """Tell a result as a screen shows it: its text, and the first picture."""
    failed = True if result.kind == "error" or result.is_error else None
    if result.kind != "multimodal":
        text = compact(result.value) if result.kind == "data" else result.value
        return AgentToolResult(result.name, text, result.tool_call_id, failed)
    text = "".join(part.text for part in result.value if isinstance(part, TextPart))
    pictures: list[Any] = [part.data for part in result.value if isinstance(part, ImagePart) and part.data]
    return AgentToolResult(result.name, text, result.tool_call_id, failed, pictures[0] if pictures else None)
