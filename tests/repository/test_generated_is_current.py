"""What is committed is what the sources give: `generated`, and the generated modules of the runtime."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib import import_module
from itertools import cycle
from pathlib import Path

import pytest

from tests.support.commands import toolgen
from tests.support.copies import Copies
from tests.support.repository import PROFILES, ROOT
from toolgen.committed_modules import find_stale_modules
from toolgen.load.sources import compact_json
from toolgen.resources import GENERATED
from toolgen.write import read_lock


def test_the_generated_modules_of_the_runtime_are_in_step() -> None:
    assert find_stale_modules() == []


def test_the_committed_package_is_in_step() -> None:
    result = toolgen("check", "schemas")
    assert (result.returncode, result.stdout) == (0, ""), result.stdout[:2000] + result.stderr


def test_the_lock_says_what_each_provider_is_sent() -> None:
    lock = read_lock((ROOT / "generated/toolgen.lock").read_bytes())
    assert lock.payloads.keys() == set(PROFILES)
    for provider, sent in lock.payloads.items():
        module = import_module(f"generated.providers.{provider}")
        alone = {name: compact_json(module.tools(name)) for name in module.ToolName.__args__}
        assert {name: digest for name, digest in sent.items() if digest} == {
            name: sha256(text.encode()).hexdigest()[:16] for name, text in alone.items()
        }


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what `make build` reads, without its results."""
    root = tmp_path_factory.mktemp("checkout")
    for name in ("generator", "runtime", "schemas", "templates"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return root


Build = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def interpreter(copy: Path) -> Iterator[Copies]:
    """Interpreters that have the modules of the copy, and have imported none of them."""
    path = {"PYTHONPATH": f"{copy / 'generator'}:{copy / 'runtime'}"}
    modules = ("datamodel_code_generator.parser.jsonschema", "jinja2", "jsonschema", "pydantic", "yaml")
    with Copies(*modules, options=["-B"], folder=copy, environment=os.environ | path) as started:
        yield started


@pytest.fixture
def build(interpreter: Copies, tmp_path: Path) -> Build:
    """Runs what `make build` runs first, without what an earlier build may have stored."""
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return interpreter.run("-m", "toolgen.committed_modules", *arguments, environment=environment)

    return run


def generated_modules(copy: Path) -> dict[Path, str]:
    texts = {path: path.read_text("utf-8") for path in (copy / "runtime" / "toolgen_runtime").rglob("*.py")}
    return {path: text for path, text in texts.items() if text.startswith(GENERATED)}


def write(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(GENERATED + text, "utf-8")


def rename_a_class(path: Path) -> None:
    """As after a change of the format or of a profile."""
    text = path.read_text("utf-8")
    path.write_text(text.replace("ToolCall", "Called").replace("read_request", "read_body"), "utf-8")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "empty": write(" DO NOT EDIT.\n"),
    "no Python": write("\n<<<<<<< ours\n"),
    "an import of nothing": write("\nfrom .nothing import at_all\n"),
    "of another format": rename_a_class,
}


def test_a_build_restores_generated_modules_that_are_missing_or_stale(copy: Path, build: Build) -> None:
    """In a checkout in which nothing was ever built: each module damaged in one of the ways, then all as after a change of the format."""
    expected = generated_modules(copy)
    assert len(expected) > len(PROFILES)
    for path, damage in zip(expected, cycle(DAMAGE.values())):
        damage(path)
    assert build("--check").returncode == 1
    done = build()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert generated_modules(copy) == expected
    assert build("--check").returncode == 0
    for path in expected:
        rename_a_class(path)
    assert build().returncode == 0
    assert generated_modules(copy) == expected


@pytest.mark.slow
def test_a_build_makes_the_folder_of_the_first_host_of_an_api_and_removes_the_class_of_a_profile_that_is_gone(
    copy: Path, build: Build
) -> None:
    expected = generated_modules(copy)
    profile = copy / "schemas/providers/cohere_host.yaml"
    profile.write_text("extends: cohere\ntitle: A host of Cohere\n", "utf-8")
    done = build()
    assert (done.returncode, done.stderr) == (0, "")
    hosts = copy / "runtime/toolgen_runtime/apis/cohere/hosts"
    assert "class CohereHost(Cohere)" in (hosts / "cohere_host.py").read_text("utf-8")
    assert (hosts / "__init__.py").is_file()
    profile.unlink()
    former = copy / "runtime/toolgen_runtime/apis/openai_chat/hosts/former.py"
    former.write_text((former.parent / "xai.py").read_text("utf-8"), "utf-8")
    checked = build("--check")
    assert "apis/openai_chat/hosts/former.py" in checked.stderr
    assert "apis/cohere/hosts/cohere_host.py" in checked.stderr
    assert build().returncode == 0
    assert generated_modules(copy) == expected
