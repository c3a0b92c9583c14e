"""The process of a command: exit codes, what it reports, signals, the progress bar, and the build record."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path, PurePosixPath
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TextIO

from toolgen.cli.terminal import is_screen, paint, write_output

if TYPE_CHECKING:
    from toolgen.compilation import Compilation
    from toolgen.diagnostics import Findings
    from toolgen.pipeline import Progress, Steps
    from toolgen.write import Changes, Drift, Lock, RequestedOutput

EXIT_OK, EXIT_FINDINGS, EXIT_ERROR = 0, 1, 2
"""Exit codes: success; successful, but with findings; the sources or the arguments are wrong."""


class Reporter(NamedTuple):
    """How a command reports: the format of its findings, only errors if `quiet`, and notes too if `verbose`."""

    output_format: str = "text"
    quiet: bool = False
    verbose: bool = False

    @property
    def _levels(self) -> tuple[str, ...]:
        if self.quiet:
            return ("error",)
        return ("error", "warning", "note") if self.verbose else ("error", "warning")

    def say(self, text: str) -> None:
        """Print text for people, unless the command is quiet."""
        if not self.quiet:
            write_output(text, sys.stderr)

    def print_findings(self, findings: Findings, stream: TextIO | None = None) -> str:
        """Print errors and warnings, and notes if `verbose`. Return what was printed, with its colors.

        If there are errors, text output has only the warnings of the same files, which may explain them, and counts the
        others. Documents for programs go to stdout, all other forms to stderr, and everything to `stream` if it is given.
        """
        from toolgen.diagnostics.formatters import DOCUMENT_FORMATS, FORMATTERS, format_as_text

        is_text, is_document = self.output_format == "text", self.output_format in DOCUMENT_FORMATS
        shown = [finding for finding in findings if finding.level in self._levels]
        faulty_files = {finding.span.path for finding in shown if finding.level == "error"}
        hidden_count = 0
        if faulty_files and is_text and not self.verbose:
            in_faulty_files = [finding for finding in shown if finding.span.path in faulty_files]
            shown, hidden_count = in_faulty_files, len(shown) - len(in_faulty_files)
        text = ""
        if is_text:
            text = format_as_text(shown, findings.texts, paint=paint)
        elif shown or is_document:
            text = FORMATTERS[self.output_format](shown, findings.texts)
        if hidden_count:
            text += (
                f"and {hidden_count} warning{'s' if hidden_count != 1 else ''} in files without errors; -v shows all\n"
            )
        if text:
            write_output(text, stream or (sys.stdout if is_document else sys.stderr), painted=is_text)
        return text

    def fail(self, findings: Findings) -> NoReturn:
        """Print findings, and end the process because of an error among them."""
        self.print_findings(findings)
        sys.exit(EXIT_ERROR)

    def fail_to_change(self, error: OSError) -> NoReturn:
        """Report that a source could not be changed, and end the process."""
        from toolgen.diagnostics import Findings, Span
        from toolgen.write.output_path import display_path, report_os_error

        findings = Findings()
        report_os_error(error, None, Span(display_path(str(error.filename))), findings, action="changed")
        self.fail(findings)


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


STEP_PERCENTAGES = {"read": 15, "resolved": 35, "rendered": 40, "written": 10}
"""The steps of a build, and the share of each in percent for a thousand tools. The name says what was done."""

PROGRESS_MIN_TOOLS = 50
"""The number of tools from which a progress bar is shown."""


@contextmanager
def progress(*, quiet: bool) -> Iterator[Progress]:
    """Yield a callback for a build to call after each step, which draws a bar on a terminal if there are many tools.

    The bar is removed before anything else is printed. The callback also handles a signal that Python dropped.
    """
    if quiet or not is_screen(sys.stderr):
        yield _check_signals
        return
    import click

    bar = click.progressbar(length=sum(STEP_PERCENTAGES.values()), label="toolgen", file=sys.stderr, show_eta=False)
    drawn = False

    def step(name: str, tools: int) -> None:
        nonlocal drawn
        _check_signals(name, tools)
        if tools >= PROGRESS_MIN_TOOLS:
            drawn = True
            bar.update(STEP_PERCENTAGES[name])

    try:
        yield step
    finally:
        if drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _check_signals(name: str, _: int) -> None:
    """Stop after a step if a signal arrived. Once the package is written, it is too late to stop."""
    if name != "written":
        raise_if_stopped()


def count_files(changes: Changes) -> dict[str, int]:
    """Count the files that were created, changed, deleted and left unchanged."""
    return {kind: len(getattr(changes, kind)) for kind in ("created", "changed", "deleted", "unchanged")}


def summarize_changes(output: RequestedOutput, changes: Changes) -> str:
    """Summarize in one line what was written."""
    from toolgen.write.output_path import display_path

    counts = ", ".join(f"{count} {kind}" for kind, count in count_files(changes).items() if count)
    return f"{display_path(output.name)}: {counts}\n"


def write_or_check_then_exit(
    files: Mapping[str, str],
    output: RequestedOutput,
    lock: Lock,
    findings: Findings,
    reporter: Reporter,
    *,
    check: bool,
    force: bool,
) -> NoReturn:
    """Write files as a build does, or only check them; print the findings and a summary; end the process.

    `findings` are printed with those of writing.
    """
    from toolgen.write import find_drift, write_package

    if check:
        drift = find_drift(files, output, lock, findings)
        is_stale = drift.is_out_of_date
        summary = out_of_date(output, drift) if is_stale else ""
    else:
        changes = write_package(files, output, lock, findings, force=force)
        is_stale = False
        summary = summarize_changes(output, changes) if changes is not None else ""
    reporter.print_findings(findings)
    if findings.has_errors:
        sys.exit(EXIT_ERROR)
    reporter.say(summary)
    sys.exit(EXIT_FINDINGS if is_stale else EXIT_OK)


def out_of_date(output: RequestedOutput, drift: Drift) -> str:
    """Say in one line which command brings an output up to date."""
    from toolgen.write.output_path import display_path

    return f"{display_path(output.name)}: out of date; run `{output.command}{drift.force_option}`\n"


def format_command(name: str, schemas: Path, out: Path | None) -> str:
    """Return a command with the folders that were given, for messages."""
    import shlex

    from toolgen.write.output_path import display_path

    words = ["toolgen", name]
    if schemas != Path("schemas"):
        words.append(schemas.as_posix())
    if out is not None:
        words += ["--out", out.as_posix()]
    return display_path(shlex.join(words))


def output_folder(schemas: Path, out: Path | None, configured: str | None) -> Path:
    """Return the folder of the package: from the option, the configuration, or `generated` next to SCHEMAS."""
    if out is not None:
        return out
    parent = schemas / ".." if schemas.name in ("", "..") else schemas.parent
    return parent / (configured or "generated")


def import_path(output: Path, schemas: Path) -> str:
    """Return the dotted name by which an app imports the package in a folder, which need not exist yet.

    If it is inside another package, the name begins with the outermost folder that has an `__init__.py`, as for pytest
    and mypy. Otherwise it begins below the nearest folder that is named `src`, has a pyproject.toml, contains SCHEMAS, or
    has a name that cannot be imported.
    """
    package, project = Path(os.path.realpath(output)), Path(os.path.realpath(schemas)).parent

    def is_namespace(folder: Path) -> bool:
        is_root = folder == project or folder.name == "src" or (folder / "pyproject.toml").exists()
        return folder.name.isidentifier() and not is_root

    parents = list(takewhile(lambda folder: (folder / "__init__.py").exists(), package.parents))
    parents = parents or list(takewhile(is_namespace, package.parents))
    return ".".join([*(folder.name for folder in reversed(parents)), package.name])


def package_output(built: Compilation, out: Path | None) -> RequestedOutput:
    """Return the output for a package: in the folder from the command line, or else where the configuration puts it."""
    folder = output_folder(built.schemas, out, built.config.out)
    return built.output_at(folder, format_command("build", built.schemas, out), is_configured=out is None)


def package_digests(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the SHA-256 of each file of a package, by path."""
    from hashlib import sha256

    return {path: sha256(text.encode("utf-8")).hexdigest() for path, text in texts.items()}


