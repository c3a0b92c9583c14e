"""One conversion into the format: ids, names and extras of what was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

from ..errors import ConversionError, wrong_type
from ..json_text import JSONError, dump_deep, dump_lenient
from ..json_values import is_deep, is_too_deep
from ..models import InvalidCall, OpaquePart, ToolCall, ToolDefinition
from ..paths import Path
from .extras import ABSENT, NOTHING, Extras
from .wire import ProviderWire, synthetic_id

if TYPE_CHECKING:
    from .argument_encoding import ArgumentEncodings

__all__ = ["Reader"]


class Reader:
    """State of one call of a `from_*` function. `turn` counts the assistant messages before the one being read.

    `_regular` are the calls of the turn, by id, that wait to be noted: most answers are read without a need for it.
    """

    __slots__ = (
        "_called",
        "_offered",
        "_open",
        "_regular",
        "_tables",
        "position",
        "tool_names",
        "tools",
        "turn",
        "used",
        "wire",
    )

    def __init__(self, wire: ProviderWire, turn: int = 0, tools: Iterable[ToolDefinition | OpaquePart] = ()) -> None:
        self.wire = wire
        self.turn = turn
        self.position = 0
        self.used: set[str] = set()
        self.tools = tools = tools if type(tools) is tuple else tuple(tools)
        self.tool_names = wire.tool_names if not tools else wire.tool_names | _spoken_of(tools, wire)
        self._called: dict[str, tuple[str, str, int]] = {}
        self._offered: Mapping[str, bool] = NOTHING
        self._open: list[tuple[int, ToolCall]] = []
        self._regular: dict[str, ToolCall] = {}
        self._tables: ArgumentEncodings | None = None

    def metadata(self, extras: Extras | None) -> dict[str, Any] | None:
        """The metadata that keeps extras; none where there is nothing to keep."""
        return {self.wire.name: extras} if extras else None

    def decode_call(self, call: ToolCall) -> ToolCall:
        """A call with its arguments as the tool's own schema has them; deeper than JSON text is read, it cannot be run.

        Raises:
            ConversionError: The arguments contain themselves.
        """
        return _unread(call) if is_too_deep(call.arguments) else self.decode_parsed_call(call)

    def decode_parsed_call(self, call: ToolCall) -> ToolCall:
        """A call as `decode_call` gives it, whose arguments were parsed from a text, so that they are not too deep."""
        known = not self.tools and call.name not in self._offered
        if known and (call.name not in self.wire.encoded or self.wire.is_plain(call)):
            return call
        if self._tables is None:
            from .argument_encoding import ArgumentEncodings

            self._tables = ArgumentEncodings(self.wire, self.tools, self._offered)
        return self._tables.decode_call(call)

    def set_offered_tools(self, tools: Iterable[ToolDefinition | OpaquePart] | None) -> None:
        """The body that is read offers these tools: what it says of them goes before what the build or `tools` would say."""
        if self.wire.has_strict:
            self._offered = {tool.name: tool.strict is True for tool in tools or () if type(tool) is ToolDefinition}

    def tool_name(self, name: str) -> str:
        """A tool's own name for its spelling on this wire."""
        return self.tool_names.get(name, name)

    def call_id(self, found: Any, at: Path) -> tuple[str, Any]:
        """The id of a call, and the wire's spelling where it differs.

        An id that is missing, blank or used before is made from turn and position.

        Raises:
            ConversionError: The value is neither a string nor null.
        """
        if self._regular:
            self.note_regular()
        position = self.position
        self.position = position + 1
        if found is not None and found is not ABSENT and type(found) is not str:
            raise wrong_type(at, "a string", found)
        if found and found not in self.used and not found.isspace():
            self.used.add(found)
            return found, ABSENT
        made = synthetic_id(self.turn, position)
        while made in self.used:
            made += "_"
        self.used.add(made)
        return made, found

    def unchanged_call(
        self, identifier: Any, name: Any, arguments: dict[str, Any], extras: Extras | None = None
    ) -> ToolCall | None:
        """Return a call whose id and name are the same in the format, with its extras; None if one of them differs."""
        if self._regular:
            self.note_regular()
        if type(name) is not str or name in self.tool_names or type(identifier) is not str:
            return None
        if not identifier or identifier in self.used or identifier.isspace():
            return None
        self.used.add(identifier)
        self.position += 1
        call = ToolCall(identifier, name, arguments, None, self.metadata(extras))
        if name in self.wire.encoded or self.tools or name in self._offered or is_deep(arguments):
            return self.decode_call(call)
        return call

    def take_call(
        self,
        identifier: Any,
        name: Any,
        arguments: dict[str, Any],
        extras: Extras | None = None,
        invalid: InvalidCall | None = None,
        *,
        parsed: bool = False,
    ) -> ToolCall | None:
        """Return a call as `unchanged_call` does, and note it for its result.

        Arguments that were `parsed` from a text are not too deep.
        """
        if type(name) is not str or name in self.tool_names or type(identifier) is not str:
            return None
        if not identifier or identifier in self._regular or identifier in self.used or identifier in self._called:
            return None
        if identifier.isspace():
            return None
        call = self._regular[identifier] = ToolCall(identifier, name, arguments, invalid, self.metadata(extras))
        known = not self.tools and name not in self._offered
        if known and (name not in self.wire.encoded or self.wire.is_plain(call)) and (parsed or not is_deep(arguments)):
            return call
        return self.decode_parsed_call(call) if parsed else self.decode_call(call)

    def note_regular(self) -> None:
        """Note the calls that wait for it."""
        found, self._regular = self._regular, {}
        for identifier, call in found.items():
            self.used.add(identifier)
            self.position += 1
            self.note_call(identifier, call)

    def claim_id(self, found: Any) -> TypeGuard[str]:
        """Whether an id can be kept as it is; it is used then."""
        if self._regular:
            self.note_regular()
        if type(found) is not str or not found or found in self.used or found.isspace():
            return False
        self.used.add(found)
        self.position += 1
        return True

    def note_call(self, spelling: Any, call: ToolCall) -> None:
        """Remember a call, so that its result finds it by the wire's spelling of the id.

        A call whose id stood in the same message before cannot be told from the other, and is marked; blank is not an id.
        """
        if self._regular:
            self.note_regular()
        if self._open and self._open[0][0] != self.turn:
            self._open = []
        self._open.append((self.turn, call))
        if type(spelling) is str:
            known = self._called.get(spelling)
            if known is not None and known[2] == self.turn and call.invalid is None and spelling.strip():
                call.invalid = InvalidCall(dump_lenient(call.arguments), "duplicate_id")
            self._called[spelling] = (call.id, call.name, self.turn)

    def note_opaque_call(self, wire: Any) -> None:
        """Remember a call that stays opaque, so that a result of it finds its id."""
        if self._regular:
            self.note_regular()
        if type(wire) is dict and type(wire.get("id")) is str:
            self._called[wire["id"]] = (wire["id"], "", self.turn)

    def find_call(self, spelling: str) -> tuple[str, str]:
        """Id and tool name of the last call with this id on the wire; the name is empty where there is none."""
        if self._regular:
            self.note_regular()
        identifier, name, _ = self._called.get(spelling) or (spelling, "", 0)
        return identifier, name

    def next_open_id(self, name: str) -> str | None:
        """Id of the first call of the last turn with this tool name that has no answer yet: wires without ids match so."""
        call = self.take_open_call(name)
        return None if call is None else call.id

    def take_open_call(self, name: str | None) -> ToolCall | None:
        """The first call of the last turn that has no answer yet, with this tool name where there is one. It has one now."""
        if self._regular:
            self.note_regular()
        for i, (_, call) in enumerate(self._open):
            if name is None or call.name == name:
                del self._open[i]
                return call
        return None

    def note_answered(self, identifier: str) -> None:
        """The call with this id has its answer."""
        if self._regular:
            self.note_regular()
        self._open = [entry for entry in self._open if entry[1].id != identifier]

    def next_turn(self) -> None:
        """An assistant message is done."""
        if self._regular:
            self.note_regular()
        self.turn += 1
        self.position = 0


def _unread(call: ToolCall) -> ToolCall:
    """A call whose arguments are kept as text, as a wire gives them that has them as text."""
    if call.invalid is None:
        try:
            call.invalid = InvalidCall(dump_deep(call.arguments), "malformed")
        except JSONError as error:
            raise ConversionError("arguments", f"is {error}") from None
    call.arguments = {}
    return call


def _spoken_of(tools: Iterable[ToolDefinition | OpaquePart], wire: ProviderWire) -> dict[str, str]:
    """The names of tools by their spellings on a wire, of those that are spelled otherwise there."""
    return {
        wire.wire_name(tool.name): tool.name
        for tool in tools
        if type(tool) is ToolDefinition and not wire.legal_name(tool.name)
    }
