"""A command as a process: its exit codes, the signals that stop it, the bar while it works, and the record that it leaves."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from toolgen.cli.terminal import emit

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.compilation import Compilation
    from toolgen.diagnostics import Findings
    from toolgen.pipeline import Progress
    from toolgen.write import Output

FINE, FOUND, WRONG = 0, 1, 2
"""Exit codes: all is well; it worked and found something; the sources or the arguments are wrong."""


def end(code: int) -> NoReturn:
    """End the process."""
    sys.exit(code)


_STOPS = ("SIGINT", "SIGTERM", "SIGHUP")


class _Stopped(SystemExit):
    """Nothing between the signal and the end takes this for an error, and whoever holds something tidies up."""


_asked: list[int] = []
"""The numbers of the signals that came."""


@contextmanager
def stop_on_signals() -> Iterator[None]:
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


def raise_if_stopped() -> None:
    """Stop where a signal came and nothing of it came up: Python drops what is raised in a finalizer or a weak reference."""
    if _asked:
        raise _Stopped(128 + _asked[0])


def _stop(number: int, _: FrameType | None) -> NoReturn:
    _asked.append(number)
    raise _Stopped(128 + number)


SHARES = {"read": 15, "linked": 35, "rendered": 40, "written": 10}
"""What has been done by a step's name, and how much of the whole it is, in percent, for a thousand tools."""

MANY = 50
"""Tools from which on a bar is shown."""


@contextmanager
def progress(*, quiet: bool) -> Iterator[Progress]:
    """Give what a build calls after each step; it draws nothing where stderr is not a screen, or for a few tools.

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
        raise_if_stopped()


def save_build_record(
    built: Compilation, output: Output, texts: Mapping[str, str], out: Path | None, reported: str
) -> str:
    """Let the next build and check know what this one saw, so that they can be short; return why that cannot be.

    `texts` are the files of the package, `out` is the folder of the command line, `reported` what was printed of findings.
    """
    from hashlib import sha256

    from toolgen.build_cache import save_record
    from toolgen.write.output_path import shown

    said = (
        f"{reported}{shown(output.name)}: {len(texts)} unchanged\n",
        f"{reported}{shown(output.name)}: up to date with {built.sources.name}\n",
    )
    digests = {path: sha256(text.encode("utf-8")).hexdigest() for path, text in texts.items()}
    given = None if out is None else str(out)
    return save_record(str(built.schemas), given, str(output.folder), said, built.stamp.sources, digests)


def compile_beside(
    schemas: Path, out: Path | None, providers: Sequence[str], findings: Findings, progress: Progress
) -> Compilation | None:
    """Compile a project for providers, and for those that its package has: a build for some keeps the others."""
    from toolgen.cli.group import output_folder
    from toolgen.compilation import compile_project
    from toolgen.diagnostics import Findings
    from toolgen.incremental import stored_results

    said = Findings()
    with stored_results(str(schemas), None if out is None else str(out)) as save:
        built = compile_project(schemas, said, providers, progress)
        if built is not None and providers:
            known = {PurePosixPath(document.source).stem for document in built.sources.providers}
            folder = output_folder(schemas, out, built.config.out) / "providers"
            there = {file.stem for file in folder.glob("[a-z]*.py")} if folder.is_dir() else set[str]()
            more = sorted((there & known) - set(providers))
            if more:
                said = Findings()
                built = compile_project(schemas, said, (*providers, *more))
        if built is not None:
            save()
    findings.items += said.items
    findings.texts |= said.texts
    return built
