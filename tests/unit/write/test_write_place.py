"""Places that are refused as output."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from write_project import ONE, Project, snapshot


@pytest.mark.parametrize(
    ("out", "code"),
    [
        ("schemas", "output-holds-sources"),
        (".", "output-holds-sources"),
        ("schemas/..", "output-holds-sources"),
        ("schemas/tools", "output-in-sources"),
        ("schemas/tools/generated", "output-in-sources"),
        ("file", "output-is-file"),
        ("link", "output-is-link"),
        ("dead", "output-is-link"),
        ("file/generated", "output-failed"),
        ("loop/generated", "output-failed"),
        ("nul\0", "output-failed"),
        ("x" * 300, "output-failed"),
        ("/", "output-holds-sources"),
    ],
)
def test_refused(project: Project, out: str, code: str) -> None:
    (project.root / "file").write_text("x")
    (project.root / "target").mkdir()
    (project.root / "link").symlink_to("target")
    (project.root / "dead").symlink_to("nowhere")
    (project.root / "loop").symlink_to("loop")
    before = snapshot(project.root)
    where = Path(os.path.join(project.root, out))
    assert project.build(ONE, where) is None
    assert project.codes == [code]
    assert not project.check(ONE, where).fails_check or code == "output-failed"
    assert project.codes == [code] or out == "file/generated"
    assert snapshot(project.root) == before


def test_beside_the_declarations_inside_schemas(project: Project) -> None:
    assert project.build(ONE, project.sources / "generated") is not None


def test_in_a_folder_that_declarations_are_read_from_by_a_link(project: Project) -> None:
    (project.sources / "tools").rename(project.sources / "real")
    (project.sources / "tools").symlink_to("real")
    assert project.build(ONE, project.sources / "real" / "generated") is None
    assert project.codes == ["output-in-sources"]


def test_a_link_above_the_output(project: Project) -> None:
    (project.root / "real").mkdir()
    (project.root / "way").symlink_to("real")
    assert project.build(ONE, project.root / "way" / "generated") is not None
    assert (project.root / "real" / "generated" / "models.py").exists()


def test_relative_to_the_working_folder(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.sources)
    assert project.build(ONE, Path("../generated")) is not None
    assert (project.out / "models.py").exists()
    monkeypatch.chdir(project.out)
    assert project.build(ONE, Path(".")) is not None


@pytest.mark.skipif(not hasattr(os, "setuid") or os.geteuid() != 0, reason="needs another user to become")
def test_denied() -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder, "project"))
        for path in (Path(folder), project.root, project.sources, project.sources / "tools"):
            path.chmod(0o755)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.setuid(65534)
                code = 0 if project.build(ONE) is None and project.codes == ["output-failed"] else 1
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert not project.out.exists()
        assert not project.litter()


@pytest.mark.parametrize("name", ["json", "pydantic"])
def test_a_name_that_hides_a_module_is_a_warning_unless_it_is_inside_a_package(project: Project, name: str) -> None:
    assert project.build(ONE, project.root / name) is not None
    assert project.codes == ["output-hides-module"]
    (project.root / "app").mkdir()
    (project.root / "app" / "__init__.py").touch()
    assert project.build(ONE, project.root / "app" / name) is not None
    assert project.codes == []
