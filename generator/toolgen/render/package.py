"""The generated package: the text of every file by path, ready to be written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from jinja2 import UndefinedError

from toolgen.incremental import ON_DISK
from toolgen.load.sources import path_prefix
from toolgen.plan.object_mappings import MappingError
from toolgen.plan.provider import ProviderPlan, plan_provider
from toolgen.render.converters import wire_class
from toolgen.render.imports import UnknownNameError, insert_imports, reachable_modules
from toolgen.render.literals import PythonLiteral, python_literal, python_string
from toolgen.render.portability import portability_report
from toolgen.render.shipped import (
    MINOR,
    MODELS,
    is_shipped_up_to_date,
    shipped_models,
    shipped_wire,
    use_installed_runtime,
    wire_class_inputs,
)
from toolgen.render.templates import HEADER, SHARED_HEADER, format_generated_module, format_python, render_template
from toolgen.render.tool_payloads import EntryPlaceholder, ProviderPayload, ToolPayload, build_payloads
from toolgen.render.tools import RUNNING, tool_modules
from toolgen.resolve import Catalog, Format, Profile, Tool
from toolgen.resources import modules_by_exported_name, runtime_folder, wires_folder
from toolgen.runtime.lowering.coercion import coercions

Files = dict[str, str]


@dataclass(frozen=True, slots=True)
class Package:
    """The files of a package, and the declared tools as each provider receives them."""

    files: Files
    payloads: Mapping[str, ProviderPayload]


def render_package(catalog: Catalog, schemas: str = "schemas") -> Package:
    """Render the whole package, sorted by path; `schemas` is the sources folder in the locations of its reports.

    Raises:
        MappingError: a profile does not fit the format.
    """
    names = format_class_names(catalog.format)
    files: Files = {
        **runtime_files(),
        **{path: _module(path) for path in ("messages.py", "running.py")},
        "errors.py": _module("errors.py", parts=catalog.config.parts),
        "__init__.py": _package_module(catalog),
        "models.py": _module("models.py", exports=_exports(names)),
        "py.typed": "",
        "providers/__init__.py": HEADER + '"""One module for each provider, all with the same names."""\n',
        "runtime/loop.py": _module("runtime_loop.py"),
        "runtime/models.py": _models(catalog.format),
        **tool_modules(catalog.tools, catalog.types, "running" in catalog.config.parts),
        **_frameworks(catalog.config.frameworks),
        "tools/_lenient.py": _coercions_module(catalog),
        "sessions/__init__.py": _sessions(catalog),
    }
    wire_modules, local = _wires(catalog, names)
    files |= wire_modules
    plans = [(profile, plan_provider(profile, catalog)) for profile in catalog.profiles]
    for profile, plan in plans:
        if "session" in profile.facts:
            files[f"sessions/{profile.name}.py"] = _session(plan)
    payloads = build_payloads(files, catalog, {profile.name: plan.class_name for profile, plan in plans}, local)
    for profile, plan in plans:
        files[f"providers/{profile.name}.py"] = _provider(
            plan, names, payloads[profile.name], "tools" in catalog.config.parts
        )
    files["PORTABILITY.md"] = portability_report(payloads, path_prefix(schemas))
    left_out = tuple(_left_out(catalog.config.parts))
    included = {path: text for path, text in files.items() if not path.startswith(left_out)}
    found = (
        use_installed_runtime(included, local) if catalog.config.runtime == "installed" else reachable_modules(included)
    )
    copied = runtime_files().keys() & found.keys()
    return Package(
        {path: runtime_module_text(path) if path in copied else found[path] for path in sorted(found)}, payloads
    )


def package_payloads(catalog: Catalog) -> Mapping[str, ProviderPayload]:
    """Return the declared tools on every wire, without the text of the package.

    Raises:
        MappingError: a profile does not fit the format.
    """
    files, local = _wires(catalog, format_class_names(catalog.format))
    classes = {profile.name: plan_provider(profile, catalog).class_name for profile in catalog.profiles}
    package = {"__init__.py": "", **runtime_files(), **files, "runtime/models.py": _models(catalog.format)}
    return build_payloads(package, catalog, classes, local)


def _models(form: Format) -> str:
    """Return the module of the format's types."""
    return shipped_models() if is_shipped_up_to_date(MODELS, form.schema) else models_text(form)


