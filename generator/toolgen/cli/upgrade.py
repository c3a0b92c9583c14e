"""`toolgen upgrade`: rebuild with this release, and show what changes, and for whom."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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
    from toolgen.breaking.packages import PackageChanges
    from toolgen.compilation import Compilation
    from toolgen.diagnostics import Findings
    from toolgen.load import Document
    from toolgen.write.drift import Drift
    from toolgen.write.output_path import RequestedOutput

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
    from toolgen.build_record import save_written
    from toolgen.diagnostics import Findings
    from toolgen.pipeline import ignore_progress
    from toolgen.write import write_package
    from toolgen.write.output_path import display_path

    findings = Findings()
    with progress(quiet=reporter.quiet) as step:
        built = compile_adding_built_providers(schemas, out, providers, findings, step)
    if built is None:
        reporter.fail(findings)
    new_config = None
    if new_edition is not None:
        new_config = _with_edition(built.sources.config, built.sources.texts, schemas, new_edition)
    output = package_output(built, out)
    drift = _find_drift_or_exit(built, output, findings, reporter)
    changes = _changes_of_files(drift, output.folder, built.files)
    reporter.print_findings(findings)
    if reporter.verbose or changes.has_changes:
        write_output(f"{_former_version(drift, output.folder)}\n")
    if new_config is not None:
        write_output(f"{new_config.file.as_posix()}: set edition {new_edition}\n")
    write_output("".join(f"{line}\n" for line in _change_lines(changes)))
    is_outdated = changes.has_changes or new_config is not None
    if dry_run:
        sys.exit(EXIT_FINDINGS if is_outdated else EXIT_OK)
    if new_config is not None:
        _write_or_exit(new_config)
        built = compile_adding_built_providers(schemas, out, providers, Findings(), ignore_progress) or built
    written = write_package(built.files, output, built.lock, findings)
    if written is None:
        reporter.fail(findings)
    save_written(str(output.folder), package_digests(written.files))
    reporter.say(f"{display_path(output.name)}: {'upgraded' if is_outdated else 'nothing to upgrade'}\n")


def _find_drift_or_exit(built: Compilation, output: RequestedOutput, findings: Findings, reporter: Reporter) -> Drift:
    """Return how the package differs from what a build would write. Exit with the findings if that is impossible."""
    from toolgen.write import find_drift

    drift = find_drift(built.files, output, built.lock, findings)
    if drift.trouble:
        _report_unreadable_lock(output, drift.trouble, findings)
    if findings.has_errors:
        reporter.fail(findings)
    return drift


def _report_unreadable_lock(output: RequestedOutput, reason: str, findings: Findings) -> None:
    """Report a lock file that cannot be read, unless the output itself is refused, which has a finding already."""
    from toolgen.diagnostics import Findings
    from toolgen.diagnostics.finding import RawText
    from toolgen.write.lockfile import LOCK
    from toolgen.write.output_path import locate_output

    output_path = locate_output(output, Findings())
    if output_path is not None:
        hint = output_path.hint_to_force("lock-unreadable")
        findings.add("lock-unreadable", output_path.file_span(LOCK), hint=hint, reason=RawText(reason))


def _changes_of_files(drift: Drift, folder: Path, files: Mapping[str, str]) -> PackageChanges:
    """Compare the files that differ in the folder of a package with those that a build would write."""
    from toolgen.breaking.packages import compare_packages
    from toolgen.write.lockfile import LOCK

    paths = {*drift.missing, *drift.changed, *drift.extra} - {LOCK}
    return compare_packages(_texts(folder, paths), {path: files[path] for path in paths if path in files})


def _former_version(drift: Drift, folder: Path) -> str:
    """Return what built the package that exists. If `drift` does not say so, it was this release."""
    if drift.version:
        return drift.version
    return f"built by toolgen {__version__}" if folder.is_dir() else "there was no package"


def _change_lines(changes: PackageChanges) -> list[str]:
    """Return the changes by whom they affect. Internal ones are only counted, unless there is a single one."""
    lines = [f"handlers: {each}" for each in changes.handlers]
    lines += [f"model: {each}" for each in changes.model]
    if len(changes.internal) == 1:
        lines.append(f"internal: {changes.internal[0]}")
    elif changes.internal:
        lines.append(f"internal: {len(changes.internal)} files")
    return lines


class _NewConfig(NamedTuple):
    """The configuration file, which need not exist, and its new text."""

    file: Path
    text: str


def _write_or_exit(config: _NewConfig) -> None:
    """Write a configuration file. Exit with a message if that is impossible."""
    from toolgen.write.disk import replace_text

    try:
        replace_text(config.file, config.text)
    except OSError as error:
        write_output(f"toolgen: cannot write {config.file.as_posix()}: {error.strerror}\n", sys.stderr)
        sys.exit(EXIT_ERROR)


def _with_edition(
    document: Document | None, texts: Mapping[str, str], schemas: Path, edition: str
) -> _NewConfig | None:
    """Return the configuration file and its text with another edition; None if it already has that edition."""
    line = f'edition: "{edition}"\n'
    if document is None:
        paths = [schemas / "toolgen.yaml", schemas / "toolgen.yml"]
        path = next((path for path in paths if path.as_posix() in texts), paths[0])
        text = texts.get(path.as_posix(), "").removesuffix("\n")  # comments alone
        return _NewConfig(path, f"{text}\n{line}" if text else line)
    settings = document.value if isinstance(document.value, dict) else {}
    if str(settings.get("edition", "")) == edition:
        return None
    from toolgen.importing.yaml_text import dump_declaration, edit_yaml

    value = {**settings, "edition": edition}
    text = edit_yaml(texts[document.path], document, value) or dump_declaration(value)
    return _NewConfig(Path(document.path), text)


def _texts(folder: Path, paths: Iterable[str]) -> dict[str, str]:
    """Return the texts of the files that exist, by path."""
    texts = {}
    for path in paths:
        file = folder / path
        if file.is_file() and not file.is_symlink():
            texts[path] = file.read_text("utf-8", "replace")
    return texts
