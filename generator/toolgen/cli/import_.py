"""`toolgen import`: existing definitions become declarations."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolgen.cli.group import verbosity_options
from toolgen.cli.process import FINE, FOUND, WRONG, end
from toolgen.cli.terminal import emit, list_changes, report
from toolgen.importing.formats import FROM_SERVERS, MODULES, WITH_TAGS


@click.command("import")
@click.argument("format", type=click.Choice(list(MODULES)), metavar=f"[{'|'.join(MODULES)}]")
@click.argument("file", type=click.Path(path_type=Path), required=False)
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
    help="What a later import knows this one again by; by default the title of an OpenAPI document, a server's name, or FILE's.",
)
@click.option(
    "--only", multiple=True, metavar="PATTERN", help="Only tools with such a name: 'pets_*'. May be repeated."
)
@click.option(
    "--tag", "tags", multiple=True, metavar="TAG", help="Only operations with this tag (openapi). May be repeated."
)
@click.option("--skip-faulty", is_flag=True, help="Leave tools with a fault out, and say which and why.")
@click.option(
    "--check", is_flag=True, help="Write nothing; end with 1 where the source has changed since the last import."
)
@click.option("--command", "server", metavar="COMMAND", help="Start this MCP server and ask it, in place of FILE.")
@click.option("--url", metavar="URL", help="Ask the MCP server at this address, in place of FILE.")
@click.option(
    "--timeout",
    "seconds",
    type=click.FloatRange(0, min_open=True),
    default=30,
    show_default=True,
    metavar="SECONDS",
    help="How long a server may take.",
)
@verbosity_options
def command(
    format: str,
    file: Path | None,
    schemas: Path,
    source: str | None,
    only: tuple[str, ...],
    tags: tuple[str, ...],
    skip_faulty: bool,
    check: bool,
    server: str | None,
    url: str | None,
    seconds: float,
    quiet: bool,
    verbose: bool,
) -> None:
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
      toolgen import mcp --command 'python server.py' --out schemas
      toolgen import openapi petstore.yaml --out schemas --tag pets --skip-faulty
    """
    from toolgen.diagnostics import Findings
    from toolgen.importing.importer import import_document, import_file
    from toolgen.importing.selection import Choice

    if sum(each is not None for each in (file, server, url)) != 1:
        raise click.UsageError("Name one source: FILE, --command or --url.")
    if format not in FROM_SERVERS and file is None:
        raise click.UsageError("Only a server of MCP can be asked: toolgen import mcp --command …")
    if tags and format not in WITH_TAGS:
        raise click.UsageError("Only operations of an OpenAPI document have tags; --only chooses by name.")
    findings = Findings()
    choice = Choice(only, tags, skip_faulty)
    if file is not None:
        done = import_file(file, format, schemas, findings, source=source, choice=choice, check=check)
    else:
        from toolgen.importing.formats.mcp import ask_server

        asked = ask_server(findings, command=server, url=url, seconds=seconds)
        done = import_document(asked, format, schemas, findings, source=source, choice=choice, check=check)
    if done is None:
        report(findings, "text", quiet=quiet, verbose=verbose)
        end(WRONG)
    if not quiet:
        list_changes(findings)
    if check:
        if not quiet:
            emit(
                "the source has changed since the last import\n" if done.differs else "nothing has changed\n",
                sys.stderr,
            )
        end(FOUND if done.differs else FINE)
    if not quiet:
        for folder, added in (("types", done.types), ("tools", done.tools)):
            counts = ((added.created, "created"), (added.changed, "updated"), (added.unchanged, "unchanged"))
            said = ", ".join(f"{len(paths)} {word}" for paths, word in counts if paths)
            if said or folder == "tools":
                emit(f"{schemas.as_posix()}/{folder}: {said or 'nothing to do'}\n", sys.stderr)
    end(FINE)
