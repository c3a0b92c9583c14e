"""`toolgen build`: compile SCHEMAS into a package."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolgen.cli.group import (
    format_option,
    out_option,
    output_folder,
    provider_option,
    schemas_argument,
    verbosity_options,
)
from toolgen.cli.process import FINE, WRONG, compile_beside, end, progress, save_build_record
from toolgen.cli.terminal import emit, report


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
    form: str,
    force: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Compile SCHEMAS (default: schemas) into a Python package.

    \b
    Example:
      toolgen build schemas/ --out app/tools
    """
    end(FINE if build_once(schemas, out, providers, form, force=force, quiet=quiet, verbose=verbose) else WRONG)


def build_once(
    schemas: Path,
    out: Path | None,
    providers: tuple[str, ...],
    form: str,
    *,
    force: bool = False,
    quiet: bool = False,
    verbose: bool = False,
) -> bool:
    """Compile and write a package, and print what was found and done; False where nothing was written."""
    from toolgen.diagnostics import Findings
    from toolgen.write import apply
    from toolgen.write.output_path import shown

    findings = Findings()
    with progress(quiet=quiet) as step:
        built = compile_beside(schemas, out, providers, findings, step)
        output = built.output(output_folder(schemas, out, built.config.out)) if built is not None else None
        changes = None
        if built is not None and output is not None:
            changes = apply(built.files, output, built.stamp, findings, force=force)
            step("written", len(built.sources.tools))
    reported = report(findings, form, quiet=quiet, verbose=verbose)
    if built is None or output is None or changes is None:
        return False
    if form == "text" and not (quiet or verbose or force or providers):
        save_build_record(built, output, out, reported)
    if not quiet:
        counts = (
            (len(changes.created), "created"),
            (len(changes.changed), "changed"),
            (len(changes.deleted), "deleted"),
            (len(changes.unchanged), "unchanged"),
        )
        emit(
            f"{shown(output.name)}: " + ", ".join(f"{n} {word}" for n, word in counts if n) + "\n",
            sys.stderr,
        )
    return True
