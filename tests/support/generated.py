"""A generated package on disk, imported under a name that no other test uses."""

from __future__ import annotations

import atexit
import importlib
import itertools
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any
from unittest import mock

from tests.support.repository import PROFILES, SCHEMAS, profile
from toolgen import resources
from toolgen.compilation import compile_project
from toolgen.diagnostics import Findings
from toolgen.importing import importer
from toolgen.load import loading
from toolgen.load.sources import Document, DocumentContent
from toolgen.load.text_decoding import FaultReporter
from toolgen.load.yaml_reader import read_yaml_documents
from toolgen.resolve import resolution
from toolgen.resolve.profiles import Profile, resolve_profiles

_serial = itertools.count()

Declaration = Mapping[str, Any]


def wire_name(provider: str) -> str:
    """Return the name of `place_order` on a provider's wire: a different one that the provider accepts."""
    pattern = profile(provider).get("names", {}).get("pattern", ".*")
    return next(name for name in ("orders-place", "orders_place") if re.fullmatch(pattern, name))


PROBES: tuple[Declaration, ...] = (
    {
        "name": "get_weather",
        "description": "Current weather for a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "City name."},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
            },
            "required": ["city"],
        },
        "result": {"$ref": "../types/forecast.yaml"},
        "risk": "low",
    },
    {
        "name": "place_order",
        "description": "Place an order.",
        "parameters": {
            "type": "object",
            "properties": {
                "lines": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"sku": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
                        "required": ["sku", "count"],
                    },
                },
                "note": {"type": ["string", "null"]},
            },
            "required": ["lines"],
        },
        "providers": {name: {"name": wire_name(name), "description": "Order things."} for name in PROFILES},
    },
    {"name": "now", "description": "The time."},
    {"name": "hidden", "description": "Kept from every provider.", "unsupported": list(PROFILES)},
)
"""The tools of the small project: a plain one, one with a different name on every wire, one without parameters, and one
that no provider may get.
"""

TYPES: Mapping[str, Any] = {
    "forecast": {
        "description": "The weather at one place.",
        "type": "object",
        "properties": {"degrees": {"type": "number"}, "sky": {"type": "string"}},
        "required": ["degrees"],
    }
}


def write_project(
    folder: Path,
    tools: tuple[Declaration, ...] = PROBES,
    types: Mapping[str, Any] = TYPES,
    providers: Sequence[str] = ("openai_chat",),
    **settings: object,
) -> Path:
    """Write sources as JSON, and return SCHEMAS. Each further provider makes a build slower."""
    schemas = folder / "schemas"
    for place, named in (("tools", {t["name"]: t for t in tools}), ("types", types)):
        (schemas / place).mkdir(parents=True)
        for name, value in named.items():
            suffix = ".json" if place == "tools" else ".yaml"
            (schemas / place / f"{name}{suffix}").write_text(json.dumps(value, indent=2) + "\n", "utf-8")
    (schemas / "toolgen.yaml").write_text(json.dumps({"providers": list(providers), **settings}) + "\n", "utf-8")
    return schemas


_BUILTIN = resources.shipped_folder
_FOLDERS = ExitStack()
atexit.register(_FOLDERS.close)


@contextmanager
def shipped_profiles(*names: str) -> Iterator[None]:
    """Replace the shipped profiles by these alone: for small sources, reading all profiles takes most of the time."""
    folder = _shipped(names)
    with mock.patch.object(resources, "shipped_folder", lambda kind: folder if kind == "schemas" else _BUILTIN(kind)):
        yield


@contextmanager
def shipped_profiles_remembered() -> Iterator[None]:
    """Parse each shipped text once in a process, and check the profiles once: most of the time of a build of small sources.

    A project with profiles of its own is resolved as always.
    """
    texts = {file.read_text("utf-8") for kind in ("format", "providers") for file in (SCHEMAS / kind).glob("*.yaml")}
    contents: dict[str, list[DocumentContent]] = {}
    values: set[int] = set()
    resolved: dict[Any, tuple[Profile, ...]] = {}

    def read(text: str, reporter: FaultReporter) -> list[DocumentContent]:
        if text not in texts:
            return read_yaml_documents(text, reporter)
        if text not in contents:
            contents[text] = read_yaml_documents(text, reporter)
            values.update(id(content.value) for content in contents[text])
        return contents[text]

    def resolve(documents: Iterable[Document], wanted: Iterable[str] | None, findings: Findings) -> tuple[Profile, ...]:
        documents, names = tuple(documents), None if wanted is None else tuple(wanted)
        key = (*(id(document.value) for document in documents), names)
        if not values.issuperset(key[:-1]):
            return resolve_profiles(documents, names, findings)
        if key not in resolved:
            before = len(findings)
            profiles = resolve_profiles(documents, names, findings)
            if findings.has_errors or len(findings) > before:
                return profiles
            resolved[key] = profiles
        return resolved[key]

    with (
        mock.patch.object(loading, "read_yaml_documents", read),
        mock.patch.object(resolution, "resolve_profiles", resolve),
        mock.patch.object(importer, "resolve_profiles", resolve),
    ):
        yield


@cache
def _shipped(profiles: tuple[str, ...]) -> Path:
    folder = Path(_FOLDERS.enter_context(TemporaryDirectory()))
    for kind in ("format", "meta"):
        shutil.copytree(SCHEMAS / kind, folder / kind)
    (folder / "providers").mkdir()
    for name in profiles:
        shutil.copy(SCHEMAS / "providers" / f"{name}.yaml", folder / "providers")
    return folder


def compiled(schemas: Path, providers: Sequence[str] = ()) -> dict[str, str]:
    """Return the files of a project without errors."""
    findings = Findings()
    built = compile_project(schemas, findings, providers)
    assert built is not None, [f"{f.code}: {f.message}" for f in findings]
    return dict(built.files)


class Package:
    """A generated package. `module("models")` imports a module of it, `module("runtime.paths")` one of its runtime."""

    def __init__(self, files: Mapping[str, str], folder: Path, name: str = "") -> None:
        """Write the files below a folder. If a name is given, the package may exist already."""
        self.files = dict(files)
        self.name = name or f"generated_{next(_serial)}_{os.getpid()}"
        self.folder = folder / self.name
        self._modules: dict[str, ModuleType] = {}
        for path, text in files.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text, "utf-8")
        importlib.invalidate_caches()

    def module(self, name: str = "") -> ModuleType:
        """Import a module of the package. Those of the runtime are in it, or installed."""
        if name.startswith("runtime.") and not (self.folder / "runtime").is_dir():
            return importlib.import_module(f"toolgen_runtime.{name.removeprefix('runtime.')}")
        if name not in self._modules:
            sys.path.insert(0, str(self.folder.parent))
            try:
                self._modules[name] = importlib.import_module(f"{self.name}.{name}".rstrip("."))
            finally:
                sys.path.remove(str(self.folder.parent))
        return self._modules[name]

    def provider(self, name: str) -> ModuleType:
        """Import a provider's module."""
        return self.module(f"providers.{name}")
