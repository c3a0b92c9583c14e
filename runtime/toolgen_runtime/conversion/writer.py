"""The state of one conversion from the format: losses, and the ids and names on this wire."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from ..errors import ConversionError, ConversionLoss, wrong_class, wrong_type
from ..json_values import MAX_DEPTH, is_too_deep
from ..models import (
    AssistantPart,
    ContentPart,
    Loss,
    OpaquePart,
    RefusalPart,
    TextPart,
    ToolCall,
    ToolDefinition,
)
from ..paths import Path, format_path
from ..shipped_providers import API_OF
from .extras import (
    ABSENT,
    DEEPEST_OBJECT,
    SPELLING_MARKS,
    Extras,
    copy_extras,
    extra_at,
    inner_extras,
    is_internal_mark,
    without_extra_at,
    without_unread_choice,
)
from .lost_extras import ExtrasFacts, facts_about_extras, lost_members
from .model_facts import NO_FACTS
from .wire import ProviderWire, make_hashed_name

if TYPE_CHECKING:
    from .lowered_arguments import LoweredArgumentCodec

__all__ = ["OnLoss", "OnUnsupported", "Severity", "Writer", "call_on_loss", "describe_as_text"]

OnLoss = Callable[[Loss], object]
OnUnsupported = Literal["error", "weaken"]
Action = Literal["rewritten", "described", "dropped", "moved", "narrowed", "defaulted"]
Severity = Literal["note", "warning", "behaviour"]

_NAMES = frozenset(["title", "name", "filename", "source", "url", "uri", "file_url", "file_id", "fileId", "fileUri"])
_LONGEST_NAME = 500
_DEEPEST = 8
_SAYING = frozenset(["content", "output", "stderr", "stdout"])
"""Keys of a block whose value, if it is a string, is what the block says."""
_DEEPEST_SAYING = 2  # in the items of a block's list; deeper, such keys may have another meaning


def call_on_loss(on_loss: OnLoss, loss: Loss) -> None:
    """Report a loss of a conversion, which waits for nothing.

    Raises:
        TypeError: The function is async.
    """
    returned: Any = on_loss(loss)
    if hasattr(returned, "__await__"):
        if hasattr(returned, "close"):
            returned.close()
        raise TypeError("on_loss of a conversion must not be async; sessions and runs await theirs")


def describe_as_text(part: Any) -> str:
    """Describe a part as text: the texts and names inside an opaque part, otherwise as in `[image: photo.png]`."""
    if type(part) is TextPart:
        return part.text
    texts: list[str] = []
    names: list[str] = []
    if type(part) is not OpaquePart:
        _collect({"name": part.name or part.url or "", "metadata": part.metadata}, texts, names, 0)
        return f"[{part.type}: {names[0]}]" if names else f"[{part.type}]"
    _collect(part.value, texts, names, 0)
    if texts:
        return "\n".join(names + texts)
    label = _kind(part.value) or f"{part.provider} block"
    return f"[{label}: {', '.join(names)}]" if names else f"[{label}]"


def _kind(block: Any) -> str:
    """Return the kind of a block: its `type`, or its only key if that contains an object. Empty if neither exists."""
    if type(block) is not dict:
        return ""
    kind = block.get("type")
    if kind is None and len(block) == 1:
        ((kind, inner),) = block.items()
        kind = kind if type(inner) is dict else None
    return kind if type(kind) is str and _is_name(kind) else ""


def _collect(value: Any, texts: list[str], names: list[str], depth: int) -> None:
    """Collect the texts in a block, and the names of what it contains, in order."""
    if type(value) is list:
        for item in value:
            _collect(item, texts, names, depth + 1)
    if type(value) is not dict or depth > _DEEPEST:
        return
    for key, item in value.items():
        if type(item) is not str:
            _collect(item, texts, names, depth + 1)
        elif key == "text" or (key in _SAYING and depth <= _DEEPEST_SAYING and item[:5] != "data:"):
            texts += [item] if item else []
        elif key in _NAMES and item and _is_name(item):
            names.append(item)


def _is_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and text[:5] != "data:"


_PARTS = frozenset([*get_args(AssistantPart), *get_args(ContentPart)])


class Writer:
    """The state of one call of a `to_*` function, which writes `value`, of `value_type`. Use it in a `with` statement.

    `names` has the wire names of tools so far, `unsent` the ids that are omitted, `media` the parts of results that
    follow at the end of the turn. A response (`is_response`) is not sent to the API, so it may contain what the API
    rejects; `is_stream` means that it is written as a stream. `is_declared_tool` means that the tool being written is
    declared, so the build has reported its lowering. `drops_ids` means that the client drops the ids of calls.
    `model_facts` are those of the request's model. `downgraded` has the tools that should be strict but cannot be.
    `losses` has what was reported so far. `was_read` means that the request was read from a body, of any provider.
    """

    __slots__ = (
        "_codec",
        "_ids",
        "_on_loss",
        "_rejects",
        "_tools",
        "_value",
        "_value_type",
        "_weaken",
        "downgraded",
        "drops_ids",
        "is_declared_tool",
        "is_response",
        "is_stream",
        "losses",
        "media",
        "model_facts",
        "names",
        "unsent",
        "was_read",
        "wire",
    )

    def __init__(
        self,
        wire: ProviderWire,
        on_loss: OnLoss | None,
        on_unsupported: OnUnsupported,
        value: Any = None,
        value_type: Any = Any,
        *,
        tools: Sequence[ToolDefinition | OpaquePart] = (),
        is_response: bool = False,
    ) -> None:
        if on_unsupported not in ("error", "weaken"):
            raise ValueError('on_unsupported must be "error" or "weaken"')
        self.wire = wire
        self.is_response = is_response
        self._rejects = () if is_response else wire.rejects
        self._on_loss = on_loss
        self._weaken = on_unsupported == "weaken"
        self._ids: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.unsent: set[str] = set()
        self.media: list[tuple[Any, Path]] = []
        self.model_facts = NO_FACTS
        self.is_declared_tool = False
        self.is_stream = False
        self.drops_ids = False
        self.downgraded: set[str] = set()
        self.losses: list[Loss] = []
        self._tools = tools
        self.was_read = False
        self._codec: LoweredArgumentCodec | None = None
        self._value = value
        self._value_type = value_type

    def __enter__(self) -> Self:
        """Return the writer."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """End the call: report the remaining losses. After a failure, look for a value that is not of the format.

        Raises:
            ConversionError: There is such a value.
        """
        if kind is None:
            self.report_remaining_losses()
        elif kind is AttributeError or kind is TypeError:
            from ..object_types import find_wrong_value  # only needed when a conversion has failed

            wrong_value = find_wrong_value(self._value, self._value_type)
            if wrong_value is not None:
                raise wrong_value from error

    def report_loss(self, at: Path, what: str, action: Action, reason: str, severity: Severity = "note") -> None:
        """Report a loss.

        Raises:
            ConversionError: The severity is `behaviour`, and `on_unsupported` is "error".
        """
        loss = Loss(format_path(at), what, action, severity, reason)
        if severity == "behaviour" and not self._weaken:
            advice = 'pass on_unsupported="weaken" to send the request anyway'
            raise ConversionError(loss.path, f"{what} cannot be sent: {reason}; {advice}", loss)
        self.report(loss)

    def report(self, loss: Loss) -> None:
        """Report a loss that is permitted."""
        self.losses.append(loss)
        if self._on_loss is not None:
            call_on_loss(self._on_loss, loss)

    def lower_schema(
        self, schema: dict[str, Any] | bool, strict: bool | None, at: Path, *, is_arguments: bool = True
    ) -> dict[str, Any]:
        """Lower a schema, and report what the dialect expresses differently, unless the build has reported it."""
        lowering = self.wire.schema_lowering
        written, lowered = lowering.lower_with_schema_copy(schema, strict, is_arguments=is_arguments)
        if self.is_declared_tool:
            return written
        if not lowered.only_drops_keywords(schema):
            self.report_loss(at, "a schema", "rewritten", f"{self.wire.title} expresses it differently")
        for change in lowered.changes:
            path = at
            # Without a space, it is a keyword of the schema at the pointer.
            for step in change.pointer if " " in change.what else (*change.pointer, change.what):
                path = (path, step)
            severity: Severity = "warning" if change.blocks_strict else "note"
            self.report_loss(path, change.what, change.action, f"{self.wire.title}: {change.reason}", severity)
        return written

    def encode_call(self, call: ToolCall, at: Path) -> ToolCall:
        """Return a call with its arguments encoded as the lowered schema of its tool requires.

        Raises:
            ConversionError: The arguments are no object, or nested too deeply to be read back.
        """
        if not isinstance(call.arguments, dict):
            raise wrong_type((at, "arguments"), "an object", call.arguments)
        if is_too_deep(call.arguments):
            raise ConversionError(format_path((at, "arguments")), f"is nested more than {MAX_DEPTH} deep")
        if call.metadata is None and not self.has_encoding(call.name):
            return call
        written, comes_back = self.argument_codec.encode_call(call)
        if not comes_back:
            self.report_loss((at, "arguments"), "arguments", "narrowed", "another JSON text would be read back")
        return written

    @property
    def argument_codec(self) -> LoweredArgumentCodec:
        """The encodings of arguments, created on first use."""
        if self._codec is None:
            from .lowered_arguments import LoweredArgumentCodec

            self._codec = LoweredArgumentCodec(self.wire, self._tools)
        return self._codec

    def has_encoding(self, name: str) -> bool:
        """Return whether the arguments of a tool may be different on the wire."""
        if not self._tools:
            return name in self.wire.encodings
        return self.argument_codec.encoding_of(name) is not None

    def report_default(self, at: Path, what: str, reason: str, action: Action = "dropped") -> None:
        """Report a setting without effect. A request that was read has what its client writes by default, which is no loss."""
        if not self.was_read:
            self.report_loss(at, what, action, reason)

    def report_unsupported(self, at: Path, what: str, severity: Severity = "note") -> None:
        """Report a value that this wire does not support."""
        self.report_loss(at, what, "dropped", f"{self.wire.title} does not support it", severity)

    def describe_part(self, part: Any, at: Path, reason: str = "") -> TextPart:
        """Return the description of an unsupported part as text, and report it.

        Raises:
            ConversionError: It is not a part.
        """
        text = f"{self.wire.title}: {reason}" if reason else f"{self.wire.title} does not support it"
        self.report_loss(at, self.part_class_name(part, at), "described", text, "warning")
        return TextPart(describe_as_text(part))

    def write_text_part_as_string(self, part: TextPart | RefusalPart, at: Path) -> str:
        """Return the text of a part that becomes a string on this wire. Report its metadata and cache setting."""
        if part.metadata:
            self.own_extras(part.metadata, at)
        if type(part) is TextPart and part.cache:
            self.report_unsupported((at, "cache"), "cache")
        return part.text

    def report_adopted_reasoning(self, metadata: dict[str, Any] | None, at: Path) -> None:
        """Report reasoning by another provider's model that is sent as reasoning of this one."""
        if metadata and not self.peek_extras(metadata):
            self.report_loss((at, "text"), "reasoning", "rewritten", "it came from another provider's model")

    @staticmethod
    def part_class_name(part: Any, at: Path) -> str:
        """Return the name of a part's class, for a report.

        Raises:
            ConversionError: It is not a part.
        """
        if type(part) not in _PARTS:
            raise wrong_class(at, "a content part", part)
        return type(part).__name__

    def report_remaining_losses(self) -> None:
        """Report media that no message could take, and warn about losses that were not passed to a callback."""
        for part, at in self.media:
            self.report_unsupported(at, self.part_class_name(part, at), "warning")
        if self._on_loss is None:
            for loss in self.losses:
                if loss.severity != "note":
                    import warnings  # imported here, because most conversions have nothing to warn about

                    warnings.warn(
                        ConversionLoss(f"{loss.path}: {loss.action} {loss.what}: {loss.reason}"), stacklevel=4
                    )

    def own_extras(self, metadata: dict[str, Any] | None, at: Path) -> Extras:
        """Return a copy of this provider's extras, with what other hosts of its API say. Report what is not written.

        What the wire shares with another API is not reported here.
        """
        if not metadata:
            return {}
        extras: Extras = {}
        for provider in metadata:
            if provider == self.wire.name:
                continue
            foreign, path = without_unread_choice(inner_extras(metadata, provider)), ((at, "metadata"), provider)
            if provider in self.wire.shares:
                foreign = {key: extra for key, extra in foreign.items() if key not in self.wire.shares[provider]}
            facts = facts_about_extras(provider)
            if API_OF.get(provider) == self.wire.api and not self.is_response:
                extras |= self._extras_of_host(foreign, facts, path)
            else:
                self._report_lost_members(foreign, facts, path, is_known=provider in API_OF)
        extras |= inner_extras(metadata, self.wire.name)
        return copy_extras(self.without_rejected(extras, (at, "metadata"))) if extras else extras

    def _extras_of_host(
        self, extras: Extras, facts_of_host: ExtrasFacts, at: Path, depth: int = DEEPEST_OBJECT
    ) -> Extras:
        """Return what another host of this API has kept. Report what this one cannot have, such as state of that host."""
        facts = self.wire.extras_facts
        readable: Extras = {}
        foreign: Extras = {}
        for key, extra in extras.items():
            if key[:1] == "$":
                if key in SPELLING_MARKS and not (key == "$as" and type(extra) is str):  # of what stayed opaque
                    readable[key] = extra
            elif is_internal_mark(extra):
                is_text_of_invalid_call = key in facts.spelled and type(extra.get("$whole")) is str
                if "$synthetic" not in extra and not is_text_of_invalid_call:
                    readable[key] = extra
            elif key in facts.objects and type(extra) is dict and depth:
                readable[key] = self._extras_of_host(extra, facts_of_host, (at, key), depth - 1)
            elif facts.takes_from_hosts(key, extra):
                readable[key] = extra
            else:
                foreign[key] = extra
        self._report_lost_members(foreign, facts_of_host, at)
        return readable

    def _report_lost_members(self, extras: Extras, facts: ExtrasFacts, at: Path, *, is_known: bool = True) -> None:
        """Report the keys in extras that are not written. What a response lacks, and what an app adds, is a note."""
        for member in lost_members(extras, facts):
            path = at
            for key in member.key_path:
                path = (path, key)
            is_warning = member.is_warning and is_known and not self.is_response
            reason = f"{self.wire.title} has no key for it"
            self.report_loss(path, member.key_path[-1], "dropped", reason, "warning" if is_warning else "note")

    def without_rejected(self, extras: Extras, at: Path) -> Extras:
        """Return extras without what the API rejects, which is reported."""
        for key_path in self._rejects:
            extra = extra_at(extras, *key_path)
            if extra is not ABSENT:
                if not self.wire.extras_facts.says_nothing(key_path[-1], extra):
                    self.report_loss(at, key_path[-1], "dropped", f"{self.wire.title} rejects it", "warning")
                extras = without_extra_at(extras, *key_path)
        return extras

    def rejects(self, key: str) -> bool:
        """Return whether the API rejects a key in requests, although related APIs have it."""
        return (key,) in map(tuple, self._rejects)

    def is_sendable(self, part: OpaquePart) -> bool:
        """Return whether an opaque value is of this provider, and contains nothing that the API rejects."""
        return part.provider == self.wire.name and self.is_accepted(part.value)

    def is_accepted(self, value: Any) -> bool:
        """Return whether a value that was kept as a whole contains nothing that the API rejects."""
        return all(extra_at(value, *key_path) is ABSENT for key_path in self._rejects)

    def peek_extras(self, metadata: dict[str, Any] | None) -> Extras:
        """Return this provider's extras, without a report of other providers' extras."""
        return inner_extras(metadata, self.wire.name) if metadata else {}

    def shared_extra(self, metadata: dict[str, Any] | None) -> Any:
        """Return the extra of another provider that this wire shares. ABSENT if there is none."""
        for provider, keys in self.wire.shares.items() if metadata else ():
            extras = inner_extras(metadata or {}, provider)
            for key in keys:
                if key in extras:
                    return extras[key]
        return ABSENT

    def was_sent(self, value: Any) -> bool:
        """Return whether a part or message was read from a request of this provider, although it looks unacceptable."""
        return "$sent" in self.peek_extras(value.metadata)

    def can_read(self, metadata: dict[str, Any] | None) -> bool:
        """Return whether metadata has extras of this provider."""
        return metadata is not None and self.wire.name in metadata

    def call_id(self, identifier: str) -> str:
        """Return the wire's id of a call: the same, or a unique replacement if the wire would reject it in a request."""
        wire_id = self._ids.get(identifier)
        if wire_id is None:
            wire_id = identifier
            if not self.is_response and not self.wire.is_legal_id(identifier):
                wire_id = make_hashed_name(identifier, self.wire.id_prefix, self.wire.id_length)
            self._ids[identifier] = wire_id
        return wire_id

    def restore_id(self, identifier: str, wire_id: str) -> None:
        """Use the original id of the wire, for a call and for the results that refer to it."""
        self._ids[identifier] = wire_id

    def omit_id(self, identifier: str) -> None:
        """Omit a synthetic id, both from the call and from its result."""
        self.unsent.add(identifier)

    def is_id_omitted(self, identifier: str) -> bool:
        """Return whether the call with this id was sent without it."""
        return identifier in self.unsent

    def tool_name(self, name: str, at: Path) -> str:
        """Return the wire name of a tool: the same, or a unique replacement, which is reported.

        A response has the name that the model gave, even if a request could not have it.
        """
        wire_name = self.names.get(name)
        if wire_name is None and self.is_response:
            wire_name = self.names[name] = self.wire.names.get(name, name)
        elif wire_name is None:
            wire_name = self.names[name] = self.wire.wire_name(name)
            if wire_name != name and name not in self.wire.names:
                self.report_loss(at, "a tool's name", "rewritten", f"{self.wire.title} rejects the name")
        return wire_name
