"""A provider's module: its shapes, unions and tables, ready to print."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.plan.usage import UsagePlan, plan_usage
from toolgen.plan.wire_shapes import ShapeError, ShapePlan, plan_shape, upper
from toolgen.resolve import Catalog, Format, Profile, Tool


@dataclass(frozen=True, slots=True)
class MemberPlan:
    """A member of a union: the tag's words on the wire, the shape, and what must be there besides the tag."""

    words: tuple[str | None, ...]
    shape: str
    type: str
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnionPlan:
    """Objects of several shapes, told apart by a tag, or by the function `by`. What has none of the shapes stays opaque.

    Objects of one shape alone need neither.
    """

    name: str
    types: tuple[str, ...]
    tag: str
    by: str
    members: tuple[MemberPlan, ...]


@dataclass(frozen=True, slots=True)
class ProviderPlan:
    """What a provider's template prints. `notions` are what the wire has, besides tools, calls and results."""

    name: str
    template: str
    facts: Mapping[str, Any]
    shapes: Mapping[str, ShapePlan]
    unions: Mapping[str, UnionPlan]
    tables: Mapping[str, Any]
    renames: Mapping[str, str]
    refused: tuple[str, ...]
    tool_names: tuple[str, ...]
    fields: Mapping[str, frozenset[str]]
    usage: UsagePlan | None
    notions: frozenset[str]
    dialects: Mapping[str, Any]
    depth: int

    def has(self, type_name: str, field: str) -> bool:
        """Whether the format has a field; what speaks of one that was taken out is not printed."""
        return field in self.fields.get(type_name, frozenset())

    @property
    def says_strict(self) -> bool:
        """Whether a request says of each tool whether the model is held to its schema, by which values are spelled otherwise."""
        keys = [key for shape in self.shapes.values() if shape.type == "ToolDefinition" for key in shape.keys]
        return bool(self.dialects.get("strict")) and any("strict" in key.fields for key in keys)


def plan_provider(profile: Profile, catalog: Catalog) -> ProviderPlan:
    """Plan the module of a provider.

    Raises:
        ShapeError: a shape or union of the profile does not fit.
    """
    try:
        return _plan(profile, catalog)
    except ShapeError as error:
        raise ShapeError(error.pointer, error.reason, profile.name) from error


def _plan(profile: Profile, catalog: Catalog) -> ProviderPlan:
    facts = profile.facts
    shapes = {n: plan_shape(n, s, catalog.format) for n, s in facts.get("shapes", {}).items()}
    unions = {n: _union(n, u, facts, shapes, catalog.format.types) for n, u in facts.get("unions", {}).items()}
    _check_constants(shapes)
    notions = _notions(facts, shapes)
    tools = [t for t in catalog.tools if profile.name not in t.unsupported]
    return ProviderPlan(
        name=profile.name,
        template=profile.template,
        facts=facts,
        shapes=shapes,
        unions=unions,
        tables=_tables(facts),
        renames={t.name: str(_patch(t, profile)["name"]) for t in tools if "name" in _patch(t, profile)},
        refused=tuple(t.name for t in catalog.tools if profile.name in t.unsupported),
        tool_names=tuple(t.name for t in tools),
        fields=_fields(catalog.format),
        usage=plan_usage(facts["usage"], catalog.format) if "usage" in facts else None,
        notions=notions,
        dialects=_without_notes(facts["dialects"]),
        depth=catalog.recursion_depth,
    )


NEEDS: Mapping[str, tuple[str, ...]] = {
    "request": ("tool_choice", "finish_reasons"),
    "stream": ("finish_reasons",),
    "ids": ("ids",),
}
"""The sections that a profile must have for a notion."""


