"""On real file systems that are full, read-only or mounted in the way; and where a process may write so much only."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from write_project import ONE, TWO, Project, snapshot

from toolgen.write.output_path import _HINTS

HERE = Path(__file__).parent


@cache
def namespace() -> tuple[str, ...] | None:
    """The command that gives a process mounts of its own, if the system lets us."""
    for options in (("-m",), ("-r", "-m")):
        command = ("unshare", *options)
        if shutil.which("unshare"):
            done = subprocess.run([*command, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
            if done.returncode == 0:
                return command
    return None


def outcomes(case: str, folder: Path) -> list[dict[str, Any]]:
    command = namespace()
    if command is None:
        pytest.skip("this process may not mount; the faults are injected in test_write_faults.py")
    import toolgen

    environment = {**os.environ, "PYTHONPATH": str(Path(toolgen.__file__).parents[1])}
    program = [*command, sys.executable, str(HERE / "write_mounts.py"), case, str(folder)]
    done = subprocess.run(program, capture_output=True, text=True, env=environment, check=False)
    if done.returncode and "mount" in done.stderr:
        pytest.skip(f"this process may not mount such a file system: {case}")
    assert done.returncode == 0, done.stderr
    results: list[dict[str, Any]] = json.loads(done.stdout)
    return results


def test_a_full_disk(tmp_path: Path) -> None:
    builds = outcomes("full", tmp_path)
    failed = [a for a in builds if not a["done"]]
    assert len(failed) > 2
    assert builds[-1]["done"]
    for outcome in failed:
        assert outcome["same"]
        assert not outcome["litter"]
        assert outcome["codes"] == ["output-failed"]
        assert outcome["messages"] == ["the output could not be written: no space left on device"]
        assert outcome["places"][0].startswith("generated")


def test_a_read_only_disk(tmp_path: Path) -> None:
    build, new, check = outcomes("read_only", tmp_path)
    for outcome in (build, new):
        assert outcome["same"]
        assert outcome["messages"] == ["the output could not be written: read-only file system"]
        assert outcome["hints"] == [_HINTS[errno.EROFS]]
    assert (check["codes"], check["drift"]) == ([], False)


def test_an_output_that_is_a_mount_point(tmp_path: Path) -> None:
    at, below = outcomes("mount_point", tmp_path)
    assert at["codes"] == ["output-failed"]
    assert at["hints"] == [_HINTS[errno.EBUSY]]
    assert at["same"]
    assert not at["litter"]
    assert below["done"]
    assert below["below"]


def test_a_mount_point_in_the_output(tmp_path: Path) -> None:
    (outcome,) = outcomes("mount_below", tmp_path)
    assert outcome["codes"] == ["output-failed"]
    assert outcome["same"]
    assert not outcome["litter"]


def test_an_output_in_a_lower_layer(tmp_path: Path) -> None:
    nothing, changed = outcomes("layers", tmp_path)
    assert nothing["done"]
    assert changed["done"] or changed["hints"] == [_HINTS[errno.EXDEV]]
    assert changed["done"] or changed["same"]
    assert not changed["litter"]


@pytest.mark.parametrize("most", [0, 1, 10, 40, 100, 700])
def test_a_limit_on_the_size_of_files(project: Project, most: int) -> None:
    project.build(ONE)
    old = snapshot(project.out)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            done = project.build({**TWO, "big.py": "x = 1\n" * 200})
            code = 0 if done is None and project.codes == ["output-failed"] else 1
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert snapshot(project.out) == old
    assert not project.litter()


def test_a_limit_on_open_files(project: Project) -> None:
    project.build(ONE)
    old = snapshot(project.out)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            for most in range(3, 40):
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, 4096))
                if project.build(TWO) is not None:
                    break
                if project.codes != ["output-failed"] or snapshot_without_opening(project) != set(old):
                    os._exit(2)
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not project.litter()


def snapshot_without_opening(project: Project) -> set[str]:
    """The files' paths; their bytes cannot be read with no descriptor left."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, limit[1]))
    try:
        return set(snapshot(project.out))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
