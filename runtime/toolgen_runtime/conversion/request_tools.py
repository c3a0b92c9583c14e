"""The tools of a request, as their declarations offer them to a provider, and the choice among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from ..errors import ConversionError, type_name, wrong_class
from ..json_values import apply_merge_patch, is_json
from ..models import AllowedToolChoice, Loss, NamedToolChoice, OpaquePart, Request, ToolChoice, ToolDefinition
from ..paths import ROOT, Path, format_path
from .cache import from_bytes, to_bytes, to_key
from .extras import (
    ABSENT,
    UNREAD_CHOICE,
    Extras,
    declared_settings,
    extra_at,
    inner_extras,
    restore_extras,
    without_extra_at,
)
from .message_order import check_messages
from .reader import Reader, check_tools
from .values import write_list
from .wire import CachedEntry, ProviderWire
from .writer import Writer

__all__ = [
    "OMITTED",
    "check_request",
    "check_tool_names",
    "fill_pattern",
    "has_tools_for_provider",
    "lost_choice",
    "match_pattern",
    "none_if_empty",
    "offers_chosen_tools",
    "read_choice",
    "rejects_output_format",
    "report_choice_without_tools",
    "report_lost_choice",
    "requires_call",
    "without_rejected_output_format",
    "write_choice",
    "write_tool_with_provider_settings",
    "write_tools",
]


def check_request(request: Request) -> list[ToolDefinition | OpaquePart]:
    """Return the tools of a request.

    Raises:
        ConversionError: It is not a request, or a message or a tool in it is not an object of the format.
    """
    if not isinstance(request, Request):
        raise wrong_class(ROOT, "a Request", request)
    check_messages(request.messages, (ROOT, "messages"))
    tools = request.tools or []
    check_tools(tools, (ROOT, "tools"))
    return tools


def check_tool_names(names: Sequence[Any], declared: Mapping[str, Any], title: str) -> None:
    """Check that names are those of tools that are declared for a provider.

    Raises:
        KeyError: A name is not that of a declared tool.
        TypeError: A name is not a string.
    """
    for name in names:
        if type(name) is not str:
            raise TypeError(f"tools() takes the names of tools one by one, found {type_name(name)}")
        if name not in declared:
            raise KeyError(f"{name} is no tool declared for {title}; these are: {', '.join(declared)}")


class _PatternMatch(NamedTuple):
    """What a value has in place of the placeholders of a pattern, and the keys that the pattern lacks (`extras`)."""

    mode: str | None
    names: list[str]
    extras: Extras


def fill_pattern(pattern: Any, mode: str, names: list[str]) -> Any:
    """Fill the placeholders of a pattern with a mode and names. A list with a name in it has an item for each name."""
    if type(pattern) is dict:
        return {key: fill_pattern(value, mode, names) for key, value in pattern.items()}
    if _is_list_of_names(pattern):
        return [fill_pattern(pattern[0], mode, [name]) for name in names]
    if pattern == "$mode":
        return mode
    if pattern == "$name":
        return names[0]
    return pattern


def match_pattern(pattern: Any, value: Any) -> _PatternMatch | None:
    """Match a value with a pattern. None if it does not match."""
    placeholders: dict[str, list[str]] = {"$mode": [], "$name": []}
    extras = _match(pattern, value, placeholders)
    if extras is ABSENT:
        return None
    return _PatternMatch(next(iter(placeholders["$mode"]), None), placeholders["$name"], extras)


def _match(pattern: Any, value: Any, placeholders: dict[str, list[str]]) -> Any:
    """Match a value, and collect the texts in place of placeholders. Return the keys that the pattern lacks, or ABSENT."""
    if type(pattern) is dict:
        return _match_object(pattern, value, placeholders)
    if _is_list_of_names(pattern):
        is_match = type(value) is list and all(_match(pattern[0], item, placeholders) == {} for item in value)
        return {} if is_match else ABSENT
    if type(pattern) is str and pattern in placeholders:
        if type(value) is not str:
            return ABSENT
        placeholders[pattern].append(value)
        return {}
    return {} if type(value) is type(pattern) and value == pattern else ABSENT


def _match_object(pattern: dict[str, Any], value: Any, placeholders: dict[str, list[str]]) -> Any:
    """Match an object, like `_match`."""
    if type(value) is not dict:
        return ABSENT
    extras = {key: item for key, item in value.items() if key not in pattern}
    for key, inner in pattern.items():
        inner_extras = _match(inner, value.get(key, ABSENT), placeholders)
        if inner_extras is ABSENT:
            return ABSENT
        if inner_extras:
            extras[key] = inner_extras
    return extras


def _is_list_of_names(pattern: Any) -> bool:
    return type(pattern) is list and len(pattern) == 1 and _has_name(pattern[0])


def _has_name(pattern: Any) -> bool:
    if type(pattern) is dict:
        return any(map(_has_name, pattern.values()))
    return bool(pattern == "$name")


OMITTED = "$absent"
"""The entry in the table for a choice that is made by omitting the key."""


_CHOICES: tuple[Literal["auto", "none", "required"], ...] = ("auto", "none", "required")


def read_choice(value: Any, reader: Reader, table: Mapping[str, Any]) -> ToolChoice | None:
    """Read a tool choice. None if no entry of the table matches."""
    table = {form: row for form, row in table.items() if row != OMITTED}
    for choice in _CHOICES:
        if choice in table and type(value) is type(table[choice]) and value == table[choice]:
            return choice
    if type(value) is str and value in table.get("also", {}):
        return table["also"][value]  # type: ignore[no-any-return]  # the meta-schema of profiles says so
    choice_with_names = _read_named_choice(value, reader, table) or _read_allowed_choice(value, reader, table)
    if choice_with_names is not None:
        return choice_with_names
    for choice in _CHOICES:
        if choice in table and match_pattern(table[choice], value):
            return choice
    return None


def _read_named_choice(value: Any, reader: Reader, table: Mapping[str, Any]) -> NamedToolChoice | None:
    """Read a choice that names one tool. None if the value is not one."""
    match = match_pattern(table["named"], value) if "named" in table else None
    if match is None or len(match.names) != 1:
        return None
    return NamedToolChoice(reader.tool_name(match.names[0]), reader.as_metadata(match.extras))


def _read_allowed_choice(value: Any, reader: Reader, table: Mapping[str, Any]) -> AllowedToolChoice | None:
    """Read a choice of several tools with its mode. None if the value is not one."""
    match = match_pattern(table["allowed"], value) if "allowed" in table else None
    if match is None or not match.names:
        return None
    mode_names = _mode_names(table)
    for mode in ("auto", "required"):
        if match.mode == mode_names[mode]:
            names = [reader.tool_name(name) for name in match.names]
            return AllowedToolChoice(names, mode, reader.as_metadata(match.extras))
    return None


def _mode_names(table: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the wire's words for whether a call is optional (`auto`) or required."""
    return {"auto": "auto", "required": "required", **table.get("modes", {})}


