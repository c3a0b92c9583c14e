"""`toolgen watch`: build whenever a source changes."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click

from toolgen.cli.build import build_once
from toolgen.cli.group import format_option, out_option, provider_option, schemas_argument, verbosity_options
from toolgen.cli.terminal import emit
from toolgen.incremental import incremental_builds

INTERVAL = 0.3
"""Seconds between two looks at the sources. Looking works everywhere; events do not reach containers and some disks."""

QUIET = 0.05
"""Seconds without a change before a build: editors write in several steps."""

MOST = 0.5
"""Seconds that a build waits for quiet at most."""


@click.command("watch")
@schemas_argument
@out_option
@provider_option
@format_option
@click.option("--then", metavar="COMMAND", help="Run this after each build that wrote the package.")
@verbosity_options
def command(
    schemas: Path, out: Path | None, providers: tuple[str, ...], form: str, then: str | None, quiet: bool, verbose: bool
) -> None:
    """Build SCHEMAS (default: schemas) now, and again whenever a source changes, until it is interrupted.

    What did not change since the last build is not compiled again. After an error the package stays as it was, and the
    findings are shown again once something else changes. Toolgen itself is not watched: start the command again after an
    update.

    \b
    Example:
      toolgen watch schemas/ --then "pytest -q"
    """
    try:
        arguments = shlex.split(then) if then is not None else []
    except ValueError as error:
        raise click.BadParameter(f"it cannot be split into words: {error}", param_hint="'--then'") from None
    before: dict[str, tuple[int, int]] | None = None
    with incremental_builds() as results:
        while True:
            if before == dict(stamps(os.fspath(schemas))):
                time.sleep(INTERVAL)
                continue
            before = wait_for_quiet(schemas)
            done = build_once(schemas, out, providers, form, quiet=quiet, verbose=verbose)
            if done:
                results.forget_unused()
            if done and arguments:
                run(arguments)
            if not quiet:
                what_next = "Ctrl-C ends it" if done else "the package stays as it was"
                emit(f"watching {schemas}; {what_next}\n", sys.stderr)


def run(arguments: list[str]) -> None:
    """Run a command to its end, and report where it fails."""
    try:
        code = subprocess.run(arguments, check=False).returncode  # noqa: S603 - the user gave it to be run
    except OSError as error:
        emit(f"toolgen: {arguments[0]} cannot be run: {error.strerror}\n", sys.stderr)
    else:
        if code:
            emit(f"toolgen: {arguments[0]} ended with {code}\n", sys.stderr)


def wait_for_quiet(schemas: Path) -> dict[str, tuple[int, int]]:
    """The stamps of the sources once they do not change any more, or have changed for too long to wait."""
    deadline = time.monotonic() + MOST
    found = dict(stamps(os.fspath(schemas)))
    while time.monotonic() < deadline:
        time.sleep(QUIET)
        again = dict(stamps(os.fspath(schemas)))
        if again == found:
            break
        found = again
    return found


def stamps(folder: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """The time and the size of each file below a folder, by its path; what goes away meanwhile is left out."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from stamps(entry.path)
            else:
                info = entry.stat()
                yield entry.path, (info.st_mtime_ns, info.st_size)
        except OSError:
            continue
