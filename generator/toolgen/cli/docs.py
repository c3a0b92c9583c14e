"""`toolgen docs`: pages about the tools, for people, programs and models."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolgen import __version__
from toolgen.cli.group import format_option, provider_option, schemas_argument, verbosity_options
from toolgen.cli.process import FINE, FOUND, WRONG, end, progress
from toolgen.cli.terminal import emit, report


@click.command("docs")
@schemas_argument
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder of the pages.")
@click.option("--check", is_flag=True, help="Write nothing; end with 1 where the pages are out of date.")
@provider_option
@format_option
@verbosity_options
def command(
    schemas: Path, out: Path, check: bool, providers: tuple[str, ...], form: str, quiet: bool, verbose: bool
) -> None:
    """Write pages about the tools in SCHEMAS that need no server, JSON for programs (catalogue.json), and a text for each tool.

    The same sources give the same bytes; files that toolgen did not write stay as they are.

    \b
    Example:
      toolgen docs schemas/ --out docs/tools
    """
    from toolgen.compilation import compile_project
    from toolgen.diagnostics import Findings
    from toolgen.render.tool_pages import tool_pages
    from toolgen.write import Stamp, apply, compare

    findings = Findings()
    with progress(quiet=quiet) as step:
        built = compile_project(schemas, findings, providers, step)
    if built is None:
        report(findings, form, quiet=quiet, verbose=verbose)
        end(WRONG)
    files = tool_pages(built.linked.catalog, built.package.wires, built.files.get("tools/handlers.py", ""))
    output = built.output(out)
    stamp = Stamp(__version__, built.config.edition, built.sources.digests)
    if check:
        drift = compare(files, output, stamp, findings)
        report(findings, form, quiet=quiet, verbose=verbose)
        if findings.errors:
            end(WRONG)
        if drift.stale and not quiet:
            emit(f"{out.as_posix()}: out of date with {built.sources.name}; run `toolgen docs`\n", sys.stderr)
        end(FOUND if drift.stale else FINE)
    changes = apply(files, output, stamp, findings)
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
        emit(f"{out.as_posix()}: " + ", ".join(f"{n} {word}" for n, word in counts if n) + "\n", sys.stderr)
    end(FINE)
