"""`toolgen explain`, `toolgen schema` and `toolgen completion`: reference for findings, source files and shells."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from toolgen import __version__
from toolgen.cli.command_support import EXIT_ERROR, EXIT_OK, Reporter, write_or_check_then_exit
from toolgen.cli.group import complete_codes
from toolgen.cli.terminal import write_output

if TYPE_CHECKING:
    from toolgen.write import RequestedOutput, Stamp


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
@click.argument("kind", type=click.Choice(["declaration", "provider", "format", "config"]), required=False)
@click.option("--editor", is_flag=True, help="For editors: draft-07, with a description for every keyword.")
@click.option(
    "--write",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the schemas that editors read for declarations and toolgen.yaml into a folder.",
)
@click.option("--check", is_flag=True, help="With --write: write nothing; exit with 1 if the files are out of date.")
@click.option("--force", is_flag=True, help="With --write: overwrite schemas that were edited by hand.")
def schema(kind: str | None, editor: bool, folder: Path | None, check: bool, force: bool) -> None:
    """Print the JSON Schema of a kind of source file.

    `format` prints the schema of the neutral format instead. `--write` writes the schemas that `toolgen init` writes, such
    as after an upgrade. Files that toolgen did not write are left alone.

    \b
    Example:
      toolgen schema declaration --editor > .vscode/toolgen.json
      toolgen schema --write schemas/.editor
    """
    from toolgen.document_validation import meta_schema
    from toolgen.new_project import editor_schema_text

    if (kind is None) == (folder is None):
        raise click.UsageError("name either a KIND to print, or --write DIR")
    if (check or force) and folder is None:
        raise click.UsageError("--check and --force need --write DIR")
    if folder is not None:
        _write_editor_schemas(folder, check=check, force=force)
    assert kind is not None
    if editor:
        write_output(editor_schema_text(kind))
    else:
        write_output(
            json.dumps(_format() if kind == "format" else meta_schema(kind), indent=2, ensure_ascii=False) + "\n"
        )


def editor_lock_facts() -> Stamp:
    """What the lock file of the schemas for editors says. They depend on toolgen alone."""
    from toolgen.cli.upgrade import EDITIONS
    from toolgen.write import Stamp

    return Stamp(__version__, EDITIONS[-1], {})


def _write_editor_schemas(folder: Path, *, check: bool, force: bool) -> NoReturn:
    """Write the schemas for editors as a build writes a package."""
    from toolgen.diagnostics import Findings
    from toolgen.new_project import editor_schema_files

    output, facts = editor_output(folder), editor_lock_facts()
    write_or_check_then_exit(editor_schema_files(), output, facts, Findings(), Reporter(), check=check, force=force)


def editor_output(folder: Path) -> RequestedOutput:
    """Return the output for the schemas for editors."""
    from toolgen.write import RequestedOutput

    has_sources = (folder / "toolgen.yaml").exists() or (folder / "tools").exists()
    command = shlex.join(["toolgen", "schema", "--write", folder.as_posix()])
    sources = folder if has_sources else folder.parent
    return RequestedOutput(folder, folder.as_posix(), sources, is_package=False, command=command)


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

    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"no completion is available for {shell}")
    # `source()` of bash would start a process to ask for its version; the script is the same text.
    complete = made(main_group, {}, "toolgen", "_TOOLGEN_COMPLETE")
    write_output(complete.source_template % complete.source_vars() + "\n")