def _wires(catalog: Catalog, names: list[str]) -> tuple[Files, list[str]]:
    """Return the modules of the wires, and the providers whose module is generated for this project."""
    files = {"wires/__init__.py": SHARED_HEADER + (wires_folder() / "__init__.py").read_text(encoding="utf-8")}
    is_ours = is_shipped_up_to_date(MODELS, catalog.format.schema)
    local: list[str] = []
    for line in profile_ancestors(catalog.profiles):
        name = line[0].name
        if is_ours and is_shipped_up_to_date(name, *wire_class_inputs(line, catalog.format)):
            files[f"wires/{name}.py"] = shipped_wire(name)
        else:
            plan, *ancestors = (plan_provider(profile, catalog) for profile in line)
            files[f"wires/{name}.py"] = render_wire_module(plan, ancestors, names)
            local.append(name)
    return files, local


PART_FILES: Mapping[str, tuple[str, ...]] = {
    "tools": ("tools/", "types.py"),
    "converters": ("providers/", "wires/"),
    "sessions": ("sessions/",),
    "running": ("running.py", "runtime/loop.py"),
}
"""The files and folders of each part; the modules of the runtime that they need are included with them."""


def _left_out(parts: Collection[str]) -> dict[str, str]:
    """Return the files and folders that a package without all parts lacks, each with the part that it belongs to."""
    return {path: part for part, paths in PART_FILES.items() if part not in parts for path in paths}


def _package_module(catalog: Catalog) -> str:
    """Return the module of the package, which checks an installed runtime, and says which part a module needs."""
    runtime = MINOR if catalog.config.runtime == "installed" else None
    modules = {path.strip("/").removesuffix(".py"): part for path, part in _left_out(catalog.config.parts).items()}
    public = {name: part for name, part in modules.items() if "/" not in name and name != "wires"}
    if "running" in modules.values() and "tools" not in modules:
        # `from package.tools import dispatch` looks for a module of this name before it fails.
        public |= {f"tools.{name}": "running" for name in RUNNING}
    return _module("__init__.py", runtime=runtime, left_out=public)


def _module(path: str, template: str | None = None, **values: object) -> str:
    """Return the module that a template, by default that of its path, makes of values."""
    return format_generated_module(path, render_template(template or path, **values))


@cache
def runtime_files() -> Files:
    """Return the source of the modules that no schema changes, by path."""
    root = runtime_folder()
    return {
        f"runtime/{path.relative_to(root).as_posix()}": path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*.py"))
        if path.name != "models.py"
    }


def runtime_module_text(path: str) -> str:
    """Return a module that no schema changes, as it is copied."""
    return SHARED_HEADER + runtime_files()[path]


def _frameworks(names: Iterable[str]) -> Files:
    """Return the modules that make tool objects of other frameworks from the declared tools, if any are configured."""
    found = {f"frameworks/{name}.py": _module(f"frameworks/{name}.py") for name in names}
    if found:
        found["frameworks/__init__.py"] = HEADER + '"""The declared tools as tool objects of other frameworks."""\n'
    return found


def _session(plan: ProviderPlan) -> str:
    """Return the module of the sessions on a provider's official client.

    Raises:
        MappingError: the profile lacks a fact that is printed there.
    """
    template = "stateful" if "stateful" in plan.facts["session"] else "provider"
    try:
        return _module(f"sessions/{plan.name}.py", template=f"sessions/{template}.py", plan=plan)
    except UndefinedError as error:
        raise _missing(error, plan.name) from error


