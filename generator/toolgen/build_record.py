"""The records that a build leaves outside the project: with one, the next build is skipped if nothing changed.

A build record belongs to one sources folder and one output folder. It has a digest of this tool, and the stamp and
digest of every file in both folders. `build` is skipped if all stamps are equal; `check` also computes the digests of
all files. Anything else (other arguments, an added or missing file, links, leftovers of a killed build) causes a normal
build: a record saves time and decides nothing. It is in the user's cache folder, and only records of the same user are
trusted. The lock file is not trusted, because it is among the files to check.

Another record belongs to an output folder alone: the digest of each file that the last build wrote there, whatever its
arguments. It shows which files were edited by hand since (`hand_edits.py`).

The purpose is a fast start, so this module imports only what Python has loaded already.
"""

from __future__ import annotations

import os
import sys
import time

from toolgen import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from io import BufferedReader

    Stamp = tuple[int, int, int, int]

FORMAT = f"toolgen {__version__}, record 1"

COARSE_TIMESTAMP_NS = 2_000_000_000
"""The resolution of stamps in whole seconds, with some margin, in nanoseconds: two writes may have the same stamp."""

FINE_TIMESTAMP_NS = 50_000_000
"""The same for other file systems: a tick of the kernel's clock, with some margin."""

LEFTOVER_PREFIX = ".toolgen"
"""The prefix of temporary files and folders that a build creates next to its output."""

UNSURE: Stamp = (-1, 0, 0, 0)
"""The stamp of a file that changed just before it was recorded. It never matches, so the file is read again."""


def cached_output(arguments: list[str]) -> str | None:
    """Return what `build` or `check` print if nothing changed; None if they have to run.

    `arguments` are the command line. Only a sources folder and `--out FOLDER` are supported here.
    """
    folders = _folders(arguments)
    if folders is None:
        return None
    schemas, out = folders
    command = arguments[0]
    try:
        with _opened(_record_path(schemas, out)) as file:
            text = file.read().decode("utf-8", "surrogateescape")
        format, tool, package, build_output, check_output, *entries = text.split("\n")
        roots = {"s": os.path.abspath(schemas), "o": _text(package)}
        if format != FORMAT or tool != _tool() or os.path.islink(roots["o"]) or _has_litter(roots["o"]):
            return None
        recorded = dict(map(_entry, entries))
        current = {(kind, path): full_path for kind, root in roots.items() for path, full_path in _files(root)}
        if current.keys() != recorded.keys():
            return None
        for key, (stamp, digest) in recorded.items():
            if (command != "build" or _stamp(current[key]) != stamp) and _digest(current[key]) != digest:
                return None
    except (OSError, ValueError):
        return None  # no usable record, or files are changing right now
    return _text(build_output if command == "build" else check_output) or None


def save_record(
    schemas: str,
    out: str | None,
    package: str,
    *,
    build_output: str,
    check_output: str,
    sources: Mapping[str, str],
    files: Mapping[str, str],
) -> str:
    """Record a build. Return the reason if that fails, else an empty string.

    Nothing is recorded if the files on disk differ by now.

    Args:
        schemas: The sources folder, as it was given.
        out: The value of `--out`; None if it was not given.
        package: The output folder.
        build_output: What `build` will print if nothing changes; empty if it has to run.
        check_output: The same for `check`.
        sources: The SHA-256 of each file that was read in SCHEMAS, by path.
        files: The SHA-256 of every file of `package`, by path.
    """
    texts = (os.path.abspath(package), build_output, check_output)
    lines = [FORMAT, _tool(), *(text.encode("utf-8", "surrogateescape").hex() for text in texts)]
    now = time.time_ns()
    try:
        record_path = _record_path(schemas, out)
        lines += _entry_lines("s", schemas, sources, now)
        lines += _entry_lines("o", package, files, now)
        _replace(record_path, "\n".join(lines).encode("utf-8", "surrogateescape"))
    except (OSError, ValueError) as error:
        return str(error)  # only a cache: without it the next build takes longer
    return ""


