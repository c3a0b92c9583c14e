"""What `check` says."""

from __future__ import annotations

from write_project import HEADER, ONE, TWO, Project, snapshot

from toolgen.write import LOCK


def test_in_step(project: Project) -> None:
    project.build(ONE)
    drift = project.check(ONE)
    assert not drift.fails_check
    assert not drift.diff
    assert not drift.messages("generated")


def test_no_output_yet(project: Project) -> None:
    drift = project.check(ONE)
    assert drift.missing == tuple(sorted([*ONE, LOCK]))
    assert "Missing: generated/py.typed (empty)\n" in drift.diff
    assert not project.out.exists()


def test_changes_are_a_diff(project: Project) -> None:
    project.build(ONE)
    before = snapshot(project.root)
    drift = project.check(TWO)
    assert drift.missing == ("new/b.py",)
    assert drift.changed == (LOCK, "tools/a.py")
    assert drift.extra == ("old/gone.py",)
    assert "--- generated/tools/a.py (on disk)\n+++ generated/tools/a.py (as built)\n" in drift.diff
    assert "-a = 1\n+a = 2\n" in drift.diff
    assert "-gone = 1\n" in drift.diff
    assert drift.diff == project.check(TWO).diff
    assert snapshot(project.root) == before


def test_a_blank_at_the_end_and_an_emptied_file(project: Project) -> None:
    project.build(ONE)
    (project.out / "tools" / "a.py").write_text(f"{HEADER}a = 1 \n")
    (project.out / "models.py").write_text("")
    project.edited = ["tools/a.py"]
    drift = project.check(ONE)
    assert (drift.edited, drift.changed) == (("tools/a.py",), ("models.py", "tools/a.py"))
    assert "-a = 1 \n+a = 1\n" in drift.diff
    assert {
        "generated/tools/a.py: edited by hand",
        "generated/models.py: not written by toolgen, but a generated file must go there",
    } == {*drift.messages("generated")}
    project.edited = []
    assert project.check(ONE).messages("generated")[1] == "generated/tools/a.py: out of date"


def test_additional_files(project: Project) -> None:
    project.build(ONE)
    for path in ("tools/extra.py", "notes.txt", "__pycache__/x.py", ".venv/lib.py", "tools/x.pyi"):
        (project.out / path).parent.mkdir(exist_ok=True)
        (project.out / path).write_text("secret")
    drift = project.check(ONE)
    assert drift.unmanaged == ("__pycache__/x.py", "tools/extra.py", "tools/x.pyi")
    assert "generated/tools/extra.py" in drift.diff
    assert "secret" not in drift.diff


def test_a_file_with_the_header_that_no_build_made(project: Project) -> None:
    project.build(ONE)
    for path in ("tools/copy.py", "notes.md"):
        (project.out / path).write_text(f"{HEADER}copy = 1\n")
    drift = project.check(ONE)
    assert (drift.unmanaged, drift.strays, drift.fails_check) == (
        ("tools/copy.py",),
        ("notes.md", "tools/copy.py"),
        True,
    )
    why = "generated, but neither from these sources nor by the build that wrote the lock file"
    assert drift.messages("generated") == [f"generated/tools/copy.py: {why}"]


def test_a_changed_payload_alone_is_drift(project: Project) -> None:
    project.build(ONE)
    lock = project.out / LOCK
    lock.write_text(lock.read_text().replace('a.anthropic = "0', 'a.anthropic = "f'))
    drift = project.check(ONE)
    assert drift.changed == (LOCK,)
    assert '+a.anthropic = "0000' in drift.diff


def test_another_version(project: Project) -> None:
    project.build(ONE, version="0.9")
    before = (project.out / LOCK).read_bytes()
    drift = project.check(ONE)
    assert not drift.fails_check
    assert drift.messages("generated") == ["generated: written by toolgen 0.9, but this is 1.0"]
    project.build(ONE)
    assert (project.out / LOCK).read_bytes() == before
    assert LOCK in project.check({**ONE, "new.py": "x = 1\n"}).changed


def test_a_newer_version(project: Project) -> None:
    project.build(ONE, version="1.10")
    assert not project.check(ONE, version="1.9").fails_check
    assert project.codes == ["package-newer"]
    before = (project.out / LOCK).read_bytes()
    assert project.build(ONE, version="1.9") is None
    assert project.codes == ["package-newer"]
    assert (project.out / LOCK).read_bytes() == before
    assert project.build(ONE, version="1.9", force=True) is not None
    assert (project.out / LOCK).read_bytes() != before


def test_the_diff_is_printable(project: Project) -> None:
    project.build(ONE)
    (project.out / "tools" / "a.py").write_bytes(HEADER.encode() + b"\x1b[31m\xff\r\x00\xe2\x80\xae\xc2\x85 no newline")
    diff = project.check(ONE).diff
    assert all(c.isprintable() or c == "\n" for c in diff)
    assert "\\ No newline at end of file" in diff


def test_large_files_are_compared_in_linear_time(project: Project) -> None:
    lines = [f"x{i} = {i}\n" for i in range(50_000)]
    project.build({"x.py": "".join([HEADER, *lines])})
    drift = project.check({"x.py": "".join([HEADER, *lines[:100], *reversed(lines[100:])])})
    assert drift.diff.count("\n@@") == 1
    assert "@@ -99,49903 +99,49903 @@" in drift.diff


def test_a_link_is_not_read(project: Project) -> None:
    project.build(ONE)
    (project.root / "secret").write_text("secret")
    (project.out / "models.py").unlink()
    (project.out / "models.py").symlink_to(project.root / "secret")
    (project.out / "linked.py").symlink_to(project.root / "secret")
    drift = project.check(ONE)
    assert drift.changed == ("models.py",)
    assert "secret" not in drift.diff