def none_if_empty(choice: ToolChoice | None) -> ToolChoice | None:
    """Return `none` for a list without names: it permits no tool, but wires read an empty list as no restriction."""
    return "none" if type(choice) is AllowedToolChoice and not choice.names and choice.mode != "required" else choice


class _Selection(NamedTuple):
    """A tool choice as a row of the table, and what fills the placeholders of its pattern."""

    row: str
    mode: str = ""
    names: Sequence[str] = ()
    metadata: dict[str, Any] | None = None


def write_choice(choice: ToolChoice, at: Path, writer: Writer, table: Mapping[str, Any]) -> Any:
    """Write a tool choice. One that is not in the table is a loss of behaviour, except `auto`, which is the default.

    Raises:
        ConversionError: It names a tool that excludes this provider, or the loss is one of behaviour and not permitted.
    """
    if type(choice) is AllowedToolChoice and not choice.names:
        if choice.mode == "required":
            writer.report_loss(at, "toolChoice", "dropped", "it requires a call, but permits no tool", "behaviour")
            return ABSENT
        writer.report_loss(at, "toolChoice", "rewritten", "it permits no tool")
        choice = "none"
    selection = _selection(choice, at)
    extras = writer.own_extras(selection.metadata, at)
    if not writer.wire.refused.isdisjoint(selection.names):
        raise ConversionError(format_path(at), f"names a tool that {writer.wire.title} is not offered")
    if selection.row not in table:
        if selection.row != "auto":
            reason = f"{writer.wire.title} does not support this choice"
            writer.report_loss(at, "toolChoice", "dropped", reason, "behaviour")
        return ABSENT
    if table[selection.row] == OMITTED:
        writer.report_default(at, "toolChoice", "it is the default", "defaulted")
        return ABSENT
    written = _write_selection(selection, at, writer, table)
    if extras and type(written) is dict:
        restore_extras(written, extras)
    return written


