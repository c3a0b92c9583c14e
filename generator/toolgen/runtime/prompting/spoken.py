"""A call as a model writes it: one JSON object with `name` or `tool`, `arguments` or `args`, and what it was thinking.

In a ` ```tool ` fence whatever names a tool is a call, for the fence means nothing else: a name that nobody knows is
told to the model when the call is run, and JSON that is broken is a call that cannot be run. Elsewhere an object is a
call only if the JSON is right, it has arguments, and its name is one of those known; everything else is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...models import InvalidCall, OpaquePart, ToolDefinition
from ..conversion.residue import within
from ..json_texts.json_text import compact, loose
from ..json_texts.strict_json import JSONError, loads

__all__ = ["SpokenCall", "names_of", "spoken_calls"]

_STRING = r'"(?:[^"\\]|\\.)*+"'
_FIRST_NAME = re.compile(
    rf'\s*+\{{(?:\s*+"(?:id|reasoning)"\s*+:\s*+{_STRING}\s*+,)*\s*+"(?:name|tool)"\s*+:\s*+({_STRING})', re.DOTALL
)
_ANY_NAME = re.compile(rf'"(?:name|tool)"\s*+:\s*+({_STRING})', re.DOTALL)


@dataclass(slots=True)
class SpokenCall:
    """A call as it is written: the tool's name as `spelled` and as it is known, and the `identifier` it was given."""

    spelled: str
    name: str
    arguments: dict[str, Any]
    invalid: InvalidCall | None
    reasoning: str | None
    identifier: str | None
    text: str
    """The object as compact JSON, or what stands in its place."""


def names_of(tools: Iterable[ToolDefinition | OpaquePart]) -> dict[str, str]:
    """The tools' names by each name that text may use for them: their own, and aliases that are one tool's alone."""
    named = [tool for tool in tools if type(tool) is ToolDefinition]
    aliased: dict[str, str | None] = {}
    for tool in named:
        aliases = within(tool.metadata or {}, "declaration").get("$aliases")
        for alias in aliases if type(aliases) is list else ():
            if type(alias) is str:
                aliased[alias] = tool.name if aliased.get(alias, tool.name) == tool.name else None
    found = {alias: name for alias, name in aliased.items() if name is not None}
    return found | {tool.name: tool.name for tool in named}


def spoken_calls(body: str, names: Mapping[str, str] | None, *, explicit: bool) -> list[SpokenCall]:
    """The calls that a block holds: one object, or a list of them; none where that is not what it holds.

    `explicit` says that the block can mean nothing else than calls. Without `names` every name is a known one.
    """
    try:
        value = loads(body.strip(" \t\r\n"))
    except JSONError:
        return _broken(body, names) if explicit else []
    found = [_spoken(item, names, explicit) for item in (value if type(value) is list else [value])]
    calls = [call for call in found if call is not None]
    return calls if len(calls) == len(found) else []


def _spoken(value: Any, names: Mapping[str, str] | None, explicit: bool) -> SpokenCall | None:
    """The call that an object is."""
    if type(value) is not dict:
        return None
    said = [value[key] for key in ("name", "tool") if key in value]
    given = [value[key] for key in ("arguments", "args") if key in value]
    if not said or type(said[0]) is not str or not said[0].strip():
        return None
    spelled = said[0]
    if not explicit and (len(said) > 1 or len(given) != 1 or not _is_known(spelled, names)):
        return None
    text = compact(value)
    arguments, invalid = _arguments(given[0]) if given else ({}, None)
    if len(said) > 1 or len(given) > 1:
        arguments, invalid = {}, InvalidCall(text, "malformed")
    reasoning, identifier = (value.get(key) for key in ("reasoning", "id"))
    return SpokenCall(
        spelled,
        (names or {}).get(spelled, spelled),
        arguments,
        invalid,
        reasoning if type(reasoning) is str else None,
        identifier if type(identifier) is str else None,
        text,
    )


def _is_known(name: str, names: Mapping[str, str] | None) -> bool:
    return names is None or name in names


def _arguments(value: Any) -> tuple[dict[str, Any], InvalidCall | None]:
    """Arguments as an object, or as its JSON text; null is none."""
    if type(value) is dict:
        return value, None
    if value is None:
        return {}, None
    if type(value) is not str:
        return {}, InvalidCall(loose(value), "not_an_object")
    try:
        read = loads(value)
    except JSONError:
        return {}, InvalidCall(value, "malformed")
    return (read, None) if type(read) is dict else ({}, InvalidCall(value, "not_an_object"))


def _broken(body: str, names: Mapping[str, str] | None) -> list[SpokenCall]:
    """The call that a broken text was to be, where it says of which tool."""
    found = _FIRST_NAME.match(body) or _ANY_NAME.search(body)
    try:
        spelled = loads(found[1]) if found else ""
    except JSONError:
        spelled = ""
    if not spelled.strip():
        return []
    return [
        SpokenCall(spelled, (names or {}).get(spelled, spelled), {}, InvalidCall(body, "malformed"), None, None, body)
    ]
