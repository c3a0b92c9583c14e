"""Encode the arguments of calls as the lowered schemas of their tools require, and decode them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..json_text import dump_allowing_nan
from ..json_values import copy_json, is_too_deep, same_json
from ..models import InvalidCall, OpaquePart, ToolCall, ToolDefinition
from .encoding import Encoding
from .extras import Extras, inner_extras, merge_extras_into
from .strict_mode import StrictDecision
from .wire import ProviderWire

__all__ = ["LoweredArgumentCodec"]


class LoweredArgumentCodec:
    """The argument encodings of tools: of those given, otherwise of the declared ones unless the body redefines them.

    The encoding depends on whether a tool is strict: as the body that is read offers it (`offered`), else as the given
    tools are written together, else as the build decided. Absent properties become null only in calls of given tools:
    no model is bound by the schema of a tool that the request does not offer.
    """

    __slots__ = ("_coercions", "_definitions", "_encodings", "_offered", "_redefined", "_strict_decisions", "_wire")

    def __init__(
        self,
        wire: ProviderWire,
        tools: Iterable[ToolDefinition | OpaquePart] | None,
        offered: Mapping[str, bool] | None = None,
        redefined: Collection[str] = (),
    ) -> None:
        self._wire = wire
        self._definitions: dict[str, ToolDefinition] = {}
        for tool in tools or ():
            if type(tool) is ToolDefinition:
                self._definitions.setdefault(tool.name, tool)
        self._offered = offered or {}
        self._redefined = redefined
        self._strict_decisions: dict[str, StrictDecision] | None = None
        self._encodings: dict[str, Encoding | None] = {}
        self._coercions: dict[str, Encoding | None] = {}

    def encoding_of(self, name: str) -> Encoding | None:
        """Return the encoding of a tool's arguments. None if values are the same on both sides."""
        if name not in self._encodings:
            self._encodings[name] = self._encoding(name)
        return self._encodings[name]

    def _encoding(self, name: str) -> Encoding | None:
        """Return the encoding of a tool that was given or that the package declares. None if it has none."""
        definition, strict = self._definitions.get(name), self._offered.get(name)
        if definition is not None:
            extras = (definition.metadata or {}).get(self._wire.name)
            return self._encoding_for(definition, self.strictness(definition) if strict is None else strict, extras)
        if name in self._redefined:
            return None
        if strict is None or strict == (name in self._wire.strict):
            return self._wire.encodings.get(name)
        declared = self._wire.declared.definitions.get(name)
        return None if declared is None else self._encoding_for(declared, strict, None)

    def _encoding_for(self, definition: ToolDefinition, strict: bool | None, extras: Any) -> Encoding | None:
        table = self._wire.schema_lowering.encoding_table(definition.parameters, strict, extras)
        return None if table is None else Encoding(table)

    def strictness(self, tool: ToolDefinition) -> bool | None:
        """Return whether a tool is written as strict, together with the others if it is one of those that were given."""
        if not self._wire.schema_lowering.per_request or self._definitions.get(tool.name) is not tool:
            return self._wire.strictness(tool)
        if self._strict_decisions is None:
            self._strict_decisions = self._wire.strict_decisions(self._definitions.values())
        decision = self._strict_decisions.get(tool.name)
        return None if decision is None else decision.strict

    def coercions_of(self, name: str) -> Encoding | None:
        """Return the coercions of a tool's arguments. None if nothing is known about the tool."""
        definition = self._definitions.get(name)
        if definition is None:
            return None if name in self._redefined else self._wire.coercions.get(name)
        if name not in self._coercions:
            from ..lowering.coercion import coercions

            table = coercions(definition.parameters) if definition.parameters else None
            self._coercions[name] = None if table is None else Encoding(table)
        return self._coercions[name]

    def decode_call(self, call: ToolCall) -> ToolCall:
        """Decode the arguments of a call, which is changed. The original ones are kept if they would not be written again."""
        if call.invalid is not None:
            return call
        encoding, coercion = self.encoding_of(call.name), self.coercions_of(call.name)
        if encoding is None and coercion is None:
            return call
        encoded = call.arguments
        arguments = _decoded(encoded, encoding, coercion)
        if arguments is encoded:
            written = encoded if encoding is None else encoding.encode(encoded, call.name in self._definitions)
            if written is encoded or same_json(written, encoded):
                return call
        else:
            arguments = copy_json(arguments)
        extra: Extras = {"encoded": encoded}
        if not self._decodes_as_declared(call.name) and not same_json(
            self._decoded_as_declared(call.name, encoded), arguments
        ):
            extra["decoded"] = copy_json(arguments)
        merge_extras_into(call, self._wire.name, {"$arguments": extra})
        call.arguments = arguments
        return call

    def encode_call(self, call: ToolCall) -> tuple[ToolCall, bool]:
        """Return a call with encoded arguments, and whether decoding them would restore the same arguments."""
        encoding = self.encoding_of(call.name)
        original = self._original_arguments(call, encoding)
        if original is not None:
            encoded = original
        elif encoding is None:
            return call, True
        else:
            encoded = encoding.encode(call.arguments, call.name in self._definitions)
            if is_too_deep(encoded) or not same_json(encoding.decode(encoded), call.arguments):
                return replace(call, arguments=encoded), False
        invalid = call.invalid
        if invalid is not None and call.arguments and invalid.text == dump_allowing_nan(call.arguments):
            invalid = InvalidCall(dump_allowing_nan(encoded), invalid.reason)
        return replace(call, arguments=encoded, invalid=invalid), True

    def _original_arguments(self, call: ToolCall, encoding: Encoding | None) -> dict[str, Any] | None:
        """Return the encoded arguments that a call was read from. None if they no longer mean those of the call.

        Their meaning is stored beside them if it differs from what the declared tool would decode.
        """
        extra = inner_extras(inner_extras(call.metadata or {}, self._wire.name), "$arguments")
        encoded = extra.get("encoded")
        if type(encoded) is not dict:
            return None
        if "decoded" in extra:
            meanings = [extra["decoded"]]
        else:
            decoded = _decoded(encoded, encoding, self.coercions_of(call.name))
            meanings = [decoded, self._decoded_as_declared(call.name, encoded)]
        return encoded if any(same_json(meaning, call.arguments) for meaning in meanings) else None

    def _decodes_as_declared(self, name: str) -> bool:
        """Return whether the arguments of a tool are decoded like those of the declared tool of that name."""
        declared, coercion = self._wire.encodings.get(name), self._wire.coercions.get(name)
        return self.encoding_of(name) is declared and self.coercions_of(name) is coercion

    def _decoded_as_declared(self, name: str, encoded: dict[str, Any]) -> dict[str, Any]:
        return _decoded(encoded, self._wire.encodings.get(name), self._wire.coercions.get(name))


def _decoded(encoded: dict[str, Any], encoding: Encoding | None, coercion: Encoding | None) -> dict[str, Any]:
    """Decode and coerce arguments. Return the same object if nothing changes or the result is not a valid object."""
    decoded: Any = encoded if encoding is None else encoding.decode(encoded)
    decoded = decoded if coercion is None else coercion.decode(decoded)
    return encoded if type(decoded) is not dict or is_too_deep(decoded) else decoded
