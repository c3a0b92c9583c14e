"""`toolgen watch` as a process."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.support.commands import heeding_interrupts, toolgen
from tests.support.generated import PROBES, write_project
from tests.support.repository import ROOT
from toolgen import pipeline
from toolgen.cli import watch
from toolgen.cli.group import main_group
from toolgen.load import loading


def waited(condition: Callable[[], bool], seconds: float = 30, pause: float = 0.05) -> bool:
    """Whether a condition comes true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(pause)
    return False


@contextmanager
def watching(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """`toolgen watch` over a new project with one tool, and the file of what it says."""
    toolgen("init", folder)
    (folder / "schemas" / "toolgen.yaml").write_text("providers: [mcp]\nparts: [tools]\n")
    log = folder / "log"
    with running(folder, log, *options) as process:
        yield process, log


@contextmanager
def running(
    folder: Path, log: Path, *options: str, generator: Path = ROOT / "generator"
) -> Iterator[subprocess.Popen[bytes]]:
    """`toolgen watch` in a folder; what it says goes into a file. `generator` is the folder that it is imported from."""
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "toolgen", "watch", "schemas", *options],
            cwd=folder,
            stdout=output,
            stderr=output,
            env={
                **os.environ,
                "XDG_CACHE_HOME": str(folder.with_name(f"{folder.name} cache")),
                "PYTHONPATH": str(generator),
            },
            preexec_fn=heeding_interrupts,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_sources_are_built_when_they_change_until_it_is_interrupted(tmp_path: Path) -> None:
    tool, module = tmp_path / "schemas/tools/get_weather.yaml", tmp_path / "generated/tools/get_weather.py"
    then = f"{sys.executable} -c \"open('ran', 'a').write('x')\""
    with watching(tmp_path, "--then", then) as (process, log):
        assert waited(lambda: log.read_text().count("watching schemas; press Ctrl-C") == 1), log.read_text()
        good = tool.read_text()
        tool.write_text(good.replace("Get the current", "Fetch the current"))
        assert waited(lambda: log.read_text().count("watching schemas; press Ctrl-C") == 2), log.read_text()
        assert "Fetch the current" in module.read_text()
        tool.write_text(good + ": bad\n")
        assert waited(lambda: "the package is unchanged" in log.read_text()), log.read_text()
        assert "error[not-yaml]" in log.read_text()
        assert "Fetch the current" in module.read_text()
        tool.write_text(good)
        assert waited(lambda: "watching schemas; errors fixed" in log.read_text()), log.read_text()
        assert "Get the current" in module.read_text()
        assert waited(lambda: (tmp_path / "ran").read_text() == "xxx")
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert "Traceback" not in log.read_text()


def test_an_edit_of_the_package_is_told_and_what_is_gone_is_made_again(tmp_path: Path) -> None:
    module = tmp_path / "generated" / "tools" / "get_weather.py"
    with watching(tmp_path) as (_, log):
        assert waited(lambda: "watching schemas; press Ctrl-C" in log.read_text()), log.read_text()
        good = module.read_text()
        module.write_text(good + "# mine\n")
        assert waited(lambda: "the package is unchanged" in log.read_text()), log.read_text()
        assert "generated/tools/get_weather.py:1:1: error[edited-by-hand]" in log.read_text()
        module.unlink()
        assert waited(lambda: "errors fixed" in log.read_text()), log.read_text()
        assert module.read_text() == good


def test_programs_get_one_line_a_build(tmp_path: Path) -> None:
    tool = tmp_path / "schemas" / "tools" / "get_weather.yaml"
    with watching(tmp_path, "--format", "json") as (_, log):
        assert waited(lambda: log.read_text().count("watching schemas; ") == 1), log.read_text()
        good = tool.read_text()
        tool.write_text(good + "bad: 1\n")
        assert waited(lambda: log.read_text().count("watching schemas; ") == 2), log.read_text()
        first, second = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    assert (first["built"], first["findings"], first["output"]) == (True, [], "generated")
    assert first["files"]["created"] > 5
    assert (second["built"], second["output"], second["files"]) == (False, None, None)
    assert [finding["code"] for finding in second["findings"]] == ["unknown-key"]


def test_a_command_that_cannot_be_split_is_refused(tmp_path: Path) -> None:
    done = toolgen("watch", "--then", "'", cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


@pytest.mark.parametrize("options", [("--poll",), ()])
def test_folders_that_move_and_come_back_are_seen(tmp_path: Path, options: tuple[str, ...]) -> None:
    tools, away = tmp_path / "schemas" / "tools", tmp_path / "away"
    with watching(tmp_path, *options) as (_, log):
        assert waited(lambda: log.read_text().count("watching schemas; ") == 1), log.read_text()
        tools.rename(away)
        assert waited(lambda: "the package is unchanged" in log.read_text()), log.read_text()
        away.rename(tools)
        assert waited(lambda: "errors fixed" in log.read_text()), log.read_text()
        (tools / "now.yaml").write_text("name: now\ndescription: The time of day.\n")
        assert waited((tmp_path / "generated/tools/now.py").exists), log.read_text()


@pytest.mark.parametrize(("options", "again"), [((), False), (("--full",), True)])
def test_full_builds_read_again_what_did_not_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], again: bool
) -> None:
    monkeypatch.setattr(watch, "iterate_changes", lambda *_, **__: iter(["sources", "sources"]))
    texts: list[str] = []
    monkeypatch.setattr(
        pipeline, "read_contents", lambda *arguments: texts.append(arguments[0]) or loading.read_contents(*arguments)
    )
    schemas = write_project(tmp_path / "project", PROBES, providers=["mcp"])
    done = CliRunner().invoke(main_group, ["watch", str(schemas), "--format", "json", *options])
    assert done.exit_code == 0, done.output
    assert texts.count("tools/get_weather.json") == (2 if again else 1), texts


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", ["generator/toolgen/parse/config.py", "templates/types.py.jinja", "schemas/providers/mcp.yaml"]
)
def test_a_change_of_toolgen_itself_needs_a_restart_and_is_told_once(tmp_path: Path, file: str) -> None:
    own, project = tmp_path / "own", tmp_path / "project"
    for folder in ("generator/toolgen", "templates", *(f"schemas/{name}" for name in ("format", "meta", "providers"))):
        shutil.copytree(ROOT / folder, own / folder)
    toolgen("init", project)
    (project / "schemas/toolgen.yaml").write_text("providers: [mcp]\nparts: [tools]\n")
    log, tool = project / "log", project / "schemas/tools/get_weather.yaml"
    json_lines = ("--format", "json") if file.endswith(".jinja") else ()
    notice = json.dumps({"restart_needed": True}) if json_lines else "restart needed"
    with running(project, log, *json_lines, generator=own / "generator"):
        assert waited(lambda: log.read_text().count("watching schemas; ") == 1), log.read_text()
        time.sleep(2.5)
        assert notice not in log.read_text()
        with (own / file).open("a") as opened:
            opened.write("\n")
        assert waited(lambda: notice in log.read_text()), log.read_text()
        (own / file).unlink()
        time.sleep(2.5)
        tool.write_text(tool.read_text().replace("Get the current", "Fetch the current"))
        assert waited(lambda: log.read_text().count("watching schemas; ") == 2), log.read_text()
    assert log.read_text().count(notice) == 1
