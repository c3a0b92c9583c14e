"""The project that a test builds in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from write_faults import Faulty
from write_project import Project

from toolgen.write import disk


@pytest.fixture(autouse=True)
def _no_flushing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "os", Faulty(os, lambda _: None, ()))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)
