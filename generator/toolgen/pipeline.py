"""The stages in their order. Read this file first.

load      files -> Sources          text and values with locations
parse     Sources -> Parsed         each file validated against its schema
resolve   Parsed -> Catalog         resolved, merged, frozen
rules     Catalog -> findings       problems in tools
plan      Catalog -> plans          the structure of the Python code
render    plans -> files            text by path
write     files -> disk, or a diff  completely or not at all

A stage with errors is the last one that runs. The stages between load and write use neither disk, clock nor
environment, except for the shipped templates and runtime modules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import RawText, did_you_mean, escape_text
from toolgen.load import Document, Pointer, Sources, load
from toolgen.load.loading import FolderFactory, load_single_file, read_contents
from toolgen.load.sources import value_at
from toolgen.parse import UNKNOWN_CODE, Config, parse
from toolgen.resolve import Catalog

if TYPE_CHECKING:
    from toolgen.load.sources import DocumentContent
    from toolgen.load.text_decoding import FaultReporter
    from toolgen.render.package import Package
    from toolgen.render.templates import TypeExpression
    from toolgen.render.tool_payloads import ProviderPayload
    from toolgen_runtime.lowering.dialects import Dialect
    from toolgen_runtime.lowering.lowered_schema import LoweredSchema

T = TypeVar("T")

Progress: TypeAlias = Callable[[str, int], None]
"""Called after a step with its name (`read`, `resolved`, `rendered` or `written`) and the number of tools."""


def ignore_progress(step: str, tools: int) -> None:
    """Ignore a step."""


class Steps:
    """The functions that take most of the time of a build. The stages get them, and `watch` has others that remember."""

    def read(self, source: str, text: str, reporter: FaultReporter) -> list[DocumentContent]:
        """Parse the documents of a text, as `read_contents` does."""
        return read_contents(source, text, reporter)

    def lower(
        self, schema: dict[str, Any] | bool, dialect: Dialect, recursion_depth: int, *, is_arguments: bool
    ) -> LoweredSchema:
        """Lower the schema of a tool for one mode of a provider, as `lower` does."""
        from toolgen_runtime.lowering.lower import lower

        return lower(schema, dialect, recursion_depth, is_arguments=is_arguments)

    def express(self, type_schemas: Sequence[Any]) -> list[TypeExpression]:
        """Return the types of type schemas, as `type_expressions` does."""
        from toolgen.render.type_expressions import type_expressions

        return type_expressions(type_schemas)


ALL_STEPS = Steps()
"""The steps of a build from nothing."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project that was read: its sources, its configuration and its catalog."""

    sources: Sources
    config: Config
    catalog: Catalog


def check_project(
    schemas: Path,
    findings: Findings,
    providers: Sequence[str] = (),
    progress: Progress = ignore_progress,
    steps: Steps = ALL_STEPS,
) -> Project | None:
    """Load, parse, resolve, and apply the rules of a build. Return None if there are errors.

    `providers` are those of the command line, which replace those of the configuration.
    """
    from toolgen.rules import apply_rules, apply_suppressions, find_suppressions

    project = resolve_project(schemas, findings, providers, progress, steps=steps)
    if project is None:
        return None
    apply_rules(project.catalog, findings, project.config.lint)
    apply_suppressions(findings, project.config.lint, find_suppressions(project.sources) if len(findings) else ())
    progress("resolved", len(project.sources.tools))
    return None if findings.has_errors else project


def resolve_project(
    schemas: Path,
    findings: Findings,
    providers: Sequence[str] = (),
    progress: Progress = ignore_progress,
    folder: FolderFactory | None = None,
    name: str | None = None,
    steps: Steps = ALL_STEPS,
) -> Project | None:
    """Load, parse and resolve. Return None if errors stop the run. `folder` and `name` are those of `load`."""
    from toolgen.resolve.resolution import resolve_catalog
    from toolgen.resources import shipped_folder

    builtin = shipped_folder("schemas")
    sources = load(schemas, findings, builtin=builtin, folder_factory=folder, name=name, read=steps.read)
    progress("read", len(sources.tools))
    if findings.has_errors:
        return None
    parsed = parse(sources, findings)
    with findings.aside(UNKNOWN_CODE):
        catalog = resolve_catalog(parsed, providers, findings) if parsed is not None else None
        if parsed is None or catalog is None or findings.has_errors:
            return None
    return Project(sources, parsed.config, catalog)


