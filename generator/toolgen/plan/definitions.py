"""A declared tool as the format's ToolDefinition."""

from __future__ import annotations

from typing import Any

from toolgen.resolve import Tool

STRICT: dict[str, bool | None] = {"auto": None, "always": True, "never": False}
"""What `strict` of a declaration says to every provider; `auto` leaves it to the provider's lowering."""

BEYOND = ("annotations", "display_name")
"""What a declaration says of a tool for any wire that has a key for it; `declared` of a profile names the key."""


def definition_facts(tool: Tool) -> dict[str, Any]:
    """The fields of the ToolDefinition that have a value, in the order of the type."""
    facts = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": STRICT[tool.strict],
        "result": tool.result,
        "metadata": _metadata(tool) or None,
    }
    return {key: value for key, value in facts.items() if value is not None}


def _metadata(tool: Tool) -> dict[str, Any]:
    """What the declaration says beyond the definition, and of single providers, as the runtime's `write_offered` reads it.

    Another name is no part of it: a wire's names are mapped both ways, in results and choices too.
    """
    found: dict[str, dict[str, Any]] = {}
    aliases = {"$aliases": list(tool.aliases)} if tool.aliases else {}  # for readers of calls in text
    beyond = {f"${key}": value for key in BEYOND if (value := getattr(tool, key)) is not None}
    found["declaration"] = {**aliases, **beyond, "$strict": tool.strict}  # `auto` is settled for each wire
    for provider, patch in sorted(tool.providers.items()):
        entry: dict[str, Any] = {}
        if "description" in patch:
            entry["$description"] = patch["description"]
        rest = {key: value for key, value in patch.items() if key not in ("name", "description")}
        if rest:
            entry["$patch"] = rest
        if entry:
            found[provider] = entry
    return found
