"""The command line in this process, which is fast, or in a separate one, if the test is about the process."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Mapping
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

from tests.support.repository import ROOT
from toolgen import cli
from toolgen.cli import command_support

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Screen(io.BytesIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def toolgen(
    *words: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None, screen: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run the command line in this process, and leave the process as it was.

    Streams are encoded bytes, as those of a program are; with `screen`, stderr says that it is a terminal. An exception
    that would end a program with a traceback is raised.
    """
    encoding, errors = _encoding(env)
    out, err = io.BytesIO(), _Screen() if screen else io.BytesIO()
    arguments = ["toolgen", *map(str, words)]
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    modules = set(sys.modules)
    try:
        with ExitStack() as stack:
            stack.enter_context(mock.patch.dict(os.environ, env or {}))
            stack.enter_context(mock.patch.object(sys, "argv", arguments))
            stack.enter_context(mock.patch.object(sys, "stdin", stack.enter_context(open(os.devnull, "rb"))))
            stack.enter_context(mock.patch.object(command_support, "_arrived_signals", []))
            stack.enter_context(warnings.catch_warnings())
            stack.enter_context(chdir(cwd or ROOT))
            stack.enter_context(redirect_stdout(io.TextIOWrapper(out, encoding, errors, write_through=True)))
            stack.enter_context(
                redirect_stderr(io.TextIOWrapper(err, encoding, "backslashreplace", write_through=True))
            )
            code = _ended()
            texts = [stream.getvalue().decode(encoding) for stream in (out, err)]
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for name in [n for n in set(sys.modules) - modules if _was_made_in_memory(n)]:
            del sys.modules[name]
    return subprocess.CompletedProcess(arguments, code, *texts)


def toolgen_process(
    *words: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    root: Path = ROOT,
    **more: Any,
) -> subprocess.CompletedProcess[str]:
    """Run the command line of a checkout in a separate process. `more` goes to `subprocess.run`."""
    if not more.keys() & {"stdout", "stderr"}:
        more["capture_output"] = True
    if "input" not in more:
        more["stdin"] = subprocess.DEVNULL
    return subprocess.run(
        [sys.executable, "-m", "toolgen", *map(str, words)],
        cwd=cwd or root,
        env=environment(env, root),
        encoding=_encoding(env)[0],
        check=False,
        **more,
    )


def environment(env: Mapping[str, str] | None = None, root: Path = ROOT) -> dict[str, str]:
    """Return the environment of a program that imports toolgen from a checkout."""
    return {**os.environ, "PYTHONPATH": str(root / "generator"), **(env or {})}


def heeding_interrupts() -> None:
    """Reset the signal handlers before a program starts: tests in the background of a shell ignore interrupts."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def _encoding(env: Mapping[str, str] | None) -> tuple[str, str]:
    """Return the encoding of a program's standard streams, and its error handler."""
    encoding, _, errors = (env or {}).get("PYTHONIOENCODING", "").partition(":")
    return encoding or "utf-8", errors or "strict"


def _ended() -> int:
    """Return the exit code of a command, like Python if the command exits by itself or with a string."""
    try:
        cli.main()
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0
        print(ended.code, file=sys.stderr)
        return 1
    return 0


def _was_made_in_memory(module: str) -> bool:
    """Return whether a module has no file, like those of a rendered package."""
    spec = getattr(sys.modules[module], "__spec__", None)
    return spec is not None and not spec.has_location and spec.origin is None
