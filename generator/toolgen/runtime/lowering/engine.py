"""Lowering of single schemas: references, unions, and the keywords for each type."""

from __future__ import annotations

from typing import Any

from ..conversion.encoding import Table
from ..json_text import dump_loosely
from .containers import lower_array, lower_object
from .context import NEVER, LoweringContext, Node, TooLargeError, Trail
from .keywords import (
    add_null,
    add_sentences,
    describe_rule,
    keep_rules,
    lower_annotations,
    lower_untyped,
    lower_values,
)
from .schemas import (
    ANNOTATIONS,
    BOUND_TO,
    IDENTITY,
    Way,
    annotations_of,
    declared_types,
    is_of,
    kind_of,
    merge_schemas,
    without_null,
)

__all__ = ["Engine"]

_ASSERTIONS = frozenset(["required", "not", "minProperties", "maxProperties", "dependentRequired"]) | ANNOTATIONS


class Engine(LoweringContext):
    """One lowering, schema by schema."""

    def node(self, schema: Any, way: Way, trail: Trail = ()) -> Node:
        """Lower a schema; NEVER if it admits no value."""
        if schema is False:
            return NEVER, None
        if type(schema) is not dict:
            schema = {}
        self._left -= 1
        if self._left < 0:
            raise TooLargeError
        way = self.way_of(schema, way)
        if "$ref" in schema:
            return _lower_reference(self, schema, way, trail)
        schema, trail = self.merge_all_of(schema, way, trail)
        if schema is NEVER:
            return NEVER, None
        one = _one_union(self, schema, way)
        said, nullable = without_null(one)
        if nullable and self.dialect.nullable == "none" and type(said.get("enum")) is list:
            said, nullable = one, False  # a listed null goes as a text, as the other values do
        if type(said.get("anyOf")) is list:
            out, spelling = _lower_union(self, said, way, trail)
        else:
            out, spelling = _lower_typed(self, said, way, trail)
        if not nullable or out is NEVER or spelling == {"json": True}:
            return out, spelling
        if self.dialect.nullable == "none":
            self.note(way, "null", "narrowed", "null is not supported by this provider")
        return add_null(out, self.dialect), spelling


def _lower_reference(run: LoweringContext, schema: dict[str, Any], way: Way, trail: Trail) -> Node:
    """Lower a reference: keep it if the dialect supports that, otherwise inline its target."""
    target = run.references.way(schema["$ref"])
    rest = {key: value for key, value in schema.items() if key != "$ref" and key not in IDENTITY}
    if target is None:
        run.note(way, "$ref", "dropped", "it cannot be resolved", stops=True)
        return run.node(run.register(rest, way), way, trail)
    found = run.references.at(target)
    if type(found) is not dict:
        return run.node(found, target, trail)
    circular = run.references.is_circular(target)
    if circular and run.dialect.recursion == "refuse":
        run.note(way, "$ref", "narrowed", "a recursive schema is not supported", stops=True, refused=True)
    if run.dialect.refs == "keep" and not (circular and run.dialect.recursion == "unroll"):
        if circular or rest.keys() <= ANNOTATIONS:
            return _kept(run, rest, target, way)
    elif circular and trail.count(target) >= run.depth:
        return _end(run, found, way)
    lost: list[str] = []
    merged = run.register(merge_schemas(rest, found, lost), target)
    run.note_conflicts(way, lost)
    return run.node(merged, target, (*trail, target))


def _kept(run: LoweringContext, rest: dict[str, Any], target: Way, way: Way) -> Node:
    """Keep a reference. Keywords next to it are moved around it if it must stand alone."""
    for keyword in sorted(rest.keys() - ANNOTATIONS):
        run.note(way, keyword, "dropped", "it is next to a circular reference", checked="parse_arguments")
    name = run.kept.name_of(target)
    out: dict[str, Any] = {"$ref": f"#/$defs/{name}" if name else "#"}
    words = lower_annotations(run, rest, way, [])
    if words:
        out = {**out, **words} if run.dialect.siblings else {"anyOf": [out], **words}
    return out, {"ref": name}


def _end(run: LoweringContext, found: dict[str, Any], way: Way) -> Node:
    """End the expansion of a recursion with an unrestricted value of the type."""
    reason = f"recursion is expanded {run.depth} levels deep; deeper values are not restricted"
    run.note(way, "$ref", "described", reason, checked="parse_arguments")
    kinds = declared_types(found) or (("object",) if "properties" in found else ())
    if run.dialect.complete:
        return lower_untyped(run, {}, way, ["Of the same form as the value around it."])
    out: dict[str, Any] = {"type": kinds[0]} if len(kinds) == 1 else {}
    if run.allows_description(way):
        out["description"] = "Of the same form as the value around it."
    return run.node(run.register(out, way), way) if not kinds else (out, None)


