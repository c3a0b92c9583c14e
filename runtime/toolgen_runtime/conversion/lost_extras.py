"""What it means that another provider cannot have the extras of a value, key by key."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any, NamedTuple

from ..json_values import same_json
from ..shipped_providers import EXTRAS
from .extras import is_internal_mark, is_null_or_empty

__all__ = ["ExtrasFacts", "LostMember", "facts_about_extras", "lost_members"]


class LostMember(NamedTuple):
    """A key that another provider cannot have: the path to it in the extras, and whether it changes what the model does."""

    key_path: tuple[str, ...]
    is_warning: bool


class ExtrasFacts:
    """What a profile says about keys that no field has, in its section `extras`.

    `objects` are the keys of objects that are read, whose extras stand inside. `spelled` are keys whose fields have all
    that they say, so their extras are only another spelling.
    """

    def __init__(self, section: Mapping[str, Any]) -> None:
        self.objects = frozenset(section.get("objects", ()))
        self.spelled = frozenset(section.get("spelled", ()))
        self._schemas = frozenset(section.get("schemas", ()))
        self._silent = frozenset(section.get("silent", ()))
        self._state = frozenset(section.get("state", ()))
        self._notes = self._state.union(section.get("notes", ()))
        self._defaults: Mapping[str, Any] = section.get("defaults", {})
        self._known: frozenset[str] | None = frozenset(section["known"]) if section.get("known") is not None else None

    def says_nothing(self, key: str, value: Any, outer: str = "") -> bool:
        """Return whether a key of the object at `outer` only says what a model does without it, or nothing to a model."""
        if is_null_or_empty(value) or (key in self._defaults and same_json(value, self._defaults[key])):
            return True
        is_silent = key in self._silent or key in self.spelled or key in self._schemas
        return is_silent and f"{outer}.{key}" not in self._notes

    def is_note(self, key: str, value: Any, outer: str = "") -> bool:
        """Return whether the loss of a key of the object at `outer` is only a note."""
        return f"{outer}.{key}" in self._notes or _is_listed(key, value, self._notes)

    def takes_from_hosts(self, key: str, value: Any) -> bool:
        """Return whether the API may be sent a key without a field that another one of its hosts was sent."""
        if key in self._silent or _is_listed(key, value, self._state):
            return False
        return key in self.spelled or self._known is None or key in self._known


def _is_listed(key: str, value: Any, keys: Container[str]) -> bool:
    """Return whether `keys` contains a key, or one of the object that is its value, or the first in its list."""
    if key in keys:
        return True
    inner = value[0] if type(value) is list and value else value
    return type(inner) is dict and any(f"{key}.{name}" in keys for name in inner)


_FACTS = {provider: ExtrasFacts(section) for provider, section in EXTRAS.items()}
_NO_FACTS = ExtrasFacts({})


def facts_about_extras(provider: str, api: str = "") -> ExtrasFacts:
    """Return what the profile of a provider says, or else that of its API. Nothing is known of any other."""
    return _FACTS.get(provider) or _FACTS.get(api) or _NO_FACTS


_DEEPEST = 8
"""How deep extras are inside each other at most. What was stored may be damaged."""


def lost_members(
    extras: Any, facts: ExtrasFacts, at: tuple[str, ...] = (), depth: int = _DEEPEST
) -> Iterator[LostMember]:
    """Return the keys in extras that another provider cannot have. What only says how a value is spelled is no loss."""
    if type(extras) is not dict or not depth:
        return
    for extra_key, extra in extras.items():
        if extra_key in ("$around", "$messages"):
            for inner in extra if type(extra) is list else [extra]:
                yield from lost_members(inner, facts, at, depth - 1)
        if extra_key[:1] == "$" and extra_key[:2] != "$$":
            continue
        key = extra_key.removeprefix("$")
        key_path = (*at, key)
        outer = at[-1] if at else ""
        if facts.says_nothing(key, extra, outer):
            continue
        if type(extra) is dict and is_internal_mark(extra) and "$" not in extra:
            yield from _lost_inside(extra, facts, key_path, depth - 1)
        elif key in facts.objects and type(extra) is dict:
            yield from lost_members(extra, facts, key_path, depth - 1)
        elif key in facts.objects and type(extra) is list:  # only the first one is read
            yield from lost_members(extra[0], facts, key_path, depth - 1)
            yield from [LostMember(key_path, True)] if extra[1:] else ()
        else:
            yield LostMember(key_path, not facts.is_note(key, extra, outer))


def _lost_inside(extra: dict[str, Any], facts: ExtrasFacts, at: tuple[str, ...], depth: int) -> Iterator[LostMember]:
    """Return the keys that a value has beyond what was read of it: the value itself if nothing of it was."""
    if "$read" in extra:
        yield from lost_members(extra, facts, at, depth)
    elif "$around" in extra:
        yield from lost_members({"$around": extra["$around"]}, facts, at, depth)
    unread = extra.get("$unread")
    if unread is True:
        yield LostMember(at, not facts.is_note(at[-1], extra))
    yield from (LostMember((*at, str(key)), True) for key in unread) if type(unread) is list else ()
