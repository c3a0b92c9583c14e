"""The files of a folder that are sources, found by a walk in sorted order that opens no file.

A source has the extension `.yaml`, `.yml` or `.json` in any case. Hidden files and folders (with a leading dot)
and other extensions, such as the backup files of editors, are skipped. A file with the name of a source that is not a
regular file inside SCHEMAS is refused with a finding. It is never opened, so it can neither hang nor leak.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import RawText, closest_names, quote_name
from toolgen.load import limits
from toolgen.load.sources import join_path
from toolgen.load.text_decoding import FaultReporter

EXTENSIONS = frozenset({".yaml", ".yml", ".json"})

READ_FOLDERS = ("tools", "types", "providers", "format")
"""Folders of SCHEMAS in which every file is a source."""

_SIMILAR = 0.75
"""How similar the name of another folder must be to be a misspelling."""

_KINDS = (
    (stat.S_ISREG, "a regular file"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A source file: its location on disk, and its path below SCHEMAS with forward slashes."""

    path: Path
    source: str


@dataclass(slots=True)
class Budget:
    """The number of bytes and values that may still be read in this run. `name` is what messages call their source."""

    name: str
    bytes: int = limits.TOTAL_BYTES
    values: int = limits.TOTAL_VALUES

    def spend_bytes(self, count: int, reporter: FaultReporter) -> None:
        """Subtract the bytes of a file.

        Raises:
            Unreadable: the file is too large, alone or with those before it; the finding is reported.
        """
        if count > limits.FILE_BYTES:
            reporter.abort("source-too-large", path=reporter.path, limit=limits.FILE_BYTES)
        self.bytes -= count
        if self.bytes < 0:
            reporter.abort("too-many-sources", path=self.name, limit=limits.TOTAL_BYTES, what=RawText("bytes"))

    def spend_values(self, count: int, reporter: FaultReporter) -> None:
        """Subtract the values of a file.

        Raises:
            Unreadable: there are too many, with those of the files before it; the finding is reported.
        """
        self.values -= count
        if self.values < 0:
            reporter.abort("too-many-sources", path=self.name, limit=limits.TOTAL_VALUES, what=RawText("values"))


