"""Builds stop for files that were edited by hand, and only for those."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.commands import toolgen

TOOL = "name: now\ndescription: The time.\nresult: {type: string}\n"


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose package is committed."""
    folder = tmp_path / "project"
    (folder / "schemas/tools").mkdir(parents=True)
    (folder / "schemas/toolgen.yaml").write_text("providers: [anthropic]\n")
    (folder / "schemas/tools/now.yaml").write_text(TOOL)
    assert toolgen("build", cwd=folder).returncode == 0
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "built")
    return folder


@pytest.fixture
def clone(project: Path, tmp_path: Path) -> Path:
    """A clone in which nothing was built yet."""
    git(tmp_path, "clone", "-q", "project", "clone")
    return tmp_path / "clone"


def change_result(folder: Path, kind: str) -> None:
    """Change what no provider receives, so that the lock file stays the same."""
    (folder / "schemas/tools/now.yaml").write_text(TOOL.replace("type: string", f"type: {kind}"))


def edit(folder: Path) -> Path:
    """Edit a generated file by hand."""
    module = folder / "generated/tools/now.py"
    module.write_text(module.read_text() + "MINE = 1\n")
    return module


@pytest.mark.parametrize("is_source_changed", [False, True], ids=["same sources", "changed sources"])
def test_an_edit_in_a_fresh_clone_stops_a_build(clone: Path, is_source_changed: bool) -> None:
    module = edit(clone)
    if is_source_changed:
        change_result(clone, "integer")
    done = toolgen("build", cwd=clone)
    assert (done.returncode, "generated/tools/now.py:1:1: error[edited-by-hand]" in done.stderr) == (2, True)
    assert module.read_text().endswith("MINE = 1\n")
    assert "generated/tools/now.py: edited by hand" in toolgen("check", cwd=clone).stdout
    assert toolgen("build", "--force", cwd=clone).returncode == 0
    assert "MINE" not in module.read_text()


def test_an_edit_of_a_file_that_goes_stops_a_build(clone: Path) -> None:
    module = edit(clone)
    (clone / "schemas/tools/now.yaml").rename(clone / "schemas/tools/clock.yaml")
    (clone / "schemas/tools/clock.yaml").write_text(TOOL.replace("now", "clock"))
    assert toolgen("build", cwd=clone).returncode == 2
    assert module.exists()
    assert toolgen("build", "--force", cwd=clone).returncode == 0
    assert not module.exists()


@pytest.mark.parametrize(
    "options", [["-q"], ["--force"], ["--provider", "anthropic"], ["schemas", "--out", "generated"]]
)
def test_what_an_earlier_build_wrote_is_no_edit(clone: Path, options: list[str]) -> None:
    """Also one with other arguments, which changed no payload and so not the lock file."""
    lock = (clone / "generated/toolgen.lock").read_bytes()
    for kind in ("integer", "number", "boolean"):
        change_result(clone, kind)
        done = toolgen("build", *options, cwd=clone)
        assert done.returncode == 0, done.stderr
    change_result(clone, "array")
    assert toolgen("build", cwd=clone).returncode == 0
    assert (clone / "generated/toolgen.lock").read_bytes() == lock


def test_an_upgrade_records_what_it_wrote(clone: Path) -> None:
    for kind in ("integer", "number"):
        change_result(clone, kind)
        assert toolgen("upgrade", cwd=clone).returncode == 0
    change_result(clone, "boolean")
    assert toolgen("build", cwd=clone).returncode == 0


def test_what_was_pulled_is_no_edit(project: Path, clone: Path) -> None:
    assert toolgen("check", cwd=clone).returncode == 0
    for kind in ("integer", "number"):
        change_result(project, kind)
        assert toolgen("build", cwd=project).returncode == 0
        git(project, "commit", "-qam", kind)
        git(clone, "pull", "-q")
        change_result(clone, "boolean")
        assert toolgen("build", cwd=clone).returncode == 0
        git(clone, "checkout", "-q", ".")


def test_a_copy_without_git_and_record_is_overwritten(clone: Path, tmp_path: Path) -> None:
    shutil.copytree(clone, tmp_path / "copy", ignore=shutil.ignore_patterns(".git"))
    module = edit(tmp_path / "copy")
    assert "generated/tools/now.py: out of date" in toolgen("check", cwd=tmp_path / "copy").stdout
    assert toolgen("build", cwd=tmp_path / "copy").returncode == 0
    assert "MINE" not in module.read_text()
    edit(tmp_path / "copy")
    assert toolgen("build", cwd=tmp_path / "copy").returncode == 2, "the first build left a record"


def test_a_file_with_the_header_that_no_build_made_is_reported(clone: Path) -> None:
    copy = clone / "generated/tools/copy_of_now.py"
    copy.write_bytes((clone / "generated/tools/now.py").read_bytes())
    done = toolgen("build", cwd=clone)
    assert (done.returncode, "generated/tools/copy_of_now.py:1:1: warning[stray-file]" in done.stderr) == (0, True)
    assert copy.exists()
    assert toolgen("check", cwd=clone).returncode == 1
