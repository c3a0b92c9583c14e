"""Killed, failed, interrupted or disturbed before every single operation: the old tree or the new one, no litter."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from write_faults import EXCHANGE, MOST, READS, WRITES, At, install, without_links
from write_project import ONE, TWO, Project, snapshot
from write_scenes import (
    AFTER,
    ALL,
    BEFORE,
    ON_NAMES,
    SCENES,
    Stage,
    acts,
    changing,
    changing_and_some,
    dies,
    first_of,
    kinds,
    marks,
    outside,
    set_stage,
)

from tests.support.budgets import budget
from toolgen.write import disk
from toolgen.write.atomic_swap import AtomicSwap

SYSTEMS = pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "two renames"])


@pytest.fixture
def tmp_path(in_memory: Path) -> Path:
    return in_memory


@pytest.fixture(scope="session", params=SCENES)
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return set_stage(SCENES[request.param], tmp_path_factory.mktemp("stage"))


@pytest.fixture(scope="session")
def rebuild(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return set_stage(SCENES["changed among foreign files"], tmp_path_factory.mktemp("stage"))


@pytest.fixture(scope="session")
def first(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return set_stage(SCENES["first"], tmp_path_factory.mktemp("stage"))


def settled(project: Project, stage: Stage) -> None:
    """The next build works without help, and leaves nothing behind."""
    assert project.build(dict(stage.scene.after)) is not None, project.codes
    assert not project.codes
    assert snapshot(project.out) == stage.new
    assert not project.litter()


def test_no_operation_goes_round_the_stand_in(stage: Stage, tmp_path: Path) -> None:
    """Else what follows would show less than it says."""
    root, events = str(tmp_path), []
    names = {"os.remove": "unlink", "open": "open", **{f"os.{name}": name for name in ALL}}
    watching = False

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        path = arguments[0] if watching and event in names else None
        # Names without a folder are in one that was opened before.
        if isinstance(path, str) and (path.startswith(root) or "/" not in path):
            events.append(names[event])

    project = stage.copy(tmp_path / "project")
    kinds(stage.copy(tmp_path / "imports"), stage.scene.after, exchange=True)
    # A hook cannot be taken away again; it is told when to look.
    sys.addaudithook(hook)
    watching = True
    operations = kinds(project, stage.scene.after, exchange=True)
    watching = False
    assert sorted(events) == sorted(
        name for name in operations if name in {*events, "open", *WRITES} - {"write", "fsync"}
    )
    assert "scandir" in events or stage.old == {}


@SYSTEMS
def test_killed(stage: Stage, tmp_path: Path, exchange: bool) -> None:
    between = 0
    numbers = changing(kinds(stage.copy(tmp_path / "count"), stage.scene.after, exchange))
    assert len(numbers) > 10 or stage.old == stage.new
    first = first_of(exchange, stage, tmp_path)
    numbers = [number for number in numbers if number >= first]
    for turn, number in enumerate(numbers):
        project = stage.copy(tmp_path / str(number))
        killed = dies(project, stage.scene.after, number, exchange)
        assert stage.stands(project, exchange=exchange), number
        between += not project.out.exists() and stage.old != {}
        if turn % 4 == exchange and stage.scene.before is not None:
            # Somebody goes back to the former sources first: nothing of the new tree is left.
            assert project.build(dict(stage.scene.before)) is not None
            assert not project.litter()
            assert not project.check(dict(stage.scene.before)).fails_check
        settled(project, stage)
        assert killed == (number < numbers[-1])
    exchanged = stage.old not in ({}, stage.new)
    assert bool(between) == (exchanged and not exchange)


@SYSTEMS
def test_killed_again_while_it_recovers(rebuild: Stage, tmp_path: Path, exchange: bool) -> None:
    steps = len(kinds(rebuild.copy(tmp_path / "count"), AFTER, exchange))
    for crash in range(steps * 2 // 5 + exchange, steps, budget(21, 7)):
        for number in range(1 + crash % 11, MOST, 11):
            project = rebuild.copy(tmp_path / f"{crash}-{number}")
            dies(project, AFTER, crash, exchange)
            target = AFTER if crash % 2 else BEFORE
            killed = dies(project, target, number, exchange)
            assert rebuild.stands(project, exchange=exchange) or target is BEFORE, (crash, number)
            files = {k: v for k, v in snapshot(project.out).items() if k != "toolgen.lock"}
            olds, news = ({k: v for k, v in t.items() if k != "toolgen.lock"} for t in (rebuild.old, rebuild.new))
            assert files in (olds, news) or (not exchange and not files)
            settled(project, rebuild)
            if not killed:
                break


HANDLED = (errno.EACCES, errno.EPERM, errno.EXDEV, errno.EBUSY, errno.EEXIST)
"""The errors that the writer handles in ways of their own."""

ALIKE = (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.ENOLCK, errno.ENOTEMPTY)
"""Those that it tells from each other in the hint of its report alone: they take turns."""

ERRORS = pytest.mark.parametrize(
    "numbers",
    [*((number,) for number in HANDLED), ALIKE],
    ids=lambda n: errno.errorcode[n[0]] if n[1:] == () else "alike",
)


@SYSTEMS
@ERRORS
def test_failed_once(rebuild: Stage, tmp_path: Path, exchange: bool, numbers: tuple[int, ...]) -> None:
    offset = numbers[0] + exchange
    _fail_everywhere(rebuild, tmp_path, exchange, numbers, once=True, offset=offset)


@SYSTEMS
def test_failed_from_there_on(rebuild: Stage, tmp_path: Path, exchange: bool) -> None:
    _fail_everywhere(rebuild, tmp_path, exchange, ALIKE, once=False)


@pytest.mark.parametrize("once", [True, False], ids=["once", "from there on"])
def test_the_first_build_failed(first: Stage, tmp_path: Path, once: bool) -> None:
    _fail_everywhere(first, tmp_path, True, ALIKE, once=once)


def _fail_everywhere(
    stage: Stage, tmp_path: Path, exchange: bool, errors: tuple[int, ...], *, once: bool, offset: int = 0
) -> None:
    first = first_of(exchange, stage, tmp_path)
    numbers = changing_and_some(kinds(stage.copy(tmp_path / "count"), stage.scene.after, exchange), offset, first)
    for turn, number in enumerate(numbers):
        number_of = errors[turn % len(errors)]

        def fail(number_of: int = number_of) -> None:
            raise OSError(number_of, os.strerror(number_of))

        project = stage.copy(tmp_path / str(number))
        failed, done = acts(project, stage.scene.after, number, fail, exchange=exchange, once=once)
        output = snapshot(project.out)
        if not done:
            assert project.codes == ["output-failed"], number
            finding = next(iter(project.findings))
            assert finding.span.path.startswith("generated")
            assert ".toolgen" not in finding.span.path
            assert "\n" not in finding.message
            assert output == stage.old or (not once and stage.stands(project, exchange=exchange)), number
        else:
            assert output == stage.new
            assert not project.codes or project.codes == ["old-output-left"]
        if once:
            assert not project.litter(), number
        if not once or turn % 4 == 0:  # without litter, the next build is one like any other
            settled(project, stage)
        assert failed == (number < numbers[-1])
    assert number > 50


def test_reading_fails(project: Project) -> None:
    def fail() -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    project.build(ONE)
    number, failed = 0, True
    while failed:
        number += 1
        with pytest.MonkeyPatch.context() as patch:
            act = At(number, fail)
            install(patch, act, names=READS, exchange=True)
            drift = project.check(ONE)
            failed = act.count >= number
        assert project.codes == (["output-failed"] if failed else [])
        assert not drift.fails_check


def test_check_only_reads(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise AssertionError("check wrote")

    project.build(ONE)
    install(monkeypatch, At(1, fail, once=False), names=WRITES, exchange=True)
    assert project.check(TWO).fails_check
    assert project.build(ONE) is not None, "neither does a build that changes nothing"


def test_no_hard_links(rebuild: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = rebuild.copy(tmp_path / "project")
    (project.out / "notes.txt").chmod(0o741)
    install(monkeypatch, lambda _: None, names=(), exchange=True)
    without_links(monkeypatch)
    before = (project.out / "notes.txt").stat()
    assert project.build(TWO) is not None
    after = (project.out / "notes.txt").stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert snapshot(project.out) == rebuild.new


@SYSTEMS
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_leaves_no_litter(
    rebuild: Stage, tmp_path: Path, exchange: bool, kind: type[BaseException]
) -> None:
    steps = kinds(rebuild.copy(tmp_path / "count"), AFTER, exchange)
    first = first_of(exchange, rebuild, tmp_path)
    for number in changing_and_some(steps, 2 * exchange + (kind is SystemExit), first):
        project = rebuild.copy(tmp_path / str(number))

        def interrupt() -> None:
            raise kind

        try:
            reached, _ = acts(project, AFTER, number, interrupt, exchange=exchange)
        except kind:
            reached = True
        assert snapshot(project.out) in (rebuild.old, rebuild.new), number
        assert not project.litter(), number
        assert reached == (number <= len(steps))


def test_an_interrupted_first_build_takes_its_parents_away(tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    for number in range(1, MOST):
        project = Project(tmp_path / str(number))
        deep = project.root / "a" / "b" / "generated"
        with pytest.MonkeyPatch.context() as patch:
            act = At(number, interrupt)
            install(patch, act, names=ALL, exchange=True)
            try:
                project.build(TWO, deep)
            except KeyboardInterrupt:
                # One that comes while the parents are made finds a name that is not written down yet.
                assert (deep / "toolgen.lock").exists() or not (project.root / "a" / "b" / "generated").exists()
                assert not list(project.root.rglob("*.py")) or (deep / "toolgen.lock").exists()
        assert not project.litter()
        if act.count < number:
            break


@pytest.mark.parametrize("kind", ["output", "folder"])
@SYSTEMS
def test_a_link_swapped_in_at_any_time_leads_nowhere(rebuild: Stage, tmp_path: Path, exchange: bool, kind: str) -> None:
    """Whatever becomes of the build, what the link points to is as it was."""
    victim = outside(tmp_path / "outside")
    before = marks(victim)
    for number in range(1 + (kind == "folder"), MOST, 1 if exchange else budget(3, 1)):
        project = rebuild.copy(tmp_path / str(number))
        where = project.out if kind == "output" else project.out / "tools"

        def swap(where: Path = where, aside: Path = project.root / "aside") -> None:
            if where.is_dir() and not where.is_symlink():
                where.rename(aside)
                where.symlink_to(victim)

        reached, _ = acts(project, AFTER, number, swap, exchange=exchange, names=ON_NAMES)
        assert marks(victim) == before, number
        assert not project.litter() or project.codes in (["output-failed"], ["old-output-left"]), number
        project.build(dict(AFTER), force=True)
        assert marks(victim) == before, number
        if not reached:
            break
    assert number > 50


@SYSTEMS
def test_a_file_that_is_saved_at_any_time_is_kept(rebuild: Stage, tmp_path: Path, exchange: bool) -> None:
    for number in range(1 + exchange, MOST, budget(2, 1)):
        project = rebuild.copy(tmp_path / str(number))

        def save(out: Path = project.out) -> None:
            if out.is_dir():
                # As editors do: a new file takes the name of the old one.
                (out / "notes.new").write_text("saved")
                os.utime(out / "notes.new", ns=(2**61, 2**61))
                (out / "notes.new").replace(out / "notes.txt")
                (out / "tools" / "late.txt").write_text("late")

        reached, _ = acts(project, AFTER, number, save, exchange=exchange, names=ON_NAMES)
        if reached and snapshot(project.out) != rebuild.new:
            assert (project.out / "notes.txt").read_text() == "saved", number
            assert (project.out / "tools" / "late.txt").read_text() == "late", number
        elif reached:
            # With two renames there is a moment in which nobody can save.
            assert not exchange
        assert not project.litter()
        if not reached:
            break


@SYSTEMS
def test_a_file_that_came_before_a_kill_is_kept(
    rebuild: Stage, tmp_path: Path, exchange: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = AtomicSwap.commit
    came = False

    def late(self: AtomicSwap) -> None:
        nonlocal came
        Path(self.output, "tools", "late.txt").write_text("late")
        came = True
        commit(self)

    monkeypatch.setattr(AtomicSwap, "commit", late)
    numbers = changing(kinds(rebuild.copy(tmp_path / "count"), AFTER, exchange))
    for number in (n for n in numbers if n >= 50):
        project = rebuild.copy(tmp_path / str(number))
        came = False
        killed = dies(project, AFTER, number, exchange)
        came_before = came
        assert project.build(dict(AFTER)) is not None
        assert (project.out / "tools" / "late.txt").exists() or not came_before, number
        assert killed == (number < numbers[-1])


def test_foreign_files_of_a_killed_build_survive_a_restored_output(rebuild: Stage, tmp_path: Path) -> None:
    """Killed between the renames, and somebody brought the output back before the next build."""
    project = rebuild.copy(tmp_path / "project")
    project.staging_folder.mkdir()
    project.out.rename(project.staging_folder / "old")
    project.out.mkdir()
    assert project.build(ONE) is not None
    assert (project.out / "notes.txt").read_text() == "mine"
    assert not (project.out / "tools" / "gone.py").exists()
    assert not project.litter()


def test_a_build_that_changes_nothing_puts_a_killed_one_right(rebuild: Stage, tmp_path: Path) -> None:
    project = rebuild.copy(tmp_path / "project")
    number = kinds(rebuild.copy(tmp_path / "count"), AFTER, exchange=False)
    renames = [n for n, name in enumerate(number, 1) if name == "rename"]
    killed_between = [n for n in renames if _missing_after(rebuild, tmp_path / str(n), n)]
    assert len(killed_between) == 1
    assert dies(project, AFTER, killed_between[0], exchange=False)
    assert not project.out.exists()
    assert project.check(BEFORE).missing, "check writes nothing, so it cannot help"
    plan = project.build(BEFORE)
    assert plan is not None
    assert not plan.has_changes
    assert snapshot(project.out) == rebuild.old


def _missing_after(stage: Stage, root: Path, number: int) -> bool:
    project = stage.copy(root)
    dies(project, AFTER, number, exchange=False)
    return not project.out.exists()


@pytest.mark.parametrize("kind", ["file", "link", "empty", "full", "old", "ready", "gone", "all"])
def test_whatever_stands_at_the_private_name(project: Project, tmp_path: Path, kind: str) -> None:
    """A repository may bring such a folder along: nothing in it leads outside."""
    victim = outside(tmp_path / "outside")
    before = marks(victim)
    for built in (False, True):
        if built:
            assert project.build(ONE) is not None
        if kind == "file":
            project.staging_folder.write_text("x")
        elif kind == "link":
            project.staging_folder.symlink_to(victim)
        else:
            project.staging_folder.mkdir()
            if kind == "full":
                (project.staging_folder / "new").symlink_to(victim)
                (project.staging_folder / "x").write_text("x")
            for name in ("old", "ready", "gone", "new"):
                if kind in (name, "all"):
                    (project.staging_folder / name).symlink_to(victim)
        assert project.build(ONE) is not None
        assert marks(victim) == before
        assert "notes.txt" not in snapshot(project.out)
        assert not project.litter()


@pytest.mark.parametrize("name", ["old", "ready"])
def test_a_planted_tree_is_not_moved_through_a_link(project: Project, tmp_path: Path, name: str) -> None:
    victim = outside(tmp_path / "outside")
    before = marks(victim)
    project.build(ONE)
    (project.out / "sub").symlink_to(victim)
    (project.staging_folder / name / "sub").mkdir(parents=True)
    (project.staging_folder / name / "sub" / "new.txt").write_text("planted")
    assert project.build(ONE) is None
    assert project.codes == ["output-failed"]
    assert next(iter(project.findings)).span.path == "generated/sub"
    assert marks(victim) == before


@pytest.mark.parametrize("number_of", [errno.EBUSY, errno.EXDEV], ids=errno.errorcode.get)
def test_a_folder_that_cannot_be_moved(
    rebuild: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number_of: int
) -> None:
    """A mount point, or a folder of a lower layer of a container's image."""
    project = rebuild.copy(tmp_path / "project")
    rename = disk.rename

    def stuck(source: str, target: str, to: int | None = None) -> None:
        if str(project.out) in (source, target):
            raise OSError(number_of, os.strerror(number_of), source)
        rename(source, target, to)

    monkeypatch.setattr(disk, "_renameat2", lambda: lambda *_: number_of)
    monkeypatch.setattr(disk, "rename", stuck)
    assert project.build(dict(AFTER)) is None
    assert project.codes == ["output-failed"]
    finding = next(iter(project.findings))
    assert finding.span.path == "generated"
    assert finding.hint is not None
    assert "--out" in finding.hint
    assert snapshot(project.out) == rebuild.old
    assert not project.litter()