def _selection(choice: ToolChoice, at: Path) -> _Selection:
    """Return the row of a tool choice.

    Raises:
        ConversionError: It is none.
    """
    if type(choice) is NamedToolChoice:
        return _Selection("named", "required", [choice.name], choice.metadata)
    if type(choice) is AllowedToolChoice:
        return _Selection("allowed", choice.mode or "auto", choice.names, choice.metadata)
    if choice not in _CHOICES:
        forms = f"{', '.join(_CHOICES)}, a NamedToolChoice or an AllowedToolChoice"
        raise ConversionError(format_path(at), f"is not one of {forms}")
    return _Selection(str(choice))


def _write_selection(selection: _Selection, at: Path, writer: Writer, table: Mapping[str, Any]) -> Any:
    """Write a tool choice that is in the table. ABSENT if the wire would read something else."""
    names = [writer.tool_name(name, (at, "name")) for name in selection.names]
    written = fill_pattern(table[selection.row], _mode_names(table).get(selection.mode, selection.mode), names)
    if type(written) is str and names and any(written == table.get(choice) for choice in _CHOICES):
        reason = f"{writer.wire.title} has another meaning for this name"
        writer.report_loss(at, "toolChoice", "dropped", reason, "behaviour")
        return ABSENT
    if selection.row == "allowed" and len(names) == 1 and match_pattern(table.get("named"), written):
        writer.report_loss(at, "toolChoice", "rewritten", "the choice names the only tool that may be called")
    return written


def has_tools_for_provider(tools: Sequence[Any] | None, wire: ProviderWire) -> bool:
    """Return whether a request offers functions that this provider may get, or tools of this provider."""
    return any(
        tool.name not in wire.refused if type(tool) is ToolDefinition else tool.provider == wire.name
        for tool in tools or ()
    )


def requires_call(choice: ToolChoice | None) -> bool:
    """Return whether a tool choice requires a call."""
    return choice == "required" or (
        choice.mode == "required" if type(choice) is AllowedToolChoice else type(choice) is NamedToolChoice
    )


def rejects_output_format(request: Request, wire: ProviderWire) -> str | None:
    """Return why the provider rejects an output format in a request, other than text. None if it accepts one."""
    rule = wire.typed_output
    if not rule:
        return None
    has_tools = has_tools_for_provider(request.tools, wire)
    if has_tools and rule.get("forced") and requires_call(request.tool_choice):
        return f"{wire.title} rejects it in a request that requires a call"
    extras = inner_extras(request.metadata or {}, wire.name)
    for key in rule.get("beside", ()):
        if has_tools if key == "tools" else extras.get(key):
            return f"{wire.title} rejects it beside {key}"
    return None


def without_rejected_output_format(
    written: dict[str, Any], request: Request, at: Path, writer: Writer
) -> dict[str, Any]:
    """Return a body without an output format that the provider rejects in it, which is reported."""
    reason = None if request.output_format in (None, "text") else rejects_output_format(request, writer.wire)
    if reason is None:
        return written
    for key_path in writer.wire.typed_output["keys"]:
        keys = key_path.split(".")
        if extra_at(written, *keys) is not ABSENT:
            written = without_extra_at(written, *keys)
    writer.report_loss((at, "outputFormat"), "outputFormat", "dropped", reason, "warning")
    return written


def offers_chosen_tools(choice: ToolChoice | None, tools: Sequence[Any] | None, wire: ProviderWire) -> bool:
    """Return whether a request offers a tool that a choice names. The provider's own tools may have any name."""
    names: Sequence[str] = ()
    if type(choice) is NamedToolChoice:
        names = [choice.name]
    elif type(choice) is AllowedToolChoice:
        names = choice.names
    return not names or any(
        tool.name in names if type(tool) is ToolDefinition else tool.provider == wire.name for tool in tools or ()
    )


