"""What the commands share: from sources to files in memory, and what is to be stamped on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgen import __version__
from toolgen.config import Config
from toolgen.diagnostics import Findings, Span
from toolgen.load import Sources
from toolgen.pipeline import Progress, no_progress, read_project, render_project
from toolgen.write import Output, Stamp

if TYPE_CHECKING:
    from toolgen.render.lowered import Told


@dataclass(frozen=True, slots=True)
class Built:
    """A project, compiled in memory."""

    schemas: Path
    sources: Sources
    config: Config
    files: Mapping[str, str]

    @property
    def stamp(self) -> Stamp:
        """What the lock says of this build."""
        return Stamp(__version__, self.config.edition, self.sources.digests)

    def output(self, folder: Path) -> Output:
        """The folder that the files belong in."""
        return Output(folder, folder.as_posix(), self.schemas)


@dataclass(frozen=True, slots=True)
class ShownTool:
    """A tool as one provider gets it. `payload` is None where the provider does not."""

    payload: Any
    losses: tuple[str, ...]


def compile_project(
    schemas: Path, findings: Findings, providers: Sequence[str] = (), progress: Progress = no_progress
) -> Built | None:
    """Run the stages up to render; None where one of them found errors."""
    project = read_project(schemas, findings, providers, progress)
    package = render_project(project, findings, progress) if project is not None else None
    if project is None or package is None:
        return None
    return Built(schemas, project.sources, project.config, package.files)


def shown_tool(
    schemas: Path, name: str, findings: Findings, providers: Sequence[str] = ()
) -> dict[str, ShownTool] | None:
    """One tool's payload by provider; None where there is no such tool, or a stage found errors."""
    from toolgen.render.imported import Imported
    from toolgen.resolve.profiles import nearest

    project = read_project(schemas, findings, providers)
    package = render_project(project, findings) if project is not None else None
    if project is None or package is None:
        return None
    catalog = project.catalog
    tool = next((t for t in catalog.tools if t.name == name), None)
    if tool is None:
        known = [t.name for t in catalog.tools]
        findings.add("tool-unknown", Span(project.sources.name), hint=nearest(name, known), name=name)
        return None
    shown: dict[str, ShownTool] = {}
    with Imported(package.files) as imported:
        for profile in catalog.profiles:
            if profile.name in tool.unsupported:
                shown[profile.name] = ShownTool(None, ("not offered to this provider: the declaration says so",))
                continue
            module = imported.module(f"providers.{profile.name}")
            told = next(one.told for one in package.wires[profile.name].tools if one.tool.name == name)
            shown[profile.name] = ShownTool(module.tools(name), tuple(map(_line, told)))
    return shown


def _line(told: Told) -> str:
    """A loss as one line."""
    place = f"{told.span.path}:{told.span.line}:{told.span.column}"
    checked = f"; {told.checked} checks it" if told.checked else ""
    return f"{place}: {told.what} {told.action}: {told.reason}{checked}"


def shipped_format() -> Mapping[str, Any]:
    """The intermediate format as one JSON Schema."""
    from toolgen.load.loading import load_shipped
    from toolgen.resolve.format import link_format
    from toolgen.resources import builtin

    findings = Findings()
    documents = load_shipped("format", builtin("schemas"), findings)

    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "toolgen's intermediate format",
        **link_format(documents, findings).schema,
    }
