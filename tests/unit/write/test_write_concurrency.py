"""Many builds at once."""

from __future__ import annotations

import os
import time

from write_project import HEADER, ONE, TWO, Project, snapshot

MANY = {f"f{i:02}.py": f"{HEADER}one = 1\n" for i in range(60)}
OTHER = {f"f{i:02}.py": f"{HEADER}two = 2\n" for i in range(80)}


def test_eight_builds_of_two_versions(project: Project) -> None:
    start = time.monotonic() + 0.3
    children = []
    for number in range(8):
        child = os.fork()
        if child == 0:
            code = 3
            try:
                time.sleep(max(0.0, start - time.monotonic()))
                done = project.build(OTHER if number % 2 else MANY)
                if done is not None:
                    code = 0
                else:
                    code = 1 if project.codes == ["another-build"] else 2
            finally:
                os._exit(code)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert set(codes) <= {0, 1}
    assert 0 in codes
    assert not project.litter()
    assert not project.check(MANY).fails_check or not project.check(OTHER).fails_check


def test_the_loser_says_so(project: Project) -> None:
    from toolgen.write import disk

    project.build(ONE)
    before = snapshot(project.out)
    with disk.lock_folder(str(project.root)):
        assert project.build(TWO) is None
    assert project.codes == ["another-build"]
    assert "another build" in next(iter(project.findings)).message
    assert snapshot(project.out) == before
    assert project.build(TWO) is not None
