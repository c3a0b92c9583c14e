"""Schemas of a document, lowered to JSON Schema 2020-12; those with a name become shared types.

A schema with properties that only requests or only answers have (`writeOnly`, `readOnly`) becomes two types where
both sides use it: the one of requests has `Input` behind its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from toolgen.importing.naming import legal_name
from toolgen.importing.openapi.dialect import MEANINGLESS, Version, bounded, fitting, nullable
from toolgen.importing.openapi.resolving import Resolver, fragment
from toolgen.importing.openapi.visibility import Visibility
from toolgen.importing.tool import ImportedTool, ImportedType
from toolgen.load import Pointer
from toolgen.load.limits import TOTAL_VALUES
from toolgen.resolve.identifiers import DEVICES, class_name, fold
from toolgen.resolve.keywords import LIST, NAMED, ONE, is_schema, walk

Side = Literal["request", "answer"]

_NAMED_SCHEMAS = ("components", "schemas")


class TooLargeError(Exception):
    """The schemas, with those that are repeated, have more values than an import holds."""


@dataclass(frozen=True, slots=True)
class Here:
    """Where a lowered schema will stand: the side that it is for, and the way from its file to those of types."""

    side: Side
    types: str = "../types/"
    unseen: frozenset[str] = frozenset()
    """Properties that the other branches of a composition take away."""


@dataclass(slots=True)
class Schemas:
    """Lowers schemas, and remembers which types they refer to and which keywords had to go."""

    resolver: Resolver
    version: Version
    stems: dict[str, str] = field(default_factory=dict)
    """File names of types by their keys, those of former imports among them."""
    left_out: dict[str, dict[Pointer, None]] = field(default_factory=dict)
    """Keywords that were left out, with their places."""
    visible: Visibility = field(init=False)
    _values: int = 0
    _waiting: list[tuple[str, Pointer, Side]] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.visible = Visibility(self.resolver, self.version)

    def types(self) -> Iterator[ImportedType]:
        """The types that were referred to, and those that they refer to themselves."""
        for key, at, side in self._waiting:
            yield ImportedType(key, self.stems[key], at, self.lower(at, Here(side, types="")))

    def lower(self, at: Pointer, here: Here) -> Any:
        """The schema at a place as JSON Schema. What is no schema at all stays: the build's own checks tell it.

        Raises:
            TooLargeError: there is no end of it.
        """
        schema = self.resolver.value(at)
        if not isinstance(schema, dict):
            return schema
        self._values += 1 + len(schema)
        if self._values > TOTAL_VALUES:
            raise TooLargeError
        if self.version == "3.0" and "$ref" in schema:
            return self._reference_alone(schema, at, here)
        gone = self.visible.hidden(at, here.side) | here.unseen
        found: dict[str, Any] = {}
        for key, value in schema.items():
            if key in MEANINGLESS or key.startswith("x-"):
                if key != "nullable" or self.version != "3.0":
                    self._leave_out(key, (*at, key))
            elif key in ("example", "examples"):
                continue
            elif key == "$ref":
                found |= self._reference(value, (*at, key), here)
            elif key == "required" and isinstance(value, list):
                found[key] = [name for name in value if not isinstance(name, str) or name not in gone]
            elif key == "properties" and isinstance(value, dict):
                names = [name for name in value if name not in gone]
                found[key] = {name: self._inner((*at, key, name), here) for name in names}
            else:
                found[key] = self._member(key, value, (*at, key), here, gone)
        if found.get("required") == [] and schema["required"]:
            del found["required"]
        return self._with_examples(schema, self._respelled(schema, found), at)

    def _respelled(self, schema: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
        # Flags beside bounds are of 3.0, but documents of 3.1 have them, and there they can mean nothing else.
        found = bounded(found)
        return nullable(found) if self.version == "3.0" and schema.get("nullable") is True else found

    def _member(self, key: str, value: Any, at: Pointer, here: Here, gone: frozenset[str]) -> Any:
        if key in LIST and isinstance(value, list):
            # Branches of a composition judge the same object.
            inner = Here(here.side, here.types, gone) if key == "allOf" else Here(here.side, here.types)
            return [self.lower((*at, i), inner) if is_schema(sub) else sub for i, sub in enumerate(value)]
        if key in ONE and is_schema(value):
            return self._inner(at, here)
        if key in NAMED and isinstance(value, dict):
            return {name: self._inner((*at, name), here) for name in value}
        return value

    def _inner(self, at: Pointer, here: Here) -> Any:
        return self.lower(at, Here(here.side, here.types))

    def _reference_alone(self, schema: dict[str, Any], at: Pointer, here: Here) -> dict[str, Any]:
        """A reference of 3.0, beside which nothing counts; a description does no harm."""
        for key in schema:
            if key not in ("$ref", "description", "summary"):
                self._leave_out(key, (*at, key))
        found = self._reference(schema["$ref"], (*at, "$ref"), here)
        text = schema.get("description")
        return {**found, "description": text} if isinstance(text, str) else found

    def _with_examples(self, schema: dict[str, Any], found: dict[str, Any], at: Pointer) -> dict[str, Any]:
        """The examples that fit: a wrong one is an oversight in a text, and no reason to refuse a tool."""
        if "example" not in schema and "examples" not in schema:
            return found
        several = schema.get("examples")
        given = [*several] if isinstance(several, list) else []
        given += [schema["example"]] if "example" in schema else []
        fit = fitting(given, found)
        if len(fit) < len(given) or not given:
            key = "example" if "example" in schema else "examples"
            self._leave_out(key, (*at, key))
        return {**found, "examples": fit} if fit else found

    def _reference(self, ref: Any, at: Pointer, here: Here) -> dict[str, Any]:
        """The reference to the file of the type that a reference at a place leads to; none after a finding."""
        target = self.resolver.target(at, ref)
        if target is None:
            return {}
        end = 3 if target[:2] == _NAMED_SCHEMAS else len(target)
        base = target[:end]
        if not is_schema(self.resolver.value(target)) or len(target) < end:
            self.resolver.reader.findings.add("import-reference", self.resolver.reader.document.span(*at), ref=str(ref))
            return {}
        key = f"#{fragment(base)}"
        wanted = legal_name(str(base[-1]) if end == 3 else " ".join(str(step) for step in base))
        if here.side == "request" and self.visible.differs(base):
            key, wanted = f"{key} in requests", f"{wanted[:58]}Input"
        if key not in self._known:
            self._known.add(key)
            self._name(key, wanted)
            self._waiting.append((key, base, here.side))
        inner = fragment(target[end:])
        return {"$ref": f"{here.types}{self.stems[key]}.yaml" + (f"#{inner}" if inner else "")}

    def _name(self, key: str, wanted: str) -> None:
        """Give a type a file name that no other one has, nor any class made of it."""
        if key in self.stems:
            return
        taken = {fold(class_name(stem)) for stem in self.stems.values()}
        wanted = f"{wanted}_" if wanted.lower() in DEVICES else wanted
        stem, n = wanted, 1
        while fold(class_name(stem)) in taken:
            n += 1
            stem = f"{wanted}{n}"
        self.stems[key] = stem

    def _leave_out(self, keyword: str, at: Pointer) -> None:
        self.left_out.setdefault(keyword, {})[at] = None


def used(tools: Iterable[ImportedTool], types: Iterable[ImportedType]) -> list[ImportedType]:
    """The types that tools refer to, directly or through others; a body whose members were taken needs none."""
    by_stem = {type.stem: type for type in types}
    wanted = [stem for tool in tools for schema in (tool.parameters, tool.result) for stem in _stems(schema)]
    found: dict[str, None] = {}
    while wanted:
        stem = wanted.pop()
        if stem not in found:
            found[stem] = None
            wanted += _stems(by_stem[stem].schema)
    return [type for stem, type in by_stem.items() if stem in found]


def _stems(schema: Any) -> list[str]:
    refs = (sub["$ref"] for _, sub in walk(schema) if isinstance(sub, dict) and "$ref" in sub)
    return [ref.partition("#")[0].removeprefix("../types/").removesuffix(".yaml") for ref in refs]
