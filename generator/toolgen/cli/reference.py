"""`toolgen explain`, `toolgen schema` and `toolgen completion`: reference for findings, source files and shells."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import click

from toolgen.cli.command_support import EXIT_ERROR, EXIT_OK
from toolgen.cli.group import complete_codes
from toolgen.cli.terminal import write_output


@click.command("explain")
@click.argument("code", required=False, shell_complete=complete_codes)
def explain(code: str | None) -> None:
    """Explain the finding CODE, or list all codes.

    Says what the finding means, why it matters and how to fix it.

    \b
    Example:
      toolgen explain parameter-without-description
    """
    from toolgen.diagnostics.explanations import code_list, explanation_page, similar_codes

    if code is None:
        write_output(code_list())
        sys.exit(EXIT_OK)
    text = explanation_page(code)
    if text is None:
        near = similar_codes(code)
        advice = f"did you mean {' or '.join(near)}?" if near else "`toolgen explain` lists all codes"
        write_output(f"toolgen: unknown finding code {code!r}; {advice}\n", sys.stderr)
        sys.exit(EXIT_ERROR)
    write_output(text)


@click.command("schema")
@click.argument("kind", type=click.Choice(["declaration", "provider", "format", "config"]))
@click.option("--editor", is_flag=True, help="For editors: draft-07, with a description for every keyword.")
def schema(kind: str, editor: bool) -> None:
    """Print the JSON Schema of a kind of source file.

    `format` prints the schema of the neutral format instead.

    \b
    Example:
      toolgen schema declaration --editor > .vscode/toolgen.json
    """
    from toolgen.document_validation import meta_schema
    from toolgen.new_project import editor_schema_text

    if editor:
        write_output(editor_schema_text(kind))
    else:
        printed = _format() if kind == "format" else meta_schema(kind)
        write_output(json.dumps(printed, indent=2, ensure_ascii=False) + "\n")


def _format() -> Mapping[str, Any]:
    """Return the neutral format as one JSON Schema."""
    from toolgen.diagnostics import Findings
    from toolgen.load.loading import load_shipped
    from toolgen.resolve.profiles import merge_neutral_format_documents
    from toolgen.resources import shipped_folder

    findings = Findings()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "toolgen's neutral format",
        **merge_neutral_format_documents(load_shipped("format", shipped_folder("schemas"), findings), findings).schema,
    }


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for a shell.

    \b
    Example:
      toolgen completion bash > ~/.local/share/bash-completion/completions/toolgen
    """
    from click.shell_completion import get_completion_class

    from toolgen.cli.group import main_group

    completion_class = get_completion_class(shell)
    if completion_class is None:
        raise click.UsageError(f"no completion is available for {shell}")
    # `source()` of bash would start a process to ask for its version; the script is the same text.
    complete = completion_class(main_group, {}, "toolgen", "_TOOLGEN_COMPLETE")
    write_output(complete.source_template % complete.source_vars() + "\n")
