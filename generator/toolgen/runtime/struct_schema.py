"""Lowering for a server that decodes schemas into structs of its own: what has no member there is dropped.

References are resolved, for a struct has no member for them; `const` and `oneOf` are said by `enum` and `anyOf`. What
stands under `items` is taken as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

__all__ = ["lower_for_structs"]

Way = tuple[str | int, ...]
Action = Literal["dropped", "rewritten"]
Report = Callable[[Way, str, Action], object]
"""Called with the way to a schema, a keyword of it, and whether that is gone or the schema says it in other words."""

_MOST = 1000
"""References that are resolved in one schema; each may stand for a schema with more of them."""

_MAPS = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
_VALUES = ("const", "default", "enum", "examples")
"""Keywords whose value is data, whatever it looks like."""


def lower_for_structs(schema: Mapping[str, Any], dialect: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """Lower the schema of a tool's parameters.

    `dialect` has the `keywords` of the struct, and for the `root` those that it is `without`, and its `type`.
    """
    root = dialect.get("root", {})
    keywords = frozenset(dialect["keywords"])
    lowering = _Lowering(schema, keywords, report)
    lowered: dict[str, Any] = lowering.struct(schema, (), (), keywords.difference(root.get("without", ())))
    if lowered.get("type") != root["type"] or "properties" not in lowered:
        report((), "type" if "properties" in lowered else "properties", "rewritten")
        lowered = {"type": root["type"], "properties": {}, **{k: v for k, v in lowered.items() if k != "type"}}
    return lowered


class _Lowering:
    def __init__(self, root: Mapping[str, Any], keywords: frozenset[str], report: Report) -> None:
        self.root = root
        self.keywords = keywords
        self.report = report
        self.left = _MOST

    def struct(self, schema: Any, way: Way, through: tuple[str, ...], keywords: frozenset[str]) -> Any:
        """A schema as the struct holds it; `through` are the references that led here."""
        if type(schema) is bool:
            self.report(way, "a schema", "rewritten")
            return {}
        if not isinstance(schema, Mapping):
            return schema
        schema, through = self.resolved(schema, way, through)
        lowered: dict[str, Any] = {}
        for keyword, value in _in_known_words(schema, way, self.report).items():
            if keyword not in keywords:
                named = keyword[:1] == "$" or keyword == "definitions"  # says nothing once references are resolved
                self.report(way, keyword, "rewritten" if named else "dropped")
            elif keyword == "properties" and isinstance(value, Mapping):
                lowered[keyword] = {
                    name: self.struct(inner, (*way, keyword, name), through, self.keywords)
                    for name, inner in value.items()
                }
            elif keyword == "anyOf" and type(value) is list:
                lowered[keyword] = [
                    self.struct(inner, (*way, keyword, i), through, self.keywords) for i, inner in enumerate(value)
                ]
            elif keyword == "items":
                lowered[keyword] = self.free(value, (*way, keyword), through)
            else:
                lowered[keyword] = value
        return lowered

    def free(self, value: Any, way: Way, through: tuple[str, ...]) -> Any:
        """A schema that is taken with every keyword; its references are resolved all the same."""
        if type(value) is list:
            return [self.free(inner, (*way, i), through) for i, inner in enumerate(value)]
        if not isinstance(value, Mapping):
            return value
        value, through = self.resolved(value, way, through)
        found: dict[str, Any] = {}
        for keyword, inner in value.items():
            if keyword in _VALUES:
                found[keyword] = inner
            elif keyword in _MAPS and isinstance(inner, Mapping):
                found[keyword] = {name: self.free(one, (*way, keyword, name), through) for name, one in inner.items()}
            else:
                found[keyword] = self.free(inner, (*way, keyword), through)
        return found

    def resolved(
        self, schema: Mapping[str, Any], way: Way, through: tuple[str, ...]
    ) -> tuple[Mapping[str, Any], tuple[str, ...]]:
        """The schema with what it refers to in place of the reference, or of an `allOf` with nothing else in it.

        A reference that leads in a circle, nowhere, or is one too many goes, and any value is taken there.
        """
        while True:
            reference, all_of = schema.get("$ref"), schema.get("allOf")
            if type(reference) is str:
                taken = "$ref"
                target = None if reference in through or not self.left else _target(self.root, reference)
                through = (*through, reference)
                self.left = max(self.left - 1, 0)
            elif type(all_of) is list and len(all_of) == 1 and isinstance(all_of[0], Mapping):
                taken, target = "allOf", all_of[0]
            else:
                return schema, through
            rest = {keyword: value for keyword, value in schema.items() if keyword != taken}
            self.report(way, taken, "rewritten")
            if target is None:
                return rest, through
            schema = {**target, **rest}


def _in_known_words(schema: Mapping[str, Any], way: Way, report: Report) -> Mapping[str, Any]:
    """The schema with keywords that another one can stand for said by that one."""
    said = dict(schema)
    if "const" in said and "enum" not in said:
        said["enum"] = [said.pop("const")]
        report(way, "const", "rewritten")
    if "oneOf" in said and "anyOf" not in said:
        said["anyOf"] = said.pop("oneOf")
        report(way, "oneOf", "rewritten")
    return said


def _target(root: Mapping[str, Any], reference: str) -> Mapping[str, Any] | None:
    """What a reference inside of the schema leads to; None where it leads nowhere, or out of it."""
    if reference[:1] != "#":
        return None
    found: Any = root
    for step in reference[1:].split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping) and key in found:
            found = found[key]
        elif type(found) is list and key.isdecimal() and int(key) < len(found):
            found = found[int(key)]
        else:
            return None
    return found if isinstance(found, Mapping) else None
