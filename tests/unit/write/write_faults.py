"""A stand-in for `os` in `toolgen.write.disk` that acts before the n-th operation: raises, or kills the process."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from typing import Any

import pytest

from toolgen.write import disk

READS = ("open", "fstat", "lstat", "read", "readlink", "scandir")
WRITES = (
    "chmod",
    "chown",
    "fsync",
    "link",
    "mkdir",
    "rename",
    "rmdir",
    "symlink",
    "unlink",
    "utime",
    "write",
)
LOCKS = ("flock",)
EXCHANGE = "exchange"


class Dead(BaseException):
    """The process is gone: nothing that it would still do reaches the disk."""


class Faulty:
    """Calls `act(name)` before each operation in `names`; everything else is the real module.

    Flushing is acted upon and then left out: nothing but a power cut would show it, and it takes most of the time.
    """

    def __init__(self, real: Any, act: Callable[[str], None], names: tuple[str, ...]) -> None:
        self._real = real
        self._act = act
        self._names = names

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._real, name)
        if name not in self._names and name != "fsync":
            return real

        def call(*arguments: Any, **options: Any) -> Any:
            if name in self._names:
                self._act(name)
            return None if name == "fsync" else real(*arguments, **options)

        return call


class At:
    """Counts operations; does `action` before number `number`, or from there on."""

    def __init__(self, number: int, action: Callable[[], None], *, once: bool = True) -> None:
        self.number, self.action, self.once, self.count = number, action, once, 0

    def __call__(self, name: str) -> None:
        self.count += 1
        if self.count == self.number or (not self.once and self.count > self.number):
            self.action()


MOST = 2_000
"""More operations than any build here has."""


def install(patch: pytest.MonkeyPatch, act: Callable[[str], None], *, names: tuple[str, ...], exchange: bool) -> None:
    """Put faults into the disk module; without `exchange`, as on a system that has none."""
    real = disk._renameat2() if exchange else None
    patch.setattr(disk, "os", Faulty(os, act, names))
    patch.setattr(disk, "fcntl", Faulty(fcntl, act, names))

    def call(*arguments: object) -> int:
        assert real is not None
        try:
            act(EXCHANGE)
        except OSError as error:
            return error.errno or 0
        return real(*arguments)

    patch.setattr(disk, "_renameat2", lambda: call if real else None)


def without_links(patch: pytest.MonkeyPatch) -> None:
    """As on a file system that has no hard links."""

    def link(*_: object, **__: object) -> None:
        raise PermissionError(1, "no links")

    patch.setattr(disk.os, "link", link)
