"""The file operations of the write stage, one system call at a time. Nothing else in it accesses the disk.

A test replaces `os` here to make any call fail or kill. No function follows a link at the end of its path.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

MAX_FILE_BYTES = 64 * 1024 * 1024
"""The limit of bytes for reading a file. Generated files are far smaller."""

_NO_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}
_NO_LINK = {errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}
_NO_OWNER = {errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
_NO_EXCHANGE = {
    errno.ENOSYS,
    errno.EINVAL,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.EXDEV,
    errno.EPERM,
    errno.EBUSY,
}
_EXCHANGE_CALL = {"x86_64": 316, "aarch64": 276, "riscv64": 276}


class LockedError(Exception):
    """Another process holds the lock."""


def inspect_path(path: str, at: int | None = None) -> os.stat_result | None:
    """Return the status of `path` itself, without following a link; None if nothing exists. `at` is an open folder."""
    try:
        return os.lstat(path, dir_fd=at)
    except FileNotFoundError:
        return None


def list_folder(folder: str) -> list[os.DirEntry[str]]:
    """Return the entries of `folder`, sorted by name."""
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def read_file(path: str, max_bytes: int = MAX_FILE_BYTES) -> bytes | None:
    """Return the bytes of a regular file; None if it is larger than `max_bytes`.

    Raises:
        OSError: it cannot be read, or is no longer a regular file.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        if info.st_size > max_bytes:
            return None
        parts = []
        while part := os.read(fd, 1 << 20):
            parts.append(part)
        return b"".join(parts)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error  # errors of calls on a descriptor lack the name
    finally:
        os.close(fd)


def read_beginning(path: str, length: int) -> bytes:
    """Return the first bytes of a regular file, at most `length`.

    Raises:
        OSError: it cannot be read.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        return os.read(fd, length)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
    finally:
        os.close(fd)


def write_file(path: str, data: bytes) -> None:
    """Write a new file and flush it to the disk. Its mode is 0666 minus the umask."""
    _fill(path, iter((data,)))


def _fill(path: str, parts: Iterator[bytes]) -> None:
    """Create a file with this content, and wait until it is on the disk. Errors name the path."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    try:
        for part in parts:
            unwritten = memoryview(part)
            while unwritten:
                unwritten = unwritten[os.write(fd, unwritten) :]
        os.fsync(fd)
    except OSError as error:
        # Errors of calls on a descriptor lack the name that the message needs.
        raise OSError(error.errno, error.strerror, path) from error
    finally:
        os.close(fd)


def replace_text(file: Path, text: str) -> None:
    """Replace the text of a file, which need not exist, through a temporary file. Its line ends stay.

    Raises:
        OSError: The file cannot be written.
    """
    temporary = file.with_name(f".{file.name}.new")
    ends = "\r\n" if file.exists() and b"\r\n" in file.read_bytes() else "\n"
    temporary.write_text(text, "utf-8", newline=ends)
    temporary.replace(file)


