"""`toolgen check`: check whether the package is up to date with its sources."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolgen.cli.command_support import (
    EXIT_ERROR,
    EXIT_FINDINGS,
    EXIT_OK,
    Reporter,
    compile_adding_built_providers,
    package_digests,
    package_output,
    progress,
    report_move,
    save_build_record,
)
from toolgen.cli.group import format_option, out_option, provider_option, schemas_argument, verbosity_options
from toolgen.cli.terminal import paint_diff, write_output

if TYPE_CHECKING:
    from toolgen.write import RequestedOutput
    from toolgen.write.drift import Drift


@click.command("check")
@schemas_argument
@out_option
@provider_option
@format_option
@verbosity_options
def command(schemas: Path, out: Path | None, providers: tuple[str, ...], reporter: Reporter) -> None:
    """Check that the package is up to date.

    Prints what a build would change, and writes nothing. In the formats for programs, each file that differs is a
    finding. Use `--provider` if the package was built with it. Then the other providers of the package are checked too.

    \b
    Example:
      toolgen check schemas/ || echo "run: toolgen build schemas/"
    """
    from toolgen.build_record import save_written
    from toolgen.diagnostics import Findings, Span
    from toolgen.diagnostics.finding import RawText
    from toolgen.diagnostics.formatters import DOCUMENT_FORMATS
    from toolgen.write import find_drift
    from toolgen.write.output_path import display_path

    findings = Findings()
    with progress(quiet=reporter.quiet) as step:
        built = compile_adding_built_providers(schemas, out, providers, findings, step)
    if built is None:
        reporter.fail(findings)
    output = package_output(built, out)
    drift = find_drift(built.files, output, built.lock, findings)
    failed = findings.has_errors
    if out is None:
        report_move(built, output, findings)
    hint = _hint(drift, output)
    if reporter.output_format != "text":  # the text and the diff below tell people the same
        for path, problem in drift.problems(output.name):
            findings.add("package-out-of-date", Span(path), hint=hint, problem=RawText(problem))
    reported = reporter.print_findings(findings)
    if failed:
        sys.exit(EXIT_ERROR)
    if drift.fails_check:
        diff = "" if drift.is_absent else paint_diff(drift.diff)
        text = "".join(f"{line}\n" for line in drift.messages(output.name)) + diff
        write_output(text, sys.stderr if reporter.output_format in DOCUMENT_FORMATS else sys.stdout, painted=True)
        reporter.say(f"{display_path(output.name)}: out of date with {built.sources.name}; {hint}\n")
        sys.exit(EXIT_FINDINGS)
    save_written(str(output.folder), package_digests(drift.files))
    reporter.say(f"{display_path(output.name)}: up to date with {built.sources.name}\n")
    if drift.version:
        reporter.say(f"note: {drift.version}; the next change of a source updates it\n")
    if reporter == Reporter() and not providers:
        reason = save_build_record(built, output, drift.files, out, reported, findings, is_build=False)
        if reason:
            reporter.say(f"the result of this check cannot be cached, so the next check is as slow: {reason}\n")
    sys.exit(EXIT_OK)


def _hint(drift: Drift, output: RequestedOutput) -> str:
    """Return what to do about a package that differs; empty if it does not."""
    advice = []
    if drift.is_out_of_date:
        advice.append(f"run `{output.command}{drift.force_option}`")
    if drift.unmanaged or drift.blocked:
        advice.append("move away the files that toolgen did not write")
    return ", and ".join(advice)
