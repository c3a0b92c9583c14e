"""`toolgen watch`: build whenever a source or the package changes."""

from __future__ import annotations

import gc
import io
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import click

from toolgen.cli.build import Build, build_package
from toolgen.cli.command_support import Reporter, count_files, summarize_changes
from toolgen.cli.group import format_option, out_option, provider_option, schemas_argument, verbosity_options
from toolgen.cli.terminal import clear_screen, is_screen, write_output
from toolgen.resources import shipped_folder

if TYPE_CHECKING:
    from toolgen.diagnostics import Findings

Stamps: TypeAlias = dict[str, tuple[int, int]]

INTERVAL = 0.3
"""Seconds between two checks of the sources. Polling works everywhere; file events miss containers and some disks."""

EVENT_POLL_INTERVAL = 2
"""Seconds between two checks if there are file events too."""

PAUSE_FACTOR = 50
"""A check of many files is followed by a pause of this many times its processor time, so it takes 2 % of a core."""

QUIET = 0.05
"""Seconds without a change before a build, because editors write in several steps."""

MAX_SETTLE_SECONDS = 0.5
"""Maximum number of seconds that a build waits for the changes to stop."""

RESTART = "toolgen itself has changed: restart needed\n"

Change: TypeAlias = Literal["sources", "toolgen"]
"""What has changed: sources or the package, or the files of toolgen itself."""


@dataclass(slots=True)
class PackageStamps:
    """The folder of the package, once it was written, and the stamps of its files after the last build."""

    folder: Path | None = None
    stamps: Stamps = field(default_factory=dict[str, tuple[int, int]])


class ToolgenFiles:
    """The files of the running toolgen, as they were when it started. An upgrade or a change of branch replaces them."""

    def __init__(self, schemas: Path) -> None:
        """Remember the files. If SCHEMAS are the schemas of a checkout of toolgen itself, they are only sources."""
        own = shipped_folder("schemas")
        is_own = Path(os.path.realpath(schemas)) == own
        shipped = [] if is_own else [own / name for name in ("meta", "format", "providers")]
        self._folders = [Path(__file__).parents[1], shipped_folder("templates"), *shipped]
        self._stamps = self._find_stamps()
        self._next = time.monotonic() + EVENT_POLL_INTERVAL

    def report_change(self) -> bool:
        """Return whether a file has changed since the start, but only once. Look at the files only now and then."""
        if not self._folders or time.monotonic() < self._next:
            return False
        changed = self._find_stamps() != self._stamps
        self._next = time.monotonic() + EVENT_POLL_INTERVAL
        if changed:
            self._folders = []
        return changed

    def _find_stamps(self) -> Stamps:
        return {path: stamp for folder in self._folders for path, stamp in file_stamps(folder).items()}


@click.command("watch")
@schemas_argument
@out_option
@provider_option
@format_option
@click.option("--then", "after_build", metavar="COMMAND", help="Run this command after each successful build.")
@click.option(
    "--poll", is_flag=True, help="Poll for changes instead of using file system events, which some containers lack."
)
@click.option("--full", is_flag=True, help="Build everything from scratch each time, without reusing results.")
@verbosity_options
def command(
    schemas: Path,
    out: Path | None,
    providers: tuple[str, ...],
    after_build: str | None,
    poll: bool,
    full: bool,
    reporter: Reporter,
) -> None:
    """Build SCHEMAS again whenever a source or the package changes.

    Runs until you interrupt it. Only what changed since the last build is compiled again. If there is an error, the
    package stays unchanged, and the findings are shown again after the next change. With `--format json`, each build
    prints one line: an object with `built`, `output`, `files` and `findings`.

    If the files of toolgen itself change, such as after an upgrade, the command says once that a restart is needed
    (in JSON the line `{"restart_needed": true}`). Until then, builds may mix the old and the new version.

    Changes are found by looking at the files. With `toolgen[watch]` installed, events of the disk start a build sooner.

    \b
    Example:
      toolgen watch schemas/ --then "pytest -q"
    """
    from toolgen.diagnostics import Findings
    from toolgen.remembered_steps import RememberedSteps

    try:
        arguments = shlex.split(after_build) if after_build is not None else []
    except ValueError as error:
        raise click.BadParameter(f"not a valid command line: {error}", param_hint="'--then'") from None
    package = PackageStamps()
    failed = outdated = False
    remembered = RememberedSteps()
    with without_garbage_collection():
        for change in iterate_changes(schemas, package, poll=poll):
            if change == "toolgen":
                outdated = True
                report_restart_needed(reporter)
                continue
            findings = Findings()
            steps = None if full else remembered
            build = build_package(schemas, out, providers, findings, quiet=reporter.quiet, steps=steps)
            if build is not None:
                remembered.forget_unused()
                package.folder = build.output.folder
            package.stamps = file_stamps(package.folder)
            report_build(build, findings, reporter, outdated=outdated)
            reporter.say(build_message(schemas, build, failed))
            failed = build is None
            if build is not None and arguments:
                run_command(arguments)
            gc.collect()
            if build is not None and not gc.get_freeze_count():
                gc.freeze()  # later builds reuse nearly all of this, so that it need not be examined after each of them


