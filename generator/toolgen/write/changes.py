"""The content of the output folder, the status of each file in it, and what a build changes.

All of this is decided before anything is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from toolgen.write import disk
from toolgen.write.lockfile import (
    LOCK,
    MARK,
    MAX_LOCK_BYTES,
    Lock,
    LockError,
    differ_only_in_version,
    digest,
    has_conflict,
    read_lock,
)

Kind = Literal["file", "link", "folder", "other"]

_LITTER = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
_CACHE = "__pycache__"


@dataclass(frozen=True, slots=True)
class FolderTree:
    """The content of a folder, by relative path with forward slashes.

    `leaves` has everything except folders with content; a leaf of kind `folder` is empty. `folders` has every
    folder, including empty ones, parents first.
    """

    leaves: Mapping[str, Kind] = field(default_factory=dict[str, Kind])
    folders: tuple[str, ...] = ()


def list_tree(root: str) -> FolderTree:
    """Read the tree under `root`. A link to a folder is a leaf."""
    leaves: dict[str, Kind] = {}
    folders: list[str] = []
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        found = disk.list_folder(f"{root}/{folder}" if folder else root)
        if folder:
            folders.append(folder)
            if not found:
                leaves[folder] = "folder"
        for entry in found:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_symlink():
                leaves[path] = "link"
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            else:
                leaves[path] = "file" if entry.is_file(follow_symlinks=False) else "other"
    return FolderTree(dict(sorted(leaves.items())), tuple(sorted(folders)))


def is_litter(path: str) -> bool:
    """Return whether Python or a file manager created this file and will create it again."""
    *folders, name = path.split("/")
    return name in _LITTER or name == _CACHE or (_CACHE in folders and ".pyc" in name)


def folder_outside_pycache(path: str) -> str:
    """Return the folder that litter belongs to: the nearest one that is not a cache itself."""
    parts = path.split("/")[:-1]
    return "/".join(parts[: parts.index(_CACHE)] if _CACHE in parts else parts)


def parent_folders(path: str) -> list[str]:
    """Return the folders that contain `path`, outermost first, without the root."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


Files = Mapping[str, str]
"""The files of a package: relative path with forward slashes to text."""

FileStatus = Literal["missing", "same", "crlf", "ours", "edited", "foreign"]

_BEGINNING = 400


@dataclass(frozen=True, slots=True)
class OutputState:
    """The output folder as it was read.

    `content` has the bytes of the files that the lock file or the build names, or None for a file too large to be
    generated. `trouble` is the reason why a lock file cannot be used.
    """

    exists: bool = False
    tree: FolderTree = field(default_factory=FolderTree)
    lock: Lock | None = None
    trouble: str | None = None
    content: Mapping[str, bytes | None] = field(default_factory=dict[str, bytes | None], repr=False)

    def file_status(self, path: str, wanted: str | None) -> FileStatus:
        """Return the status of the file at `path`. `wanted` is the text that the build writes there, None for no file.

        `same` has the wanted bytes and `crlf` differs only in line ends, whoever wrote it. `ours` is as toolgen
        wrote it; line ends are ignored, since version control may change them.
        """
        kind = self.tree.leaves.get(path)
        recorded = self.lock.files.get(path) if self.lock else None
        if kind is None:
            return "missing"
        if kind != "file":
            return "edited" if kind == "link" and (recorded or path == LOCK) else "foreign"
        data = self.content.get(path)
        plain = normalize_newlines(data) if data is not None else b""
        if data is not None and wanted is not None:
            bytes_wanted = wanted.encode()
            if data == bytes_wanted:
                return "same"
            if plain == bytes_wanted:
                return "crlf"
        if path == LOCK:
            return "ours"
        if recorded is not None:
            known = {recorded, self.lock.merged.get(path) if self.lock else None}
            if data is not None and (digest(plain) in known or digest(data) in known or self._is_merged(path, data)):
                return "ours"
            return "edited"
        # Without a lock file, the mark alone shows that toolgen wrote it; whether it was edited is unknown.
        marked = data is not None and wanted is not None and MARK.encode() in data[:_BEGINNING]
        return "edited" if marked else "foreign"

    def _is_merged(self, path: str, data: bytes) -> bool:
        """Return whether version control merged the file from two that toolgen wrote."""
        both = self.lock is not None and path in self.lock.merged
        return MARK.encode() in data[:_BEGINNING] and (both or has_conflict(data))


def normalize_newlines(data: bytes) -> bytes:
    """Return `data` with the line ends that toolgen writes."""
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data


