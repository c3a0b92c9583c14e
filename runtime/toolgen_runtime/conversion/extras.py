"""Extras: what an object of the wire contains beyond the typed fields. They are read, kept and written back."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Any, Final

from ..json_values import same_json

if TYPE_CHECKING:
    from ..models import ToolDefinition

__all__ = [
    "ABSENT",
    "DEEPEST_OBJECT",
    "NO_EXTRAS",
    "SPELLING_MARKS",
    "UNREAD_CHOICE",
    "Extras",
    "UnsupportedValueError",
    "choice_extras",
    "contains_schema",
    "copy_extras",
    "declared_settings",
    "escape_marks",
    "extra_at",
    "find_value_and_key",
    "has_value_at",
    "inner_extras",
    "is_internal_mark",
    "is_null_or_empty",
    "keep_inner_extras",
    "merge_extras_into",
    "note_alias",
    "objects_in",
    "original_key",
    "restore_extras",
    "unmapped_members",
    "without_extra_at",
    "without_unread_choice",
]

Extras = dict[str, Any]


class _Absent:
    """The type of ABSENT."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Final[Any] = _Absent()
"""No value at all, as distinct from null."""


NO_EXTRAS: Final[Extras] = {}
"""No extras."""


def extra_at(extras: Extras, *key_path: str) -> Any:
    """Return the extra at a key path. ABSENT if there is none."""
    value: Any = extras
    for key in key_path:
        if type(value) is not dict or key not in value:
            return ABSENT
        value = value[key]
    return value


def without_extra_at(extras: Extras, *key_path: str) -> Extras:
    """Return the extras without the one at a key path, and without objects that become empty."""
    key, *further = key_path
    inner = without_extra_at(extras[key], *further) if further else {}
    remaining = {name: value for name, value in extras.items() if name != key}
    return {**remaining, key: inner} if inner else remaining


def unmapped_members(wire: dict[str, Any], mapped: Container[str]) -> Extras:
    """Return the members of `wire` that the typed fields do not contain: keys that are not `mapped`, and nulls."""
    extras: Extras = {}
    for key, value in wire.items():
        if value is None or key not in mapped:
            extras[f"${key}" if key[:1] == "$" else key] = escape_marks(value)
    return extras


DEEPEST_OBJECT = 4
"""How deep the objects of a mapping are nested at most."""


def copy_extras(extras: Extras, depth: int = DEEPEST_OBJECT) -> Extras:
    """Copy extras with those of inner objects. Other values inside are shared."""
    return {
        key: copy_extras(value, depth - 1) if depth and type(value) is dict and "$whole" not in value else value
        for key, value in extras.items()
    }


def inner_extras(extras: Mapping[str, Any], key: str) -> Extras:
    """Return the extras of the object at `key`. Empty if there are none.

    What was stored may be damaged. A mark that is not a list of keys is left out.
    """
    inner = extras.get(key)
    if type(inner) is not dict:
        return {}
    if type(inner.get("$absent", [])) is not list:
        inner = {name: value for name, value in inner.items() if name != "$absent"}
    return inner


def declared_settings(tool: ToolDefinition, provider: str = "declaration") -> Extras:
    """Return what the declaration of a tool says beyond its definition: to all providers, or to a single one."""
    return inner_extras(inner_extras(tool.metadata or {}, provider), "$declared")


def choice_extras(extras: Extras, key: str) -> tuple[Extras, list[Any]]:
    """Return the extras of the first choice of a response, which are at `key`, and the further choices as they were."""
    choices = extras.get(key)
    if type(choices) is not list or not choices:
        return {}, []
    return inner_extras({key: choices[0]}, key), choices[1:]


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list that may be damaged; none if it is not a list."""
    return [item for item in value if type(item) is dict] if type(value) is list else []


def keep_inner_extras(extras: Extras, holder: dict[str, Any], key: str, inner: Extras) -> None:
    """Add the extras of an object inside another one to `extras`. An empty object is also kept."""
    if inner or holder.get(key) == {}:
        extras[key] = inner


_MARKS = frozenset(["$", "$absent", "$around", "$read", "$synthetic", "$whole"])


SPELLING_MARKS = frozenset(["$absent", "$as", "$apart", "$beside", "$inline", "$numbers", "$within"])
"""The marks that only say how something is spelled. They hold for all hosts of an API."""


UNREAD_CHOICE = "$choice"
"""The mark of a request whose tool choice is about the provider's own tools, or unknown: the path of its extra."""