def link_or_copy(source: str, target: str) -> None:
    """Give a file, a link or a special file a second name. It is the same file, so mode, owner and times stay.

    If the system forbids a second name, a file is copied with its mode and times, and a link is created anew.
    """
    try:
        os.link(source, target, follow_symlinks=False)
        return
    except (NotImplementedError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in _NO_LINK:
            raise
    info = os.lstat(source)
    if stat.S_ISLNK(info.st_mode):
        os.symlink(os.readlink(source), target)
    elif stat.S_ISREG(info.st_mode):
        _copy(source, target)
        os.chmod(target, stat.S_IMODE(info.st_mode))
        os.utime(target, ns=(info.st_atime_ns, info.st_mtime_ns))
    else:
        raise OSError(errno.EINVAL, "a special file cannot be moved to the new output", source)


def _copy(source: str, target: str) -> None:
    """Copy the content of a file into a new one. Links are not followed."""
    fd = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        _fill(target, iter(lambda: os.read(fd, 1 << 20), b""))
    finally:
        os.close(fd)


def make_folder(path: str, mode: int = 0o777, at: int | None = None) -> None:
    """Make one folder."""
    os.mkdir(path, mode, dir_fd=at)


@contextmanager
def open_folder(folder: str, at: int | None = None) -> Iterator[int]:
    """Open a folder, which stays the same whatever takes its name. A link is refused."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
    try:
        yield fd
    finally:
        os.close(fd)


def copy_mode_and_owner(folder: str, like: os.stat_result) -> None:
    """Give a folder the mode of another one, and its owner as far as this process may."""
    mine = os.lstat(folder)
    if (mine.st_uid, mine.st_gid) != (like.st_uid, like.st_gid):
        # Only the superuser may change owners, in a container only to known ones. Otherwise the new folder belongs
        # to the user who created it, as with mkdir.
        try:
            os.chown(folder, like.st_uid, like.st_gid)
        except OSError as error:
            if error.errno not in _NO_OWNER:
                raise
    if stat.S_IMODE(os.lstat(folder).st_mode) != stat.S_IMODE(like.st_mode):
        os.chmod(folder, stat.S_IMODE(like.st_mode))


def sync_folder(path: str) -> None:
    """Flush a folder's list of names to the disk, if the file system supports it."""
    with open_folder(path) as fd:
        try:
            os.fsync(fd)
        except OSError as error:
            if error.errno not in _NO_SYNC:
                raise OSError(error.errno, error.strerror, path) from error


def rename(source: str, target: str, to: int | None = None) -> None:
    """Move within one file system. `to` is an open folder that contains `target`."""
    os.rename(source, target, dst_dir_fd=to)


def remove_file(path: str) -> None:
    """Remove a file, a link (not its target) or a special file."""
    os.unlink(path)


def remove_folder(path: str) -> None:
    """Remove an empty folder."""
    os.rmdir(path)


def make_writable(folder: str) -> None:
    """Allow this process to change the content of a folder."""
    os.chmod(folder, 0o700)


_CURRENT_FOLDER = -100
"""AT_FDCWD: paths are relative to the current folder."""
_SWAP = 2
"""RENAME_EXCHANGE: the two paths are exchanged."""


def swap_folders(folder: str, other: str) -> bool:
    """Swap two folders in one step. Return False, and do nothing, if the system or the file system cannot."""
    call = _renameat2()
    if call is None:
        return False
    number = call(_CURRENT_FOLDER, os.fsencode(folder), _CURRENT_FOLDER, os.fsencode(other), _SWAP)
    if number == 0:
        return True
    if number in _NO_EXCHANGE:
        return False
    raise OSError(number, os.strerror(number), other)


@cache
def _renameat2() -> Callable[..., int] | None:
    """Return the system call, which returns an error number or 0; None if this system has none."""
    if sys.platform != "linux":
        return None
    import ctypes  # late: only a build that changes something needs it

    library = ctypes.CDLL(None, use_errno=True)
    function: Any = getattr(library, "renameat2", None) or _by_number(library)
    if function is None:
        return None

    def call(folder_fd: int, path: bytes, other_fd: int, other_path: bytes, flags: int) -> int:
        number, text, flag = ctypes.c_int, ctypes.c_char_p, ctypes.c_uint
        result = function(number(folder_fd), text(path), number(other_fd), text(other_path), flag(flags))
        return 0 if result == 0 else ctypes.get_errno()

    return call


def _by_number(library: Any) -> Callable[..., int] | None:
    """Return the call by its number: the C library of some distributions has no name for it."""
    number = _EXCHANGE_CALL.get(os.uname().machine)
    call = getattr(library, "syscall", None)
    if number is None or call is None or sys.maxsize < 2**32:
        return None

    def numbered(*arguments: Any) -> int:
        result: int = call(number, *arguments)
        return result

    return numbered


@contextmanager
def lock_folder(folder: str) -> Iterator[None]:
    """Hold the lock on `folder`. The system releases it with the process, so a kill leaves no stale lock.

    Raises:
        LockedError: another process holds it.
    """
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LockedError from None
        yield
    finally:
        os.close(fd)
