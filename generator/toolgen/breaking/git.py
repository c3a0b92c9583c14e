"""Git as it is asked here: objects that are there, and nothing else. It is imported before anything that takes long."""

from __future__ import annotations

import os
import subprocess
from hashlib import sha1
from pathlib import Path, PurePosixPath

__all__ = ["RevisionError", "is_unchanged", "list_revision", "run_git"]

_TIMEOUT = 60
"""Seconds that one call of git may take."""


class RevisionError(Exception):
    """A revision cannot be read. `hint` is what to do."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.hint = hint


def run_git(folder: Path, *arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run git so that it reads objects which are there, and nothing else.

    No attribute, filter or hook applies to the plumbing that is called here. Missing objects are not fetched: in a partial
    clone that would run the program that the repository names as its transport.

    Raises:
        RevisionError: there is no git, or it takes too long.
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
    # Only git is run, with what it takes for data behind --end-of-options or on its standard input.
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


def list_revision(schemas: Path, revision: str, *, merge_base: bool = False) -> tuple[str, str, bytes]:
    """The commit, what paths of SCHEMAS begin with in it, and its listing as `git ls-tree -r -t -z` gives it.

    `merge_base` is the commit at which this branch left the revision.

    Raises:
        RevisionError: it cannot be read.
    """
    folder = schemas if schemas.is_dir() else schemas.parent
    if revision.startswith("-"):
        raise RevisionError("a revision cannot start with a dash", "use a branch, a tag or a commit")
    if (
        run_git(folder, "rev-parse", "--is-inside-work-tree").returncode != 0
        and run_git(folder, "rev-parse").returncode != 0
    ):
        raise RevisionError(
            f"{schemas.as_posix()} is not inside a git repository", "compare with a folder: --against-dir DIR"
        )
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
    inside = PurePosixPath(prefix) if schemas.is_dir() else PurePosixPath(prefix) / schemas.name
    listed = run_git(
        folder, "ls-tree", "-r", "-t", "-z", "--full-tree", commit, "--", f"{inside}/" if str(inside) != "." else "."
    )
    if listed.returncode != 0:
        raise RevisionError(
            f"this clone does not contain the tree of {revision!r}",
            "run `git fetch --unshallow`, or clone without --filter",
        )
    return commit, "" if str(inside) == "." else f"{inside}/", listed.stdout


def _unknown_hint(folder: Path, revision: str) -> str:
    if Path(revision).is_dir():
        return f"to compare with a folder, use --against-dir {revision}"
    if run_git(folder, "rev-parse", "--is-shallow-repository").stdout.strip() == b"true":
        return f"the clone is shallow; run `git fetch --depth=1 origin {revision}`, or set `fetch-depth: 0` in actions/checkout"
    return "`git branch --all` lists branches, and `git tag` lists tags"


def is_unchanged(schemas: Path, revision: str | None, folder: Path | None, *, merge_base: bool = False) -> bool:
    """Whether every source of SCHEMAS is, byte for byte, what it was: then there is no change to look for.

    False wherever that takes a longer look: links, accepted changes, an old side that cannot be read.
    """
    here = _digests(schemas)
    if not here or "accepted.yaml" in here:
        return False
    if revision is None:
        return folder is not None and here == _digests(folder)
    try:
        _, prefix, listing = list_revision(schemas, revision, merge_base=merge_base)
    except RevisionError:
        return False
    there: dict[str, str] = {}
    for line in filter(None, listing.split(b"\0")):
        head, _, name = line.partition(b"\t")
        mode, kind, blob = head.decode().split(" ")[:3]
        source = name.decode("utf-8", "surrogateescape").removeprefix(prefix)
        if kind == "blob" and source.endswith(_SOURCES):
            there[source] = blob if mode.startswith("100") else mode
        elif kind == "commit":
            return False
    return here == there  # a repository whose ids are SHA-256 goes the long way


_SOURCES = (".yaml", ".yml", ".json")


def _digests(schemas: Path) -> dict[str, str]:
    """The id that git gives to each source, by its path below SCHEMAS; nothing where one is no regular file."""
    found: dict[str, str] = {}
    for place, folders, files in os.walk(schemas):
        if any(os.path.islink(os.path.join(place, name)) for name in (*folders, *files)):
            return {}
        for name in files:
            if name.lower().endswith(_SOURCES):
                path = os.path.join(place, name)
                data = Path(path).read_bytes()
                said = sha1(b"blob %d\0" % len(data), usedforsecurity=False)
                said.update(data)
                found[os.path.relpath(path, schemas).replace(os.sep, "/")] = said.hexdigest()
    return found
