"""What an API wants of turns: the system's is one, and the first; what is thought before calls is the plan for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...conversion.extras import inner_extras
from ...conversion.writer import Writer
from ...message_order import Placed
from ...models import AssistantPart, OpaquePart, ReasoningPart, SystemMessage, ToolCallPart

__all__ = ["add_to_turn", "plan_place", "system_first"]


def system_first(placed: list[Placed], writer: Writer) -> list[Placed]:
    """The messages with those of the system before all others; one that came from this wire at its place stays there."""
    first: list[Placed] = []
    others: list[Placed] = []
    for i, entry in enumerate(placed):
        message = entry[0]
        if type(message) is not SystemMessage or writer.kept_extras(message.metadata).get("$inline"):
            others.append(entry)
            continue
        if i > 0:
            writer.report_loss(entry[1], "a system message", "moved", "note", "the system's turn is one, and the first")
        if len(first) == 1:
            writer.report_loss((first[0][1], "content"), "content", "rewritten", "note", "the system's turn is one")
        first.append(entry)
    return [*first, *others]


def add_to_turn(turn: dict[str, Any], more: dict[str, Any]) -> None:
    """Add the content of a message to that of the one before it."""
    content: list[Any] = []
    for wire in (turn, more):
        said = wire["content"]
        content += said if type(said) is list else [{"type": "text", "text": said}] if said else []
    turn["content"] = content


def plan_place(parts: Sequence[AssistantPart], provider: str) -> int | None:
    """The place of the reasoning that is the plan: what came as it, else the last before calls, unless it was content."""
    thoughts: list[int] = []
    calls = False
    for i, part in enumerate(parts):
        if type(part) is ReasoningPart and part.text:
            key = inner_extras(part.metadata or {}, provider).get("$key")
            if key == "tool_plan":
                return i
            if not calls:
                thoughts = [i] if key is None else []
        calls = calls or _is_call(part, provider)
    return thoughts[0] if thoughts and calls else None


def _is_call(part: AssistantPart, provider: str) -> bool:
    if type(part) is OpaquePart and part.provider == provider:
        return inner_extras(part.metadata or {}, provider).get("$key") == "tool_calls"
    return type(part) is ToolCallPart
