"""`toolgen watch`: build whenever a source or the package changes."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from toolgen.cli.build import Build, build_package
from toolgen.cli.group import format_option, out_option, provider_option, schemas_argument, verbosity_options
from toolgen.cli.terminal import emit, report
from toolgen.incremental import incremental_builds

if TYPE_CHECKING:
    from toolgen.diagnostics import Findings

Stamps: TypeAlias = dict[str, tuple[int, int]]

INTERVAL = 0.3
"""Seconds between two checks of the sources. Polling works everywhere; file events miss containers and some disks."""

QUIET = 0.05
"""Seconds without a change before a build, because editors write in several steps."""

MOST = 0.5
"""Seconds that a build waits for quiet at most."""


@click.command("watch")
@schemas_argument
@out_option
@provider_option
@format_option
@click.option("--then", metavar="COMMAND", help="Run this command after each build that wrote the package.")
@verbosity_options
def command(
    schemas: Path, out: Path | None, providers: tuple[str, ...], form: str, then: str | None, quiet: bool, verbose: bool
) -> None:
    """Build SCHEMAS again whenever a source or the package changes.

    Runs until you interrupt it. Only what changed since the last build is compiled again. If there is an error, the
    package stays unchanged, and the findings are shown again after the next change. With `--format json`, each build
    prints one line: an object with `built`, `output`, `files` and `findings`. The command does not watch toolgen
    itself, so restart it after an update.

    \b
    Example:
      toolgen watch schemas/ --then "pytest -q"
    """
    from toolgen.diagnostics import Findings

    try:
        arguments = shlex.split(then) if then is not None else []
    except ValueError as error:
        raise click.BadParameter(f"not a valid command line: {error}", param_hint="'--then'") from None
    output: Path | None = None
    package: Stamps = {}
    sources: Stamps | None = None
    failed = False
    with incremental_builds() as results:
        while True:
            if sources == stamps_of(schemas) and package == stamps_of(output):
                time.sleep(INTERVAL)
                continue
            sources = wait_for_quiet(schemas)
            findings = Findings()
            done = build_package(schemas, out, providers, findings, quiet=quiet)
            if done is not None:
                results.forget_unused()
                output = done.output.folder
            package = stamps_of(output)
            if form == "json":
                emit(event_line(done, findings, quiet=quiet, verbose=verbose), sys.stdout)
            else:
                report(findings, form, quiet=quiet, verbose=verbose)
            if not quiet:
                emit(outcome(schemas, done, failed), sys.stderr)
            failed = done is None
            if done is not None and arguments:
                run(arguments)


def outcome(schemas: Path, done: Build | None, failed: bool) -> str:
    """Report what a build did and what comes next. `failed` tells whether the build before it failed."""
    if done is None:
        return f"watching {schemas}; the package is unchanged\n"
    fixed = "errors fixed; " if failed else ""
    return f"{done.summary()}watching {schemas}; {fixed}press Ctrl-C to stop\n"


def event_line(done: Build | None, findings: Findings, *, quiet: bool, verbose: bool) -> str:
    """A build as one line of JSON, for programs that follow it."""
    text = io.StringIO()
    report(findings, "json", quiet=quiet, verbose=verbose, stream=text)
    event = {
        "built": done is not None,
        "output": done.output.name if done is not None else None,
        "files": done.counts() if done is not None else None,
        "findings": json.loads(text.getvalue()),
    }
    return json.dumps(event) + "\n"


def run(arguments: list[str]) -> None:
    """Run a command to its end, and report if it fails."""
    try:
        code = subprocess.run(arguments, check=False).returncode  # noqa: S603 - the user gave it to be run
    except OSError as error:
        emit(f"toolgen: cannot run {arguments[0]}: {error.strerror}\n", sys.stderr)
    else:
        if code:
            emit(f"toolgen: {arguments[0]} exited with {code}\n", sys.stderr)


def wait_for_quiet(schemas: Path) -> Stamps:
    """The stamps of the sources, once they stop changing or have been changing for too long."""
    deadline = time.monotonic() + MOST
    found = stamps_of(schemas)
    while time.monotonic() < deadline:
        time.sleep(QUIET)
        again = stamps_of(schemas)
        if again == found:
            break
        found = again
    return found


def stamps_of(folder: Path | None) -> Stamps:
    """The time and size of each file below a folder, by path; nothing if the folder does not exist."""
    return {} if folder is None else dict(_stamps(os.fspath(folder)))


def _stamps(folder: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Files that vanish meanwhile are left out, and so are Python's caches of imported modules."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            if not entry.is_dir(follow_symlinks=False):
                info = entry.stat()
                yield entry.path, (info.st_mtime_ns, info.st_size)
            elif entry.name != "__pycache__":
                yield from _stamps(entry.path)
        except OSError:
            continue