def report_build(build: Build | None, findings: Findings, reporter: Reporter, *, outdated: bool) -> None:
    """Print the findings of a build on a clear screen. If toolgen itself is `outdated`, that stays there."""
    if reporter.output_format == "json":
        write_output(event_line(build, findings, reporter), sys.stdout)
        return
    clear_screen(sys.stderr)
    if outdated and is_screen(sys.stderr):
        report_restart_needed(reporter)
    reporter.print_findings(findings)


def build_message(schemas: Path, build: Build | None, failed: bool) -> str:
    """Return a message about a build and what comes next. `failed` means that the build before it failed."""
    if build is None:
        return f"watching {schemas}; the package is unchanged\n"
    fixed = "errors fixed; " if failed else ""
    return f"{summarize_changes(build.output, build.changes)}watching {schemas}; {fixed}press Ctrl-C to stop\n"


def event_line(build: Build | None, findings: Findings, reporter: Reporter) -> str:
    """Return a build as one line of JSON, for programs that follow it."""
    text = io.StringIO()
    reporter.print_findings(findings, stream=text)
    event = {
        "built": build is not None,
        "output": build.output.name if build is not None else None,
        "files": count_files(build.changes) if build is not None else None,
        "findings": json.loads(text.getvalue()),
    }
    return json.dumps(event) + "\n"


def report_restart_needed(reporter: Reporter) -> None:
    """Say that toolgen itself has changed."""
    if reporter.output_format == "json":
        write_output(json.dumps({"restart_needed": True}) + "\n", sys.stdout)
    else:
        reporter.say(RESTART)


def run_command(arguments: list[str]) -> None:
    """Run a command until it ends, and report if it fails."""
    try:
        code = subprocess.run(arguments, check=False).returncode  # noqa: S603 - the command comes from the user
    except OSError as error:
        write_output(f"toolgen: cannot run {arguments[0]}: {error.strerror}\n", sys.stderr)
    else:
        if code:
            write_output(f"toolgen: {arguments[0]} exited with {code}\n", sys.stderr)


def iterate_changes(schemas: Path, package: PackageStamps, *, poll: bool) -> Iterator[Change]:
    """Yield when a build is due: at once, and then when a source or the package has changed and is quiet again."""
    built_stamps: Stamps | None = None
    own = ToolgenFiles(schemas)
    poll = poll or find_spec("watchfiles") is None
    for is_quiet in tick_at_intervals() if poll else watch_events(schemas):
        began = time.process_time()
        if own.report_change():
            yield "toolgen"
        stamps = file_stamps(schemas)
        if stamps != built_stamps or package.stamps != file_stamps(package.folder):
            built_stamps = stamps if is_quiet else wait_for_quiet(schemas)
            yield "sources"
        elif poll:
            time.sleep(PAUSE_FACTOR * (time.process_time() - began))


def tick_at_intervals() -> Iterator[bool]:
    """Yield whenever the sources should be checked. The value is False: they may still be changing."""
    while True:
        yield False
        time.sleep(INTERVAL)


def watch_events(schemas: Path) -> Iterator[bool]:
    """Yield when file events report a change of the sources, and now and then in between.

    The value is whether the changes have stopped. If there are no file events, falls back to `tick_at_intervals`.
    """
    yield False
    try:
        from watchfiles import watch

        watched = watch(
            schemas,
            watch_filter=None,
            debounce=round(MAX_SETTLE_SECONDS * 1000),
            step=round(QUIET * 1000),
            rust_timeout=EVENT_POLL_INTERVAL * 1000,
            yield_on_timeout=True,
        )
        for changes in watched:
            yield bool(changes)
    except OSError:  # the folder is missing, or the system has no file watches left
        yield from tick_at_intervals()


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Disable automatic garbage collection, which would double the time of a large build. The caller does it later."""
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.enable()


def wait_for_quiet(schemas: Path) -> Stamps:
    """Return the stamps of the sources, once they stop changing or have been changing for too long."""
    deadline = time.monotonic() + MAX_SETTLE_SECONDS
    stamps = file_stamps(schemas)
    while time.monotonic() < deadline:
        time.sleep(QUIET)
        earlier, stamps = stamps, file_stamps(schemas)
        if stamps == earlier:
            break
    return stamps


def file_stamps(folder: Path | None) -> Stamps:
    """Return the time and size of each file below a folder, by path; nothing if the folder does not exist."""
    return {} if folder is None else dict(_stamps(os.fspath(folder)))


def _stamps(folder: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the stamps of files, except for those in hidden folders, Python's compiled modules, and what vanishes meanwhile."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            if not entry.is_dir(follow_symlinks=False):
                info = entry.stat()
                yield entry.path, (info.st_mtime_ns, info.st_size)
            elif entry.name != "__pycache__" and not entry.name.startswith("."):
                yield from _stamps(entry.path)
        except OSError:
            continue
