"""The generated package: the text of every file by path, ready to be written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from jinja2 import UndefinedError

from toolgen import INTERFACE
from toolgen.parse.config import Config, Part
from toolgen.plan.names import module_name
from toolgen.plan.wires import ProviderPlan, plan_provider
from toolgen.render.copied_runtime import with_copied_runtime
from toolgen.render.imports import UnknownNameError, insert_imports
from toolgen.render.literals import PythonLiteral
from toolgen.render.portability import portability_report
from toolgen.render.shared_schemas import SharedSchemas
from toolgen.render.templates import (
    HEADER,
    UNFORMATTED_HEADER,
    TypeExpression,
    format_generated_module,
    render_template,
)
from toolgen.render.tool_payloads import ProviderPayload, ToolPayload, build_payloads
from toolgen.render.tools import RUNNING, tool_modules
from toolgen.render.type_expressions import type_expressions
from toolgen.render.wires import (
    find_wire_modules,
    format_class_names,
    missing_fact,
    misspelled_name,
    own_wire_files,
)
from toolgen.resolve import Catalog, Format
from toolgen.resolve.profiles import facts_of_model
from toolgen_runtime.lowering.lower import lower
from toolgen_runtime.lowering.tools import Lower

Files = dict[str, str]


@dataclass(frozen=True, slots=True)
class Package:
    """The files of a package, and the declared tools as each provider receives them."""

    files: Files
    payloads: Mapping[str, ProviderPayload]


def render_package(
    catalog: Catalog,
    lower: Lower = lower,
    express: Callable[[Sequence[Any]], list[TypeExpression]] = type_expressions,
) -> Package:
    """Render the whole package, sorted by path.

    `lower` lowers the schema of one tool for one mode of a provider, and `express` returns the types of all type schemas.

    Raises:
        MappingError: a profile does not fit the format.
    """
    config = catalog.config
    wire_modules = find_wire_modules(catalog)
    wire_files = own_wire_files(catalog, wire_modules)
    payloads = _payloads(catalog, wire_modules, wire_files, lower)
    files: Files = {
        "messages.py": _unformatted_module("messages.py"),
        "running.py": _unformatted_module("running.py"),
        "errors.py": _errors(config.parts),
        "__init__.py": _package_module(catalog),
        "models.py": _unformatted_module("models.py", exports=_exports(catalog.format)),
        "py.typed": "",
        **tool_modules(catalog.tools, catalog.types, "running" in config.parts, express),
        **_frameworks(config.frameworks),
        **wire_files,
        **_providers_and_sessions(catalog, payloads, wire_modules),
        "PORTABILITY.md": portability_report(
            payloads, [shared.name for shared in catalog.types], _facts_of_models(catalog)
        ),
    }
    left_out = tuple(_left_out(config.parts))
    files = {path: text for path, text in files.items() if not path.startswith(left_out)}
    if config.runtime == "copied":
        files = with_copied_runtime(files, own_models(catalog.format))
    return Package({path: files[path] for path in sorted(files)}, payloads)


def _facts_of_models(catalog: Catalog) -> dict[str, dict[str, dict[str, Any]]]:
    """Return what profiles say about the configured models, by model and provider."""
    by_model: dict[str, dict[str, dict[str, Any]]] = {}
    for model in catalog.config.models:
        by_provider = {p.name: facts_of_model(p, model) for p in catalog.profiles}
        by_model[model] = {name: facts for name, facts in by_provider.items() if facts}
    return by_model


def _providers_and_sessions(
    catalog: Catalog, payloads: Mapping[str, ProviderPayload], wire_modules: Mapping[str, str]
) -> Files:
    """Return the modules of the providers, and those of the sessions on their official clients.

    `wire_modules` are the modules of the providers' classes.
    """
    files: Files = {
        "providers/__init__.py": HEADER + '"""One module for each provider, all with the same names."""\n',
        "sessions/__init__.py": _sessions(catalog),
    }
    for profile in catalog.profiles:
        plan = plan_provider(profile, catalog)
        files[f"providers/{plan.name}.py"] = _provider(plan, catalog, payloads[plan.name], wire_modules[plan.name])
        if "session" in profile.facts:
            files[f"sessions/{plan.name}.py"] = _session(plan)
    return files


def package_payloads(catalog: Catalog, lower: Lower = lower) -> Mapping[str, ProviderPayload]:
    """Return the declared tools on every wire, without the text of the package.

    Raises:
        MappingError: a profile does not fit the format.
    """
    wire_modules = find_wire_modules(catalog)
    return _payloads(catalog, wire_modules, own_wire_files(catalog, wire_modules), lower)


def _payloads(
    catalog: Catalog, wire_modules: Mapping[str, str], wire_files: Files, lower: Lower
) -> Mapping[str, ProviderPayload]:
    """Lower the declared tools for every provider, with the classes that the package uses."""
    files = {"__init__.py": "", "providers/__init__.py": "", **wire_files}
    models = own_models(catalog.format)
    if models is not None:
        files = with_copied_runtime(files, models)
    return build_payloads(files, catalog, wire_modules, lower)


def own_models(format: Format) -> str | None:
    """Return the module of the format's types if the project extends the format; None if it is that of the runtime."""
    return models_text(format) if format.is_extended else None


