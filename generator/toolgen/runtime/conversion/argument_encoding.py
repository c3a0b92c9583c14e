"""The arguments of calls, spelled as the lowered schema of their tool has them, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..json_text import dump_lenient
from ..json_values import copy_json, is_too_deep, same_json
from ..lazy_dataclass import replace
from ..models import InvalidCall, OpaquePart, ToolCall, ToolDefinition
from .encoding import Encoding
from .extras import NOTHING, Extras, add_extras, inner_extras
from .wire import ProviderWire

__all__ = ["ArgumentEncodings"]


class ArgumentEncodings:
    """How the arguments of each tool are encoded: of the tools that are given, else of those declared.

    Whether a tool is strict decides it: as a body that is read offers it (`offered`), else as these tools would go out together,
    else as the build settled it. Absent properties become null in calls of the tools that are given alone: a request that
    does not offer a tool holds no model to its schema.
    """

    __slots__ = ("_found", "_given", "_lenient", "_offered", "_settled", "_wire")

    def __init__(
        self,
        wire: ProviderWire,
        tools: Iterable[ToolDefinition | OpaquePart] | None,
        offered: Mapping[str, bool] | None = None,
    ) -> None:
        self._wire = wire
        self._given = {tool.name: tool for tool in tools or () if type(tool) is ToolDefinition}
        self._offered = offered or {}
        self._settled: dict[str, bool | None] | None = None
        self._found: dict[str, Encoding | None] = {}
        self._lenient: dict[str, Encoding | None] = {}

    def encoding_of(self, name: str) -> Encoding | None:
        """How the arguments of a tool are encoded; None where values are the same on both sides."""
        if name not in self._found:
            self._found[name] = self._encoding(name)
        return self._found[name]

    def _encoding(self, name: str) -> Encoding | None:
        given = self._given.get(name)
        strict = self._offered.get(name)
        if given is not None:
            kept = (given.metadata or {}).get(self._wire.name)
            settled = self._strictness(name) if strict is None else strict
            table = self._wire.lowerings.encoding_table(given.parameters, settled, kept)
            return None if table is None else Encoding(table)
        if strict is None or strict == (name in self._wire.strict):
            return self._wire.encodings.get(name)
        definition = self._wire.declared.definitions.get(name)
        if definition is None or definition.parameters is None:
            return None
        table = self._wire.lowerings.encoding_table(definition.parameters, strict, None)
        return None if table is None else Encoding(table)

    def _strictness(self, name: str) -> bool | None:
        """Whether one of the given tools goes out strict beside the others."""
        if not self._wire.lowerings.per_request:  # the others take no room of it
            return self._wire.strictness(self._given[name], {})
        if self._settled is None:
            budget_used: dict[str, int] = {}
            offered = [tool for name, tool in self._given.items() if name not in self._wire.refused]
            self._settled = {tool.name: self._wire.strictness(tool, budget_used) for tool in offered}
        return self._settled.get(name)

    def leniency_of(self, name: str) -> Encoding | None:
        """What is meant where a model says otherwise; None for a tool of which nothing is known."""
        given = self._given.get(name)
        if given is None:
            return self._wire.lenient.get(name)
        if name not in self._lenient:
            from ..lowering.coercion import coercions

            table = coercions(given.parameters) if given.parameters else None
            self._lenient[name] = None if table is None else Encoding(table)
        return self._lenient[name]

    def decode_call(self, call: ToolCall) -> ToolCall:
        """Decode the arguments of a call; they are kept as they came where that, or our own writing, differs."""
        if call.invalid is not None:
            return call
        encoding, lenient = self.encoding_of(call.name), self.leniency_of(call.name)
        if encoding is None and lenient is None:
            return call
        spelled = call.arguments
        arguments = _decoded(spelled, encoding, lenient)
        if arguments is spelled:
            ours = spelled if encoding is None else encoding.encode(spelled, call.name in self._given)
            if ours is spelled or same_json(ours, spelled):
                return call
        else:
            arguments = copy_json(arguments)
        add_extras(call, self._wire.name, {"$arguments": spelled, **self._meant(call.name, spelled, arguments)})
        call.arguments = arguments
        return call

    def encode(self, call: ToolCall) -> tuple[ToolCall, bool]:
        """A call with its arguments as the wire has them, and whether they would come back as they are."""
        encoding = self.encoding_of(call.name)
        kept = inner_extras(call.metadata, self._wire.name) if call.metadata else NOTHING
        if type(kept.get("$arguments")) is dict and self._says(kept, call, encoding):
            spelled = kept["$arguments"]
        elif encoding is None:
            return call, True
        else:
            spelled = encoding.encode(call.arguments, call.name in self._given)
            if is_too_deep(spelled) or not same_json(encoding.decode(spelled), call.arguments):
                return replace(call, arguments=spelled), False
        invalid = call.invalid
        if invalid is not None and call.arguments and invalid.text == dump_lenient(call.arguments):
            invalid = InvalidCall(dump_lenient(spelled), invalid.reason)
        return replace(call, arguments=spelled, invalid=invalid), True

    def _meant(self, name: str, spelled: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
        """What has to be kept beside a spelling, for it to be known again: what it meant, where the declared tool does not say that."""
        declared, lenient = self._wire.encodings.get(name), self._wire.lenient.get(name)
        if self.encoding_of(name) is declared and self.leniency_of(name) is lenient:
            return {}
        from copy import deepcopy  # late: few calls have their meaning kept

        return {} if same_json(_decoded(spelled, declared, lenient), arguments) else {"$meant": deepcopy(arguments)}

    def _says(self, extras: Extras, call: ToolCall, encoding: Encoding | None) -> bool:
        """Whether kept arguments mean those of a call: as was noted, or as its own tool or the declared one has them."""
        name, spelled = call.name, extras["$arguments"]
        if "$meant" in extras:
            return same_json(extras["$meant"], call.arguments)
        ways = ((encoding, self.leniency_of(name)), (self._wire.encodings.get(name), self._wire.lenient.get(name)))
        return any(same_json(_decoded(spelled, *way), call.arguments) for way in ways)


def _decoded(value: dict[str, Any], encoding: Encoding | None, lenient: Encoding | None) -> dict[str, Any]:
    """A value of the wire as the source has it: the value itself where nothing differs, or nothing fits."""
    found: Any = value if encoding is None else encoding.decode(value)
    found = found if lenient is None else lenient.decode(found)
    return value if found is value or type(found) is not dict or is_too_deep(found) else found