def read_state(folder: str, wanted: Iterable[str]) -> OutputState:
    """Read the output folder. `wanted` are the paths that the build writes.

    Raises:
        OSError: something in it cannot be read.
    """
    if disk.inspect_path(folder) is None:
        return OutputState()
    tree = list_tree(folder)
    lock, trouble = None, None
    if tree.leaves.get(LOCK) == "file":
        try:
            text = disk.read_file(f"{folder}/{LOCK}", MAX_LOCK_BYTES)
            if text is None:
                raise LockError("it is too large for a lock file")
            lock = read_lock(text)
        except LockError as error:
            trouble = str(error)
    elif LOCK in tree.leaves or LOCK in tree.folders:
        trouble = "it is not a file"
    named = {*wanted, *(lock.files if lock else ()), LOCK}
    content = {
        path: disk.read_file(f"{folder}/{path}")
        for path, kind in tree.leaves.items()
        if kind == "file" and path in named
    }
    return OutputState(True, tree, lock, trouble, content)


Paths = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """Paths in the package, each tuple sorted.

    `edited` are generated files that somebody changed. Those that a build would overwrite or delete are also in
    `changed` or `deleted`. `unmanaged` are unmanaged files, which toolgen leaves alone. `blocked` are those of them
    at the path of a generated file, a conflict that no build may resolve. `files` is what the build
    would write, including the lock file.
    """

    created: Paths = ()
    changed: Paths = ()
    deleted: Paths = ()
    unchanged: Paths = ()
    edited: Paths = ()
    unmanaged: Paths = ()
    blocked: Paths = ()
    files: Files = field(default_factory=dict[str, str], repr=False, compare=False)

    @property
    def has_changes(self) -> bool:
        """Return whether the build writes or deletes something."""
        return bool(self.created or self.changed or self.deleted)


def plan_changes(files: Files, state: OutputState) -> Changes:
    """Compare the wanted package, including the lock file, with the output folder."""
    standing = {path: state.file_status(path, text) for path, text in files.items()}
    stale = {
        path: state.file_status(path, None) for path in (state.lock.files if state.lock else ()) if path not in files
    }
    deleted = {path for path, how in stale.items() if how in ("ours", "edited")}
    unchanged = {path for path, how in standing.items() if how in ("same", "crlf")}
    changed = {path for path, how in standing.items() if how in ("ours", "edited")}
    managed = deleted | unchanged | changed
    foreign = {path for path in state.tree.leaves if path not in managed and not is_litter(path)}
    return Changes(
        created=_sorted(path for path, how in standing.items() if how == "missing"),
        changed=_sorted(changed),
        deleted=_sorted(deleted),
        unchanged=_sorted(unchanged),
        edited=_sorted(path for path, how in [*standing.items(), *stale.items()] if how == "edited"),
        unmanaged=_sorted(foreign),
        blocked=_sorted(_blocking(files, state, foreign)),
        files=files,
    )


def ignore_version(plan: Changes, state: OutputState, wanted: Files) -> Changes:
    """Return the changes; none if only the lock file differs, and only in the versions."""
    data = state.content.get(LOCK)
    alone = plan.changed == (LOCK,) and not plan.created and not plan.deleted
    if not alone or data is None or not differ_only_in_version(data, wanted[LOCK]):
        return plan
    return replace(plan, changed=(), unchanged=_sorted([*plan.unchanged, LOCK]))


def _blocking(files: Files, state: OutputState, foreign: set[str]) -> set[str]:
    """Return unmanaged leaves at a generated file's path, at the path of a folder that it needs, or below its path."""
    folders = {folder for path in files for folder in parent_folders(path)}
    return {
        leaf
        for leaf in foreign
        if leaf in files
        or (leaf in folders and state.tree.leaves[leaf] != "folder")
        or any(folder in files for folder in parent_folders(leaf))
    }


def files_to_carry(plan: Changes, state: OutputState) -> list[str]:
    """Return the leaves that stay as they are: unchanged and unmanaged ones, and litter of remaining folders."""
    alive = {""}
    for path in (*plan.created, *plan.changed, *plan.unchanged, *plan.unmanaged):
        alive.update(parent_folders(path))
    emptied = {folder for path in plan.deleted for folder in ("", *parent_folders(path))}
    litter = [
        p
        for p in state.tree.leaves
        if is_litter(p) and (folder_outside_pycache(p) in alive or folder_outside_pycache(p) not in emptied)
    ]
    return sorted({*plan.unchanged, *plan.unmanaged, *litter})


def _sorted(paths: Iterable[str]) -> Paths:
    return tuple(sorted(paths))