PART_FILES: Mapping[str, tuple[str, ...]] = {
    "tools": ("tools/", "types.py"),
    "converters": ("providers/",),
    "sessions": ("sessions/",),
    "running": ("running.py",),
}
"""The files and folders of each part."""


def _left_out(parts: Collection[str]) -> dict[str, str]:
    """Return the files and folders that a package without all parts lacks, each with the part that it belongs to."""
    return {path: part for part, paths in PART_FILES.items() if part not in parts for path in paths}


TOP_FILES = (
    "__init__.py",
    "errors.py",
    "messages.py",
    "models.py",
    "running.py",
    "schemas.py",
    "types.py",
    "py.typed",
    "PORTABILITY.md",
)
"""The files of a package that are in no folder."""


def generated_paths(
    tools: Collection[str],
    providers: Collection[str],
    parts: Collection[str],
    runtime: str,
    frameworks: Collection[str],
) -> Callable[[str], bool]:
    """Return whether a package with these names of tools and providers, and these settings, may have a file at a path.

    The modules that some providers have and others lack (sessions, a class of the project's own) count for all of them.
    """
    paths = {
        *TOP_FILES,
        *(f"tools/{name}.py" for name in ("__init__", *map(module_name, tools))),
        *(f"{folder}/{name}.py" for folder in ("providers", "sessions") for name in ("__init__", *providers)),
        *(f"providers/_{name}_wire.py" for name in providers),
        *(f"frameworks/{name}.py" for name in ("__init__", *frameworks) if frameworks),
    }
    left_out = tuple(_left_out(parts))

    def is_generated(path: str) -> bool:
        if path.startswith("runtime/"):
            return runtime == "copied"
        return path in paths and not path.startswith(left_out)

    return is_generated


def _package_module(catalog: Catalog) -> str:
    """Return the module of the package, which checks an installed runtime, and says which part a module needs."""
    interface = INTERFACE if catalog.config.runtime == "installed" else None
    public = {path.strip("/").removesuffix(".py"): part for path, part in _left_out(catalog.config.parts).items()}
    if "running" in public.values() and "tools" not in public:
        # `from package.tools import dispatch` looks for a module of this name before it fails.
        public |= {f"tools.{name}": "running" for name in RUNNING}
    return _module("__init__.py", interface=interface, left_out=public)


def _module(path: str, template: str | None = None, **values: object) -> str:
    """Return the module that a template, by default that of its path, makes of values."""
    return format_generated_module(path, render_template(template or path, **values))


def _unformatted_module(path: str, **values: object) -> str:
    """Return the module that the template of its path makes of values, in the layout of the template."""
    return UNFORMATTED_HEADER + render_template(path, **values)


ERRORS: Mapping[str, Part | None] = {
    "ArgumentsError": "tools",
    "BareApiError": None,
    "ConversionError": None,
    "ConversionLoss": None,
    "Fault": "tools",
    "SessionError": "sessions",
    "ToolError": "running",
}
"""The exceptions of a package and what they consist of, with the part that each belongs to."""


