"""The tools of a request: which ones the model may call, and the name, schema and declared settings of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Literal

from ..errors import ConversionError, type_name, wrong_class
from ..json_values import apply_merge_patch, is_json
from ..models import AllowedToolChoice, Loss, NamedToolChoice, OpaquePart, Request, ToolChoice, ToolDefinition
from ..paths import ROOT, Path, format_path
from .cache import from_bytes, to_bytes, to_key
from .extras import ABSENT, Extras, declared_settings, inner_extras, restore_extras
from .message_order import check_messages
from .reader import Reader, check_tools
from .values import write_list
from .wire import ProviderWire
from .writer import Writer

__all__ = [
    "OMITTED",
    "check_request",
    "check_tool_names",
    "fill_pattern",
    "has_tools_for_provider",
    "match_pattern",
    "none_if_empty",
    "offers_chosen_tools",
    "read_choice",
    "report_choice_without_tools",
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


def fill_pattern(pattern: Any, mode: str, names: list[str]) -> Any:
    """Fill the placeholders of a pattern with a mode and names."""
    if type(pattern) is dict:
        return {key: fill_pattern(value, mode, names) for key, value in pattern.items()}
    if type(pattern) is list and len(pattern) == 1 and _holds(pattern[0]):
        return [fill_pattern(pattern[0], mode, [name]) for name in names]
    if pattern == "$mode":
        return mode
    if pattern == "$name":
        return names[0]
    return pattern


def match_pattern(pattern: Any, value: Any) -> tuple[str | None, list[str], Extras] | None:
    """Match a value with a pattern. Return mode, names and keys that the pattern lacks. None if it does not match."""
    found: dict[str, list[str]] = {"$mode": [], "$name": []}
    extras = _match(pattern, value, found)
    if extras is ABSENT:
        return None
    return found["$mode"][0] if found["$mode"] else None, found["$name"], extras


def _holds(pattern: Any) -> bool:
    if type(pattern) is dict:
        return any(map(_holds, pattern.values()))
    return bool(pattern == "$name")


def _match(pattern: Any, value: Any, found: dict[str, list[str]]) -> Any:
    if type(pattern) is dict:
        if type(value) is not dict:
            return ABSENT
        extras = {key: item for key, item in value.items() if key not in pattern}
        for key, inner in pattern.items():
            left = _match(inner, value.get(key, ABSENT), found)
            if left is ABSENT:
                return ABSENT
            if left:
                extras[key] = left
        return extras
    if type(pattern) is list and len(pattern) == 1 and _holds(pattern[0]):
        if type(value) is not list or any(_match(pattern[0], item, found) != {} for item in value):
            return ABSENT
        return {}
    if pattern in ("$mode", "$name"):
        if type(value) is not str:
            return ABSENT
        found[pattern].append(value)
        return {}
    return {} if type(value) is type(pattern) and value == pattern else ABSENT


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
    if "named" in table and (found := match_pattern(table["named"], value)) and len(found[1]) == 1:
        _, names, extras = found
        return NamedToolChoice(reader.tool_name(names[0]), reader.as_metadata(extras))
    mode_names = _mode_names(table)
    if "allowed" in table and (found := match_pattern(table["allowed"], value)) and found[1]:
        known = [reader.tool_name(name) for name in found[1]]
        for mode in ("auto", "required"):
            if found[0] == mode_names[mode]:
                return AllowedToolChoice(known, mode, reader.as_metadata(found[2]))
    for choice in _CHOICES:
        if choice in table and match_pattern(table[choice], value):
            return choice
    return None


def _mode_names(table: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the wire's words for whether a call is optional (`auto`) or required."""
    return {"auto": "auto", "required": "required", **table.get("modes", {})}


def none_if_empty(choice: ToolChoice | None) -> ToolChoice | None:
    """Return `none` for a list without names: it permits no tool, but wires read an empty list as no restriction."""
    return "none" if type(choice) is AllowedToolChoice and not choice.names and choice.mode != "required" else choice


