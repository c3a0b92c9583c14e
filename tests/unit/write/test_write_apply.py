"""What a build does with each kind of file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from write_project import HEADER, ONE, TWO, Project, snapshot

from toolgen.write import LOCK


def test_created_changed_deleted_unchanged(project: Project) -> None:
    first = project.build(ONE)
    assert first is not None
    assert first.created == tuple(sorted([*ONE, LOCK]))
    second = project.build(TWO)
    assert second is not None
    assert second.created == ("new/b.py",)
    assert second.changed == ("toolgen.lock", "tools/a.py")
    assert second.deleted == ("old/gone.py",)
    assert set(second.unchanged) == set(TWO) - {"new/b.py", "tools/a.py"}
    assert not project.codes
    assert not project.litter()
    output = snapshot(project.out)
    assert {k: v for k, v in output.items() if k != LOCK} == {k: v.encode().decode("latin-1") for k, v in TWO.items()}
    assert not (project.out / "old").exists()


def test_nothing_is_written_when_nothing_changed(project: Project) -> None:
    project.build(ONE)

    def stamps() -> dict[str, tuple[int, int]]:
        paths = [project.root, project.out, *project.out.rglob("*")]
        return {str(p): (p.stat().st_mtime_ns, p.stat().st_ino) for p in paths}

    before = stamps()
    plan = project.build(ONE)
    assert plan is not None
    assert not plan.has_changes
    assert stamps() == before


def test_unchanged_files_keep_their_times(project: Project) -> None:
    project.build(ONE)
    before = (project.out / "models.py").stat()
    project.build(TWO)
    after = (project.out / "models.py").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_same_bytes_in_another_folder(project: Project) -> None:
    old = os.umask(0o077)
    try:
        project.build(ONE)
        os.umask(0o022)
        second_output = project.root / "deep" / "er" / "package"
        project.build(dict(reversed(ONE.items())), second_output)
    finally:
        os.umask(old)
    assert snapshot(project.out) == snapshot(second_output)
    assert stat.S_IMODE((project.out / "models.py").stat().st_mode) == 0o600
    assert stat.S_IMODE((second_output / "models.py").stat().st_mode) == 0o644
    assert stat.S_IMODE(second_output.stat().st_mode) == 0o755


def test_foreign_files_stay_as_they_are(project: Project) -> None:
    project.build(ONE)
    (project.out / "notes.txt").write_text("mine")
    (project.out / "notes.txt").chmod(0o640)
    (project.out / "old" / "mine.py").write_text("mine = 1\n")
    (project.out / "empty").mkdir(mode=0o750)
    (project.out / "link").symlink_to("/etc")
    (project.out / "old" / "dead").symlink_to("nowhere")
    os.mkfifo(project.out / "pipe")
    before = (project.out / "notes.txt").stat()
    plan = project.build(TWO)
    assert plan is not None
    assert plan.unmanaged == ("empty", "link", "notes.txt", "old/dead", "old/mine.py", "pipe")
    after = (project.out / "notes.txt").stat()
    assert (before.st_ino, before.st_mode, before.st_mtime_ns) == (
        after.st_ino,
        after.st_mode,
        after.st_mtime_ns,
    )
    assert stat.S_IMODE((project.out / "empty").stat().st_mode) == 0o750
    assert os.readlink(project.out / "link") == "/etc"
    assert stat.S_ISFIFO((project.out / "pipe").stat().st_mode)
    assert (project.out / "old" / "mine.py").read_text() == "mine = 1\n"
    assert not (project.out / "old" / "gone.py").exists()
    assert not project.litter()


def test_caches_go_with_their_folder(project: Project) -> None:
    project.build(ONE)
    for folder in ("old", "tools"):
        (project.out / folder / "__pycache__").mkdir()
        (project.out / folder / "__pycache__" / "x.cpython-311.pyc").write_bytes(b"x")
    project.build(TWO)
    assert not (project.out / "old").exists()
    assert (project.out / "tools" / "__pycache__" / "x.cpython-311.pyc").exists()


def test_an_old_output_folder_of_somebody_else(project: Project) -> None:
    project.out.mkdir()
    (project.out / "readme").write_text("x")
    plan = project.build(ONE)
    assert plan is not None
    assert plan.unmanaged == ("readme",)
    assert (project.out / "readme").read_text() == "x"


def test_foreign_file_in_the_way(project: Project) -> None:
    (project.out / "tools").mkdir(parents=True)
    (project.out / "tools" / "a.py").write_text("mine\n")
    before = snapshot(project.out)
    for force in (False, True):
        assert project.build(ONE, force=force) is None
        assert project.codes == ["foreign-in-the-way"]
        assert next(iter(project.findings)).span.path == "generated/tools/a.py"
        assert snapshot(project.out) == before
    (project.out / "tools" / "a.py").write_text(ONE["tools/a.py"])
    assert project.build(ONE) is not None


def test_foreign_file_where_a_folder_must_go(project: Project) -> None:
    project.out.mkdir()
    (project.out / "tools").write_text("mine\n")
    assert project.build(ONE, force=True) is None
    assert project.codes == ["foreign-in-the-way"]


def test_foreign_folder_where_a_file_must_go(project: Project) -> None:
    (project.out / "models.py").mkdir(parents=True)
    assert project.build(ONE, force=True) is None
    (project.out / "models.py" / "x").write_text("mine\n")
    assert project.build(ONE, force=True) is None
    assert project.codes == ["foreign-in-the-way"]


@pytest.mark.parametrize("path", ["tools/a.py", "old/gone.py"])
def test_edited_by_hand(project: Project, path: str) -> None:
    project.build(ONE)
    (project.out / path).write_text(f"{HEADER}edited\n")
    project.edited = [path, "models.py"]
    before = snapshot(project.out)
    assert project.build(TWO) is None
    assert project.codes == ["edited-by-hand"]
    finding = next(iter(project.findings))
    assert finding.span.path == f"generated/{path}"
    assert finding.hint is not None
    assert "--force" in finding.hint
    assert snapshot(project.out) == before
    plan = project.build(TWO, force=True)
    assert plan is not None
    assert plan.edited == (path,)
    assert not project.check(TWO).fails_check


def test_what_nothing_shows_to_be_edited_is_overwritten(project: Project) -> None:
    project.build(ONE)
    for path in ("tools/a.py", "old/gone.py"):
        (project.out / path).write_text(f"{HEADER}other = 1\n")
    plan = project.build(TWO)
    assert plan is not None
    assert (plan.changed, plan.deleted, plan.edited) == ((LOCK, "tools/a.py"), ("old/gone.py",), ())


def test_a_file_with_conflict_markers_was_not_edited(project: Project) -> None:
    project.build(ONE)
    (project.out / "tools/a.py").write_text(f"{HEADER}<<<<<<< HEAD\na = 3\n=======\na = 4\n>>>>>>> other\n")
    project.edited = ["tools/a.py"]
    assert project.build(TWO) is not None
    assert (project.out / "tools/a.py").read_text() == TWO["tools/a.py"]


def test_an_edit_that_is_what_the_build_makes(project: Project) -> None:
    project.build(ONE)
    (project.out / "tools" / "a.py").write_text(TWO["tools/a.py"])
    project.edited = ["tools/a.py"]
    assert project.build(TWO) is not None


@pytest.mark.parametrize("text", ["", "mine = 1\n", f"{'#' * 500}\n{HEADER}"], ids=["empty", "own", "header far below"])
@pytest.mark.parametrize("path", ["tools/a.py", "old/gone.py"])
def test_a_file_without_the_header_is_never_touched(project: Project, path: str, text: str) -> None:
    """At the path of a file that the build makes it is in the way; at that of a file that it no longer makes it stays."""
    project.build(ONE)
    (project.out / path).write_text(text)
    for force in (False, True):
        plan = project.build(TWO, force=force)
        assert (project.out / path).read_text() == text
        assert (plan is None) == (path in TWO)
        assert project.codes == (["foreign-in-the-way"] if path in TWO else [])


def test_a_file_with_the_header_is_deleted_only_where_the_build_before_made_it(project: Project) -> None:
    project.build({path: text for path, text in ONE.items() if path != "old/gone.py"})
    strays = ("copy.py", "old/gone.py", "tools/copy.py")
    for path in (*strays, ".venv/lib.py"):
        (project.out / path).parent.mkdir(exist_ok=True)
        (project.out / path).write_text(f"{HEADER}copy = 1\n")
    for force in (False, True):
        plan = project.build(TWO, force=force)
        assert plan is not None
        assert (plan.deleted, plan.strays, project.codes) == ((), strays, ["stray-file"] * 3)
        assert all((project.out / path).exists() for path in strays)
    assert project.build({**TWO, "old/gone.py": ONE["old/gone.py"]}) is not None
    plan = project.build(TWO)
    assert plan is not None
    assert plan.deleted == ("old/gone.py",)
    assert not (project.out / "old").exists()


def test_a_file_of_somebody_else_need_not_be_readable(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolgen.write import disk

    def refuse(path: str, length: int) -> bytes:
        raise PermissionError(13, "no", path)

    project.build(ONE)
    (project.out / "secret.txt").write_text(HEADER)
    monkeypatch.setattr(disk, "read_beginning", refuse)
    plan = project.build(ONE)
    assert plan is not None
    assert (plan.unmanaged, plan.strays, project.codes) == (("secret.txt",), (), [])


def test_many_edits_are_some_dozens_of_findings(project: Project) -> None:
    many = {f"f{i:03}.py": f"{HEADER}{i}\n" for i in range(100)}
    project.build(many)
    for path in many:
        (project.out / path).write_text(f"{HEADER}edited\n")
    project.edited = many
    assert project.build(many) is None
    assert len(project.codes) == 26
    assert "75 more" in next(f.message for f in project.findings if f.code == "more-in-the-way")


def test_missing_file_comes_back(project: Project) -> None:
    project.build(ONE)
    (project.out / "py.typed").unlink()
    plan = project.build(ONE)
    assert plan is not None
    assert plan.created == ("py.typed",)


def test_crlf_checkout(project: Project) -> None:
    project.build(ONE)
    for path in project.out.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    plan = project.build(ONE)
    assert plan is not None
    assert not plan.has_changes
    drift = project.check(ONE)
    assert not drift.fails_check
    assert "CRLF" in " ".join(drift.messages("generated"))
    plan = project.build(TWO)
    assert plan is not None
    assert not plan.edited


def test_links_in_the_output_are_not_followed(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text(ONE["tools/a.py"])
    project.build(ONE)
    (project.out / "tools" / "a.py").unlink()
    (project.out / "tools" / "a.py").symlink_to(outside / "a.py")
    for force in (False, True):
        assert project.build(TWO, force=force) is None
        assert project.codes == ["foreign-in-the-way"]
    assert (project.out / "tools" / "a.py").is_symlink()
    assert (outside / "a.py").read_text() == ONE["tools/a.py"]
    (project.out / "tools" / "a.py").unlink()
    assert project.build(TWO) is not None


def test_a_linked_folder_in_the_output(project: Project, tmp_path: Path) -> None:
    project.build(ONE)
    outside = tmp_path / "outside"
    os.rename(project.out / "tools", outside)
    (project.out / "tools").symlink_to(outside)
    before = snapshot(outside)
    assert project.build(TWO, force=True) is None
    assert project.codes == ["foreign-in-the-way"]
    assert project.check(ONE).missing == ("tools/__init__.py", "tools/a.py")
    assert snapshot(outside) == before


def test_a_file_that_comes_during_the_build_is_kept(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolgen.write.atomic_swap import AtomicSwap

    project.build(ONE)
    commit = AtomicSwap.commit

    def late(self: AtomicSwap) -> None:
        (project.out / "old" / "late.txt").write_text("late")
        commit(self)

    monkeypatch.setattr(AtomicSwap, "commit", late)
    project.build(TWO)
    assert (project.out / "old" / "late.txt").read_text() == "late"
    assert not project.litter()


@pytest.mark.parametrize("path", ["../x.py", "/x.py", "a/../../x.py", "a\\b.py", "toolgen.lock", "", "a//b", ".git/x"])
def test_paths_that_leave_the_package_are_a_defect(project: Project, path: str) -> None:
    with pytest.raises(ValueError, match="not a path"):
        project.build({path: "x"})
