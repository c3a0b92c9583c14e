"""The text of the modules of tools and shared types."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import ruff_api

from toolgen.incremental import ON_DISK
from toolgen.plan.classes import AliasPlan, ClassPlan, FieldPlan, ModelsPlan, has_instances, iter_type_schemas
from toolgen.plan.names import natural_key
from toolgen.plan.tools import ToolPlan, ToolsPlan, definition_fields, plan_tools
from toolgen.render.checks import CheckFunction, CheckFunctionCollector
from toolgen.render.imports import Imports
from toolgen.render.literals import python_literal, python_string
from toolgen.render.templates import (
    HEADER,
    AliasText,
    ClassText,
    FieldText,
    TypeExpression,
    format_generated_module,
    format_python,
    render_template,
)
from toolgen.resolve.catalog import SharedType, Tool
from toolgen.resolve.schema_locations import PREFIX
from toolgen.runtime.tools.formats import FORMATS


def tool_modules(tools: Iterable[Tool], types: Iterable[SharedType], with_handlers: bool = True) -> dict[str, str]:
    """Return the text of `tools/__init__.py`, of each tool's module and of `types.py`, by path in the output."""
    plan = plan_tools(tools, types)
    known: dict[str, str] = {each.module: ON_DISK.find("module", each.tool.digest) for each in plan.tools}
    changed = [each for each in plan.tools if known[each.module] is None]
    expressions = iter(_expressions(plan, changed))
    texts = {"types.py": _types(plan.types, expressions), "tools/__init__.py": _index(plan, with_handlers)}
    if with_handlers:
        texts["tools/handlers.py"] = _handlers(plan, "handlers")
        texts["tools/protocols.py"] = _handlers(plan, "protocols")
    made = {path: format_generated_module(path, text) for path, text in texts.items()}
    for each in changed:
        text = format_python(f"tools/{each.module}.py", HEADER + _tool(each, expressions))
        known[each.module] = ON_DISK.keep(text, "module", each.tool.digest)
    made |= {f"tools/{module}.py": text for module, text in known.items()}
    return {path: made[path] for path in sorted(made)}


def _expressions(plan: ToolsPlan, changed: Iterable[ToolPlan]) -> list[TypeExpression]:
    """Return the type expression of each type schema of the shared types and the changed tools, stored or new.

    Results are stored for each tool, but used for all tools, because an edit rarely adds a type schema that no tool has yet.
    """
    type_schemas = {"": _type_schemas(plan.types)} | {each.tool.name: _type_schemas(each.models) for each in changed}
    stored = {name: ON_DISK.find("types", name) or {} for name in ("", *(each.tool.name for each in plan.tools))}
    keys = {
        name: [json.dumps(type_schema, sort_keys=True) for type_schema in found] for name, found in type_schemas.items()
    }
    known: dict[str, tuple[str, tuple[str, ...]]] = {}
    for types in stored.values():
        known |= types
    new = {
        key: type_schema
        for name in type_schemas
        for key, type_schema in zip(keys[name], type_schemas[name], strict=True)
        if key not in known
    }
    if new:
        from toolgen.render.model_code import type_expressions  # slow: it imports the model generator

        made = type_expressions(list(new.values()))
        known |= {key: (each.text, tuple(sorted(each.names))) for key, each in zip(new, made, strict=True)}
    for name, found in keys.items():
        if any(key not in stored[name] for key in found):
            ON_DISK.keep({key: known[key] for key in found}, "types", name)
    return [TypeExpression(known[key][0], frozenset(known[key][1])) for found in keys.values() for key in found]


def _type_schemas(models: ModelsPlan) -> list[Any]:
    return [type_schema for item in models.items for type_schema in iter_type_schemas(item)]


def class_names_by_module(tools: Iterable[Tool], types: Iterable[SharedType]) -> dict[str, tuple[str, ...]]:
    """Return the public classes and types of the modules that `tool_modules` makes, by path in the output."""
    plan = plan_tools(tools, types)
    found = {f"tools/{tool.module}.py": tool.models for tool in plan.tools} | {"types.py": plan.types}
    return {path: tuple(str(item.name) for item in models.items) for path, models in found.items()}


def _tool(plan: ToolPlan, expressions: Iterator[TypeExpression]) -> str:
    imports = Imports("..runtime.tools")
    for name, local in plan.imports:
        imports.add_as("..types", name, local)
    imports.add("..models", "ToolDefinition")
    return _models_module(
        "tools/module.py",
        plan.models,
        expressions,
        imports,
        exports=["DEFINITION"],
        title=f"The tool `{plan.tool.name}`: its arguments, its result and its definition.",
        definition=definition_fields(plan.tool).items(),
    )


def _types(plan: ModelsPlan, expressions: Iterator[TypeExpression]) -> str:
    imports = Imports(".runtime.tools")
    return _models_module("types.py", plan, expressions, imports, title="Types that several tools share.")


