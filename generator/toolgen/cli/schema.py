"""`toolgen schema`: the JSON Schema of a source file, for editors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

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
    from toolgen.validation import meta

    schema = meta(kind)
    if kind == "format":
        schema = _format()
    emit(json.dumps(schema, indent=2, ensure_ascii=False) + "\n")


def _format() -> Mapping[str, Any]:
    """The intermediate format as one JSON Schema."""
    from toolgen.diagnostics import Findings
    from toolgen.load.loading import load_shipped
    from toolgen.resolve.format import link_format
    from toolgen.resources import builtin

    findings = Findings()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "toolgen's intermediate format",
        **link_format(load_shipped("format", builtin("schemas"), findings), findings).schema,
    }
