"""Ends a command that is asked to stop by a signal: one line, nothing left behind, and an exit code that says so."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from toolgen.cli.terminal import emit

_STOPS = ("SIGINT", "SIGTERM", "SIGHUP")


class _Stopped(SystemExit):
    """Nothing between the signal and the end takes this for an error, and whoever holds something tidies up."""


_asked: list[int] = []
"""The numbers of the signals that came."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Let a signal end what runs here. One that somebody else handles or ignores, as `nohup` does, stays theirs.

    Where a signal came, whatever error it became on the way up, the end is that of the signal.
    """
    for name in _STOPS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)
    try:
        yield
    except BaseException as raised:
        if not _asked or (isinstance(raised, SystemExit) and not raised.code):
            raise
        emit("toolgen: interrupted\n", sys.stderr)
        sys.exit(128 + _asked[0])


def heed() -> None:
    """Stop where a signal came and nothing of it came up: Python drops what is raised in a finalizer or a weak reference."""
    if _asked:
        raise _Stopped(128 + _asked[0])


def _stop(number: int, _: FrameType | None) -> NoReturn:
    _asked.append(number)
    raise _Stopped(128 + number)
