"""`toolgen docs`: write pages about the tools, for people, programs and models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolgen import __version__
from toolgen.cli.command_support import (
    Reporter,
    format_command,
    import_path,
    output_folder,
    progress,
    write_or_check_then_exit,
)
from toolgen.cli.group import format_option, provider_option, schemas_argument, verbosity_options

if TYPE_CHECKING:
    from toolgen.diagnostics import Findings


@click.command("docs")
@schemas_argument
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder for the pages.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if the pages are out of date.")
@click.option("--force", is_flag=True, help="Overwrite pages that were edited by hand.")
@click.option(
    "--only",
    "forms",
    type=click.Choice(["html", "md", "json"]),
    multiple=True,
    help="Write only the HTML pages, only the Markdown texts (md) or only the JSON; can be repeated.",
)
@click.option("--since", metavar="REV", help="Add a page with the changes since a git revision, such as v1.2.")
@click.option(
    "--against-dir",
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Add a page with the changes since an older copy of SCHEMAS.",
)
@provider_option
@format_option
@verbosity_options
def command(
    schemas: Path,
    out: Path,
    check: bool,
    force: bool,
    forms: tuple[str, ...],
    since: str | None,
    folder: Path | None,
    providers: tuple[str, ...],
    reporter: Reporter,
) -> None:
    """Write pages about the tools in SCHEMAS.

    Writes static HTML, JSON for programs (catalogue.json), and a text file for each tool. The same sources always give
    the same bytes. Files that toolgen did not write are left alone.

    \b
    Example:
      toolgen docs schemas/ --out docs/tools
    """
    from toolgen.compilation import compile_project
    from toolgen.diagnostics import Findings
    from toolgen.render.docs_site import FORMS, render_docs_site
    from toolgen.write import Lock

    if since is not None and folder is not None:
        raise click.UsageError("use either --since REV or --against-dir DIR")
    forms = forms or FORMS
    if (since is not None or folder is not None) and "html" not in forms:
        raise click.UsageError("the page of changes is HTML; add --only html")
    findings = Findings()
    with progress(quiet=reporter.quiet) as step:
        built = compile_project(schemas, findings, providers, step)
    if built is None:
        reporter.fail(findings)
    changes = None if since is None and folder is None else _changes(schemas, since, folder, findings)
    if findings.has_errors:
        reporter.fail(findings)
    index = built.files.get("tools/__init__.py", "")
    package = import_path(output_folder(schemas, None, built.config.out), schemas)
    files = render_docs_site(built.project.catalog, built.package.payloads, index, package, changes, forms)
    output = built.output_at(out, format_command("docs", schemas, out), is_package=False)
    lock = Lock(__version__, built.config.edition)
    write_or_check_then_exit(files, output, lock, findings, reporter, check=check, force=force)


def _changes(schemas: Path, since: str | None, folder: Path | None, findings: Findings) -> dict[str, Any]:
    """List the changes since a revision or a folder, as `toolgen breaking` does. Adds an error if it cannot be read."""
    from toolgen.breaking.comparison import compare_with
    from toolgen.diagnostics import Findings

    changes = Findings()
    compared = compare_with(schemas, changes, since, folder)
    if compared is None:
        findings.items += [finding for finding in changes if finding.level == "error"]
    audiences = {change.id: change.audiences for change in compared.changes} if compared is not None else {}
    rows = [
        {
            "level": finding.level,
            "message": finding.message,
            "code": finding.code,
            "audiences": audiences.get(json.loads(finding.details).get("id", ""), ()) if finding.details else (),
        }
        for finding in changes
    ]
    name = folder.as_posix() if folder is not None else since
    return {"since": name, "summary": compared.summary if compared is not None else "", "rows": rows}
