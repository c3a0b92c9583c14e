"""A project compiled in memory, which is what the commands have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from toolgen import __version__
from toolgen.diagnostics import Finding, Findings
from toolgen.hand_edits import find_edited_files
from toolgen.load import Sources
from toolgen.load.loading import FolderFactory
from toolgen.parse import UNKNOWN_CODE, Config
from toolgen.pipeline import (
    ALL_STEPS,
    Progress,
    Project,
    Steps,
    check_project,
    ignore_progress,
    render_project,
    resolve_project,
)
from toolgen.token_counts import installed_tokenizer
from toolgen.write import Lock, RequestedOutput

if TYPE_CHECKING:
    from toolgen.render.package import Package
    from toolgen.rules import Payloads
    from toolgen.rules.fixes import Edit, FileFix


@dataclass(frozen=True)
class Compilation:
    """A resolved and rendered project. Nothing of it is on disk."""

    schemas: Path
    project: Project
    package: Package

    @property
    def sources(self) -> Sources:
        """Return the sources of the project."""
        return self.project.sources

    @property
    def config(self) -> Config:
        """Return the configuration of the project."""
        return self.project.config

    @property
    def files(self) -> Mapping[str, str]:
        """Return the text of each file of the package."""
        return self.package.files

    @cached_property
    def lock(self) -> Lock:
        """Return the facts about this build for the lock file of its package."""
        wires = self.package.payloads
        payloads = {name: {payload.tool.name: payload.digest for payload in wire.tools} for name, wire in wires.items()}
        config = self.config
        return Lock(
            __version__, config.edition, _made_with(), config.runtime, config.parts, config.frameworks, payloads
        )

    def output_at(
        self, folder: Path, command: str, *, is_package: bool = True, is_configured: bool = False
    ) -> RequestedOutput:
        """Return the output folder for the files. `command` is what writes it. The configuration may name the folder."""
        config = self.sources.config
        span = config.span("out") if is_configured and config is not None and self.config.out is not None else None
        find_edited = partial(find_edited_files, folder)
        return RequestedOutput(
            folder, folder.as_posix(), self.schemas, is_package, command, span, _paths_of_lock, find_edited
        )

    def payloads(self) -> Payloads:
        """Return the payloads of each provider: one with all tools, and one for each tool with its losses."""
        from toolgen.rules import PayloadLoss, Payloads, SingleToolPayload

        wires = self.package.payloads
        single = [
            SingleToolPayload(
                offered.tool,
                name,
                wire.payload_of(offered.tool.name),
                tuple(PayloadLoss(loss.what, loss.action) for loss in offered.losses if loss.severe),
            )
            for name, wire in wires.items()
            for offered in wire.offered
        ]
        sets = {name: wire.payload for name, wire in wires.items()}
        budgets = self.config.budgets
        counted = any("tokens" in unit for budget in budgets.values() for unit in budget)
        return Payloads(tuple(single), sets, budgets, self.sources.config, installed_tokenizer() if counted else "")


@dataclass(frozen=True, slots=True)
class LintResult:
    """The result of a lint: the number of tools, and their sizes in bytes by provider and tool.

    The tool `*` has the size of a provider's whole payload.
    """

    tools: int
    sizes: Mapping[str, Mapping[str, int]]
    sources: Sources = field(repr=False)

    def fixes(self, findings: Iterable[Finding], edit: Edit, *, unsafe: bool) -> Iterator[FileFix]:
        """Yield fixes for findings in the sources, one step for each file."""
        from toolgen.rules.fixes import find_fixes

        return find_fixes(findings, self.sources, edit, unsafe=unsafe)

    def count_fixable(self, findings: Iterable[Finding]) -> int:
        """Return the number of findings whose codes have a fix."""
        from toolgen.rules.fixes import FIXABLE

        return sum(finding.code in FIXABLE for finding in findings)


def compile_project(
    schemas: Path,
    findings: Findings,
    providers: Sequence[str] = (),
    progress: Progress = ignore_progress,
    steps: Steps = ALL_STEPS,
) -> Compilation | None:
    """Run the stages up to render, with the rules of a build. Return None if one of them found errors."""
    project = check_project(schemas, findings, providers, progress, steps)
    return _rendered(schemas, project, findings, progress, steps)


def lint_project(
    schemas: Path,
    findings: Findings,
    providers: Sequence[str] = (),
    progress: Progress = ignore_progress,
    folder: FolderFactory | None = None,
) -> LintResult | None:
    """Run the stages of a build in memory, then all rules. Return None if a build would reject the sources.

    `folder` makes the folder to read instead of the one on disk.
    """
    from toolgen.rules import (
        apply_payload_rules,
        apply_rules,
        apply_suppressions,
        check_suppressions,
        find_suppressions,
    )

    project = resolve_project(schemas, findings, providers, progress, folder)
    if project is not None:
        progress("resolved", len(project.sources.tools))
    with findings.aside(UNKNOWN_CODE) as unknown:
        compilation = _rendered(schemas, project, findings, progress)
        if compilation is None:
            return None
        sources, levels, payloads = compilation.sources, compilation.config.lint, compilation.payloads()
        apply_rules(compilation.project.catalog, findings, levels, building=False)
        apply_payload_rules(payloads, findings, levels)
        allowed = find_suppressions(sources)
        used = apply_suppressions(findings, levels, allowed)
        reported = Findings()
        check_suppressions(sources, allowed, used, reported)
        apply_suppressions(reported, levels, ())
        findings.items += reported.items
        return None if unknown else LintResult(len(compilation.project.catalog.tools), _sizes(payloads), sources)


def _paths_of_lock(lock: Lock) -> Callable[[str], bool]:
    """Return whether the build that wrote a lock file may have generated a file at a path."""
    from toolgen.render.package import generated_paths

    return generated_paths(lock.tools, lock.payloads, lock.parts, lock.runtime, lock.frameworks)


@cache
def _made_with() -> str:
    """Return the versions of the other packages that determine the generated text."""
    return ", ".join(f"{name} {version(name)}" for name in ("datamodel-code-generator", "jinja2", "ruff-api"))


def _rendered(
    schemas: Path, project: Project | None, findings: Findings, progress: Progress, steps: Steps = ALL_STEPS
) -> Compilation | None:
    """Return a project with its rendered package; None if there is no project, or rendering found errors."""
    package = render_project(project, findings, progress, steps) if project is not None else None
    return Compilation(schemas, project, package) if project is not None and package is not None else None


def _sizes(payloads: Payloads) -> Mapping[str, Mapping[str, int]]:
    """Return the sizes of payloads, as `LintResult` has them."""
    from toolgen.rules import payload_size

    sizes: dict[str, dict[str, int]] = {name: {"*": payload_size(value)} for name, value in payloads.sets.items()}
    for payload in payloads.single:
        sizes[payload.provider][payload.tool.name] = payload_size(payload.value)
    return sizes