class Folder:
    """SCHEMAS, or the shipped schemas. `shown` is the folder's name in messages."""

    def __init__(self, root: Path, prefix: str, findings: Findings) -> None:
        self.root = root
        self._prefix = prefix
        self._findings = findings
        self._real = Path(os.path.realpath(root))  # Path.resolve raises at a loop of links before Python 3.13
        self._entries = 0
        self._files = 0

    def display_path(self, source: str) -> str:
        """Return the path of a source as spans and messages state it."""
        return join_path(self._prefix, source)

    def list_sources(self, name: str, *, recursive: bool) -> list[FoundFile]:
        """Return the sources in the folder `name`, and in folders below it if `recursive`, sorted by path."""
        top = self.root / name
        mode = _mode(top)
        if mode is None:
            return []
        if stat.S_ISLNK(mode):
            self._refuse_linked_folder(top, name)
            return []
        if not stat.S_ISDIR(mode):
            self._refuse("not-a-file", name, kind=RawText("a file"), wanted=RawText("a folder"))
            return []
        return sorted(self._walk(top, name, limits.FOLDERS_DEEP if recursive else 0), key=lambda file: file.source)

    def list_root_sources(self) -> list[FoundFile]:
        """Return the sources directly in this folder, sorted by path. Report folders with a misspelled name."""
        entries = self._list(self.root, "")
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                self._report_misspelled_name(entry)
        files = [self._file(entry, entry.name) for entry in entries]
        return sorted((file for file in files if file is not None), key=lambda file: file.source)

    def _report_misspelled_name(self, entry: os.DirEntry[str]) -> None:
        """Report a folder with sources whose name is similar to one that is read. SCHEMAS may contain any others."""
        near = closest_names(entry.name, READ_FOLDERS, cutoff=_SIMILAR)
        # On a disk that ignores case, the folder may be the one that is read.
        if not near or entry.name in READ_FOLDERS or _is_same(self.root / near[0], Path(entry.path)):
            return
        if self._has_sources(Path(entry.path), entry.name, limits.FOLDERS_DEEP):
            path = self.display_path(entry.name)
            hint = f"did you mean {quote_name(near[0])}?"
            self._findings.add("misplaced-source", Span(path), hint=hint, path=path)

    def _has_sources(self, folder: Path, name: str, depth: int) -> bool:
        """Return whether a folder has a source, at most `depth` folders below it."""
        if depth < 0:
            return False
        for entry in self._list(folder, name):
            if not entry.is_dir(follow_symlinks=False):
                if _is_source(entry.name):
                    return True
            elif self._has_sources(Path(entry.path), f"{name}/{entry.name}", depth - 1):
                return True
        return False

    def read_source(self, file: FoundFile, budget: Budget, reporter: FaultReporter) -> bytes:
        """Return the bytes of a source.

        Raises:
            Unreadable: it cannot be read, or exceeds a budget; the finding is reported.
        """
        return read_regular_file(file.path, budget, reporter)

    def _walk(self, folder: Path, name: str, depth: int) -> Iterator[FoundFile]:
        """Yield the sources in a folder and in `depth` levels of folders below. Misplaced and linked ones are reported."""
        for entry in self._list(folder, name):
            source = f"{name}/{entry.name}"
            if entry.is_dir(follow_symlinks=False) and not _is_source(entry.name):
                if depth > 0:
                    yield from self._walk(Path(entry.path), source, depth - 1)
                elif any(_is_source(e.name) for e in self._list(Path(entry.path), source)):
                    self._refuse("misplaced-source", source)
                continue
            if entry.is_symlink() and not _is_source(entry.name) and Path(entry.path).is_dir():
                self._refuse_linked_folder(Path(entry.path), source)
                continue
            file = self._file(entry, source)
            if file is not None:
                yield file

    def _file(self, entry: os.DirEntry[str], source: str) -> FoundFile | None:
        """Return the source for a folder entry, or None if it is not a source or was refused."""
        if not _is_source(entry.name):
            return None
        if not source.isprintable():
            self._refuse("unportable-path", source)
            return None
        path = self._target_of_link(entry, source) if entry.is_symlink() else Path(entry.path)
        if path is None:
            return None
        mode = _mode(path)
        if mode is None or not stat.S_ISREG(mode):
            kind = "gone" if mode is None else kind_of_file(mode)
            self._refuse("not-a-file", source, kind=RawText(kind), wanted=RawText("a regular file"))
            return None
        self._files += 1
        if self._files > limits.FILES:
            if self._files == limits.FILES + 1:
                self._report_excess(limits.FILES, "sources")
            return None
        return FoundFile(path, source)

    def _target_of_link(self, entry: os.DirEntry[str], source: str) -> Path | None:
        """Return the path that a link leads to, or None if it was refused."""
        try:
            target = Path(entry.path).resolve(strict=True)
        except (OSError, RuntimeError):
            self._refuse("linked-source", source, problem=RawText("has no target"))
            return None
        if not target.is_relative_to(self._real):
            self._refuse("linked-source", source, problem=RawText("leaves the schemas folder"))
            return None
        return target

    def _list(self, folder: Path, name: str) -> list[os.DirEntry[str]]:
        """Return the entries of a folder except hidden ones, sorted."""
        try:
            with os.scandir(folder) as entries:
                visible = [entry for entry in entries if not entry.name.startswith(".")]
        except OSError as error:
            self._refuse("unreadable-source", name, reason=RawText(error.strerror or type(error).__name__))
            return []
        before = self._entries
        self._entries += len(visible)
        if self._entries > limits.ENTRIES:
            if before <= limits.ENTRIES:
                self._report_excess(limits.ENTRIES, "entries")
            return []
        return sorted(visible, key=lambda entry: entry.name)

    def _refuse_linked_folder(self, folder: Path, source: str) -> None:
        inside = Path(os.path.realpath(folder)).is_relative_to(self._real)
        problem = "points to a folder" if inside else "leaves the schemas folder"
        self._refuse("linked-source", source, problem=RawText(problem))

    def _report_excess(self, limit: int, counted: str) -> None:
        path = self.display_path("")
        self._findings.add("too-many-sources", Span(path), path=path, limit=limit, what=RawText(counted))

    def _refuse(self, code: str, source: str, **values: object) -> None:
        path = self.display_path(source)
        self._findings.add(code, Span(path), hint=None, related=(), path=path, **values)


class EditedFolder(Folder):
    """SCHEMAS with other texts than on disk, by the paths that messages state."""

    def __init__(self, root: Path, prefix: str, findings: Findings, texts: Mapping[str, str]) -> None:
        super().__init__(root, prefix, findings)
        self._texts = texts

    def read_source(self, file: FoundFile, budget: Budget, reporter: FaultReporter) -> bytes:
        """Return the bytes of a source, or of its other text."""
        text = self._texts.get(self.display_path(file.source))
        return super().read_source(file, budget, reporter) if text is None else text.encode()


def _is_source(name: str) -> bool:
    return Path(name).suffix.lower() in EXTENSIONS


def kind_of_file(mode: int) -> str:
    """Return the kind of a file, from its mode, as messages state it."""
    return next((kind for test, kind in _KINDS if test(mode)), "not a file")


def _is_same(path: Path, other: Path) -> bool:
    """Return whether two paths lead to the same file."""
    return path.exists() and path.samefile(other)


def _mode(path: Path) -> int | None:
    """Return the mode of a file, or of a link itself; None if there is nothing at the path."""
    try:
        return path.lstat().st_mode
    except OSError:
        return None


def read_regular_file(path: Path, budget: Budget, reporter: FaultReporter) -> bytes:
    """Return the bytes of a file that was regular when the folder was listed, and must still be.

    It is opened without blocking and without following a link, in case it has been replaced since.

    Raises:
        Unreadable: it cannot be read, or exceeds a budget; the finding is reported.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        with os.fdopen(handle, "rb") as stream:
            mode = os.fstat(handle).st_mode
            if not stat.S_ISREG(mode):
                reporter.abort(
                    "not-a-file",
                    path=reporter.path,
                    kind=RawText(kind_of_file(mode)),
                    wanted=RawText("a regular file"),
                )
            data = stream.read(limits.FILE_BYTES + 1)
    except OSError as error:
        reason = RawText(error.strerror or type(error).__name__)
        reporter.abort("unreadable-source", path=reporter.path, reason=reason)
    budget.spend_bytes(len(data), reporter)
    return data
