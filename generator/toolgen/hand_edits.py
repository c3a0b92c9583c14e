"""Which generated files were edited by hand, as far as the record of the last build on this machine, or git, can show it.

A lock file is the same after two builds that changed no payload, so it does not tell one build from another alone. But
where the lock file in the output is the recorded one, or the committed one, other files that toolgen wrote are too. A
file with other content was edited, unless git has this content: then somebody committed, merged or checked it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha1, sha256
from pathlib import Path
from typing import NamedTuple

from toolgen.build_record import read_written

LOCK = "toolgen.lock"


def find_edited_files(folder: Path, lock: bytes, files: Mapping[str, bytes]) -> set[str]:
    """Return the paths of the files that were edited by hand.

    Args:
        folder: The output folder.
        lock: Its lock file.
        files: The content of generated files that differ from what a build would write, by path.
    """
    written = read_written(str(folder))
    if written is None:
        return set()  # a build leaves no record here, so nothing shows that the last build wrote something else
    suspects = {path: data for path, data in files.items() if not _is_recorded(data, written.get(path))}
    if not suspects:
        return set()
    git = _blobs(folder)
    unknown_to_git = {
        path
        for path, data in suspects.items()
        if _git_ids(data).isdisjoint((git.committed.get(path), git.staged.get(path)))
    }
    edited: set[str] = set()
    if _is_recorded(lock, written.get(LOCK)):
        edited |= unknown_to_git & written.keys()
    if git.committed.get(LOCK) in _git_ids(lock):
        edited |= unknown_to_git & (git.committed.keys() | git.staged.keys())
    return edited


def _is_recorded(data: bytes, digest: str | None) -> bool:
    return digest is not None and digest in {sha256(text).hexdigest() for text in _line_ends(data)}


def _line_ends(data: bytes) -> set[bytes]:
    """Return data as it is, and with the line ends that toolgen writes: version control may have changed them."""
    return {data, data.replace(b"\r\n", b"\n")}


def _git_ids(data: bytes) -> set[str | None]:
    """Return the ids that git may have given to a file, in a repository of either kind."""
    texts = [b"blob %d\0" % len(text) + text for text in _line_ends(data)]
    old = {sha1(text, usedforsecurity=False).hexdigest() for text in texts}
    return {*old, *(sha256(text).hexdigest() for text in texts)}


class _Blobs(NamedTuple):
    """Git's id of each file below a folder, by path: in the last commit, and in the index."""

    committed: dict[str, str]
    staged: dict[str, str]


def _blobs(folder: Path) -> _Blobs:
    """Return the ids of the files below a folder; none without git."""
    from toolgen.breaking.git import RevisionError, run_git  # late: few builds need it

    try:
        tree = run_git(folder, "ls-tree", "-r", "-z", "HEAD").stdout
        index = run_git(folder, "ls-files", "--stage", "-z").stdout
    except RevisionError:
        return _Blobs({}, {})
    return _Blobs(_ids(tree, 2), _ids(index, 1))


def _ids(listing: bytes, column: int) -> dict[str, str]:
    """Return the ids in a listing of git, by path. `column` is that of the ids."""
    ids: dict[str, str] = {}
    for entry in filter(None, listing.split(b"\0")):
        head, _, path = entry.partition(b"\t")
        ids[path.decode("utf-8", "surrogateescape")] = head.split()[column].decode()
    return ids