def _errors(parts: Collection[str]) -> str:
    """Return the module of the exceptions that a package with these parts has."""
    names = [name for name, part in ERRORS.items() if part is None or part in parts]
    return _unformatted_module("errors.py", parts=parts, exports=names)


def _frameworks(names: Iterable[str]) -> Files:
    """Return the modules that make tool objects of other frameworks from the declared tools, if any are configured."""
    files = {f"frameworks/{name}.py": _module(f"frameworks/{name}.py") for name in names}
    if files:
        files["frameworks/__init__.py"] = HEADER + '"""The declared tools as tool objects of other frameworks."""\n'
    return files


def _session(plan: ProviderPlan) -> str:
    """Return the module of the sessions on a provider's official client.

    Raises:
        MappingError: the profile lacks a fact that is printed there.
    """
    template = "stateful" if "stateful" in plan.facts["session"] else "provider"
    try:
        return _module(f"sessions/{plan.name}.py", template=f"sessions/{template}.py", plan=plan)
    except UndefinedError as error:
        raise missing_fact(error, plan.name) from error


def _sessions(catalog: Catalog) -> str:
    """Return the module that makes sessions from configurations."""
    interfaces = {
        name: profile.name
        for profile in catalog.profiles
        if "client" in (session := profile.facts.get("session", {}))
        for name in (profile.name, *session.get("interfaces", ()))
    }
    return _unformatted_module("sessions/__init__.py", interfaces=sorted(interfaces.items()))


def models_text(format: Format) -> str:
    """Return the module of the format's classes, made by the model generator."""
    from toolgen.render.model_code import make_format_class_texts  # slow: it imports the model generator

    classes, aliases = make_format_class_texts(format)
    text = render_template("runtime_models.py", classes=classes, aliases=aliases, exports=_exports(format))
    return format_generated_module("models.py", text)


def _exports(format: Format) -> list[str]:
    """Return the public names of the module of the format's types."""
    return sorted([*format_class_names(format), "ConversionError", "ConversionLoss", "dump", "load"])


def _declared_facts(payload: ToolPayload, plan: ProviderPlan) -> dict[str, Any]:
    """Return the facts about a tool on a provider's wire, for `DeclaredToolFacts.by_tool`."""
    if not payload.offered:
        return {"refused": True}
    facts = {
        "name": payload.name if payload.name != payload.tool.name else None,
        "strict": bool(payload.strict and plan.has_strict_flag),
        "strict_if_fewer_tools": payload.strict_if_fewer_tools,
        "encoding": payload.encoding_table,
    }
    return {key: value for key, value in facts.items() if value}


def _provider(plan: ProviderPlan, catalog: Catalog, wire: ProviderPayload, wire_module: str) -> str:
    """Return the module that apps import for a provider, with its declared tools and public names.

    `wire_module` is the module of the provider's class.

    Raises:
        MappingError: the profile names something that does not exist.
    """
    payload: Any = wire.payload or ("" if plan.facts["converter"] == "PromptConverter" else [])
    types = SharedSchemas({shared.name: shared.schema for shared in catalog.types})
    if isinstance(payload, list):
        payload = types.refer(payload, {name for offered in wire.offered for name in offered.tool.shared})

    render = partial(
        render_template,
        "providers/module.py",
        plan=plan,
        in_text=isinstance(payload, str),
        depth=plan.depth if plan.depth != Config().recursion_depth else None,
        models=plan.own_models,
        with_tools="tools" in catalog.config.parts,
    )
    declared = {each.tool.name: _declared_facts(each, plan) for each in wire.tools}
    text = render(payload=payload, types=dict(sorted(types.schemas.items())), declared=declared)
    # Tools are data, which would take long to parse. They use no name but that of the shared schemas.
    data = [PythonLiteral("SCHEMAS")] if types.uses_declared else type(payload)()
    names_from = render(payload=data, types=dict.fromkeys(types.schemas), declared={})
    try:
        homes = {plan.class_name: wire_module, "SCHEMAS": ".schemas"}
        text = insert_imports(text, f".providers.{plan.name}", format_class_names(catalog.format), homes, names_from)
    except UnknownNameError as error:
        raise misspelled_name(error, plan.name) from error
    return UNFORMATTED_HEADER + text
