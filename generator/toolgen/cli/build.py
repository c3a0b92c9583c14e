"""`toolgen build`: compile SCHEMAS into a package."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolgen.cli import options
from toolgen.cli.running import FINE, WRONG, end, output_folder, report
from toolgen.cli.terminal import emit


@click.command("build")
@options.schemas
@options.out
@options.providers
@options.finding_format
@click.option("--force", is_flag=True, help="Overwrite generated files that were edited by hand.")
@options.verbosity
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
    from toolgen.compiling import compile_project
    from toolgen.diagnostics import Findings
    from toolgen.write import apply

    findings = Findings()
    built = compile_project(schemas, findings, providers)
    if built is None:
        report(findings, form, quiet=quiet, verbose=verbose)
        end(WRONG)
    output = built.output(output_folder(schemas, out, built.config.out))
    changes = apply(built.files, output, built.stamp, findings, force=force)
    report(findings, form, quiet=quiet, verbose=verbose)
    if changes is None:
        end(WRONG)
    if not quiet:
        counts = (
            (len(changes.created), "created"),
            (len(changes.changed), "changed"),
            (len(changes.deleted), "deleted"),
            (len(changes.unchanged), "unchanged"),
        )
        emit(
            f"{output.name}: " + ", ".join(f"{n} {word}" for n, word in counts if n) + "\n",
            sys.stderr,
        )
    end(FINE)
