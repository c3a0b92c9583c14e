"""The arguments of calls, spelled as the lowered schema of their tool has them, and back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..models import InvalidCall, OpaquePart, ToolCall, ToolDefinition
from .json_text import loose, same
from .lowering.spelling import back, forth
from .residue import add_residue, within
from .wire import Wire

__all__ = ["Tables"]


class Tables:
    """How the arguments of each tool are spelled: of the tools that are given, else of those declared.

    A request says which tools it offers (`tools` is not None), and holds no model to the schema of any other.
    """

    __slots__ = ("_declared", "_found", "_given", "_offers", "_wire")

    def __init__(self, wire: Wire, tools: Iterable[ToolDefinition | OpaquePart] | None) -> None:
        self._wire = wire
        self._declared = wire.spellings
        self._offers = tools is not None
        self._given = {tool.name: tool for tool in tools or () if type(tool) is ToolDefinition}
        self._found: dict[str, Any] = {}

    def of(self, name: str) -> dict[str, Any] | None:
        """The table of a tool; None where values are the same on both sides."""
        if name not in self._given:
            return self._declared.get(name)
        if name not in self._found:
            self._found[name] = self._wire.spelling_of(self._given[name])
        found: dict[str, Any] | None = self._found[name]
        return found

    def read(self, call: ToolCall) -> ToolCall:
        """Spell the arguments of a call back; they are kept as they came where that, or our own writing, differs."""
        table = self.of(call.name)
        declared = self._declared.get(call.name)
        if (table is None and declared is None) or call.invalid is not None:
            return call
        spelled = call.arguments
        arguments = spelled if table is None else back(spelled, table)
        ours = arguments if declared is None else forth(arguments, declared)
        if not same(arguments, spelled) or not same(ours, spelled):
            add_residue(call, self._wire.name, {"$arguments": spelled})
        call.arguments = arguments
        return call

    def written(self, call: ToolCall) -> tuple[ToolCall, bool]:
        """A call with its arguments as the wire has them, and whether they would come back as they are."""
        table = self.of(call.name)
        kept = within(call.metadata or {}, self._wire.name).get("$arguments") if call.metadata else None
        if type(kept) is dict and any(
            one is not None and same(back(kept, one), call.arguments) for one in (table, self._declared.get(call.name))
        ):
            spelled = kept
        elif table is None:
            return call, True
        else:
            spelled = forth(call.arguments, table, fill=not self._offers or call.name in self._given)
            if not same(back(spelled, table), call.arguments):
                return replace(call, arguments=spelled), False
        invalid = call.invalid
        if invalid is not None and call.arguments and invalid.text == loose(call.arguments):
            invalid = InvalidCall(loose(spelled), invalid.reason)
        return replace(call, arguments=spelled, invalid=invalid), True
