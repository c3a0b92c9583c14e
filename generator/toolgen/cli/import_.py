"""`toolgen import`: existing definitions become declarations."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolgen.cli.group import verbosity_options
from toolgen.cli.process import FINE, WRONG, end
from toolgen.cli.terminal import emit, list_changes, report
from toolgen.importing.formats import MODULES


@click.command("import")
@click.argument("format", type=click.Choice(list(MODULES)), metavar=f"[{'|'.join(MODULES)}]")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--out",
    "schemas",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="The schemas folder: declarations go to DIR/tools, schemas that they share to DIR/types.",
)
@click.option(
    "--source",
    metavar="NAME",
    help="What a later import knows this one again by; by default the title of an OpenAPI document, or FILE's name.",
)
@verbosity_options
def command(format: str, file: Path, schemas: Path, source: str | None, quiet: bool, verbose: bool) -> None:
    """Turn the tools in FILE into declarations under DIR/tools, one YAML file a tool.

    FILE is JSON, or YAML where it is named so: for `mcp` an answer to tools/list or an array of such pages, for the
    providers an array of tools or a request body that has one, for `openapi` a document of version 3. Every change to
    a tool is listed; after an error nothing is written.

    The same import later takes over what changed at the source and keeps what you edited: changes to different keys
    are put together, of two to the same key yours stays, and tools that are gone are listed and stay. DIR/tools/import.lock
    records what was imported. No other file is overwritten.

    \b
    Example:
      toolgen import mcp tools-list.json --out schemas
      toolgen import openapi petstore.yaml --out schemas
    """
    from toolgen.diagnostics import Findings
    from toolgen.importing.importer import import_file

    findings = Findings()
    done = import_file(file, format, schemas, findings, source=source)
    if done is None:
        report(findings, "text", quiet=quiet, verbose=verbose)
        end(WRONG)
    if not quiet:
        list_changes(findings)
        for folder, added in (("types", done.types), ("tools", done.tools)):
            counts = ((added.created, "created"), (added.changed, "updated"), (added.unchanged, "unchanged"))
            said = ", ".join(f"{len(paths)} {word}" for paths, word in counts if paths)
            if said or folder == "tools":
                emit(f"{schemas.as_posix()}/{folder}: {said or 'nothing to do'}\n", sys.stderr)
    end(FINE)
