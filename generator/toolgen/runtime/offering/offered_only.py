"""A choice of tools on a wire that names none: no other tool is offered."""

from __future__ import annotations

from typing import Any

from ...models import AllowedToolChoice, NamedToolChoice, ToolChoice
from ..conversion.writer import Writer

__all__ = ["offered_only"]


def offered_only(choice: ToolChoice | None, entries: list[Any], writer: Writer) -> tuple[list[Any], bool]:
    """The entries that a choice names, and whether one of them must be called; all where it names none of them."""
    if type(choice) is NamedToolChoice:
        names, forced = [choice.name], True
    elif type(choice) is AllowedToolChoice:
        names, forced = choice.names, choice.mode == "required"
    else:
        return entries, False
    spelled = {writer.wire.spelling(name) for name in names}
    named = [entry for entry in entries if _name(entry) in spelled]
    return (named, forced) if named else (entries, False)


def _name(entry: Any) -> Any:
    function = entry.get("function") if type(entry) is dict else None
    return function.get("name") if type(function) is dict else None
