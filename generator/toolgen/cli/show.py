"""`toolgen show`: print one tool as each provider receives it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.command_support import EXIT_ERROR, Reporter
from toolgen.cli.group import complete_tools, format_option, provider_option, schemas_option, verbosity_options
from toolgen.cli.terminal import write_output

if TYPE_CHECKING:
    from toolgen.compilation import Compilation
    from toolgen.diagnostics import Findings
    from toolgen.render.tool_payloads import ToolLoss


@click.command("show")
@click.argument("tool", shell_complete=complete_tools)
@schemas_option
@provider_option
@format_option
@verbosity_options
def command(tool: str, schemas: Path, providers: tuple[str, ...], reporter: Reporter) -> None:
    """Print TOOL's payload for each provider, and what it loses.

    The payloads go to stdout as JSON, by provider. Losses go to stderr, one per line.

    \b
    Example:
      toolgen show get_weather --provider openai_chat
    """
    from toolgen.compilation import compile_project
    from toolgen.diagnostics import Findings

    findings = Findings()
    compilation = compile_project(schemas, findings, providers)
    shown = _shown(compilation, tool, findings) if compilation is not None else None
    reporter.print_findings(findings, stream=sys.stderr)  # stdout has the payload
    if shown is None:
        sys.exit(EXIT_ERROR)
    write_output(
        json.dumps({name: payload for name, (payload, _) in shown.items()}, indent=2, ensure_ascii=False) + "\n"
    )
    for name, (_, losses) in shown.items():
        for loss in losses:
            reporter.say(f"{name}: {loss}\n")


def _shown(compilation: Compilation, name: str, findings: Findings) -> dict[str, tuple[Any, list[str]]] | None:
    """Return a tool's payload and losses by provider. The payload is None if the provider does not receive the tool.

    Returns None if there is no such tool.
    """
    from toolgen.diagnostics import Span
    from toolgen.diagnostics.finding import did_you_mean_or_known

    names = [tool.name for tool in compilation.project.catalog.tools]
    if name not in names:
        span, hint = Span(compilation.sources.name), did_you_mean_or_known(name, names, "tools")
        findings.add("tool-unknown", span, hint=hint, name=name)
        return None
    shown: dict[str, tuple[Any, list[str]]] = {}
    for provider, wire in compilation.package.payloads.items():
        payload = next(each for each in wire.tools if each.tool.name == name)
        if payload.offered:
            shown[provider] = wire.payload_of(name), [_line(loss) for loss in payload.losses]
        else:
            shown[provider] = None, ["not offered to this provider: the declaration lists it under `unsupported`"]
    return shown


def _line(loss: ToolLoss) -> str:
    """Write a loss as one line."""
    checked = f"; checked by {loss.checked}" if loss.checked else ""
    return f"{loss.span}: {loss.action} {loss.what}: {loss.reason}{checked}"