def _notions(facts: Mapping[str, Any], shapes: Mapping[str, ShapePlan]) -> frozenset[str]:
    """What the wire has a notion of, by the sections and the shapes that its profile has."""
    types = {shape.type for shape in shapes.values()}
    found = {
        "messages": not types.isdisjoint(("Request", "UserMessage")),
        "request": "Request" in types,
        "answer": "finish_reasons" in facts,
        "choice": "tool_choice" in facts,
        "stream": "stream" in facts,
        "writer": "writes" in facts.get("stream", {}),
        "ids": any(shape.type == "ToolCall" and "id" not in shape.outside for shape in shapes.values()),
        "sdk": "sdk" in facts and ("call" in facts["sdk"] or "Request" in types),
        "errors": "errors" in facts,
        "usage": "usage" in facts,
        "agent_events": "agent_events" in facts,
    }
    for notion, sections in NEEDS.items():
        for section in sections:
            if found[notion] and section not in facts:
                raise ShapeError((), f"needs {section}, for the wire has a notion of {notion}")
    return frozenset(notion for notion, there in found.items() if there)


def _check_constants(shapes: Mapping[str, ShapePlan]) -> None:
    seen: dict[str, str] = {}
    for name, shape in shapes.items():
        for constant in shape.known:
            if constant in seen:
                raise ShapeError(("shapes", name), f"its names fall together with those of the shape {seen[constant]}")
            seen[constant] = name


def _patch(tool: Tool, profile: Profile) -> Mapping[str, Any]:
    return tool.providers.get(profile.name, {})


def _fields(format: Format) -> Mapping[str, frozenset[str]]:
    return {name: frozenset(f.python for f in kind.fields) for name, kind in format.types.items()}


def _union(
    name: str,
    union: Mapping[str, Any],
    facts: Mapping[str, Any],
    shapes: Mapping[str, ShapePlan],
    types: Collection[str],
) -> UnionPlan:
    members = []
    if not ("by" in union or "tag" in union or len(union["shapes"]) == 1):
        raise ShapeError(("unions", name), "needs a tag, or a function that tells its shapes apart")
    for kind in union["types"]:
        if kind not in types:
            raise ShapeError(("unions", name, "types"), f"the format has no type {kind}")
    by = union.get("by", "")
    named = {shape: word for word, shape in union["shapes"].items()} if by else {}
    for shape_name in named or union["shapes"]:
        shape = shapes.get(shape_name)
        if shape is None:
            raise ShapeError(("unions", name, "shapes"), f"there is no shape {shape_name}")
        if by:
            members.append(MemberPlan((named[shape_name],), shape_name, shape.type, ()))
            continue
        words = [str(word) for key, word in shape.tag if key == union.get("tag")]
        if not words and "tag" in union:
            raise ShapeError(("shapes", shape_name, "tag"), f"needs the tag {union['tag']}, for it is in {name}")
        missing = (None,) if "tag" in union and union["tag"] == shape.untagged else ()
        needs = tuple(facts["shapes"][shape_name].get("needs", ()))
        others = (*shape.tag_also.get(union.get("tag", ""), ()), *missing)
        members.append(MemberPlan((*words, *others), shape_name, shape.type, needs))
    return UnionPlan(name, tuple(union["types"]), union.get("tag", ""), by, tuple(members))


def _tables(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Constants of the module: tables that codecs are given, by the constant's name.

    Raises:
        ShapeError: a key is given a table that the profile does not have.
    """
    found: dict[str, Any] = {}

    def walk(shape: str, keys: Mapping[str, Any]) -> None:
        for key, spec in keys.items():
            if not isinstance(spec, Mapping):
                continue
            if "keys" in spec:
                walk(shape, spec["keys"])
            elif isinstance(spec.get("with"), str):
                if spec["with"] not in facts:
                    raise ShapeError(("shapes", shape), f"speaks of {spec['with']}, which the profile does not have")
                found[upper(spec["with"])] = _without_notes(facts[spec["with"]])
            elif "with" in spec:
                found[upper(shape, key)] = spec["with"]

    for name, shape in facts.get("shapes", {}).items():
        walk(name, shape["keys"])
    return found


def _without_notes(value: Any) -> Any:
    """A table without what only explains it."""
    if isinstance(value, Mapping):
        return {k: _without_notes(v) for k, v in value.items() if k not in ("date", "evidence") and v is not None}
    return value
