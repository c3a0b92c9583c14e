"""A bar for builds that take their time, where a screen is there to show it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from toolgen.pipeline import Progress, no_progress

SHARES = {"read": 15, "linked": 35, "rendered": 40, "written": 10}
"""What has been done by a step's name, and how much of the whole it is, in percent, for a thousand tools."""

MANY = 50
"""Tools from which on a bar is shown."""


@contextmanager
def progress(*, quiet: bool) -> Iterator[Progress]:
    """Give what a build calls after each step; it draws nothing where stderr is no screen, or for a few tools.

    The bar is gone before anything else is printed.
    """
    if quiet or sys.stderr is None or sys.stderr.closed or not sys.stderr.isatty():
        yield no_progress
        return
    import click

    bar = click.progressbar(length=sum(SHARES.values()), label="toolgen", file=sys.stderr, show_eta=False)
    drawn = False

    def step(name: str, tools: int) -> None:
        nonlocal drawn
        if tools >= MANY:
            drawn = True
            bar.update(SHARES[name])

    try:
        yield step
    finally:
        if drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
