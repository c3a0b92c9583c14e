"""Plans of the code for tools and shared types, and declared tools as fields of the format's ToolDefinition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.parse.config import Formats
from toolgen.plan.assertion_keywords import FAMILIES, asserted_keywords
from toolgen.plan.classes import AliasPlan, Check, ClassPlan, ModelsPlan, sort_by_dependency
from toolgen.plan.names import ClassName, ModuleName, module_name, tool_class_stem, type_name
from toolgen.plan.object_views import admits_only_objects, description_of
from toolgen.plan.type_planner import TypePlanner
from toolgen.resolve.catalog import SharedType, Tool
from toolgen.resolve.value_checks import drop_formats_if_unchecked
from toolgen_runtime.lowering.schemas import simplified

STRICT: dict[str, bool | None] = {"auto": None, "always": True, "never": False}
"""What `strict` of a declaration means for every provider; `auto` leaves the decision to the provider's lowering."""

METADATA_KEYS = ("annotations", "display_name")
"""Keys of a declaration for any wire that has a key for them; `declared` of a profile names that key."""


def definition_fields(tool: Tool) -> dict[str, Any]:
    """Return the fields of the ToolDefinition that have a value, in the order of the type."""
    facts = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": STRICT[tool.strict],
        "result": tool.result,
        "metadata": _metadata(tool),
    }
    return {key: value for key, value in facts.items() if value is not None}


def _metadata(tool: Tool) -> dict[str, Any]:
    """Return the declared facts beyond the definition, and those for single providers, for `write_tool_definition`.

    Names on wires are not included: they are mapped in both directions, in results and tool choices too.
    """
    declared: dict[str, Any] = {"aliases": list(tool.aliases)} if tool.aliases else {}  # for readers of calls in text
    declared |= {key: value for key in METADATA_KEYS if (value := getattr(tool, key)) is not None}
    declared["strict"] = tool.strict  # `auto` is decided for each wire
    metadata = {"declaration": {"$declared": declared}}
    for provider, settings in sorted(tool.providers.items()):
        own = {key: value for key, value in settings.items() if key == "description"}
        patch = {key: value for key, value in settings.items() if key not in ("name", "description")}
        if patch:
            own["patch"] = patch
        if own:
            metadata[provider] = {"$declared": own}
    return metadata


@dataclass(frozen=True, slots=True)
class ToolPlan:
    """The module of one tool. `imports` are pairs of a shared type's class and its name in the module.

    `non_object_type` is the type of arguments that are not an object; None if the schema requires an object.
    """

    tool: Tool
    module: ModuleName
    arguments: ClassName
    result: ClassName
    models: ModelsPlan
    imports: tuple[tuple[str, str], ...]
    non_object_type: ClassName | None

    @property
    def handler_class(self) -> ClassName:
        """Return the class name of the tool's handler."""
        return ClassName(f"{self.arguments.removesuffix('Arguments')}Handler")


@dataclass(frozen=True, slots=True)
class ToolsPlan:
    """The modules of all tools, by name, and the module of shared types."""

    tools: tuple[ToolPlan, ...]
    types: ModelsPlan


def plan_tools(tools: Iterable[Tool], types: Iterable[SharedType]) -> ToolsPlan:
    """Plan the modules of tools. The plan of a tool depends only on that tool."""
    return ToolsPlan(tuple(map(_plan_tool, sorted(tools, key=lambda tool: tool.name))), _plan_types(list(types)))


def _plan_tool(tool: Tool) -> ToolPlan:
    """Plan the module of a tool: the types of its arguments and its result, and those that they refer to."""
    stem = tool_class_stem(tool.name)
    arguments, result = ClassName(f"{stem}Arguments"), ClassName(f"{stem}Result")
    used_names: set[str] = {arguments, result, f"{stem}Handler"}
    shared = _name_shared_types(tool.shared, used_names)
    parameters = None if tool.parameters is None else _planned_schema(tool.parameters, tool.formats)
    planner = TypePlanner(parameters or {}, arguments, stem, shared, used_names)
    planner.plan_arguments(description_of({"description": tool.description}) or f"Arguments of {tool.name}.")
    items: list[ClassPlan | AliasPlan] = list(planner.items.values())
    if tool.result is not None:
        items += _plan_named_type(_planned_schema(tool.result, tool.formats), result, shared, used_names)
    else:
        items.append(AliasPlan(result, "Any value: the tool declares no result.", {}, Check(True, (), True)))
    non_object_type = _non_object_arguments(parameters, f"{stem}Value", planner)
    roots = {arguments, result}
    if non_object_type is not None:
        items.append(non_object_type)
        roots.add(non_object_type.name)
    by_local_name = {local: name for name, local in shared.items()}
    models = sort_by_dependency(items, by_local_name, roots)
    imports = tuple(sorted((by_local_name[local], local) for local in models.shared))
    return ToolPlan(
        tool=tool,
        module=module_name(tool.name),
        arguments=arguments,
        result=result,
        models=models,
        imports=imports,
        non_object_type=None if non_object_type is None else non_object_type.name,
    )


def _planned_schema(schema: Any, formats: Formats) -> Any:
    """Return a schema as types are planned: in its simplest form, and without formats if they are not checked."""
    return simplified(drop_formats_if_unchecked(schema, formats))


def _name_shared_types(names: Iterable[str], used_names: set[str]) -> dict[str, str]:
    """Return the classes of shared types in the module of a tool, by name, and add them to the used names."""
    classes: dict[str, str] = {}
    for name in names:
        classes[name] = type_name(f"Shared{name}" if name in used_names else name, used=used_names)
        used_names.add(classes[name])
    return classes


def _non_object_arguments(parameters: Any, name: str, planner: TypePlanner) -> AliasPlan | None:
    """Return the type of arguments that are not an object; None if the schema admits only objects."""
    if parameters is None or admits_only_objects(parameters, planner.lookup):
        return None
    keywords = tuple(k for k in asserted_keywords(parameters) if k not in FAMILIES["object"])
    description = "Arguments of a tool whose schema does not require an object."
    alias = type_name(name, used=planner.used_names)
    return AliasPlan(alias, description, {}, Check(parameters, keywords, parameters))


def _plan_types(types: list[SharedType]) -> ModelsPlan:
    """Plan the module of shared types."""
    names = {shared.name: shared.name for shared in types}
    schemas = {shared.name: _planned_schema(shared.schema, shared.formats) for shared in types}
    used_names: set[str] = set(names)
    items: list[ClassPlan | AliasPlan] = []
    for shared in sorted(types, key=lambda s: s.name):
        own = schemas[shared.name]
        schema = {**own, "$defs": schemas} if isinstance(own, Mapping) else own
        items += _plan_named_type(schema, ClassName(shared.name), names, used_names)
    return sort_by_dependency(items, {}, set(names))


def _plan_named_type(
    schema: Any, name: ClassName, shared: Mapping[str, str], used_names: set[str]
) -> list[ClassPlan | AliasPlan]:
    """Plan the class, or the alias if it is not an object, for a schema, and return it with the classes it needs."""
    planner = TypePlanner(schema, name, name, shared, used_names)
    planner.plan_root()
    return list(planner.items.values())
