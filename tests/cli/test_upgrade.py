"""`toolgen upgrade`: what this release changes in a package, and for whom."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.commands import toolgen
from tests.support.generated import PROBES, write_project
from toolgen import __version__
from toolgen.breaking.packages import compare_packages


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path, PROBES, providers=["openai_chat", "anthropic"])
    assert toolgen("build", "schemas", cwd=tmp_path).returncode == 0
    return tmp_path


def as_by_an_older_release(project: Path, path: str, pattern: str, text: str) -> None:
    """Change a file and the lock, as if an older toolgen had written it so."""
    file, lock = project / "generated" / path, project / "generated" / "toolgen.lock"
    old = file.read_text()
    new, count = re.subn(pattern, text, old, count=1)
    assert count
    file.write_text(new)
    lock.write_text(re.sub('version = ".*"', 'version = "0.0.1"', lock.read_text(), count=1))


def test_nothing_to_upgrade(project: Path) -> None:
    for more in ((), ("--dry-run",)):
        done = toolgen("upgrade", "schemas", *more, cwd=project)
        assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_a_lock_file_that_cannot_be_used_is_an_error_with_and_without_writing(
    project: Path, more: tuple[str, ...]
) -> None:
    (project / "generated" / "toolgen.lock").write_text("x")
    done = toolgen("upgrade", "schemas", *more, cwd=project)
    assert done.returncode == 2
    assert "error[lock-unreadable]" in done.stderr
    assert "toolgen build --force" in done.stderr


def test_where_there_is_no_package_it_says_so(project: Path) -> None:
    done = toolgen("upgrade", "schemas", "--out", "other", "--dry-run", cwd=project)
    assert (done.returncode, done.stdout.partition("\n")[0]) == (1, "there was no package")


def test_changes_are_told_by_audience_and_then_written(project: Path) -> None:
    as_by_an_older_release(project, "providers/anthropic.py", '"description": "Current', '"description": "The current')
    as_by_an_older_release(project, "tools/get_weather.py", "city: StrictStr", "town: StrictStr")
    as_by_an_older_release(project, "sessions/__init__.py", '"""', '"""Former. ')
    before = {file: file.read_bytes() for file in project.rglob("*.py")}
    tried = toolgen("upgrade", "schemas", "--dry-run", cwd=project)
    assert tried.returncode == 1
    lines = tried.stdout.splitlines()
    assert lines[0] == "written by toolgen 0.0.1, but this is 0.1.0"
    assert lines[1] == "handlers: tools/get_weather.py: GetWeatherArguments.town was removed"
    sizes = r"\d+ bytes before, \d+ now, the first \d+ % of the old payload is unchanged"
    assert re.fullmatch(rf"model: anthropic: get_weather \({sizes}\)", lines[2])
    assert lines[3:] == ["internal: sessions/__init__.py"]
    assert {file: file.read_bytes() for file in project.rglob("*.py")} == before
    done = toolgen("upgrade", "schemas", cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (0, tried.stdout, "generated: upgraded\n")
    assert toolgen("check", "schemas", cwd=project).stderr == "generated: up to date with schemas\n"


def test_a_provider_is_added_and_none_is_removed(project: Path) -> None:
    done = toolgen("upgrade", "schemas", "--provider", "cohere", cwd=project)
    assert (done.returncode, done.stdout.count("provider is new"), "was removed" in done.stdout) == (0, 1, False)
    modules = {file.stem for file in (project / "generated" / "providers").glob("[a-z]*.py")}
    assert modules == {"openai_chat", "anthropic", "cohere"}


def test_an_edition_is_written_into_the_configuration(project: Path) -> None:
    config = project / "schemas/toolgen.yaml"
    text = "# Ours.\nproviders: [openai_chat, anthropic] # both\n"
    config.write_text(text)
    assert toolgen("build", "schemas", cwd=project).returncode == 0
    assert toolgen("upgrade", "schemas", "--edition", "2026", "--dry-run", cwd=project).returncode == 1
    assert config.read_text() == text
    assert toolgen("upgrade", "schemas", "--edition", "2026", cwd=project).returncode == 0
    assert config.read_text() == f'{text}edition: "2026"\n'
    assert toolgen("upgrade", "schemas", "--edition", "2026", "--dry-run", cwd=project).returncode == 0
    assert toolgen("check", "schemas", cwd=project).returncode == 0


def test_an_edition_is_written_below_comments(project: Path) -> None:
    config = project / "schemas/toolgen.yaml"
    config.write_text('# edition: "2026"\n')
    assert toolgen("upgrade", "schemas", "--edition", "2026", cwd=project).returncode == 0
    assert config.read_text() == '# edition: "2026"\nedition: "2026"\n'


def test_an_edition_keeps_the_line_ends_of_the_configuration(project: Path) -> None:
    config = project / "schemas" / "toolgen.yaml"
    config.write_bytes(b"# the team's settings\r\nrecursion_depth: 3\r\n")
    assert toolgen("upgrade", "schemas", "--edition", "2026", cwd=project).returncode == 0
    assert config.read_bytes() == b'# the team\'s settings\r\nrecursion_depth: 3\r\nedition: "2026"\r\n'


@pytest.mark.parametrize("arguments", [("--edition", "1999"), ("nowhere",)])
def test_what_cannot_be_is_refused(project: Path, arguments: tuple[str, ...]) -> None:
    assert toolgen("upgrade", *arguments, cwd=project).returncode == 2


def test_a_package_by_a_newer_release_is_refused(project: Path) -> None:
    lock = project / "generated/toolgen.lock"
    lock.write_text(lock.read_text().replace('version = "', 'version = "9', 1))
    done = toolgen("upgrade", "schemas", cwd=project)
    assert done.returncode == 2
    assert "error[package-newer]" in done.stderr


def test_files_that_cannot_be_read_are_internal() -> None:
    changes = compare_packages({"tools/a.py": "<<<<<<<"}, {"tools/a.py": "class A:\n    b: int\n"})
    assert (changes.internal, changes.handlers, changes.model) == (("tools/a.py",), (), ())
    gone = compare_packages({"providers/x.py": "TOOLS: list = [{'name': 'a'}]"}, {})
    assert gone.model == ("x: the provider was removed",)


def test_a_package_of_the_former_release_is_up_to_date_and_stays_as_it_is(project: Path) -> None:
    """As long as the two releases make the same text: the version alone is no difference."""
    lock, source = project / "generated/toolgen.lock", project / "schemas/tools/now.json"
    lock.write_text(re.sub('version = ".*"', 'version = "0.0.9"', lock.read_text(), count=1))
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    done = toolgen("check", "schemas", cwd=project)
    assert (done.returncode, done.stdout) == (0, "")
    assert "written by toolgen 0.0.9" in done.stderr
    assert toolgen("build", "schemas", cwd=project).returncode == 0
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
    source.write_text(source.read_text().replace("The time.", "The time of day."))
    assert toolgen("build", "schemas", cwd=project).returncode == 0
    assert f'version = "{__version__}"\n' in lock.read_text()
