"""Lowering, schema by schema. What one keeps and how its types are found is here; each kind of content has its module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .arrays import lower_array
from .combining import both, kinds_of
from .describing import described
from .dialects import Dialect
from .nullable import nulled, without_null
from .objects import lower_object
from .records import NEVER, Record, Table, Way
from .references import References
from .referring import Kept, lower_reference
from .rules import keep_rules
from .scalars import lower_values
from .unions import lower_union, one_union, split_types
from .words import ANNOTATIONS, BOUND_TO, kind_of

__all__ = ["Node", "Run", "TooLargeError", "Trail"]

_ANY_KEYWORD = Dialect({"keywords": "any", "refs": "inline", "recursion": "unroll"})
_MOST = 4000
"""Schemas that one lowering makes."""

Node = tuple[dict[str, Any], Table | None]
Trail = tuple[Way, ...]
"""The targets of the references that led to a schema."""


class TooLargeError(Exception):
    """What was asked for would be too large."""


class Run:
    """One lowering: what was said so far of the source, and the definitions that are kept.

    `wrapped` says that the root stands under one property, `unions` are what is left to say of their branches.
    """

    def __init__(self, source: Mapping[str, Any], dialect: Dialect, depth: int) -> None:
        """Take the whole schema, and how deep recursion is unrolled."""
        self.dialect = dialect
        self.depth = depth
        self.references = References(source)
        self.records: dict[tuple[Way, str, str], Record] = {}
        self.kept = Kept()
        self.wrapped = False
        self.unions: list[tuple[list[Any], Any, Any]] = []
        self._ways: dict[int, Way] = {}
        self._made: list[dict[str, Any]] = []
        self._left = _MOST
        for way, schema in self.references.walked():
            self._ways.setdefault(id(schema), way)

    def names_fit(self) -> bool:
        """Whether the dialect takes the names of all properties."""
        legal = self.dialect.properties
        if legal is None:
            return True
        named = (schema.get("properties") for _, schema in self.references.walked())
        return all(legal.fullmatch(name) for names in named if type(names) is dict for name in names)

    def note(self, way: Way, what: str, action: Any, reason: str, **said: Any) -> None:
        """Record what was done; the same thing at the same place is one record."""
        self.records.setdefault((way, what, action), Record(way, what, action, reason, **said))

    def made(self, schema: dict[str, Any], way: Way) -> dict[str, Any]:
        """A schema that was put together here, and the place in the source that it stands for."""
        self._made.append(schema)
        self._ways[id(schema)] = way
        return schema

    def way_of(self, schema: Any, otherwise: Way) -> Way:
        """The place in the source that a schema stands for."""
        return self._ways.get(id(schema), otherwise)

    def node(self, schema: Any, way: Way, trail: Trail = ()) -> Node:
        """Lower a schema; NEVER for one that admits no value."""
        if schema is False:
            return NEVER, None
        if type(schema) is not dict:
            schema = {}
        self._left -= 1
        if self._left < 0:
            raise TooLargeError
        way = self.way_of(schema, way)
        if "$ref" in schema:
            return lower_reference(self, schema, way, trail)
        schema, trail = self.combined(schema, way, trail)
        if schema is NEVER:
            return NEVER, None
        one = one_union(self, schema, way)
        said, nullable = without_null(one)
        if nullable and self.dialect.nullable == "none" and type(said.get("enum")) is list:
            said, nullable = one, False  # a listed null goes as a text, as the other values do
        if type(said.get("anyOf")) is list:
            out, spelling = lower_union(self, said, way, trail)
        else:
            out, spelling = self.typed(said, way, trail)
        if not nullable or out is NEVER or spelling == {"json": True}:
            return out, spelling
        if self.dialect.nullable == "none":
            self.note(way, "null", "narrowed", "null cannot be said here")
        return nulled(out, self.dialect), spelling

    def resolved(self, schema: Any, trail: Trail) -> tuple[Any, Trail]:
        """What a schema says with references followed; a circle ends in a schema that says nothing."""
        seen: set[Way] = set()
        while type(schema) is dict and "$ref" in schema:
            target = self.references.way(schema["$ref"])
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            if target is None or target in seen or trail.count(target) > self.depth:
                return rest, trail
            seen.add(target)
            trail = (*trail, target)
            found = self.references.at(target)
            if type(found) is not dict:
                return (found if not rest else {**rest}), trail
            schema = self.made(both(rest, found, []), target)
        return schema, trail

    def combined(self, schema: dict[str, Any], way: Way, trail: Trail) -> tuple[dict[str, Any], Trail]:
        """A schema with what its `allOf` says said by itself."""
        parts = 0
        while type(schema.get("allOf")) is list and parts < 50:
            parts += 1
            lost: list[str] = []
            joined = {key: value for key, value in schema.items() if key != "allOf"}
            for part in schema["allOf"]:
                inner, trail = self.resolved(part, trail)
                if inner is False:
                    return NEVER, trail
                joined = both(joined, inner, lost) if type(inner) is dict else joined
            for keyword in lost:
                self.note(way, keyword, "dropped", "two rules of one keyword hold at once", checked="parse_arguments")
            schema = self.made(joined, way)
        return schema, trail

    def reason(self, what: str) -> str:
        """Why a keyword is not sent."""
        return f"{what} is not taken here"

    def words(self, said: Mapping[str, Any], way: Way, sentences: list[str], *, inside: bool = False) -> dict[str, Any]:
        """The description and the other annotations that the dialect takes, with sentences for rules.

        What stands around schemas that have words of their own (`inside`) needs none.
        """
        found: dict[str, Any] = {}
        keep_rules(self, {key: value for key, value in said.items() if key in ANNOTATIONS}, way, None, found, sentences)
        text = described(said.get("description"), sentences)
        demanded = self.dialect.complete and not inside
        if (text or demanded) and self.says(way):
            found["description"] = text
        if demanded and not text and way and "description" not in said:
            self.note(way, "description", "defaulted", "every property has one here, and an empty one says nothing")
        return found

    def says(self, way: Way) -> bool:
        """Whether there can be a description at a place."""
        return self.dialect.takes("description") and (
            way != () or "description" not in self.dialect.root.get("without", ())
        )

    def items(self, schema: Any, way: Way, trail: Trail) -> Node:
        """Lower the items of an array, which some dialects take with every keyword."""
        if self.dialect.facts.get("items") != "any":
            return self.node(schema, way, trail)
        outside, self.dialect = self.dialect, _ANY_KEYWORD
        try:
            return self.node(schema, way, trail)
        finally:
            self.dialect = outside

    def typed(self, said: dict[str, Any], way: Way, trail: Trail, sentences: list[str] | None = None) -> Node:
        """Lower a schema that is no union and no reference; `sentences` begin its description."""
        kinds = kinds_of(said)
        sentences = sentences or []
        if not kinds and (self.dialect.untyped != "keep" or self.dialect.closed):
            kinds = self._meant(said, way)
            if not kinds:
                return self.untyped(said, way, sentences)
            said = self.made({"type": list(kinds), **said}, way)
        as_texts = ("enum" in said or "const" in said) and (
            self.dialect.enum == "texts" or (self.dialect.enum != "any" and not self.dialect.takes("anyOf"))
        )
        if kinds == ("null",) and self.dialect.nullable == "none":
            return self.untyped(said, way, sentences)
        if len(kinds) > 1 and self.dialect.types == "one" and not as_texts:
            return split_types(self, said, kinds, way, trail, sentences)
        out: dict[str, Any] = {}
        if kinds and self.dialect.takes("type"):
            out["type"] = kinds[0] if len(kinds) == 1 else list(kinds)
        spelling, possible = lower_values(self, said, way, kinds, out, sentences)
        if not possible:
            return NEVER, None
        if spelling is None:
            inner: dict[str, Any] = {}
            if "object" in kinds or not kinds:
                inner |= lower_object(self, said, way, trail, kinds, out, sentences) or {}
            if "array" in kinds or not kinds:
                inner |= lower_array(self, said, way, trail, kinds, out, sentences) or {}
            spelling = inner or None
        kind = str(out.get("type")) if type(out.get("type")) is str else None
        bound = {key: value for key, value in said.items() if not kinds or self._speaks_of(key, kinds, out)}
        keep_rules(self, {k: v for k, v in bound.items() if k not in ANNOTATIONS}, way, kind, out, sentences)
        out |= self.words(said, way, sentences)
        return out, spelling

    def _speaks_of(self, keyword: str, kinds: tuple[str, ...], out: dict[str, Any]) -> bool:
        """Whether a keyword has a meaning for a type of the source that is still the one on the wire."""
        if keyword not in BOUND_TO:
            return True
        sent = kinds_of(out) or kinds
        return any(kind in BOUND_TO[keyword] and kind in sent for kind in kinds)

    def _meant(self, said: dict[str, Any], way: Way) -> tuple[str, ...]:
        """The types of a schema that names none, by its values, else by what its keywords speak of."""
        values = said["enum"] if type(said.get("enum")) is list else [said["const"]] if "const" in said else []
        if values:
            return tuple(dict.fromkeys(kind_of(value) for value in values))
        spoken = [BOUND_TO[keyword] for keyword in said if keyword in BOUND_TO]
        spoken += [("string",)] if "format" in said else []
        if not spoken:
            return ()
        kind = spoken[0][0]
        self.note(way, "type", "narrowed", f"it names no type, and its keywords speak of {kind}")
        return (kind,)

    def untyped(self, said: dict[str, Any], way: Way, sentences: list[str]) -> Node:
        """A value of any type."""
        if self.dialect.untyped == "text":
            self.note(way, "a value of any type", "rewritten", "it goes as JSON text")
            return {"type": "string", **self.words(said, way, [*sentences, "Any JSON value, as JSON text."])}, {
                "json": True
            }
        if self.dialect.untyped == "refuse":
            self.note(
                way, "a value of any type", "narrowed", "every value must have a type here", stops=True, refused=True
            )
        return self.words(said, way, sentences), None
