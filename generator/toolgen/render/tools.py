"""The text of the modules of tools and shared types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import ruff_api

from toolgen.plan.classes import AliasPlan, ClassPlan, FieldPlan, ModelsPlan, has_instances, iter_type_schemas
from toolgen.plan.names import natural_key
from toolgen.plan.tools import ToolPlan, ToolsPlan, definition_fields, plan_tools
from toolgen.render.checks import CheckFunction, CheckFunctionCollector
from toolgen.render.imports import Imports
from toolgen.render.literals import python_literal, python_string
from toolgen.render.shared_schemas import SharedSchemas
from toolgen.render.templates import (
    UNFORMATTED_HEADER,
    AliasText,
    ClassText,
    FieldText,
    TypeExpression,
    format_python,
    render_template,
)
from toolgen.render.type_expressions import type_expressions
from toolgen.resolve.catalog import Schema, SharedType, Tool
from toolgen.resolve.schema_locations import PREFIX
from toolgen_runtime.lowering.coercion import coercions
from toolgen_runtime.tools.formats import FORMATS


def tool_modules(
    tools: Iterable[Tool],
    types: Iterable[SharedType],
    with_handlers: bool = True,
    express: Callable[[Sequence[Any]], list[TypeExpression]] = type_expressions,
) -> dict[str, str]:
    """Return the text of `tools/__init__.py`, of each tool's module, and of `types.py` and `schemas.py`, by path.

    The last two are only there if there are shared types. `express` is called once, with all type schemas.
    """
    types = list(types)
    plan = plan_tools(tools, types)
    schemas = {shared.name: shared.schema for shared in sorted(types, key=lambda shared: shared.name)}
    items = (item for models in (plan.types, *(each.models for each in plan.tools)) for item in models.items)
    expressions = iter(express([type_schema for item in items for type_schema in iter_type_schemas(item)]))
    texts = {"tools/__init__.py": UNFORMATTED_HEADER + _index(plan, with_handlers)}
    if plan.types.items:
        texts["types.py"] = _models_module(
            "types.py", plan.types, expressions, Imports(), title="Types that several tools share."
        )
        texts["schemas.py"] = UNFORMATTED_HEADER + render_template("schemas.py", schemas=schemas)
    for each in plan.tools:
        texts[f"tools/{each.module}.py"] = _tool_module(each, schemas, expressions, with_handlers)
    return {path: texts[path] for path in sorted(texts)}


def class_names_by_module(tools: Iterable[Tool], types: Iterable[SharedType]) -> dict[str, tuple[str, ...]]:
    """Return the public classes and types of the modules that `tool_modules` makes, by path in the output."""
    plan = plan_tools(tools, types)
    models_by_path = {f"tools/{tool.module}.py": tool.models for tool in plan.tools} | {"types.py": plan.types}
    return {path: tuple(str(item.name) for item in models.items) for path, models in models_by_path.items()}


def _tool_module(
    plan: ToolPlan, schemas: Mapping[str, Schema], expressions: Iterator[TypeExpression], with_handlers: bool
) -> str:
    """Return the text of the module of a tool."""
    imports = Imports()
    if with_handlers:
        imports.add("typing", "TYPE_CHECKING", "Protocol")
    for name, local in plan.imports:
        imports.add_as("..types", name, local)
    imports.add("..models", "ToolDefinition")
    shared = SharedSchemas(schemas)
    definition = {key: shared.refer(value, plan.tool.shared) for key, value in definition_fields(plan.tool).items()}
    if shared.uses_declared:
        imports.add("..schemas", "SCHEMAS")
    text = _models_module(
        f"tools/{plan.module}.py",
        plan.models,
        expressions,
        imports,
        exports=["DEFINITION", *([str(plan.handler_class)] if with_handlers else [])],
        handler=plan if with_handlers else None,
        title=f"The tool `{plan.tool.name}`.",
    )
    return text + render_template("tools/_definition.py", definition=definition)


def _models_module(
    path: str,
    plan: ModelsPlan,
    expressions: Iterator[TypeExpression],
    imports: Imports,
    *,
    title: str,
    exports: Sequence[str] = (),
    handler: ToolPlan | None = None,
) -> str:
    """Return the text of a module with classes and named types, and with the type of the handler of a tool."""
    models = _Models(plan, expressions, imports)
    items, functions = models.items(), models.functions()
    exports = sorted((*exports, *(str(item.name) for item in plan.items)), key=_constants_first)
    head = render_template(
        "tools/_head.py", title=title, imports=imports.lines(), exports=exports, has_handler=handler is not None
    )
    body = render_template("tools/_models.py", items=items, functions=functions, rebuilt=plan.rebuilt, handler=handler)
    return UNFORMATTED_HEADER + head + format_python(path, body)


EXPORTS = (
    "ALIASES",
    "DEFINITIONS",
    "DEPRECATED",
    "DISPLAY_NAMES",
    "LOW_RISK",
    "TOOL_SET",
    "ArgumentsError",
    "Fault",
    "ToolName",
    "parse_arguments",
    "parse_call",
)
"""The public names of the tools, whatever parts a package has."""

RUNNING = (
    "Handlers",
    "check_handlers",
    "dispatch",
    "dispatch_all",
    "dispatch_sync",
    "dispatcher",
)
"""The public names of the part `running`."""


def _constants_first(name: str) -> Any:
    """Return the sort key of a name in `__all__`."""
    return not name.isupper(), natural_key(name)


def _index(plan: ToolsPlan, running: bool) -> str:
    """Return the text of `tools/__init__.py`; `running` if the package has that part."""
    return render_template(
        "tools/__init__.py",
        running=running,
        exports=sorted((*EXPORTS, *(RUNNING if running else ())), key=natural_key),
        left_out=RUNNING,
        tools=plan.tools,
        sorted=sorted(plan.tools, key=lambda each: natural_key(each.module)),
        declared={each.tool.name: _declared_facts(each) for each in plan.tools},
    )


def _declared_facts(plan: ToolPlan) -> str:
    """Return the facts about a tool as arguments of `ToolFacts`, without those that have their default values."""
    tool = plan.tool
    names = (plan.module, plan.arguments, plan.result)
    facts = {
        "non_object_type": str(plan.non_object_type) if plan.non_object_type else None,
        "low_risk": tool.risk == "low",
        "display_name": tool.display_name or None,
        "deprecated": tool.deprecated,
        "aliases": sorted(tool.aliases) or None,
        "timeout": tool.timeout,
        "coercions": coercions(tool.parameters) if tool.parameters else None,
    }
    options = [f"{key}={python_literal(value)}" for key, value in facts.items() if value not in (None, False)]
    return ", ".join([*(python_string(name) for name in names), *options])


class _Models:
    """The classes and named types of one module as text. What they need is added to the imports of the module."""

    def __init__(self, plan: ModelsPlan, expressions: Iterator[TypeExpression], imports: Imports) -> None:
        self._plan = plan
        self._expressions = expressions
        self._imports = imports
        self._classes: set[str] = {item.name for item in plan.items if isinstance(item, ClassPlan)}
        self._checks = CheckFunctionCollector()

    def items(self) -> list[ClassText | AliasText]:
        """Return the classes and named types."""
        texts: list[ClassText | AliasText] = []
        for item in self._plan.items:
            check = self._checks.add_check(item.name, item.check) if item.check.keywords else None
            texts.append(self._alias(item, check) if isinstance(item, AliasPlan) else self._class(item, check))
        return texts

    def functions(self) -> list[CheckFunction]:
        """Return the functions that check what the items do not express, once these are made."""
        functions = self._checks.functions()
        if functions:
            self._imports.add("typing", "Any")
        self._imports.add_runtime("checks", *self._checks.uses)
        return functions

    def _alias(self, item: AliasPlan, check: str | None) -> AliasText:
        """Return a named type, with the function that checks it, if any."""
        expression = next(self._expressions)
        self._imports.add("typing", "TypeAlias")
        self._imports.use(expression.names)
        metadata = []
        if item.tag is not None:
            self._imports.add("pydantic", "Field")
            metadata.append(f"Field(discriminator={python_string(item.tag)})")
        if check is not None:
            self._imports.add_runtime("checks", "SchemaCheck")
            metadata.append(f"SchemaCheck(lambda value: {check}(value))")  # the function is defined below
        if not metadata:
            return AliasText(item.name, item.description, expression.text)
        self._imports.add("typing", "Annotated")
        return AliasText(item.name, item.description, f"Annotated[{expression.text}, {', '.join(metadata)}]")

    def _class(self, item: ClassPlan, check: str | None) -> ClassText:
        """Return a class, with the function that checks it, if any."""
        extras = next(self._expressions)
        self._imports.add("pydantic", "BaseModel", "ConfigDict")
        has_typed_extras = not item.closed and item.extras != {}
        if has_typed_extras:
            self._imports.add("pydantic", "Field")
            self._imports.use(extras.names)
        if check is not None:
            self._imports.add("typing", "Any", "Self")
            self._imports.add("pydantic", "ModelWrapValidatorHandler", "model_validator")
            self._imports.add_runtime("checks", "ensure_valid")
        fields = tuple(self._field(field, next(self._expressions)) for field in item.fields)
        renames = any(f.name != f.wire for f in item.fields)
        extra_type = extras.text if has_typed_extras else None
        return ClassText(item.name, item.description, fields, item.closed, extra_type, check, renames)

    def _field(self, plan: FieldPlan, expression: TypeExpression) -> FieldText:
        """Return a field: its value is a plain default, or a `Field` if it needs a factory or has another name."""
        self._imports.use(expression.names)
        annotation = expression.text
        if plan.presence == "omittable":
            self._imports.add_runtime("field_types", "Omittable")
            annotation = f"Omittable[{annotation}]"
        options = []
        value = None
        needs_field = plan.name != plan.wire
        if plan.presence != "required":
            value = python_literal(plan.default)
            factory = self._factory(plan, expression)
            needs_field = needs_field or factory is not None
            options.append(f"default={value}" if factory is None else f"default_factory={factory}")
        if plan.name != plan.wire:
            wire = python_string(plan.wire)
            options += [f"validation_alias={wire}", f"serialization_alias={wire}"]
        if needs_field:
            self._imports.add("pydantic", "Field")
            value = f"Field({', '.join(options)})"
        return FieldText(plan.name, annotation, value, plan.description)

    def _factory(self, plan: FieldPlan, expression: TypeExpression) -> str | None:
        """Return the factory of a default that is, or has, another type in Python than in JSON; None for plain data."""
        if not plan.is_parsed and not has_instances(plan.default, plan.type_schema):
            return None
        literal = python_literal(plan.default)
        if plan.is_parsed and plan.type_schema.keys() == {"type", "format"}:
            read = FORMATS[plan.type_schema["format"]].__name__
            self._imports.add_runtime("formats", read)
            return f"lambda: {read}({literal})"
        if plan.type_schema.get("$ref", "").removeprefix(PREFIX) in self._classes:
            return f"lambda: {expression.text}.model_validate({literal})" if plan.default else expression.text
        self._imports.add("pydantic", "TypeAdapter")
        return f"lambda: TypeAdapter[{expression.text}]({expression.text}).validate_python({literal})"


def make_handler_class_stub(tools: Sequence[Tool], package: str, name: str) -> str:
    """Write the class. `package` is the import name of the generated package, `name` the name of the class."""
    plan = plan_tools(tools, ())
    text = render_template("stub.py", tools=plan.tools, package=package, name=name)
    return ruff_api.format_string("stub.py", ruff_api.isort_string("stub.py", text))
