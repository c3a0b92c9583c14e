"""What `check` says."""

from __future__ import annotations

from write_project import ONE, TWO, Project, snapshot

from toolgen.diagnostics import Findings
from toolgen.write import LOCK, Stamp, find_drift, write_package


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
    (project.out / "tools" / "a.py").write_text("a = 1 \n")
    (project.out / "models.py").write_text("")
    drift = project.check(ONE)
    assert drift.edited == drift.changed == ("models.py", "tools/a.py")
    assert "-a = 1 \n+a = 1\n" in drift.diff
    assert "generated/models.py: edited by hand" in drift.messages("generated")


def test_additional_files(project: Project) -> None:
    project.build(ONE)
    for path in ("tools/extra.py", "notes.txt", "__pycache__/x.py", ".venv/lib.py", "tools/x.pyi"):
        (project.out / path).parent.mkdir(exist_ok=True)
        (project.out / path).write_text("secret")
    drift = project.check(ONE)
    assert drift.unmanaged == ("__pycache__/x.py", "tools/extra.py", "tools/x.pyi")
    assert "generated/tools/extra.py" in drift.diff
    assert "secret" not in drift.diff


def test_a_changed_source(project: Project) -> None:
    project.build(ONE)
    drift = find_drift(ONE, project.output(), Stamp("1.0", "2026", {"tools/a.yaml": "1" * 64}), Findings())
    assert drift.changed == (LOCK,)
    assert "tools/a.yaml" in drift.diff


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
    findings = Findings()
    assert not find_drift(ONE, project.output(), Stamp("1.9", "2026", {}), findings).fails_check
    assert [finding.code for finding in findings] == ["package-newer"]
    before = (project.out / LOCK).read_bytes()
    findings = Findings()
    assert write_package(ONE, project.output(), Stamp("1.9", "2026", {}), findings) is None
    assert [finding.code for finding in findings] == ["package-newer"]
    assert (project.out / LOCK).read_bytes() == before
    assert write_package(ONE, project.output(), Stamp("1.9", "2026", {}), Findings(), force=True) is not None
    assert (project.out / LOCK).read_bytes() != before


def test_the_diff_is_printable(project: Project) -> None:
    project.build(ONE)
    (project.out / "tools" / "a.py").write_bytes(b"\x1b[31m\xff\r\x00\xe2\x80\xae\xc2\x85 no newline")
    diff = project.check(ONE).diff
    assert all(c.isprintable() or c == "\n" for c in diff)
    assert "\\ No newline at end of file" in diff


def test_large_files_are_compared_in_linear_time(project: Project) -> None:
    lines = [f"x{i} = {i}\n" for i in range(50_000)]
    project.build({"x.py": "".join(lines)})
    drift = project.check({"x.py": "".join([*lines[:100], *reversed(lines[100:])])})
    assert drift.diff.count("\n@@") == 2
    assert "@@ -98,49903 +98,49903 @@" in drift.diff


def test_a_link_is_not_read(project: Project) -> None:
    project.build(ONE)
    (project.root / "secret").write_text("secret")
    (project.out / "models.py").unlink()
    (project.out / "models.py").symlink_to(project.root / "secret")
    drift = project.check(ONE)
    assert drift.changed == ("models.py",)
    assert "secret" not in drift.diff
