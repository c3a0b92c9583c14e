"""`toolgen import`: convert existing tool definitions to declarations."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolgen.cli.command_support import EXIT_FINDINGS, EXIT_OK, Reporter
from toolgen.cli.group import verbosity_options
from toolgen.cli.terminal import print_all_findings
from toolgen.importing.formats import MODULES, SERVER_FORMATS, TAGGED_FORMATS

if TYPE_CHECKING:
    from toolgen.importing.importer import ImportResult


@click.command("import", epilog=f"FORMAT is one of: {', '.join(MODULES)}.")
@click.argument("format", type=click.Choice(list(MODULES)), metavar="FORMAT")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option(
    "--out",
    "schemas",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="Schemas folder: declarations go to DIR/tools, shared schemas to DIR/types.",
)
@click.option(
    "--source",
    metavar="NAME",
    help="Name under which later imports recognize this source; default: the title of an OpenAPI document, the name "
    "of a server, or FILE.",
)
@click.option(
    "--only", multiple=True, metavar="PATTERN", help="Only tools whose name matches, such as 'pets_*'; can be repeated."
)
@click.option(
    "--tag", "tags", multiple=True, metavar="TAG", help="Only operations with this tag (openapi); can be repeated."
)
@click.option("--skip-faulty", is_flag=True, help="Skip tools with errors, and report each with its reason.")
@click.option(
    "--check", is_flag=True, help="Write nothing; exit with 1 if the source has changed since the last import."
)
@click.option(
    "--command", "server", metavar="COMMAND", help="Start this MCP server and list its tools, instead of reading FILE."
)
@click.option("--url", metavar="URL", help="List the tools of the MCP server at this URL, instead of reading FILE.")
@click.option(
    "--timeout",
    "seconds",
    type=click.FloatRange(0, min_open=True),
    default=30,
    show_default=True,
    metavar="SECONDS",
    help="Time limit for the server.",
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
    reporter: Reporter,
) -> None:
    """Convert the tools in FILE to declarations.

    Writes one YAML file for each tool into DIR/tools.

    FILE is JSON, or YAML if its name says so, or - for the standard input. For `mcp` it is a tools/list response or an
    array of such pages, for the providers an array of tools or a request body, and for `openapi` an OpenAPI 3 document.
    The import reports every change that it makes to a tool. If there is an error, it writes nothing.

    Run the same import again to get changes of the source; your edits are kept. If you and the source changed
    different keys, both changes are applied; if you changed the same key, yours stays. Tools that no longer exist at
    the source are reported, not deleted. DIR/tools/import.lock records what was imported. No other file is overwritten.

    \b
    Example:
      toolgen import mcp tools-list.json --out schemas
      toolgen import mcp --command 'python server.py' --out schemas
      toolgen import openapi petstore.yaml --out schemas --tag pets --skip-faulty
    """
    from toolgen.diagnostics import Findings
    from toolgen.importing.importer import import_document, import_file
    from toolgen.importing.selection import ImportSelection

    if sum(each is not None for each in (file, server, url)) != 1:
        raise click.UsageError("expected exactly one source: FILE, --command or --url")
    if "" in (server, url):
        raise click.UsageError("--command and --url must not be empty")
    if format not in SERVER_FORMATS and file is None:
        raise click.UsageError("--command and --url are only for MCP servers: use `toolgen import mcp`")
    if tags and format not in TAGGED_FORMATS:
        raise click.UsageError("--tag is only for OpenAPI documents; use --only to choose tools by name")
    findings = Findings()
    choice = ImportSelection(only, tags, skip_faulty)
    if file is not None:
        result = import_file(file, format, schemas, findings, source=source, selection=choice, check=check)
    else:
        from toolgen.importing.formats.mcp import list_server_tools
        from toolgen.importing.masking import find_secrets
        from toolgen.importing.served_findings import name_tools

        secrets = find_secrets(command=server, url=url)
        tools = list_server_tools(findings, secrets, command=server, url=url, seconds=seconds)
        result = import_document(tools, format, schemas, findings, source=source, selection=choice, check=check)
        if tools is not None:
            name_tools(tools, findings)
        secrets.mask_findings(findings)
    if result is None:
        reporter.fail(findings)
    if not reporter.quiet:
        print_all_findings(findings, quote=file is None)
    if check:
        reporter.say("the source has changed since the last import\n" if result.differs else "nothing changed\n")
        sys.exit(EXIT_FINDINGS if result.differs else EXIT_OK)
    _say_counts(result, schemas, reporter)


def _say_counts(result: ImportResult, schemas: Path, reporter: Reporter) -> None:
    """Say how many files of each folder were created, updated and unchanged. Nothing is said of no types."""
    for folder, changes in (("types", result.types), ("tools", result.tools)):
        counts = ((changes.created, "created"), (changes.changed, "updated"), (changes.unchanged, "unchanged"))
        summary = ", ".join(f"{len(paths)} {label}" for paths, label in counts if paths)
        if summary or folder == "tools":
            reporter.say(f"{schemas.as_posix()}/{folder}: {summary or 'nothing to do'}\n")
