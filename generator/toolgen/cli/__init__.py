"""The command line: a quick response if nothing changed, otherwise the commands in this folder."""

from __future__ import annotations

import errno
import gc
import os
import sys

from toolgen import INTERFACE, __version__
from toolgen.build_record import cached_output
from toolgen.cli.terminal import silence, write_output


def main() -> None:
    """Run the command line. A signal ends it with one line and 128 + the signal number, after cleaning up."""
    stdout = sys.stdout
    try:
        if sys.argv[1:] == ["--version"]:
            write_output(f"toolgen {__version__}\n")
            sys.exit(0)
        if not _is_here():
            _fail("the current folder no longer exists")
        text = cached_output(sys.argv[1:])
        if text is not None:
            write_output(text, sys.stderr, painted=True)
            sys.exit(0)
        problem = _runtime_problem()
        if problem:
            _fail(problem)
        from toolgen.cli.command_support import stop_on_signals

        gc.set_threshold(50_000, 20, 100)  # most objects of a command live until it ends
        with stop_on_signals():
            from toolgen.cli.group import main_group

            main_group.main(prog_name="toolgen")
    except KeyboardInterrupt:
        # The quick response writes nothing.
        write_output("toolgen: interrupted\n", sys.stderr)
        sys.exit(130)
    except SystemExit:
        if sys.stdout is stdout:
            raise
        sys.exit(0)  # click has replaced the streams, because the reader of its help has gone
    except BrokenPipeError:  # click printed what is wrong with the arguments
        silence(sys.stderr)
        sys.exit(2)
    except OSError as error:
        if error.filename is not None or error.errno != errno.ENOSPC:
            raise
        silence(sys.stdout)  # click printed the help to a full disk
        _fail(f"cannot write the output: {error.strerror}")


def _runtime_problem() -> str:
    """Return why toolgen cannot work with the installed runtime; an empty string if it can.

    The modules of the commands import names of the runtime, so this is found out before them.
    """
    try:
        import toolgen_runtime
    except ModuleNotFoundError:
        problem = "it is not installed"
    else:
        version, interface = toolgen_runtime.__version__, toolgen_runtime.INTERFACE
        if (version, interface) == (__version__, INTERFACE):
            return ""
        problem = f"{version} with interface {interface} is installed"
    from toolgen.installed_from import install_command

    needed = f"toolgen-runtime {__version__} with interface {INTERFACE}"
    return f"toolgen {__version__} needs {needed}, but {problem}: run {install_command()}"


def _fail(problem: str) -> None:
    write_output(f"toolgen: {problem}\n", sys.stderr)
    sys.exit(2)


def _is_here() -> bool:
    """Return whether the current folder exists."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True
