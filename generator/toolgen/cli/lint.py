"""`toolgen lint`: what declarations lose or risk."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolgen.cli.fixing import fix_all
from toolgen.cli.group import format_option, provider_option, schemas_argument
from toolgen.cli.process import FINE, FOUND, WRONG, end, progress
from toolgen.cli.terminal import emit, report

if TYPE_CHECKING:
    from toolgen.diagnostics import Findings


@click.command("lint")
@schemas_argument
@provider_option
@format_option
@click.option("--fix", is_flag=True, help="Change the sources where that keeps what they mean.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("-v", "--verbose", is_flag=True, help="Every finding, and the size of each payload.")
@click.option("-q", "--quiet", is_flag=True, help="Errors only.")
def command(
    schemas: Path, providers: tuple[str, ...], form: str, fix: bool, diff: bool, quiet: bool, verbose: bool
) -> None:
    """Say what the declarations in SCHEMAS lose or risk, by provider.

    Nothing is written but by `--fix`, which states types of enums, writes a union of one as its branch, and takes defaults
    of null and comments away that say nothing. Comments and order stay. Payloads may change by it; what is accepted does not.

    Ends with 1 if one of the findings is an error, with 2 if a build would refuse the sources. `toolgen explain CODE`
    says more of a finding.

    \b
    Example:
      toolgen lint schemas/ --format github
    """
    from toolgen.compilation import lint_project
    from toolgen.diagnostics import Findings
    from toolgen.diagnostics.printers import DOCUMENTS, print_text
    from toolgen.incremental import stored_results

    if fix or diff:
        fixed = fix_all(schemas, providers, write=not diff)
        emit(fixed.diff if diff else "", sys.stdout)
        if not quiet:
            emit(f"{fixed.count} {'would be ' if diff else ''}fixed\n", sys.stderr)
        if diff:
            end(FOUND if fixed.count else FINE)
    findings = Findings()
    with progress(quiet=quiet) as step, stored_results(str(schemas), None) as save:
        linted = lint_project(schemas, findings, providers, step)
        if linted is not None:
            save()
    if verbose and not quiet and form == "text":
        emit(print_text(findings, findings.texts, most=len(findings.items)), sys.stderr)
    else:
        report(_first_of_each(findings) if form == "text" else findings, form, quiet=quiet, verbose=True)
    if linted is None:
        end(WRONG)
    if verbose:
        emit(_table(linted.sizes), sys.stderr if form in DOCUMENTS else sys.stdout)
    if not quiet and form == "text":
        emit(_summary(schemas, linted.tools, findings, verbose=verbose), sys.stderr)
    end(FOUND if findings.errors else FINE)


_SHOWN = 3
"""Findings of one code that are shown of warnings and notes."""


def _first_of_each(findings: Findings) -> Findings:
    """All errors, and of each other code the first few."""
    from toolgen.diagnostics import Findings

    seen: Counter[str] = Counter()
    first = Findings(texts=findings.texts)
    for finding in findings:
        seen[finding.code] += 1
        if finding.level == "error" or seen[finding.code] <= _SHOWN:
            first.items.append(finding)
    return first


def _summary(schemas: Path, tools: int, findings: Findings, *, verbose: bool) -> str:
    """How many findings there are: of each code where some are not shown, and of each level."""
    levels = Counter(finding.level for finding in findings)
    codes = Counter((finding.level, finding.code) for finding in findings)
    lines = []
    if not verbose and any(n > _SHOWN and level != "error" for (level, _), n in codes.items()):
        lines = [f"{n:>6} {level}[{code}]\n" for (level, code), n in codes.most_common()]
        lines.append(f"shown are {_SHOWN} of each warning and note; -v shows all\n")
    named = [(levels[level], level) for level in ("error", "warning", "note") if levels[level]]
    said = ", ".join(f"{n} {level}{'s' if n != 1 else ''}" for n, level in named) or "no problems found"
    return "".join(lines) + f"{schemas.as_posix()}: {tools} tool{'s' if tools != 1 else ''}, {said}\n"


def _table(sizes: Mapping[str, Mapping[str, int]]) -> str:
    """Bytes of compact JSON, a line for each tool and one for all, a block for each provider."""
    lines = []
    for provider, of_tools in sizes.items():
        lines.append(f"{of_tools['*']:>8} bytes  {provider}\n")
        tools = sorted((n, tool) for tool, n in of_tools.items() if tool != "*")
        lines += [f"{n:>8}          {tool}\n" for n, tool in reversed(tools)]
    return "".join(lines)
