"""What a build may find and shall make: the situations in which it is killed and refused."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from write_faults import EXCHANGE, LOCKS, READS, WRITES, At, Dead, install
from write_project import HEADER, ONE, TWO, Project, snapshot

from tests.support.budgets import budget

ALL = READS + WRITES + LOCKS
CHANGES = {*WRITES, EXCHANGE} - {"fsync"}
ON_NAMES = tuple(sorted({*ALL} - {"fstat", "read", "write", "fsync", "flock"}))
"""Operations that find a file by its name. All others are on a file that is open, which has lost its name for all they know."""

BEFORE = {**ONE, "tools/gone.py": f"{HEADER}gone = 2\n", "types.py": f"{HEADER}gone = 3\n"}
"""The files that go stand before and after the lock file in every order."""

AFTER = TWO
FOREIGN = {"notes.txt": "mine", "old/mine.txt": "mine too", "tools/zz.txt": "mine", "zz/mine.txt": "mine", "empty/": ""}


@dataclass(frozen=True)
class Scene:
    """The files of the build before (None: there was none), those of this one, and whether foreign files are there."""

    before: Mapping[str, str] | None
    after: Mapping[str, str]
    foreign: bool


SCENES = {
    "first": Scene(None, AFTER, False),
    "into a foreign folder": Scene(None, AFTER, True),
    "changed": Scene(BEFORE, AFTER, False),
    "changed among foreign files": Scene(BEFORE, AFTER, True),
    "nothing changed": Scene(BEFORE, BEFORE, True),
    "tools deleted": Scene(BEFORE, {"__init__.py": ONE["__init__.py"]}, True),
}


@dataclass(frozen=True)
class Stage:
    """A scene laid out once, to be copied: what the tree is before a build and after it."""

    scene: Scene
    folder: Path
    old: dict[str, str]
    new: dict[str, str]

    def copy(self, root: Path) -> Project:
        """A project in which the scene is set."""
        shutil.copytree(self.folder, root, symlinks=True)
        return Project(root)

    def stands(self, project: Project, *, exchange: bool = True) -> bool:
        """Whether the output is the old tree or the new one, or the old one as the fallback keeps it."""
        output = snapshot(project.out)
        if output in (self.old, self.new):
            return True
        return not exchange and not project.out.exists() and snapshot(project.staging_folder / "old") == self.old


def set_stage(scene: Scene, folder: Path) -> Stage:
    """Lay a scene out, and build it once beside to see the new tree."""
    project = Project(folder / "laid")
    if scene.before is not None:
        assert project.build(dict(scene.before)) is not None
    if scene.foreign:
        add_foreign(project.out)
    shutil.copytree(project.root, folder / "twin", symlinks=True)
    twin = Project(folder / "twin")
    assert twin.build(dict(scene.after)) is not None
    assert not twin.litter()
    return Stage(scene, project.root, snapshot(project.out), snapshot(twin.out))


def add_foreign(out: Path) -> None:
    for path, text in FOREIGN.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        if path.endswith("/"):
            (out / path).mkdir()
        else:
            (out / path).write_text(text)
    (out / "link").symlink_to("nowhere")


def dies(project: Project, files: Mapping[str, str], number: int, exchange: bool) -> bool:
    """Build, and stop short before operation `number`; whether it got that far."""

    def die() -> None:
        raise Dead

    try:
        acts(project, files, number, die, exchange=exchange, once=False)
    except Dead:
        return True
    return False


def acts(
    project: Project,
    files: Mapping[str, str],
    number: int,
    action: Callable[[], None],
    *,
    exchange: bool = True,
    once: bool = True,
    names: tuple[str, ...] = ALL,
) -> tuple[bool, bool]:
    """Build, and do something before operation `number`: whether that was reached, and whether the build was done."""
    with pytest.MonkeyPatch.context() as patch:
        act = At(number, action, once=once)
        install(patch, act, names=names, exchange=exchange)
        done = project.build(dict(files)) is not None
    return act.count >= number, done


def kinds(project: Project, files: Mapping[str, str], exchange: bool) -> list[str]:
    """The operations of a build, in order."""
    operations: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        install(patch, operations.append, names=ALL, exchange=exchange)
        assert project.build(dict(files)) is not None
    assert (EXCHANGE in operations) <= exchange
    return operations


def first_of(system: bool, stage: Stage, folder: Path) -> int:
    """The number of the first operation that shows on which system a build is: up to there, both do the same."""
    if system:
        return 1
    systems = (kinds(stage.copy(folder / f"system {name}"), stage.scene.after, name) for name in (True, False))
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*systems, strict=False))
    return sum(1 for _ in same) + 1


def changing(operations: Sequence[str]) -> list[int]:
    """The numbers of the operations that change what the disk has, and the number after the last one.

    Before any other operation, a killed build leaves what it would leave before the next one of these.
    """
    numbers = (number for number, kind in enumerate(operations, 1) if kind in CHANGES)
    return [*numbers, len(operations) + 1]


def changing_and_some(operations: Sequence[str], offset: int, first: int = 1) -> list[int]:
    """The operations from one on that change what the disk has, and every sixth of the others: all with a large budget."""
    step = budget(6, 1)
    numbers = {*changing(operations), *range(1 + offset % step, len(operations), step)}
    return sorted(number for number in numbers if number >= first)


def outside(folder: Path) -> Path:
    """A folder that no build may touch, with names that the output has, too."""
    folder.mkdir()
    for path in (*BEFORE, *AFTER, "notes.txt", "mine.txt"):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(f"outside {path}")
    return folder


def marks(folder: Path) -> dict[str, tuple[str, int, int]]:
    """Content, mode and time of every file in a folder."""
    marks_by_path = {}
    for base, _, files in os.walk(folder):
        for name in files:
            path = Path(base, name)
            info = path.lstat()
            marks_by_path[str(path)] = (path.read_text(), info.st_mode, info.st_mtime_ns)
    return marks_by_path
