"""What others rely on, as names: commands, options, codes, keys, providers, and what a package exports with its parameters and fields.

    python -m tests.package.public_names

writes them down, before a release.
"""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import yaml

from tests.support.repository import PROFILES, ROOT
from toolgen import __version__
from toolgen.cli.group import main_group
from toolgen.diagnostics import CODES
from toolgen.diagnostics.finding import Finding, Span
from toolgen.diagnostics.formatters import FORMATTERS
from toolgen.render.tools import EXPORTS, RUNNING

FILE = Path(__file__).with_name("public_names.txt")

MODULES = ("models", "messages", "errors", "running", "sessions")


def public_names() -> list[str]:
    """All of them, sorted."""
    return sorted({*_commands(), *_sources(), *_package()})


def _commands() -> Iterator[str]:
    context = click.Context(main_group)
    for name in main_group.list_commands(context):
        command = main_group.get_command(context, name)
        assert command is not None
        for each in command.params:
            for option in (*each.opts, *each.secondary_opts):
                yield f"command {name} {option if option.startswith('-') else option.upper()}"
                if isinstance(each.type, click.Choice):
                    yield from (f"command {name} {option} {choice}" for choice in each.type.choices)
    yield from (f"code {code}" for code in CODES)
    finding = Finding(Span("x", 1, 1), "type-unknown", "error", "x")
    (row,) = yaml.safe_load(FORMATTERS["json"]([finding], {}))
    yield from (f"json {key}" for key in row)


def _sources() -> Iterator[str]:
    for kind in ("declaration", "config", "provider"):
        schema = yaml.safe_load((ROOT / f"schemas/meta/{kind}.yaml").read_text("utf-8"))
        yield from (f"key {kind} {key}" for key in schema["properties"])
    yield from (f"provider {name}" for name in PROFILES)


def _package() -> Iterator[str]:
    for name in MODULES:
        yield from _members(name, import_module(f"generated.{name}"))
    tools = import_module("generated.tools")
    yield from (line for name in (*EXPORTS, *RUNNING) for line in _member(f"tools.{name}", getattr(tools, name)))
    for provider in PROFILES:
        module = import_module(f"generated.providers.{provider}")
        if provider == "openai_chat":
            yield from _members(f"providers.{provider}", module)
        else:
            yield from (f"name providers.{provider}.{name}" for name in module.__all__)


def _members(path: str, module: ModuleType) -> Iterator[str]:
    for name in module.__all__:
        yield from _member(f"{path}.{name}", getattr(module, name))


def _member(path: str, value: Any) -> Iterator[str]:
    """A name, and what is used of it by name: fields of a class, public methods, parameters of a function."""
    yield f"name {path}"
    if inspect.isclass(value):
        fields = dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
        yield from (f"name {path}.{field.name}" for field in fields)
        for name, inner in vars(value).items():
            if not name.startswith("_") and inspect.isfunction(inner):
                yield from _member(f"{path}.{name}", inner)
    elif callable(value) and typing.get_origin(value) is None:  # an alias of a type has no parameters of its own
        parameters = inspect.signature(value).parameters
        yield from (f"name {path}({name})" for name in parameters if name != "self" and not name.startswith("_"))


def main() -> None:
    """Write them down, with the version that has them."""
    FILE.write_text("\n".join([f"version {__version__}", *public_names()]) + "\n", "utf-8")


if __name__ == "__main__":
    main()
