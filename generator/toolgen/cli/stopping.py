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


@contextmanager
def stoppable() -> Iterator[None]:
    """Let a signal end what runs here. One that somebody else handles or ignores, as `nohup` does, stays theirs."""
    for name in _STOPS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)
    try:
        yield
    except _Stopped as stopped:
        emit("toolgen: interrupted\n", sys.stderr)
        sys.exit(stopped.code)


def _stop(number: int, _: FrameType | None) -> NoReturn:
    raise _Stopped(128 + number)
