"""Keys and enum values that Gemini accepts in several forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["ENUM_NUMBER_PATHS", "KeyNormalization", "convert_enum_names_to_numbers", "normalize_keys"]

_UNDERSCORE = r"(?<=[^_])_([a-z0-9])"

_NO_NUMBERS: Mapping[str, Sequence[str]] = {}

ENUM_NUMBER_PATHS = "$numbers"
"""The key of a body under which reading lists the paths of enum values that were numbers."""


class KeyNormalization:
    """How keys are normalized: a `free` key has a value of the user, and an object under a `maps` key has names as keys.

    Values of `upper` keys are read in any case. `numbers` has the enum values of a key in the order of their numbers:
    with `enum-encoding=int` the API reads and writes numbers.
    """

    __slots__ = ("free", "maps", "numbers", "upper")

    def __init__(
        self,
        free_keys: Iterable[str],
        map_keys: Iterable[str],
        upper_keys: Iterable[str] = (),
        enum_numbers: Mapping[str, Sequence[str]] = _NO_NUMBERS,
    ) -> None:
        self.free = frozenset(free_keys)
        self.maps = frozenset(map_keys)
        self.upper = frozenset(upper_keys)
        self.numbers = enum_numbers


def normalize_keys(value: Any, key_normalization: KeyNormalization) -> Any:
    """Return the value with its keys in camelCase. If a key is present in both forms, both stay.

    Enum values that are numbers become words; a body lists their paths under `ENUM_NUMBER_PATHS`. The argument is not modified. If
    nothing changes, it is returned itself.
    """
    if _is_normalized(value, key_normalization):
        return value
    numbered: list[list[str | int]] = []
    normalized = _normalized(value, key_normalization, [], numbered)
    if numbered and type(normalized) is dict and ENUM_NUMBER_PATHS not in normalized:
        normalized[ENUM_NUMBER_PATHS] = numbered
    return normalized


def _is_normalized(value: Any, key_normalization: KeyNormalization) -> bool:
    """Return whether there is nothing to change."""
    kind = type(value)
    if kind is dict:
        for key, item in value.items():
            if "_" in key:
                return False
            kind = type(item)
            if kind is str:
                if key in key_normalization.upper and not item.isupper():
                    return False
            elif kind is dict or kind is list:
                if key not in key_normalization.free and not _is_normalized(item, key_normalization):
                    return False
            elif kind is int and key in key_normalization.numbers:
                return False
    elif kind is list:
        for item in value:
            if not _is_normalized(item, key_normalization):
                return False
    return True


def _normalized(
    value: Any, key_normalization: KeyNormalization, at: list[str | int], numbered: list[list[str | int]]
) -> Any:
    """Return the value with normalized keys and enum values. `at` is its path; paths of enum numbers are added to `numbered`."""
    kind = type(value)
    if kind is list:
        return [_normalized(item, key_normalization, [*at, i], numbered) for i, item in enumerate(value)]
    if kind is not dict:
        return value
    normalized: dict[str, Any] = {}
    for key, item in value.items():
        name = re.sub(_UNDERSCORE, lambda hit: hit[1].upper(), key) if "_" in key else key
        if name != key and name in value:
            name = key
        if name in key_normalization.free:
            normalized[name] = item
        elif name in key_normalization.maps and type(item) is dict:
            normalized[name] = {
                member: _normalized(inner, key_normalization, [*at, name, member], numbered)
                for member, inner in item.items()
            }
        elif name in key_normalization.upper and type(item) is str:
            normalized[name] = item.upper()
        elif type(item) is int and name in key_normalization.numbers:
            names = key_normalization.numbers[name]
            normalized[name] = names[item] if 0 <= item < len(names) else str(item)
            numbered.append([*at, name])
        else:
            normalized[name] = _normalized(item, key_normalization, [*at, name], numbered)
    return normalized


def convert_enum_names_to_numbers(body: dict[str, Any], key_normalization: KeyNormalization) -> dict[str, Any]:
    """Return the body with numbers for the enum values that were read as numbers, at the paths under `ENUM_NUMBER_PATHS`.

    The argument is not modified.
    """
    paths = body.get(ENUM_NUMBER_PATHS)
    if type(paths) is not list or not all(type(path) is list and path for path in paths):
        return body
    tree: dict[Any, Any] = {}
    for path in paths:
        branch = tree
        for step in path:
            branch = branch.setdefault(step, {}) if type(step) in (str, int) else {}
    numbered: dict[str, Any] = _numbered(
        {key: body[key] for key in body if key != ENUM_NUMBER_PATHS}, tree, key_normalization
    )
    return numbered


def _numbered(value: Any, tree: dict[Any, Any], key_normalization: KeyNormalization) -> Any:
    """Return a copy of an object or array in which the words at the ends of `tree` are numbers."""
    copy: Any = value.copy()
    for step, further in tree.items():
        if type(copy) is dict:
            inner: Any = copy.get(step)
        else:
            inner = copy[step] if type(step) is int and 0 <= step < len(copy) else None
        if type(inner) is dict or type(inner) is list:
            copy[step] = _numbered(inner, further, key_normalization)
        elif type(inner) is str and type(step) is str and step in key_normalization.numbers:
            copy[step] = _number_of(inner, key_normalization.numbers[step])
    return copy


def _number_of(name: str, names: Sequence[str]) -> Any:
    """Return the number of an enum name. Digits without a name are the number itself."""
    for number, enum_name in enumerate(names):
        if enum_name.upper() == name.upper():
            return number
    return int(name) if name.isascii() and name.isdigit() and len(name) < 10 else name
