"""A declared tool as the format's ToolDefinition."""

from __future__ import annotations

from typing import Any

from toolgen.resolve import Tool

STRICT: dict[str, bool | None] = {"auto": None, "always": True, "never": False}
"""What `strict` of a declaration says to every provider; `auto` leaves it to the provider's lowering."""


def definition_facts(tool: Tool) -> dict[str, Any]:
    """The fields of the ToolDefinition that have a value, in the order of the type."""
    facts = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": STRICT[tool.strict],
        "result": tool.result,
    }
    return {key: value for key, value in facts.items() if value is not None}