def _sessions(catalog: Catalog) -> str:
    """Return the module that makes sessions from configurations."""
    clients: dict[str, Any] = {}
    interfaces: list[tuple[str, str, str]] = []
    for profile in catalog.profiles:
        session = profile.facts.get("session", {})
        if session.get("client"):
            client = {"package": profile.facts.get("sdk", {}).get("package"), **session["client"]}
            constant = _constant(client, clients)
            clients[constant] = client
            interfaces += [(name, profile.name, constant) for name in (profile.name, *session.get("interfaces", ()))]
    return _module("sessions/__init__.py", clients=clients, interfaces=sorted(interfaces))


def _constant(client: Mapping[str, Any], clients: Mapping[str, Any]) -> str:
    """Return the name of a client's constant: that of its module, with a number if another client has it."""
    named = "_" + str(client["module"]).replace(".", "_").upper()
    names = (named, *(f"{named}_{i}" for i in range(2, len(clients) + 2)))
    return next(name for name in names if clients.get(name, client) == client)


def _coercions_module(catalog: Catalog) -> str:
    """Return the module with the coercions of arguments, by tool."""
    tables: dict[str, str] = {}
    for tool in catalog.tools:
        literal = ON_DISK.reuse_or_make(partial(_coercions, tool), "coercions", tool.digest)
        if literal:
            tables[tool.name] = PythonLiteral(literal)
    return _module("tools/_lenient.py", tables=tables)


def _coercions(tool: Tool) -> str:
    """Return the literal of the coercions of a tool's arguments; an empty string if there are none."""
    table = coercions(tool.parameters) if tool.parameters else None
    return "" if table is None else python_literal(table)


def models_text(format: Format) -> str:
    """Return the module of the format's classes, made by the model generator."""
    from toolgen.render.model_code import make_format_class_texts  # slow: it imports the model generator

    classes, aliases = make_format_class_texts(format)
    exports = _exports(format_class_names(format))
    return _module("runtime/models.py", template="runtime_models.py", classes=classes, aliases=aliases, exports=exports)


def format_class_names(format: Format) -> list[str]:
    """Return the names of the format's classes, without metadata, which is a plain object."""
    return sorted(name for name in format.types if name != "Metadata")


def _exports(names: list[str]) -> list[str]:
    return sorted([*names, "ConversionError", "ConversionLoss", "dump", "load"])


def profile_ancestors(profiles: Iterable[Profile]) -> list[tuple[Profile, ...]]:
    """Return each profile, followed by those that it extends, the nearest first. Extended profiles are listed before it."""
    known = {profile.name: profile for profile in profiles}
    found: dict[str, tuple[Profile, ...]] = {}
    for first in known.values():
        line = [first]
        while (parent := line[-1].parent) is not None:
            line.append(known.get(parent.name, parent))
        found |= {profile.name: tuple(line[i:]) for i, profile in enumerate(line)}
    return sorted(found.values(), key=lambda line: (len(line), line[0].name))


def render_wire_module(plan: ProviderPlan, ancestors: Sequence[ProviderPlan], models: list[str]) -> str:
    """Return the text of `wires/<provider>.py`: the class with the facts of the provider's profile about each object.

    It is derived from the class of the first ancestor that has only members that this class has too, and contains what
    differs. Ancestors are the profiles that this one extends, the nearest first; `models` are the names that the
    format's module exports.

    Raises:
        MappingError: the profile lacks a fact, or refers to something that does not exist.
    """
    made, homes = wire_class(plan), dict[str, str]()
    for parent in ancestors:
        derived = made.derived_from(wire_class(parent))
        if derived is not None:
            made, homes = derived, {parent.class_name: f".{parent.name}"}
            break
    try:
        text = render_template("wires/module.py", plan=plan, made=made)
        return format_generated_module(f"wires/{plan.name}.py", insert_imports(text, models, homes))
    except UndefinedError as error:
        raise _missing(error, plan.name) from error
    except UnknownNameError as error:
        raise _misspelled(error, plan.name) from error


