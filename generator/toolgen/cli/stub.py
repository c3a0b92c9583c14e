"""`toolgen stub`: print handlers to fill in."""

from __future__ import annotations

import keyword
import sys
from pathlib import Path

import click

from toolgen.cli.command_support import EXIT_ERROR, Reporter, import_path, output_folder
from toolgen.cli.group import complete_tools, format_option, schemas_option
from toolgen.cli.terminal import write_output


@click.command("stub")
@click.argument("tools", nargs=-1, shell_complete=complete_tools)
@schemas_option
@click.option("--class", "name", default="App", show_default=True, help="Name of the class.")
@format_option
def command(tools: tuple[str, ...], schemas: Path, name: str, output_format: str) -> None:
    """Print a handler class to fill in.

    The class has a method for each of TOOLS (default: all). It goes to stdout; no file is written. It imports the package
    as an app does: `my_app.tools` if it is in src/my_app/tools.

    \b
    Example:
      toolgen stub get_weather > handlers.py
    """
    from toolgen.diagnostics import Findings, Span
    from toolgen.diagnostics.finding import did_you_mean_or_known
    from toolgen.pipeline import resolve_project
    from toolgen.render.tools import make_handler_class_stub

    if not name.isidentifier() or keyword.iskeyword(name):
        raise click.BadParameter("must be a valid class name", param_hint="--class")
    findings = Findings()
    project = resolve_project(schemas, findings)
    catalog_tools = {tool.name: tool for tool in project.catalog.tools} if project is not None else {}
    for tool_name in tools if project is not None else ():
        if tool_name not in catalog_tools:
            hint = did_you_mean_or_known(tool_name, catalog_tools, "tools")
            findings.add("tool-unknown", Span(project.sources.name if project else ""), hint=hint, name=tool_name)
    Reporter(output_format, quiet=True).print_findings(findings, stream=sys.stderr)
    if project is None or findings.has_errors:
        sys.exit(EXIT_ERROR)
    package = import_path(output_folder(schemas, None, project.config.out), schemas)
    chosen = [tool for tool_name, tool in catalog_tools.items() if not tools or tool_name in tools]
    write_output(make_handler_class_stub(chosen, package, name))
