"""`toolgen build`: compile SCHEMAS into a package."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from toolgen.cli.command_support import (
    EXIT_ERROR,
    Reporter,
    compile_adding_built_providers,
    package_digests,
    package_output,
    progress,
    report_move,
    save_build_record,
    summarize_changes,
)
from toolgen.cli.group import format_option, out_option, provider_option, schemas_argument, verbosity_options

if TYPE_CHECKING:
    from toolgen.compilation import Compilation
    from toolgen.diagnostics import Findings
    from toolgen.pipeline import Steps
    from toolgen.write import Changes, RequestedOutput


@click.command("build")
@schemas_argument
@out_option
@provider_option
@format_option
@click.option("--force", is_flag=True, help="Overwrite generated files that were edited by hand.")
@verbosity_options
def command(
    schemas: Path,
    out: Path | None,
    providers: tuple[str, ...],
    force: bool,
    reporter: Reporter,
) -> None:
    """Compile SCHEMAS (default: schemas) into a Python package.

    With `--provider`, the other providers of the package stay, until a build without it has those of toolgen.yaml.

    \b
    Example:
      toolgen build schemas/ --out app/tools
    """
    from toolgen.diagnostics import Findings

    findings = Findings()
    build = build_package(schemas, out, providers, findings, force=force, quiet=reporter.quiet)
    reported = reporter.print_findings(findings)
    if build is None:
        sys.exit(EXIT_ERROR)
    if reporter == Reporter() and not (force or providers):
        save_build_record(build.built, build.output, build.changes.files, out, reported, findings)
    reporter.say(summarize_changes(build.output, build.changes))


class Build(NamedTuple):
    """A package that was written: its sources, its folder, and what changed in it."""

    built: Compilation
    output: RequestedOutput
    changes: Changes


def build_package(
    schemas: Path,
    out: Path | None,
    providers: tuple[str, ...],
    findings: Findings,
    *,
    force: bool = False,
    quiet: bool = False,
    steps: Steps | None = None,
) -> Build | None:
    """Compile a project and write its package; None, with an error among the findings, if nothing was written.

    If the project has schemas for editors, they are refreshed too.
    """
    from toolgen.build_record import save_written
    from toolgen.write import write_package
    from toolgen.write.editor_folder import has_editor_folder, write_editor_folder

    with progress(quiet=quiet) as step:
        built = compile_adding_built_providers(schemas, out, providers, findings, step, steps)
        if built is None:
            return None
        output = package_output(built, out)
        changes = write_package(built.files, output, built.lock, findings, force=force)
        step("written", len(built.sources.tools))
    if changes is None:
        return None
    save_written(str(output.folder), package_digests(changes.files))
    if has_editor_folder(schemas, built.sources.texts.values()):
        from toolgen.new_project import editor_folder_files

        write_editor_folder(schemas, editor_folder_files(), findings)
    if out is None:
        report_move(built, output, findings)
    return Build(built, output, changes)
