"""The text of the generated package: every file by its path, as it will be written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from jinja2 import UndefinedError

from toolgen.plan.definitions import definition_facts
from toolgen.plan.provider import ProviderPlan, plan_provider
from toolgen.plan.wire_shapes import ShapeError
from toolgen.render.environment import environment
from toolgen.render.format_code import format_code
from toolgen.render.imported import Imported
from toolgen.render.layout import HEADER, laid_out
from toolgen.render.tools import tool_modules
from toolgen.render.used_names import UnknownNameError, with_imports
from toolgen.resolve import Catalog
from toolgen.resources import runtime_folder

Files = dict[str, str]


def package_files(catalog: Catalog) -> Files:
    """Render the whole package, sorted by path.

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
        files[f"providers/{profile.name}.py"] = _provider(replace(plan, tool_names=()), names, [])
    payloads = provider_payloads(files, catalog)
    for profile, plan in plans:
        if payload := payloads[profile.name]:
            files[f"providers/{profile.name}.py"] = _provider(plan, names, payload)
    return dict(sorted(files.items()))


def runtime_files() -> Files:
    """The modules that no schema changes, as they are."""
    root = runtime_folder()
    return {
        f"runtime/{path.relative_to(root).as_posix()}": laid_out(path.name, path.read_text(encoding="utf-8"))
        for path in sorted(root.rglob("*.py"))
    }


def provider_payloads(files: Mapping[str, str], catalog: Catalog) -> dict[str, list[Any]]:
    """The declared tools as each provider gets them, made by the very modules that are being rendered."""
    with Imported(files) as package:
        definition = package.module("models").ToolDefinition
        made: dict[str, list[Any]] = {}
        for profile in catalog.profiles:
            definitions = [
                definition(**definition_facts(tool)) for tool in catalog.tools if profile.name not in tool.unsupported
            ]
            module = package.module(f"providers.{profile.name}")
            made[profile.name] = module.to_tools(definitions, on_loss=lambda loss: None, on_unsupported="weaken")
        return made


def _models(catalog: Catalog) -> tuple[str, list[str]]:
    classes, aliases = format_code(catalog.format)
    names = sorted([c.name for c in classes] + [a.name for a in aliases])
    exports = sorted([*names, "ConversionError", "ConversionLoss", "dump", "load"])
    text = environment().get_template("models.py.jinja").render(classes=classes, aliases=aliases, exports=exports)
    return laid_out("models.py", text), names


def _provider(plan: ProviderPlan, models: list[str], payload: list[Any]) -> str:
    path = f"providers/{plan.name}.py"
    encoded = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    template = environment().get_template(f"providers/{plan.template}.py.jinja")
    try:
        text = template.render(plan=plan, payload=payload, fingerprint=hashlib.sha256(encoded).hexdigest())
        return laid_out(path, with_imports(text, "..", models))
    except (UndefinedError, UnknownNameError) as error:
        raise ShapeError((), f"{error}", plan.name) from error
