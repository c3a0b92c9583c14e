"""What a build does to the output folder, decided before anything is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from toolgen.write.state import Files, State
from toolgen.write.tree import home, is_litter, parents

Paths = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """Paths in the package, each sorted.

    `edited` are generated files that somebody changed; those that a build would overwrite or delete are in
    `changed` or `deleted`, too. `foreign` is what toolgen did not write and leaves alone; `blocked` is the part
    of it that stands where a generated file must go, which no build may solve.
    """

    created: Paths = ()
    changed: Paths = ()
    deleted: Paths = ()
    unchanged: Paths = ()
    edited: Paths = ()
    foreign: Paths = ()
    blocked: Paths = ()

    @property
    def any(self) -> bool:
        """Whether the build writes or deletes something."""
        return bool(self.created or self.changed or self.deleted)


def changes(files: Files, state: State) -> Changes:
    """Compare the wanted package, lock file included, with what is there."""
    standing = {path: state.standing(path, text) for path, text in files.items()}
    stale = {path: state.standing(path, None) for path in (state.lock.files if state.lock else ()) if path not in files}
    deleted = {path for path, how in stale.items() if how in ("ours", "edited")}
    unchanged = {path for path, how in standing.items() if how in ("same", "crlf")}
    changed = {path for path, how in standing.items() if how in ("ours", "edited")}
    foreign = {p for p in state.tree.leaves if p not in deleted | unchanged | changed and not is_litter(p)}
    return Changes(
        created=_sorted(path for path, how in standing.items() if how == "missing"),
        changed=_sorted(changed),
        deleted=_sorted(deleted),
        unchanged=_sorted(unchanged),
        edited=_sorted(path for path, how in [*standing.items(), *stale.items()] if how == "edited"),
        foreign=_sorted(foreign),
        blocked=_sorted(_blocking(files, state, foreign)),
    )


def _blocking(files: Files, state: State, foreign: set[str]) -> set[str]:
    """Foreign leaves at a generated file's path, at the path of a folder it needs, or below its path."""
    folders = {folder for path in files for folder in parents(path)}
    return {
        leaf
        for leaf in foreign
        if leaf in files
        or (leaf in folders and state.tree.leaves[leaf] != "folder")
        or any(folder in files for folder in parents(leaf))
    }


def carried(plan: Changes, state: State) -> list[str]:
    """The leaves that go into the new tree as they are: unchanged, foreign, and litter whose folder lives on."""
    alive = {""}
    for path in (*plan.created, *plan.changed, *plan.unchanged, *plan.foreign):
        alive.update(parents(path))
    emptied = {folder for path in plan.deleted for folder in ("", *parents(path))}
    litter = [p for p in state.tree.leaves if is_litter(p) and (home(p) in alive or home(p) not in emptied)]
    return sorted({*plan.unchanged, *plan.foreign, *litter})


def _sorted(paths: Iterable[str]) -> Paths:
    return tuple(sorted(paths))
