"""The stages in their order: the file to read first.

load      files -> Sources          text and values with positions
parse     Sources -> Parsed         each file held against its schema
resolve   Parsed -> Catalog         linked, merged, frozen
rules     Catalog -> findings       what is risky
plan      Catalog -> plans          Python-shaped
render    plans -> Files            text by path
write     Files -> disk, or a diff  wholly or not at all

A stage with errors is the last one that runs. Nothing between load and write touches disk, clock or environment,
but for the shipped templates and runtime modules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import RawText
from toolgen.load import Sources, load
from toolgen.load.loading import FolderOf
from toolgen.parse import Config, parse
from toolgen.resolve import Catalog

if TYPE_CHECKING:
    from toolgen.render.package import Package
    from toolgen.render.tool_payloads import ProviderPayloads

T = TypeVar("T")

Progress: TypeAlias = Callable[[str, int], None]
"""Called after a step with its name (`read`, `linked`, `rendered` or `written`) and the number of tools."""


def ignore_progress(step: str, tools: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project that was read: its sources, its configuration and its catalog."""

    sources: Sources
    config: Config
    catalog: Catalog


def read_project(
    schemas: Path, findings: Findings, providers: Sequence[str] = (), progress: Progress = ignore_progress
) -> Project | None:
    """Load, parse, resolve and apply the rules that a build runs; None where a stage found errors.

    `providers` are those of the command line; they go before the configuration's.
    """
    from toolgen.rules import RULES, apply_rules, apply_suppressions, find_suppressions

    project = resolve_project(schemas, findings, providers, progress)
    if project is None:
        return None
    apply_rules(project.catalog, findings, project.config.lint)
    apply_suppressions(
        findings, project.config.lint, find_suppressions(project.sources) if len(findings) else (), RULES
    )
    progress("linked", len(project.sources.tools))
    return None if findings.errors else project


def resolve_project(
    schemas: Path,
    findings: Findings,
    providers: Sequence[str] = (),
    progress: Progress = ignore_progress,
    folder: FolderOf | None = None,
    name: str | None = None,
) -> Project | None:
    """Load, parse and resolve; None where a stage found errors. `folder` and `name` are those of `load`."""
    from toolgen.resolve.resolution import resolve_catalog
    from toolgen.resources import shipped_folder

    sources = load(schemas, findings, builtin=shipped_folder("schemas"), folder=folder, name=name)
    progress("read", len(sources.tools))
    if findings.errors:
        return None
    parsed = parse(sources, findings)
    catalog = resolve_catalog(parsed, providers, findings) if parsed is not None else None
    if parsed is None or catalog is None or findings.errors:
        return None
    return Project(sources, parsed.config, catalog)


def render_project(project: Project, findings: Findings, progress: Progress = ignore_progress) -> Package | None:
    """Plan and render; None where a profile does not fit the format, or a provider cannot be sent a tool."""
    from toolgen.render.package import package_files

    package = _made(project, findings, lambda: package_files(project.catalog, project.sources.name))
    if package is not None:
        _report_refused(package.wires, findings)
        progress("rendered", len(project.sources.tools))
    return None if findings.errors else package


def plan_payloads(project: Project, findings: Findings) -> Mapping[str, ProviderPayloads] | None:
    """What every provider is sent, without the text of the package; None as `render_project` has it."""
    from toolgen.render.package import package_payloads

    wires = _made(project, findings, lambda: package_payloads(project.catalog))
    if wires is not None:
        _report_refused(wires, findings)
    return None if findings.errors else wires


def _made(project: Project, findings: Findings, make: Callable[[], T]) -> T | None:
    """Make something of a project; None, with a finding, where a profile does not fit the format."""
    from toolgen.plan.object_mappings import MappingError
    from toolgen.render.shipped import MODELS, is_shipped

    config = project.sources.config
    if (
        config is not None
        and project.config.runtime == "installed"
        and not is_shipped(MODELS, project.catalog.format.schema)
    ):
        findings.add("runtime-format", config.span("runtime"))
        return None
    try:
        return make()
    except MappingError as error:
        profile = next((p for p in project.catalog.profiles if p.name == error.profile), None)
        span = profile.documents[-1].span(*error.pointer) if profile is not None else Span(project.sources.name)
        findings.add("profile-shape", span, reason=error.reason)
        return None


def _report_refused(wires: Mapping[str, ProviderPayloads], findings: Findings) -> None:
    """Report the tools that cannot be sent to a provider that they are offered to, the first reason of each."""
    for provider, wire in wires.items():
        for one in wire.tools:
            refused = next((told for told in one.told if told.refused), None)
            if refused is not None:
                findings.add(
                    "tool-refused",
                    refused.span,
                    tool=one.tool.name,
                    provider=provider,
                    what=RawText(refused.what),
                    reason=RawText(refused.reason),
                )
