"""Replaces the output folder with a new tree in one step, and cleans up after a build that was killed.

Everything happens in a private folder beside the output, `.toolgen-<name>`, so it is on the same file system:

- `new` is the incomplete new tree; it may be deleted at any time.
- `ready` is the complete new tree or, after the exchange, the former one. Neither is needed
  once an output exists. Files that somebody added to the former one meanwhile are moved to the output first.
- `old` is the former tree if two folders cannot be exchanged, and two renames replace the exchange. A kill
  between them leaves `old` and no output. Then `old` is the output, and the next start restores it.
- `gone` is being removed. It has its own name because a partial tree would be mistaken for one of the others.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from toolgen.write import disk
from toolgen.write.changes import FolderTree, Kind, is_litter, list_tree, parent_folders
from toolgen.write.lockfile import (
    HEADER_BYTES,
    LOCK,
    MAX_LOCK_BYTES,
    Lock,
    LockError,
    PathsOfLock,
    has_header,
    read_lock,
)
from toolgen.write.output_path import OutputPath


class AtomicSwap:
    """The exchange of one output folder. The caller holds the lock on the parent folder."""

    def __init__(self, output_path: OutputPath, paths_of_lock: PathsOfLock = lambda _: lambda _: False) -> None:
        self.paths_of_lock = paths_of_lock
        self.parent = output_path.parent
        self.output = output_path.path
        self.staging_folder = output_path.staging_folder
        self.new = f"{self.staging_folder}/new"
        self.ready = f"{self.staging_folder}/ready"
        self.old = f"{self.staging_folder}/old"
        self.gone = f"{self.staging_folder}/gone"
        self._made: int | None = None

    def recover(self) -> None:
        """Undo or finish what an earlier build, or this one, left incomplete. The output is complete afterwards.

        The name of the private folder is reserved; anything else at its path is removed. May be repeated.
        """
        if disk.inspect_path(self.staging_folder) is None:
            return
        if _is_folder(self.staging_folder):
            if disk.inspect_path(self.output) is None and _is_folder(self.old):
                # Set aside first: beside a restored output it would be mistaken for a former tree.
                self._drop(self.ready)
                disk.rename(self.old, self.output)
            for former in (self.old, self.ready):
                if _is_folder(former) and _is_folder(self.output):
                    self._rescue(former)
                self._drop(former)
        remove_recursively(self.staging_folder)

    def stage(self, tree: FolderTree, carried: Iterable[str], written: Mapping[str, str]) -> None:
        """Create the new tree. Unchanged files keep their inode; written ones are flushed to the disk."""
        disk.make_folder(self.staging_folder, 0o700)
        disk.make_folder(self.new)
        made = disk.inspect_path(self.new)
        self._made = made.st_ino if made is not None else None
        carried = list(carried)
        empty = {path for path in carried if tree.leaves[path] == "folder"}
        folders = sorted(empty.union(*(parent_folders(path) for path in (*carried, *written))))
        for folder in folders:
            disk.make_folder(f"{self.new}/{folder}")
        for path in carried:
            if path not in empty:
                self._carry(path)
        for path, text in sorted(written.items(), key=lambda item: (item[0] == LOCK, item[0])):
            disk.write_file(f"{self.new}/{path}", text.encode())
        # Last and innermost first, since a folder's mode may forbid adding files.
        for folder in reversed(folders):
            self._finish(folder if folder in tree.folders else None, f"{self.new}/{folder}")
        self._finish("", self.new)
        disk.rename(self.new, self.ready)
        disk.sync_folder(self.staging_folder)

    def _carry(self, path: str) -> None:
        try:
            disk.link_or_copy(f"{self.output}/{path}", f"{self.new}/{path}")
        except FileNotFoundError:
            # A running interpreter replaces its caches at any time; they are created again.
            if not is_litter(path):
                raise

    def _finish(self, former: str | None, folder: str) -> None:
        like = None if former is None else disk.inspect_path(f"{self.output}/{former}" if former else self.output)
        if like is not None:
            disk.copy_mode_and_owner(folder, like)
        disk.sync_folder(folder)

    def commit(self) -> None:
        """Replace the output with the new tree. An error leaves the old one in place, or in `old` for `recover`."""
        if disk.inspect_path(self.output) is None:
            disk.rename(self.ready, self.output)
        elif not _is_folder(self.output):
            raise OSError(errno.ENOTDIR, "it is no longer a folder", self.output)
        elif not disk.swap_folders(self.ready, self.output):
            disk.rename(self.output, self.old)
            disk.rename(self.ready, self.output)

    def abandon(self) -> None:
        """Clean up after an error. Remove the new tree unless it has become the output. May be repeated."""
        left = disk.inspect_path(self.ready)
        if left is not None and left.st_ino == self._made:
            self._drop(self.ready)
        self.recover()

    def clean_up(self) -> None:
        """Flush the new output, keep what was added to the old tree meanwhile, and remove the rest. May be repeated."""
        disk.sync_folder(self.parent)
        self.recover()

    def _drop(self, tree: str) -> None:
        """Discard a whole tree in one step."""
        if disk.inspect_path(tree) is not None:
            remove_recursively(self.gone)
            disk.rename(tree, self.gone)

    def _rescue(self, former: str) -> None:
        """Move unmanaged files that were added or replaced after the former tree was read to the output."""
        locks = [lock for lock in map(_lock_of, (former, self.output)) if lock is not None]
        listed = {LOCK, *(path for lock in locks for path in lock.files)}
        made_by = [self.paths_of_lock(lock) for lock in locks if lock.is_package]

        def is_generated(path: str, kind: Kind) -> bool:
            if path in listed or kind != "file" or not any(is_made(path) for is_made in made_by):
                return path in listed
            beginning = disk.read_beginning(f"{former}/{path}", HEADER_BYTES)
            return not beginning or has_header(beginning)  # py.typed is empty

        foreign: dict[str, list[str]] = {}
        for path, kind in list_tree(former).leaves.items():
            if kind != "folder" and not is_litter(path) and not is_generated(path, kind):
                folder, _, name = path.rpartition("/")
                foreign.setdefault(folder, []).append(name)
        for folder, names in foreign.items():
            with self._opened(folder) as home:
                for name in names:
                    source = f"{former}/{folder}/{name}" if folder else f"{former}/{name}"
                    if _is_later(source, name, home):
                        disk.rename(source, name, to=home)

    @contextmanager
    def _opened(self, folder: str) -> Iterator[int]:
        """Open a folder of the output, created if missing. No link is followed, not even one created just now."""
        with ExitStack() as opened:
            home = opened.enter_context(disk.open_folder(self.output))
            for path in [*parent_folders(folder), folder] if folder else []:
                name = path.rpartition("/")[2]
                if disk.inspect_path(name, at=home) is None:
                    disk.make_folder(name, at=home)
                try:
                    home = opened.enter_context(disk.open_folder(name, at=home))
                except OSError as error:
                    if error.errno not in (errno.ENOTDIR, errno.ELOOP):
                        raise
                    reason = "a file in this folder has to be kept, but it is no longer a folder"
                    raise OSError(errno.ENOTDIR, reason, f"{self.output}/{path}") from None
            yield home


def _is_later(one: str, other: str, at: int) -> bool:
    came, there = disk.inspect_path(one), disk.inspect_path(other, at=at)
    if came is None or there is None:
        return came is not None
    plain = stat.S_ISREG(came.st_mode) and stat.S_ISREG(there.st_mode)
    return plain and not os.path.samestat(came, there) and came.st_mtime_ns > there.st_mtime_ns


def _lock_of(folder: str) -> Lock | None:
    info = disk.inspect_path(f"{folder}/{LOCK}")
    if info is None or not stat.S_ISREG(info.st_mode):
        return None
    try:
        return read_lock(disk.read_file(f"{folder}/{LOCK}", MAX_LOCK_BYTES) or b"")
    except LockError:
        return None


def _is_folder(path: str) -> bool:
    info = disk.inspect_path(path)
    return info is not None and stat.S_ISDIR(info.st_mode)


def remove_recursively(path: str) -> None:
    """Remove anything at `path`. Links are removed, not followed."""
    info = disk.inspect_path(path)
    if info is None:
        return
    if not stat.S_ISDIR(info.st_mode):
        disk.remove_file(path)
        return
    tree = list_tree(path)
    for leaf, kind in tree.leaves.items():
        if kind != "folder":
            _remove(disk.remove_file, f"{path}/{leaf}")
    for folder in reversed(tree.folders):
        _remove(disk.remove_folder, f"{path}/{folder}")
    disk.remove_folder(path)


def _remove(remove: Callable[[str], None], path: str) -> None:
    try:
        remove(path)
    except PermissionError:
        # A carried folder may forbid changes; this copy of it may be removed.
        disk.make_writable(path.rpartition("/")[0])
        remove(path)
