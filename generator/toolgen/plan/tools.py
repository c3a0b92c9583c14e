"""What is generated for tools and shared types, in Python's terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.plan.classes import AliasPlan, ClassPlan, ModelsPlan
from toolgen.plan.names import ClassName, ModuleName, module_name, tool_class_name, type_name
from toolgen.plan.objects import object_view
from toolgen.plan.order import ordered
from toolgen.plan.shapes import Shaper
from toolgen.resolve.catalog import SharedType, Tool


@dataclass(frozen=True, slots=True)
class ToolPlan:
    """The module of one tool. `imports` are pairs of a shared type's class and its name in the module."""

    tool: Tool
    module: ModuleName
    arguments: ClassName
    result: ClassName
    models: ModelsPlan
    imports: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ToolsPlan:
    """The modules of all tools, by name, and the module of shared types."""

    tools: tuple[ToolPlan, ...]
    types: ModelsPlan


def plan_tools(tools: Iterable[Tool], types: Iterable[SharedType]) -> ToolsPlan:
    """Plan the modules of tools. The plan of a tool depends on that tool alone."""
    by_name = sorted(tools, key=lambda tool: tool.name)
    return ToolsPlan(tuple(_tool(tool) for tool in by_name), _types(list(types)))


def _tool(tool: Tool) -> ToolPlan:
    stem = tool_class_name(tool.name)
    arguments, result = ClassName(f"{stem}Arguments"), ClassName(f"{stem}Result")
    taken: set[str] = {arguments, result}
    shared: dict[str, str] = {}
    for name in tool.shared:
        shared[name] = type_name(f"Shared{name}" if name in taken else name, taken=taken)
        taken.add(shared[name])
    described = tool.description or f"Arguments of {tool.name}."
    shaper = Shaper(tool.parameters or {}, arguments, shared, taken)
    shaper.object_root(described)
    items: list[ClassPlan | AliasPlan] = list(shaper.classes.values())
    if tool.result is not None:
        items += _named(tool.result, result, shared, taken)
    else:
        items.append(AliasPlan(result, "Any value: the tool declares no result.", {}))
    models = ordered(items, {local: name for name, local in shared.items()})
    local_names = {local: name for name, local in shared.items()}
    imports = tuple(sorted((local_names[local], local) for local in models.shared))
    return ToolPlan(tool, module_name(tool.name), arguments, result, models, imports)


def _types(types: list[SharedType]) -> ModelsPlan:
    names = {shared.name: shared.name for shared in types}
    schemas = {shared.name: shared.schema for shared in types}
    taken: set[str] = set(names)
    items: list[ClassPlan | AliasPlan] = []
    for shared in sorted(types, key=lambda s: s.name):
        schema = {**shared.schema, "$defs": schemas} if isinstance(shared.schema, Mapping) else shared.schema
        items += _named(schema, ClassName(shared.name), names, taken)
    return ordered(items, {})


def _named(schema: Any, name: ClassName, shared: Mapping[str, str], taken: set[str]) -> list[ClassPlan | AliasPlan]:
    """The class, or the alias where it is no object, that stands for a schema, and the classes it needs."""
    shaper = Shaper(schema, name, shared, taken)
    view = None if "$ref" in _keys(schema) else object_view(schema, shaper.lookup)
    if view is not None and view.properties:
        shaper.object_root(None)
        return list(shaper.classes.values())
    alias = AliasPlan(name, _text(schema, "description"), shaper.shape(schema, name))
    shaper.finish()
    return [*shaper.classes.values(), alias]


def _keys(schema: Any) -> Mapping[str, Any]:
    return schema if isinstance(schema, Mapping) else {}


def _text(schema: Any, key: str) -> str | None:
    value = _keys(schema).get(key)
    return value if isinstance(value, str) else None
