"""`toolgen breaking`: show what a change breaks, and for whom."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from toolgen import __version__
from toolgen.cli.command_support import EXIT_ERROR, EXIT_FINDINGS, EXIT_OK, Reporter
from toolgen.cli.group import format_option, schemas_argument, verbosity_options
from toolgen.cli.terminal import write_output

if TYPE_CHECKING:
    from toolgen.breaking.comparison import Comparison


@click.command("breaking")
@schemas_argument
@click.option("--against", "revision", metavar="REV", help="Compare with a git revision, such as main.")
@click.option(
    "--against-dir",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Compare with a folder.",
)
@click.option("--merge-base", is_flag=True, help="Compare with the commit where this branch forked from REV.")
@click.option(
    "--replay",
    "replayed",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="Check stored conversations (JSON lines, - for the standard input) against the new schemas.",
)
@click.option("--provider", metavar="NAME", help="Provider whose format the stored conversations are in.")
@click.option(
    "--accept",
    "accepted",
    multiple=True,
    metavar="ID",
    help="Accept a change by its id, or all changes; requires --reason.",
)
@click.option("--reason", metavar="TEXT", help="Why the change is acceptable.")
@click.option("--prune", is_flag=True, help="Remove accepted changes that no longer occur.")
@format_option
@verbosity_options
def command(
    schemas: Path,
    revision: str | None,
    folder: Path | None,
    merge_base: bool,
    replayed: tuple[Path, ...],
    provider: str | None,
    accepted: tuple[str, ...],
    reason: str | None,
    prune: bool,
    reporter: Reporter,
) -> None:
    """Show which changes break handlers, the model or conversations.

    Compares SCHEMAS with an older version. Exits with 1 if a finding is an error. SCHEMAS/accepted.yaml has the changes
    that you accept.

    \b
    Example:
      toolgen breaking schemas/ --against origin/main --merge-base
    """
    if revision is not None and folder is not None:
        raise click.UsageError("use either --against REV or --against-dir DIR")
    if revision is None and folder is None and not replayed:
        raise click.UsageError("nothing to compare with; use --against REV or --against-dir DIR")
    if merge_base and revision is None:
        raise click.UsageError("--merge-base requires --against REV")
    if provider is not None and not replayed:
        raise click.UsageError("--provider requires --replay FILE")
    if accepted and not reason:
        raise click.UsageError("--accept requires --reason TEXT")
    if reason is not None and not accepted:
        raise click.UsageError("--reason requires --accept ID")
    if reporter.output_format == "text" and not (replayed or accepted or prune):
        from toolgen.breaking.git import is_unchanged
        from toolgen.pipeline import read_config

        config = read_config(schemas)
        if config is not None and is_unchanged(
            schemas, revision, folder, merge_base=merge_base, out=config.out, version=__version__
        ):
            reporter.say("handlers 0, model 0, conversations 0, accepted 0\n")
            sys.exit(EXIT_OK)
    from toolgen.breaking.comparison import compare_with
    from toolgen.diagnostics import Findings

    findings = Findings()
    compared = compare_with(
        schemas, findings, revision, folder, merge_base=merge_base, replay_files=replayed, provider=provider
    )
    if compared is None:
        reporter.fail(findings)
    if accepted or prune:
        _accept_then_exit(compared, schemas, accepted, reason or "", reporter, prune=prune)
    failed = findings.has_errors
    if reporter.output_format == "sarif":  # because SARIF has a field for suppressed results
        findings.items += compared.suppressed
    reporter.print_findings(findings)
    if reporter.output_format == "text":
        reporter.say(f"{compared.summary}\n")
    elif reporter.output_format == "markdown" and not reporter.quiet:
        write_output(f"\n{compared.summary}\n")
    sys.exit(EXIT_FINDINGS if failed else EXIT_OK)


def _accept_then_exit(
    compared: Comparison, schemas: Path, change_ids: tuple[str, ...], reason: str, reporter: Reporter, *, prune: bool
) -> NoReturn:
    """Accept changes in `accepted.yaml`, and with `prune` remove those that no longer occur. Exit with 2 for an unknown id."""
    from toolgen.breaking.accepted import accept_changes

    try:
        unused = compared.unused if prune else None
        sentences = accept_changes(schemas, compared.changes, change_ids, reason, prune=unused)
    except OSError as error:
        reporter.fail_to_change(error)
    for sentence in sentences:
        write_output(f"{sentence}\n", sys.stderr)
    acceptable = {"all", *(change.id for change in compared.changes if change.audiences)}
    sys.exit(EXIT_OK if acceptable.issuperset(change_ids) else EXIT_ERROR)
