"""`toolgen rules`: what providers take of tools and their schemas, as things stand."""

from __future__ import annotations

import json
from pathlib import Path

import click

from toolgen.cli import options
from toolgen.cli.running import FINE, WRONG, end, report
from toolgen.cli.terminal import emit


@click.command("rules")
@options.schemas
@options.providers
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How the rules are printed: as YAML with comments, or as JSON with the place of each fact.",
)
def command(schemas: Path, providers: tuple[str, ...], form: str) -> None:
    """Print what each provider takes of tools and their schemas, as it stands after SCHEMAS/providers.

    Keywords, formats and limits with their date and evidence, and how null, references, maps and closed objects go out. What
    a file of the project states is marked by its place.

    \b
    Example:
      toolgen rules --provider openai_chat
    """
    from toolgen.active_rules import active_rules, as_text
    from toolgen.diagnostics import Findings

    findings = Findings()
    found = active_rules(schemas, findings, providers)
    report(findings, form if found is None else "text")
    if found is None:
        end(WRONG)
    emit(as_text(found) if form == "text" else json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    end(FINE)