def _one_union(run: LoweringContext, schema: dict[str, Any], way: Way) -> dict[str, Any]:
    """Replace `oneOf` by `anyOf` if the dialect only supports that."""
    if "oneOf" not in schema:
        return schema
    if "anyOf" in schema:
        run.note(way, "oneOf", "dropped", "it is next to anyOf", checked="parse_arguments")
        return run.register({key: value for key, value in schema.items() if key != "oneOf"}, way)
    reason = "anyOf replaces it, without the rule that only one branch may match"
    run.note(way, "oneOf", "rewritten", reason, checked="parse_arguments")
    return run.register({("anyOf" if key == "oneOf" else key): value for key, value in schema.items()}, way)


def _lower_union(run: LoweringContext, said: dict[str, Any], way: Way, trail: Trail) -> Node:
    """Lower `anyOf` branch by branch, each with the rules next to it. Identical branches are merged."""
    branches: list[Any] = said["anyOf"]
    outer = {key: value for key, value in said.items() if key != "anyOf"}
    rules = {key: value for key, value in outer.items() if key not in ANNOTATIONS and key not in IDENTITY}
    if all(type(branch) is dict and branch.keys() <= _ASSERTIONS for branch in branches):
        reason = run.reason("anyOf with no value of its own")
        needs = [" and ".join(map(str, b["required"])) for b in branches if type(b.get("required")) is list]
        sentence = f"Needs {', or '.join(needs)}." if needs and len(needs) == len(branches) else ""
        run.note_described(way, "anyOf", sentence, reason)
        return _lower_typed(run, run.register(outer, way), way, trail, [sentence])
    sources: list[Any] = []
    lowered: list[dict[str, Any]] = []
    tables: list[Table | None] = []
    met: set[str] = set()
    for i, branch in enumerate(branches):
        if rules:
            inner, along = run.resolve(branch, trail)
            if type(inner) is dict:
                branch, trail_ = (
                    run.register(merge_schemas(inner, rules, []), run.way_of(inner, (*way, "anyOf", i))),
                    along,
                )
            else:
                branch, trail_ = (run.register(dict(rules), way) if inner is not False else False), trail
        else:
            trail_ = trail
        out, spelling = run.node(branch, (*way, "anyOf", i), trail_)
        text = dump_loosely(out)
        if out is not NEVER and not (spelling is None and text in met):
            met.add(text)
            sources.append(branch)
            lowered.append(out)
            tables.append(spelling)
    if not lowered:
        return NEVER, None
    words = lower_annotations(run, outer, way, [], inside=True)
    if len(lowered) == 1:
        alone = lowered[0] if "$ref" not in lowered[0] or not words else {"anyOf": lowered}
        return {**alone, **words}, tables[0]
    if not run.dialect.supports("anyOf") and run.dialect.untyped == "text":
        for keyword in dict.fromkeys(key for out in lowered for key in out if key not in ("type", "description")):
            run.note(
                way, keyword, "dropped", "a value of several types is sent as JSON text", checked="parse_arguments"
            )
        kinds = list(dict.fromkeys(str(out.get("type")) for out in lowered))
        return lower_untyped(run, outer, way, [f"One of these types: {', '.join(kinds)}." if len(kinds) > 1 else ""])
    if not run.dialect.supports("anyOf"):
        run.note(way, "anyOf", "dropped", run.reason("anyOf"), checked="parse_arguments")
        return words, None
    if not any(tables):
        return {"anyOf": lowered, **words}, None
    entries = [[source, out, inner] for source, out, inner in zip(sources, lowered, tables, strict=True)]
    run.unions += [(entry, entry[0], entry[1]) for entry in entries]
    return {"anyOf": lowered, **words}, {"any": entries}


def _split_types(
    run: LoweringContext, said: dict[str, Any], kinds: tuple[str, ...], way: Way, trail: Trail, sentences: list[str]
) -> Node:
    """Return a branch for each of several types, with the keywords for it."""
    rules = {key: value for key, value in said.items() if key not in ANNOTATIONS}
    branches = []
    for kind in kinds:
        branch = {k: v for k, v in rules.items() if k not in BOUND_TO or kind in BOUND_TO[k]}
        if type(branch.get("enum")) is list:
            branch["enum"] = [value for value in branch["enum"] if is_of(value, (kind,))]
            if not branch["enum"]:
                continue
        branches.append(run.register({**branch, "type": kind}, way))
    words = annotations_of(said)
    if sentences:
        words["description"] = add_sentences(words.get("description"), sentences)
    return _lower_union(run, run.register({"anyOf": branches, **words}, way), way, trail) if branches else (NEVER, None)