def report_choice_without_tools(choice: ToolChoice, at: Path, writer: Writer, *, has_others: bool = False) -> None:
    """Report a choice that is left out because the request lacks its tools, or has no tools at all.

    One that requires a call is a loss of behaviour, and so is one that excludes the others. Without any tools, all other
    choices have no effect.
    """
    is_optional = choice in ("auto", "none") or (type(choice) is AllowedToolChoice and choice.mode != "required")
    if has_others:
        writer.report_loss(at, "toolChoice", "dropped", "the request has no tool that it names", "behaviour")
    elif is_optional:
        writer.report_default(at, "toolChoice", "the request has no tools")
    else:
        writer.report_loss(at, "toolChoice", "dropped", "the request has no tools", "behaviour")


def lost_choice(request: Request, provider: str | None) -> str | None:
    """Return why a tool choice that was not read does not reach a provider (None: one without native tools).

    None if there is no such choice, or if the request has another one.
    """
    if request.tool_choice is not None or not request.metadata:
        return None
    sources = (name for name in request.metadata if UNREAD_CHOICE in inner_extras(request.metadata, name))
    source = next((name for name in sources if name != provider), None)
    return source and f"only {source} has this choice"


def report_lost_choice(request: Request, at: Path, writer: Writer) -> None:
    """Report a tool choice of another provider that was not read."""
    reason = lost_choice(request, writer.wire.name)
    if reason is not None:
        writer.report_loss((at, "toolChoice"), "toolChoice", "dropped", reason, "behaviour")


Write = Callable[[Any, Path, Writer], Any]


def write_tools(tools: Sequence[Any], extra: Any, at: Path, writer: Writer, write: Write) -> Any:
    """Write the tools of a request. Return ABSENT if there are none: many APIs reject an empty list, unless it was read."""
    if writer.wire.strict_together:
        _report_strict_without_effect(tools, at, writer)
    written = write_list(tools, at, writer, _first_of_each_name(write) if writer.wire.unique_names else write)
    if written or at == ROOT or (type(extra) is dict and "$whole" in extra):
        return written
    writer.report_default(at, "tools", "the list is empty, which many APIs reject")
    return ABSENT


def _report_strict_without_effect(tools: Sequence[Any], at: Path, writer: Writer) -> None:
    """Report strict tools beside others, where strict mode has an effect only if all tools are strict."""
    strictness = {i: writer.wire.strictness(tool) for i, tool in enumerate(tools) if type(tool) is ToolDefinition}
    if all(strictness.values()):
        return
    reason = f"{writer.wire.title} enforces it only if all tools of a request are strict"
    for i, is_strict in strictness.items():
        if is_strict:
            writer.report_loss(((at, i), "strict"), "strict", "dropped", reason, "warning")


def _first_of_each_name(write: Write) -> Write:
    """Return a writer that leaves out tools whose name an earlier tool has."""
    first: dict[str, ToolDefinition] = {}

    def write_first(tool: Any, at: Path, writer: Writer) -> Any:
        """Write a tool. ABSENT for one with the name of an earlier tool, which is reported."""
        if type(tool) is ToolDefinition:
            if tool.name in first:
                severity: Literal["note", "warning"] = "note" if first[tool.name] == tool else "warning"
                reason = "an earlier one has its name, which the API rejects"
                writer.report_loss(at, "a tool", "dropped", reason, severity)
                return ABSENT
            first[tool.name] = tool
        return write(tool, at, writer)

    return write_first


_fields_of = attrgetter(*ToolDefinition.__match_args__)


