"""`toolgen lint`: report problems in declarations and what providers lose of them, or apply fixes with `--fix`."""

from __future__ import annotations

import difflib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolgen.cli.command_support import EXIT_ERROR, EXIT_FINDINGS, EXIT_OK, Reporter, progress
from toolgen.cli.group import format_option, provider_option, schemas_argument
from toolgen.cli.terminal import paint, paint_diff, write_output

if TYPE_CHECKING:
    from toolgen.compilation import LintResult
    from toolgen.diagnostics import Finding, Findings


@click.command("lint")
@schemas_argument
@provider_option
@format_option
@click.option("--fix", is_flag=True, help="Fix the sources where the fix does not change their meaning.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, without changing anything.")
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="With --fix or --diff: also apply fixes that change what models read. Review the result.",
)
@click.option("-v", "--verbose", is_flag=True, help="Show every finding, and the size of each payload.")
@click.option("-q", "--quiet", is_flag=True, help="Show only errors.")
def command(
    schemas: Path,
    providers: tuple[str, ...],
    output_format: str,
    fix: bool,
    diff: bool,
    unsafe_fixes: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Report problems in SCHEMAS, and what each provider loses.

    Only `--fix` writes anything. It adds types to enums, replaces unions of one by their branch, and removes null
    defaults and suppressions that have no effect. It keeps comments and order. Payloads may change, but the schemas
    accept the same values. `--unsafe-fixes` also removes invisible characters from texts.

    Exits with 1 if a finding is an error, or if `--diff` shows a change, and with 2 if a build would reject the
    sources. `toolgen explain CODE` explains a finding.

    \b
    Example:
      toolgen lint schemas/ --format github
    """
    from toolgen.compilation import lint_project
    from toolgen.diagnostics import Findings
    from toolgen.diagnostics.formatters import DOCUMENT_FORMATS

    reporter = Reporter(output_format, quiet, verbose)
    if unsafe_fixes and not (fix or diff):
        raise click.UsageError("--unsafe-fixes needs --fix or --diff")
    if fix or diff:
        try:
            fixed = fix_all(schemas, providers, write=not diff, unsafe=unsafe_fixes)
        except OSError as error:
            reporter.fail_to_change(error)
        write_output(paint_diff(fixed.diff) if diff else "", sys.stdout, painted=True)
        reporter.say(_fixes_summary(fixed, diff=diff))
        if diff and not fixed.refused:
            sys.exit(EXIT_FINDINGS if fixed.count else EXIT_OK)
    findings = Findings()
    with progress(quiet=quiet) as step:
        linted = lint_project(schemas, findings, providers, step)
    if linted is not None and output_format == "sarif":
        findings = attach_fixes(findings, linted)
    _print_findings(findings, reporter)
    if linted is None:
        sys.exit(EXIT_ERROR)
    if verbose:
        write_output(_table(linted.sizes), sys.stderr if output_format in DOCUMENT_FORMATS else sys.stdout)
    if output_format == "text":
        reporter.say(_summary(schemas, linted.tools, findings, verbose=verbose))
    sys.exit(EXIT_FINDINGS if findings.has_errors else EXIT_OK)


def _print_findings(findings: Findings, reporter: Reporter) -> None:
    """Print the findings. In the format for people, those of one code are limited, unless all are requested."""
    from toolgen.diagnostics.formatters import format_as_text

    if reporter.output_format != "text":
        reporter._replace(verbose=True).print_findings(findings)
    elif reporter.verbose and not reporter.quiet:
        text = format_as_text(findings, findings.texts, len(findings.items), paint)
        write_output(text, sys.stderr, painted=True)
    else:
        shown = [each for each in _select_shown(findings) if each.level == "error" or not reporter.quiet]
        write_output(format_as_text(shown, findings.texts, paint=paint), sys.stderr, painted=True)


def _fixes_summary(fixed: FixResult, *, diff: bool) -> str:
    """Return the number of fixed findings, and why others are left."""
    text = f"{fixed.count} {'would be ' if diff else ''}fixed\n"
    if fixed.refused:
        text += "fixes need sources that a build accepts; correct the errors first\n"
    elif fixed.unfixable:
        text += f"{fixed.unfixable} left, because a fix would change more than the finding\n"
    return text


_SHOWN = 3
"""The number of warnings and notes of one code that are shown."""

_SUBJECTS = 5
"""The number of texts that the findings of one code are about, such as names of parameters, that are listed."""


def _select_shown(findings: Findings) -> list[Finding]:
    """Return all errors, and the first few findings of each other code. If some are left out, they are sorted by code."""
    from toolgen.diagnostics.formatters import RANK

    counts: Counter[str] = Counter()
    shown = []
    for finding in findings:
        counts[finding.code] += 1
        if finding.level == "error" or counts[finding.code] <= _SHOWN:
            shown.append(finding)
    if len(shown) < counts.total():
        shown.sort(key=lambda finding: (RANK[finding.level], -counts[finding.code], finding.code))
    return shown


def _summary(schemas: Path, tools: int, findings: Findings, *, verbose: bool) -> str:
    """Return the number of findings by level, and by code if some are not shown, with what they are about."""
    from toolgen.diagnostics.formatters import count_by_level

    by_code: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        by_code.setdefault((finding.level, finding.code), []).append(finding)
    lines = []
    if not verbose and any(len(group) > _SHOWN and level != "error" for (level, _), group in by_code.items()):
        for (level, code), group in sorted(by_code.items(), key=lambda item: -len(item[1])):
            lines.append(f"{len(group):>6} {level}[{code}]\n")
            if len(group) > _SHOWN:
                lines.append(f"       {_subjects(group, findings.texts)}\n")
        lines.append(f"showing {_SHOWN} of each warning and note; use -v to show all\n")
    summary = count_by_level(findings) or "no problems found"
    return "".join(lines) + f"{schemas.as_posix()}: {tools} tool{'s' if tools != 1 else ''}, {summary}\n"


def _subjects(group: Sequence[Finding], texts: Mapping[str, str]) -> str:
    """Return what several findings of one code are about: the texts that they mark most often, and the number of files."""
    from toolgen.diagnostics.finding import escape_text

    lines: dict[str, list[str]] = {path: texts.get(path, "").split("\n") for path in {each.span.path for each in group}}
    marked: Counter[str] = Counter()
    for span in (finding.span for finding in group):
        if span.line == span.end_line <= len(lines[span.path]):
            marked[lines[span.path][span.line - 1][span.column - 1 : span.end_column - 1]] += 1
    repeated = [f"{escape_text(text, 40)} ({n})" for text, n in marked.most_common(_SUBJECTS) if n > 1 and text]
    more = ", …" if repeated and len(marked) > len(repeated) else ""
    files = f"in {len(lines)} file{'s' if len(lines) != 1 else ''}"
    return f"{', '.join(repeated)}{more} {files}" if repeated else files


def _table(sizes: Mapping[str, Mapping[str, int]]) -> str:
    """Return a table of payload sizes in bytes of compact JSON: for each provider, its tools and their total."""
    lines = []
    for provider, of_tools in sizes.items():
        lines.append(f"{of_tools['*']:>8} bytes  {provider}\n")
        tools = sorted((n, tool) for tool, n in of_tools.items() if tool != "*")
        lines += [f"{n:>8}          {tool}\n" for n, tool in reversed(tools)]
    return "".join(lines)


_MAX_ROUNDS = 10
"""The maximum number of rounds of fixes: a fix may make another one possible."""


@dataclass(slots=True)
class FixResult:
    """The number of findings that were fixed, and the changes as a unified diff.

    `unfixable` is the number of findings of fixable kinds that no fix can remove. `refused`: a build rejects the sources.
    """

    count: int = 0
    diff: str = ""
    unfixable: int = 0
    refused: bool = False


def fix_all(schemas: Path, providers: Sequence[str], *, write: bool, unsafe: bool) -> FixResult:
    """Fix what can be fixed in the sources. Without `write`, only show it.

    With `unsafe`, also applies fixes that change what models read.

    A file whose text cannot be changed line by line stays as it is, and so does its finding.
    """
    from toolgen.compilation import lint_project
    from toolgen.diagnostics import Findings
    from toolgen.importing.yaml_text import edit_yaml
    from toolgen.load.folder import EditedFolder
    from toolgen.write.disk import replace_text

    result = FixResult()
    old: dict[str, str] = {}
    new: dict[str, str] = {}
    for _ in range(_MAX_ROUNDS):
        findings = Findings()
        folder = (lambda prefix, to: EditedFolder(schemas, prefix, to, new)) if new else None
        linted = lint_project(schemas, findings, providers, folder=folder)
        if linted is None:
            result.refused = not new
            break
        fixes = list(linted.fixes(findings, edit_yaml, unsafe=unsafe))
        result.unfixable = linted.count_fixable(findings)
        for fix in fixes:
            old.setdefault(fix.path, linted.sources.texts[fix.path])
            new[fix.path] = fix.text
            result.count += fix.count
        if not fixes:
            break
    for path, text in sorted(new.items()):
        if write:
            replace_text(Path(path), text)
        before, after = old[path].splitlines(keepends=True), text.splitlines(keepends=True)
        result.diff += "".join(difflib.unified_diff(before, after, path, f"{path} (fixed)"))
    return result


def attach_fixes(findings: Findings, linted: LintResult) -> Findings:
    """Return the findings, with the fix of each one that `--fix` can fix in its details: rows of line, column, end and new text."""
    from toolgen.diagnostics import Findings
    from toolgen.importing.yaml_text import edit_yaml

    result = Findings(texts=findings.texts)
    for finding in findings:
        for fix in linted.fixes([finding], edit_yaml, unsafe=False):
            details = json.loads(finding.details) if finding.details else {}
            rows = list(_replacements(linted.sources.texts[fix.path], fix.text))
            finding = replace(finding, details=json.dumps({**details, "fix": rows}))
        result.items.append(finding)
    return result


def _replacements(old: str, new: str) -> Iterator[tuple[int, int, int, int, str]]:
    """Yield the changed lines of a text: line and column of the start and the end in the old text, and the new lines."""
    before, after = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (old, new))
    for kind, start, end, first, last in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        # If the last line has no line end, there is no next line at whose start the range could end.
        ends_inside = end > start and not before[end - 1].endswith("\n")
        line, column = (end, len(before[end - 1]) + 1) if ends_inside else (end + 1, 1)
        yield start + 1, 1, line, column, "".join(after[first:last])