@pytest.mark.parametrize("number_of", sorted(disk._NO_EXCHANGE), ids=errno.errorcode.get)
def test_a_file_system_without_exchange(
    rebuild: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number_of: int
) -> None:
    project = rebuild.copy(tmp_path / "project")
    monkeypatch.setattr(disk, "_renameat2", lambda: lambda *_: number_of)
    settled(project, rebuild)


@pytest.mark.skipif(sys.platform != "linux", reason="the call's numbers are Linux's")
def test_a_c_library_without_a_name_for_the_exchange(tmp_path: Path) -> None:
    import ctypes

    call = disk._by_number(ctypes.CDLL(None, use_errno=True))
    if call is None:
        pytest.skip("no number for this machine")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    first_path, second_path = (ctypes.c_char_p(os.fsencode(tmp_path / name)) for name in ("one", "two"))
    here, swap = ctypes.c_int(-100), ctypes.c_uint(2)
    assert call(here, first_path, here, second_path, swap) == 0
    assert [p.name for p in (tmp_path / "one").iterdir()] == ["two"]


@pytest.mark.parametrize("number_of", [errno.EPERM, errno.EINVAL, errno.EOPNOTSUPP], ids=errno.errorcode.get)
def test_an_owner_that_this_system_does_not_know(
    rebuild: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number_of: int
) -> None:
    """In a container, a folder may belong to somebody who has no number there."""
    project = rebuild.copy(tmp_path / "project")
    real = os.lstat

    def lstat(path: str, dir_fd: int | None = None) -> os.stat_result:
        info = real(path, dir_fd=dir_fd)
        return os.stat_result([*info[:4], 65534, *info[5:]]) if str(path) == str(project.out) else info

    def chown(*_: object) -> None:
        raise OSError(number_of, os.strerror(number_of))

    install(monkeypatch, lambda _: None, names=(), exchange=True)
    monkeypatch.setattr(disk.os, "lstat", lstat)
    monkeypatch.setattr(disk.os, "chown", chown)
    assert project.build(dict(AFTER)) is not None
    assert snapshot(project.out) == rebuild.new


def test_the_exchange_is_an_operation_like_any_other(rebuild: Stage, tmp_path: Path) -> None:
    operations = kinds(rebuild.copy(tmp_path / "project"), AFTER, exchange=True)
    assert operations.count(EXCHANGE) == 1
