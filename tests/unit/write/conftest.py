"""The project that a test builds in."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from write_faults import Faulty
from write_project import Project

from toolgen.write import disk

MEMORY = Path("/dev/shm")
ENOUGH = 2**28


@pytest.fixture
def in_memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for thousands of trees: in memory where the system has room there, for a disk is waited for."""
    if not MEMORY.is_dir() or not os.access(MEMORY, os.W_OK) or shutil.disk_usage(MEMORY).free < ENOUGH:
        yield tmp_path_factory.mktemp("trees")
        return
    with TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


@pytest.fixture(autouse=True)
def _no_flushing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "os", Faulty(os, lambda _: None, ()))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)
