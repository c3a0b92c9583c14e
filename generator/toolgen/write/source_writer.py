"""`write_sources`: adds files to folders of sources, all or none, and changes only files that it may replace.

A folder is exchanged as a whole, like the output of a build. Its other content keeps its inodes.
If a later folder cannot be written, the earlier ones are restored.
"""

from __future__ import annotations

import codecs
import errno
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from toolgen.diagnostics import Findings, Span
from toolgen.write import disk
from toolgen.write.atomic_swap import AtomicSwap, remove_recursively
from toolgen.write.changes import Files, FolderTree, list_tree, normalize_newlines
from toolgen.write.output_path import OutputPath, display_path, report_os_error
from toolgen.write.package_writer import make_parents, remove_parents, replace_output, report_in_the_way


@dataclass(frozen=True, slots=True)
class FolderAddition:
    """Files for a folder, which need not exist. `name` is the folder's name in messages.

    `replacing` has the current text of each file that may be overwritten; any other existing file is in the way.
    """

    files: Files = field(repr=False)
    folder: Path
    name: str
    replacing: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


@dataclass(frozen=True, slots=True)
class AddResult:
    """Paths in the folder: created files, files that already had the text, and changed files."""

    created: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """One folder as it was found, and the files to write there."""

    addition: FolderAddition
    output_path: OutputPath
    swap: AtomicSwap
    existed: bool
    tree: FolderTree = field(repr=False)
    written: Files = field(repr=False)

    @property
    def added(self) -> AddResult:
        """Return what the step changes in the folder."""
        created = tuple(sorted(path for path in self.written if path not in self.tree.leaves))
        changed = tuple(sorted(path for path in self.written if path in self.tree.leaves))
        return AddResult(created, tuple(sorted(self.addition.files.keys() - self.written.keys())), changed)


def write_sources(additions: Sequence[FolderAddition], findings: Findings) -> tuple[AddResult, ...] | None:
    """Write files into folders beside each other, in order.

    Return None, with an error in the findings, if nothing was done. An existing file with another text is in the
    way unless it may be replaced. Line ends are ignored.
    """
    span = Span(display_path(additions[0].name))
    output_paths: list[OutputPath] = []
    added: tuple[AddResult, ...] | None = None
    made_folders: list[str] = []
    try:
        output_paths = [
            OutputPath(os.path.realpath(each.folder.parent), each.folder.name, each.name) for each in additions
        ]
        if not _report_refused(output_paths, findings):
            make_parents(output_paths[0].parent, made_folders)
            with disk.lock_folder(output_paths[0].parent):
                added = _locked_add(additions, output_paths, findings)
    except disk.LockedError:
        made_folders.clear()  # the other command may be using them
        findings.add("another-build", span, folder=additions[0].name)
    except (OSError, RuntimeError, ValueError) as error:
        # A loop of links is a RuntimeError before Python 3.13. A NUL in the path is a ValueError.
        reason = error if isinstance(error, OSError) else OSError(errno.EINVAL, "not a usable path")
        at_fault = next((p for p in output_paths if _is_about(reason, p)), output_paths[0] if output_paths else None)
        report_os_error(reason, at_fault, span, findings, action="written")
    finally:
        if added is None:
            remove_parents(made_folders)
    return added


def _is_about(error: OSError, output_path: OutputPath) -> bool:
    return isinstance(error.filename, str) and error.filename.startswith(
        (f"{output_path.staging_folder}/", f"{output_path.path}/")
    )


def _report_refused(output_paths: Sequence[OutputPath], findings: Findings) -> bool:
    """Report the paths at which there is something else than a folder. Return whether there are any."""
    is_refused = False
    for output_path in output_paths:
        info = disk.inspect_path(output_path.path)
        if info is not None and not stat.S_ISDIR(info.st_mode):
            code = "output-is-link" if stat.S_ISLNK(info.st_mode) else "output-is-file"
            findings.add(code, output_path.folder_span, folder=output_path.name)
            is_refused = True
    return is_refused


def _locked_add(
    additions: Sequence[FolderAddition], output_paths: Sequence[OutputPath], findings: Findings
) -> tuple[AddResult, ...] | None:
    """Add the files while the locks are held, all or none. Returns None, with an error, if one is in the way."""
    steps = [_step(addition, output_path) for addition, output_path in zip(additions, output_paths, strict=True)]
    if _report_blocked(steps, findings):
        return None
    done: list[_Step] = []
    try:
        for step in steps:
            if step.written:
                carried = [path for path in step.tree.leaves if path not in step.written]
                replace_output(step.swap, step.tree, carried, step.written, step.output_path, findings)
                done.append(step)
    except BaseException:
        for step in reversed(done):
            _put_back(step, findings)
        raise
    return tuple(step.added for step in steps)


def _step(addition: FolderAddition, output_path: OutputPath) -> _Step:
    """Return what is to be done for a folder, after finishing an interrupted change of it."""
    swap = AtomicSwap(output_path)
    swap.recover()
    existed = disk.inspect_path(output_path.path) is not None
    tree = list_tree(output_path.path) if existed else FolderTree()
    written = {path: text for path, text in addition.files.items() if not _has_text(path, text, output_path, tree)}
    return _Step(addition, output_path, swap, existed, tree, written)


def _put_back(step: _Step, findings: Findings) -> None:
    """Undo an exchange: remove the created files, and restore the text of the replaced ones."""
    if not step.existed:
        remove_recursively(step.output_path.path)
        return
    former = {path: step.addition.replacing[path] for path in step.added.changed}
    if former:
        tree = list_tree(step.output_path.path)
        carried = [path for path in tree.leaves if path not in former]
        replace_output(step.swap, tree, carried, former, step.output_path, findings)
    for path in step.added.created:
        disk.remove_file(f"{step.output_path.path}/{path}")


def _has_text(path: str, text: str, output_path: OutputPath, tree: FolderTree) -> bool:
    data = disk.read_file(f"{output_path.path}/{path}") if tree.leaves.get(path) == "file" else None
    return data is not None and text.encode() in (data, normalize_newlines(data))


def _report_blocked(steps: Sequence[_Step], findings: Findings) -> bool:
    """Report whatever is at the path of a new file, ignoring case. Return whether there is anything."""
    is_blocked = False
    for step in steps:
        tree = step.tree
        existing = {path.casefold(): path for path in (*tree.leaves, *tree.folders)}
        conflicts = [
            path if path in tree.leaves else existing[path.casefold()]
            for path in sorted(step.written)
            if path.casefold() in existing
        ]
        blocked = [path for path in conflicts if not _is_replaced(path, step)]
        report_in_the_way([("import-exists", path) for path in blocked], step.output_path, findings)
        is_blocked |= bool(blocked)
    return is_blocked


def _is_replaced(path: str, step: _Step) -> bool:
    """Return whether a file still has the text that may be overwritten."""
    text = step.addition.replacing.get(path)
    if text is None or step.tree.leaves.get(path) != "file":
        return False
    data = disk.read_file(f"{step.output_path.path}/{path}")
    return data is not None and normalize_newlines(data).removeprefix(codecs.BOM_UTF8) == text.encode()