def write_tool_with_provider_settings(tool: Any, at: Path, writer: Writer, write: Write) -> Any:
    """Write a tool with what its declaration says about this provider.

    Entries are cached with their losses, because the same tools are sent with every request.

    Raises:
        ConversionError: The declaration excludes this provider, or its schema does not support strict mode, and
            `on_unsupported` is "error".
    """
    if type(tool) is not ToolDefinition:
        return write(tool, at, writer)
    wire = writer.wire
    if tool.name in wire.refused:
        writer.report_loss(at, "a tool", "dropped", f"its declaration excludes {wire.title}", "behaviour")
        return ABSENT
    fields = _fields_of(tool)
    among_others = writer.argument_codec.strictness(tool) if wire.schema_lowering.per_request else None
    key = to_key((fields, writer.model_facts.strict, among_others))
    cached = wire.entries.get(key)
    if cached is not None:
        return _write_cached(cached, at, writer)
    losses_before = len(writer.losses)
    entry = _write_with_settings(_with_strictness(tool, at, writer), at, writer, write)
    losses = writer.losses[losses_before:]
    if _is_alike_in_every_request(tool, losses, at, writer) and is_json(entry) and is_json(list(fields)):
        copy = to_bytes(entry)
        if copy is not None:
            _cache(key, copy, losses, at, wire)
            return from_bytes(copy)
    return entry


def _with_strictness(tool: ToolDefinition, at: Path, writer: Writer) -> ToolDefinition:
    """Return a tool with `strict` decided for this wire, together with the other tools of the request.

    Raises:
        ConversionError: The schema does not support strict mode, and `on_unsupported` is "error".
    """
    if writer.model_facts.strict is False:
        return _without_strictness(tool, at, writer)
    strict = writer.argument_codec.strictness(tool)
    if strict == tool.strict:
        return tool
    if tool.strict:
        change = writer.wire.unsupported_strict_changes(tool)[0]
        writer.report_loss((at, "strict"), "strict", "dropped", f"{change.what}: {change.reason}", "behaviour")
        writer.downgraded.add(tool.name)
    return replace(tool, strict=strict)


def _without_strictness(tool: ToolDefinition, at: Path, writer: Writer) -> ToolDefinition:
    """Return a tool without a setting for strict mode, for a model that has none.

    Raises:
        ConversionError: The tool must be strict, and `on_unsupported` is "error".
    """
    if not tool.strict:
        return tool
    reason = f"{writer.model_facts.model} has no strict mode (fact strict of the model)"
    writer.report_loss((at, "strict"), "strict", "dropped", reason, "behaviour")
    writer.downgraded.add(tool.name)
    return replace(tool, strict=None)


def _write_with_settings(tool: ToolDefinition, at: Path, writer: Writer, write: Write) -> Any:
    """Write a tool with the settings of its declaration: its own description, keys of this wire, and at last a patch."""
    declared, own = declared_settings(tool), declared_settings(tool, writer.wire.name)
    if type(own.get("description")) is str:
        tool = replace(tool, description=own["description"])
    writer.is_declared_tool = "strict" in declared
    entry = write(tool, at, writer)
    writer.is_declared_tool = False
    if type(entry) is not dict:
        return entry
    entry = {**entry, **{key: declared[name] for name, key in writer.wire.declared_keys.items() if name in declared}}
    patch = inner_extras(own, "patch")
    return apply_merge_patch(entry, patch) if patch else entry


def _is_alike_in_every_request(tool: ToolDefinition, losses: Sequence[Loss], at: Path, writer: Writer) -> bool:
    """Return whether a tool is written, and its losses are reported, the same beside any others that leave it as strict."""
    wire = writer.wire
    if writer.names.get(tool.name, tool.name) != tool.name and tool.name not in wire.names:
        return False  # the new name is reported once in a request
    tool_path = format_path(at)
    return not any(loss.severity == "behaviour" or not loss.path.startswith(tool_path) for loss in losses)


def _cache(key: bytes | None, copy: bytes, losses: Sequence[Loss], at: Path, wire: ProviderWire) -> None:
    """Cache a written tool."""
    tool_path = format_path(at)
    relative = [replace(loss, path=loss.path[len(tool_path) :]) for loss in losses]
    size = len(copy) + sum(len(loss.path) + len(loss.reason) for loss in relative)
    wire.entries.put(key, CachedEntry(copy, relative), size)


def _write_cached(cached: CachedEntry, at: Path, writer: Writer) -> Any:
    """Return a new copy of a cached entry, and report its losses again."""
    tool_path = format_path(at) if cached.losses else ""
    for loss in cached.losses:
        writer.report(replace(loss, path=tool_path + loss.path))
    return from_bytes(cached.entry)
