"""`toolgen lint`: what declarations lose or risk."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from toolgen.cli.fixing import fix_all
from toolgen.cli.group import format_option, provider_option, schemas_argument
from toolgen.cli.process import FINE, FOUND, WRONG, end, progress
from toolgen.cli.terminal import emit, report


@click.command("lint")
@schemas_argument
@provider_option
@format_option
@click.option("--fix", is_flag=True, help="Change the sources where that keeps what they mean.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("-v", "--verbose", is_flag=True, help="The size of each payload as well.")
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
    from toolgen.diagnostics.printers import DOCUMENTS

    if fix or diff:
        fixed = fix_all(schemas, providers, write=not diff)
        emit(fixed.diff if diff else "", sys.stdout)
        if not quiet:
            emit(f"{fixed.count} {'would be ' if diff else ''}fixed\n", sys.stderr)
        if diff:
            end(FOUND if fixed.count else FINE)
    findings = Findings()
    with progress(quiet=quiet) as step:
        linted = lint_project(schemas, findings, providers, step)
    report(findings, form, quiet=quiet, verbose=True)
    if linted is None:
        end(WRONG)
    if verbose:
        emit(_table(linted.sizes), sys.stderr if form in DOCUMENTS else sys.stdout)
    if not quiet and form == "text":
        counts = [(sum(f.level == level for f in findings), level) for level in ("error", "warning", "note")]
        said = ", ".join(f"{n} {level}{'s' if n != 1 else ''}" for n, level in counts if n) or "no problems found"
        emit(f"{schemas.as_posix()}: {linted.tools} tool{'s' if linted.tools != 1 else ''}, {said}\n", sys.stderr)
    end(FOUND if findings.errors else FINE)


def _table(sizes: Mapping[str, Mapping[str, int]]) -> str:
    """Bytes of compact JSON, a line for each tool and one for all, a block for each provider."""
    lines = []
    for provider, of_tools in sizes.items():
        lines.append(f"{of_tools['*']:>8} bytes  {provider}\n")
        tools = sorted((n, tool) for tool, n in of_tools.items() if tool != "*")
        lines += [f"{n:>8}          {tool}\n" for n, tool in reversed(tools)]
    return "".join(lines)
