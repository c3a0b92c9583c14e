"""Files added to a folder of sources: all or none at every moment, and nothing that is there changes."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from write_faults import READS, WRITES, At, Dead, install
from write_project import snapshot
from write_scenes import ALL, changing

from toolgen.diagnostics import Findings
from toolgen.write.source_writer import AddResult, FolderAddition, write_sources

NEW = {"one.yaml": "name: one\n", "two.yaml": "name: two\n"}
MINE = {"mine.yaml": "name: mine\n", "sub/deep.yaml": "name: deep\n", "notes.txt": "notes", ".hidden": "x"}


@pytest.fixture
def tmp_path(in_memory: Path) -> Path:
    return in_memory


def folder_with_mine(root: Path) -> Path:
    folder = root / "schemas" / "tools"
    for path, text in MINE.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (folder / "empty").mkdir()
    return folder


def added(folder: Path, files: dict[str, str] = NEW) -> tuple[AddResult | None, list[str]]:
    findings = Findings()
    result = write_sources([FolderAddition(files, folder, "schemas/tools")], findings)
    return None if result is None else result[0], [f.code for f in findings]


def texts(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b" / "tools"
    assert added(folder) == (AddResult(("one.yaml", "two.yaml"), ()), [])
    assert texts(tmp_path) == {f"a/b/tools/{path}": text for path, text in NEW.items()}


def test_what_is_there_goes_along_as_it_is(tmp_path: Path) -> None:
    folder = folder_with_mine(tmp_path)
    (folder / "link").symlink_to("/nowhere")
    (folder / "mine.yaml").chmod(0o640)
    before = {p: (folder / p).stat() for p in MINE}
    added(folder)
    assert texts(folder) == MINE | NEW
    for path, info in before.items():
        now = (folder / path).stat()
        assert (now.st_ino, now.st_mode, now.st_mtime_ns) == (info.st_ino, info.st_mode, info.st_mtime_ns)
    assert (folder / "link").readlink() == Path("/nowhere")
    assert (folder / "empty").is_dir()
    assert [p.name for p in (tmp_path / "schemas").iterdir()] == ["tools"]


def test_the_same_text_is_no_change_whatever_its_line_ends(tmp_path: Path) -> None:
    folder = folder_with_mine(tmp_path)
    (folder / "one.yaml").write_bytes(b"name: one\r\n")
    assert added(folder) == (AddResult(("two.yaml",), ("one.yaml",)), [])
    assert (folder / "one.yaml").read_bytes() == b"name: one\r\n"


@pytest.mark.parametrize("name", ["one.yaml", "ONE.yaml", "One.YAML"])
@pytest.mark.parametrize("kind", ["file", "folder", "link", "pipe"])
def test_what_stands_in_the_way_stays(tmp_path: Path, name: str, kind: str) -> None:
    folder = folder_with_mine(tmp_path)
    obstacle = folder / name
    match kind:
        case "file":
            obstacle.write_text("mine")
        case "folder":
            obstacle.mkdir()
        case "link":
            obstacle.symlink_to("mine.yaml")
        case _:
            os.mkfifo(obstacle)
    before = sorted(p.name for p in folder.rglob("*"))
    assert added(folder) == (None, ["import-exists"])
    assert sorted(p.name for p in folder.rglob("*")) == before


def test_a_folder_that_is_a_link_or_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to("elsewhere")
    (tmp_path / "file").write_text("x")
    assert added(tmp_path / "link") == (None, ["output-is-link"])
    assert added(tmp_path / "file") == (None, ["output-is-file"])
    assert added(tmp_path / "file" / "tools") == (None, ["output-failed"])
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "two renames"])
@pytest.mark.parametrize("first", [True, False], ids=["first", "beside others"])
def test_killed_before_every_operation(tmp_path: Path, first: bool, exchange: bool) -> None:
    laid = tmp_path / "count" / "schemas" / "tools" if first else folder_with_mine(tmp_path / "count")
    operations: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        install(patch, operations.append, names=ALL, exchange=exchange)
        assert added(laid)[1] == []
    numbers = changing(operations)
    for number in numbers:
        folder = tmp_path / str(number) / "schemas" / "tools"
        if not first:
            folder_with_mine(tmp_path / str(number))
        old = {} if first else dict(MINE)
        killed = _killed_at(folder, number, exchange)
        files = texts(folder) if folder.exists() else None
        assert files in (old, old | NEW) or (files is None and (first or not exchange))
        assert added(folder)[1] == []
        assert texts(folder) == old | NEW
        assert [p.name for p in folder.parent.iterdir()] == ["tools"]
        assert killed == (number < numbers[-1])
    assert number > 20


def _die() -> None:
    raise Dead


def _killed_at(folder: Path, number: int, exchange: bool) -> bool:
    try:
        with pytest.MonkeyPatch.context() as patch:
            install(patch, At(number, _die, once=False), names=ALL, exchange=exchange)
            assert added(folder)[0] is not None
    except Dead:
        return True
    return False


@pytest.mark.parametrize("number_of", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_refused_at_every_operation(tmp_path: Path, number_of: int) -> None:
    def fail() -> None:
        raise OSError(number_of, os.strerror(number_of))

    number, failed = 0, True
    while failed:
        number += 1
        folder = folder_with_mine(tmp_path / str(number))
        old = snapshot(folder)
        with pytest.MonkeyPatch.context() as patch:
            at = At(number, fail)
            install(patch, at, names=READS + WRITES, exchange=True)
            result, codes = added(folder)
            failed = at.count >= number
        assert codes in ([], ["output-failed"], ["old-output-left"])
        assert (snapshot(folder) == old) == (result is None)
        assert texts(folder) == (MINE if result is None else MINE | NEW)
    assert number > 20


OLD = {"tools/a.yaml": "name: a\n", "types/t.yaml": "type: string\n", "types/mine.yaml": "type: number\n"}
BOTH = {"tools/a.yaml": "name: b\n", "tools/c.yaml": "name: c\n", "types/t.yaml": "true\n", "types/u.yaml": "{}\n"}


def both(root: Path, *, first: bool = False) -> tuple[bool, list[str]]:
    """Write into two folders, over what stands there."""
    additions = []
    for folder in ("types", "tools"):
        files = {path.partition("/")[2]: text for path, text in BOTH.items() if path.startswith(folder)}
        old = {path.partition("/")[2]: text for path, text in OLD.items() if path.startswith(folder) and not first}
        additions.append(FolderAddition(files, root / folder, f"schemas/{folder}", old))
    findings = Findings()
    result = write_sources(additions, findings)
    return result is not None, [f.code for f in findings]


def with_old(root: Path) -> Path:
    for path, text in OLD.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_two_folders_are_written_over_what_may_be_replaced(tmp_path: Path) -> None:
    root = with_old(tmp_path / "schemas")
    assert both(root) == (True, [])
    assert texts(root) == OLD | BOTH


def test_one_file_that_is_in_the_way_keeps_both_folders_as_they_are(tmp_path: Path) -> None:
    root = with_old(tmp_path / "schemas")
    (root / "tools" / "a.yaml").write_text("name: edited\n")
    before = texts(root)
    assert both(root) == (False, ["import-exists"])
    assert texts(root) == before


@pytest.mark.parametrize("first", [True, False], ids=["first", "over others"])
@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "two renames"])
def test_where_the_second_folder_is_refused_the_first_one_is_put_back(
    tmp_path: Path, first: bool, exchange: bool
) -> None:
    def fail() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    number, failed = 0, True
    while failed:
        number += 1
        root = tmp_path / str(number) / "schemas"
        if not first:
            with_old(root)
        with pytest.MonkeyPatch.context() as patch:
            at = At(number, fail)
            install(patch, at, names=WRITES, exchange=exchange)
            done, codes = both(root, first=first)
            failed = at.count >= number
        old = {} if first else OLD
        assert codes in ([], ["output-failed"], ["old-output-left"]), number
        assert texts(root) == (old | BOTH if done else old), number
    assert number > 20


def test_a_kill_between_the_folders_is_made_good_by_the_next_run(tmp_path: Path) -> None:
    number, killed = 0, True
    while killed:
        number += 1
        root = with_old(tmp_path / str(number) / "schemas")
        killed = False
        try:
            with pytest.MonkeyPatch.context() as patch:
                install(patch, At(number, _die, once=False), names=WRITES, exchange=True)
                both(root)
        except Dead:
            killed = True
        files = texts(root)
        for folder in ("tools", "types"):
            old, new = ({p: t for p, t in side.items() if p.startswith(folder)} for side in (OLD, OLD | BOTH))
            assert {p: t for p, t in files.items() if p.startswith(folder)} in (old, new)
        assert both(root) == (True, [])
        assert texts(root) == OLD | BOTH
    assert number > 20
