"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

schemas = click.argument("schemas", type=click.Path(path_type=Path), default=Path("schemas"))

out = click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder of the generated package; default: `out` of toolgen.yaml, or `generated` beside SCHEMAS.",
)

providers = click.option(
    "--provider",
    "providers",
    multiple=True,
    metavar="NAME",
    help="Only this provider; may be given more than once.",
)

finding_format = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="How findings are printed.",
)


def verbosity(command: F) -> F:
    """Add `-q` and `-v`."""
    command = click.option("-v", "--verbose", is_flag=True, help="Notes as well.")(command)
    return click.option("-q", "--quiet", is_flag=True, help="Errors only.")(command)
