"""`add`: puts new files into a folder of sources, all of them or none, and changes no file that is there.

The folder is exchanged as a whole, as the output of a build is: what stands in it goes along under the same inodes.
"""

from __future__ import annotations

import errno
import stat
from dataclasses import dataclass
from pathlib import Path

from toolgen.diagnostics import Findings, Span
from toolgen.write import disk
from toolgen.write.building import LISTED, exchange, make_parents, remove_parents
from toolgen.write.place import Place, report, shown
from toolgen.write.state import Files, lf
from toolgen.write.switch import Switch
from toolgen.write.tree import Tree, scan


@dataclass(frozen=True, slots=True)
class Added:
    """Paths in the folder: files that were made, and those that had the very text already."""

    created: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()


def add(files: Files, folder: Path, name: str, findings: Findings) -> Added | None:
    """Write files into a folder, which may be missing. None, with an error among the findings, if nothing was done.

    A file that is there with another text is in the way, and is never overwritten; line ends do not matter. The
    names of files may not need a folder inside of the folder. `name` is the folder as messages show it.
    """
    span = Span(shown(name))
    place: Place | None = None
    added: Added | None = None
    made: list[str] = []
    try:
        place = Place(str(folder.parent.resolve()), folder.name, name)
        if not _is_refused(place, findings):
            make_parents(place.parent, made)
            with disk.locked(place.parent):
                added = _locked_add(files, place, findings)
    except disk.LockedError:
        made.clear()  # the other command may be at work in them
        findings.add("another-build", span, folder=name)
    except (OSError, RuntimeError, ValueError) as error:
        # A loop of links is a RuntimeError before Python 3.13, a NUL in the path a ValueError.
        reason = error if isinstance(error, OSError) else OSError(errno.EINVAL, "no usable path")
        report(reason, place, span, findings, doing="written")
    finally:
        if added is None:
            remove_parents(made)
    return added


def _is_refused(place: Place, findings: Findings) -> bool:
    info = disk.look(place.path)
    if info is None or stat.S_ISDIR(info.st_mode):
        return False
    code = "output-is-link" if stat.S_ISLNK(info.st_mode) else "output-is-file"
    findings.add(code, place.span, folder=place.name)
    return True


def _locked_add(files: Files, place: Place, findings: Findings) -> Added | None:
    switch = Switch(place)
    switch.recover()
    tree = scan(place.path) if disk.look(place.path) is not None else Tree()
    unchanged = {path for path, text in files.items() if _is_there(path, text, place, tree)}
    created = {path: text for path, text in files.items() if path not in unchanged}
    if _is_blocked(created, place, tree, findings):
        return None
    if created:
        exchange(switch, tree, tree.leaves, created, place, findings)
    return Added(tuple(sorted(created)), tuple(sorted(unchanged)))


def _is_there(path: str, text: str, place: Place, tree: Tree) -> bool:
    data = disk.read(f"{place.path}/{path}") if tree.leaves.get(path) == "file" else None
    return data is not None and text.encode() in (data, lf(data))


def _is_blocked(created: Files, place: Place, tree: Tree, findings: Findings) -> bool:
    """Report what stands at the path of a new file, or would on a disk that overlooks case."""
    there = {path.casefold(): path for path in (*tree.leaves, *tree.folders) if "/" not in path}
    blocked = [there[path] for path in sorted(created) if path in there]
    for path in blocked[:LISTED]:
        findings.add("import-exists", place.span_of(path), file=f"{place.name}/{path}")
    if len(blocked) > LISTED:
        findings.add("more-in-the-way", place.span, count=len(blocked) - LISTED)
    return bool(blocked)
