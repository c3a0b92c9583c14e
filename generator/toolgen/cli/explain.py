"""`toolgen explain`: the page of a finding's code."""

from __future__ import annotations

import sys

import click

from toolgen.cli.process import FINE, WRONG, end
from toolgen.cli.terminal import emit


@click.command("explain")
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """Say what the finding CODE means, why it matters and how to fix it; without CODE list all codes.

    \b
    Example:
      toolgen explain parameter-without-description
    """
    from toolgen.diagnostics.pages import contents, page, similar_codes

    if code is None:
        emit(contents())
        end(FINE)
    text = page(code)
    if text is None:
        near = similar_codes(code)
        advice = f"did you mean {' or '.join(near)}?" if near else "`toolgen explain` lists all codes"
        emit(f"toolgen: there is no finding code {code!r}; {advice}\n", sys.stderr)
        end(WRONG)
    emit(text)
    end(FINE)
