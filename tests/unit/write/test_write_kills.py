"""A few of the kills that `make kills` carries out by the thousand, with real signals to real processes."""

from __future__ import annotations

import random
from pathlib import Path

from write_scenes import SCENES, set_stage

from tests.support.kills import kill_at_moments, kill_at_operations


def test_no_tree_is_mixed(tmp_path: Path) -> None:
    stages = {}
    for name, scene in SCENES.items():
        (tmp_path / name).mkdir()
        stages[name] = set_stage(scene, tmp_path / name)
    assert kill_at_operations(40, stages, tmp_path, random.Random(1)).killed >= 40
    assert kill_at_moments(20, stages, tmp_path, random.Random(2)).killed >= 20
