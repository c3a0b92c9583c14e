"""A package with the installed runtime and one with a copy differ only in where the runtime is."""

from __future__ import annotations

import copy
import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.providers import laws
from tests.support.generated import PROBES, Package, compiled, write_project
from tests.support.repository import PROFILES, recordings
from toolgen.compilation import compile_project
from toolgen.diagnostics import Findings

KINDS = ("installed", "copied")


def modules(package: Package) -> list[str]:
    """The names of all modules except those of a copied runtime."""
    paths = [path.removesuffix(".py").removesuffix("__init__") for path in package.files if path.endswith(".py")]
    return [path.replace("/", ".").rstrip(".") for path in paths if not path.startswith("runtime/")]


def conversions(package: Package, provider: str, recording: Any) -> list[str]:
    """What a provider's module makes of each member of a recording in both directions, and the errors that it raises."""
    module, results = package.provider(provider), list[str]()

    def attempt(convert: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        accepted = inspect.signature(convert).parameters
        options = {name: value for name, value in options.items() if name in accepted}
        try:
            value = convert(*arguments, **options)
        except (ValueError, TypeError, KeyError, LookupError) as error:
            results.append(repr(error))
            return None
        results.append(repr(value))
        return value

    def convert_both_ways(name: str, *wire: Any, **options: Any) -> Any:
        value, losses = attempt(getattr(module, f"from_{name}"), *copy.deepcopy(wire), **options), list[Any]()
        if value is not None:
            attempt(getattr(module, f"to_{name}"), value, on_loss=losses.append, on_unsupported="weaken")
            results.append(repr(losses))
        return value

    is_error = recording.get("status", 200) >= 400
    completions = []
    for name in ("tools", "messages", "request"):
        if recording.get(name) is not None:
            convert_both_ways(name, recording[name])
    if recording.get("call") is not None:
        convert_both_ways("tool_call", recording["call"], id="call_a")
    if recording.get("result") is not None:
        convert_both_ways("tool_result", recording["result"], "call_a", "get_weather")
    if recording.get("response") is not None and is_error:
        attempt(module.from_error, recording["status"], copy.deepcopy(recording["response"]))
    elif recording.get("response") is not None:
        completions.append(convert_both_ways("response", recording["response"]))
    if recording.get("events") is not None and not is_error:
        completion, emitted = attempt(laws.played, package, provider, recording["events"]) or (None, None)
        completions.append(completion)
        if hasattr(module, "StreamWriter") and emitted is not None:
            attempt(laws.written, package, provider, emitted)
    if hasattr(module, "to_request"):
        for completion in filter(None, completions):
            attempt(laws.next_request, package, provider, completion)
    return results


@pytest.mark.parametrize("provider", PROFILES)
def test_every_recording_is_converted_alike(sample: Package, copied: Package, provider: str) -> None:
    counts = 0
    for recording in recordings(provider):
        expected = conversions(sample, provider, recording)
        assert conversions(copied, provider, recording) == expected, recording["id"]
        counts += len(expected)
    assert counts >= 3 * len(recordings(provider)) > 0


@pytest.mark.parametrize("provider", PROFILES)
def test_a_provider_receives_the_same_tools(sample: Package, copied: Package, provider: str) -> None:
    ours, theirs = sample.provider(provider), copied.provider(provider)
    for name in ("TOOLS", "FINGERPRINT", "__all__"):
        assert getattr(ours, name) == getattr(theirs, name)


def test_all_modules_have_the_same_names(sample: Package, copied: Package) -> None:
    assert modules(sample) == modules(copied)
    assert {"models", "messages", "running", "tools", "sessions.anthropic", "providers.gemini"} <= set(modules(sample))
    for name in modules(sample):
        ours, theirs = sample.module(name), copied.module(name)
        assert getattr(ours, "__all__", None) == getattr(theirs, "__all__", None), name


def test_tools_run_alike(sample: Package, copied: Package) -> None:
    def conversation(package: Package) -> Any:
        models, running = (package.module(name) for name in ("models", "running"))

        class Scripted(package.module("sessions").Session):  # type: ignore[misc]  # a class of a package that exists only during the test
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
        return models.dump(result.messages)

    messages = conversation(sample)
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant"]
    assert messages == conversation(copied)


OWN_PROFILES = {
    "openai_chat": "extends: openai_chat\ndialects: {strict: {maps: pairs}}\n",
    "newcomer": "extends: anthropic\ntitle: Newcomer\n",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_profile_that_the_project_changes_or_adds_has_its_class_beside_its_module(tmp_path: Path, kind: str) -> None:
    schemas = write_project(tmp_path, providers=["openai_chat", "newcomer", "gemini"], runtime=kind)
    (schemas / "providers").mkdir()
    for name, text in OWN_PROFILES.items():
        (schemas / "providers" / f"{name}.yaml").write_text(text, "utf-8")
    package = Package(compiled(schemas), tmp_path)
    own = {"providers/_newcomer_wire.py", "providers/_openai_chat_wire.py"}
    assert {path for path in package.files if path.endswith("_wire.py")} == own
    runtime = "toolgen_runtime" if kind == "installed" else f"{package.name}.runtime"
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hello"}]}
    for provider in ("openai_chat", "newcomer", "gemini"):
        module = package.provider(provider)
        assert type(module.WIRE).__module__ == f"{runtime}.conversion.wire"
        holder = f"{runtime}.apis.gemini.wire" if provider == "gemini" else f"{package.name}.providers._{provider}_wire"
        assert type(module._converter).__module__ == holder
        assert provider == "gemini" or module.to_request(module.from_request(body)) == body
    assert package.module("sessions.newcomer").Session.name == "newcomer"


SHAPES = ["anthropic", "azure", "bedrock", "gemini", "mcp", "openai_chat", "prompt"]
"""Providers of several APIs, one of them with the converter of another, and one without calls of its own."""

FORMAT = "$defs: {ToolCall: {type: object, properties: {cost: {type: number, description: Euros.}}}}\n"


def write_format(schemas: Path) -> Path:
    (schemas / "format").mkdir()
    (schemas / "format" / "more.yaml").write_text(FORMAT, "utf-8")
    return schemas


@pytest.mark.parametrize(
    ("config", "place"),
    [
        ("providers: [openai_chat]\n", ("schemas/format/more.yaml", 1)),
        (None, ("schemas/format/more.yaml", 1)),
        ("providers: [openai_chat]\nruntime: installed\n", ("schemas/toolgen.yaml", 2)),
    ],
    ids=["the default", "no configuration", "stated"],
)
def test_a_format_of_the_project_needs_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str | None, place: tuple[str, int]
) -> None:
    monkeypatch.chdir(write_format(write_project(tmp_path)).parent)
    settings, findings = Path("schemas/toolgen.yaml"), Findings()
    settings.unlink()
    if config is not None:
        settings.write_text(config, "utf-8")
    assert compile_project(Path("schemas"), findings) is None
    (finding,) = (each for each in findings if each.level == "error")
    assert (finding.code, (finding.span.path, finding.span.line)) == ("runtime-format", place)
    assert "set `runtime: copied`" in str(finding.hint)


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """A package with a field of its own in the format."""
    folder = tmp_path_factory.mktemp("extended")
    return Package(compiled(write_format(write_project(folder, providers=SHAPES, runtime="copied"))), folder)


@pytest.mark.slow
def test_a_format_of_the_project_is_that_of_the_whole_package(extended: Package) -> None:
    models = extended.module("models")
    call = models.ToolCall("call_1", "get_weather", {"city": "Oslo"}, cost=0.5)
    assert models.load(models.ToolCall, models.dump(call)) == call
    assert [path for path in extended.files if path.startswith("runtime/apis/") and path.endswith("wire.py")] == []
    for provider in SHAPES:
        losses: list[Any] = []
        module = extended.provider(provider)
        assert type(module._converter).__module__ == f"{extended.name}.providers._{provider}_wire"
        module.to_tool_call(call, on_loss=losses.append)
        assert provider == "prompt" or [loss.path for loss in losses] == ["cost"], provider


def type_checked(package: Package, cache: Path, *more: str) -> None:
    words = ("mypy", "--strict", "--cache-dir", str(cache), "--config-file=", package.name, *more)
    checked = subprocess.run(
        [sys.executable, "-m", *words], cwd=package.folder.parent, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout[-3000:] + checked.stderr[-3000:]


@pytest.mark.slow
def test_a_package_with_a_format_of_the_project_type_checks(extended: Package, mypy_cache: Path) -> None:
    app = extended.folder.parent / "app.py"
    app.write_text(
        f"from {extended.name}.models import ToolCall\n\n\n"
        "def cost(call: ToolCall) -> float | None:\n    return call.cost\n",
        "utf-8",
    )
    type_checked(extended, mypy_cache, app.name)


@pytest.mark.slow
def test_a_package_with_a_copy_type_checks(copied: Package, mypy_cache: Path) -> None:
    type_checked(copied, mypy_cache)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_package_with_profiles_of_the_project_type_checks(tmp_path: Path, mypy_cache: Path, kind: str) -> None:
    schemas = write_project(tmp_path, PROBES, providers=["openai_chat", "newcomer", "gemini"], runtime=kind)
    (schemas / "providers").mkdir()
    for name, text in OWN_PROFILES.items():
        (schemas / "providers" / f"{name}.yaml").write_text(text, "utf-8")
    type_checked(Package(compiled(schemas), tmp_path), mypy_cache)