def _models_module(
    template: str,
    plan: ModelsPlan,
    expressions: Iterator[TypeExpression],
    imports: Imports,
    exports: Sequence[str] = (),
    **values: object,
) -> str:
    """Return the text of a module with classes and named types."""
    models = _Models(plan, expressions, imports)
    return render_template(
        template,
        items=models.items(),
        functions=models.functions(),
        imports=imports.lines(),
        exports=[*exports, *sorted((str(item.name) for item in plan.items), key=natural_key)],
        rebuilt=plan.rebuilt,
        **values,
    )


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
    "Allow",
    "Deny",
    "Edit",
    "Handlers",
    "Hold",
    "ToolError",
    "allow_all",
    "check_handlers",
    "dispatch",
    "dispatch_all",
    "dispatch_sync",
    "dispatcher",
)
"""The public names of the part `running`."""


def _index(plan: ToolsPlan, running: bool) -> str:
    aliases = {alias: p.tool.name for p in plan.tools for alias in p.tool.aliases}
    return render_template(
        "tools/__init__.py",
        running=running,
        exports=sorted((*EXPORTS, *(RUNNING if running else ())), key=natural_key),
        left_out=RUNNING,
        tools=plan.tools,
        modules=sorted((p.module for p in plan.tools), key=natural_key),
        untyped_field_tools=[p.tool.name for p in plan.tools if p.has_untyped_field],
        non_object_types={p.tool.name: str(p.non_object_type) for p in plan.tools if p.non_object_type},
        low=[p.tool.name for p in plan.tools if p.tool.risk == "low"],
        aliases=dict(sorted(aliases.items())),
        display_names={p.tool.name: p.tool.display_name for p in plan.tools if p.tool.display_name},
        deprecated=[p.tool.name for p in plan.tools if p.tool.deprecated],
        timeouts={p.tool.name: p.tool.timeout for p in plan.tools if p.tool.timeout is not None},
    )


def _handlers(plan: ToolsPlan, name: str) -> str:
    """Return the module of the handlers that an app provides: all in one class, or each in its own."""
    return render_template(
        f"tools/{name}.py",
        tools=plan.tools,
        sorted=sorted(plan.tools, key=lambda each: natural_key(each.module)),
        names=sorted((str(each.handler_class) for each in plan.tools), key=natural_key),
    )


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
        found: list[ClassText | AliasText] = []
        for item in self._plan.items:
            check = self._checks.add_check(item.name, item.check) if item.check.keywords else None
            found.append(self._alias(item, check) if isinstance(item, AliasPlan) else self._class(item, check))
        return found

    def functions(self) -> list[CheckFunction]:
        """Return the functions that check what the items do not express, once these are made."""
        functions = self._checks.functions()
        if functions:
            self._imports.add("typing", "Any")
        self._imports.add_runtime("checks", *self._checks.uses)
        return functions

    def _alias(self, item: AliasPlan, check: str | None) -> AliasText:
        expression = next(self._expressions)
        self._imports.add("typing", "TypeAlias")
        self._imports.use(expression.names)
        beside = []
        if item.tag is not None:
            self._imports.add("pydantic", "Field")
            beside.append(f"Field(discriminator={python_string(item.tag)})")
        if check is not None:
            self._imports.add_runtime("checks", "SchemaCheck")
            beside.append(f"SchemaCheck({check})")
        if not beside:
            return AliasText(item.name, item.description, expression.text)
        self._imports.add("typing", "Annotated")
        return AliasText(item.name, item.description, f"Annotated[{expression.text}, {', '.join(beside)}]")

    def _class(self, item: ClassPlan, check: str | None) -> ClassText:
        extras = next(self._expressions)
        self._imports.add("pydantic", "BaseModel", "ConfigDict")
        typed = not item.closed and item.extras != {}
        if typed:
            self._imports.add("pydantic", "Field")
            self._imports.use(extras.names)
        if check is not None:
            self._imports.add("typing", "Any", "Self")
            self._imports.add("pydantic", "ModelWrapValidatorHandler", "model_validator")
            self._imports.add_runtime("checks", "ensure_valid")
        fields = tuple(self._field(field, next(self._expressions)) for field in item.fields)
        renames = any(f.name != f.wire for f in item.fields)
        extra_type = extras.text if typed else None
        return ClassText(item.name, item.description, fields, item.closed, extra_type, check, renames)

    def _field(self, plan: FieldPlan, expression: TypeExpression) -> FieldText:
        self._imports.use(expression.names)
        annotation = expression.text
        if plan.presence == "omittable":
            self._imports.add_runtime("field_types", "Omittable")
            annotation = f"Omittable[{annotation}]"
        options = []
        value = None
        if plan.presence != "required":
            factory = self._factory(plan, expression)
            value = python_literal(plan.default)
            options.append(f"default_factory={factory}" if factory else f"default={value}")
            value = None if factory else value
        if plan.name != plan.wire:
            wire = python_string(plan.wire)
            options += [f"validation_alias={wire}", f"serialization_alias={wire}"]
        if (options and value is None) or plan.name != plan.wire:
            self._imports.add("pydantic", "Field")
            value = f"Field({', '.join(options)})"
        return FieldText(plan.name, annotation, value, plan.description)

    def _factory(self, plan: FieldPlan, expression: TypeExpression) -> str | None:
        """Return the factory of a default that is, or has, another type in Python than in JSON; None for plain data."""
        literal = python_literal(plan.default)
        if not plan.is_parsed:
            if not has_instances(plan.default, plan.type_schema):
                return None
        elif plan.type_schema.keys() == {"type", "format"}:
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