def report_move(built: Compilation, output: RequestedOutput, findings: Findings) -> None:
    """Report that the configuration has moved the package away from where an earlier build wrote it."""
    from toolgen.write.moved_output import report_moved_output

    tools = [tool.name for tool in built.project.catalog.tools]
    report_moved_output(output, output_folder(built.schemas, None, None), tools, findings)


def save_build_record(
    built: Compilation,
    output: RequestedOutput,
    texts: Mapping[str, str],
    out: Path | None,
    reported: str,
    findings: Findings,
    *,
    is_build: bool = True,
) -> str:
    """Record what this build or check read, so that the next one can skip work. Return the reason if that fails, else "".

    Nothing is recorded while an old package is left behind: a record does not notice that it was deleted.

    `texts` are the files of the package, `out` is the folder from the command line, and `reported` those of the findings
    that were printed. A check does not write the schemas for editors, so a build after it skips nothing.
    """
    from toolgen.build_record import save_record
    from toolgen.write.moved_output import PACKAGE_MOVED
    from toolgen.write.output_path import display_path

    if any(finding.code == PACKAGE_MOVED for finding in findings):
        return ""
    name = display_path(output.name)
    return save_record(
        str(built.schemas),
        None if out is None else str(out),
        str(output.folder),
        build_output=f"{reported}{name}: {len(texts)} unchanged\n" if is_build else "",
        check_output=f"{reported}{name}: up to date with {built.sources.name}\n",
        sources=built.sources.digests,
        files=package_digests(texts),
    )


def compile_adding_built_providers(
    schemas: Path,
    out: Path | None,
    providers: Sequence[str],
    findings: Findings,
    progress: Progress,
    steps: Steps | None = None,
) -> Compilation | None:
    """Compile a project for the given providers, and for those that its package already has."""
    from toolgen.compilation import compile_project
    from toolgen.diagnostics import Findings
    from toolgen.pipeline import ALL_STEPS, resolve_project

    steps = steps or ALL_STEPS
    project = resolve_project(schemas, Findings(), providers, steps=steps) if providers else None
    if project is not None:
        shipped_or_own = {PurePosixPath(document.source).stem for document in project.sources.providers}
        folder = output_folder(schemas, out, project.config.out) / "providers"
        built = {file.stem for file in folder.glob("[a-z]*.py")} if folder.is_dir() else set[str]()
        providers = (*providers, *sorted((built & shipped_or_own) - set(providers)))
    return compile_project(schemas, findings, providers, progress, steps)
