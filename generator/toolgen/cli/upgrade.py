"""`toolgen upgrade`: rebuild with this release, and show what changes, and for whom."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolgen import __version__
from toolgen.cli.command_support import (
    EXIT_ERROR,
    EXIT_FINDINGS,
    EXIT_OK,
    Reporter,
    compile_adding_built_providers,
    package_digests,
    package_output,
    progress,
)
from toolgen.cli.group import format_option, out_option, provider_option, schemas_argument, verbosity_options
from toolgen.cli.terminal import write_output

if TYPE_CHECKING:
    from toolgen.load import Document

EDITIONS = ("2026",)
"""The editions that this release supports, the newest last."""


@click.command("upgrade")
@schemas_argument
@out_option
@provider_option
@click.option(
    "--edition",
    "new_edition",
    type=click.Choice(EDITIONS),
    help="Switch to this edition, and write it into toolgen.yaml.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing; exit with 1 if anything would change.")
@format_option
@verbosity_options
def command(
    schemas: Path,
    out: Path | None,
    providers: tuple[str, ...],
    new_edition: str | None,
    dry_run: bool,
    reporter: Reporter,
) -> None:
    """Rebuild the package with this release, and show what changes.

    Changed names affect handlers, changed payloads affect the model and prompt caches, and all other changes are
    internal. Commit or stash other changes first, because the command also counts changes of the sources since the last
    build.

    \b
    Example:
      toolgen upgrade --dry-run
    """
    from toolgen.breaking.packages import compare_packages
    from toolgen.build_record import save_written
    from toolgen.diagnostics import Findings
    from toolgen.diagnostics.finding import RawText
    from toolgen.pipeline import ignore_progress
    from toolgen.write import find_drift, write_package
    from toolgen.write.disk import replace_text
    from toolgen.write.lockfile import LOCK
    from toolgen.write.output_path import display_path, locate_output

    findings = Findings()
    with progress(quiet=reporter.quiet) as step:
        built = compile_adding_built_providers(schemas, out, providers, findings, step)
    if built is None:
        reporter.fail(findings)
    config = (
        None if new_edition is None else _with_edition(built.sources.config, built.sources.texts, schemas, new_edition)
    )
    output = package_output(built, out)
    drift = find_drift(built.files, output, built.lock, findings)
    place = locate_output(output, Findings()) if drift.trouble else None
    if place is not None:
        hint = place.hint_to_force("lock-unreadable")
        findings.add("lock-unreadable", place.file_span(LOCK), hint=hint, reason=RawText(f"{drift.trouble}"))
    if findings.has_errors:
        reporter.fail(findings)
    paths = {*drift.missing, *drift.changed, *drift.extra} - {"toolgen.lock"}
    changes = compare_packages(
        _texts(output.folder, paths), {path: built.files[path] for path in paths if path in built.files}
    )
    reporter.print_findings(findings)
    before = f"built by toolgen {__version__}" if output.folder.is_dir() else "there was no package"
    lines = [drift.version or before] if reporter.verbose or changes.has_changes else []
    lines += [f"{config[0].as_posix()}: set edition {new_edition}"] if config else []
    lines += [f"handlers: {each}" for each in changes.handlers]
    lines += [f"model: {each}" for each in changes.model]
    internal = changes.internal
    lines += [f"internal: {internal[0] if len(internal) == 1 else f'{len(internal)} files'}"] if internal else []
    write_output("".join(f"{line}\n" for line in lines), sys.stdout)
    something = bool(changes.has_changes or config)
    if dry_run:
        sys.exit(EXIT_FINDINGS if something else EXIT_OK)
    if config:
        file, text = config
        try:
            replace_text(file, text)
        except OSError as error:
            write_output(f"toolgen: cannot write {file.as_posix()}: {error.strerror}\n", sys.stderr)
            sys.exit(EXIT_ERROR)
        built = compile_adding_built_providers(schemas, out, providers, Findings(), ignore_progress) or built
    done = write_package(built.files, output, built.lock, findings)
    if done is None:
        reporter.fail(findings)
    save_written(str(output.folder), package_digests(done.files))
    reporter.say(f"{display_path(output.name)}: {'upgraded' if something else 'nothing to upgrade'}\n")


def _with_edition(
    document: Document | None, texts: Mapping[str, str], schemas: Path, edition: str
) -> tuple[Path, str] | None:
    """Return the configuration file and its text with another edition; None if it already has that edition."""
    line = f'edition: "{edition}"\n'
    if document is None:
        paths = [schemas / "toolgen.yaml", schemas / "toolgen.yml"]
        path = next((path for path in paths if path.as_posix() in texts), paths[0])
        text = texts.get(path.as_posix(), "").removesuffix("\n")  # comments alone
        return path, f"{text}\n{line}" if text else line
    settings = document.value if isinstance(document.value, dict) else {}
    if str(settings.get("edition", "")) == edition:
        return None
    from toolgen.importing.yaml_text import dump_declaration, edit_yaml

    value = {**settings, "edition": edition}
    return Path(document.path), edit_yaml(texts[document.path], document, value) or dump_declaration(value)


def _texts(folder: Path, paths: Iterable[str]) -> dict[str, str]:
    """Return the texts of the files that exist, by path."""
    found = {}
    for path in paths:
        file = folder / path
        if file.is_file() and not file.is_symlink():
            found[path] = file.read_text("utf-8", "replace")
    return found
