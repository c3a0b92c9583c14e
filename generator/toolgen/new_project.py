"""The files of a small working project, and how they are written beside existing files."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from toolgen import __version__
from toolgen.diagnostics import Findings
from toolgen.document_validation import meta_schema
from toolgen.installed_from import install_requirements
from toolgen.load import Document
from toolgen.load.loading import load_shipped, load_single_file
from toolgen.render.templates import render_template
from toolgen.resolve.editor_schemas import editor_schema
from toolgen.resolve.resolution import DEFAULT_PROVIDERS
from toolgen.resources import shipped_folder
from toolgen.write.editor_folder import CONFIG_SCHEMA, DECLARATION_SCHEMA

SCHEMAS, OUT = "schemas", "generated"

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file of a new project: its path below the project's folder, with forward slashes, and its text."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The files that were created, those that exist with the same lines, and those that exist with others."""

    created: tuple[NewFile, ...]
    unchanged: tuple[NewFile, ...]
    differing: tuple[NewFile, ...]


def project_files(folder: Path, profiles: Sequence[Document]) -> list[NewFile]:
    """Return the files that people commit to a project in this folder, in the order in which they read them.

    The providers are those whose official clients the project depends on, else the default ones. A tool is only created
    if there is none. The CI job is for GitHub, unless the repository uses GitLab.
    """
    values = {
        "providers": detect_providers(folder, profiles) or list(DEFAULT_PROVIDERS),
        "schemas": SCHEMAS,
        "out": _configured_output(folder / SCHEMAS / "toolgen.yaml") or OUT,
        "version": __version__,
        "requirements": install_requirements(),
    }
    root = _repository_root(folder) or folder
    uses_gitlab = (root / ".gitlab-ci.yml").exists() and not (root / ".github").exists()
    tools = folder / SCHEMAS / "tools"
    has_tools = tools.is_dir() and any(path.suffix in (".yaml", ".yml", ".json") for path in tools.rglob("*"))
    templates = {f"{SCHEMAS}/toolgen.yaml": "toolgen.yaml"}
    if not has_tools:
        templates[f"{SCHEMAS}/tools/get_weather.yaml"] = "get_weather.yaml"
    templates |= {".gitattributes": "gitattributes", ".pre-commit-config.yaml": "pre-commit.yaml"}
    if uses_gitlab:
        templates[".gitlab-ci.yml"] = "gitlab.yml"
    else:
        templates[".github/workflows/toolgen.yml"] = "github.yml"
    return [NewFile(path, render_template(f"init/{name}", **values)) for path, name in templates.items()]


@cache
def editor_folder_files() -> Mapping[str, str]:
    """Return the files of `SCHEMAS/.editor` by name: the schemas, and what makes git ignore the folder."""
    return {
        ".gitignore": "*\n",
        CONFIG_SCHEMA: editor_schema_text("config"),
        DECLARATION_SCHEMA: editor_schema_text("declaration"),
    }


def editor_schema_text(kind: str) -> str:
    """Return the JSON Schema of a kind of source file for editors, which `toolgen schema KIND --editor` prints."""
    profiles: dict[str, Any] = {}
    if kind == "declaration":
        shipped = load_shipped("providers", shipped_folder("schemas"), Findings())
        profiles = {Path(document.source).stem: document.value for document in shipped}
    schema = editor_schema(meta_schema(kind), is_declaration=kind == "declaration", profiles=profiles)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def detect_providers(folder: Path, profiles: Sequence[Document]) -> list[str]:
    """Return the providers whose official clients a project names in pyproject.toml or requirements files, sorted.

    If several providers have the same client, the default ones are chosen.
    """
    needed = {_normalized(name) for name in _requirements(folder)}
    clients: dict[str, list[str]] = {}
    for document in profiles:
        facts: Any = document.value
        package = facts.get("sdk", {}).get("package") if isinstance(facts, Mapping) else None
        if isinstance(package, str):
            clients.setdefault(_normalized(package), []).append(Path(document.source).stem)
    providers: set[str] = set()
    for package in needed & clients.keys():
        providers.update(set(clients[package]) & set(DEFAULT_PROVIDERS) or clients[package][:1])
    return sorted(providers)


