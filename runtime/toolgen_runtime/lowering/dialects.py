"""Dialects, as profiles state them: which JSON Schema a provider supports, and its limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .schemas import Pointer, declares_null, required_names, subschemas

__all__ = ["Dialect", "count_optional_and_union_properties", "violated_limits"]

_CHOICES = frozenset(
    [
        "all_required",
        "closed",
        "enum",
        "formats",
        "maps",
        "most",
        "nullable",
        "patterns",
        "recursion",
        "refs",
        "ref_siblings",
        "says_open",
        "types",
        "untyped",
    ]
)
"""Settings that require lowering even if the dialect supports every keyword."""
_WORDS = {
    "properties": "properties",
    "depth": "levels",
    "values": "listed values",
    "characters": "characters of names and listed values",
    "long_list": "characters of the texts of one list",
}

_LONG_LIST = 250
"""The number of values above which OpenAI limits the characters of an enum (guide on Structured Outputs)."""


class Dialect:
    """The JSON Schema rules of one mode of a provider.

    The keywords in `keywords` are supported, or all if it is None. These, and a few choices in the profile, decide what
    replaces the other keywords.
    """

    def __init__(self, facts: Mapping[str, Any]) -> None:
        """Read the facts of a dialect from the profile."""
        keywords = facts.get("keywords", "any")
        self.facts = facts
        self.keywords: frozenset[str] | None = None if keywords == "any" else frozenset(keywords)
        self.formats: Mapping[str, Any] | None = _by_type(facts.get("formats"))
        self.nullable: str = facts.get("nullable", "type_list")
        self.types: str = facts.get("types", "many")
        self.refs: str = facts.get("refs", "keep" if self.supports("$ref") else "inline")
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
        self.patterns = re.compile(facts["patterns"]) if "patterns" in facts else None
        self.properties = re.compile(facts["properties"]) if "properties" in facts else None
        self.root: Mapping[str, Any] = facts.get("root", {})
        self.limits: Mapping[str, int] = facts.get("limits", {})
        self.values: str = facts.get("values", "")
        self.plain = self.keywords is None and not facts.keys() & _CHOICES
        """Whether everything inside the root is sent unchanged, apart from the names of properties."""

    def supports(self, keyword: str) -> bool:
        """Return whether a keyword is supported."""
        return self.keywords is None or keyword in self.keywords

    def requires_type(self, pointer: Pointer) -> bool:
        """Return whether a schema at this location needs a type: every schema does, or every property."""
        if self.untyped == "text_properties":
            return pointer[-2:-1] == ("properties",)
        return self.untyped != "keep"

    def supports_format(self, kind: str | None, value: Any) -> bool:
        """Return whether a format is supported for values of a type."""
        if self.formats is None:
            return True
        return value in self.formats.get(kind or "string", ())

    def name_on_wire(self, names: Mapping[str, Any]) -> dict[str, str]:
        """Return a unique, legal name for each of an object's properties. Legal names do not change."""
        if self.properties is None:
            return {name: name for name in names}
        found = {name: name for name in names if self.properties.fullmatch(name)}
        taken = set(found)
        for name in names:
            if name in found:
                continue
            made = re.sub(r"[^A-Za-z0-9_]+", "_", name)[:56] or "_"
            if not self.properties.fullmatch(made):
                made = f"p_{made}"
            encoded, n = made, 1
            while encoded in taken:
                n += 1
                encoded = f"{made}_{n}"
            taken.add(encoded)
            found[name] = encoded
        return found


def _by_type(formats: Any) -> Mapping[str, Any] | None:
    if formats is None or isinstance(formats, Mapping):
        return formats
    return {"string": formats}


def violated_limits(schema: Mapping[str, Any], dialect: Dialect) -> list[str]:
    """Describe the limits of the dialect that a schema exceeds."""
    if not dialect.limits:
        return []
    found: dict[str, int] = dict.fromkeys(_WORDS, 0)
    for depth, inner in _walked(schema, 0):
        properties = inner.get("properties")
        names = list(properties) if type(properties) is dict else []
        defined = list(inner["$defs"]) if type(inner.get("$defs")) is dict else []
        values = inner["enum"] if type(inner.get("enum")) is list else []
        found["properties"] += len(names)
        found["depth"] = max(found["depth"], depth)
        found["values"] += len(values)
        found["characters"] += sum(len(str(text)) for text in [*names, *defined, *values])
        if len(values) > _LONG_LIST:
            found["long_list"] = max(found["long_list"], sum(len(text) for text in values if type(text) is str))
    return [
        f"{found[what]} {_WORDS[what]}, but at most {most} are allowed"
        for what, most in dialect.limits.items()
        if found[what] > most
    ]


def count_optional_and_union_properties(schema: Mapping[str, Any]) -> dict[str, int]:
    """Count what providers limit over all tools of a request: optional properties, and those with several types."""
    found = {"optional": 0, "unions": 0}
    for _, inner in _walked(schema, 0):
        properties = inner.get("properties")
        if type(properties) is dict:
            required = required_names(inner)
            found["optional"] += sum(name not in required for name in properties)
            found["unions"] += sum(
                type(value) is dict and ("anyOf" in value or type(value.get("type")) is list or declares_null(value))
                for value in properties.values()
            )
    return found


def _walked(schema: Any, depth: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield every schema with its depth, as OpenAI counts it: 0 for the root, 1 for a definition."""
    waiting: list[tuple[int, Any]] = [(depth, schema)]
    while waiting:
        level, inner = waiting.pop()
        if isinstance(inner, Mapping):
            yield level, inner
            for pointer, value in subschemas(inner):
                waiting.append((1 if pointer[0] == "$defs" else level + 1, value))


def write_types_in_upper_case(schema: Any) -> Any:
    """Return a schema with its types in upper case."""
    if type(schema) is not dict:
        return schema
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "type" and type(value) is str:
            found[key] = value.upper()
        elif key == "properties" and type(value) is dict:
            found[key] = {name: write_types_in_upper_case(inner) for name, inner in value.items()}
        elif key == "anyOf" and type(value) is list:
            found[key] = [write_types_in_upper_case(inner) for inner in value]
        elif key in ("items", "additionalProperties"):
            found[key] = write_types_in_upper_case(value)
        else:
            found[key] = value
    return found