def _entry_lines(kind: str, root: str, expected: Mapping[str, str], now: int) -> Iterator[str]:
    """Yield the lines of a record for the files in a folder. `kind` is `s` for the sources, and `o` for the output.

    Raises:
        ValueError: The files differ from the expected ones. The message says how.
    """
    current = dict(_files(os.path.abspath(root)))
    for path, file in current.items():
        if kind == "o" and path not in expected and path.endswith((".py", ".pyi")):
            raise ValueError(f"{path} was not written by toolgen")
        line = _entry_line(kind, path, file, expected.get(path), now)
        if line is None:
            raise ValueError(f"{path} has changed since")
        yield line
    if not expected.keys() <= current.keys():
        raise ValueError("files have disappeared since")


def _entry_line(kind: str, path: str, file: str, expected: str | None, now: int) -> str | None:
    """Return the line of a record for a file; None if it changes right now, or has not the expected digest, if any."""
    stamp = _stamp(file)
    digest = _digest(file)
    has_expected_digest = expected in (None, digest) or expected == _digest(file, as_text=True)
    if _stamp(file) != stamp or not has_expected_digest:
        return None
    is_coarse = stamp[1] % 1_000_000_000 == 0
    is_fresh = max(stamp[1:3]) > now - (COARSE_TIMESTAMP_NS if is_coarse else FINE_TIMESTAMP_NS)
    return " ".join((kind, *map(str, UNSURE if is_fresh else stamp), digest, path))


def save_written(package: str, files: Mapping[str, str]) -> None:
    """Record the SHA-256 of each file of a package that was written, or that is what a build would write."""
    text = "".join(f"{digest} {path}\n" for path, digest in sorted(files.items()))
    if read_written(package) == dict(files):
        return
    from contextlib import suppress

    with suppress(OSError, ValueError):  # without the record, only git shows edits
        _replace(_written_path(package), text.encode())


def read_written(package: str) -> dict[str, str] | None:
    """Return the SHA-256 of each file that the last build wrote to an output folder, by path.

    It is empty if there is no usable record, and None if no record can be kept here.
    """
    try:
        record_path = _written_path(package)
    except ValueError:
        return None
    try:
        with _opened(record_path) as file:
            lines = file.read().decode().splitlines()
    except (OSError, ValueError):
        return {}
    return {path: digest for digest, _, path in (line.partition(" ") for line in lines)}


def _written_path(package: str) -> str:
    """Return the path of the record of an output folder.

    Raises:
        ValueError: There is no cache folder and none can be created, or it is next to the output.
    """
    folder = os.path.realpath(package)
    return os.path.join(
        _cache_folder(os.path.dirname(folder)), _hash(folder.encode("utf-8", "surrogateescape")) + ".written"
    )


def _replace(path: str, content: bytes) -> None:
    """Write a file of the cache atomically, because several builds may run at the same time."""
    for folder in (os.path.dirname(os.path.dirname(path)), os.path.dirname(path)):
        if not os.path.isdir(folder):
            os.mkdir(folder, 0o700)
    draft = f"{path}.{os.getpid()}"
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(content)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise


def _opened(path: str) -> BufferedReader:
    """Open a file of the cache.

    Raises:
        ValueError: Other users may have written it.
    """
    file = open(path, "rb")  # noqa: SIM115 - the caller closes it
    for info in (os.lstat(os.path.dirname(path)), os.fstat(file.fileno())):
        if info.st_uid != os.geteuid() or info.st_mode & 0o022:
            file.close()
            raise ValueError("other users may write to the cache")
    return file


def _folders(arguments: list[str]) -> tuple[str, str | None] | None:
    """Return the sources folder and `--out` of a supported command line; None for any other."""
    if not arguments or arguments[0] not in ("build", "check"):
        return None
    folders, out = arguments[1:], None
    if "--out" in folders:
        i = folders.index("--out")
        out = folders[i + 1] if i + 1 < len(folders) else ""
        folders = folders[:i] + folders[i + 2 :]
    values = folders if out is None else [*folders, out]
    if len(folders) > 1 or any(not value or value[0] == "-" for value in values):
        return None
    return (folders[0] if folders else "schemas"), out


