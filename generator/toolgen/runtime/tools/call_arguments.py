"""The arguments of a call as a model: strictly first, then with coercion.

Calls that were read by a provider's module are already decoded. This applies the same coercion to calls from elsewhere.
Each difference is reported as a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..conversion.writer import OnLoss
from ..json_text import same_json, too_deep
from ..models import Loss, ToolCall
from ..paths import ROOT, Path, format_path
from .arguments import ArgumentsError, Fault, type_of, unknown_tool
from .tool_entries import ToolEntry

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["parsed_call"]


def parsed_call(
    entries: Mapping[str, ToolEntry],
    call: ToolCall,
    on_loss: OnLoss | None = None,
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> BaseModel:
    """Make the model of a call's arguments; `on_loss` hears a note for each value that was taken for another one.

    `aliases` has the tools that other names stand for.

    Raises:
        ArgumentsError: The call is invalid, the tool does not exist, or the arguments do not fit it.
    """
    if call.invalid is not None:
        raise ArgumentsError(call.name, [Fault("", "a valid call", f"a call with the reason {call.invalid.reason}")])
    entry = entries.get(aliases.get(call.name, call.name))
    if entry is None:
        raise unknown_tool(call.name, entries)
    try:
        return entry.parsed(call.arguments)
    except ArgumentsError as error:
        if too_deep(call.arguments):
            raise
        lenient = entry.lenient()
        meant = call.arguments if lenient is None else lenient.decode(call.arguments)
        if type(meant) is not dict:
            raise
        notes = list(_differences(call.arguments, meant, (ROOT, "arguments")))
        if not notes:
            raise
        try:
            model = entry.parsed(meant)
        except ArgumentsError:
            raise error from None
    if on_loss is not None:
        for note in notes:
            on_loss(note)
    return model


def _differences(said: Any, meant: Any, at: Path) -> Iterator[Loss]:
    """Yield a note for each value that was coerced."""
    if type(said) is dict and type(meant) is dict:
        for name, item in said.items():
            if name in meant:
                yield from _differences(item, meant[name], (at, name))
            else:
                yield _note((at, name), "null", "null means that the optional property is absent")
    elif type(said) is list and type(meant) is list:
        for i, (item, other) in enumerate(zip(said, meant, strict=True)):
            yield from _differences(item, other, (at, i))
    elif not same_json(said, meant):
        yield _note(at, type_of(said), f"the value was read as {type_of(meant)}")


def _note(at: Path, what: str, reason: str) -> Loss:
    return Loss(format_path(at), what, "rewritten", "note", reason)
