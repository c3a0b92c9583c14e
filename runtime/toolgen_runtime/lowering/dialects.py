"""Dialects, as profiles state them: which JSON Schema a provider supports, and its limits."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from .schemas import Pointer, declares_null, list_at, object_at, required_names, subschemas

__all__ = ["Dialect", "count_optional_and_union_properties", "violated_limits"]

_CHOICES = frozenset(
    [
        "all_required",
        "closed",
        "definitions",
        "enum",
        "formats",
        "largest",
        "maps",
        "most",
        "nullable",
        "recursion",
        "refs",
        "ref_siblings",
        "says_open",
        "types",
        "untyped",
    ]
)
"""Settings that require lowering even if the dialect supports every keyword."""
_UNITS = {
    "properties": "properties",
    "depth": "levels",
    "values": "listed values",
    "characters": "characters of names and listed values",
    "long_list": "characters of the texts of one list",
}
"""What each limit counts."""

_LONG_LIST = 250
"""The number of values above which OpenAI limits the characters of an enum (guide on Structured Outputs)."""


class Dialect:
    """The JSON Schema rules of one mode of a provider.

    The keywords in `keywords` are supported, or all but the `refused` ones if it is None. These, and a few choices in the
    profile, decide what replaces the other keywords.
    """

    def __init__(self, facts: Mapping[str, Any]) -> None:
        """Read the facts of a dialect from the profile."""
        keywords = facts.get("keywords", "any")
        self.facts = facts
        self.keywords: frozenset[str] | None = None if keywords == "any" else frozenset(keywords)
        self.refused: frozenset[str] = frozenset(facts.get("refused", ()))
        self.needs: frozenset[str] = frozenset(facts.get("needs", ()))
        self.draft: str | None = facts.get("draft")
        self.formats: Mapping[str, Any] | None = _by_type(facts.get("formats"))
        self.nullable: str = facts.get("nullable", "type_list")
        self.types: str = facts.get("types", "many")
        self.refs: str = facts.get("refs", "keep" if self.supports("$ref") else "inline")
        self.definitions: str = facts.get("definitions", "own")
        self.ref_siblings: bool = facts.get("ref_siblings", True)
        self.recursion: str = facts.get("recursion", "keep" if self.refs == "keep" else "unroll")
        self.closed: bool = facts.get("closed", False)
        self.complete: bool = facts.get("complete", False)
        self.all_required: bool = facts.get("all_required", False)
        self.says_open: bool = facts.get("says_open", False)
        self.ordering: bool = facts.get("ordering", False)
        self.maps: str = facts.get("maps", "keep")
        self.unions: str = facts.get("unions", "merged")
        self.untyped: str = facts.get("untyped", "keep")
        self.enum: str = facts.get("enum", "any")
        self.most: Mapping[str, int] = facts.get("most", {})
        self.largest: Mapping[str, int] = facts.get("largest", {})
        self.patterns = re.compile(facts["patterns"]) if "patterns" in facts else None
        self.regex: str | None = facts.get("regex")
        self.properties = re.compile(facts["properties"]) if "properties" in facts else None
        self.root: Mapping[str, Any] = facts.get("root", {})
        self.limits: Mapping[str, int] = facts.get("limits", {})
        self.values: str = facts.get("values", "")
        self.plain = self.keywords is None and not facts.keys() & _CHOICES
        """Whether the schema is sent as it is, apart from names of properties, and from what `adapt_plain_schema` changes."""

    def supports(self, keyword: str) -> bool:
        """Return whether a keyword is supported."""
        return keyword not in self.refused if self.keywords is None else keyword in self.keywords

    def requires_type(self, pointer: Pointer) -> bool:
        """Return whether a schema at this location needs a type: every schema does, or every property."""
        if self.untyped == "text_properties":
            return pointer[-2:-1] == ("properties",)
        return self.untyped != "keep"

    def supports_pattern(self, pattern: Any) -> bool:
        """Return whether a regular expression is supported, as `pattern` or as a key of `patternProperties`."""
        if self.patterns is not None and not self.patterns.fullmatch(str(pattern)):
            return False
        return self.regex is None or _is_python_regex(str(pattern))

    def supports_format(self, kind: str | None, value: Any) -> bool:
        """Return whether a format is supported for values of a type."""
        if self.formats is None:
            return True
        return value in self.formats.get(kind or "string", ())

    def names_on_wire(self, names: Mapping[str, Any]) -> dict[str, str]:
        """Return a unique, legal name for each of an object's properties. Legal names do not change."""
        if self.properties is None:
            return {name: name for name in names}
        wire_names = {name: name for name in names if self.properties.fullmatch(name)}
        used = set(wire_names)
        for name in names:
            if name not in wire_names:
                wire_names[name] = self._legal_name(name, used)
                used.add(wire_names[name])
        return wire_names

    def _legal_name(self, name: str, used: set[str]) -> str:
        """Return a legal name like an illegal one that is not in use."""
        legal = re.sub(r"[^A-Za-z0-9_]+", "_", name)[:56] or "_"
        if self.properties is not None and not self.properties.fullmatch(legal):
            legal = f"p_{legal}"
        unique, n = legal, 1
        while unique in used:
            n += 1
            unique = f"{legal}_{n}"
        return unique


