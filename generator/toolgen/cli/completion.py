"""`toolgen completion`: what a shell needs to complete commands and options."""

from __future__ import annotations

import click

from toolgen.cli.terminal import emit


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    Example:
      toolgen completion bash > ~/.local/share/bash-completion/completions/toolgen
    """
    from click.shell_completion import get_completion_class

    from toolgen.cli.group import main_group

    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"there is no completion for {shell}")
    # `source()` of bash would start one to ask its version; the script is the same text.
    complete = made(main_group, {}, "toolgen", "_TOOLGEN_COMPLETE")
    emit(complete.source_template % complete.source_vars() + "\n")