def write_choice(choice: ToolChoice, at: Path, writer: Writer, table: Mapping[str, Any]) -> Any:
    """Write a tool choice. One that is not in the table is a loss of behaviour, except `auto`, which is the default.

    Raises:
        ConversionError: It names a tool that excludes this provider, or the loss is one of behaviour and not permitted.
    """
    row: str
    mode: str
    if type(choice) is AllowedToolChoice and not choice.names:
        if choice.mode == "required":
            writer.report_loss(at, "toolChoice", "dropped", "it requires a call, but permits no tool", "behaviour")
            return ABSENT
        writer.report_loss(at, "toolChoice", "rewritten", "it permits no tool")
        choice = "none"
    if type(choice) is NamedToolChoice:
        row, mode, names, extras = "named", "required", [choice.name], writer.own_extras(choice.metadata, at)
    elif type(choice) is AllowedToolChoice:
        row, mode, names, extras = (
            "allowed",
            choice.mode or "auto",
            choice.names,
            writer.own_extras(choice.metadata, at),
        )
    elif choice not in _CHOICES:
        known = f"{', '.join(_CHOICES)}, a NamedToolChoice or an AllowedToolChoice"
        raise ConversionError(format_path(at), f"is not one of {known}")
    else:
        row, mode, names, extras = str(choice), "", [], {}
    refused = writer.wire.refused.intersection(names)
    if refused:
        raise ConversionError(format_path(at), f"names a tool that {writer.wire.title} is not offered")
    if row not in table:
        if row == "auto":
            return ABSENT
        writer.report_loss(
            at, "toolChoice", "dropped", f"{writer.wire.title} does not support this choice", "behaviour"
        )
        return ABSENT
    if table[row] == OMITTED:
        writer.report_loss(at, "toolChoice", "defaulted", "it is the default")
        return ABSENT
    wire_names = [writer.tool_name(name, (at, "name")) for name in names]
    written = fill_pattern(table[row], _mode_names(table).get(mode, mode), wire_names)
    if type(written) is str and names and any(written == table.get(other) for other in _CHOICES):
        writer.report_loss(
            at, "toolChoice", "dropped", f"{writer.wire.title} has another meaning for this name", "behaviour"
        )
        return ABSENT
    if row == "allowed" and len(names) == 1 and match_pattern(table.get("named"), written):
        writer.report_loss(at, "toolChoice", "rewritten", "the choice names the only tool that may be called")
    if extras and type(written) is dict:
        restore_extras(written, extras)
    return written


def has_tools_for_provider(tools: Sequence[Any] | None, wire: ProviderWire) -> bool:
    """Return whether a request offers functions that this provider may get, or tools of this provider."""
    return any(
        tool.name not in wire.refused if type(tool) is ToolDefinition else tool.provider == wire.name
        for tool in tools or ()
    )


def offers_chosen_tools(choice: ToolChoice | None, tools: Sequence[Any] | None, wire: ProviderWire) -> bool:
    """Return whether a request offers a tool that a choice names. The provider's own tools may have any name."""
    names = [choice.name] if type(choice) is NamedToolChoice else None
    names = choice.names if type(choice) is AllowedToolChoice else names
    return not names or any(
        tool.name in names if type(tool) is ToolDefinition else tool.provider == wire.name for tool in tools or ()
    )


def report_choice_without_tools(choice: ToolChoice, at: Path, writer: Writer, *, has_others: bool = False) -> None:
    """Report a choice that is left out because the request lacks its tools, or has no tools at all.

    One that requires a call is a loss of behaviour, and so is one that excludes the others.
    """
    optional = choice in ("auto", "none") or (type(choice) is AllowedToolChoice and choice.mode != "required")
    severity: Literal["note", "behaviour"] = "note" if optional and not has_others else "behaviour"
    reason = "the request has no tool that it names" if has_others else "the request has no tools"
    writer.report_loss(at, "toolChoice", "dropped", reason, severity)


Write = Callable[[Any, Path, Writer], Any]


def write_tools(tools: Sequence[Any], extra: Any, at: Path, writer: Writer, write: Write) -> Any:
    """Write the tools of a request. Return ABSENT if there are none: many APIs reject an empty list, unless it was read."""
    if writer.wire.strict_together:
        _report_strict_without_effect(tools, at, writer)
    written = write_list(tools, at, writer, _first_of_each_name(write) if writer.wire.unique_names else write)
    if written or at == ROOT or (type(extra) is dict and "$whole" in extra):
        return written
    writer.report_loss(at, "tools", "dropped", "the list is empty, which many APIs reject")
    return ABSENT


def _report_strict_without_effect(tools: Sequence[Any], at: Path, writer: Writer) -> None:
    """Report strict tools beside others, where strict mode has an effect only if all tools are strict."""
    named = [(i, tool) for i, tool in enumerate(tools) if type(tool) is ToolDefinition]
    strict = [i for i, tool in named if writer.wire.strictness(tool, {})]
    for i in strict if len(strict) < len(named) else ():
        reason = f"{writer.wire.title} enforces it only if all tools of a request are strict"
        writer.report_loss(((at, i), "strict"), "strict", "dropped", reason, "warning")


def _first_of_each_name(write: Write) -> Write:
    """Return a writer that leaves out tools whose name an earlier tool has."""
    first: dict[str, ToolDefinition] = {}

    def write_first(tool: Any, at: Path, writer: Writer) -> Any:
        if type(tool) is ToolDefinition:
            if tool.name in first:
                severity: Literal["note", "warning"] = "note" if first[tool.name] == tool else "warning"
                reason = "an earlier one has its name, which the API rejects"
                writer.report_loss(at, "a tool", "dropped", reason, severity)
                return ABSENT
            first[tool.name] = tool
        return write(tool, at, writer)

    return write_first