def read_config(schemas: Path) -> Config | None:
    """Return the configuration of SCHEMAS, without its other sources. None if it cannot be read or its form is wrong."""
    findings = Findings()
    config = Config()
    for file in (schemas / f"toolgen{suffix}" for suffix in (".yaml", ".yml", ".json")):
        if file.is_file():
            document = load_single_file(file, findings)
            parsed = parse(Sources(schemas.as_posix(), config=document), findings)
            config = parsed.config if parsed is not None else config
    return None if findings.has_errors else config


def render_project(
    project: Project, findings: Findings, progress: Progress = ignore_progress, steps: Steps = ALL_STEPS
) -> Package | None:
    """Plan and render. Return None if a profile does not fit the format, or a provider cannot be sent a tool."""
    from toolgen.render.package import render_package

    package = _make_or_report(project, findings, lambda: render_package(project.catalog, steps.lower, steps.express))
    if package is not None:
        _report_refused(package.payloads, findings)
        progress("rendered", len(project.sources.tools))
    return None if findings.has_errors else package


def render_payloads(
    project: Project, findings: Findings, steps: Steps = ALL_STEPS
) -> Mapping[str, ProviderPayload] | None:
    """Return the payloads of each provider, without the package; None in the same cases as `render_project`."""
    from toolgen.render.package import package_payloads

    payloads = _make_or_report(project, findings, lambda: package_payloads(project.catalog, steps.lower))
    if payloads is not None:
        _report_refused(payloads, findings)
    return None if findings.has_errors else payloads


def _make_or_report(project: Project, findings: Findings, make: Callable[[], T]) -> T | None:
    """Make something from a project. Return None, with a finding, if a profile or an installed runtime does not fit it."""
    from toolgen.plan.wires import MappingError

    config = project.sources.config
    if project.config.runtime == "installed" and project.catalog.format.is_extended:
        if config is not None and ("runtime",) in config.values:
            span = config.span("runtime")
        else:
            span = next(document for document in project.sources.formats if not document.is_shipped).span()
        findings.add("runtime-format", span)
        return None
    try:
        return make()
    except MappingError as error:
        from toolgen.render.wires import profile_lineages

        profiles = (profile for profile, *_ in profile_lineages(project.catalog.profiles))
        document = next(profile.documents[-1] for profile in profiles if profile.name == error.profile)
        span = _span_of(document, error.pointer, error.unknown)
        findings.add(
            "profile-shape",
            span,
            hint=did_you_mean(error.unknown, error.candidates),
            reason=RawText(escape_text(error.reason)),
        )
        return None


def _span_of(profile: Document, pointer: Pointer, unknown: str) -> Span:
    """Return where a profile has a fault. One that is in what it extends is where it names what is unknown."""
    if unknown and (not pointer or pointer not in profile.values):
        naming = (inner for inner in profile.values if inner and unknown in (inner[-1], value_at(profile.value, inner)))
        pointer = next(naming, pointer)
    return profile.span(*pointer)


def _report_refused(payloads: Mapping[str, ProviderPayload], findings: Findings) -> None:
    """Report each tool that cannot be sent to a provider that it is offered to, with the first reason."""
    for provider, payload in payloads.items():
        for tool_payload in payload.tools:
            refused = next((loss for loss in tool_payload.losses if loss.refused), None)
            if refused is not None:
                findings.add(
                    "tool-refused",
                    refused.span,
                    tool=tool_payload.tool.name,
                    provider=provider,
                    what=RawText(refused.what),
                    reason=RawText(refused.reason),
                )
