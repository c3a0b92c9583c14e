"""The content of the output folder, the status of each file in it, and what a build changes.

All of this is decided before anything is written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from toolgen.write import disk
from toolgen.write.lockfile import (
    HEADER_BYTES,
    LOCK,
    MAX_LOCK_BYTES,
    FindEdited,
    Lock,
    LockError,
    PathsOfLock,
    differ_only_in_version,
    digest,
    has_conflict,
    has_header,
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
        entries = disk.list_folder(f"{root}/{folder}" if folder else root)
        if folder:
            folders.append(folder)
            if not entries:
                leaves[folder] = "folder"
        for entry in entries:
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


Paths = tuple[str, ...]

Files = Mapping[str, str]
"""The files of a package: relative path with forward slashes to text."""

FileStatus = Literal["missing", "same", "crlf", "ours", "foreign"]


@dataclass(frozen=True, slots=True)
class OutputState:
    """The output folder as it was read.

    `content` has the bytes of the lock file, of the files that the build names, and of the files that may be stale, or
    None for a file too large to be generated. `stale` are files that toolgen wrote and that the build does not make: a
    page that the lock file lists, or a module with the header at the path of one that a build with the facts of the lock
    file makes. `strays` are other files with the header that the build does not make. `trouble` is the reason why a lock
    file cannot be used.
    """

    exists: bool = False
    tree: FolderTree = field(default_factory=FolderTree)
    lock: Lock | None = None
    trouble: str | None = None
    content: Mapping[str, bytes | None] = field(default_factory=dict[str, bytes | None], repr=False)
    stale: frozenset[str] = frozenset()
    strays: frozenset[str] = frozenset()

    def file_status(self, path: str, wanted: str) -> FileStatus:
        """Return the status of the file at the path of a file that the build makes. `wanted` is its text.

        `same` has the wanted bytes and `crlf` differs only in line ends, whoever wrote it. `ours` is another file that
        toolgen wrote, which may have been edited.
        """
        kind = self.tree.leaves.get(path)
        if kind is None:
            return "missing"
        if kind != "file":
            return "foreign"
        data = self.content.get(path)
        if data is not None:
            if data == wanted.encode():
                return "same"
            if normalize_newlines(data) == wanted.encode():
                return "crlf"
        is_listed = self.lock is not None and path in self.lock.files
        return "ours" if path == LOCK or is_listed or (data is not None and has_header(data)) else "foreign"

    def edited(self, paths: Iterable[str], find_edited: FindEdited) -> Paths:
        """Return which of the files that toolgen wrote were edited by hand. A file with conflict markers was not."""
        listed = self.lock.files if self.lock is not None else {}
        edited: set[str] = set()
        unlisted: dict[str, bytes] = {}
        for path in paths:
            data = self.content.get(path)
            if path in listed:
                if data is None or listed[path] not in (digest(data), digest(normalize_newlines(data))):
                    edited.add(path)
            elif data is not None and path != LOCK and not has_conflict(data):
                unlisted[path] = data
        lock = self.content.get(LOCK)
        if unlisted and lock is not None:
            edited.update(find_edited(lock, unlisted))
        return _sorted(edited)


def normalize_newlines(data: bytes) -> bytes:
    """Return `data` with the line ends that toolgen writes."""
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data


def read_state(folder: str, wanted: Collection[str], paths_of_lock: PathsOfLock) -> OutputState:
    """Read the output folder. `wanted` are the paths that the build writes.

    Raises:
        OSError: something in it cannot be read.
    """
    if disk.inspect_path(folder) is None:
        return OutputState()
    tree = list_tree(folder)
    lock, trouble = None, None
    try:
        lock = _read_lock_of(folder, tree)
    except LockError as error:
        trouble = str(error)
    files = [path for path, kind in tree.leaves.items() if kind == "file"]
    content = {path: disk.read_file(f"{folder}/{path}") for path in files if path in wanted or path == LOCK}
    is_made = paths_of_lock(lock) if lock is not None and lock.is_package else lambda _: False
    listed = lock.files if lock is not None else {}
    stale: dict[str, bytes | None] = {}
    strays: set[str] = set()
    for path in files:
        if path in content or is_litter(path):
            continue
        if path in listed or is_made(path):
            data = disk.read_file(f"{folder}/{path}")
            if path in listed or (data is not None and has_header(data)):
                stale[path] = data
        elif _is_visible(path) and _has_header_on_disk(f"{folder}/{path}"):
            strays.add(path)
    return OutputState(True, tree, lock, trouble, content | stale, frozenset(stale), frozenset(strays))


def _has_header_on_disk(path: str) -> bool:
    """Return whether a file has the header of generated files; False for one of somebody else that cannot be read."""
    try:
        return has_header(disk.read_beginning(path, HEADER_BYTES))
    except OSError:
        return False


def _read_lock_of(folder: str, tree: FolderTree) -> Lock | None:
    """Return the lock file of a folder; None if there is none.

    Raises:
        LockError: it cannot be used.
    """
    if tree.leaves.get(LOCK) == "file":
        data = disk.read_file(f"{folder}/{LOCK}", MAX_LOCK_BYTES)
        if data is None:
            raise LockError("it is too large for a lock file")
        return read_lock(data)
    if LOCK in tree.leaves or LOCK in tree.folders:
        raise LockError("it is not a file")
    return None


def _is_visible(path: str) -> bool:
    return not any(part.startswith(".") for part in path.split("/"))


@dataclass(frozen=True, slots=True)
class Changes:
    """Paths in the package, each tuple sorted.

    `edited` are generated files that somebody changed. Those that a build would overwrite or delete are also in
    `changed` or `deleted`. `unmanaged` are unmanaged files, which toolgen leaves alone. `strays` are those of them with
    the header of generated files. `blocked` are those at the path of a generated file, a conflict that no build may
    resolve. `files` is what the build would write, including the lock file.
    """

    created: Paths = ()
    changed: Paths = ()
    deleted: Paths = ()
    unchanged: Paths = ()
    edited: Paths = ()
    unmanaged: Paths = ()
    strays: Paths = ()
    blocked: Paths = ()
    files: Files = field(default_factory=dict[str, str], repr=False, compare=False)

    @property
    def has_changes(self) -> bool:
        """Return whether the build writes or deletes something."""
        return bool(self.created or self.changed or self.deleted)


def plan_changes(files: Files, state: OutputState, find_edited: FindEdited) -> Changes:
    """Compare the wanted package, including the lock file, with the output folder."""
    statuses = {path: state.file_status(path, text) for path, text in files.items()}
    unchanged = {path for path, status in statuses.items() if status in ("same", "crlf")}
    changed = {path for path, status in statuses.items() if status == "ours"}
    managed = state.stale | unchanged | changed
    unmanaged = {path for path in state.tree.leaves if path not in managed and not is_litter(path)}
    return Changes(
        created=_sorted(path for path, status in statuses.items() if status == "missing"),
        changed=_sorted(changed),
        deleted=_sorted(state.stale),
        unchanged=_sorted(unchanged),
        edited=state.edited(changed | state.stale, find_edited),
        unmanaged=_sorted(unmanaged),
        strays=_sorted(state.strays),
        blocked=_sorted(_blocking(files, state, unmanaged)),
        files=files,
    )


def ignore_version(plan: Changes, state: OutputState, wanted: Files) -> Changes:
    """Return the changes; none if only the lock file differs, and only in the versions."""
    data = state.content.get(LOCK)
    only_lock = plan.changed == (LOCK,) and not plan.created and not plan.deleted
    if not only_lock or data is None or not differ_only_in_version(data, wanted[LOCK]):
        return plan
    return replace(plan, changed=(), unchanged=_sorted([*plan.unchanged, LOCK]))


def _blocking(files: Files, state: OutputState, unmanaged: set[str]) -> set[str]:
    """Return unmanaged leaves at a generated file's path, at the path of a folder that it needs, or below its path."""
    folders = {folder for path in files for folder in parent_folders(path)}
    return {
        leaf
        for leaf in unmanaged
        if leaf in files
        or (leaf in folders and state.tree.leaves[leaf] != "folder")
        or any(folder in files for folder in parent_folders(leaf))
    }


def files_to_carry(plan: Changes, state: OutputState) -> list[str]:
    """Return the leaves that stay as they are: unchanged and unmanaged ones, and litter of remaining folders."""
    remaining = {""}
    for path in (*plan.created, *plan.changed, *plan.unchanged, *plan.unmanaged):
        remaining.update(parent_folders(path))
    emptied = {folder for path in plan.deleted for folder in ("", *parent_folders(path))} - remaining
    litter = [leaf for leaf in state.tree.leaves if is_litter(leaf) and folder_outside_pycache(leaf) not in emptied]
    return sorted({*plan.unchanged, *plan.unmanaged, *litter})


def _sorted(paths: Iterable[str]) -> Paths:
    return tuple(sorted(paths))
