"""The state of one conversion to the format: ids, names and extras of what was read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ConversionError, check_list, wrong_type
from ..json_text import JSONError, dump_allowing_nan, dump_deep, is_null_text
from ..json_values import is_too_deep
from ..models import InvalidCall, OpaquePart, ToolCall, ToolDefinition
from ..paths import ROOT, Path
from .extras import ABSENT, Extras, merge_extras_into
from .wire import ProviderWire, synthetic_id

if TYPE_CHECKING:
    from .lowered_arguments import LoweredArgumentCodec

__all__ = ["NO_IDS", "CalledTool", "Reader", "check_tools"]

_TOOLS = frozenset([ToolDefinition, OpaquePart])

NO_IDS = ("None", "null")
"""What some servers send in place of an id that they do not have."""


def check_tools(tools: Sequence[ToolDefinition | OpaquePart], at: Path) -> None:
    """Check that a value is a list of tools.

    Raises:
        ConversionError: It is not.
    """
    check_list(tools, _TOOLS, at, "tools", "a ToolDefinition")


_DEMANDING = frozenset(["$ref", "allOf", "anyOf", "if", "minProperties", "not", "oneOf", "required"])
"""Keywords with which a schema may reject an object without members."""


class CalledTool(NamedTuple):
    """The id of a call and the name of its tool. The name is empty if the call is not known, or stayed opaque."""

    id: str
    name: str


class _NotedCall(NamedTuple):
    """A call that was read, and the turn that it is of."""

    call: CalledTool
    turn: int


class Reader:
    """The state of one call of a `from_*` function. `turn` is the number of earlier assistant messages.

    `silent_writer` is the writer with which `conversion/rule_of_extras.py` finds out how a value would be written.
    `unread_choice` is the path of a tool choice that no value of the format has the meaning of, or None.
    """

    __slots__ = (
        "_called",
        "_codec",
        "_definitions",
        "_offered",
        "_open",
        "_redefined",
        "_shared",
        "position",
        "silent_writer",
        "tool_names",
        "tools",
        "turn",
        "unread_choice",
        "used",
        "wire",
    )

    def __init__(self, wire: ProviderWire, turn: int = 0, tools: Iterable[ToolDefinition | OpaquePart] = ()) -> None:
        self.wire = wire
        self.turn = turn
        self.position = 0
        self.unread_choice: Path | None = None
        self.silent_writer: Any = None
        self.used: set[str] = {*NO_IDS}
        self.tools = tools = tools if type(tools) is tuple else tuple(tools)
        self.tool_names = wire.tool_names
        if tools:
            check_tools(tools, (ROOT, "tools"))
            names = [tool.name for tool in tools if type(tool) is ToolDefinition]
            self.tool_names = self.tool_names | {
                wire.wire_name(name): name for name in names if not wire.is_legal_name(name)
            }
        self._called: dict[str, _NotedCall] = {}
        self._definitions: Mapping[str, ToolDefinition] = {}
        self._offered: Mapping[str, bool] = {}
        self._open: list[tuple[int, ToolCall]] = []
        self._redefined: Collection[str] = ()
        self._shared: dict[str, list[CalledTool]] = {}
        self._codec: LoweredArgumentCodec | None = None

    def mark_sent(self, value: Any) -> None:
        """Mark an empty or unsigned part or message of a request: the API accepted it, so it may be sent again."""
        merge_extras_into(value, self.wire.name, {"$sent": True})

    def as_metadata(self, extras: Extras | None) -> dict[str, Any] | None:
        """Return metadata with the extras. None if there are no extras."""
        return {self.wire.name: extras} if extras else None

    def decode_call(self, call: ToolCall) -> ToolCall:
        """Decode the arguments of a call. If they are too deep to be read from JSON text, the call becomes invalid.

        The text null means no arguments if the tool is known and requires none.

        Raises:
            ConversionError: The arguments contain themselves.
        """
        if is_too_deep(call.arguments):
            return _unread(call)
        if call.invalid is not None and is_null_text(call.invalid.text) and self._needs_no_arguments(call.name):
            call.invalid = None
        is_as_declared = not self.tools and call.name not in self._offered
        if is_as_declared and (
            call.name not in self.wire.tools_with_encodings or self.wire.has_unchanged_arguments(call)
        ):
            return call
        if self._codec is None:
            from .lowered_arguments import LoweredArgumentCodec

            self._codec = LoweredArgumentCodec(self.wire, self.tools, self._offered, self._redefined)
        return self._codec.decode_call(call)

    def _needs_no_arguments(self, name: str) -> bool:
        """Return whether a tool is known (given, offered by the body, or declared), and its schema demands nothing."""
        definition = next((tool for tool in self.tools if type(tool) is ToolDefinition and tool.name == name), None)
        definition = definition or self._definitions.get(name)
        if definition is None and name not in self._redefined and name in self.wire.declared.definitions:
            definition = self.wire.declared.definitions[name]
        return definition is not None and _DEMANDING.isdisjoint(definition.parameters or {})

    def set_offered_tools(self, tools: Iterable[ToolDefinition | OpaquePart] | None) -> None:
        """Set the tools that the body offers. Their strictness wins over that of the build and of `tools`.

        A tool that the body defines differently is not the declared one, so its arguments are kept as they are.
        """
        offered = [tool for tool in tools or () if type(tool) is ToolDefinition]
        self._definitions = {tool.name: tool for tool in offered}
        if self.wire.has_strict:
            self._offered = {tool.name: tool.strict is True for tool in offered}
        self._redefined = {tool.name for tool in offered if self.wire.redefines_declared(tool)}

    def tool_name(self, name: str) -> str:
        """Return the name of a tool by its wire name."""
        return self.tool_names.get(name, name)

    def assign_call_id(self, wire_id: Any, at: Path) -> str:
        """Return the id of the next call: that on the wire, unless it is missing, blank, or repeats.

        Then it is replaced by one made from turn and position.

        Raises:
            ConversionError: The value is neither a string nor null.
        """
        position = self.position
        self.position = position + 1
        if wire_id is not None and wire_id is not ABSENT and type(wire_id) is not str:
            raise wrong_type(at, "a string", wire_id)
        identifier: str = wire_id or ""
        if not identifier or identifier in self.used or identifier.isspace():
            identifier = synthetic_id(self.turn, position)
            while identifier in self.used:
                identifier += "_"
        self.used.add(identifier)
        return identifier

    def id_of_result(self, wire_id: str | None) -> str:
        """Return the id of a result whose call is not known: that on the wire, or a synthetic one if it is blank."""
        return wire_id if wire_id and not wire_id.isspace() else self.assign_call_id(None, ROOT)

    def note_call(self, wire_id: Any, call: ToolCall) -> None:
        """Record a call, so that its result finds it by the id on the wire.

        A call whose id repeats within a message becomes invalid, unless the id is blank or stands for none. The results
        of calls with one id are matched in order.
        """
        if self._open and self._open[0][0] != self.turn:
            self._open = []
        self._open.append((self.turn, call))
        if type(wire_id) is not str:
            return
        earlier = self._called.get(wire_id)
        called = CalledTool(call.id, call.name)
        self._called[wire_id] = _NotedCall(called, self.turn)
        if earlier is None:
            return
        shared = self._shared.pop(wire_id, [earlier.call])
        if earlier.turn == self.turn:
            self._shared[wire_id] = [*shared, called]
            if call.invalid is None and wire_id.strip() and wire_id not in NO_IDS:
                call.invalid = InvalidCall(dump_allowing_nan(call.arguments), "duplicate_id")

    def note_opaque_call_id(self, wire: Any) -> None:
        """Record a call that stays opaque, so that its result finds its id."""
        if type(wire) is dict and type(wire.get("id")) is str:
            self._called[wire["id"]] = _NotedCall(CalledTool(wire["id"], ""), self.turn)

    def is_opaque_call(self, wire_id: str) -> bool:
        """Return whether the last call with this id on the wire stayed opaque."""
        noted = self._called.get(wire_id)
        return noted is not None and not noted.call.name

    def match_result(self, wire_id: str, name: str = "") -> CalledTool:
        """Match a result with the call that it belongs to, by its id on the wire.

        It is the last call with the id; or, if a message has several, the next one without a result, if possible of the
        tool `name`.
        """
        shared = self._shared.get(wire_id)
        if shared is None:
            noted = self._called.get(wire_id)
            return CalledTool(wire_id, "") if noted is None else noted.call
        i = next((i for i, call in enumerate(shared) if call.name == name), 0)
        return shared.pop(i) if len(shared) > 1 else shared[0]

    def take_open_call_id(self, name: str) -> str | None:
        """Return the id of the last turn's first call of this tool without a result, for wires that have no ids."""
        call = self.take_open_call(name)
        return None if call is None else call.id

    def take_open_call(self, name: str | None) -> ToolCall | None:
        """Return the last turn's first call without a result, of this tool if named. It then counts as having one."""
        for i, (_, call) in enumerate(self._open):
            if name is None or call.name == name:
                del self._open[i]
                return call
        return None

    def note_result(self, identifier: str) -> None:
        """Record that the call with this id has a result."""
        self._open = [entry for entry in self._open if entry[1].id != identifier]

    def next_turn(self) -> None:
        """Start the next turn, after an assistant message."""
        self.turn += 1
        self.position = 0


def _unread(call: ToolCall) -> ToolCall:
    """Invalidate a call, and keep its arguments as text, as a wire with text arguments has them."""
    if call.invalid is None:
        try:
            call.invalid = InvalidCall(dump_deep(call.arguments), "malformed")
        except JSONError as error:
            raise ConversionError("arguments", f"is {error}") from None
    call.arguments = {}
    return call
