"""The location of the output, and the locations that are refused before anything is read or written there."""

from __future__ import annotations

import errno
import os
import stat
import sys
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path

from toolgen.diagnostics import CODES, Findings, Span
from toolgen.diagnostics.finding import RawText, escape_text
from toolgen.write import disk
from toolgen.write.lockfile import FindEdited, PathsOfLock

READ_FOLDERS = ("tools", "types", "providers", "format")
"""Folders of SCHEMAS in which every file is a source: those of `load`, of which this stage knows nothing else."""

_IMPORTED_NAMES = sys.stdlib_module_names | {"pydantic", "pydantic_core", "typing_extensions", "annotated_types"}
"""Names of modules that the package imports, or that everything else does."""

_HINTS = {
    errno.ENOSPC: "free space on the disk, then build again",
    errno.EDQUOT: "free space in the quota, then build again",
    errno.EACCES: "check the permissions of the output folder and of the folder that contains it",
    errno.EPERM: "check the permissions of the output folder and of the folder that contains it",
    errno.EROFS: "the file system is read-only; choose another output folder with --out",
    errno.EBUSY: "a mount point cannot be replaced; choose a folder below it with --out",
    errno.EXDEV: "the output must be on a single file system, and in a container not in an image layer; choose another folder with --out",
}


@dataclass(frozen=True, slots=True)
class RequestedOutput:
    """The arguments of the caller: the output folder, its name in messages, and the SCHEMAS folder.

    Python imports a package by the name of its folder. Other output may have any name. `command` writes the output, and
    has an option `--force`. `span` is where the configuration names the folder. `paths_of_lock` says which files a build
    with the facts of a lock file makes, and `find_edited` which generated files were edited by hand.
    """

    folder: Path
    name: str
    sources: Path
    is_package: bool = True
    command: str = "toolgen build"
    span: Span | None = None
    paths_of_lock: PathsOfLock = lambda _: lambda _: False
    find_edited: FindEdited = lambda _, __: ()


@dataclass(frozen=True, slots=True)
class OutputPath:
    """An accepted output: `parent` is absolute with links resolved; `leaf` is the folder's name in it."""

    parent: str
    leaf: str
    name: str
    command: str = "toolgen build"

    @property
    def path(self) -> str:
        """Return the path of the output folder."""
        return os.path.join(self.parent, self.leaf)

    @property
    def staging_folder(self) -> str:
        """Return the path of a build's private folder beside the output."""
        return os.path.join(self.parent, f".toolgen-{self.leaf}")

    @property
    def folder_span(self) -> Span:
        """Return the output folder as the location of a finding."""
        return Span(display_path(self.name))

    def hint_to_force(self, code: str) -> str:
        """Return the hint of a code, with the command that has the option `--force`."""
        return (CODES[code].hint or "").replace("--force", f"`{self.command} --force`")

    def file_span(self, path: str) -> Span:
        """Return a file of the package as the location of a finding."""
        return Span(display_path(f"{self.name}/{path}"))


def locate_output(output: RequestedOutput, findings: Findings) -> OutputPath | None:
    """Return the location of the output; None, with a finding, for a link, a file, the sources, or their parents.

    A folder inside SCHEMAS is allowed if no declaration is read from it, since SCHEMAS may be a whole project.
    """
    span = output.span or Span(display_path(output.name))
    try:
        parent, leaf = os.path.realpath(output.folder.parent), output.folder.name
        if leaf in ("", ".."):
            parent, leaf = os.path.split(os.path.realpath(output.folder))
        output_path = OutputPath(parent, leaf, output.name, output.command)
        info = disk.inspect_path(output_path.path)
        code = _refusal(output_path, info, output)
    except (OSError, ValueError) as error:  # a NUL in the path is a ValueError
        reason = error if isinstance(error, OSError) else OSError(errno.EINVAL, "not a usable path")
        report_os_error(reason, None, span, findings, action="read")
        return None
    if code:
        findings.add(code, span, folder=output.name)
        return None
    if output.is_package and leaf in _IMPORTED_NAMES and not Path(parent, "__init__.py").exists():
        findings.add("output-hides-module", span, folder=output.name, name=RawText(leaf))
    return output_path


def _refusal(output_path: OutputPath, info: os.stat_result | None, output: RequestedOutput) -> str | None:
    """Return the code of the finding that refuses a location; None if it is accepted. `info` is what is there."""
    sources = Path(os.path.realpath(output.sources))
    if info is not None and stat.S_ISLNK(info.st_mode):
        return "output-is-link"
    if info is not None and not stat.S_ISDIR(info.st_mode):
        return "output-is-file"
    # Compare identity, not spelling, so that neither a case-insensitive disk nor a bind mount hides anything.
    if not output_path.leaf or (info is not None and _is_one_of(info, [sources, *sources.parents])):
        return "output-holds-sources"
    for folder in READ_FOLDERS:
        folder_info = disk.inspect_path(os.path.realpath(sources / folder))
        if folder_info is not None and _is_one_of(
            folder_info, [Path(output_path.path), *Path(output_path.path).parents]
        ):
            return "output-in-sources"
    # A package is imported by its name, so the folder must have one. Its modules are imported relatively.
    name = os.fsencode(output_path.leaf).decode("utf-8", "replace")
    if output.is_package and (not name.isidentifier() or iskeyword(name)):
        return "output-name"
    return None


def _is_one_of(info: os.stat_result, folders: list[Path]) -> bool:
    infos = (disk.inspect_path(str(folder)) for folder in folders)
    return any(each is not None and os.path.samestat(info, each) for each in infos)


def report_os_error(
    error: OSError, output_path: OutputPath | None, span: Span, findings: Findings, *, action: str
) -> None:
    """Report an error of the system as a finding at the file that it concerns, or at `folder_span`."""
    if output_path is not None and isinstance(error.filename, str):
        trees = [f"{output_path.staging_folder}/{tree}/" for tree in ("new", "ready", "old", "gone")]
        for root in (*trees, f"{output_path.path}/"):
            if error.filename.startswith(root):
                span = output_path.file_span(error.filename.removeprefix(root))
    number = error.errno or 0
    if number == errno.EXDEV and output_path is not None and _is_mounted(output_path):
        number = errno.EBUSY
    hint = _HINTS.get(number)
    findings.add("output-failed", span, hint=hint, doing=RawText(action), reason=RawText(os_error_reason(error)))


def _is_mounted(output_path: OutputPath) -> bool:
    """Return whether the output is on another file system than its parent; False if that cannot be found out."""
    try:
        own, parent = disk.inspect_path(output_path.path), disk.inspect_path(output_path.parent)
    except OSError:
        return False
    return own is not None and parent is not None and own.st_dev != parent.st_dev


def os_error_reason(error: OSError) -> str:
    """Return the system's text for an error, without the path, which is not part of a message."""
    return (error.strerror or type(error).__name__).lower()


def display_path(name: str) -> str:
    """Return a path for a finding: with forward slashes, and without terminal control characters."""
    return escape_text(name.replace(os.sep, "/"), limit=1_000)
