"""The text of the modules of tools and shared types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from toolgen.plan.classes import AliasPlan, ClassPlan, FieldPlan, ModelsPlan
from toolgen.plan.definitions import definition_facts
from toolgen.plan.nullability import PREFIX
from toolgen.plan.order import refers, shapes_of
from toolgen.plan.tools import ToolPlan, ToolsPlan, plan_tools
from toolgen.render.environment import environment
from toolgen.render.imports import Imports
from toolgen.render.layout import laid_out
from toolgen.render.literals import python_literal, python_string
from toolgen.render.model_code import Expression, type_expressions
from toolgen.resolve.catalog import SharedType, Tool


@dataclass(frozen=True, slots=True)
class FieldText:
    """A field as it is printed: its annotation, and what follows the equals sign."""

    name: str
    annotation: str
    value: str | None
    description: str | None


@dataclass(frozen=True, slots=True)
class ClassText:
    """A class as it is printed. `extras` is the type of further properties where they have one."""

    name: str
    description: str | None
    closed: bool
    extras: str | None
    fields: tuple[FieldText, ...]


@dataclass(frozen=True, slots=True)
class AliasText:
    """A named type as it is printed."""

    name: str
    description: str | None
    annotation: str


def tool_modules(tools: Iterable[Tool], types: Iterable[SharedType]) -> dict[str, str]:
    """The text of `tools/__init__.py`, of each tool's module and of `types.py`, by path in the output."""
    plan = plan_tools(tools, types)
    plans = [plan.types, *(tool.models for tool in plan.tools)]
    shapes = [shape for models in plans for item in models.items for shape in shapes_of(item)]
    expressions = iter(type_expressions(shapes))
    texts = {"types.py": _types(plan.types, expressions)}
    for tool in plan.tools:
        texts[f"tools/{tool.module}.py"] = _tool(tool, expressions)
    texts["tools/__init__.py"] = _index(plan)
    return {path: laid_out(path, texts[path]) for path in sorted(texts)}


def _tool(plan: ToolPlan, expressions: Iterator[Expression]) -> str:
    imports = Imports()
    items = _items(plan.models, expressions, imports, "..runtime.fields")
    for name, local in plan.imports:
        imports.add("..types", name, local)
    imports.add("..models", "ToolDefinition")
    tool = plan.tool
    return (
        environment()
        .get_template("tools/module.py.jinja")
        .render(
            title=f"The tool `{tool.name}`: its arguments, its result and its definition.",
            imports=imports.lines(),
            exports=["DEFINITION", *sorted(str(item.name) for item in plan.models.items)],
            items=items,
            rebuilt=plan.models.rebuilt,
            definition=definition_facts(tool).items(),
        )
    )


def _types(plan: ModelsPlan, expressions: Iterator[Expression]) -> str:
    imports = Imports()
    items = _items(plan, expressions, imports, ".runtime.fields")
    return (
        environment()
        .get_template("types.py.jinja")
        .render(
            title="Types that tools share.",
            imports=imports.lines(),
            exports=sorted(str(item.name) for item in plan.items),
            items=items,
            rebuilt=plan.rebuilt,
        )
    )


def _index(plan: ToolsPlan) -> str:
    tools = [(p.tool.name, str(p.module), str(p.arguments)) for p in plan.tools]
    aliases = {alias: p.tool.name for p in plan.tools for alias in p.tool.aliases}
    return (
        environment()
        .get_template("tools/__init__.py.jinja")
        .render(
            tools=tools,
            modules=sorted(p.module for p in plan.tools),
            low=[p.tool.name for p in plan.tools if p.tool.risk == "low"],
            aliases=dict(sorted(aliases.items())),
            display_names={p.tool.name: p.tool.display_name for p in plan.tools if p.tool.display_name},
            deprecated=[p.tool.name for p in plan.tools if p.tool.deprecated],
        )
    )


def _items(
    plan: ModelsPlan, expressions: Iterator[Expression], imports: Imports, fields_module: str
) -> list[ClassText | AliasText]:
    classes: set[str] = {item.name for item in plan.items if isinstance(item, ClassPlan)}
    return [
        _alias(item, expressions, imports, fields_module)
        if isinstance(item, AliasPlan)
        else _class(item, expressions, imports, fields_module, classes)
        for item in plan.items
    ]


def _alias(item: AliasPlan, expressions: Iterator[Expression], imports: Imports, fields_module: str) -> AliasText:
    expression = next(expressions)
    imports.add("typing", "TypeAlias")
    imports.use(expression.names, fields_module)
    return AliasText(item.name, item.description, expression.text)


def _class(
    item: ClassPlan,
    expressions: Iterator[Expression],
    imports: Imports,
    fields_module: str,
    classes: set[str],
) -> ClassText:
    extras: Expression = next(expressions)
    imports.add("pydantic", "BaseModel")
    imports.add("pydantic", "ConfigDict")
    typed = not item.closed and item.extras != {}
    if typed:
        imports.add("pydantic", "Field")
        imports.use(extras.names, fields_module)
    fields = tuple(_field(f, next(expressions), imports, fields_module, classes) for f in item.fields)
    return ClassText(item.name, item.description, item.closed, extras.text if typed else None, fields)


def _field(
    plan: FieldPlan, expression: Expression, imports: Imports, fields_module: str, classes: set[str]
) -> FieldText:
    imports.use(expression.names, fields_module)
    annotation = expression.text
    if plan.presence == "omittable":
        imports.add(fields_module, "Omittable")
        annotation = f"Omittable[{annotation}]"
    options = []
    value = None
    if plan.presence != "required":
        factory = _factory(plan, expression, imports, classes)
        value = python_literal(plan.default)
        options.append(f"default_factory=lambda: {factory}" if factory else f"default={value}")
        value = None if factory else value
    if plan.name != plan.wire:
        options.append(f"alias={python_string(plan.wire)}")
    if (options and value is None) or plan.name != plan.wire:
        imports.add("pydantic", "Field")
        value = f"Field({', '.join(options)})"
    return FieldText(plan.name, annotation, value, plan.description)


def _factory(plan: FieldPlan, expression: Expression, imports: Imports, classes: set[str]) -> str | None:
    """What makes a default that holds objects of classes; None for plain data."""
    if not isinstance(plan.default, dict | list) or not plan.default:
        return None
    if not any(True for _ in refers(plan.shape)):
        return None
    literal = python_literal(plan.default)
    if plan.shape.get("$ref", "").removeprefix(PREFIX) in classes:
        return f"{expression.text}.model_validate({literal})"
    imports.add("pydantic", "TypeAdapter")
    return f"TypeAdapter[{expression.text}]({expression.text}).validate_python({literal})"
