"""`toolgen init`: create a small working project."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolgen.cli.command_support import EXIT_ERROR, Reporter, format_command, out_of_date
from toolgen.cli.terminal import write_output


@click.command("init")
@click.argument("folder", metavar="[DIR]", type=click.Path(file_okay=False, path_type=Path), default=Path())
@click.option("-q", "--quiet", is_flag=True, help="Show only errors.")
def command(folder: Path, quiet: bool) -> None:
    """Create a small working project in DIR (default: here).

    Writes a tool, the configuration, .gitattributes, a pre-commit hook and a CI job. Existing files are never changed:
    toolgen prints what they should contain. A second run does nothing.

    \b
    Example:
      toolgen init && toolgen build
    """
    from toolgen.cli.reference import editor_lock_facts, editor_output
    from toolgen.diagnostics import Findings
    from toolgen.diagnostics.finding import escape_unprintable
    from toolgen.load.loading import load_shipped
    from toolgen.new_project import (
        EDITOR_FOLDER,
        NewFile,
        editor_schema_files,
        files_to_move_to_repository_root,
        project_files,
        write_project,
    )
    from toolgen.resources import shipped_folder
    from toolgen.write import find_drift
    from toolgen.write.lockfile import LOCK, lock_text

    try:
        profiles = load_shipped("providers", shipped_folder("schemas"), Findings())
        lock = NewFile(f"{EDITOR_FOLDER}/{LOCK}", lock_text(editor_schema_files(), editor_lock_facts()))
        written = write_project(folder, [*project_files(folder, profiles), lock])
    except OSError as error:
        path, in_the_way = escape_unprintable(str(error.filename or folder)), (FileExistsError, NotADirectoryError)
        why = "it is not a folder; move it away" if isinstance(error, in_the_way) else error.strerror
        write_output(f"toolgen: cannot write {path}: {why}\n", sys.stderr)
        sys.exit(EXIT_ERROR)
    reporter = Reporter(quiet=quiet)
    for file in written.created:
        reporter.say(f"created {escape_unprintable(str(folder / file.path))}\n")
    schemas_of_editor = [file for file in written.differing if file.path.startswith(EDITOR_FOLDER)]
    for file in written.differing:
        if file not in schemas_of_editor:
            reporter.say(f"{escape_unprintable(str(folder / file.path))} already exists; it should contain:\n")
            reporter.say("".join(f"    {line}\n" if line else "\n" for line in file.text.splitlines()))
    if any(not file.path.endswith(LOCK) for file in schemas_of_editor):
        output = editor_output(folder / EDITOR_FOLDER)
        drift = find_drift(editor_schema_files(), output, editor_lock_facts(), Findings())
        reporter.say(out_of_date(output, drift))
    moved = files_to_move_to_repository_root(folder, written.created)
    if moved is not None:
        root, names = moved
        reporter.say(
            f"{names}: only read in the root of the repository; move them to {escape_unprintable(str(root))}, and add "
            "the path of this folder to their commands\n"
        )
    message = f"next: {format_command('build', folder / 'schemas', None)}" if written.created else "nothing to do"
    reporter.say(f"{message}\n")
