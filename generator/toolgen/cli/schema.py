"""`toolgen schema`: the JSON Schema of a source file, for editors."""

from __future__ import annotations

import json

import click

from toolgen.cli.terminal import emit


@click.command("schema")
@click.argument("kind", type=click.Choice(["declaration", "provider", "format", "config"]))
def command(kind: str) -> None:
    """Print the JSON Schema of a kind of source file; `format` prints the intermediate format itself.

    \b
    Example:
      toolgen schema declaration > .vscode/toolgen.json
    """
    from toolgen.parse.meta import meta

    schema = meta(kind)
    if kind == "format":
        from toolgen.compiling import shipped_format

        schema = shipped_format()
    emit(json.dumps(schema, indent=2, ensure_ascii=False) + "\n")
