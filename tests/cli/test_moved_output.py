"""A package that moved: `build` and `check` name the one that is left behind, and the lines of .gitattributes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.support.commands import toolgen
from tests.support.generated import PROBES, write_project
from toolgen.build_record import cached_output

LINES = "generated/** linguist-generated text eol=lf\n"
MOVED = "warning[package-moved]: the package has moved from 'generated' to 'src/app/tools'\n"
DELETE = "delete 'generated' when nothing imports it"
CHANGE = "change this line to `src/app/tools/** linguist-generated text eol=lf`"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that was built into `generated` before its configuration named another folder."""
    write_project(tmp_path, PROBES[:2], providers=["mcp"])
    (tmp_path / ".gitattributes").write_text(f"*.png binary\n{LINES}")
    monkeypatch.chdir(tmp_path)
    assert run("build") == run("build").replace("unchanged", "created")
    configure("src/app/tools")
    return tmp_path


def configure(out: str) -> None:
    Path("schemas/toolgen.yaml").write_text(f"providers: [mcp]\nout: {out}\n")


def run(*words: str) -> str:
    done = toolgen(*words, cwd=Path.cwd())
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("command", ["build", "check"])
def test_it_is_told_at_the_line_until_the_line_is_changed(project: Path, command: str) -> None:
    run("build")
    (before := (project / ".gitattributes").read_text())
    for _ in range(2):
        text = run(command)
        assert f".gitattributes:2:1: {MOVED}  2 | generated/**" in text
        assert f"  hint: {DELETE}, and {CHANGE}\n" in text
        assert "cannot be cached" not in text
    assert (project / ".gitattributes").read_text() == before
    shutil.rmtree(project / "generated")
    text = run(command)
    assert f".gitattributes:2:1: {MOVED}" in text
    assert f"  hint: {CHANGE}\n" in text
    (project / ".gitattributes").write_text(before.replace("generated/", "src/app/tools/"))
    assert "package-moved" not in run(command)
    assert cached_output([command]) is not None


def test_programs_get_it_too(project: Path) -> None:
    run("build")
    (finding,) = json.loads(toolgen("check", "--format", "json", cwd=project).stdout)
    assert (finding["code"], finding["path"], finding["line"]) == ("package-moved", ".gitattributes", 2)


def test_the_explanation_is_there() -> None:
    assert "the package has moved from <old> to <new>" in toolgen("explain", "package-moved").stdout


@pytest.mark.parametrize(
    "text",
    [
        LINES.replace("generated/", "/src/app/tools/"),
        f"{LINES}src/app/tools/** linguist-generated\n",
        f"{LINES}src/** linguist-generated\n",
        f"{LINES}**/tools/** linguist-generated\n",
        f"{LINES}src/*/tools/** linguist-generated\n",
    ],
)
def test_nothing_is_said_where_a_line_is_about_the_output(project: Path, text: str) -> None:
    (project / ".gitattributes").write_text(text)
    assert "package-moved" not in run("build")


@pytest.mark.parametrize(
    "text", ["", "*.png binary\n", "# generated/** linguist-generated\n", "generated/** text\n", "[\n\x00"]
)
def test_without_such_a_line_the_default_place_is_looked_at(project: Path, text: str) -> None:
    (project / ".gitattributes").write_text(text)
    printed = run("build")
    assert f"schemas/toolgen.yaml:2:6: {MOVED}" in printed
    assert f"  hint: {DELETE}\n" in printed
    shutil.rmtree(project / "generated")
    assert "package-moved" not in run("build")


def test_a_package_or_a_folder_of_others_is_not_meant(project: Path) -> None:
    """Neither a package of other sources, nor what another generator wrote."""
    second_project = project / "other"
    write_project(second_project, PROBES[2:3], providers=["mcp"])
    assert toolgen("build", cwd=second_project).returncode == 0
    shutil.rmtree(project / "generated")
    lines = "other/generated/** linguist-generated text eol=lf\nproto/** linguist-generated\n"
    (project / ".gitattributes").write_text(lines)
    assert "package-moved" not in run("build")


def test_an_output_of_the_command_line_is_no_move(project: Path) -> None:
    assert "package-moved" not in run("build", "--out", "preview")
    assert "package-moved" not in run("check", "--out", "preview")


def test_back_to_the_default_place(project: Path) -> None:
    shutil.rmtree(project / "generated")
    (project / ".gitattributes").write_text(LINES.replace("generated/", "src/app/tools/"))
    run("build")
    Path("schemas/toolgen.yaml").write_text("providers: [mcp]\n")
    text = run("build")
    assert (
        ".gitattributes:1:1: warning[package-moved]: the package has moved from 'src/app/tools' to 'generated'\n"
        in text
    )
    assert "`generated/** linguist-generated text eol=lf`" in text


def test_the_file_may_be_in_the_root_of_the_repository(project: Path) -> None:
    """From a folder below it, where another project has the same tools."""
    service = project / "services" / "one"
    service.mkdir(parents=True)
    for name in ("schemas", "generated"):
        (project / name).rename(service / name)
    (project / ".git").mkdir()
    (project / ".gitattributes").write_text("services/one/generated/** linguist-generated text eol=lf\n")
    text = toolgen("build", cwd=service).stderr
    assert f"../../.gitattributes:1:1: {MOVED}" in text
    assert "and change this line to `services/one/src/app/tools/** linguist-generated text eol=lf`\n" in text
    shutil.copytree(service, project / "services" / "two")
    shutil.rmtree(project / "services" / "two" / "generated")
    assert "package-moved" not in toolgen("build", cwd=project / "services" / "two").stderr
