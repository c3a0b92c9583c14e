"""Killed or failed before every single operation: the old tree or the new one, and no litter after the next build."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
from write_faults import READS, WRITES, At, install, without_links
from write_project import ONE, TWO, Project, snapshot

FOREIGN = {"notes.txt": "mine", "old/mine.txt": "mine too", "empty/": ""}

SYSTEMS = pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "two renames"])
STARTS = pytest.mark.parametrize("first", [True, False], ids=["first build", "rebuild"])


def _start(project: Project, first: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Lay out the old tree; return what it and the new one look like."""
    twin = Project(project.root / "twin")
    for each in (twin, project):
        if not first:
            assert each.build(ONE) is not None
            for path, text in FOREIGN.items():
                if path.endswith("/"):
                    (each.out / path).mkdir()
                else:
                    (each.out / path).write_text(text)
    old = snapshot(project.out)
    assert twin.build(TWO) is not None
    new = snapshot(twin.out)
    shutil.rmtree(twin.root)
    return old, new


def _killed_at(project: Project, number: int, exchange: bool) -> bool:
    """Build in a child that dies before operation `number`; whether it got that far."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with pytest.MonkeyPatch.context() as patch:
                act = At(number, lambda: os._exit(42))
                install(patch, act, names=READS + WRITES, exchange=exchange)
                code = 0 if project.build(TWO) is not None else 1
        finally:
            os._exit(code)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, 42)
    return status == 42


@SYSTEMS
@STARTS
def test_killed(tmp_path: Path, first: bool, exchange: bool) -> None:
    number, killed, between = 0, True, 0
    while killed:
        number += 1
        project = Project(tmp_path / str(number))
        old, new = _start(project, first)
        killed = _killed_at(project, number, exchange)
        there = snapshot(project.out)
        if there not in (old, new):
            # Only without an exchange, between its two renames; the next start has to mend it.
            assert not exchange
            assert not project.out.exists()
            between += 1
        for files, expected in ((ONE, None), (TWO, new)):
            if expected is None and there == new:
                continue
            assert project.build(files) is not None, project.codes
            assert not project.litter()
            assert expected is None or snapshot(project.out) == expected
    assert number > 50
    assert bool(between) == (not exchange and not first)


@SYSTEMS
def test_killed_between_the_renames_and_built_as_before(tmp_path: Path, exchange: bool) -> None:
    """The next build, of the same sources as the former output, finds the output as it was."""
    for number in range(1, 200):
        project = Project(tmp_path / str(number))
        old, new = _start(project, False)
        if not _killed_at(project, number, exchange):
            return
        was = snapshot(project.out)
        assert project.build(ONE) is not None
        assert not project.litter()
        back = snapshot(project.out)
        assert {k: v for k, v in back.items() if not k.endswith("/")} == {
            k: v for k, v in old.items() if not k.endswith("/")
        }, was == new


@SYSTEMS
@STARTS
@pytest.mark.parametrize("number_of", [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS, errno.EPERM])
def test_failed_once(tmp_path: Path, first: bool, exchange: bool, number_of: int) -> None:
    _fail_everywhere(tmp_path, first, exchange, number_of, once=True)


@SYSTEMS
@STARTS
@pytest.mark.parametrize("number_of", [errno.ENOSPC, errno.EIO])
def test_failed_from_there_on(tmp_path: Path, first: bool, exchange: bool, number_of: int) -> None:
    _fail_everywhere(tmp_path, first, exchange, number_of, once=False)


def _fail_everywhere(tmp_path: Path, first: bool, exchange: bool, number_of: int, *, once: bool) -> None:
    def fail() -> None:
        raise OSError(number_of, os.strerror(number_of))

    number, failed = 0, True
    while failed:
        number += 1
        project = Project(tmp_path / str(number))
        old, new = _start(project, first)
        with pytest.MonkeyPatch.context() as patch:
            act = At(number, fail, once=once)
            install(patch, act, names=READS + WRITES, exchange=exchange)
            done = project.build(TWO)
            failed = act.count >= number
        there = snapshot(project.out)
        if done is None:
            assert project.codes == ["output-failed"]
            finding = next(iter(project.findings))
            assert finding.span.path.startswith("generated")
            assert ".toolgen" not in finding.span.path
            assert "\n" not in finding.message
            assert there == old or (not once and not exchange and not there)
        else:
            assert there == new
            assert not project.codes or project.codes == ["old-output-left"]
        if once:
            assert not project.litter()
        assert project.build(TWO) is not None
        assert snapshot(project.out) == new
        assert not project.litter()
    assert number > 50


@pytest.mark.parametrize("names", [READS])
def test_reading_fails(project: Project, names: tuple[str, ...]) -> None:
    def fail() -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    project.build(ONE)
    number, failed = 0, True
    while failed:
        number += 1
        with pytest.MonkeyPatch.context() as patch:
            act = At(number, fail)
            install(patch, act, names=names, exchange=True)
            drift = project.check(ONE)
            failed = act.count >= number
        assert project.codes == (["output-failed"] if failed else [])
        assert not drift.any


def test_check_only_reads(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise AssertionError("check wrote")

    project.build(ONE)
    install(monkeypatch, At(1, fail, once=False), names=WRITES, exchange=True)
    assert project.check(TWO).any
    assert project.build(ONE) is not None, "neither does a build that changes nothing"


def test_no_hard_links(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    _, new = _start(project, False)
    (project.out / "notes.txt").chmod(0o741)
    (project.out / "link").symlink_to("/nowhere")
    install(monkeypatch, lambda _: None, names=(), exchange=True)
    without_links(monkeypatch)
    before = (project.out / "notes.txt").stat()
    assert project.build(TWO) is not None
    after = (project.out / "notes.txt").stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert snapshot(project.out) == {**new, "link": "-> /nowhere"}


def test_an_interrupt_leaves_no_litter(tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    for number in range(20, 60):
        project = Project(tmp_path / str(number))
        old, new = _start(project, False)
        with pytest.MonkeyPatch.context() as patch:
            install(patch, At(number, interrupt), names=WRITES, exchange=True)
            try:
                project.build(TWO)
            except KeyboardInterrupt:
                assert snapshot(project.out) in (old, new)


def test_foreign_files_of_a_killed_build_survive_a_restored_output(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between the renames, and somebody brought the output back before the next build."""
    _start(project, False)
    box = project.root / ".toolgen-generated"
    box.mkdir()
    project.out.rename(box / "old")
    project.out.mkdir()
    assert project.build(ONE) is not None
    assert (project.out / "notes.txt").read_text() == "mine"
    assert not project.litter()


@pytest.mark.parametrize("kind", ["file", "link", "empty", "full"])
def test_whatever_stands_at_the_private_name(project: Project, kind: str) -> None:
    box = project.root / ".toolgen-generated"
    outside = project.root / "outside"
    outside.mkdir()
    (outside / "x").write_text("x")
    if kind == "file":
        box.write_text("x")
    elif kind == "link":
        box.symlink_to(outside)
    else:
        box.mkdir()
        if kind == "full":
            (box / "new").symlink_to(outside)
            (box / "x").write_text("x")
    assert project.build(ONE) is not None
    assert (outside / "x").exists()
    assert not project.litter()
