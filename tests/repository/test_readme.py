"""The README tells the truth: its declaration is compiled, its code is run, its output compared."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.providers.exchanges import whole
from tests.support.commands import toolgen
from tests.support.loopback import Loopback
from tests.support.repository import ROOT

README = (ROOT / "README.md").read_text("utf-8")


def block(language: str, position: int = 0) -> str:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)[position]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "schemas" / "tools").mkdir(parents=True)
    (tmp_path / "schemas" / "tools" / "get_weather.yaml").write_text(block("yaml"), "utf-8")
    return tmp_path


def shown(position: int = 0) -> list[tuple[list[str], str]]:
    """The commands of a block of the README and what it says that they print, up to an ellipsis."""
    found = re.findall(
        r"^\$ toolgen ([^#\n]*?)(?: *#[^\n]*)?\n(.*?)(?=^\$|\Z)", block("console", position), re.DOTALL | re.MULTILINE
    )
    return [(arguments.split(), printed.split("…")[0]) for arguments, printed in found]


def counted(text: str) -> str:
    """The text without how many files there were, which changes with every module of the runtime."""
    return re.sub(r"^([\w/]+): \d+ created$", r"\1: created", text, flags=re.MULTILINE)


def test_the_module_is_what_the_declaration_gives(project: Path) -> None:
    assert toolgen("build", "schemas", cwd=project).returncode == 0
    assert block("python") in (project / "generated" / "tools" / "get_weather.py").read_text("utf-8")


def test_the_profile_of_a_project_holds(project: Path) -> None:
    text = next(
        text for text in re.findall(r"^```yaml\n(.*?)^```$", README, re.DOTALL | re.MULTILINE) if "dialects" in text
    )
    (project / "schemas" / "providers").mkdir()
    (project / "schemas" / "providers" / "openai_chat.yaml").write_text(text, "utf-8")
    (project / "schemas" / "tools" / "label.yaml").write_text(
        "name: label\ndescription: d\nparameters: {properties: {a: {type: object, additionalProperties: {type: string}}},"
        " required: [a], additionalProperties: false, type: object}\n",
        "utf-8",
    )
    result = toolgen("show", "label", "--provider", "openai_chat", cwd=project)
    assert (result.returncode, '"strict": true' in result.stdout, '"key"' in result.stdout) == (0, True, True)


def test_the_code_runs(project: Path) -> None:
    toolgen("build", "schemas", cwd=project)
    code = block("python", 1) + "\nassert openai_chat.to_request(history) == body"
    code = code.replace('parse_arguments("get', "assert 'Oslo' == parse_arguments(\"get")
    code = code.replace("losses[-1].reason  #", "assert 'the API demands it: 4096' == losses[-1].reason  #")
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=project, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.slow
def test_the_loop_runs_in_fifteen_lines(project: Path) -> None:
    code = block("python", 2)
    assert len(code.splitlines()) <= 15
    toolgen("build", "schemas", cwd=project)
    blocks = [{"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}]
    answer = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    server = Loopback()
    server.replies.append(whole({**answer, "content": blocks, "stop_reason": "tool_use"}))
    server.replies.append(
        whole({**answer, "content": [{"type": "text", "text": "21 degrees."}], "stop_reason": "end_turn"})
    )
    keys = {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": server.address, "NO_PROXY": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-c", f"import warnings\nwarnings.simplefilter('ignore')\n{code}"],
        cwd=project,
        env={**os.environ, **keys},
        capture_output=True,
        text=True,
        check=False,
    )
    server.close()
    assert (done.returncode, done.stderr) == (0, "")
    assert "21 degrees." in done.stdout
    assert done.stdout.split()[-2:] == ["1", "end"]
    results = server.heard[1].body["messages"][-1]["content"]
    assert [(r["tool_use_id"], r["content"]) for r in results] == [("toolu_1", '{"city":"Oslo","degrees":21}')]
    typed = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "-c", code], cwd=project, capture_output=True, text=True, check=False
    )
    assert typed.returncode == 0, typed.stdout


def test_init_makes_what_is_shown(tmp_path: Path) -> None:
    ((arguments, printed),) = shown()
    result = toolgen(*arguments, cwd=tmp_path)
    assert (result.stderr, result.returncode) == (printed, 0)


def test_commands_print_what_is_shown(project: Path) -> None:
    commands = shown(1)
    assert [arguments[0] for arguments, _ in commands] == ["build", "check", "breaking", "show", "schema", "build"]
    for number, (arguments, printed) in enumerate(commands):
        if number == 2:
            shutil.copytree(project / "schemas", project / "released")
            source = project / "released" / "tools" / "get_weather.yaml"
            source.write_text(source.read_text("utf-8").replace("fahrenheit]", "fahrenheit, kelvin]"), "utf-8")
        if number == 5:
            source = project / "schemas" / "tools" / "get_weather.yaml"
            source.write_text(source.read_text("utf-8").replace("type: object", "type: objekt"), "utf-8")
        result = toolgen(*arguments, cwd=project)
        assert counted(result.stdout + result.stderr).startswith(counted(printed)), arguments
        assert result.returncode == {2: 1, 5: 2}.get(number, 0)


def test_imports_print_and_write_what_is_shown(tmp_path: Path) -> None:
    corpus = tmp_path / "tests" / "corpus"
    corpus.mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "corpus" / "github-tools.json", corpus)
    (tmp_path / "weather.json").write_text('[{"name": "weather.get", "inputSchema": {"type": "object"}}]')
    commands = [*shown(2), *shown(3)]
    assert [arguments[0] for arguments, _ in commands] == ["import", "build", "import"]
    for arguments, printed in commands:
        result = toolgen(*arguments, cwd=tmp_path)
        assert (counted(result.stderr), result.returncode) == (counted(printed), 0), arguments
    edited = tmp_path / "weather" / "tools" / "weather_get.yaml"
    edited.write_text(edited.read_text().replace("name: weather_get\n", "name: weather_get\ndescription: Ours.\n"))
    (tmp_path / "weather.json").write_text(
        '[{"name": "weather.get", "inputSchema": {"type": "object"},\n "description": "Theirs.",\n "title": "Weather"}]'
    )
    ((arguments, printed),) = shown(4)
    result = toolgen(*arguments, cwd=tmp_path)
    assert (result.stderr, result.returncode) == (printed, 0)
    assert (tmp_path / "github" / "tools" / "get_me.yaml").read_text("utf-8") == block("yaml", 1)


def test_every_make_target_of_the_documents_exists() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    texts = README + (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    targets = {t for line in re.findall(r"`?make ((?:[a-z]+ ?)+)", texts) for t in line.split()[:1]}
    assert {t for t in targets if f"\n{t}:" not in makefile} == set()


def test_links_lead_somewhere() -> None:
    for document in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / document).read_text("utf-8")
        links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
        assert [link for link in links if not (ROOT / link).exists()] == []


def test_linting_prints_what_is_shown(tmp_path: Path) -> None:
    (tmp_path / "schemas" / "tools").mkdir(parents=True)
    source = tmp_path / "schemas" / "tools" / "send.yaml"
    source.write_text(
        "name: send\ndescription: Sends a message to people.\nparameters:\n  type: object\n  properties:\n"
        "    to: {type: array, description: Addresses.}\n",
        "utf-8",
    )
    commands = shown(5)
    assert [arguments[0] for arguments, _ in commands] == ["lint", "explain"]
    for (arguments, printed), code in zip(commands, (1, 0), strict=True):
        result = toolgen(*arguments, cwd=tmp_path)
        assert (result.stdout + result.stderr).startswith(printed), arguments
        assert result.returncode == code
    (tmp_path / "schemas" / "toolgen.yaml").write_text(block("yaml", 2), "utf-8")
    source.write_text(
        source.read_text("utf-8").replace("Addresses.}", "Addresses.} # toolgen: allow array-without-items")
    )
    assert toolgen("lint", cwd=tmp_path).stderr == "schemas: 1 tool, no problems found\n"
