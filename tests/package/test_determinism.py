"""The same sources give the same bytes, wherever and however they are compiled."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.commands import toolgen, toolgen_process
from tests.support.generated import write_project
from tests.support.repository import PROFILES


def built(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_two_machines_write_the_same_bytes(tmp_path: Path) -> None:
    first_project, second_project = tmp_path / "one", tmp_path / "elsewhere" / "zwei ü"
    write_project(first_project, providers=PROFILES)
    # Written the other way round, so that the order of the folder's entries may differ.
    (second_project / "schemas").mkdir(parents=True)
    for source in sorted((first_project / "schemas").rglob("*"), reverse=True):
        if source.is_file():
            target = second_project / source.relative_to(first_project)
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(source, target)
    first = toolgen_process(
        "build", "schemas", cwd=first_project, env={"PYTHONHASHSEED": "1", "LC_ALL": "C", "LANG": "C", "TZ": "UTC"}
    )
    second = toolgen_process(
        "build",
        second_project / "schemas",
        "--out",
        second_project / "generated",
        cwd=tmp_path,
        env={"PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo", "PYTHONUTF8": "1", "COLUMNS": "40"},
    )
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert built(first_project / "generated") == built(second_project / "generated")
    assert len(built(first_project / "generated")) > 20


def test_umask_changes_no_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    write_project(tmp_path)
    assert toolgen("build", "schemas", cwd=tmp_path).returncode == 0
    before = os.umask(0o077)
    try:
        assert toolgen("build", "schemas", "--out", "second", cwd=tmp_path).returncode == 0
    finally:
        os.umask(before)
    assert built(tmp_path / "generated") == built(tmp_path / "second")


def test_a_second_build_changes_nothing(tmp_path: Path) -> None:
    write_project(tmp_path)
    toolgen("build", "schemas", cwd=tmp_path)
    stamps = {p: p.stat().st_mtime_ns for p in (tmp_path / "generated").rglob("*")}
    again = toolgen("build", "schemas", cwd=tmp_path)
    assert "created" not in again.stderr
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "generated").rglob("*")} == stamps
