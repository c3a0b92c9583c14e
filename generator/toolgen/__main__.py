"""The program: `python -m toolgen`, and the command `toolgen`."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import NoReturn

_STOPS = ("SIGINT", "SIGTERM", "SIGHUP")


class _Stopped(SystemExit):
    """Asked to stop by a signal. Nothing between the signal and here takes it for an error, and all tidy up."""


def main() -> None:
    """Run the command line. A signal to stop ends it with one line, no litter, and 128 + the signal's number."""
    for name in _STOPS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)
    try:
        # Late, so that a signal during the imports is noticed, too.
        from toolgen.cli import main as command_line

        command_line()
    except _Stopped as stopped:
        from toolgen.cli.terminal import emit

        emit("toolgen: interrupted\n", sys.stderr)
        sys.exit(stopped.code)


def _stop(number: int, _: FrameType | None) -> NoReturn:
    raise _Stopped(128 + number)


if __name__ == "__main__":
    main()
