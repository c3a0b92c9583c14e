"""A bar for builds that take their time, where a screen is there to show it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from toolgen.cli.stopping import heed
from toolgen.pipeline import Progress

SHARES = {"read": 15, "linked": 35, "rendered": 40, "written": 10}
"""What has been done by a step's name, and how much of the whole it is, in percent, for a thousand tools."""

MANY = 50
"""Tools from which on a bar is shown."""


@contextmanager
def progress(*, quiet: bool) -> Iterator[Progress]:
    """Give what a build calls after each step; it draws nothing where stderr is no screen, or for a few tools.

    The bar is gone before anything else is printed. A step is also where a signal is heeded that got lost.
    """
    if quiet or sys.stderr is None or sys.stderr.closed or not sys.stderr.isatty():
        yield _no_bar
        return
    import click

    bar = click.progressbar(length=sum(SHARES.values()), label="toolgen", file=sys.stderr, show_eta=False)
    drawn = False

    def step(name: str, tools: int) -> None:
        nonlocal drawn
        _no_bar(name, tools)
        if tools >= MANY:
            drawn = True
            bar.update(SHARES[name])

    try:
        yield step
    finally:
        if drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _no_bar(name: str, _: int) -> None:
    if name != "written":
        heed()
