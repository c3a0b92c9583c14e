"""Read-only access to local git objects. It is imported before modules that take long, so it imports little."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from hashlib import sha1
from pathlib import Path, PurePosixPath
from typing import NamedTuple, NoReturn

_TIMEOUT = 60
"""Timeout of one git command, in seconds."""


class RevisionError(Exception):
    """A revision that cannot be read. `hint` says what to do."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.hint = hint


def run_git(folder: Path, *arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run git so that it only reads local objects.

    The commands that are used here apply no attributes, filters or hooks. Missing objects are not fetched: in a partial
    clone, a fetch would run the program that the repository names as its transport.

    Raises:
        RevisionError: Git is not installed, or does not respond in time.
    """
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C",
    }
    # Only git is run. Input from outside follows --end-of-options, or comes through its standard input.
    command = ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=", "-C", str(folder), *arguments]
    try:
        return subprocess.run(  # noqa: S603
            command, input=data, capture_output=True, env=environment, timeout=_TIMEOUT, check=False
        )
    except FileNotFoundError:
        raise RevisionError(
            "git is not installed", "install git, or compare with a folder: --against-dir DIR"
        ) from None
    except subprocess.TimeoutExpired:
        raise RevisionError(
            f"git did not respond within {_TIMEOUT} seconds", "compare with a folder: --against-dir DIR"
        ) from None


def read_committed_file(folder: Path, commit: str, path: str) -> bytes | None:
    """Return the bytes of a file in a commit, by its path relative to a folder; None if it does not exist."""
    blob = run_git(folder, "cat-file", "blob", f"{commit}:./{path}")
    return blob.stdout if blob.returncode == 0 else None


class TreeEntry(NamedTuple):
    """An entry of a tree of git below SCHEMAS: its mode, its kind, the id of its content, and its path there."""

    mode: str
    kind: str
    blob: str
    source: str


class RevisionTree(NamedTuple):
    """The id of a commit, and everything below SCHEMAS in it."""

    commit: str
    entries: list[TreeEntry]


def _list_tree(folder: Path, revision: str, commit: str, place: PurePosixPath) -> bytes:
    """Return git's list of what a commit has at a path. Empty if there is nothing.

    Raises:
        RevisionError: The clone lacks the tree.
    """
    where = f"{place}/" if str(place) != "." else "."
    listed = run_git(folder, "ls-tree", "-r", "-t", "-z", "--full-tree", commit, "--", where)
    if listed.returncode != 0:
        raise RevisionError(
            f"this clone does not contain the tree of {revision!r}",
            "run `git fetch --unshallow`, or clone without --filter",
        )
    return listed.stdout


def list_revision(schemas: Path, revision: str, *, merge_base: bool = False) -> RevisionTree:
    """Return the commit of a revision, and everything below SCHEMAS in it.

    With `merge_base`, it is the commit at which this branch left the revision.

    Raises:
        RevisionError: The revision cannot be read.
    """
    folder = schemas if schemas.is_dir() else schemas.parent
    if revision.startswith("-"):
        raise RevisionError("a revision cannot start with a dash", "use a branch, a tag or a commit")
    _check_repository(folder, schemas)
    commit = _resolve_commit(folder, revision, merge_base=merge_base)
    place, listing = _first_listing(schemas, folder, revision, commit)
    prefix = "" if str(place) == "." else f"{place}/"
    entries = []
    for line in filter(None, listing.split(b"\0")):
        head, _, name = line.partition(b"\t")
        mode, kind, blob = head.decode().split(" ")[:3]
        path = name.decode("utf-8", "surrogateescape")
        if path.startswith(prefix):
            entries.append(TreeEntry(mode, kind, blob, path.removeprefix(prefix)))
    return RevisionTree(commit, entries)


def _check_repository(folder: Path, schemas: Path) -> None:
    """Check that a folder is inside a repository that git can read.

    Raises:
        RevisionError: It is not. The message names SCHEMAS.
    """
    result = run_git(folder, "rev-parse")
    if b"dubious ownership" in result.stderr:
        raise RevisionError(
            "git does not read this repository, because it belongs to another user",
            "trust it with `git config --global --add safe.directory PATH`, with the path of the repository",
        )
    if result.returncode == 0:
        return
    if any(os.path.lexists(parent / ".git") for parent in (folder.absolute(), *folder.absolute().parents)):
        raise RevisionError(
            f"{schemas.as_posix()} is inside a repository that git cannot read",
            "run `git status` to see why, or compare with a folder: --against-dir DIR",
        )
    raise RevisionError(
        f"{schemas.as_posix()} is not inside a git repository", "compare with a folder: --against-dir DIR"
    )


def _resolve_commit(folder: Path, revision: str, *, merge_base: bool) -> str:
    """Return the id of the commit of a revision, or of the one at which this branch left it.

    Raises:
        RevisionError: There is none.
    """
    result = run_git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    commit = result.stdout.decode().strip()
    if result.returncode != 0 or not commit:
        raise RevisionError(f"this repository has no revision {revision!r}", _unknown_hint(folder, revision))
    if not merge_base:
        return commit
    base = run_git(folder, "merge-base", "HEAD", commit)
    if base.returncode != 0:
        raise RevisionError(f"HEAD and {revision!r} have no common commit in this clone", "run `git fetch --unshallow`")
    return base.stdout.decode().strip()


def _first_listing(schemas: Path, folder: Path, revision: str, commit: str) -> tuple[PurePosixPath, bytes]:
    """Return the path of SCHEMAS in a commit, and git's list of what is there. A link may have been a folder then.

    Raises:
        RevisionError: The clone lacks the tree.
    """
    prefix = PurePosixPath(_path_in_repository(folder))
    places = [prefix if schemas.is_dir() else prefix / schemas.name]
    if schemas.is_symlink():
        places.append(PurePosixPath(_path_in_repository(schemas.absolute().parent)) / schemas.name)
    listings = [(place, _list_tree(folder, revision, commit, place)) for place in places]
    return next((pair for pair in listings if pair[1]), listings[-1])


def _path_in_repository(folder: Path) -> str:
    return run_git(folder, "rev-parse", "--show-prefix").stdout.decode().strip()


_FETCH_ALL = 'git fetch --unshallow --tags origin "+refs/heads/*:refs/remotes/origin/*"'
"""Fetches all commits, branches and tags. A shallow clone has one branch, and fetches no other without being told."""


def _unknown_hint(folder: Path, revision: str) -> str:
    """Return what to do about a revision that git does not know."""
    if revision and Path(revision).is_dir():
        return f"to compare with a folder, use --against-dir {revision}"
    if run_git(folder, "rev-parse", "--is-shallow-repository").stdout.strip() == b"true":
        return f"the clone is shallow; run `{_FETCH_ALL}`, or set `fetch-depth: 0` in actions/checkout"
    return "`git branch --all` lists branches, and `git tag` lists tags"


def is_unchanged(
    schemas: Path,
    revision: str | None,
    old_folder: Path | None,
    *,
    merge_base: bool = False,
    out: str | None = None,
    version: str = "",
) -> bool:
    """Return whether every source of SCHEMAS has the same bytes as before, so that there is nothing to compare.

    Returns False if only a full comparison can decide: links, accepted changes, an old side that cannot be read, or a
    package in the folder `out` that another release than `version` made, with payloads that may differ.
    """
    lock = f"{out or 'generated'}/toolgen.lock"
    try:
        current = _digests(schemas)
        if not current or "accepted.yaml" in current:
            return False
        if revision is None:
            if old_folder is None or current != _digests(old_folder):
                return False
            file = old_folder.parent / lock
            return _is_made_by(version, file.read_bytes() if file.is_file() else b"")
        tree = list_revision(schemas, revision, merge_base=merge_base)
    except (OSError, RevisionError):
        return False
    if not _has_digests(tree, current):
        return False
    return _is_made_by(version, read_committed_file(schemas.absolute().parent, tree.commit, lock) or b"")


def _has_digests(tree: RevisionTree, digests: Mapping[str, str]) -> bool:
    """Return whether a commit has exactly the sources with these git ids. They always differ in a SHA-256 repository."""
    committed = {
        entry.source: entry.blob if entry.mode.startswith("100") else entry.mode
        for entry in tree.entries
        if entry.kind == "blob" and entry.source.endswith(_SOURCES)
    }
    return digests == committed and not any(entry.kind == "commit" for entry in tree.entries)


_SOURCES = (".yaml", ".yml", ".json")


def _is_made_by(version: str, lock: bytes) -> bool:
    """Return whether a release made a package, by its lock file. True if there is none."""
    return not lock or f'version = "{version}"'.encode() in lock


def _digests(schemas: Path) -> dict[str, str]:
    """Return the git id of each source, by its path below SCHEMAS; nothing if there is a link or a pipe.

    Raises:
        OSError: A folder or file cannot be read.
    """
    digests: dict[str, str] = {}
    for folder, folders, files in os.walk(schemas, onerror=_raise):
        if any(os.path.islink(os.path.join(folder, name)) for name in (*folders, *files)):
            return {}
        if not all(os.path.isfile(os.path.join(folder, name)) for name in files):
            return {}
        for name in files:
            if name.lower().endswith(_SOURCES):
                path = os.path.join(folder, name)
                data = Path(path).read_bytes()
                digest = sha1(b"blob %d\0" % len(data), usedforsecurity=False)
                digest.update(data)
                digests[os.path.relpath(path, schemas).replace(os.sep, "/")] = digest.hexdigest()
    return digests


def _raise(error: OSError) -> NoReturn:
    raise error
