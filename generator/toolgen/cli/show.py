"""`toolgen show`: one tool as each provider gets it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from toolgen.cli import options
from toolgen.cli.running import FINE, WRONG, end, report
from toolgen.cli.terminal import emit


@click.command("show")
@click.argument("tool")
@click.option(
    "--schemas",
    type=click.Path(path_type=Path),
    default=Path("schemas"),
    show_default=True,
    help="The sources.",
)
@options.providers
@options.finding_format
@options.verbosity
def command(tool: str, schemas: Path, providers: tuple[str, ...], form: str, quiet: bool, verbose: bool) -> None:
    """Print TOOL's payload as it will be sent, and what was lost on the way.

    The payload goes to stdout as JSON, by provider; losses go to stderr, one a line.

    \b
    Example:
      toolgen show get_weather --provider openai_chat
    """
    from toolgen.compiling import shown_tool
    from toolgen.diagnostics import Findings

    findings = Findings()
    shown = shown_tool(schemas, tool, findings, providers)
    report(findings, form, quiet=quiet, verbose=verbose)
    if shown is None:
        end(WRONG)
    emit(json.dumps({name: entry.payload for name, entry in shown.items()}, indent=2, ensure_ascii=False) + "\n")
    for name, entry in shown.items():
        for loss in entry.losses:
            emit(f"{name}: {loss}\n", sys.stderr)
    end(FINE)