def _missing(error: UndefinedError, provider: str) -> MappingError:
    """Return the error of a fact that a template prints and a profile does not have."""
    name = re.search(r"no attribute '(\w+)'", f"{error}")
    return MappingError((), f"needs {name[1]}" if name else f"{error}", provider)


def _misspelled(error: UnknownNameError, provider: str) -> MappingError:
    """Return the error of a name in a profile. It says functions of keys without what they do."""
    unknown, *known = (re.sub("^(read|write)_", "", name) for name in (error.name, *modules_by_exported_name()))
    return MappingError((), f"{error}", provider, unknown, known)


_ENTRY = re.compile(r"^( +)_entry_([0-9]+)_*(?=,?$)", re.MULTILINE)

_FEW, _SHORT = 50, 400
"""A payload below `_SHORT` characters in its first `_FEW` tools may fit on one line, so it is formatted as a whole."""


def _entries_apart(form: Any) -> str:
    """Render the form of a payload as Python, with a name instead of each entry."""
    if isinstance(form, EntryPlaceholder):
        return f"_entry_{form.number}".ljust(100, "_")  # too long to share a line, as an entry is
    if isinstance(form, list):
        return f"[{', '.join(map(_entries_apart, form))}]"
    if isinstance(form, dict):
        return f"{{{', '.join(f'{python_string(k)}: {_entries_apart(v)}' for k, v in form.items())}}}"
    return python_literal(form)


def _laid_out(entry: str, depth: int) -> str:
    """Format an entry, given as compact JSON, as it appears inside `depth` nested lists."""
    text = format_python("_.py", f"_ = {'[' * depth}{python_literal(json.loads(entry))}{',]' * depth}")
    return "\n".join(text.split("\n")[depth : -depth - 1]).removesuffix(",")


def _encoding_literal(one: ToolPayload) -> str:
    """Return the literal of the table of how values of a tool differ on the wire; an empty string if none do."""
    return "" if one.encoding_table is None else python_literal(one.encoding_table)


def _recalled(make: Callable[[], str], one: ToolPayload, *more: Hashable) -> str:
    """Return a stored text that depends only on the payload of a tool, or make it."""
    return make() if one.key is None else ON_DISK.reuse_or_make(make, *more, *one.key)


def _provider(plan: ProviderPlan, models: list[str], wire: ProviderPayload, with_tools: bool) -> str:
    """Return the module that apps import for a provider, with its declared tools and public names."""
    form = wire.form if wire.form or plan.facts["converter"] != "PromptConverter" else ""
    offered = wire.offered
    encoding_tables = {
        one.tool.name: _recalled(partial(_encoding_literal, one), one, "encoding table") for one in offered
    }
    declared = {
        "renames": {**plan.renames, **wire.renames},
        "refused": plan.refused,
        "encoding_tables": {name: PythonLiteral(text) for name, text in encoding_tables.items() if text},
        "strict": wire.strict_tool_names if plan.has_strict_flag else (),
        "strict_if_fewer_tools": wire.strict_if_fewer_tools,
    }
    found = {name: value for name, value in declared.items() if value}
    render = partial(
        render_template,
        "providers/module.py",
        plan=plan,
        in_text=isinstance(form, str),
        declared=found | ({"depth": plan.depth} if plan.depth != 3 else {}),
        with_tools=with_tools,
    )
    literal = _entries_apart(form)
    if not isinstance(form, str) and sum(len(one.entry) for one in offered[:_FEW]) < _SHORT:
        literal = python_literal(wire.payload)
    text, short = render(payload=literal), render(payload="[]", declared={})
    try:
        text = insert_imports(text, models, {plan.class_name: f"..wires.{plan.name}"}, short)
    except UnknownNameError as error:
        raise _misspelled(error, plan.name) from error
    text = format_generated_module(f"providers/{plan.name}.py", text)

    def in_place(found: re.Match[str]) -> str:
        depth, one = len(found[1]) // 4, offered[int(found[2])]
        return _recalled(partial(_laid_out, one.entry, depth), one, "entry", depth)

    return _ENTRY.sub(in_place, text) if isinstance(form, list) else text
