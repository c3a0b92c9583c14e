"""`toolgen init`: create a small working project."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolgen.cli.command_support import EXIT_ERROR, Reporter, format_command
from toolgen.cli.terminal import write_output


@click.command("init")
@click.argument("folder", metavar="[DIR]", type=click.Path(file_okay=False, path_type=Path), default=Path())
@click.option("-q", "--quiet", is_flag=True, help="Show only errors.")
def command(folder: Path, quiet: bool) -> None:
    """Create a small working project in DIR (default: here).

    Writes a tool, the configuration, .gitattributes, a pre-commit hook and a CI job for you to commit, and JSON Schemas
    for editors, which git ignores. Existing files are never changed: toolgen prints what they should contain. A second
    run does nothing.

    \b
    Example:
      toolgen init && toolgen build
    """
    from toolgen.diagnostics import Findings
    from toolgen.diagnostics.finding import escape_unprintable
    from toolgen.load.loading import load_shipped
    from toolgen.new_project import (
        SCHEMAS,
        editor_folder_files,
        files_to_move_to_repository_root,
        project_files,
        write_project,
    )
    from toolgen.resources import shipped_folder
    from toolgen.write.editor_folder import EDITOR_FOLDER, write_editor_folder

    findings = Findings()
    try:
        profiles = load_shipped("providers", shipped_folder("schemas"), findings)
        written = write_project(folder, project_files(folder, profiles))
    except OSError as error:
        is_in_the_way = isinstance(error, FileExistsError | NotADirectoryError)
        reason = "it is not a folder; move it away" if is_in_the_way else error.strerror
        path = escape_unprintable(str(error.filename or folder))
        write_output(f"toolgen: cannot write {path}: {reason}\n", sys.stderr)
        sys.exit(EXIT_ERROR)
    reporter = Reporter(quiet=quiet)
    for file in written.created:
        reporter.say(f"created {escape_unprintable(str(folder / file.path))}\n")
    has_new_schemas = write_editor_folder(folder / SCHEMAS, editor_folder_files(), findings)
    if has_new_schemas:
        path = escape_unprintable(str(folder / SCHEMAS / EDITOR_FOLDER))
        reporter.say(f"wrote {path}, the JSON Schemas for editors, which git ignores\n")
    reporter._replace(verbose=True).print_findings(findings)
    for file in written.differing:
        reporter.say(f"{escape_unprintable(str(folder / file.path))} already exists; it should contain:\n")
        reporter.say("".join(f"    {line}\n" if line else "\n" for line in file.text.splitlines()))
    files_to_move = files_to_move_to_repository_root(folder, written.created)
    if files_to_move is not None:
        root, names = files_to_move
        reporter.say(
            f"{names}: only read in the root of the repository; move them to {escape_unprintable(str(root))}, and add "
            "the path of this folder to their commands\n"
        )
    if written.created:
        reporter.say(f"next: {format_command('build', folder / SCHEMAS, None)}\n")
    elif not has_new_schemas:
        reporter.say("nothing to do\n")
