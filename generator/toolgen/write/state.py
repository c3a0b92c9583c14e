"""How each file in the output folder stands to toolgen: the same, ours, edited by hand, foreign, missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from toolgen.write import disk
from toolgen.write.lockfile import LOCK, LONGEST, MARK, Lock, LockError, digest, read_lock
from toolgen.write.tree import Tree, scan

Files = Mapping[str, str]
"""A package as text: a file's path in it, relative and with forward slashes, to the file's text."""

Standing = Literal["missing", "same", "crlf", "ours", "edited", "foreign"]

_BEGINNING = 400


@dataclass(frozen=True, slots=True)
class State:
    """The output folder as it was read.

    `content` has the bytes of the files that the lock or the build names; a file too large to be generated has
    None. `trouble` says why there is no lock although there is a lock file.
    """

    exists: bool = False
    tree: Tree = field(default_factory=Tree)
    lock: Lock | None = None
    trouble: str | None = None
    content: Mapping[str, bytes | None] = field(default_factory=dict[str, bytes | None], repr=False)

    def standing(self, path: str, wanted: str | None) -> Standing:
        """Decide how the file at `path` stands, where the build wants the text `wanted` (None: no file).

        `same` has the wanted bytes, `crlf` has them but for its line ends, whoever wrote it. `ours` is as we
        wrote it; line ends are not held against it, since version control may change them.
        """
        kind = self.tree.leaves.get(path)
        recorded = self.lock.files.get(path) if self.lock else None
        if kind is None:
            return "missing"
        if kind != "file":
            return "edited" if kind == "link" and (recorded or path == LOCK) else "foreign"
        data = self.content.get(path)
        if data is not None and wanted is not None:
            if data == wanted.encode():
                return "same"
            if lf(data) == wanted.encode():
                return "crlf"
        if path == LOCK:
            return "ours"
        if recorded is not None:
            return "ours" if data is not None and recorded in (digest(data), digest(lf(data))) else "edited"
        # Without a lock, the mark alone says that it was ours; nothing says that nobody edited it since.
        marked = data is not None and wanted is not None and MARK.encode() in data[:_BEGINNING]
        return "edited" if marked else "foreign"


def lf(data: bytes) -> bytes:
    """`data` with the line ends that toolgen writes."""
    return data.replace(b"\r\n", b"\n")


def read_state(folder: str, wanted: Iterable[str]) -> State:
    """Read the output folder; `wanted` are the paths that the build writes.

    Raises:
        OSError: something in it cannot be read.
    """
    if disk.look(folder) is None:
        return State()
    tree = scan(folder)
    lock, trouble = None, None
    if tree.leaves.get(LOCK) == "file":
        try:
            text = disk.read(f"{folder}/{LOCK}", LONGEST)
            if text is None:
                raise LockError("it is too large to be one")
            lock = read_lock(text)
        except LockError as error:
            trouble = str(error)
    elif LOCK in tree.leaves or LOCK in tree.folders:
        trouble = "it is no file"
    named = {*wanted, *(lock.files if lock else ()), LOCK}
    content = {
        path: disk.read(f"{folder}/{path}") for path, kind in tree.leaves.items() if kind == "file" and path in named
    }
    return State(True, tree, lock, trouble, content)
