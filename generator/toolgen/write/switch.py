"""Puts a new tree in the place of the output folder, in one step, and tidies up after a build that was killed.

Everything happens in a private folder beside the output, `.toolgen-<name>`, so on the same file system:

- `new` is the tree in the making; it may be thrown away at any time.
- `old` is the former tree. While the output is missing, it is the output and is put back.

Where two folders cannot be exchanged, two renames take their place; a kill between them leaves `old` and no
output, which the next start mends.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Mapping

from toolgen.write import disk
from toolgen.write.lockfile import LOCK, LockError, read_lock
from toolgen.write.place import Place
from toolgen.write.tree import Tree, is_litter, parents, scan


class Switch:
    """One output folder's exchange. Its caller holds the lock on the folder's parent."""

    def __init__(self, place: Place) -> None:
        self.parent = place.parent
        self.output = place.path
        self.box = f"{place.parent}/.toolgen-{place.leaf}"
        self.new = f"{self.box}/new"
        self.old = f"{self.box}/old"

    def recover(self) -> None:
        """Undo or finish what a former build, or this one, left half done. The output is complete afterwards.

        The name of the private folder is reserved; whatever else stands there goes.
        """
        box = disk.look(self.box)
        if box is None:
            return
        if stat.S_ISDIR(box.st_mode) and disk.look(self.old) is not None:
            if disk.look(self.output) is None:
                disk.rename(self.old, self.output)
            else:
                self._rescue()
        discard(self.box)

    def stage(self, tree: Tree, carried: Iterable[str], written: Mapping[str, str]) -> None:
        """Make the new tree: files that stay keep their inode, written ones are flushed to the disk."""
        disk.make_folder(self.box, 0o700)
        disk.make_folder(self.new)
        carried = list(carried)
        empty = {path for path in carried if tree.leaves[path] == "folder"}
        folders = sorted(empty.union(*(parents(path) for path in (*carried, *written))))
        for folder in folders:
            disk.make_folder(f"{self.new}/{folder}")
        for path in carried:
            if path not in empty:
                self._carry(path)
        for path, text in sorted(written.items(), key=lambda item: (item[0] == LOCK, item[0])):
            disk.write(f"{self.new}/{path}", text.encode())
        # Last and inside out, since a folder's mode may forbid to fill it.
        for folder in reversed(folders):
            self._finish(folder if folder in tree.folders else None, f"{self.new}/{folder}")
        self._finish("", self.new)
        disk.sync_folder(self.box)

    def _carry(self, path: str) -> None:
        try:
            disk.carry(f"{self.output}/{path}", f"{self.new}/{path}")
        except FileNotFoundError:
            # A running interpreter replaces its caches at any time; they are made again.
            if not is_litter(path):
                raise

    def _finish(self, former: str | None, folder: str) -> None:
        like = None if former is None else disk.look(f"{self.output}/{former}" if former else self.output)
        if like is not None:
            disk.dress(folder, like)
        disk.sync_folder(folder)

    def commit(self) -> None:
        """Put the new tree in the output's place. An error leaves the old one there, or in `old` for `recover`."""
        if disk.look(self.output) is None:
            disk.rename(self.new, self.output)
        elif not disk.exchange(self.new, self.output):
            disk.rename(self.output, self.old)
            disk.rename(self.new, self.output)

    def settle(self) -> None:
        """After `commit`: flush it, keep what came into the old tree meanwhile, remove the rest. May be repeated."""
        if disk.look(self.new) is not None and disk.look(self.old) is None:
            disk.rename(self.new, self.old)
        disk.sync_folder(self.parent)
        if disk.look(self.old) is not None:
            self._rescue()
        discard(self.box)

    def _rescue(self) -> None:
        """Move foreign files that the output lacks out of the old tree: they came after it had been read."""
        tree = scan(self.old)
        try:
            known = {LOCK, *read_lock(disk.read(f"{self.old}/{LOCK}") or b"").files}
        except (FileNotFoundError, LockError):
            known = {LOCK}
        for path, kind in tree.leaves.items():
            if kind == "folder" or path in known or is_litter(path):
                continue
            if disk.look(f"{self.output}/{path}") is None:
                for folder in parents(path):
                    if disk.look(f"{self.output}/{folder}") is None:
                        disk.make_folder(f"{self.output}/{folder}")
                disk.rename(f"{self.old}/{path}", f"{self.output}/{path}")


def discard(path: str) -> None:
    """Remove whatever stands at `path`; links are removed, not followed."""
    info = disk.look(path)
    if info is None:
        return
    if not stat.S_ISDIR(info.st_mode):
        disk.remove_file(path)
        return
    tree = scan(path)
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
        # A carried folder may forbid to change it; this copy of it is ours to remove.
        disk.open_up(path.rpartition("/")[0])
        remove(path)
