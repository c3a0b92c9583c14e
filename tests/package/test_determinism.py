"""The same sources give the same bytes, wherever and however they are compiled."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.support.commands import toolgen, toolgen_process
from tests.support.generated import write_project
from tests.support.repository import PROFILES
from tests.support.sources import samples


def built(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.slow
def test_two_machines_write_the_same_bytes(tmp_path: Path) -> None:
    """In other places, with another order of hashing and of files, another age, locale, time zone, umask and width."""
    plain, second_project = tmp_path / "plain", tmp_path / "elsewhere" / "zwei ü"
    schemas = write_project(plain, (), {}, PROFILES)
    for path, text in samples().items():
        (schemas / path).parent.mkdir(parents=True, exist_ok=True)
        (schemas / path).write_text(text, "utf-8")
    # Written the other way round, so that the order of the folder's entries may differ.
    for source in sorted((plain / "schemas").rglob("*.*"), reverse=True):
        target = second_project / source.relative_to(plain)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        os.utime(target, ns=(10**18, 10**18))
    (tmp_path / "link").symlink_to(second_project)
    here = {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kolkata", "PYTHONUTF8": "1"}
    first = toolgen_process("build", "schemas", cwd=plain, env=here)
    elsewhere = {"PYTHONHASHSEED": "2", "LC_ALL": "C", "PYTHONOPTIMIZE": "2", "HOME": "/", "TZ": "UTC", "COLUMNS": "20"}
    before = os.umask(0o077)
    try:
        second = toolgen_process(
            "build", ".", "--out", tmp_path / "link" / "generated", cwd=tmp_path / "link" / "schemas", env=elsewhere
        )
    finally:
        os.umask(before)
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    files = built(plain / "generated")
    assert files == built(second_project / "generated")
    assert len(files) > 20
    assert str(tmp_path).encode() not in b"".join(files.values())


def test_a_second_build_changes_nothing(tmp_path: Path) -> None:
    write_project(tmp_path)
    toolgen("build", "schemas", cwd=tmp_path)
    stamps = {p: p.stat().st_mtime_ns for p in (tmp_path / "generated").rglob("*")}
    again = toolgen("build", "schemas", cwd=tmp_path)
    assert "created" not in again.stderr
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "generated").rglob("*")} == stamps
