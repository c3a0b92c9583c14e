"""The installed runtime, which is the default: the package imports what no declaration changes from toolgen-runtime."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import toolgen_runtime
from tests.support.commands import toolgen
from tests.support.generated import PROBES, Declaration, Package, compiled, write_project
from tests.support.repository import ROOT
from toolgen.write import read_lock

FOUR = ("openai_responses", "openai_chat", "anthropic", "gemini")
DISTRIBUTION = ROOT / "runtime"
VERSION = toolgen_runtime.__version__
MAJOR, MINOR = map(int, VERSION.split(".")[:2])


def project(
    folder: Path, providers: Sequence[str] = FOUR, tools: tuple[Declaration, ...] = PROBES, **settings: object
) -> Path:
    """Sources of a package with the installed runtime."""
    return write_project(folder, tools, providers=providers, **settings)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Package:
    folder = tmp_path_factory.mktemp("installed")
    return Package(compiled(project(folder)), folder)


def modules(package: Package) -> list[str]:
    paths = [path.removesuffix(".py").removesuffix("__init__") for path in package.files if path.endswith(".py")]
    return [path.replace("/", ".").rstrip(".") for path in paths]


def test_nothing_of_the_runtime_is_written_and_every_module_imports(installed: Package) -> None:
    assert [path for path in installed.files if path.startswith("runtime/")] == []
    for name in modules(installed):
        installed.module(name)


def test_packages_of_one_app_share_the_classes_of_the_format(installed: Package, tmp_path: Path) -> None:
    second_package = Package(compiled(project(tmp_path, ["openai_chat"], PROBES[:1])), tmp_path)
    assert second_package.module("models").ToolCall is installed.module("models").ToolCall
    models, body = installed.module("models"), {"messages": [{"role": "user", "content": "Hello"}], "model": "m"}
    request = second_package.provider("openai_chat").from_request(body)
    assert isinstance(request, models.Request)
    assert installed.provider("anthropic").to_request(request, on_loss=[].append)["messages"][0]["role"] == "user"
    assert second_package.module("tools").TOOL_SET is not installed.module("tools").TOOL_SET


@pytest.mark.parametrize("parts", [("tools",), ("converters",), ("tools", "running")], ids="+".join)
def test_parts_are_left_out_of_it_too(tmp_path: Path, parts: tuple[str, ...]) -> None:
    package = Package(compiled(project(tmp_path, ["openai_chat"], parts=parts)), tmp_path)
    assert [path for path in package.files if path.startswith(("runtime/", "sessions/"))] == []
    assert ("providers/openai_chat.py" in package.files) == ("converters" in parts)
    for name in modules(package):
        package.module(name)


def test_check_and_build_notice_a_switch(tmp_path: Path, cache: Path) -> None:
    schemas, package = project(tmp_path, ["openai_chat"]), tmp_path / "generated"
    config = schemas / "toolgen.yaml"

    def run(word: str) -> tuple[int, str]:
        done = toolgen(word, "schemas", cwd=tmp_path)
        return done.returncode, done.stdout + done.stderr

    assert (run("build")[0], run("check")[0]) == (0, 0)
    assert read_lock((package / "toolgen.lock").read_bytes()).runtime == "installed"
    for kind, has in (("copied", True), ("installed", False)):
        config.write_text(json.dumps({"providers": ["openai_chat"], "runtime": kind}), "utf-8")
        code, text = run("check")
        assert (code, "runtime/conversion/converter.py" in text, "toolgen_runtime" in text) == (1, True, True)
        assert run("build")[0] == 0
        assert (package / "runtime").is_dir() is has
        assert read_lock((package / "toolgen.lock").read_bytes()).runtime == kind
        assert run("check")[0] == 0


def test_linters_have_nothing_to_say(installed: Package) -> None:
    for words in (("check",), ("check", "--select", "I"), ("format", "--check")):
        result = checked(
            "ruff", words[0], "--isolated", "--no-cache", *words[1:], installed.name, cwd=installed.folder.parent
        )
        assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]


@pytest.mark.slow
def test_a_type_checker_has_nothing_to_say(installed: Package, tmp_path: Path, mypy_cache: Path) -> None:
    app = (
        f"from {installed.name}.models import ToolCall\nfrom {installed.name}.tools import parse_call\n"
        f"from {installed.name}.providers import anthropic\n\n\n"
        "def calls(body: object) -> list[ToolCall]:\n    return anthropic.from_tool_calls(body)\n\n\n"
        'parse_call(ToolCall("call_1", "get_weather", {}))\n'
    )
    (tmp_path / "app.py").write_text(app, "utf-8")
    (tmp_path / "wrong.py").write_text(app.replace('"call_1"', "1"), "utf-8")
    strict = ("mypy", "--strict", "--python-version", "3.11", "--cache-dir", str(mypy_cache))
    words = ("app.py", "wrong.py", str(installed.folder))
    result = checked(*strict, *words, cwd=tmp_path, path=installed.folder.parent)
    assert f"checked {len(modules(installed)) + 2} source files" in result.stdout, result.stdout[-2000:] + result.stderr
    assert [line.split(":")[0] for line in result.stdout.splitlines() if "error" in line][:-1] == ["wrong.py"]


@pytest.mark.slow
def test_the_other_type_checker_has_nothing_to_say(installed: Package, tmp_path: Path) -> None:
    package = Package(installed.files, tmp_path)
    (tmp_path / "wrong.py").write_text(
        f"from {package.name}.models import ToolCall\n\nToolCall(1, 'a', {{}})\n", "utf-8"
    )
    settings = {"include": ["."], "extraPaths": [str(DISTRIBUTION)], "typeCheckingMode": "strict"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    result = checked("pyright", "--pythonpath", sys.executable, "--outputjson", cwd=tmp_path)
    report = json.loads(result.stdout)
    assert report["summary"]["filesAnalyzed"] > len(modules(package))
    assert {Path(diagnostic["file"]).name for diagnostic in report["generalDiagnostics"]} == {"wrong.py"}, (
        result.stdout[-3000:]
    )


def checked(*words: str, cwd: Path, path: Path = DISTRIBUTION) -> subprocess.CompletedProcess[str]:
    """Run a checker that finds the distribution, and what is in another folder."""
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=cwd,
        env=os.environ | {"MYPYPATH": f"{path}:{DISTRIBUTION}"},
        capture_output=True,
        text=True,
        check=False,
    )