def _record_path(schemas: str, out: str | None) -> str:
    """Return the path of a build record.

    Raises:
        ValueError: There is no cache folder and none can be created, or it is next to the sources, where toolgen
            creates no files.
    """
    cache = _cache_folder(os.path.dirname(os.path.realpath(schemas)))
    # The printed output contains the folders as they were given.
    names = "\n".join((os.getcwd(), *map(os.path.normpath, (schemas, "" if out is None else out))))
    return os.path.join(cache, _hash(names.encode("utf-8", "surrogateescape")))


def _cache_folder(project: str) -> str:
    """Return toolgen's folder in the user's cache. `project` is a folder in which it must not be.

    Raises:
        ValueError: There is no cache folder and none can be created, or it is in the project.
    """
    home = os.path.expanduser("~")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    if not os.path.isabs(cache) or not (os.path.isdir(cache) or os.path.isdir(os.path.dirname(cache))):
        raise ValueError("there is no cache folder; set XDG_CACHE_HOME to the absolute path of a folder")
    if f"{os.path.realpath(cache)}{os.sep}".startswith(f"{project}{os.sep}"):
        raise ValueError("the cache folder is next to the sources, where toolgen creates no files")
    return os.path.join(cache, "toolgen")


_SHIPPED = (
    ("templates",),
    ("schemas", "format"),
    ("schemas", "meta"),
    ("schemas", "providers"),
    ("runtime", "toolgen_runtime"),
)
"""Folders that are inside the package or installed beside it by a wheel, and next to it in a checkout."""


def _tool() -> str:
    """Return a digest of everything that determines the output: Python, toolgen's files, and installed packages."""
    package = os.path.dirname(os.path.abspath(__file__))
    beside = os.path.dirname(os.path.dirname(package))
    parts = [sys.version]
    for folder in (package, *(os.path.join(beside, *names) for names in _SHIPPED)):
        if os.path.isdir(folder):
            parts += [f"{path} {_stamp(full_path)}" for path, full_path in _files(folder)]
    installed = [p for p in sys.path if p.endswith("-packages") and os.path.isdir(p)]
    parts += [f"{folder} {os.stat(folder).st_mtime_ns}" for folder in installed]
    return _hash("\n".join(parts).encode("utf-8", "surrogateescape"))


def _files(root: str, below: str = "") -> Iterator[tuple[str, str]]:
    """Yield the files in a folder, by their relative paths, except for Python's compiled modules.

    Raises:
        ValueError: There is something other than files and folders.
    """
    with os.scandir(os.path.join(root, below)) as entries:
        for entry in sorted(entries, key=lambda e: e.name):
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _files(root, path)
            elif entry.is_file(follow_symlinks=False) and "\n" not in path:
                yield path, entry.path
            else:
                raise ValueError("not a regular file")


def _has_litter(package: str) -> bool:
    return any(name.startswith(LEFTOVER_PREFIX) for name in os.listdir(os.path.dirname(package)))


def _stamp(path: str) -> Stamp:
    """Return the size, modification time, change time and inode of a file."""
    info = os.lstat(path)
    return info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino


def _digest(path: str, *, as_text: bool = False) -> str:
    """Return the digest of a file. As text, it has LF at the ends of its lines and no byte order mark."""
    with open(path, "rb") as file:
        data = file.read()
    return _hash(data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n") if as_text else data)


def _hash(data: bytes) -> str:
    from hashlib import sha256

    return sha256(data).hexdigest()


def _text(field: str) -> str:
    return bytes.fromhex(field).decode("utf-8", "surrogateescape")


def _entry(line: str) -> tuple[tuple[str, str], tuple[Stamp, str]]:
    """Return an entry of a record: the kind of its folder and its path, and its stamp and digest."""
    kind, size, modified, changed, inode, digest, path = line.split(" ", 6)
    return (kind, path), ((int(size), int(modified), int(changed), int(inode)), digest)
