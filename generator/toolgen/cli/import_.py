"""`toolgen import`: existing definitions become declarations."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolgen.cli import options
from toolgen.cli.running import FINE, WRONG, end, list_changes, report
from toolgen.cli.terminal import emit
from toolgen.importing.formats import names


@click.command("import")
@click.argument("format", type=click.Choice(names()), metavar=f"[{'|'.join(names())}]")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--out",
    "schemas",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="The schemas folder: declarations go to DIR/tools.",
)
@options.verbosity
def command(format: str, file: Path, schemas: Path, quiet: bool, verbose: bool) -> None:
    """Turn the tools in FILE into declarations under DIR/tools, one YAML file a tool.

    FILE is JSON, or YAML where it is named so: for `mcp` an answer to tools/list or an array of such pages, for the
    providers an array of tools or a request body that has one. Every change to a tool is listed; after an error
    nothing is written, and what stands in DIR/tools is never overwritten.

    \b
    Example:
      toolgen import mcp tools-list.json --out schemas
    """
    from toolgen.diagnostics import Findings
    from toolgen.importing.importing import import_file

    findings = Findings()
    added = import_file(file, format, schemas, findings)
    if added is None:
        report(findings, "text", quiet=quiet, verbose=verbose)
        end(WRONG)
    if not quiet:
        list_changes(findings)
        counts = ((len(added.created), "created"), (len(added.unchanged), "unchanged"))
        emit(f"{schemas.as_posix()}/tools: " + ", ".join(f"{n} {word}" for n, word in counts if n) + "\n", sys.stderr)
    end(FINE)
