"""Encode the arguments of calls as the lowered schemas of their tools require, and decode them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..json_text import dump_allowing_nan
from ..json_values import copy_json, is_too_deep, same_json
from ..models import InvalidCall, OpaquePart, ToolCall, ToolDefinition
from .encoding import Encoding
from .extras import NO_EXTRAS, Extras, inner_extras, merge_extras_into
from .wire import ProviderWire

__all__ = ["LoweredArgumentCodec"]


class LoweredArgumentCodec:
    """The argument encodings of tools: of those given, otherwise of the declared ones unless the body redefines them.

    The encoding depends on whether a tool is strict: as the body that is read offers it (`offered`), else as the given
    tools are written together, else as the build decided. Absent properties become null only in calls of given tools:
    no model is bound by the schema of a tool that the request does not offer.
    """

    __slots__ = ("_coercions", "_found", "_given", "_offered", "_redefined", "_strict_flags", "_wire")

    def __init__(
        self,
        wire: ProviderWire,
        tools: Iterable[ToolDefinition | OpaquePart] | None,
        offered: Mapping[str, bool] | None = None,
        redefined: Collection[str] = (),
    ) -> None:
        self._wire = wire
        self._given = {tool.name: tool for tool in tools or () if type(tool) is ToolDefinition}
        self._offered = offered or {}
        self._redefined = redefined
        self._strict_flags: dict[str, bool | None] | None = None
        self._found: dict[str, Encoding | None] = {}
        self._coercions: dict[str, Encoding | None] = {}

    def encoding_of(self, name: str) -> Encoding | None:
        """Return the encoding of a tool's arguments. None if values are the same on both sides."""
        if name not in self._found:
            self._found[name] = self._encoding(name)
        return self._found[name]

    def _encoding(self, name: str) -> Encoding | None:
        given = self._given.get(name)
        strict = self._offered.get(name)
        if given is not None:
            extras = (given.metadata or {}).get(self._wire.name)
            strictness = self._strictness(name) if strict is None else strict
            table = self._wire.schema_lowering.encoding_table(given.parameters, strictness, extras)
            return None if table is None else Encoding(table)
        if name in self._redefined:
            return None
        if strict is None or strict == (name in self._wire.strict):
            return self._wire.encodings.get(name)
        definition = self._wire.declared.definitions.get(name)
        if definition is None or definition.parameters is None:
            return None
        table = self._wire.schema_lowering.encoding_table(definition.parameters, strict, None)
        return None if table is None else Encoding(table)

    def _strictness(self, name: str) -> bool | None:
        """Return whether one of the given tools is written as strict, together with the others."""
        if not self._wire.schema_lowering.per_request:  # the limits are not shared with the others
            return self._wire.strictness(self._given[name], {})
        if self._strict_flags is None:
            budget_used: dict[str, int] = {}
            offered = [tool for name, tool in self._given.items() if name not in self._wire.refused]
            self._strict_flags = {tool.name: self._wire.strictness(tool, budget_used) for tool in offered}
        return self._strict_flags.get(name)

    def coercions_of(self, name: str) -> Encoding | None:
        """Return the coercions of a tool's arguments. None if nothing is known about the tool."""
        given = self._given.get(name)
        if given is None:
            return None if name in self._redefined else self._wire.coercions.get(name)
        if name not in self._coercions:
            from ..lowering.coercion import coercions

            table = coercions(given.parameters) if given.parameters else None
            self._coercions[name] = None if table is None else Encoding(table)
        return self._coercions[name]

    def decode_call(self, call: ToolCall) -> ToolCall:
        """Decode the arguments of a call. The original ones are kept if they differ or would be written differently."""
        if call.invalid is not None:
            return call
        encoding, coercion = self.encoding_of(call.name), self.coercions_of(call.name)
        if encoding is None and coercion is None:
            return call
        encoded = call.arguments
        arguments = _decoded(encoded, encoding, coercion)
        if arguments is encoded:
            ours = encoded if encoding is None else encoding.encode(encoded, call.name in self._given)
            if ours is encoded or same_json(ours, encoded):
                return call
        else:
            arguments = copy_json(arguments)
        merge_extras_into(
            call, self._wire.name, {"$arguments": encoded, **self._decoded_extra(call.name, encoded, arguments)}
        )
        call.arguments = arguments
        return call

    def encode_call(self, call: ToolCall) -> tuple[ToolCall, bool]:
        """Return a call with encoded arguments, and whether decoding them would restore the same arguments."""
        encoding = self.encoding_of(call.name)
        extras = inner_extras(call.metadata, self._wire.name) if call.metadata else NO_EXTRAS
        if type(extras.get("$arguments")) is dict and self._mean_the_same(extras, call, encoding):
            encoded = extras["$arguments"]
        elif encoding is None:
            return call, True
        else:
            encoded = encoding.encode(call.arguments, call.name in self._given)
            if is_too_deep(encoded) or not same_json(encoding.decode(encoded), call.arguments):
                return replace(call, arguments=encoded), False
        invalid = call.invalid
        if invalid is not None and call.arguments and invalid.text == dump_allowing_nan(call.arguments):
            invalid = InvalidCall(dump_allowing_nan(encoded), invalid.reason)
        return replace(call, arguments=encoded, invalid=invalid), True

    def _decoded_extra(self, name: str, encoded: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
        """Return `$meant`, the decoded value, for the extras. Empty if the declared tool decodes to the same value."""
        declared, coercion = self._wire.encodings.get(name), self._wire.coercions.get(name)
        if self.encoding_of(name) is declared and self.coercions_of(name) is coercion:
            return {}
        from copy import deepcopy  # imported here, because few calls need it

        return {} if same_json(_decoded(encoded, declared, coercion), arguments) else {"$meant": deepcopy(arguments)}

    def _mean_the_same(self, extras: Extras, call: ToolCall, encoding: Encoding | None) -> bool:
        """Return whether arguments in extras mean those of a call, by `$meant`, its own tool or the declared one."""
        name, encoded = call.name, extras["$arguments"]
        if "$meant" in extras:
            return same_json(extras["$meant"], call.arguments)
        codecs = (
            (encoding, self.coercions_of(name)),
            (self._wire.encodings.get(name), self._wire.coercions.get(name)),
        )
        return any(same_json(_decoded(encoded, *codec), call.arguments) for codec in codecs)


def _decoded(value: dict[str, Any], encoding: Encoding | None, coercion: Encoding | None) -> dict[str, Any]:
    """Decode and coerce arguments. Return the same object if nothing changes or the result is not a valid object."""
    found: Any = value if encoding is None else encoding.decode(value)
    found = found if coercion is None else coercion.decode(found)
    return value if found is value or type(found) is not dict or is_too_deep(found) else found
