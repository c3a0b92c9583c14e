"""Schemas of a document, converted to JSON Schema 2020-12. Named schemas become shared types.

A schema with properties that only requests or only responses have (`writeOnly`, `readOnly`) becomes two types if
both sides use it. The name of the type for requests ends with `Input`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from toolgen.importing.declarations import legal_name
from toolgen.importing.formats.openapi.references import Resolver, pointer_fragment
from toolgen.importing.reader import ImportedTool, ImportedType
from toolgen.importing.repairs import make_nullable
from toolgen.load import Pointer
from toolgen.load.limits import TOTAL_VALUES
from toolgen.resolve.dialect import METASCHEMAS, convert_exclusive_bounds, drop_annotations
from toolgen.resolve.identifiers import DEVICES, class_name, distinct_name, fold_name
from toolgen.resolve.references import reachable
from toolgen.resolve.schema_locations import is_schema, map_keyword, walk_schemas
from toolgen.resolve.value_checks import TooManyStepsError, ValueValidator

Version = Literal["3.0", "3.1"]
"""The dialect of schemas. 3.2 has the dialect of 3.1."""

DROPPED_KEYWORDS = frozenset(["discriminator", "externalDocs", "nullable", "xml"])
"""Keywords of OpenAPI that JSON Schema does not have, after `nullable` was converted."""


def valid_examples(examples: list[Any], schema: Mapping[str, Any]) -> list[Any]:
    """Return the valid examples of a schema; none if it has references, because they are not resolved here."""
    rules = drop_annotations(schema)
    if any(isinstance(sub, dict) and "$ref" in sub for _, sub in walk_schemas(rules)):
        return []
    if not METASCHEMAS["2020-12"].is_valid(rules):
        return []
    validator = ValueValidator(rules)
    try:
        return [example for example in examples if validator.admits(example)]
    except TooManyStepsError:
        return []


_MARKS = {"request": "readOnly", "response": "writeOnly"}


class _Reach(NamedTuple):
    """Whether there is a mark inside a schema, and what the schema refers to."""

    is_marked: bool
    targets: frozenset[Pointer]


@dataclass(slots=True)
class Visibility:
    """Finds `readOnly` and `writeOnly` in the schemas of a document, through references."""

    resolver: Resolver
    version: Version
    _reached: dict[Pointer, _Reach] = field(default_factory=dict)

    def hidden_properties(self, at: Pointer, side: Literal["request", "response"]) -> frozenset[str]:
        """Return the properties that a side does not have, according to a schema and those that compose it."""
        mark = _MARKS[side]
        hidden: set[str] = set()
        visited: set[Pointer] = set()
        waiting = [at]
        while waiting:
            here = waiting.pop()
            schema = self.resolver.value_at(here)
            if here in visited or not isinstance(schema, dict):
                continue
            visited.add(here)
            properties = schema.get("properties")
            for name in properties if isinstance(properties, dict) else ():
                if self._is_marked((*here, "properties", name), mark):
                    hidden.add(name)
            branches = schema.get("allOf")
            waiting += [(*here, "allOf", i) for i in range(len(branches) if isinstance(branches, list) else 0)]
            waiting += self._target(schema)
        return frozenset(hidden)

    def depends_on_side(self, at: Pointer) -> bool:
        """Return whether a schema, or one that it refers to, has different properties in requests and responses."""
        visited: set[Pointer] = set()
        waiting = [at]
        while waiting:
            here = waiting.pop()
            if here in visited:
                continue
            visited.add(here)
            if here not in self._reached:
                self._reached[here] = self._reach(here)
            reach = self._reached[here]
            if reach.is_marked:
                return True
            waiting += reach.targets
        return False

    def _reach(self, at: Pointer) -> _Reach:
        """Return whether a schema itself has a mark, and the locations of the schemas that it refers to."""
        targets: set[Pointer] = set()
        is_marked = False
        for _, schema in walk_schemas(self.resolver.value_at(at)):
            if isinstance(schema, dict):
                is_marked |= any(schema.get(mark) is True for mark in _MARKS.values())
                targets.update(self._target(schema))
        return _Reach(is_marked, frozenset(targets))

    def _is_marked(self, at: Pointer, mark: str) -> bool:
        """Return whether a schema has a mark, itself or behind references. In 3.0, a mark beside a reference is none."""
        visited: set[Pointer] = set()
        while at not in visited:
            visited.add(at)
            schema = self.resolver.value_at(at)
            if not isinstance(schema, dict):
                return False
            target = self._target(schema)
            if schema.get(mark) is True and not (self.version == "3.0" and target):
                return True
            if not target:
                return False
            at = target[0]
        return False

    def _target(self, schema: dict[str, Any]) -> list[Pointer]:
        ref = schema.get("$ref")
        target = self.resolver.find_target(ref) if isinstance(ref, str) else None
        return [] if target is None else [target]


Side = Literal["request", "response"]

_NAMED_SCHEMAS = ("components", "schemas")


class TooLargeError(Exception):
    """The schemas, including repeated ones, have more values than an import accepts."""


@dataclass(frozen=True, slots=True)
class SchemaContext:
    """The context of a converted schema: its side, and the path from its file to the folder of types."""

    side: Side
    types_prefix: str = "../types/"
    hidden: frozenset[str] = frozenset()
    """Properties that the other branches of a composition hide."""


@dataclass(slots=True)
class SchemaConverter:
    """Converts schemas, and collects the types that they refer to and the keywords that were left out."""

    resolver: Resolver
    version: Version
    stems: dict[str, str] = field(default_factory=dict)
    """File names of types by their keys, including those of earlier imports."""
    left_out: dict[str, dict[Pointer, None]] = field(default_factory=dict)
    """Keywords that were left out, with their locations."""
    visible: Visibility = field(init=False)
    _values: int = 0
    _waiting: list[tuple[str, Pointer, Side]] = field(default_factory=list)
    _queued: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.visible = Visibility(self.resolver, self.version)

    def types(self) -> Iterator[ImportedType]:
        """Yield the types that were referred to, directly or by other types."""
        for key, at, side in self._waiting:
            yield ImportedType(key, self.stems[key], at, self.convert(at, SchemaContext(side, types_prefix="")))

    def convert(self, at: Pointer, context: SchemaContext) -> Any:
        """Convert the schema at a location. Anything but a schema is kept, because the checks of a build report it.

        Raises:
            TooLargeError: The schemas have too many values.
        """
        schema = self.resolver.value_at(at)
        if not isinstance(schema, dict):
            return schema
        self._values += 1 + len(schema)
        if self._values > TOTAL_VALUES:
            raise TooLargeError
        if self.version == "3.0" and "$ref" in schema:
            return self._reference_alone(schema, at, context)
        converted = self._convert_keywords(schema, at, context)
        # Flags beside bounds belong to 3.0, but documents of 3.1 have them too, and have no other meaning for them.
        converted = convert_exclusive_bounds(converted)
        # 3.1 has no `nullable`, but documents that were written for 3.0 keep it.
        if schema.get("nullable") is True:
            converted = make_nullable(converted)
        return self._with_examples(schema, converted, at)

    def _convert_keywords(self, schema: dict[str, Any], at: Pointer, context: SchemaContext) -> dict[str, Any]:
        """Convert the keywords of a schema, except for its examples. Properties that its side does not have are left out."""
        absent = self.visible.hidden_properties(at, context.side) | context.hidden

        def within(hidden: frozenset[str]) -> Callable[[Any, Pointer], Any]:
            return lambda _, subpointer: self.convert((*at, *subpointer), replace(context, hidden=hidden))

        converted: dict[str, Any] = {}
        for key, value in schema.items():
            if key in DROPPED_KEYWORDS or key.startswith("x-"):
                if key != "nullable" or not isinstance(value, bool):
                    self._leave_out(key, (*at, key))
            elif key in ("example", "examples"):
                continue
            elif key == "$ref":
                converted |= self._reference(value, (*at, key), context)
            elif key == "required" and isinstance(value, list):
                converted[key] = [name for name in value if not isinstance(name, str) or name not in absent]
            elif key == "properties" and isinstance(value, dict):
                shown = {name: sub for name, sub in value.items() if name not in absent}
                converted[key] = map_keyword(key, shown, within(frozenset()))
            else:
                # All branches of an `allOf` apply to the same object.
                converted[key] = map_keyword(key, value, within(absent if key == "allOf" else frozenset()))
        if converted.get("required") == [] and schema["required"]:
            del converted["required"]
        return converted

    def _reference_alone(self, schema: dict[str, Any], at: Pointer, context: SchemaContext) -> dict[str, Any]:
        """Convert a reference of 3.0. Keywords beside it are ignored, except for a description, which does no harm."""
        for key in schema:
            if key not in ("$ref", "description", "summary"):
                self._leave_out(key, (*at, key))
        reference = self._reference(schema["$ref"], (*at, "$ref"), context)
        text = schema.get("description")
        return {**reference, "description": text} if isinstance(text, str) else reference

    def _with_examples(self, schema: dict[str, Any], converted: dict[str, Any], at: Pointer) -> dict[str, Any]:
        """Add the valid examples. A wrong example is a mistake in the document, and no reason to reject a tool."""
        if "example" not in schema and "examples" not in schema:
            return converted
        examples = [*schema["examples"]] if isinstance(schema.get("examples"), list) else []
        if "example" in schema:
            examples.append(schema["example"])
        valid = valid_examples(examples, converted)
        if len(valid) < len(examples) or not examples:
            key = "example" if "example" in schema else "examples"
            self._leave_out(key, (*at, key))
        return {**converted, "examples": valid} if valid else converted

    def _reference(self, ref: Any, at: Pointer, context: SchemaContext) -> dict[str, Any]:
        """Return the reference to the file of a type for a reference in the document; nothing after a finding."""
        target = self.resolver.resolve(at, ref)
        if target is None:
            return {}
        end = 3 if target[:2] == _NAMED_SCHEMAS else len(target)
        base = target[:end]
        if not is_schema(self.resolver.value_at(target)) or len(target) < end:
            self.resolver.reader.findings.add("import-reference", self.resolver.reader.document.span(*at), ref=str(ref))
            return {}
        key = f"#{pointer_fragment(base)}"
        wanted = legal_name(str(base[-1]) if end == 3 else " ".join(str(step) for step in base))
        if context.side == "request" and self.visible.depends_on_side(base):
            key, wanted = f"{key} in requests", f"{wanted[:58]}Input"
        if key not in self._queued:
            self._queued.add(key)
            self._name(key, wanted)
            self._waiting.append((key, base, context.side))
        inner = pointer_fragment(target[end:])
        return {"$ref": f"{context.types_prefix}{self.stems[key]}.yaml" + (f"#{inner}" if inner else "")}

    def _name(self, key: str, wanted: str) -> None:
        """Give a type a unique file name, for which the names of generated classes are unique too."""
        if key in self.stems:
            return
        used = {fold_name(class_name(stem)) for stem in self.stems.values()}
        wanted = f"{wanted}_" if wanted.lower() in DEVICES else wanted
        self.stems[key] = distinct_name(
            wanted, used, lambda n: f"{wanted}{n}", key=lambda stem: fold_name(class_name(stem))
        )

    def _leave_out(self, keyword: str, at: Pointer) -> None:
        self.left_out.setdefault(keyword, {})[at] = None


def referenced_types(tools: Iterable[ImportedTool], types: Iterable[ImportedType]) -> list[ImportedType]:
    """Return the types that tools refer to, directly or not. A body whose members became arguments needs none."""
    by_stem = {type.stem: type for type in types}
    starts = [stem for tool in tools for schema in (tool.parameters, tool.result) for stem in _stems(schema)]
    needed = reachable(starts, lambda stem: _stems(by_stem[stem].schema))
    return [type for stem, type in by_stem.items() if stem in needed]


def _stems(schema: Any) -> list[str]:
    refs = (sub["$ref"] for _, sub in walk_schemas(schema) if isinstance(sub, dict) and "$ref" in sub)
    return [ref.partition("#")[0].removeprefix("../types/").removesuffix(".yaml") for ref in refs]
