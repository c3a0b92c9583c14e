"""Hostile projects: sources on disk, built in this process, and the package as it would be imported."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.generated import shipped_profiles
from toolgen.compilation import compile_project
from toolgen.diagnostics import Finding, Findings
from toolgen.pipeline import check_project
from toolgen.render.in_memory import InMemoryPackage

TOOL = "name: probe\ndescription: d\n"


def write(folder: Path, files: Mapping[str, Any]) -> Path:
    """Write sources below `folder/schemas`: bytes and texts as they are, other values as JSON."""
    schemas = folder / "schemas"
    for name, content in files.items():
        path = schemas / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, str | bytes):
            content = json.dumps(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return schemas


def tool(parameters: Any = None, name: str = "probe", **more: Any) -> dict[str, Any]:
    """A declaration."""
    declared = {} if parameters is None else {"parameters": parameters}
    return {"name": name, "description": "A tool.", **declared, **more}


def prop(schema: Any, **more: Any) -> dict[str, Any]:
    """A declaration with one property `p`."""
    return tool({"type": "object", "properties": {"p": schema}, **more})


def errors(folder: Path, files: Mapping[str, Any], provider: str = "openai_chat") -> list[Finding]:
    """The errors of sources, found without rendering anything."""
    findings = Findings()
    with chdir(write(folder, files).parent), shipped_profiles(provider):
        check_project(Path("schemas"), findings, (provider,))
    return [f for f in findings if f.level == "error"]


@dataclass(frozen=True)
class Package:
    """Generated files, and their modules in memory."""

    files: Mapping[str, str]
    imported: InMemoryPackage

    def module(self, name: str) -> Any:
        """Import a module."""
        return self.imported.module(name)

    def parameters(self, name: str = "probe") -> Any:
        """What is declared of a tool to providers."""
        return self.module("tools").DEFINITIONS[name].parameters


@contextmanager
def package(folder: Path, files: Mapping[str, Any], providers: tuple[str, ...] = ("openai_chat",)) -> Iterator[Package]:
    """The package of sources without a fault, every module of a tool compiled and imported, warnings as errors."""
    findings = Findings()
    with shipped_profiles(*providers):
        built = compile_project(write(folder, files), findings, providers)
    assert built is not None, [(f.code, f.message) for f in findings]
    with warnings.catch_warnings(), InMemoryPackage(built.files) as imported:
        warnings.simplefilter("error")
        for path, text in built.files.items():
            assert all(c.isprintable() or c == "\n" for c in text), path
            if path.startswith("tools/") or path == "types.py":
                imported.module(path[:-3].replace("/", ".").replace(".__init__", ""))
        yield Package(built.files, imported)
