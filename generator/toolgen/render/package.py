"""The text of the generated package: every file by its path, as it will be written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from jinja2 import UndefinedError

from toolgen.load.sources import root_of
from toolgen.plan.provider import ProviderPlan, plan_provider
from toolgen.plan.wire_shapes import ShapeError
from toolgen.render.environment import environment
from toolgen.render.format_code import format_code
from toolgen.render.layout import HEADER, laid_out
from toolgen.render.lowered import OnWire, lenient_tables, tools_on_wires
from toolgen.render.portability import portability
from toolgen.render.reachable import reachable
from toolgen.render.tools import tool_modules
from toolgen.render.used_names import UnknownNameError, with_imports
from toolgen.resolve import Catalog
from toolgen.resources import runtime_folder

Files = dict[str, str]


@dataclass(frozen=True, slots=True)
class Package:
    """The files of a package, and the declared tools on every wire."""

    files: Files
    wires: Mapping[str, OnWire]


def package_files(catalog: Catalog, schemas: str = "schemas") -> Package:
    """Render the whole package, sorted by path; `schemas` is the folder of the sources in the places of its reports.

    Raises:
        ShapeError: a profile does not fit the format.
    """
    files: Files = {
        "__init__.py": laid_out("__init__.py", environment().get_template("__init__.py.jinja").render()),
        "messages.py": laid_out("messages.py", environment().get_template("messages.py.jinja").render()),
        "py.typed": "",
        "providers/__init__.py": HEADER + '"""One module for each provider, all with the same names."""\n',
        **runtime_files(),
        **tool_modules(catalog.tools, catalog.types),
    }
    files["models.py"], names = _models(catalog)
    plans = [(profile, plan_provider(profile, catalog)) for profile in catalog.profiles]
    for profile, plan in plans:
        files[f"providers/{profile.name}.py"] = _provider(replace(plan, tool_names=()), names, OnWire([], ()))
        if "session" in profile.facts:
            files[f"sessions/{profile.name}.py"] = _session(plan)
    files["sessions/__init__.py"] = _sessions(catalog)
    files["tools/_lenient.py"] = _lenient(files, catalog)
    wires = tools_on_wires(files, catalog)
    for profile, plan in plans:
        if wires[profile.name].payload != []:
            files[f"providers/{profile.name}.py"] = _provider(plan, names, wires[profile.name])
    files["PORTABILITY.md"] = portability(wires, root_of(schemas))
    return Package(dict(sorted(reachable(files).items())), wires)


def runtime_files() -> Files:
    """The modules that no schema changes, as they are."""
    root = runtime_folder()
    return {
        f"runtime/{path.relative_to(root).as_posix()}": laid_out(path.name, path.read_text(encoding="utf-8"))
        for path in sorted(root.rglob("*.py"))
    }


def _session(plan: ProviderPlan) -> str:
    """The module of the sessions on a provider's official client.

    Raises:
        ShapeError: the profile lacks a fact that is printed there.
    """
    path = f"sessions/{plan.name}.py"
    template = "hosted" if "hosted" in plan.facts["session"] else "provider"
    try:
        return laid_out(path, environment().get_template(f"sessions/{template}.py.jinja").render(plan=plan))
    except UndefinedError as error:
        raise ShapeError((), f"{error}", plan.name) from error


def _sessions(catalog: Catalog) -> str:
    """The module that makes sessions of configurations."""
    interfaces = [
        (name, profile.name, profile.facts["session"]["client"])
        for profile in catalog.profiles
        if profile.facts.get("session", {}).get("client")
        for name in (profile.name, *profile.facts["session"].get("interfaces", ()))
    ]
    text = environment().get_template("sessions/__init__.py.jinja").render(interfaces=sorted(interfaces))
    return laid_out("sessions/__init__.py", text)


def _lenient(files: Files, catalog: Catalog) -> str:
    """The module of what models may mean where they say otherwise, by tool."""
    tables = lenient_tables(files, catalog)
    text = environment().get_template("tools/_lenient.py.jinja").render(tables=tables)
    return laid_out("tools/_lenient.py", text)


def _models(catalog: Catalog) -> tuple[str, list[str]]:
    classes, aliases = format_code(catalog.format)
    names = sorted([c.name for c in classes] + [a.name for a in aliases])
    exports = sorted([*names, "ConversionError", "ConversionLoss", "dump", "load"])
    text = environment().get_template("models.py.jinja").render(classes=classes, aliases=aliases, exports=exports)
    return laid_out("models.py", text), names


def _provider(plan: ProviderPlan, models: list[str], wire: OnWire) -> str:
    path = f"providers/{plan.name}.py"
    payload = wire.payload
    encoded = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    template = environment().get_template(f"providers/{plan.template}.py.jinja")
    renames = {**plan.renames, **wire.renames}
    try:
        fingerprint = hashlib.sha256(encoded).hexdigest()
        text = template.render(
            plan=plan,
            payload=payload,
            spellings=wire.spellings,
            strict=wire.strict,
            renames=renames,
            fingerprint=fingerprint,
        )
        return laid_out(path, with_imports(text, "..", models))
    except (UndefinedError, UnknownNameError) as error:
        raise ShapeError((), f"{error}", plan.name) from error
