"""The group of all commands, and the options that several of them share.

A module in this folder with a `command` is a command; `reference` has several. Each is imported on demand.
"""

from __future__ import annotations

import copy
import importlib
import keyword
import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from toolgen import __version__
from toolgen.cli.command_support import Reporter, output_folder
from toolgen.cli.terminal import set_color_mode

_SHARED = ("__init__", "command_support", "group", "reference", "terminal")
"""Modules that are not commands."""

_REFERENCE = ("completion", "explain", "schema")
"""The commands of `reference`."""

_RENAMED = {"rules": "providers"}
"""Earlier names of commands, which work for one more release. The help does not list them."""


class Commands(click.Group):
    """The commands, by the files in this folder."""

    def invoke(self, ctx: click.Context) -> object:
        """Run a command. An interrupt exits with 130, because click's own 1 would read as `found something`."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            sys.exit(130)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, sorted."""
        stems = (name[:-3] for name in os.listdir(os.path.dirname(__file__)) if name.endswith(".py"))
        return sorted([*_REFERENCE, *_RENAMED, *(stem.rstrip("_") for stem in stems if stem not in _SHARED)])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. For an unknown one, the error has the nearest name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from toolgen.diagnostics.finding import did_you_mean

            hint = did_you_mean(args[0], self.list_commands(ctx))
            if hint is None:
                raise
            raise click.UsageError(f"{error.message.rstrip('.')}; {hint}", ctx) from None

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command, and return the command."""
        if cmd_name in _RENAMED:
            renamed = copy.copy(self.get_command(ctx, _RENAMED[cmd_name]))
            if renamed is not None:
                renamed.hidden = True
            return renamed
        if cmd_name not in self.list_commands(ctx):
            return None
        if cmd_name in _REFERENCE:
            stem, attribute = "reference", cmd_name
        else:
            stem, attribute = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name, "command"
        command: click.Command = getattr(importlib.import_module(f"{__package__}.{stem}"), attribute)
        if _color_option not in command.params:
            command.params.append(_color_option)
        return command


_color_option = click.Option(
    ["--color"],
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    expose_value=False,
    callback=lambda _, __, when: set_color_mode(when),
    help="Whether findings and diffs have colors; auto depends on the terminal, NO_COLOR, FORCE_COLOR and TERM.",
)
"""The option `--color` of every command."""


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="toolgen", message="%(prog)s %(version)s")
def main_group() -> None:
    """Compile LLM tool declarations into typed Python for every provider's wire format.

    \b
    Example:
      toolgen build schemas/     write the package
      toolgen check schemas/     fail if it is not up to date with its sources
    """


def complete_tools(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """List the tools of the package whose names start with the given text, from its lock file."""
    from toolgen.write.lockfile import LOCK, LockError, read_lock

    schemas = Path(context.params.get("schemas") or "schemas")
    try:
        lock = read_lock((output_folder(schemas, context.params.get("out"), None) / LOCK).read_bytes())
    except (OSError, LockError):  # nothing was built yet, so no tools are known
        return []
    return sorted(name for name in lock.tools if name.startswith(incomplete))


def complete_providers(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """List the providers that start with the given text: built-in ones, and those of SCHEMAS."""
    from toolgen.resources import shipped_folder

    schemas = Path(context.params.get("schemas") or "schemas")
    folders = (shipped_folder("schemas") / "providers", schemas / "providers")
    names = {path.stem for folder in folders if folder.is_dir() for path in folder.glob("*.yaml")}
    return sorted(name for name in names if name.startswith(incomplete))


def complete_codes(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """List the finding codes that start with the given text."""
    from toolgen.diagnostics.codes import CODES

    return sorted(code for code in CODES if code.startswith(incomplete))


schemas_argument = click.argument("schemas", type=click.Path(path_type=Path), default=Path("schemas"))

schemas_option = click.option(
    "--schemas",
    type=click.Path(path_type=Path),
    default=Path("schemas"),
    show_default=True,
    help="The schemas folder.",
)

out_option = click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder of the generated package; default: `out` in toolgen.yaml, or `generated` next to SCHEMAS.",
)

provider_option = click.option(
    "--provider",
    "providers",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_providers,
    help="Only this provider; can be repeated. Default: the providers of toolgen.yaml.",
)

format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "github", "sarif", "gitlab", "markdown"]),
    default="text",
    show_default=True,
    help="Format of findings: text and github go to stderr, the others to stdout.",
)


def verbosity_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add `-q` and `-v`. The command gets them, and the format of findings, as its argument `reporter`."""

    @click.option("-q", "--quiet", is_flag=True, help="Show only errors.")
    @click.option("-v", "--verbose", is_flag=True, help="Show notes as well.")
    @wraps(command)
    def run(*, quiet: bool, verbose: bool, output_format: str = "text", **arguments: Any) -> None:
        command(**arguments, reporter=Reporter(output_format, quiet, verbose))

    return run
