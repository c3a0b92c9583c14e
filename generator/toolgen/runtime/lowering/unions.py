"""Unions: one keyword for them, the rules that stand beside them, and types of which a dialect has one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..json_texts.text import loose
from .combining import both
from .describing import described
from .records import NEVER, Table, Way
from .words import ANNOTATIONS, BOUND_TO, IDENTITY, kind_of

if TYPE_CHECKING:
    from .engine import Node, Run, Trail

__all__ = ["lower_union", "one_union", "split_types"]

_ASSERTIONS = frozenset(["required", "not", "minProperties", "maxProperties", "dependentRequired"]) | ANNOTATIONS


def one_union(run: Run, schema: dict[str, Any], way: Way) -> dict[str, Any]:
    """A schema whose `oneOf` is said by `anyOf` where the dialect has that alone."""
    if "oneOf" not in schema:
        return schema
    if "anyOf" in schema:
        run.note(way, "oneOf", "dropped", "it stands beside anyOf", checked="parse_arguments")
        return run.made({key: value for key, value in schema.items() if key != "oneOf"}, way)
    reason = "anyOf stands for it; that no second branch holds is not said"
    run.note(way, "oneOf", "rewritten", reason, checked="parse_arguments")
    return run.made({("anyOf" if key == "oneOf" else key): value for key, value in schema.items()}, way)


def lower_union(run: Run, said: dict[str, Any], way: Way, trail: Trail) -> Node:
    """Lower `anyOf`, branch by branch, each with the rules that stand beside it; branches that come out alike are one."""
    branches: list[Any] = said["anyOf"]
    outer = {key: value for key, value in said.items() if key != "anyOf"}
    rules = {key: value for key, value in outer.items() if key not in ANNOTATIONS and key not in IDENTITY}
    if all(type(branch) is dict and branch.keys() <= _ASSERTIONS for branch in branches):
        reason = run.reason("anyOf with no value of its own")
        needs = [" and ".join(map(str, b["required"])) for b in branches if type(b.get("required")) is list]
        sentence = f"Needs {', or '.join(needs)}." if needs and len(needs) == len(branches) else ""
        action = "described" if sentence and run.says(way) else "dropped"
        run.note(way, "anyOf", action, reason, checked="parse_arguments")
        return run.typed(run.made(outer, way), way, trail, [sentence])
    sources: list[Any] = []
    lowered: list[dict[str, Any]] = []
    tables: list[Table | None] = []
    met: set[str] = set()
    for i, branch in enumerate(branches):
        if rules:
            inner, along = run.resolved(branch, trail)
            if type(inner) is dict:
                branch, trail_ = run.made(both(inner, rules, []), run.way_of(inner, (*way, "anyOf", i))), along
            else:
                branch, trail_ = (run.made(dict(rules), way) if inner is not False else False), trail
        else:
            trail_ = trail
        out, spelling = run.node(branch, (*way, "anyOf", i), trail_)
        text = loose(out)
        if out is not NEVER and not (spelling is None and text in met):
            met.add(text)
            sources.append(branch)
            lowered.append(out)
            tables.append(spelling)
    if not lowered:
        return NEVER, None
    words = run.words(outer, way, [], inside=True)
    if len(lowered) == 1:
        alone = lowered[0] if "$ref" not in lowered[0] or not words else {"anyOf": lowered}
        return {**alone, **words}, tables[0]
    if not run.dialect.takes("anyOf") and run.dialect.untyped == "text":
        for keyword in dict.fromkeys(key for out in lowered for key in out if key not in ("type", "description")):
            run.note(way, keyword, "dropped", "a value of several types goes as JSON text", checked="parse_arguments")
        kinds = list(dict.fromkeys(str(out.get("type")) for out in lowered))
        return run.untyped(outer, way, [f"One of these types: {', '.join(kinds)}." if len(kinds) > 1 else ""])
    if not run.dialect.takes("anyOf"):
        run.note(way, "anyOf", "dropped", run.reason("anyOf"), checked="parse_arguments")
        return words, None
    if not any(tables):
        return {"anyOf": lowered, **words}, None
    entries = [[source, out, inner] for source, out, inner in zip(sources, lowered, tables, strict=True)]
    run.unions += [(entry, entry[0], entry[1]) for entry in entries]
    return {"anyOf": lowered, **words}, {"any": entries}


def split_types(
    run: Run, said: dict[str, Any], kinds: tuple[str, ...], way: Way, trail: Trail, sentences: list[str]
) -> Node:
    """One branch for each of several types, each with the keywords that speak of it."""
    rules = {key: value for key, value in said.items() if key not in ANNOTATIONS}
    branches = []
    for kind in kinds:
        branch = {k: v for k, v in rules.items() if k not in BOUND_TO or kind in BOUND_TO[k]}
        if type(branch.get("enum")) is list:
            branch["enum"] = [
                v for v in branch["enum"] if kind_of(v) == kind or (kind_of(v), kind) == ("integer", "number")
            ]
            if not branch["enum"]:
                continue
        branches.append(run.made({**branch, "type": kind}, way))
    words = {key: value for key, value in said.items() if key in ANNOTATIONS}
    if sentences:
        words["description"] = described(words.get("description"), sentences)
    return lower_union(run, run.made({"anyOf": branches, **words}, way), way, trail) if branches else (NEVER, None)
