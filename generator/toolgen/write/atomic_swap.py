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
        self._new_inode: int | None = None
        """Identifies the new tree, which is `new`, then `ready`, then the output; None before there is one."""

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
        info = disk.inspect_path(self.new)
        self._new_inode = info.st_ino if info is not None else None
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
            if folder in tree.folders:
                _copy_mode(f"{self.output}/{folder}", f"{self.new}/{folder}")
            disk.sync_folder(f"{self.new}/{folder}")
        _copy_mode(self.output, self.new)
        disk.sync_folder(self.new)
        disk.rename(self.new, self.ready)
        disk.sync_folder(self.staging_folder)

    def _carry(self, path: str) -> None:
        """Put a file of the output into the new tree."""
        try:
            disk.link_or_copy(f"{self.output}/{path}", f"{self.new}/{path}")
        except FileNotFoundError:
            # A running interpreter replaces its caches at any time; they are created again.
            if not is_litter(path):
                raise

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
        info = disk.inspect_path(self.ready)
        if info is not None and info.st_ino == self._new_inode:
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
        names_by_folder: dict[str, list[str]] = {}
        for path in self._unmanaged_files(former):
            folder, _, name = path.rpartition("/")
            names_by_folder.setdefault(folder, []).append(name)
        for folder, names in names_by_folder.items():
            with self._opened(folder) as target:
                for name in names:
                    source = f"{former}/{folder}/{name}" if folder else f"{former}/{name}"
                    if _is_later(source, name, target):
                        disk.rename(source, name, to=target)

    def _unmanaged_files(self, former: str) -> list[str]:
        """Return the files of a former tree that toolgen did not write, by the lock files of both trees."""
        locks = [lock for lock in map(_lock_of, (former, self.output)) if lock is not None]
        listed = {LOCK, *(path for lock in locks for path in lock.files)}
        path_checks = [self.paths_of_lock(lock) for lock in locks if lock.is_package]

        def is_generated(path: str, kind: Kind) -> bool:
            """Return whether toolgen wrote a path: the lock lists it, or its beginning says so."""
            if path in listed:
                return True
            if kind != "file" or not any(is_made(path) for is_made in path_checks):
                return False
            beginning = disk.read_beginning(f"{former}/{path}", HEADER_BYTES)
            return not beginning or has_header(beginning)  # py.typed is empty

        return [
            path
            for path, kind in list_tree(former).leaves.items()
            if kind != "folder" and not is_litter(path) and not is_generated(path, kind)
        ]

    @contextmanager
    def _opened(self, folder: str) -> Iterator[int]:
        """Open a folder of the output, created if missing. No link is followed, not even one created just now."""
        with ExitStack() as open_folders:
            handle = open_folders.enter_context(disk.open_folder(self.output))
            for path in [*parent_folders(folder), folder] if folder else []:
                name = path.rpartition("/")[2]
                if disk.inspect_path(name, at=handle) is None:
                    disk.make_folder(name, at=handle)
                try:
                    handle = open_folders.enter_context(disk.open_folder(name, at=handle))
                except OSError as error:
                    if error.errno not in (errno.ENOTDIR, errno.ELOOP):
                        raise
                    reason = "a file in this folder has to be kept, but it is no longer a folder"
                    raise OSError(errno.ENOTDIR, reason, f"{self.output}/{path}") from None
            yield handle


def _copy_mode(former: str, folder: str) -> None:
    """Give a folder the mode and owner of a former one, if that exists."""
    info = disk.inspect_path(former)
    if info is not None:
        disk.copy_mode_and_owner(folder, info)


def _is_later(source: str, target: str, at: int) -> bool:
    """Return whether a file should replace the one at `target`, in the open folder `at`: none, or an older file."""
    source_info, target_info = disk.inspect_path(source), disk.inspect_path(target, at=at)
    if source_info is None or target_info is None:
        return source_info is not None
    if not stat.S_ISREG(source_info.st_mode) or not stat.S_ISREG(target_info.st_mode):
        return False
    return not os.path.samestat(source_info, target_info) and source_info.st_mtime_ns > target_info.st_mtime_ns


def _lock_of(folder: str) -> Lock | None:
    """Return the lock in a folder; None if there is none that can be read."""
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
    """Remove a path with `remove`, also from a folder without permission to change it."""
    try:
        remove(path)
    except PermissionError:
        # A carried folder may forbid changes; this copy of it may be removed.
        disk.make_writable(path.rpartition("/")[0])
        remove(path)
