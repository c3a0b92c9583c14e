"""SCHEMAS at a git revision, read from a listing and its blobs. Nothing is checked out, fetched or executed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from toolgen.breaking.git import RevisionError, TreeEntry, list_revision, run_git
from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import RawText
from toolgen.load.folder import EXTENSIONS, Budget, Folder, FoundFile
from toolgen.load.text_decoding import FaultReporter

NO_CONTENT = "not-a-file"
"""The code of an entry whose content is not in the tree."""

_LFS = b"version https://git-lfs.github.com/spec/"

_KINDS = {"120000": "a link", "160000": "a submodule", "040000": "a folder"}


class RevisionSources(NamedTuple):
    """The id of a commit, and the bytes of each source of SCHEMAS by its path; for other kinds of files, the kind."""

    commit: str
    files: Mapping[str, bytes | str]


def read_revision_sources(schemas: Path, revision: str, *, merge_base: bool = False) -> RevisionSources | None:
    """Return the sources of SCHEMAS at a revision.

    None if SCHEMAS did not exist then. With `merge_base`, it is the commit at which this branch left the revision.

    Raises:
        RevisionError: The revision cannot be read.
    """
    tree = list_revision(schemas, revision, merge_base=merge_base)
    entries = [entry for entry in tree.entries if _is_source(entry)]
    if not entries:
        return None
    return RevisionSources(tree.commit, _contents(schemas if schemas.is_dir() else schemas.parent, entries))


def _is_source(entry: TreeEntry) -> bool:
    """Return whether an entry is a source, or something that may stand for one."""
    path = PurePosixPath(entry.source)
    if entry.kind == "tree" or any(part.startswith(".") for part in path.parts):
        return False
    return path.suffix.lower() in EXTENSIONS or entry.mode in ("160000", "120000")


def _contents(folder: Path, entries: Sequence[TreeEntry]) -> dict[str, bytes | str]:
    """Return the bytes of each source; for anything but a regular file, the kind, such as `a link`.

    Raises:
        RevisionError: The clone lacks a blob.
    """
    blobs = sorted({entry.blob for entry in entries if entry.mode not in _KINDS})
    data = run_git(folder, "cat-file", "--batch", data="".join(f"{blob}\n" for blob in blobs).encode()).stdout
    contents: dict[str, bytes | str] = {}
    at = 0
    for blob in blobs:
        end = data.find(b"\n", at)
        head = data[at:end].split(b" ")
        if end < 0 or len(head) != 3:
            raise RevisionError(
                "this clone lacks some sources of that revision", "run `git fetch --refetch --filter=blob:limit=10m`"
            )
        size = int(head[2])
        content = data[end + 1 : end + 1 + size]
        contents[blob] = "a Git LFS pointer" if content.startswith(_LFS) else content
        at = end + 1 + size + 1
    return {entry.source: _KINDS.get(entry.mode) or contents[entry.blob] for entry in entries}


class RevisionFolder(Folder):
    """SCHEMAS at a revision, as a folder for `load`. An entry without content is a warning."""

    def __init__(self, files: Mapping[str, bytes | str], prefix: str, findings: Findings) -> None:
        self._files_at = files
        self._prefix = prefix
        self._findings = findings

    def list_sources(self, name: str, *, recursive: bool) -> list[FoundFile]:
        """Return the sources in the folder `name`, and in folders below it if `recursive`, sorted by path."""
        inside = [source for source in self._files_at if source.startswith(f"{name}/")]
        return [FoundFile(Path(source), source) for source in sorted(inside) if self._check_source(source, recursive)]

    def list_root_sources(self) -> list[FoundFile]:
        """Return the sources directly in the folder itself, sorted by path."""
        return [FoundFile(Path(s), s) for s in sorted(self._files_at) if "/" not in s and self._check_source(s, True)]

    def _check_source(self, source: str, recursive: bool) -> bool:
        """Return whether a source is to be read. It may be too deep, or no file, such as a link; the latter is reported."""
        content = self._files_at[source]
        if isinstance(content, str):
            path = self.display_path(source)
            kind, wanted = RawText(content), RawText("a regular file")
            self._findings.add(NO_CONTENT, Span(path), path=path, kind=kind, wanted=wanted)
            self._findings.change_last_level("warning")
            return False
        return recursive or source.count("/") == 1

    def read_source(self, file: FoundFile, budget: Budget, reporter: FaultReporter) -> bytes:
        """Return the bytes of a source.

        Raises:
            Unreadable: It is too large. The finding has been reported.
        """
        data = self._files_at[file.source]
        assert isinstance(data, bytes)
        budget.spend_bytes(len(data), reporter)
        return data