def _configured_output(config: Path) -> str | None:
    """Return the folder of the package, if a configuration that exists already names it."""
    document = load_single_file(config, Findings()) if config.is_file() else None
    settings: Any = document.value if document is not None else None
    out = settings.get("out") if isinstance(settings, Mapping) else None
    return Path(out).as_posix() if isinstance(out, str) else None


def _requirements(folder: Path) -> list[str]:
    """Return the names of a project's dependencies. A file that cannot be read has none."""
    lines: list[str] = []
    for members in _requirement_lists(folder):
        lines += [line for line in members if isinstance(line, str)] if isinstance(members, list) else []
    for path in sorted(folder.glob("requirements*.txt")):
        try:
            lines += path.read_text("utf-8").splitlines()
        except (OSError, ValueError):
            continue
    return [match[1] for line in lines if (match := _REQUIREMENT.match(line))]


def _requirement_lists(folder: Path) -> list[Any]:
    """Return what pyproject.toml has in the places of lists of dependencies, also optional ones and those of groups."""
    try:
        project: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    except (OSError, ValueError):
        return []
    table = project.get("project")
    if not isinstance(table, dict):
        table = {}
    groups = (project.get("dependency-groups"), table.get("optional-dependencies"))
    return [
        table.get("dependencies"),
        *(members for group in groups if isinstance(group, dict) for members in group.values()),
    ]


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def write_project(folder: Path, files: Sequence[NewFile]) -> WriteResult:
    """Write the files that do not exist. Existing files are never changed. If one fails, all are removed again, as far as the disk allows.

    Raises:
        OSError: A file cannot be written.
    """
    created: list[NewFile] = []
    unchanged: list[NewFile] = []
    differing: list[NewFile] = []
    made_folders: list[Path] = []
    try:
        for file in files:
            path = folder / file.path
            if os.path.lexists(path):
                existing = unchanged if _has_lines(path, file.text) else differing
                existing.append(file)
                continue
            _make_folders(path.parent, made_folders)
            with path.open("x", encoding="utf-8", newline="\n") as opened:
                created.append(file)
                opened.write(file.text)
    except BaseException:
        for file in created:
            with suppress(OSError):
                (folder / file.path).unlink(missing_ok=True)
        for made_folder in reversed(made_folders):
            with suppress(OSError):  # somebody else may have put a file into it
                made_folder.rmdir()
        raise
    return WriteResult(tuple(created), tuple(unchanged), tuple(differing))


def files_to_move_to_repository_root(folder: Path, created: Sequence[NewFile]) -> tuple[Path, str] | None:
    """Return the root of the repository and the files that are only read there; None if all are where they are read."""
    names = [file.path for file in created if file.path.startswith((".github/", ".gitlab-ci", ".pre-commit"))]
    root = _repository_root(folder)
    if root is None or root == Path(os.path.realpath(folder)) or not names:
        return None
    return root, " and ".join(names)


def _repository_root(folder: Path) -> Path | None:
    real = Path(os.path.realpath(folder))
    return next((each for each in (real, *real.parents) if (each / ".git").exists()), None)


def _has_lines(path: Path, text: str) -> bool:
    """Return whether a file has every line of a text, except for comments, in any order."""
    try:
        lines = {line.strip() for line in path.read_text("utf-8").splitlines()}
    except (OSError, ValueError):
        return False
    return all(line.strip() in lines or line.startswith("#") for line in text.splitlines() if line)


def _make_folders(path: Path, made_folders: list[Path]) -> None:
    """Create a folder and its missing parents, and add each to `made_folders`."""
    if not path.is_dir():
        _make_folders(path.parent, made_folders)
        path.mkdir()
        made_folders.append(path)