def _is_python_regex(pattern: str) -> bool:
    """Return whether Python's `re` compiles a pattern."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what `re` may read otherwise in a later version
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _by_type(formats: Any) -> Mapping[str, Any] | None:
    """Return the supported formats of each type. A profile may list only those of strings."""
    if formats is None or isinstance(formats, Mapping):
        return formats
    return {"string": formats}


def violated_limits(schema: Mapping[str, Any], dialect: Dialect) -> list[str]:
    """Describe the limits of the dialect that a schema exceeds."""
    if not dialect.limits:
        return []
    counts = dict.fromkeys(_UNITS, 0)
    for depth, inner in _walk_with_depth(schema):
        names = list(object_at(inner, "properties"))
        values = list_at(inner, "enum")
        counts["properties"] += len(names)
        counts["depth"] = max(counts["depth"], depth)
        counts["values"] += len(values)
        counts["characters"] += sum(len(str(text)) for text in [*names, *object_at(inner, "$defs"), *values])
        if len(values) > _LONG_LIST:
            counts["long_list"] = max(counts["long_list"], sum(len(text) for text in values if type(text) is str))
    return [
        f"{counts[limit]} {_UNITS[limit]}, but at most {most} are allowed"
        for limit, most in dialect.limits.items()
        if counts[limit] > most
    ]


def count_optional_and_union_properties(schema: Mapping[str, Any]) -> dict[str, int]:
    """Count what providers limit over all tools of a request: optional properties, and those with several types."""
    counts = {"optional": 0, "unions": 0}
    for _, inner in _walk_with_depth(schema):
        required = required_names(inner)
        for name, value in object_at(inner, "properties").items():
            counts["optional"] += name not in required
            counts["unions"] += _has_several_types(value)
    return counts


def _has_several_types(schema: Any) -> bool:
    return type(schema) is dict and ("anyOf" in schema or type(schema.get("type")) is list or declares_null(schema))


def _walk_with_depth(schema: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield every schema with its depth, as OpenAI counts it: 0 for the root, 1 for a definition."""
    waiting: list[tuple[int, Any]] = [(0, schema)]
    while waiting:
        depth, inner = waiting.pop()
        if isinstance(inner, Mapping):
            yield depth, inner
            for pointer, value in subschemas(inner):
                waiting.append((1 if pointer[0] == "$defs" else depth + 1, value))


def write_types_in_upper_case(schema: Any) -> Any:
    """Return a schema with its types in upper case."""
    if type(schema) is not dict:
        return schema
    return {keyword: _with_upper_case(keyword, value) for keyword, value in schema.items()}


def _with_upper_case(keyword: str, value: Any) -> Any:
    """Return the value of a keyword with types in upper case."""
    if keyword == "type" and type(value) is str:
        return value.upper()
    if keyword == "properties" and type(value) is dict:
        return {name: write_types_in_upper_case(inner) for name, inner in value.items()}
    if keyword == "anyOf" and type(value) is list:
        return [write_types_in_upper_case(inner) for inner in value]
    if keyword in ("items", "additionalProperties"):
        return write_types_in_upper_case(value)
    return value
