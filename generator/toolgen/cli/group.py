"""The group of all commands. A module in this folder with a `command` is one; it is imported when it is asked for."""

from __future__ import annotations

import importlib
import os
import sys

import click

from toolgen import __version__

_SHARED = ("__init__", "group", "options", "progress", "running", "stopping", "terminal")


class Commands(click.Group):
    """The commands, by the files in this folder."""

    def invoke(self, ctx: click.Context) -> object:
        """Run a command. An interrupt ends with 130: click's own 1 would read as `found something`."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            sys.exit(130)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, sorted."""
        stems = (name[:-3] for name in os.listdir(os.path.dirname(__file__)) if name.endswith(".py"))
        return sorted(stem.rstrip("_") for stem in stems if stem not in _SHARED)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        stem = f"{cmd_name}_" if cmd_name in ("import",) else cmd_name
        command: click.Command = importlib.import_module(f"{__package__}.{stem}").command
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="toolgen", message="%(prog)s %(version)s")
def main_group() -> None:
    """Compile LLM tool declarations into typed Python for every provider's wire format.

    \b
    Example:
      toolgen build schemas/     write the package
      toolgen check schemas/     fail if it is not in step with its sources
    """
