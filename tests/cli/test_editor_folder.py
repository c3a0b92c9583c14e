"""`build` and `watch` keep the schemas for editors in `SCHEMAS/.editor`, which git ignores."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from tests.cli.test_init import EDITOR, EDITOR_FILES, tree
from tests.cli.test_watch import running, waited
from tests.support.commands import toolgen
from tests.support.generated import PROBES, write_project
from tests.support.git import git
from toolgen import build_record
from toolgen.build_record import cached_output
from toolgen.write import disk


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new project, built with one small provider."""
    folder = tmp_path / "project"
    toolgen("init", folder)
    config = folder / "schemas/toolgen.yaml"
    config.write_text(config.read_text("utf-8").partition("providers:")[0] + "providers: [mcp]\nparts: [tools]\n")
    assert toolgen("build", cwd=folder).returncode == 0
    monkeypatch.chdir(folder)
    return folder


def built(*words: str, code: int = 0) -> str:
    done = toolgen(*(words or ("build",)), cwd=Path.cwd())
    assert done.returncode == code, done.stderr
    return done.stderr


def test_the_first_build_in_a_fresh_clone_writes_them(project: Path, tmp_path: Path) -> None:
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    git(tmp_path, "clone", "-q", str(project), "clone")
    os.chdir(tmp_path / "clone")
    assert not Path(EDITOR).exists()
    built("check")
    assert not Path(EDITOR).exists()
    built()
    assert tree(Path(EDITOR)) == tree(project / EDITOR)
    assert set(tree(Path(EDITOR))) == EDITOR_FILES
    assert git(Path.cwd(), "status", "--short") == ""


def test_a_build_in_which_nothing_changed_is_skipped_unless_one_is_missing(project: Path) -> None:
    before = tree(project)
    assert cached_output(["build"]) is not None
    (project / EDITOR / "config.json").unlink()
    assert cached_output(["build"]) is None
    built()
    assert tree(project) == before
    shutil.rmtree(project / EDITOR)
    assert cached_output(["build"]) is None
    built()
    assert tree(project) == before
    assert cached_output(["build"]) is not None


def test_one_of_another_release_is_replaced_and_the_others_are_not_touched(project: Path) -> None:
    before = tree(project)
    stamps = {path: path.stat() for path in (project / EDITOR).iterdir()}
    (project / EDITOR / "declaration.json").write_text("{}")
    built()
    assert tree(project) == before
    assert [path.name for path, stat in stamps.items() if path.stat() != stat] == ["declaration.json"]


@pytest.mark.parametrize("source", ["toolgen.yaml", "tools/now.json", "tools/deep/now.yaml"])
def test_a_source_that_names_one_is_enough(tmp_path: Path, source: str) -> None:
    write_project(tmp_path, PROBES[:1], providers=["mcp"])
    built_files = toolgen("build", cwd=tmp_path)
    assert built_files.returncode == 0
    assert not (tmp_path / EDITOR).exists()
    file = tmp_path / "schemas" / source
    file.parent.mkdir(exist_ok=True)
    name = "../" * source.count("/") + ".editor/" + ("config.json" if source == "toolgen.yaml" else "declaration.json")
    if source.endswith(".json"):
        file.write_text(json.dumps({"$schema": name, "name": "now", "description": "The time."}))
    else:
        settings = "providers: [mcp]\n" if source == "toolgen.yaml" else "name: now\ndescription: The time.\n"
        file.write_text(f"# yaml-language-server: $schema={name}\n{settings}")
    assert toolgen("build", cwd=tmp_path).returncode == 0
    assert set(tree(tmp_path / EDITOR)) == EDITOR_FILES


def test_no_link_is_followed(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    before = (project / EDITOR / "config.json").read_bytes()
    (outside / "config.json").write_text("{}")
    (project / EDITOR / "config.json").unlink()
    (project / EDITOR / "config.json").symlink_to(outside / "config.json")
    (project / EDITOR / ".declaration.json.new").symlink_to(outside / "declaration.json")
    (project / EDITOR / "declaration.json").unlink()
    built()
    assert (project / EDITOR / "config.json").read_bytes() == before
    assert not (project / EDITOR / "config.json").is_symlink()
    shutil.rmtree(project / EDITOR)
    (project / EDITOR).symlink_to(outside)
    note = "schemas/.editor:1:1: note[editor-schemas-failed]: the schemas for editors could not be written: not a directory"
    assert note in built("build", "-v")
    assert tree(outside) == {"config.json": b"{}"}


def test_sources_that_may_not_be_written_are_built(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, *_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    shutil.rmtree(project / EDITOR)
    monkeypatch.setattr(disk, "make_folder", refuse)
    assert built().endswith("unchanged\n")
    assert "could not be written: permission denied" in built("build", "-v")
    assert not (project / EDITOR).exists()


def test_a_folder_in_place_of_a_schema_is_left(project: Path) -> None:
    (project / EDITOR / "config.json").unlink()
    (project / EDITOR / "config.json" / "mine").mkdir(parents=True)
    assert "note[editor-schemas-failed]" in built("build", "-v")
    assert sorted(path.name for path in (project / EDITOR).iterdir()) == sorted(EDITOR_FILES)


def test_a_build_with_errors_writes_none(project: Path) -> None:
    shutil.rmtree(project / EDITOR)
    (project / "schemas/tools/get_weather.yaml").write_text(
        "# yaml-language-server: $schema=../.editor/declaration.json\nname: 1\n"
    )
    built(code=2)
    assert not (project / EDITOR).exists()


def test_watch_writes_them_and_builds_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(project / EDITOR)
    log = project / "log"
    with running(project, log, "--poll"):
        assert waited(lambda: "watching schemas" in log.read_text()), log.read_text()
        assert set(tree(project / EDITOR)) == EDITOR_FILES
        assert not waited(lambda: log.read_text().count("watching schemas") > 1, seconds=1.5), log.read_text()
        source = project / "schemas/tools/get_weather.yaml"
        shutil.rmtree(project / EDITOR)
        source.write_text(source.read_text("utf-8").replace("Get the", "Get a"))
        assert waited(lambda: log.read_text().count("watching schemas") == 2), log.read_text()
        assert set(tree(project / EDITOR)) == EDITOR_FILES


def test_a_record_of_a_check_does_not_skip_a_build(project: Path) -> None:
    Path(build_record._record_path("schemas", None)).unlink()
    built("check")
    assert cached_output(["check"]) == "generated: up to date with schemas\n"
    assert cached_output(["build"]) is None