def without_unread_choice(extras: Extras) -> Extras:
    """Return the extras of a request without a tool choice that only its own provider has."""
    path = extras.get(UNREAD_CHOICE)
    key_path = path.split(".") if type(path) is str else ()
    return without_extra_at(extras, *key_path) if key_path and extra_at(extras, *key_path) is not ABSENT else extras


def escape_marks(value: Any) -> Any:
    """Return a value of the wire as an extra. An object that looks like a mark, or has one inside, becomes `{"$": value}`."""
    if type(value) is dict and (is_internal_mark(value) or any(map(is_internal_mark, value.values()))):
        return {"$": value}
    return value


def unescape_marks(extra: Any) -> Any:
    """Return the value of the wire for an extra of `escape_marks`."""
    return extra["$"] if _is_escaped(extra) else extra


def _is_escaped(extra: Any) -> bool:
    return type(extra) is dict and extra.keys() == {"$"}


def is_internal_mark(value: Any) -> bool:
    """Return whether an extra is only a mark made by toolgen, which is never sent."""
    return type(value) is dict and not _MARKS.isdisjoint(value)


def _is_lone_mark(value: Any) -> bool:
    """Return whether a value inside an extra is a mark of a key whose object is not written."""
    return is_internal_mark(value) and len(value) == 1


def _without_marks(extra: Any) -> Any:
    """Return an extra without marks of keys in it. `ABSENT` if nothing else is in it."""
    if is_internal_mark(extra):
        return ABSENT
    if type(extra) is not dict or not any(map(_is_lone_mark, extra.values())):
        return extra
    return {key: value for key, value in extra.items() if not _is_lone_mark(value)} or ABSENT


def is_null_or_empty(value: Any) -> bool:
    """Return whether a value is null, or an empty text or list. An empty object may switch something on."""
    return value is None or value == "" or value == []


def restore_extras(wire: dict[str, Any], extras: Extras) -> None:
    """Add extras to an object that was written from typed fields. What is already written wins."""
    for extra_key, value in extras.items():
        if extra_key[:1] == "$" and extra_key[:2] != "$$":
            continue  # a mark
        key = extra_key[1:] if extra_key[:1] == "$" else extra_key
        if key not in wire:
            original = value["$"] if _is_escaped(value) else _without_marks(value)
            if original is not ABSENT:
                wire[key] = original
        elif type(value) is dict and type(wire[key]) is dict:
            merged = dict(wire[key])
            restore_extras(merged, value)
            wire[key] = merged


def merge_extras_into(value: Any, provider: str, extras: Extras) -> None:
    """Add extras of a provider to the metadata of a value."""
    if extras:
        value.metadata = {
            **(value.metadata or {}),
            provider: {**inner_extras(value.metadata or {}, provider), **extras},
        }


def find_value_and_key(wire: dict[str, Any], key: str, *aliases: str) -> tuple[Any, str]:
    """Return the first value that is not None at several keys, and its key."""
    value = wire.get(key)
    if value is None:
        for alias in aliases:
            aliased = wire.get(alias)
            if aliased is not None:
                return aliased, alias
    return value, key


def note_alias(extras: Extras, key: str, alias: str) -> None:
    """Record in the extras that `alias` was used instead of `key`."""
    if alias != key:
        extras.pop(alias, None)
        extras["$as"] = {**extras.get("$as", {}), key: alias}


def original_key(extras: Extras, key: str) -> str:
    """Return the key that was used instead of `key` when the object was read."""
    return str(inner_extras(extras, "$as").get(key, key))


def has_value_at(wire: dict[str, Any], *keys: str) -> bool:
    """Return whether there is a value at a key path."""
    value: Any = wire
    for key in keys:
        if type(value) is not dict or value.get(key) is None:
            return False
        value = value[key]
    return True


class UnsupportedValueError(Exception):
    """A value that the wire cannot express. The converter reports the loss with this reason."""


def contains_schema(extras: Any, schema: Mapping[str, Any]) -> bool:
    """Return whether a provider's extras of a tool contain this schema, a few levels deep."""
    waiting = [(extras, 0)]
    while waiting:
        value, depth = waiting.pop()
        if type(value) is dict:
            if same_json(value, schema):
                return True
            if depth < 4:
                waiting += [(inner, depth + 1) for inner in value.values()]
    return False
