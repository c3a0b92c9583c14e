"""A few of the kills that `make kills` carries out by the thousand, with real signals to real processes."""

from __future__ import annotations

import subprocess
import sys

from tests.support.budgets import budget
from tests.support.commands import environment
from tests.support.repository import ROOT


def test_no_tree_is_mixed() -> None:
    """In a process of its own: each kill is of a copy of the process, and this one is large."""
    command = [sys.executable, "-m", "tests.support.kills", str(budget(24, 600)), "1"]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(" killed, no mixed tree\n")