def _lower_typed(
    run: LoweringContext, said: dict[str, Any], way: Way, trail: Trail, sentences: list[str] | None = None
) -> Node:
    """Lower a schema that is neither a union nor a reference. Its description starts with `sentences`."""
    kinds = declared_types(said)
    sentences = sentences or []
    if not kinds and (run.dialect.untyped != "keep" or run.dialect.closed):
        kinds = _meant(run, said, way)
        if not kinds:
            return lower_untyped(run, said, way, sentences)
        said = run.register({"type": list(kinds), **said}, way)
    as_texts = ("enum" in said or "const" in said) and (
        run.dialect.enum == "texts" or (run.dialect.enum != "any" and not run.dialect.supports("anyOf"))
    )
    if kinds == ("null",) and run.dialect.nullable == "none":
        return lower_untyped(run, said, way, sentences)
    if len(kinds) > 1 and run.dialect.types == "one" and not as_texts:
        return _split_types(run, said, kinds, way, trail, sentences)
    out: dict[str, Any] = {}
    if kinds and run.dialect.supports("type"):
        out["type"] = kinds[0] if len(kinds) == 1 else list(kinds)
    spelling, possible = lower_values(run, said, way, kinds, out, sentences)
    if not possible:
        return NEVER, None
    if spelling is None:
        inner: dict[str, Any] = {}
        if "object" in kinds or not kinds:
            inner |= lower_object(run, said, way, trail, kinds, out, sentences) or {}
        if "array" in kinds or not kinds:
            inner |= lower_array(run, said, way, trail, kinds, out, sentences) or {}
        spelling = inner or None
    kind = str(out.get("type")) if type(out.get("type")) is str else None
    bound = {key: value for key, value in said.items() if not kinds or _speaks_of(key, kinds, out)}
    respelled = _is_respelled(run, spelling)
    rules = {k: v for k, v in bound.items() if k not in ANNOTATIONS}
    keep_rules(run, rules, way, kind, out, sentences, respelled=respelled)
    if respelled:
        _leave_listed(run, said, way, out, sentences)
    out |= lower_annotations(run, said, way, sentences)
    return out, spelling


def _is_respelled(run: LoweringContext, spelling: Table | None) -> bool:
    """Whether values may be encoded differently from the source.

    It is not known what a definition does to its values before it is lowered.
    """
    if spelling is None:
        return False
    if "ref" in spelling:
        faithful = run.dialect.enum == "any" and run.dialect.maps == "keep" and run.dialect.untyped == "keep"
        return not (faithful and run.names_fit())
    inner = [entry.get("as") for entry in spelling.get("object", {}).values()]
    inner += [spelling.get("more"), spelling.get("items"), *spelling.get("first", ())]
    inner += [branch[2] for branch in spelling.get("any", ())]
    own = not {"json", "texts", "pairs", "wrap"}.isdisjoint(spelling)
    named = any("name" in entry or "null" in entry for entry in spelling.get("object", {}).values())
    return own or named or any(_is_respelled(run, node) for node in inner)


def _leave_listed(
    run: LoweringContext, said: dict[str, Any], way: Way, out: dict[str, Any], sentences: list[str]
) -> None:
    """Remove objects and lists from an enum if they would be encoded."""
    for keyword in ("enum", "const"):
        values = out.get("enum") if keyword == "enum" else [out.get("const")]
        if keyword in out and keyword in said and any(type(value) in (dict, list) for value in values or ()):
            del out[keyword]
            text = describe_rule(keyword, said[keyword])
            sentences.append(text)
            run.note_described(way, keyword, text, "its values are encoded")


def _speaks_of(keyword: str, kinds: tuple[str, ...], out: dict[str, Any]) -> bool:
    """Whether a keyword applies to a type of the source that is still the type on the wire."""
    if keyword not in BOUND_TO:
        return True
    sent = declared_types(out) or kinds
    return any(kind in BOUND_TO[keyword] and kind in sent for kind in kinds)


def _meant(run: LoweringContext, said: dict[str, Any], way: Way) -> tuple[str, ...]:
    """Infer the types of a schema without a type, from its values or its keywords."""
    values = said["enum"] if type(said.get("enum")) is list else [said["const"]] if "const" in said else []
    if values:
        return tuple(dict.fromkeys(kind_of(value) for value in values))
    spoken = [BOUND_TO[keyword] for keyword in said if keyword in BOUND_TO]
    spoken += [("string",)] if "format" in said else []
    if not spoken:
        return ()
    kind = spoken[0][0]
    run.note(way, "type", "narrowed", f"it has no type; its keywords suggest {kind}")
    return (kind,)
