"""`runtime: installed`: the package imports what no declaration changes from the distribution toolgen-runtime."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import toolgen_runtime
from tests.support.commands import toolgen
from tests.support.generated import PROBES, Declaration, Package, compiled, write_project
from tests.support.repository import ROOT, recordings
from toolgen.compilation import compile_project
from toolgen.diagnostics import Findings
from toolgen.resources import runtime_folder, wires_folder

FOUR = ("openai_responses", "openai_chat", "anthropic", "gemini")
DISTRIBUTION = ROOT / "packages" / "toolgen-runtime"
VERSION = toolgen_runtime.__version__
MAJOR, MINOR = map(int, VERSION.split(".")[:2])


def project(
    folder: Path,
    providers: Sequence[str] = FOUR,
    tools: tuple[Declaration, ...] = PROBES,
    own: Mapping[str, object] | None = None,
    **settings: object,
) -> Path:
    """Sources of a package with the installed runtime; `own` are further sources by their path."""
    schemas = write_project(folder, tools)
    for path, value in {
        "toolgen.yaml": {"providers": providers, "runtime": "installed"} | settings,
        **(own or {}),
    }.items():
        (schemas / path).parent.mkdir(exist_ok=True)
        (schemas / path).write_text(json.dumps(value), "utf-8")
    return schemas


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Package:
    folder = tmp_path_factory.mktemp("installed")
    return Package(compiled(project(folder)), folder)


def modules(package: Package) -> list[str]:
    paths = [path.removesuffix(".py").removesuffix("__init__") for path in package.files if path.endswith(".py")]
    return [path.replace("/", ".").rstrip(".") for path in paths]


def test_nothing_of_the_runtime_is_written_and_every_module_imports(installed: Package) -> None:
    assert [path for path in installed.files if path.startswith(("runtime/", "wires/"))] == []
    for name in modules(installed):
        installed.module(name)


def test_imports_are_those_of_the_package_the_runtime_pydantic_and_the_standard_library(installed: Package) -> None:
    found = set()
    for path, text in installed.files.items():
        for node in ast.walk(ast.parse(text)) if path.endswith(".py") else ():
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(str(node.module).split(".")[0])
    assert found - sys.stdlib_module_names == {"pydantic", "toolgen_runtime"}


def test_a_package_has_the_names_that_it_has_with_a_copy(installed: Package, sample: Package) -> None:
    names = [name for name in modules(installed) if name != ""]
    assert {"models", "messages", "running", "tools", "sessions.anthropic", "providers.gemini"} <= set(names)
    for name in names:
        ours, theirs = installed.module(name), sample.module(name)
        assert getattr(ours, "__all__", None) == getattr(theirs, "__all__", None), name


@pytest.mark.parametrize("provider", FOUR)
def test_conversions_are_those_of_a_package_with_a_copy(installed: Package, sample: Package, provider: str) -> None:
    def converted(package: Package, recording: Any) -> list[Any]:
        dump, module = package.module("models").dump, package.provider(provider)
        request = module.from_request(recording["request"])
        found = [module.to_request(request), dump(request), module.TOOLS, module.FINGERPRINT]
        if recording["response"] is not None and recording["status"] < 400:
            completion = module.from_response(recording["response"])
            found += [dump(completion), module.to_response(completion)]
        if recording["events"] is not None and recording["status"] < 400:
            found += [dump(event) for event in module.iter_events(recording["events"])]
        return found

    chosen = recordings(provider)[:60]
    assert len(chosen) == 60
    for recording in chosen:
        assert converted(installed, recording) == converted(sample, recording), recording["id"]


def test_tools_run_as_they_do_in_a_package_with_a_copy(installed: Package, sample: Package) -> None:
    def conversation(package: Package) -> Any:
        models, running, tools = (package.module(name) for name in ("models", "running", "tools"))

        class Scripted(package.module("sessions").Session):  # type: ignore[misc]
            replies = iter(['```tool\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```', "Twenty-one."])

            def send(self, request: Any) -> str:
                return next(self.replies)

        class App:
            def get_weather(self, args: Any) -> dict[str, object]:
                assert type(args).__module__ == f"{package.name}.tools.get_weather"
                return {"degrees": 21}

            def __getattr__(self, name: str) -> Any:
                return lambda args: None

        handlers: Any = App()
        result = running.run(Scripted(), "How warm is it in Oslo?", handlers, review=running.allow_all)
        assert tools.Allow is running.Allow
        return models.dump(result.messages)

    found = conversation(installed)
    assert [message["role"] for message in found] == ["user", "assistant", "tool", "assistant"]
    assert found == conversation(sample)


def test_packages_of_one_app_share_the_classes_of_the_format(installed: Package, tmp_path: Path) -> None:
    other = Package(compiled(project(tmp_path, ["openai_chat"], PROBES[:1])), tmp_path)
    assert other.module("models").ToolCall is installed.module("models").ToolCall
    models, body = installed.module("models"), {"messages": [{"role": "user", "content": "Hello"}], "model": "m"}
    request = other.provider("openai_chat").from_request(body)
    assert isinstance(request, models.Request)
    assert installed.provider("anthropic").to_request(request, on_loss=[].append)["messages"][0]["role"] == "user"
    assert other.module("tools").TOOL_SET is not installed.module("tools").TOOL_SET


def test_the_distribution_has_the_files_that_are_copied() -> None:
    for copied in (runtime_folder(), wires_folder()):
        shared = DISTRIBUTION / "toolgen_runtime" / copied.name
        names = {file.relative_to(copied) for file in copied.rglob("*.py")}
        assert names == {file.relative_to(shared) for file in shared.rglob("*.py")}
        assert [name for name in names if (copied / name).read_bytes() != (shared / name).read_bytes()] == []


@pytest.mark.parametrize("patch", ["0", "1", "17", "0rc1"])
def test_any_patch_of_the_minor_version_will_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, patch: str) -> None:
    monkeypatch.setattr("toolgen_runtime.runtime.version.__version__", f"{MAJOR}.{MINOR}.{patch}")
    Package(compiled(project(tmp_path, ["openai_chat"])), tmp_path).module("models")


@pytest.mark.parametrize("version", [f"{MAJOR}.{MINOR + 1}.0", f"{MAJOR + 1}.{MINOR}.0", f"{MAJOR}.{MINOR}1.0"])
def test_another_minor_version_is_refused_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str
) -> None:
    package = Package(compiled(project(tmp_path, ["openai_chat"])), tmp_path)
    monkeypatch.setattr("toolgen_runtime.runtime.version.__version__", version)
    with pytest.raises(ImportError) as refused:
        package.module("models")
    assert str(refused.value) == (
        f"{package.name} was built for toolgen-runtime {MAJOR}.{MINOR}, but {version} is installed; "
        f"run `pip install 'toolgen-runtime~={MAJOR}.{MINOR}.0'`, or rebuild the package with toolgen {version}"
    )


def test_without_the_distribution_the_import_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = Package(compiled(project(tmp_path, ["openai_chat"])), tmp_path)
    monkeypatch.setitem(sys.modules, "toolgen_runtime", None)
    with pytest.raises(ModuleNotFoundError) as missing:
        package.module("providers.openai_chat")
    assert missing.value.name == "toolgen_runtime"
    assert str(missing.value) == (
        f"{package.name} needs toolgen-runtime: run `pip install 'toolgen-runtime~={MAJOR}.{MINOR}.0'`"
    )


def test_a_profile_that_the_project_changes_or_adds_is_made_in_the_package(tmp_path: Path) -> None:
    own = {
        "providers/openai_chat.yaml": {"extends": "openai_chat", "dialects": {"strict": {"maps": "pairs"}}},
        "providers/newcomer.yaml": {"extends": "anthropic", "title": "Newcomer"},
    }
    package = Package(compiled(project(tmp_path, ["openai_chat", "newcomer", "gemini"], own=own)), tmp_path)
    kept = [path for path in package.files if path.startswith(("runtime/", "wires/"))]
    assert kept == ["wires/__init__.py", "wires/newcomer.py", "wires/openai_chat.py"]
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hello"}]}
    for provider in ("openai_chat", "newcomer"):
        module = package.provider(provider)
        assert type(module.WIRE).__module__ == "toolgen_runtime.runtime.conversion.wire"
        assert module.to_request(module.from_request(body)) == body
    assert package.module("sessions.newcomer").Session.name == "newcomer"


def test_a_format_of_the_project_is_refused_with_a_hint(tmp_path: Path) -> None:
    more = {
        "$defs": {"ToolCall": {"type": "object", "properties": {"cost": {"type": "number", "description": "Euros."}}}}
    }
    schemas = project(tmp_path, own={"format/more.yaml": more})
    findings = Findings()
    assert compile_project(schemas, findings) is None
    (finding,) = (found for found in findings if found.level == "error")
    assert (finding.code, finding.span.path.rsplit("/", 1)[-1]) == ("runtime-format", "toolgen.yaml")
    assert "`runtime: copied`" in str(finding.hint)
    (schemas / "toolgen.yaml").write_text('{"providers": ["openai_chat"], "runtime": "copied"}', "utf-8")
    assert "runtime/models.py" in compiled(schemas)


@pytest.mark.parametrize("parts", [("tools",), ("converters",), ("tools", "running")], ids="+".join)
def test_parts_are_left_out_of_it_too(tmp_path: Path, parts: tuple[str, ...]) -> None:
    package = Package(compiled(project(tmp_path, ["openai_chat"], parts=parts)), tmp_path)
    assert [path for path in package.files if path.startswith(("runtime/", "wires/", "sessions/"))] == []
    assert ("providers/openai_chat.py" in package.files) == ("converters" in parts)
    for name in modules(package):
        package.module(name)


def test_check_and_build_notice_a_switch(tmp_path: Path, cache: Path) -> None:
    schemas, package = project(tmp_path, ["openai_chat"]), tmp_path / "generated"
    config = schemas / "toolgen.yaml"

    def said(word: str) -> tuple[int, str]:
        done = toolgen(word, "schemas", cwd=tmp_path)
        return done.returncode, done.stdout + done.stderr

    assert (said("build")[0], said("check")[0]) == (0, 0)
    lock = json.loads((package / "toolgen.lock").read_text("utf-8"))
    assert lock["runtime"] == f"toolgen-runtime~={MAJOR}.{MINOR}.0"
    for kind, has in (("copied", True), ("installed", False)):
        config.write_text(json.dumps({"providers": ["openai_chat"], "runtime": kind}), "utf-8")
        code, text = said("check")
        assert (code, "runtime/converter.py" in text, "toolgen_runtime" in text) == (1, True, True)
        assert said("build")[0] == 0
        assert (package / "runtime").is_dir() is has
        assert ("runtime" in json.loads((package / "toolgen.lock").read_text("utf-8"))) is not has
        assert said("check")[0] == 0


def test_linters_have_nothing_to_say(installed: Package) -> None:
    for words in (("check",), ("check", "--select", "I"), ("format", "--check")):
        result = checked(
            "ruff", words[0], "--isolated", "--no-cache", *words[1:], installed.name, cwd=installed.folder.parent
        )
        assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]


def test_a_type_checker_has_nothing_to_say(installed: Package, tmp_path: Path) -> None:
    app = (
        f"from {installed.name}.models import ToolCall\nfrom {installed.name}.tools import parse_call\n"
        f"from {installed.name}.providers import anthropic\n\n\n"
        "def calls(body: object) -> list[ToolCall]:\n    return anthropic.from_tool_calls(body)\n\n\n"
        'parse_call(ToolCall("call_1", "get_weather", {}))\n'
    )
    (tmp_path / "app.py").write_text(app, "utf-8")
    (tmp_path / "wrong.py").write_text(app.replace('"call_1"', "1"), "utf-8")
    strict = ("mypy", "--strict", "--python-version", "3.11", "--cache-dir", str(tmp_path / "cache"))
    result = checked(*strict, "-p", installed.name, cwd=tmp_path, path=installed.folder.parent)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
    result = checked(*strict, "app.py", "wrong.py", cwd=tmp_path, path=installed.folder.parent)
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
    found = json.loads(result.stdout)
    assert found["summary"]["filesAnalyzed"] > len(modules(package))
    assert {Path(one["file"]).name for one in found["generalDiagnostics"]} == {"wrong.py"}, result.stdout[-3000:]


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