_facts_of = attrgetter(*ToolDefinition.__match_args__)


def write_tool_with_provider_settings(tool: Any, at: Path, writer: Writer, write: Write) -> Any:
    """Write a tool. What its declaration states about this provider is in its metadata, and is applied last.

    Its `description` for this provider replaces the other, its `patch` is a merge patch (RFC 7396) on the entry. Entries
    are cached with their losses, because the same tools are sent with every request.

    Raises:
        ConversionError: The declaration excludes this provider, and `on_unsupported` is "error".
    """
    if type(tool) is not ToolDefinition:
        return write(tool, at, writer)
    wire, facts, budget_used = writer.wire, _facts_of(tool), writer.budget_used
    key = to_key(facts)
    known = wire.entries.get(key)
    if known is not None and not (known[1] and wire.schema_lowering.exceeded_limits(known[1], budget_used)):
        return _from_cache(*known, at, writer)
    before, reported = dict(budget_used), len(writer.losses)
    entry, alike = _written(tool, at, writer, write)
    renamed = writer.names.get(tool.name, tool.name) != tool.name and tool.name not in wire.names  # always reported
    losses, tool_path = writer.losses[reported:], format_path(at)
    permitted = all(loss.severity != "behaviour" and loss.path.startswith(tool_path) for loss in losses)
    if alike and not renamed and permitted and is_json(entry) and is_json(list(facts)):
        wanted = {
            what: count - before.get(what, 0) for what, count in budget_used.items() if count != before.get(what, 0)
        }
        copy = to_bytes(entry)
        if copy is not None:
            relative = [replace(loss, path=loss.path[len(tool_path) :]) for loss in losses]
            size = len(copy) + sum(len(loss.path) + len(loss.reason) for loss in relative)
            wire.entries.put(key, (copy, wanted, relative), size)
            return from_bytes(copy)
    return entry


def _from_cache(copy: bytes, wanted: Mapping[str, int], losses: Sequence[Loss], at: Path, writer: Writer) -> Any:
    """Return a new copy of a cached entry. Its share of the limits is used, and its losses are reported again."""
    for what, count in wanted.items():
        writer.budget_used[what] = writer.budget_used.get(what, 0) + count
    if losses:
        tool_path = format_path(at)
        for loss in losses:
            writer.report(Loss(tool_path + loss.path, loss.what, loss.action, loss.severity, loss.reason))
    return from_bytes(copy)


def _written(tool: ToolDefinition, at: Path, writer: Writer, write: Write) -> tuple[Any, bool]:
    """Write a tool, and return whether it would be written the same together with any other tools.

    Raises:
        ConversionError: The declaration excludes this provider, and `on_unsupported` is "error".
    """
    if tool.name in writer.wire.refused:
        writer.report_loss(at, "a tool", "dropped", f"its declaration excludes {writer.wire.title}", "behaviour")
        return ABSENT, False
    declared, own = declared_settings(tool), declared_settings(tool, writer.wire.name)
    writer.is_declared_tool = "strict" in declared
    adjusted = _with_strictness(tool, at, writer)
    if type(own.get("description")) is str:
        adjusted = replace(adjusted, description=own["description"])
    entry = write(adjusted, at, writer)
    writer.is_declared_tool = False
    for name, key in writer.wire.declared_keys.items():
        if name in declared and type(entry) is dict:
            entry = {**entry, key: declared[name]}
    patch = inner_extras(own, "patch")
    if patch and type(entry) is dict:
        entry = apply_merge_patch(entry, patch)
    return entry, adjusted.strict == tool.strict or adjusted.strict is True or not _would_be_strict_alone(tool, writer)


def _would_be_strict_alone(tool: ToolDefinition, writer: Writer) -> bool:
    """Return whether a tool would be strict if earlier tools had not used up the limits."""
    return bool(writer.wire.schema_lowering.choose_strictness(tool.parameters, {})[0])


def _with_strictness(tool: ToolDefinition, at: Path, writer: Writer) -> ToolDefinition:
    """Return a tool with `strict` decided for this wire.

    Raises:
        ConversionError: The schema does not support strict mode, and `on_unsupported` is "error".
    """
    strict = writer.wire.strictness(tool, writer.budget_used)
    if strict == tool.strict:
        return tool
    if tool.strict:
        refused = writer.wire.unsupported_strict_changes(tool)
        writer.report_loss((at, "strict"), "strict", "dropped", f"{refused[0].what}: {refused[0].reason}", "behaviour")
        writer.downgraded.add(tool.name)
    return replace(tool, strict=strict)
