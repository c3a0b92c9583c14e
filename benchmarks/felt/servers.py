"""Servers in processes of their own, and what they use: ports, processor time, memory. Linux only."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

FAKE_MODEL = Path(__file__).resolve().parent / "fake_model.py"


@dataclass(frozen=True)
class Server:
    """A server that listens on a port of this machine."""

    process: subprocess.Popen[bytes]
    port: int

    @property
    def address(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self.port}"

    def processor_seconds(self) -> float:
        """Return the processor time that it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """Return the memory that it occupies now."""
        resident = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())
        assert resident
        return int(resident[1]) / 1024


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def started(words: list[str], port: int, folder: Path | None = None, **environment: str) -> Iterator[Server]:
    """Start a server, wait until it listens, and terminate it afterwards.

    Raises:
        RuntimeError: It ends, or does not listen within two minutes. The message is the last that it printed.
    """
    with tempfile.TemporaryFile() as log:
        inherited = {**os.environ, **environment}
        process = subprocess.Popen(words, cwd=folder, stdout=log, stderr=log, env=inherited)
        try:
            deadline = time.monotonic() + 120
            while not listens(port):
                if process.poll() is not None or time.monotonic() > deadline:
                    log.seek(0)
                    raise RuntimeError(f"{' '.join(words)}\n{log.read()[-2000:].decode(errors='replace')}")
                time.sleep(0.1)
            yield Server(process, port)
        finally:
            process.terminate()
            process.wait()


def listens(port: int) -> bool:
    """Return whether somebody listens on a port."""
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


@contextmanager
def fake_model() -> Iterator[Server]:
    """Start the model server of `fake_model.py`."""
    port = free_port()
    with started([sys.executable, str(FAKE_MODEL), str(port)], port) as server:
        yield server
