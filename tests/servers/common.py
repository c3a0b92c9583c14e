"""What the parts share: their environments below build/servers, the processes of servers, and their reports."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.environments import fresh
from tests.support.repository import ROOT

FOLDER = ROOT / "build" / "servers"
"""Where the parts install what they need. It stays, so that a second run starts at once."""

UV = "uv==0.13.9"
"""The installer: it can replace a requirement of a package (`--override`), and is fast with large ones."""


class CannotBeSetUp(Exception):
    """A part cannot run here. The text is the reason, as a sentence."""


@dataclass
class Report:
    """What a part did: how many checks it made, what was wrong, and its figures for eyes."""

    checks: int = 0
    faults: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)

    def check(self, holds: bool, fault: str) -> None:
        """Count a check, and keep its sentence if it does not hold."""
        self.checks += 1
        if not holds:
            self.faults.append(fault)

    def equal(self, value: object, expected: object, what: str) -> None:
        """Check that a value is the expected one."""
        self.check(value == expected, f"{what}: {value!r}, expected {expected!r}")


def require_space(gigabytes: float) -> None:
    """Ask the disk for room.

    Raises:
        CannotBeSetUp: It has less.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(FOLDER).free / 1e9
    if free < gigabytes:
        raise CannotBeSetUp(f"It needs {gigabytes:.1f} GB of disk space, and {free:.1f} GB are free.")


def python_environment(name: str, requirements: Sequence[str], gigabytes: float, overrides: Sequence[str] = ()) -> Path:
    """Return the folder of programs of an environment, which is made unless it is there.

    Args:
        name: The name of its folder below build/servers.
        requirements: What to install.
        gigabytes: The disk space that this takes.
        overrides: Requirements that replace those of the packages.

    Raises:
        CannotBeSetUp: There is not enough space, or a package cannot be installed.
    """
    folder = FOLDER / name
    wanted = "\n".join([*requirements, *overrides])
    if not _is_ready(folder, wanted):
        require_space(gigabytes)
        shutil.rmtree(folder, ignore_errors=True)
        fresh(folder)
        file = folder / "overrides.txt"
        file.write_text("".join(f"{override}\n" for override in overrides))
        command: list[str | Path] = [_uv(), "pip", "install", "--quiet", "--python", folder / "bin" / "python"]
        command += ["--override", file]
        _install([*command, *requirements], requirements)
        _mark_as_ready(folder, wanted)
    return folder / "bin"


def node_packages(name: str, packages: Sequence[str], gigabytes: float) -> Path:
    """Return the folder that has `node_modules` with packages of npm, which are installed unless they are there.

    Raises:
        CannotBeSetUp: There is no npm, not enough space, or a package cannot be installed.
    """
    if shutil.which("npm") is None:
        raise CannotBeSetUp("There is no npm on the PATH.")
    folder = FOLDER / name
    wanted = "\n".join(packages)
    if not _is_ready(folder, wanted):
        require_space(gigabytes)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        command: list[str | Path] = ["npm", "install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund"]
        command += ["--silent", "--ignore-scripts", "--fetch-retries=0"]
        _install([*command, *packages], packages)
        _mark_as_ready(folder, wanted)
    return folder


def _uv() -> Path:
    """Return the path of uv, which has an environment of its own."""
    folder = FOLDER / "uv"
    if not _is_ready(folder, UV):
        shutil.rmtree(folder, ignore_errors=True)
        python = fresh(folder)
        pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
        _install([*pip, "install", "--quiet", UV], [UV])
        _mark_as_ready(folder, UV)
    return folder / "bin" / "uv"


def _is_ready(folder: Path, wanted: str) -> bool:
    mark = folder / "installed.txt"
    return mark.is_file() and mark.read_text() == wanted


def _mark_as_ready(folder: Path, wanted: str) -> None:
    (folder / "installed.txt").write_text(wanted)


def _install(command: Sequence[str | Path], packages: Sequence[str]) -> None:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    if done.returncode:
        log = FOLDER / "install.log"
        log.write_text(done.stdout + done.stderr)
        raise CannotBeSetUp(f"Cannot install {', '.join(packages)}; see {log.relative_to(ROOT)}.")


def folder_gigabytes(folder: Path) -> float:
    """Return the disk space that the files below a folder take."""
    return sum(file.lstat().st_blocks * 512 for file in folder.rglob("*")) / 1e9


def free_port() -> int:
    """Return a port of the loopback interface that nothing uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def serving(
    command: Sequence[str | Path], ready: str, log: Path, seconds: float, environment: Mapping[str, str]
) -> Iterator[None]:
    """Run a server while the context lasts, and end it with all its processes.

    Args:
        command: The command that starts it.
        ready: An address that responds with status 200 when it has started.
        log: The file for its output.
        seconds: How long it may take to start.
        environment: Variables to add to those of this process.

    Raises:
        CannotBeSetUp: It ended, or did not start in time.
    """
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*map(str, command)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
            cwd=log.parent,
            start_new_session=True,
        )
        try:
            _wait_for(ready, process, seconds, log)
            yield
        finally:
            _end(process)


def _wait_for(address: str, process: subprocess.Popen[bytes], seconds: float, log: Path) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if process.poll() is not None:
            raise CannotBeSetUp(f"The server ended with code {process.returncode}; see {log.relative_to(ROOT)}.")
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.5)
    raise CannotBeSetUp(f"The server did not start in {seconds:.0f} seconds; see {log.relative_to(ROOT)}.")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and those that it started: they are a group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(20)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
