"""The process of a command: exit codes, signals, the progress bar, and the build record."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import PurePosixPath
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from toolgen.cli.terminal import is_screen, write_output

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.compilation import Compilation
    from toolgen.diagnostics import Findings
    from toolgen.pipeline import Progress
    from toolgen.write import Changes, Drift, RequestedOutput, Stamp

EXIT_OK, EXIT_FINDINGS, EXIT_ERROR = 0, 1, 2
"""Exit codes: success; successful, but with findings; the sources or the arguments are wrong."""


def fail_with_findings(findings: Findings, output_format: str, *, quiet: bool, verbose: bool) -> NoReturn:
    """Print findings, and end the process because of an error among them."""
    from toolgen.cli.terminal import print_findings

    print_findings(findings, output_format, quiet=quiet, verbose=verbose)
    sys.exit(EXIT_ERROR)


def fail_to_change(error: OSError, output_format: str, *, quiet: bool, verbose: bool) -> NoReturn:
    """Report that a source could not be changed, and end the process."""
    from toolgen.diagnostics import Findings, Span
    from toolgen.write.output_path import display_path, report_os_error

    findings = Findings()
    report_os_error(error, None, Span(display_path(str(error.filename))), findings, action="changed")
    fail_with_findings(findings, output_format, quiet=quiet, verbose=verbose)


_STOPS = ("SIGINT", "SIGTERM", "SIGHUP")


class _Stopped(SystemExit):
    """Ends the process. It is not an `Exception`, so handlers let it pass and every context manager cleans up."""


_arrived_signals: list[int] = []
"""The numbers of the signals that arrived."""


@contextmanager
def stop_on_signals() -> Iterator[None]:
    """Let a signal end the block. A signal that something else handles or ignores, as under `nohup`, is left alone.

    If a signal arrived, the process ends as that signal demands, even if another exception replaced `_Stopped`.
    """
    for name in _STOPS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)
    try:
        yield
    except BaseException as raised:
        if not _arrived_signals or (isinstance(raised, SystemExit) and not raised.code):
            raise
        write_output("toolgen: interrupted\n", sys.stderr)
        sys.exit(128 + _arrived_signals[0])


def raise_if_stopped() -> None:
    """Stop if a signal arrived but raised nothing: Python drops exceptions of finalizers and weak references."""
    if _arrived_signals:
        raise _Stopped(128 + _arrived_signals[0])


def _stop(number: int, _: FrameType | None) -> NoReturn:
    _arrived_signals.append(number)
    raise _Stopped(128 + number)


class OutputMode(NamedTuple):
    """How a command writes its files: what its options say."""

    check: bool
    force: bool
    output_format: str = "text"
    quiet: bool = False
    verbose: bool = False


STEP_PERCENTAGES = {"read": 15, "linked": 35, "rendered": 40, "written": 10}
"""The steps of a build, and the share of each in percent for a thousand tools. The name says what was done."""

PROGRESS_MIN_TOOLS = 50
"""The number of tools from which a progress bar is shown."""


@contextmanager
def progress(*, quiet: bool) -> Iterator[Progress]:
    """Yield a callback for a build to call after each step, which draws a bar on a terminal if there are many tools.

    The bar is removed before anything else is printed. The callback also handles a signal that Python dropped.
    """
    if quiet or not is_screen(sys.stderr):
        yield _no_bar
        return
    import click

    bar = click.progressbar(length=sum(STEP_PERCENTAGES.values()), label="toolgen", file=sys.stderr, show_eta=False)
    drawn = False

    def step(name: str, tools: int) -> None:
        nonlocal drawn
        _no_bar(name, tools)
        if tools >= PROGRESS_MIN_TOOLS:
            drawn = True
            bar.update(STEP_PERCENTAGES[name])

    try:
        yield step
    finally:
        if drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _no_bar(name: str, _: int) -> None:
    if name != "written":
        raise_if_stopped()


def count_files(changes: Changes) -> dict[str, int]:
    """Count the files that were created, changed, deleted and left unchanged."""
    return {word: len(getattr(changes, word)) for word in ("created", "changed", "deleted", "unchanged")}


def summarize_changes(output: RequestedOutput, changes: Changes) -> str:
    """Summarize in one line what was written."""
    from toolgen.write.output_path import display_path

    said = ", ".join(f"{count} {word}" for word, count in count_files(changes).items() if count)
    return f"{display_path(output.name)}: {said}\n"


def write_or_check_then_exit(
    files: Mapping[str, str], output: RequestedOutput, lock_facts: Stamp, findings: Findings, mode: OutputMode
) -> NoReturn:
    """Write files as a build does, or only check them; print the findings and a summary; end the process.

    `findings` are printed with those of writing.
    """
    from toolgen.cli.terminal import print_findings
    from toolgen.write import find_drift, write_package

    if mode.check:
        drift = find_drift(files, output, lock_facts, findings)
        stale = drift.is_out_of_date
        said = out_of_date(output, drift) if stale else ""
    else:
        changes = write_package(files, output, lock_facts, findings, force=mode.force)
        stale, said = False, summarize_changes(output, changes) if changes is not None else ""
    print_findings(findings, mode.output_format, quiet=mode.quiet, verbose=mode.verbose)
    if findings.has_errors:
        sys.exit(EXIT_ERROR)
    if not mode.quiet:
        write_output(said, sys.stderr)
    sys.exit(EXIT_FINDINGS if stale else EXIT_OK)


def out_of_date(output: RequestedOutput, drift: Drift) -> str:
    """Say in one line which command brings an output up to date."""
    from toolgen.write.output_path import display_path

    return f"{display_path(output.name)}: out of date; run `{output.command}{drift.force_option}`\n"


def package_output(built: Compilation, schemas: Path, out: Path | None) -> RequestedOutput:
    """Return the output for a package: in the folder from the command line, or else where the configuration puts it."""
    from toolgen.cli.group import format_command, output_folder

    folder, command = output_folder(schemas, out, built.config.out), format_command("build", schemas, out)
    return built.output_at(folder, command, is_configured=out is None)


def save_build_record(
    built: Compilation, output: RequestedOutput, texts: Mapping[str, str], out: Path | None, reported: str
) -> str:
    """Record what this build or check read, so that the next one can skip work. Return the reason if that fails.

    `texts` are the files of the package, `out` is the folder from the command line, and `reported` the findings that
    were printed.
    """
    from hashlib import sha256

    from toolgen.build_cache import save_record
    from toolgen.write.output_path import display_path

    said = (
        f"{reported}{display_path(output.name)}: {len(texts)} unchanged\n",
        f"{reported}{display_path(output.name)}: up to date with {built.sources.name}\n",
    )
    digests = {path: sha256(text.encode("utf-8")).hexdigest() for path, text in texts.items()}
    given = None if out is None else str(out)
    return save_record(str(built.schemas), given, str(output.folder), said, built.lock_facts.sources, digests)


def compile_adding_built_providers(
    schemas: Path,
    out: Path | None,
    providers: Sequence[str],
    findings: Findings,
    progress: Progress,
    *,
    incremental: bool = True,
) -> Compilation | None:
    """Compile a project for the given providers, and for those that its package already has.

    Stored results are used, and those of this build are stored, only if `incremental`.
    """
    from toolgen.cli.group import output_folder
    from toolgen.compilation import compile_project
    from toolgen.diagnostics import Findings
    from toolgen.incremental import stored_results

    said = Findings()
    stored = stored_results(str(schemas), None if out is None else str(out))
    with stored if incremental else nullcontext(_store_nothing) as save:
        built = compile_project(schemas, said, providers, progress)
        if built is not None and providers:
            known = {PurePosixPath(document.source).stem for document in built.sources.providers}
            folder = output_folder(schemas, out, built.config.out) / "providers"
            there = {file.stem for file in folder.glob("[a-z]*.py")} if folder.is_dir() else set[str]()
            more = sorted((there & known) - set(providers))
            if more:
                said = Findings()
                built = compile_project(schemas, said, (*providers, *more))
        if built is not None:
            save()
    findings.items += said.items
    findings.texts |= said.texts
    return built


def _store_nothing() -> None:
    """Keep nothing for later builds."""
