"""Lowering, schema by schema: references, nullability and unions; what is inside of one is in modules of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..json_text import loose
from .arrays import lower_array
from .combining import both, kinds_of
from .describing import described
from .dialects import Dialect
from .nullable import nulled, without_null
from .objects import lower_object
from .records import Record, Table, Way
from .references import References
from .rules import keep_rules
from .scalars import lower_values
from .words import ANNOTATIONS, BOUND_TO, IDENTITY, kind_of

__all__ = ["NEVER", "Run", "TooLargeError"]

NEVER: Final[dict[str, Any]] = {"not": {}}
"""The schema of no value; told by identity."""

_ASSERTIONS = frozenset(["required", "not", "minProperties", "maxProperties", "dependentRequired"]) | ANNOTATIONS
_ANY_KEYWORD = Dialect({"keywords": "any", "refs": "inline", "recursion": "unroll"})
_MOST = 4000
"""Schemas that one lowering makes."""

Node = tuple[dict[str, Any], Table | None]
Trail = tuple[Way, ...]
"""The targets of the references that led to a schema."""


class TooLargeError(Exception):
    """What was asked for would be too large."""


class Run:
    """One lowering: what was said so far of the source, and the definitions that are kept."""

    def __init__(self, source: Mapping[str, Any], dialect: Dialect, depth: int) -> None:
        """Take the whole schema, and how deep recursion is unrolled."""
        self.dialect = dialect
        self.depth = depth
        self.references = References(source)
        self.records: dict[tuple[Way, str, str], Record] = {}
        self.definitions: dict[str, dict[str, Any]] = {}
        self.spellings: dict[str, Table | None] = {}
        self.unions: list[tuple[list[Any], Any, Any]] = []
        self._names: dict[Way, str] = {}
        self._waiting: list[tuple[str, Way]] = []
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

    def node(self, schema: Any, way: Way, trail: Trail = ()) -> Node:
        """Lower a schema; NEVER for one that admits no value."""
        if schema is False:
            return NEVER, None
        if type(schema) is not dict:
            schema = {}
        self._left -= 1
        if self._left < 0:
            raise TooLargeError
        way = self._ways.get(id(schema), way)
        if "$ref" in schema:
            return self._reference(schema, way, trail)
        schema, trail = self.combined(schema, way, trail)
        if schema is NEVER:
            return NEVER, None
        one = self._one_union(schema, way)
        said, nullable = without_null(one)
        if nullable and self.dialect.nullable == "none" and type(said.get("enum")) is list:
            said, nullable = one, False  # a listed null goes as a text, as the other values do
        if type(said.get("anyOf")) is list:
            out, spelling = self._union(said, way, trail)
        else:
            out, spelling = self._typed(said, way, trail)
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

    def words(
        self, said: Mapping[str, Any], way: Way, sentences: list[str], *, inside: bool = False
    ) -> dict[str, Any]:
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
        return self.dialect.takes("description") and (way != () or "description" not in self.dialect.root.get("without", ()))

    def items(self, schema: Any, way: Way, trail: Trail) -> Node:
        """Lower the items of an array, which some dialects take with every keyword."""
        if self.dialect.facts.get("items") != "any":
            return self.node(schema, way, trail)
        outside, self.dialect = self.dialect, _ANY_KEYWORD
        try:
            return self.node(schema, way, trail)
        finally:
            self.dialect = outside

    def _reference(self, schema: dict[str, Any], way: Way, trail: Trail) -> Node:
        target = self.references.way(schema["$ref"])
        rest = {key: value for key, value in schema.items() if key != "$ref" and key not in IDENTITY}
        if target is None:
            self.note(way, "$ref", "dropped", "it leads nowhere", stops=True)
            return self.node(self.made(rest, way), way, trail)
        found = self.references.at(target)
        if type(found) is not dict:
            return self.node(found, target, trail)
        circular = self.references.is_circular(target)
        if circular and self.dialect.recursion == "refuse":
            self.note(way, "$ref", "narrowed", "a schema inside of itself is not taken", stops=True, refused=True)
        if self.dialect.refs == "keep" and not (circular and self.dialect.recursion == "unroll"):
            if circular or rest.keys() <= ANNOTATIONS:
                return self._kept(rest, target, way)
        elif circular and trail.count(target) >= self.depth:
            return self._end(found, way)
        return self.node(self.made(both(rest, found, []), target), target, (*trail, target))

    def _kept(self, rest: dict[str, Any], target: Way, way: Way) -> Node:
        """A reference that stays one; words beside it stand around it where it must be alone."""
        for keyword in rest.keys() - ANNOTATIONS:
            self.note(way, keyword, "dropped", "it stands beside a reference that leads in a circle", checked="parse_arguments")
        name = self._named(target)
        out: dict[str, Any] = {"$ref": f"#/$defs/{name}" if name else "#"}
        words = self.words(rest, way, [])
        if words:
            out = {**out, **words} if self.dialect.siblings else {"anyOf": [out], **words}
        return out, {"ref": name}

    def _named(self, target: Way) -> str:
        """The name of a definition; `finish` lowers it."""
        if target in self._names:
            return self._names[target]
        if not target:
            self._names[target] = ""
            return ""
        wanted = name = str(target[-1])
        n = 1
        while name in self.definitions or not name:
            n += 1
            name = f"{wanted}_{n}"
        self._names[target] = name
        self.definitions[name] = {}
        self._waiting.append((name, target))
        return name

    def finish(self) -> None:
        """Lower the definitions that were named, and those that they name."""
        while self._waiting:
            name, target = self._waiting.pop(0)
            self.definitions[name], self.spellings[name] = self.node(self.references.at(target), target)

    def _end(self, found: dict[str, Any], way: Way) -> Node:
        """Where recursion is unrolled no further: a free value of the type."""
        reason = f"recursion is unrolled {self.depth} deep, and the value is free below"
        self.note(way, "$ref", "described", reason, checked="parse_arguments")
        kinds = kinds_of(found) or (("object",) if "properties" in found else ())
        if self.dialect.complete:
            return self._untyped({}, way, ["Of the same form as the value around it."])
        out: dict[str, Any] = {"type": kinds[0]} if len(kinds) == 1 else {}
        if self.says(way):
            out["description"] = "Of the same form as the value around it."
        return self.node(self.made(out, way), way) if not kinds else (out, None)

    def _one_union(self, schema: dict[str, Any], way: Way) -> dict[str, Any]:
        """A schema whose `oneOf` is said by `anyOf` where the dialect has that alone."""
        if "oneOf" not in schema:
            return schema
        if "anyOf" in schema:
            self.note(way, "oneOf", "dropped", "it stands beside anyOf", checked="parse_arguments")
            return self.made({key: value for key, value in schema.items() if key != "oneOf"}, way)
        reason = "anyOf stands for it; that no second branch holds is not said"
        self.note(way, "oneOf", "rewritten", reason, checked="parse_arguments")
        return self.made({("anyOf" if key == "oneOf" else key): value for key, value in schema.items()}, way)

    def _union(self, said: dict[str, Any], way: Way, trail: Trail) -> Node:
        branches: list[Any] = said["anyOf"]
        outer = {key: value for key, value in said.items() if key != "anyOf"}
        rules = {key: value for key, value in outer.items() if key not in ANNOTATIONS and key not in IDENTITY}
        if all(type(branch) is dict and branch.keys() <= _ASSERTIONS for branch in branches):
            reason = self.reason("anyOf with no value of its own")
            needs = [" and ".join(map(str, b["required"])) for b in branches if type(b.get("required")) is list]
            sentence = f"Needs {', or '.join(needs)}." if needs and len(needs) == len(branches) else ""
            action = "described" if sentence and self.says(way) else "dropped"
            self.note(way, "anyOf", action, reason, checked="parse_arguments")
            return self._typed(self.made(outer, way), way, trail, [sentence])
        sources: list[Any] = []
        lowered: list[dict[str, Any]] = []
        tables: list[Table | None] = []
        met: set[str] = set()
        for i, branch in enumerate(branches):
            if rules:
                inner, along = self.resolved(branch, trail)
                if type(inner) is dict:
                    branch, trail_ = self.made(both(inner, rules, []), self._ways.get(id(inner), (*way, "anyOf", i))), along
                else:
                    branch, trail_ = (self.made(dict(rules), way) if inner is not False else False), trail
            else:
                trail_ = trail
            out, spelling = self.node(branch, (*way, "anyOf", i), trail_)
            text = loose(out)
            if out is not NEVER and not (spelling is None and text in met):
                met.add(text)
                sources.append(branch)
                lowered.append(out)
                tables.append(spelling)
        if not lowered:
            return NEVER, None
        words = self.words(outer, way, [], inside=True)
        if len(lowered) == 1:
            alone = lowered[0] if "$ref" not in lowered[0] or not words else {"anyOf": lowered}
            return {**alone, **words}, tables[0]
        if not self.dialect.takes("anyOf") and self.dialect.untyped == "text":
            for keyword in dict.fromkeys(key for out in lowered for key in out if key not in ("type", "description")):
                self.note(way, keyword, "dropped", "a value of several types goes as JSON text", checked="parse_arguments")
            kinds = list(dict.fromkeys(str(out.get("type")) for out in lowered))
            return self._untyped(outer, way, [f"One of these types: {', '.join(kinds)}." if len(kinds) > 1 else ""])
        if not self.dialect.takes("anyOf"):
            self.note(way, "anyOf", "dropped", self.reason("anyOf"), checked="parse_arguments")
            return words, None
        if not any(tables):
            return {"anyOf": lowered, **words}, None
        entries = [[source, out, inner] for source, out, inner in zip(sources, lowered, tables, strict=True)]
        self.unions += [(entry, entry[0], entry[1]) for entry in entries]
        return {"anyOf": lowered, **words}, {"any": entries}

    def _typed(self, said: dict[str, Any], way: Way, trail: Trail, sentences: list[str] | None = None) -> Node:
        kinds = kinds_of(said)
        sentences = sentences or []
        if not kinds and (self.dialect.untyped != "keep" or self.dialect.closed):
            kinds = self._meant(said, way)
            if not kinds:
                return self._untyped(said, way, sentences)
            said = self.made({"type": list(kinds), **said}, way)
        as_texts = ("enum" in said or "const" in said) and (
            self.dialect.enum == "texts" or (self.dialect.enum != "any" and not self.dialect.takes("anyOf"))
        )
        if kinds == ("null",) and self.dialect.nullable == "none":
            return self._untyped(said, way, sentences)
        if len(kinds) > 1 and self.dialect.types == "one" and not as_texts:
            return self._split(said, kinds, way, trail, sentences)
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

    def _split(self, said: dict[str, Any], kinds: tuple[str, ...], way: Way, trail: Trail, sentences: list[str]) -> Node:
        """One branch for each of several types, each with the keywords that speak of it."""
        rules = {key: value for key, value in said.items() if key not in ANNOTATIONS}
        branches = []
        for kind in kinds:
            branch = {k: v for k, v in rules.items() if k not in BOUND_TO or kind in BOUND_TO[k]}
            if type(branch.get("enum")) is list:
                branch["enum"] = [v for v in branch["enum"] if kind_of(v) == kind or (kind_of(v), kind) == ("integer", "number")]
                if not branch["enum"]:
                    continue
            branches.append(self.made({**branch, "type": kind}, way))
        words = {key: value for key, value in said.items() if key in ANNOTATIONS}
        if sentences:
            words["description"] = described(words.get("description"), sentences)
        return self._union(self.made({"anyOf": branches, **words}, way), way, trail) if branches else (NEVER, None)

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

    def _untyped(self, said: dict[str, Any], way: Way, sentences: list[str]) -> Node:
        """A value of any type."""
        if self.dialect.untyped == "text":
            self.note(way, "a value of any type", "rewritten", "it goes as JSON text")
            return {"type": "string", **self.words(said, way, [*sentences, "Any JSON value, as JSON text."])}, {"json": True}
        if self.dialect.untyped == "refuse":
            self.note(way, "a value of any type", "narrowed", "every value must have a type here", stops=True, refused=True)
        return self.words(said, way, sentences), None
