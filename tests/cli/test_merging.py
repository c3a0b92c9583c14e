"""Two branches that each add a tool: after the merge, one build is the whole repair."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.commands import toolgen

TOOL = "name: {name}\ndescription: The tool {name} does what it is called.\nparameters:\n  type: object\n  properties: {{a: {{type: string, description: Some text.}}}}\n"


def git(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=False)


def add(folder: Path, name: str) -> None:
    """Add a tool, build, commit."""
    (folder / "schemas/tools").mkdir(parents=True, exist_ok=True)
    (folder / f"schemas/tools/{name}.yaml").write_text(TOOL.format(name=name))
    assert toolgen("build", "schemas", cwd=folder).returncode == 0
    git(folder, "add", "-A")
    assert git(folder, "commit", "-m", name).returncode == 0


@pytest.fixture
def merged(tmp_path: Path) -> Path:
    git(tmp_path, "init")
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/toolgen.yaml").write_text("providers: [anthropic]\nparts: [tools, converters]\n")
    for name in ("bravo", "middle", "tango"):
        add(tmp_path, name)
    git(tmp_path, "checkout", "-b", "other")
    add(tmp_path, "alpha")
    git(tmp_path, "checkout", "main")
    add(tmp_path, "zulu")
    git(tmp_path, "merge", "other")
    return tmp_path


def test_one_build_repairs_a_merge(merged: Path) -> None:
    conflicts = git(merged, "diff", "--name-only", "--diff-filter=U").stdout.split()
    assert conflicts == ["generated/toolgen.lock"]
    assert toolgen("check", "schemas", cwd=merged).returncode == 1
    done = toolgen("build", "schemas", cwd=merged)
    assert done.returncode == 0, done.stderr
    assert toolgen("check", "schemas", cwd=merged).returncode == 0
    text = "".join(file.read_text() for file in sorted(merged.glob("generated/**/*.py")))
    assert "<<<<<<<" not in text
    assert all(name in text for name in ("Alpha", "Middle", "Zulu"))
    git(merged, "add", "-A")
    assert git(merged, "commit", "-m", "merge").returncode == 0


def test_what_a_person_wrote_is_not_overwritten_after_a_merge(merged: Path) -> None:
    file = merged / "generated/tools/middle.py"
    file.write_text(file.read_text() + "\nprint('mine')\n")
    done = toolgen("build", "schemas", cwd=merged)
    assert done.returncode == 2
    assert "generated/tools/middle.py:1:1: error[edited-by-hand]" in done.stderr


def test_a_merge_that_left_no_lock_behind_says_what_to_do(merged: Path) -> None:
    lock = merged / "generated/toolgen.lock"
    lock.write_text(lock.read_text().replace('"files": {', '<<<<<<< HEAD\n=======\n"files": {{,\n>>>>>>> other'))
    done = toolgen("build", "schemas", cwd=merged)
    assert done.returncode == 2
    assert (
        "error[lock-unreadable]: the lock file cannot be used: it contains conflict markers of a merge" in done.stderr
    )
    assert toolgen("build", "schemas", "--force", cwd=merged).returncode == 0
