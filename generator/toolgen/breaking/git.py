"""Read-only access to local git objects. It is imported before modules that take long, so it imports little."""

from __future__ import annotations

import os
import subprocess
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
    found = run_git(folder, "cat-file", "blob", f"{commit}:./{path}")
    return found.stdout if found.returncode == 0 else None


class TreeEntry(NamedTuple):
    """An entry of a tree of git below SCHEMAS: its mode, its kind, the id of its content, and its path there."""

    mode: str
    kind: str
    blob: str
    source: str


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


def list_revision(schemas: Path, revision: str, *, merge_base: bool = False) -> tuple[str, list[TreeEntry]]:
    """Return the commit of a revision, and everything below SCHEMAS in it.

    With `merge_base`, it is the commit at which this branch left the revision.

    Raises:
        RevisionError: The revision cannot be read.
    """
    folder = schemas if schemas.is_dir() else schemas.parent
    if revision.startswith("-"):
        raise RevisionError("a revision cannot start with a dash", "use a branch, a tag or a commit")
    inside = run_git(folder, "rev-parse")
    if b"dubious ownership" in inside.stderr:
        raise RevisionError(
            "git does not read this repository, because it belongs to another user",
            "trust it with `git config --global --add safe.directory PATH`, with the path of the repository",
        )
    if inside.returncode != 0:
        broken = any(os.path.lexists(parent / ".git") for parent in (folder.absolute(), *folder.absolute().parents))
        problem = "is inside a repository that git cannot read" if broken else "is not inside a git repository"
        hint = "run `git status` to see why, or c" if broken else "c"
        raise RevisionError(f"{schemas.as_posix()} {problem}", f"{hint}ompare with a folder: --against-dir DIR")
    found = run_git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    commit = found.stdout.decode().strip()
    if found.returncode != 0 or not commit:
        raise RevisionError(f"this repository has no revision {revision!r}", _unknown_hint(folder, revision))
    if merge_base:
        base = run_git(folder, "merge-base", "HEAD", commit)
        if base.returncode != 0:
            raise RevisionError(
                f"HEAD and {revision!r} have no common commit in this clone", "run `git fetch --unshallow`"
            )
        commit = base.stdout.decode().strip()
    prefix = run_git(folder, "rev-parse", "--show-prefix").stdout.decode().strip()
    places = [PurePosixPath(prefix) if schemas.is_dir() else PurePosixPath(prefix) / schemas.name]
    if schemas.is_symlink():  # perhaps it was a folder then
        outside = run_git(schemas.absolute().parent, "rev-parse", "--show-prefix").stdout.decode().strip()
        places.append(PurePosixPath(outside) / schemas.name)
    listings = [_list_tree(folder, revision, commit, place) for place in places]
    below, listing = next((pair for pair in zip(places, listings, strict=True) if pair[1]), (places[-1], listings[-1]))
    prefix = "" if str(below) == "." else f"{below}/"
    entries = []
    for line in filter(None, listing.split(b"\0")):
        head, _, name = line.partition(b"\t")
        mode, kind, blob = head.decode().split(" ")[:3]
        path = name.decode("utf-8", "surrogateescape")
        if path.startswith(prefix):
            entries.append(TreeEntry(mode, kind, blob, path.removeprefix(prefix)))
    return commit, entries


_FETCH_ALL = 'git fetch --unshallow --tags origin "+refs/heads/*:refs/remotes/origin/*"'
"""Fetches all commits, branches and tags. A shallow clone has one branch, and fetches no other without being told."""


def _unknown_hint(folder: Path, revision: str) -> str:
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
        here = _digests(schemas)
        if not here or "accepted.yaml" in here:
            return False
        if revision is None:
            file = old_folder.parent / lock if old_folder is not None else None
            data = file.read_bytes() if file is not None and file.is_file() else b""
            return old_folder is not None and here == _digests(old_folder) and _is_made_by(version, data)
        commit, entries = list_revision(schemas, revision, merge_base=merge_base)
    except (OSError, RevisionError):
        return False
    there = {
        entry.source: entry.blob if entry.mode.startswith("100") else entry.mode
        for entry in entries
        if entry.kind == "blob" and entry.source.endswith(_SOURCES)
    }
    if here != there or any(entry.kind == "commit" for entry in entries):
        return False  # ids in a SHA-256 repository always differ, so it gets the full comparison
    return _is_made_by(version, read_committed_file(schemas.absolute().parent, commit, lock) or b"")


_SOURCES = (".yaml", ".yml", ".json")


def _is_made_by(version: str, lock: bytes) -> bool:
    """Return whether a release made a package, by its lock file. True if there is none."""
    return not lock or f'version = "{version}"'.encode() in lock


def _digests(schemas: Path) -> dict[str, str]:
    """Return the git id of each source, by its path below SCHEMAS; nothing if there is a link or a pipe.

    Raises:
        OSError: A folder or file cannot be read.
    """
    found: dict[str, str] = {}
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
                found[os.path.relpath(path, schemas).replace(os.sep, "/")] = digest.hexdigest()
    return found


def _raise(error: OSError) -> NoReturn:
    raise error
