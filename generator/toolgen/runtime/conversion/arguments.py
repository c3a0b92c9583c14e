"""The arguments of calls, spelled as the lowered schema of their tool has them, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

from ..json_text import loose, same, too_deep
from ..lowering.leniency import leniency
from ..models import InvalidCall, OpaquePart, ToolCall, ToolDefinition
from .encoding import decode_value, encode_value
from .residue import NOTHING, Residue, add_residue, within
from .wire import Wire

__all__ = ["Tables"]


class Tables:
    """How the arguments of each tool are spelled: of the tools that are given, else of those declared.

    Whether a tool is strict decides it: as a body that is read offers it (`offered`), else as these tools would go out together,
    else as the build settled it. Absent properties become null in calls of the tools that are given alone: a request that
    does not offer a tool holds no model to its schema.
    """

    __slots__ = ("_declared", "_found", "_given", "_lenient", "_offered", "_settled", "_wire")

    def __init__(
        self,
        wire: Wire,
        tools: Iterable[ToolDefinition | OpaquePart] | None,
        offered: Mapping[str, bool] | None = None,
    ) -> None:
        self._wire = wire
        self._declared = wire.spellings
        self._given = {tool.name: tool for tool in tools or () if type(tool) is ToolDefinition}
        self._offered = offered or {}
        self._settled: dict[str, bool | None] | None = None
        self._found: dict[str, Any] = {}
        self._lenient: dict[str, Any] = {}

    def of(self, name: str) -> dict[str, Any] | None:
        """The table of a tool; None where values are the same on both sides."""
        if name not in self._found:
            self._found[name] = self._table(name)
        found: dict[str, Any] | None = self._found[name]
        return found

    def _table(self, name: str) -> dict[str, Any] | None:
        lowerings = self._wire.lowerings
        given = self._given.get(name)
        strict = self._offered.get(name)
        if given is not None:
            kept = (given.metadata or {}).get(self._wire.name)
            return lowerings.spelling(given.parameters, self._strictness(name) if strict is None else strict, kept)
        if strict is None or strict == (name in self._wire.strict):
            return self._declared.get(name)
        definition = self._wire.declared.definitions.get(name)
        if definition is None or definition.parameters is None:
            return None
        return lowerings.spelling(definition.parameters, strict, None)

    def _strictness(self, name: str) -> bool | None:
        """Whether one of the given tools goes out strict beside the others."""
        if not self._wire.lowerings.per_request:  # the others take no room of it
            return self._wire.strictness(self._given[name], {})
        if self._settled is None:
            spent: dict[str, int] = {}
            offered = [tool for name, tool in self._given.items() if name not in self._wire.refused]
            self._settled = {tool.name: self._wire.strictness(tool, spent) for tool in offered}
        return self._settled.get(name)

    def lenient(self, name: str) -> dict[str, Any] | None:
        """The table of what is meant where a model says otherwise; None for a tool of which nothing is known."""
        given = self._given.get(name)
        if given is None:
            found: dict[str, Any] | None = self._wire.declared.leniency.get(name)
            return found
        if name not in self._lenient:
            self._lenient[name] = leniency(given.parameters) if given.parameters else None
        made: dict[str, Any] | None = self._lenient[name]
        return made

    def read(self, call: ToolCall) -> ToolCall:
        """Spell the arguments of a call back; they are kept as they came where that, or our own writing, differs."""
        if call.invalid is not None:
            return call
        table, lenient = self.of(call.name), self.lenient(call.name)
        if table is None and lenient is None:
            return call
        spelled = call.arguments
        arguments = _decoded(spelled, table, lenient)
        ours = arguments if table is None else encode_value(arguments, table, fill=call.name in self._given)
        if not same(arguments, spelled) or not same(ours, spelled):
            add_residue(call, self._wire.name, {"$arguments": spelled, **self._meant(call.name, spelled, arguments)})
        call.arguments = arguments
        return call

    def written(self, call: ToolCall) -> tuple[ToolCall, bool]:
        """A call with its arguments as the wire has them, and whether they would come back as they are."""
        table = self.of(call.name)
        kept = within(call.metadata, self._wire.name) if call.metadata else NOTHING
        if type(kept.get("$arguments")) is dict and self._says(kept, call, table):
            spelled = kept["$arguments"]
        elif table is None:
            return call, True
        else:
            spelled = encode_value(call.arguments, table, fill=call.name in self._given)
            if too_deep(spelled) or not same(decode_value(spelled, table), call.arguments):
                return replace(call, arguments=spelled), False
        invalid = call.invalid
        if invalid is not None and call.arguments and invalid.text == loose(call.arguments):
            invalid = InvalidCall(loose(spelled), invalid.reason)
        return replace(call, arguments=spelled, invalid=invalid), True

    def _meant(self, name: str, spelled: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
        """What has to be kept beside a spelling, for it to be known again: what it meant, where the declared tool's tables do not say that."""
        said = _decoded(spelled, self._declared.get(name), self._wire.declared.leniency.get(name))
        return {} if same(said, arguments) else {"$meant": deepcopy(arguments)}

    def _says(self, kept: Residue, call: ToolCall, table: dict[str, Any] | None) -> bool:
        """Whether kept arguments mean those of a call: as was noted, or by the tables of its own tool or of the declared one."""
        name, spelled = call.name, kept["$arguments"]
        if "$meant" in kept:
            return same(kept["$meant"], call.arguments)
        ways = ((table, self.lenient(name)), (self._declared.get(name), self._wire.declared.leniency.get(name)))
        return any(same(_decoded(spelled, *way), call.arguments) for way in ways)


def _decoded(value: dict[str, Any], table: dict[str, Any] | None, lenient: dict[str, Any] | None) -> dict[str, Any]:
    found: Any = value if table is None else decode_value(value, table)
    found = found if lenient is None else decode_value(found, lenient)
    return found if type(found) is dict and not too_deep(found) else value
